"""Two sides on the same questions: the pairing, the conclusions, and the effect of repetitions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import command
from printed import printed

from investigator import ScriptedEmbedder
from investigator.asking.templates import source_of
from investigator.errors import EngineError, SettingsError
from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question, read_questions
from investigator.evaluation.results import Judgement
from investigator.records import AnswerStatus, Prompt, Reply, Usage
from investigator.resources import prompts_folder
from investigator.tuning.bench import FolderBench, Setup, side_of
from investigator.tuning.candidates import Variant
from investigator.tuning.comparison import ComparedSide, Comparison, compare, compared
from investigator.tuning.tables import comparison_text

NOTHING = {
    "planner/plan": '{"parts": [], "wordings": ["other words"], "steps": []}',
    "query/ask": '{"readings": []}',
    "reflection/reflect": '{"known": [], "unknown": [], "wordings": []}',
    "answer/answer": '{"lead": null, "details": [], "parts": []}',
    "answer/check": '{"statements": []}',
}
"""Replies by which nothing is found."""


def outcomes(values: Sequence[float | None], calls: int = 2) -> dict[str, Outcome]:
    """Return one outcome for each value; None is a question that failed."""
    return {
        f"q{n}": Outcome(id=f"q{n}", failure="gone")
        if value is None
        else Outcome(
            id=f"q{n}",
            run_id=f"run-{n}",
            status=AnswerStatus.ANSWERED,
            scores={Measure.RIGHT: value},
            cost=Usage(calls=calls),
        )
        for n, value in enumerate(values)
    }


def put_together(first: Sequence[dict[str, Outcome]], second: Sequence[dict[str, Outcome]]) -> Comparison:
    questions = [Question(id=name, question=f"What is {name}?") for name in first[0]]
    sides = (ComparedSide(name="old"), ComparedSide(name="new"))
    return compared(questions, sides, (first, second), Measure.RIGHT, seed=0)


def test_a_clear_difference_is_called_one_and_its_examples_are_listed() -> None:
    result = put_together([outcomes([0.0] * 12 + [1.0] * 28)], [outcomes([1.0] * 40, calls=3)])
    row = result.rows[Measure.RIGHT]
    assert (row.higher, row.lower, row.equal) == (12, 0, 28)
    assert result.verdict == "new is better than old: 30.0 points, p = 0.00049."
    assert [each.is_changed for each in result.asked] == [True] * 12 + [False] * 28
    first = result.asked[0]
    assert (first.values, first.first.judgement, first.second.judgement) == (
        (0.0, 1.0),
        Judgement.WRONG,
        Judgement.RIGHT,
    )
    assert result.rows[Cost.CALLS].difference.value == 1
    assert (result.first.cost.calls, result.second.cost.calls) == (80, 120)


def test_fewer_calls_and_seconds_are_better() -> None:
    shown = comparison_text(put_together([outcomes([1.0] * 4, calls=3)], [outcomes([1.0] * 4, calls=2)])).plain
    heading, calls = (
        next(line for line in shown.splitlines() if line.startswith(name)) for name in ("measure", "calls")
    )
    assert heading.endswith("B better  B worse  equal")
    assert calls.split()[-3:] == ["4", "0", "0"]


def test_too_few_examples_are_called_that_with_the_number_it_takes() -> None:
    result = put_together([outcomes([0.0] * 3 + [1.0] * 17)], [outcomes([1.0] * 20)])
    assert result.verdict.startswith("Not enough questions to tell: ")
    same = put_together([outcomes([1.0] * 20)], [outcomes([1.0] * 20)])
    assert same.verdict.startswith("No difference was found; 20 questions can show one of about ")


def test_a_question_that_failed_on_one_side_counts_on_neither() -> None:
    result = put_together([outcomes([1.0, None, 0.0])], [outcomes([None, 1.0, 0.0])])
    assert (result.questions, result.first.failures, result.second.failures) == (1, 1, 1)


def test_repetitions_give_the_noise() -> None:
    result = put_together([outcomes([1.0, 1.0, 0.0, 0.0]), outcomes([1.0, 0.0, 0.0, 0.0])], [outcomes([1.0] * 4)] * 2)
    assert (result.first.spread, result.second.spread) == (0.25, 0.0)
    assert Comparison.model_validate_json(result.model_dump_json()) == result


def test_a_candidate_is_known_by_what_it_is_and_not_by_its_name() -> None:
    texts = {"query/ask": "Ask.", "answer/check": "Check."}
    first = Variant(name="first", templates=texts, settings=("research.rounds=2", "research.threshold=9"))
    reverse = dict(reversed(texts.items()))
    other = Variant(name="other", templates=reverse, settings=("research.threshold=9", "research.rounds=2"))
    assert first.key == other.key != Variant(name="first", templates=texts).key


def test_a_side_is_a_folder_a_file_changes_or_a_model(tmp_path: Path) -> None:
    base = Setup(model=("openai:x",), overrides=("research.rounds=2",))
    file = tmp_path / "fast.toml"
    file.write_text("[research]\nrounds = 1\n", encoding="utf-8")
    assert side_of("default", base) == base
    assert side_of(str(tmp_path), base).prompts == tmp_path
    assert side_of(str(file), base).settings_file == file
    changes = side_of("research.threshold=5 retrieval.passages=3", base).overrides
    assert changes == ("research.rounds=2", "research.threshold=5", "retrieval.passages=3")
    assert side_of("gguf:/models/a.gguf", base).model == ("gguf:/models/a.gguf",)
    assert side_of("ask=openai:y", base).model == ("ask=openai:y",)
    with pytest.raises(SettingsError, match="cannot be compared"):
        side_of("no/such/folder", base)


@pytest.fixture
def options(folder: Path, questions_file: Path, tmp_path: Path) -> tuple[object, ...]:
    return "--docs", folder, "--questions", questions_file, "--workspace", tmp_path / "space", "--limit", 1


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model that finds nothing."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps(NOTHING), encoding="utf-8")
    return f"scripted:{script}"


def test_the_command_compares_models_and_writes_a_page(
    options: tuple[object, ...], model: str, folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "comparison.html"
    done = command("compare", "default", model, *options, "--report", page)
    text = page.read_text(encoding="utf-8")
    assert done.exit_code == 0
    assert "answers are judged by: evidence is quoted 1" in done.stdout
    assert all("correctly answered or correctly silent" in shown for shown in (done.stdout, text))
    assert "http" not in text.replace("http-equiv", "")
    assert all("The mill was opened" in shown for shown in (done.stdout, text))
    again = command("compare", "default", model, *options, "--json")
    assert (again.exit_code, "1 of 1 outcomes already exist" in again.stderr) == (0, True)
    record = printed(Comparison, again.stdout)
    (example,) = record.asked
    assert (record.questions, example.second.status) == (1, AnswerStatus.NOT_FOUND)
    assert command("show", example.second.run_id, folder, *options[4:6]).exit_code in (0, 3, 4, 5)


def test_own_templates_without_a_model_are_said_to_change_nothing(
    options: tuple[object, ...], model: str, tmp_path: Path
) -> None:
    own = tmp_path / "own" / "query" / "ask.j2"
    own.parent.mkdir(parents=True)
    own.write_text(source_of(prompts_folder() / "query" / "ask.j2") + "Be brief.", encoding="utf-8")
    folder, notice = tmp_path / "own", "The built-in finder reads no templates"
    asked = [option for option in options if option != "--docs"]
    for words in (("compare", "default", folder, *options), ("eval", "--prompts", folder, *asked)):
        done = command(*words)
        assert (done.exit_code, done.stderr.count(notice)) == (0, 1)
        done = command(*words, "--model", model)
        assert (done.exit_code, notice in done.stderr) == (0, False)
    assert notice not in command("eval", *asked).stderr
    assert notice in command("compare", "default", folder, *options).stdout


class CountsTokens:
    """An engine that finds nothing, and counts a token for each character."""

    name = "scripted:counting"

    def reply(self, prompt: Prompt) -> Reply:
        return Reply(text=NOTHING[prompt.template], input_tokens=len(prompt.text))


def test_templates_that_no_prompt_was_made_with_are_said_to_be_unused(
    folder: Path, questions_file: Path, tmp_path: Path
) -> None:
    def notice(template: str) -> str:
        place = tmp_path / template.partition("/")[0] / f"{template}.j2"
        place.parent.mkdir(parents=True)
        place.write_text(source_of(prompts_folder() / f"{template}.j2") + "Be brief.", encoding="utf-8")
        quick = Setup(overrides=("research.effort=quick",))
        sides = (("shipped", quick), ("own", quick.changed(prompts=place.parents[1])))
        bench = FolderBench(folder, workspace=tmp_path / "w", embedder=ScriptedEmbedder(), engine=CountsTokens())
        return compare(*sides, read_questions(questions_file)[:1], bench).notice

    assert notice("answer/answer").startswith("The templates differ, but")
    assert notice("query/ask") == ""


class AnswersEveryThird:
    """An engine that finds nothing, and fails two times out of three."""

    name = "scripted:third"

    def __init__(self) -> None:
        self.calls = 0

    def reply(self, prompt: Prompt) -> Reply:
        self.calls += 1
        if self.calls % 3:
            raise EngineError("the server is down")
        return Reply(text=NOTHING[prompt.template])


def test_a_model_that_often_fails_is_asked_again_and_nothing_is_paid_twice(
    folder: Path, questions_file: Path, tmp_path: Path
) -> None:
    engine = AnswersEveryThird()
    bench = FolderBench(folder, workspace=tmp_path / "space", embedder=ScriptedEmbedder(), engine=engine)
    questions = read_questions(questions_file)[:3]
    sides = (("first", Setup()), ("second", Setup(overrides=("research.threshold=49",))))
    result = compare(*sides, questions, bench)
    assert result.first.failures > 0  # reported, and counted on neither side
    while result.first.failures or result.second.failures:
        result = compare(*sides, questions, bench)
    assert result.questions == 3
    paid = engine.calls // 3
    assert paid == result.first.cost.calls == result.second.cost.calls  # the second side found the replies of the first
    before = engine.calls
    assert compare(*sides, questions, bench) == result
    assert engine.calls == before
