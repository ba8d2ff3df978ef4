"""A tuning run over a folder, from the questions to a usable winner, and the conditions that stop it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from commands import command
from filelock import FileLock
from typer.testing import Result

from investigator import ScriptedEmbedder
from investigator.asking.templates import source_of
from investigator.engines.extractive import ExtractiveEngine
from investigator.errors import DataError, SettingsError, TemplateError, UserError
from investigator.evaluation.measures import Measure
from investigator.evaluation.results import ADD_ANSWERS
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


@dataclass
class Place:
    """A folder of thirty documents, a question about each, and a model that is tuned on them."""

    root: Path
    engine: Obedient = field(default_factory=Obedient)

    @property
    def folder(self) -> Path:
        return self.root / "items"

    @property
    def questions(self) -> Path:
        return self.root / "questions.jsonl"

    def tuned(self, out: str, options: TuningOptions, changes: str = "", **more: object) -> TuningReport:
        given = {"workspace": self.root / "space", "embedder": ScriptedEmbedder(), "engine": self.engine} | more
        base = Setup(overrides=("research.rounds=1", *changes.split()))
        return tune(self.folder, self.questions, self.root / out, options, base, **given)  # type: ignore[arg-type]

    def command(self, out: str, *words: str | int | Path) -> Result:
        docs = ("--docs", self.folder, "--questions", self.questions, "--workspace", self.root / "space")
        return command("tune", *words, *docs, "--out", self.root / out)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place, rows = Place(tmp_path), []
    place.folder.mkdir()
    for number in range(30):
        thing = f"bridge{number:02}"
        text = f"The {thing} was opened in {1801 + number}."
        (place.folder / f"{thing}.txt").write_text(text + "\n", encoding="utf-8")
        known = {"answerable": True, "doc_ids": [f"{thing}.txt"], "evidence": [text]}
        rows.append({"id": thing, "question": f"When was the {thing} opened?", **known})
    place.questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


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


def test_a_better_template_is_found_proven_and_used_and_a_killed_run_pays_nothing_twice(
    place: Place, variants: Path
) -> None:
    options = TuningOptions(templates=("query/ask",), variants=variants, tolerance=Tolerance(more_calls=2))
    engine, plans, out = place.engine, list[TuningPlan](), place.root / "out"
    engine.dies_at = 50
    with pytest.raises(KeyboardInterrupt):
        place.tuned("out", options, on_plan=plans.append)
    assert (plans[0].reflect, plans[0].select, plans[0].test) == (6, 12, 12)
    assert engine.calls == 50
    engine.dies_at = None
    report = place.tuned("out", options)
    result = report.result
    assert result.ending is Ending.ADOPTED
    fates = {"better": Fate.FINALIST, "blind": Fate.REFUSED, "injection": Fate.REFUSED, "same": Fate.SAME}
    assert {variant.name: variant.fate for variant in result.tried} == fates
    assert report.usage.unanswered == 1  # the call under way when it was killed counts, and was made again
    assert report.usage.calls == (out / "ledger.jsonl").read_text(encoding="utf-8").count('"unanswered":1')
    before = engine.calls
    assert place.tuned("out", options).result == result
    assert engine.calls == before
    assert MAGIC in (out / "prompts" / "query" / "ask.j2").read_text(encoding="utf-8")
    with pytest.raises(UserError, match="the test set of this data was used"):
        place.tuned("again", options.changed(seed=5))
    with pytest.raises(UserError, match="contains another tuning run"):
        place.tuned("out", options.changed(seed=5, reopen=True))


def test_a_ceiling_of_nothing_shows_the_plan_and_asks_nothing(place: Place, variants: Path) -> None:
    events = list[Event]()
    (place.folder / "bridge07.txt").unlink()
    options = TuningOptions(templates=("query/ask",), variants=variants, max_calls=0)
    report = place.tuned("out", options, tell=events.append)
    assert (report.result.ending, place.engine.calls, report.usage.calls) == (Ending.CEILING, 0, 0)
    assert report.plan.expected.calls > 0
    assert Notice(text="1 of 30 right documents are not in the folder, such as bridge07.txt.") in events
    free = place.tuned("free", options.changed(max_calls=None, max_money=0))
    assert (free.result.ending, place.engine.calls) == (Ending.CEILING, 0)
    assert place.tuned("low", options.changed(max_calls=7)).result.ending is Ending.CEILING
    assert place.engine.calls <= 7


def test_a_ceiling_of_money_takes_the_price_from_the_user_s_own_table(place: Place, variants: Path) -> None:
    table, price = place.root / "prices.json", {"model": "own:model", "input": 1, "output": 1}
    table.write_text(json.dumps({"as_of": "2026-11-22", "prices": [price]}), encoding="utf-8")
    place.engine.name = "own:model"
    options = TuningOptions(templates=("query/ask",), variants=variants, max_calls=0, max_money=1)
    with pytest.raises(SettingsError, match="no price is known for own:model"):
        place.tuned("out", options)
    report = place.tuned("out", options, f"budget.prices={table}")
    assert (bool(report.plan.expected.unpriced), place.engine.calls) == (False, 0)


ROUNDS = TuningOptions(space={"research.rounds": ("2",)})


def test_what_cannot_be_tuned_is_refused_before_anything_is_asked(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    gepa = TuningOptions(templates=("query/ask",), search="gepa")
    for options, words in (
        (gepa.changed(templates=("query/aks",)), "unknown template query/aks"),
        (TuningOptions(templates=("query/ask",)), "no candidates given"),
        (TuningOptions(search="gepa"), "no template given to change"),
        (TuningOptions(space={"research.nonsense": ("1", "2")}), "unknown setting research.nonsense"),
        (gepa.changed(search="unknown"), "unknown proposer 'unknown'"),
        (ROUNDS.changed(measure=Measure.FALSE_ANSWER), "it measures silence or errors"),
    ):
        with pytest.raises(SettingsError, match=words):
            place.tuned("out", options)
    with pytest.raises(TemplateError, match="contains no template variants"):
        place.tuned("out", TuningOptions(templates=("query/ask",), variants=place.root / "none"))
    with pytest.raises(SettingsError, match="the proposer gepa needs a language model"):
        place.tuned("out", gepa, engine=None)
    monkeypatch.setattr(proposing, "find_spec", lambda _: None)
    with pytest.raises(SettingsError, match="gepa needs the package gepa"):
        place.tuned("out", gepa)
    with FileLock(place.root / "out" / "lock"), pytest.raises(UserError, match="another process is tuning in"):
        place.tuned("out", ROUNDS)
    bare = "".join(f'{{"id": "{n}", "question": "When was the bridge{n:02} opened?"}}\n' for n in range(30))
    for rows, words in ((bare[: bare.index("\n")], "1 question cannot fill"), (bare, "no question has a known answer")):
        place.questions.write_text(rows, encoding="utf-8")
        with pytest.raises(DataError, match=words) as refused:
            place.tuned("out", ROUNDS, workspace=place.root / "unread")
    assert refused.value.hint == ADD_ANSWERS
    assert not (place.root / "unread" / "index.db").exists()  # nothing was read or embedded before
    assert place.engine.calls == 0


def test_if_no_candidate_may_be_tried_nothing_is_asked_and_the_command_fails(place: Place, variants: Path) -> None:
    (variants / "better.j2").unlink()
    report = place.tuned("out", TuningOptions(templates=("query/ask",), variants=variants))
    assert (report.result.ending, place.engine.calls) == (Ending.NONE_TRIED, 0)
    assert report.result.reason.startswith("3 candidates. blind: ")
    done = place.command("other", "query/ask", "--variants", variants)
    assert done.exit_code == 1
    assert "No candidate could be tried." in done.stdout
    assert "The built-in finder reads no templates" in done.stderr


def test_the_command_shows_its_plan_and_wants_a_ceiling_for_a_model(place: Place) -> None:
    done = place.command("out", "--max-calls", 0)
    assert "plan: candidates: 8;" in done.stderr  # the common ones, since none is named
    values = ("--vary", "research.threshold=10,20", "--vary", "retrieval.passages=3,5")
    done = place.command("other", *values, "--max-calls", 0)
    assert done.exit_code == 0
    assert "plan: questions: 6 for reflection, 12 for selection, 12 for a single test" in done.stderr
    assert "plan: candidates: 4;" in done.stderr
    assert "Stopped at the ceiling." in done.stdout
    sharded = place.command("other", "--max-calls", 0, "--set", "cluster.address=local")
    assert (sharded.exit_code, "tuning uses a single index" in sharded.stderr) == (2, True)
    refused = place.command("other", "query/ask", "--model", "openai:x")
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
