"""GEPA as a proposer: the data that it may see, the handling of bad proposals, and its limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from investigator import ScriptedEngine
from investigator.asking.budget import Budget, BudgetSettings, BudgetSpent
from investigator.asking.contracts import METHOD, check_template
from investigator.asking.templates import MOST_OCTETS, source_of
from investigator.errors import DataError, SettingsError
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.records import AnswerStatus, FinishReason, Prompt, Reply, StopReason, Usage
from investigator.resources import prompts_folder
from investigator.scoring.prices import default_prices
from investigator.tuning.candidates import Variant
from investigator.tuning.proposing import PROPOSE, ProposerModel, TuningLedger, Workshop, proposer_named

pytest.importorskip("gepa")

ASK = source_of(prompts_folder() / "query" / "ask.j2")
MAGIC = "Quote whole sentences."
BETTER = ASK.replace("You read", f"{MAGIC}\nYou read")


class CuttingEngine(ScriptedEngine):
    """Truncates its reply to the prompt "three"."""

    def reply(self, prompt: Prompt) -> Reply:
        whole = super().reply(prompt)
        return whole.changed(finish_reason=FinishReason.LENGTH) if prompt.text == "three" else whole


def refusal(candidate: Variant) -> str:
    (text,) = candidate.templates.values()
    if len(text.encode()) > MOST_OCTETS:
        return "too long"
    problems = check_template("ask.j2", text, METHOD["query/ask"])
    return problems[0].problem if problems else ""


def workshop(
    ask: Callable[[str], str], seen: list[Variant] | None = None, spent: Callable[[], bool] = lambda: False
) -> Workshop:
    questions = tuple(Question(id=f"q{n}", question=f"What is {n}?", answerable=True) for n in range(6))

    def try_out(candidate: Variant, ids: Sequence[str]) -> Mapping[str, Outcome]:
        if seen is not None:
            seen.append(candidate)
        right = float(MAGIC in candidate.templates["query/ask"])
        scores = {Measure.RIGHT: right}
        return {name: Outcome(id=name, status=AnswerStatus.ANSWERED, scores=scores) for name in ids}

    return Workshop(
        templates={"query/ask": ASK},
        questions=questions,
        measure=Measure.RIGHT,
        seed=0,
        try_out=try_out,
        refusal=refusal,
        ask=ask,
        is_spent=spent,
    )


def test_a_better_proposal_comes_first_and_bad_ones_are_never_tried() -> None:
    replies = iter(("nonsense", ASK, ASK + "{{ ''.__class__ }}", "x" * 1_000_000, BETTER))
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return next(replies, BETTER)

    seen: list[Variant] = []
    proposed = list(proposer_named("gepa")(workshop(ask, seen)))
    assert proposed[-1].templates["query/ask"] == BETTER.strip()
    assert sum(bool(refusal(variant)) for variant in proposed) == 3  # counted by the search, and scored nothing
    assert not [variant for variant in seen if refusal(variant)]
    assert "What is" in prompts[0]
    assert "main_question, documents" in prompts[0]
    assert "{{ passage.text|data }}" in prompts[0]


@pytest.mark.parametrize("nothing", ["nonsense {}", ""])
def test_a_model_that_writes_no_templates_is_not_asked_for_ever(nothing: str) -> None:
    replies = [nothing.format(n) for n in range(100)]
    proposed = list(proposer_named("gepa")(workshop(lambda prompt: replies.pop())))
    assert (len(proposed), len(replies)) == (5, 95)
    assert all(refusal(variant) for variant in proposed)


@pytest.mark.parametrize("spent", [True, False])
def test_our_ceiling_ends_it(spent: bool) -> None:
    def ask(prompt: str) -> str:
        raise BudgetSpent(StopReason.CALLS)

    assert list(proposer_named("gepa")(workshop(ask, spent=lambda: spent))) == []


def test_a_reply_of_the_proposer_is_kept_and_counts(tmp_path: Path) -> None:
    engine = CuttingEngine({PROPOSE: [json.dumps({"template": BETTER}), "free words", BETTER[:-20]]})
    file = tmp_path / "run" / "ledger.jsonl"

    def model(calls: int = 2) -> ProposerModel:
        ledger = TuningLedger(file, default_prices())
        return ProposerModel(engine, ledger, Budget(ledger, BudgetSettings(calls=calls)))

    assert model()("one") == BETTER
    assert model()("one") == BETTER  # another process: nothing is asked again
    assert model()("two") == "free words"
    assert len(engine.asked) == 2
    with pytest.raises(BudgetSpent):
        model()("three")
    assert not model(calls=3)("three")  # nothing is made of a part of a template


def test_the_ledger_counts_a_call_that_was_lost_and_a_line_that_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    first = TuningLedger(file, default_prices())
    first.begin("a", "scripted", 10)
    first.begin("b", "scripted", 20)
    first.withdraw("b", sent=False)
    file.write_text(file.read_text(encoding="utf-8") + '{"key": "kep', encoding="utf-8")
    assert TuningLedger(file, default_prices()).usage() == Usage(calls=1, input_tokens=10, unanswered=1)
    file.write_text('{"note": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match="is not a call of a tuning run"):
        TuningLedger(file, default_prices())


def test_an_unknown_proposer_is_named() -> None:
    with pytest.raises(SettingsError, match="unknown proposer 'unknown'"):
        proposer_named("unknown")
