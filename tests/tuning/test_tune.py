"""A tuning run over a folder, from the questions to a usable winner, and the conditions that stop it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import command
from filelock import FileLock

from investigator import ScriptedEmbedder
from investigator.asking.templates import source_of
from investigator.engines.extractive import ExtractiveEngine
from investigator.errors import DataError, SettingsError, TemplateError, UserError
from investigator.evaluation.measures import Measure
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckVariables,
    Event,
    Notice,
    Prompt,
    Reply,
    Traits,
)
from investigator.resources import prompts_folder
from investigator.tuning import proposing
from investigator.tuning.bench import Setup
from investigator.tuning.candidates import read_space, settings_of_space
from investigator.tuning.comparison import Tolerance
from investigator.tuning.run import TuningOptions, TuningPlan, TuningReport, tune
from investigator.tuning.search import Ending, Fate

ASK = source_of(prompts_folder() / "query" / "ask.j2")
MAGIC = "Quote the sentence."


class Obedient:
    """A model that quotes the first sentence if its prompt says so, and otherwise finds nothing; it plans by rules."""

    name = "scripted:obedient"
    traits = Traits(concurrency=1)

    def __init__(self) -> None:
        self.calls = 0
        self.dies_at: int | None = None
        self._rules = ExtractiveEngine(ScriptedEmbedder())

    def reply(self, prompt: Prompt) -> Reply:
        if self.dies_at is not None and self.calls >= self.dies_at:
            raise KeyboardInterrupt
        self.calls += 1
        match prompt.variables:
            case AskVariables(main_question=question, documents=documents):
                thing = question.removesuffix(" opened?").rpartition(" ")[2]
                readings = [
                    {"document": each.document_id, "verdict": "answers", "point": 95, "quotes": [quote], "reply": quote}
                    for each in documents
                    if MAGIC in prompt.text and thing in (quote := each.passages[0].text.strip())
                ]
                return Reply(text=json.dumps({"readings": readings}))
            case AnswerVariables(documents=documents):
                ids = [name for document in documents for name in document.ids if name.startswith("E")]
                lead = {"text": "It was opened then.", "evidence": ids[:1]} if ids else None
                parts = [{"part": 1, "status": "answered" if ids else "not_stated"}]
                return Reply(text=json.dumps({"lead": lead, "parts": parts}))
            case CheckVariables(statements=statements):
                verdicts = [{"number": each.number, "support": "supported"} for each in statements]
                return Reply(text=json.dumps({"statements": verdicts, "answers": "yes"}))
        return self._rules.reply(prompt)


@pytest.fixture
def data(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of thirty documents, and a question about each."""
    folder, rows = tmp_path / "items", []
    folder.mkdir()
    for number in range(30):
        thing = f"bridge{number:02}"
        text = f"The {thing} was opened in {1801 + number}."
        (folder / f"{thing}.txt").write_text(text + "\n", encoding="utf-8")
        known = {"answerable": True, "doc_ids": [f"{thing}.txt"], "evidence": [text]}
        rows.append({"id": thing, "question": f"When was the {thing} opened?", **known})
    file = tmp_path / "asked.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder, file


@pytest.fixture
def variants(tmp_path: Path) -> Path:
    """One variant that helps, and three that are never tried."""
    folder = tmp_path / "variants"
    texts = {
        "better": ASK.replace("You read", f"{MAGIC} You read"),
        "blind": ASK.replace("for document in documents", "for document in mission"),
        "injection": ASK + "{{ ''.__class__.__mro__ }}",
        "same": ASK,
    }
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.j2").write_text(text, encoding="utf-8")
    return folder


def run(
    data: tuple[Path, Path], out: Path, options: TuningOptions, engine: object, changes: str = "", **more: object
) -> TuningReport:
    given = {"workspace": out.parent / "space", "embedder": ScriptedEmbedder(), "engine": engine} | more
    base = Setup(overrides=("research.rounds=1", *changes.split()))
    return tune(*data, out, options, base, **given)  # type: ignore[arg-type]


def test_a_better_template_is_found_proven_and_used_and_a_killed_run_pays_nothing_twice(
    data: tuple[Path, Path], variants: Path, tmp_path: Path
) -> None:
    options = TuningOptions(templates=("query/ask",), variants=variants, tolerance=Tolerance(more_calls=2))
    engine, plans = Obedient(), list[TuningPlan]()
    engine.dies_at = 50
    with pytest.raises(KeyboardInterrupt):
        run(data, tmp_path / "out", options, engine, on_plan=plans.append)
    assert (plans[0].reflect, plans[0].select, plans[0].test) == (6, 12, 12)
    assert engine.calls == 50
    engine.dies_at = None
    report = run(data, tmp_path / "out", options, engine)
    result = report.result
    assert result.ending is Ending.ADOPTED
    assert {variant.name: variant.fate for variant in result.tried} == {
        "better": Fate.FINALIST,
        "blind": Fate.REFUSED,
        "injection": Fate.REFUSED,
        "same": Fate.SAME,
    }
    assert report.usage.unanswered == 1  # the call under way when it was killed counts, and was made again
    assert report.usage.calls == sum(1 for line in ledger(tmp_path / "out") if '"unanswered":1' in line)
    before = engine.calls
    assert run(data, tmp_path / "out", options, engine).result == result
    assert engine.calls == before

    used = tmp_path / "out" / "prompts"
    assert MAGIC in (used / "query" / "ask.j2").read_text(encoding="utf-8")

    with pytest.raises(UserError, match="the test set of this data was used"):
        run(data, tmp_path / "again", options.changed(seed=5), engine)
    with pytest.raises(UserError, match="contains another tuning run"):
        run(data, tmp_path / "out", options.changed(seed=5, reopen=True), engine)


def ledger(out: Path) -> list[str]:
    return (out / "ledger.jsonl").read_text(encoding="utf-8").splitlines()


def test_a_ceiling_of_nothing_shows_the_plan_and_asks_nothing(
    data: tuple[Path, Path], variants: Path, tmp_path: Path
) -> None:
    engine, events = Obedient(), list[Event]()
    (data[0] / "bridge07.txt").unlink()
    options = TuningOptions(templates=("query/ask",), variants=variants, max_calls=0)
    report = run(data, tmp_path / "out", options, engine, tell=events.append)
    assert (report.result.ending, engine.calls, report.usage.calls) == (Ending.CEILING, 0, 0)
    assert report.plan.expected.calls > 0
    assert Notice(text="1 of 30 right documents are not in the folder, such as bridge07.txt.") in events
    free = run(data, tmp_path / "free", options.changed(max_calls=None, max_money=0), engine)
    assert (free.result.ending, engine.calls) == (Ending.CEILING, 0)
    capped = run(data, tmp_path / "low", options.changed(max_calls=7), engine)
    assert capped.result.ending is Ending.CEILING
    assert engine.calls <= 7


def test_a_ceiling_of_money_takes_the_price_from_the_user_s_own_table(
    data: tuple[Path, Path], variants: Path, tmp_path: Path
) -> None:
    engine, table = Obedient(), tmp_path / "prices.json"
    engine.name = "own:model"
    table.write_text(
        '{"as_of": "2026-11-22", "prices": [{"model": "own:model", "input": 1, "output": 1}]}', encoding="utf-8"
    )
    options = TuningOptions(templates=("query/ask",), variants=variants, max_calls=0, max_money=1)
    with pytest.raises(SettingsError, match="no price is known for own:model"):
        run(data, tmp_path / "out", options, engine)
    report = run(data, tmp_path / "out", options, engine, f"budget.prices={table}")
    assert (bool(report.plan.expected.unpriced), engine.calls) == (False, 0)


def test_what_cannot_be_tuned_is_refused_before_anything_is_asked(data: tuple[Path, Path], tmp_path: Path) -> None:
    engine, out = Obedient(), tmp_path / "out"
    for options, words in (
        (TuningOptions(templates=("query/aks",), search="gepa"), "unknown template query/aks"),
        (TuningOptions(templates=("query/ask",)), "no candidates given"),
        (TuningOptions(search="gepa"), "no template given to change"),
        (TuningOptions(space={"research.nonsense": ("1", "2")}), "unknown setting research.nonsense"),
        (TuningOptions(templates=("query/ask",), search="unknown"), "unknown proposer 'unknown'"),
        (
            TuningOptions(space={"research.rounds": ("2",)}, measure=Measure.FALSE_ANSWER),
            "it measures silence or errors",
        ),
    ):
        with pytest.raises(SettingsError, match=words):
            run(data, out, options, engine)
    with pytest.raises(TemplateError, match="contains no template variants"):
        run(data, out, TuningOptions(templates=("query/ask",), variants=tmp_path / "none"), engine)
    few = tmp_path / "few.jsonl"
    few.write_text(data[1].read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 question cannot fill three sets"):
        run((data[0], few), out, TuningOptions(space={"research.rounds": ("2",)}), engine)
    bare = (f'{{"id": "{n}", "question": "When was the bridge{n:02} opened?"}}\n' for n in range(30))
    few.write_text("".join(bare), encoding="utf-8")
    with pytest.raises(DataError, match="no question has a known answer"):
        run((data[0], few), out, TuningOptions(space={"research.rounds": ("2",)}), engine)
    with FileLock(out / "lock"), pytest.raises(UserError, match="another process is tuning in"):
        run(data, out, TuningOptions(space={"research.rounds": ("2",)}, max_calls=7), engine)
    assert engine.calls == 0


def test_what_a_proposer_lacks_is_told_before_anything_is_asked(
    data: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = TuningOptions(templates=("query/ask",), search="gepa")
    with pytest.raises(SettingsError, match="the proposer gepa needs a language model"):
        tune(*data, tmp_path / "out", options, workspace=tmp_path / "space", embedder=ScriptedEmbedder())
    engine = Obedient()
    monkeypatch.setattr(proposing, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match="gepa needs the package gepa"):
        run(data, tmp_path / "out", options, engine)
    assert engine.calls == 0


def test_if_no_candidate_may_be_tried_nothing_is_asked_and_the_command_fails(
    data: tuple[Path, Path], variants: Path, tmp_path: Path
) -> None:
    (variants / "better.j2").unlink()
    engine = Obedient()
    report = run(data, tmp_path / "out", TuningOptions(templates=("query/ask",), variants=variants), engine)
    assert (report.result.ending, engine.calls) == (Ending.NONE_TRIED, 0)
    assert report.result.reason.startswith("3 candidates. blind: ")
    options = ["--docs", *data[:1], "--questions", *data[1:], "--out", tmp_path / "other", "--variants", variants]
    done = command("tune", "query/ask", *options, "--workspace", tmp_path / "space")
    assert done.exit_code == 1
    assert "No candidate could be tried." in done.stdout
    assert "The built-in finder reads no templates" in done.stderr


def test_the_command_shows_its_plan_and_wants_a_ceiling_for_a_model(data: tuple[Path, Path], tmp_path: Path) -> None:
    options = ("--docs", data[0], "--questions", data[1], "--workspace", tmp_path / "space", "--out")
    done = command("tune", *options, tmp_path / "out", "--max-calls", "0")
    assert "plan: candidates: 8;" in done.stderr  # the common ones, since none is named
    values = ("--vary", "research.threshold=10,20", "--vary", "retrieval.passages=3,5")
    done = command("tune", *options, tmp_path / "other", *values, "--max-calls", 0)
    assert done.exit_code == 0
    assert "plan: questions: 6 for reflection, 12 for selection, 12 for a single test" in done.stderr
    assert "plan: candidates: 4;" in done.stderr
    assert "Stopped at the ceiling." in done.stdout
    sharded = command("tune", *options, tmp_path / "other", "--max-calls", "0", "--set", "cluster.address=local")
    assert (sharded.exit_code, "tuning uses a single index" in sharded.stderr) == (2, True)
    refused = command("tune", "query/ask", *options, tmp_path / "other", "--model", "openai:x")
    assert (refused.exit_code, "--max-calls" in refused.stderr) == (2, True)


def test_a_space_of_settings_comes_from_a_file_and_from_options_in_the_order_of_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "space.toml"
    file.write_text("[research]\nthreshold = [10, 20]\n[research.answer]\nevidence = [4]\n", encoding="utf-8")
    space = read_space(file, ["research.rounds=1,2"])
    assert space == {
        "research.threshold": ("10", "20"),
        "research.answer.evidence": ("4",),
        "research.rounds": ("1", "2"),
    }
    first, again, other = ([variant.settings for variant in settings_of_space(space, seed)] for seed in (1, 1, 3))
    assert first == again != other
    assert sorted(first) == sorted(other)
    assert len(first) == 4
    for wrong in ("research.rounds", "=1", "research.rounds="):
        with pytest.raises(SettingsError, match="does not give the values"):
            read_space(None, [wrong])
    file.write_text("[research]\nthreshold = 10\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="not a list of values"):
        read_space(file, [])
