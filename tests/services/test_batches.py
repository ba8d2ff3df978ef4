"""Many questions over one folder: a matrix of documents and questions, and questions to the folder as a whole."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from power_plants import ALL, NAMES, index, judged, write_folder

from investigator import Investigator, RunOptions, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.engines.base import Traits
from investigator.errors import EngineError, FolderError, QuestionError
from investigator.records import AskedQuestions, BatchEnded, CellStatus, Event, Matrix, Notice, Progressed, Prompt
from investigator.reports.terminal import runs_text

POWER = "How much power does the plant make?"
WEATHER = "How was the weather?"
MODEL = Traits(is_model=True, concurrency=4)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder and its index."""
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    (folder / "empty.txt").write_text("", encoding="utf-8")
    return folder, index(folder, at / "workspace")


Made = Callable[..., Investigator]


@pytest.fixture
def made(prepared: tuple[Path, Path], tmp_path: Path) -> Made:
    """Return an investigator of the folder, whose model judges sensibly, or follows a script."""
    folder, workspace = prepared
    shutil.copytree(workspace, tmp_path / "workspace")

    def make(script: Callable[[Prompt], str] = lambda prompt: json.dumps(judged(prompt.text)), *settings: str):
        engine = ScriptedEngine(script, traits=MODEL)
        options = {"settings": load_settings(None, settings), "workspace": tmp_path / "workspace"}
        return Investigator(folder, model=engine, embedder=ScriptedEmbedder(), **options), engine

    return make


def ended(events: list[Event]) -> Matrix | AskedQuestions:
    assert isinstance(events[-1], BatchEnded)
    return events[-1].outcome


def test_each_document_answers_for_itself(made: Made) -> None:
    investigator, engine = made()
    matrix = investigator.matrix([POWER, WEATHER, POWER])
    assert matrix.questions == (POWER, WEATHER)
    assert [document.id for document in matrix.documents] == sorted(
        [*(f"{name}.txt" for name in NAMES), "empty.txt", "letter1.txt", "letter2.txt", "letter3.txt"]
    )
    for number, document in enumerate(matrix.documents):
        power, weather = matrix.row(number)
        assert (power.document_id, power.question, weather.question) == (document.id, 1, 2)
        assert {quote.document_id for quote in power.quotes} <= {document.id}
        if document.id == "empty.txt":
            assert (power.status, power.reason[:5]) == (CellStatus.NOT_READ, "empty")
        elif document.id.startswith("letter"):
            assert power.status is CellStatus.NOT_STATED
        else:
            assert power.status is CellStatus.STATED
            assert power.value in power.quotes[0].text
            assert power.value.endswith("MW")
    asked = Counter(prompt.template for prompt in engine.asked)
    assert asked["critical_thinking/think"] == 2  # once for each question, whatever the number of documents
    assert asked["planner/plan"] == 0
    assert asked["query/ask"] == 18


def test_a_matrix_that_was_made_is_not_paid_for_again(made: Made) -> None:
    first, _ = made()
    before = first.matrix([POWER])
    second, engine = made()
    events = list(second.investigate_matrix([POWER]))
    assert engine.asked == []
    assert ended(events) == before.changed(seconds=ended(events).seconds)
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == ["9 of 9 cells were answered earlier; their answers are kept."]


def test_cells_run_side_by_side_and_tell_how_far_they_are(made: Made) -> None:
    under_way, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(2)

    def slow(prompt: Prompt) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        if prompt.template == "query/ask" and "alder" not in prompt.text:
            together.wait(timeout=10)  # eight of them come in pairs, or this fails
        with lock:
            under_way -= 1
        return json.dumps(judged(prompt.text))

    investigator, _ = made(slow)
    events = [event for event in investigator.investigate_matrix([POWER]) if isinstance(event, Progressed)]
    assert 2 <= most <= MODEL.concurrency
    assert [event.done for event in events] == list(range(1, 10))
    assert {event.total for event in events} == {9}


def test_a_limit_of_seconds_holds_over_all_processes(made: Made) -> None:
    def slow(prompt: Prompt) -> str:
        time.sleep(0.1)
        return json.dumps(judged(prompt.text))

    first, _ = made(slow, "budget.seconds=0.3", "method.concurrency=1")
    assert first.matrix([POWER]).count(CellStatus.NOT_READ) > 1
    second, engine = made(slow, "budget.seconds=0.3", "method.concurrency=1")
    second.matrix([POWER])
    assert engine.asked == []


def test_a_matrix_is_one_line_among_the_runs_and_no_run_to_follow(made: Made) -> None:
    investigator, _ = made()
    investigator.ask("How much power does the Oak plant make?")
    investigator.matrix([POWER])
    *lines, last = runs_text(investigator.runs()).plain.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("matrix-")
    assert "9 of 9 cells asked" in lines[0]
    assert "Oak" in last
    investigator.ask("How much does it make?", after="last")
    assert "Oak" in investigator.runs()[0].question


def test_a_ceiling_holds_over_all_cells_and_the_next_run_goes_on(made: Made) -> None:
    limited, engine = made(lambda prompt: json.dumps(judged(prompt.text)), "budget.calls=8")
    matrix = limited.matrix([POWER])
    assert len(engine.asked) == 8
    assert matrix.usage.calls == 8
    assert matrix.count(CellStatus.NOT_READ) > 1
    again, engine = made(lambda prompt: json.dumps(judged(prompt.text)), "budget.calls=8")
    again.matrix([POWER])
    assert engine.asked == []  # no second budget
    free, engine = made()
    assert free.matrix([POWER]).count(CellStatus.NOT_READ) == 1  # the empty one
    assert len(engine.asked) < 20


def test_a_cell_that_fails_leaves_the_others_and_is_tried_again(made: Made) -> None:
    def failing(prompt: Prompt) -> str:
        if prompt.template == "query/ask" and "cedar" in prompt.text:
            raise EngineError("the server has a problem with cedars")
        return json.dumps(judged(prompt.text))

    investigator, _ = made(failing)
    matrix = investigator.matrix([POWER])
    (cedar,) = (cell for cell in matrix.cells if cell.document_id == "cedar.txt")
    assert (cedar.status, cedar.reason) == (CellStatus.NOT_READ, "the server has a problem with cedars")
    assert (matrix.failed, matrix.count(CellStatus.STATED)) == (1, 5)
    again, engine = made()
    assert again.matrix([POWER]).count(CellStatus.STATED) == 6
    assert all("cedar" in prompt.text for prompt in engine.asked)


def test_a_server_that_is_down_ends_the_matrix(made: Made) -> None:
    def down(_: Prompt) -> str:
        raise EngineError("the server is down")

    investigator, _ = made(down)
    with pytest.raises(EngineError, match="down"):
        investigator.matrix([POWER])


def test_a_new_document_costs_its_own_cells_only(made: Made, prepared: tuple[Path, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(prepared[0], tmp_path / "grown")
    engine = ScriptedEngine(lambda prompt: json.dumps(judged(prompt.text)), traits=MODEL)
    options = {"model": engine, "embedder": ScriptedEmbedder(), "workspace": tmp_path / "own"}
    Investigator(folder, **options).matrix([POWER])
    before = len(engine.asked)
    (folder / "yew.txt").write_text("The Yew plant was opened in 1999. It makes 49 MW of power.", encoding="utf-8")
    matrix = Investigator(folder, **options).matrix([POWER])
    assert matrix.count(CellStatus.STATED) == 7
    assert all("yew.txt" in p.text for p in engine.asked[before:] if p.template == "query/ask")


def test_only_names_documents_by_id_or_pattern(made: Made) -> None:
    investigator, _ = made()
    assert [d.id for d in investigator.matrix([POWER], RunOptions(only=("letter*", "oak.txt"))).documents] == [
        *("letter1.txt", "letter2.txt", "letter3.txt", "oak.txt")
    ]
    with pytest.raises(FolderError, match=r"unknown document okk\.txt") as raised:
        investigator.matrix([POWER], RunOptions(only=("okk.txt",)))
    assert "oak.txt" in raised.value.hint


def test_a_question_that_is_limited_to_a_document_is_answered_from_it_alone(made: Made) -> None:
    investigator, engine = made()
    answer = investigator.ask(ALL, only=["birch.txt"])
    assert {quote.document_id for quote in answer.citations} == {"birch.txt"}
    assert answer.coverage.total == 1
    assert not any("alder" in prompt.text for prompt in engine.asked)
    (summary,) = investigator.runs()
    assert summary.scope == ("birch.txt",)
    assert investigator.replay(summary.id).same


def test_questions_of_the_whole_folder_share_one_index(made: Made) -> None:
    investigator, _ = made()
    asked = ended(list(investigator.investigate_all([ALL, WEATHER, ALL])))
    assert isinstance(asked, AskedQuestions)
    assert [outcome.question for outcome in asked.outcomes] == [ALL, WEATHER]
    answers = [outcome.investigation.answer for outcome in asked.outcomes if outcome.investigation]
    assert len({quote.document_id for quote in answers[0].citations}) > 1
    assert [answer.status.value for answer in answers][1].startswith("not_found")


def test_no_question_is_an_error(made: Made) -> None:
    investigator, _ = made()
    with pytest.raises(QuestionError):
        investigator.matrix([])
    with pytest.raises(QuestionError):
        investigator.matrix([POWER, " "])


def test_without_a_model_each_document_is_asked_too(prepared: tuple[Path, Path], tmp_path: Path) -> None:
    matrix = Investigator(prepared[0], embedder=ScriptedEmbedder(), workspace=tmp_path / "w").matrix([POWER])
    by_document = {cell.document_id: cell for cell in matrix.cells}
    assert all(f"{40 + n} MW" in by_document[f"{name}.txt"].answer for n, name in enumerate(NAMES))
    assert by_document["letter1.txt"].status is CellStatus.NOT_STATED


def test_a_property_of_a_document_is_answered_by_what_it_states_of_itself(tmp_path: Path) -> None:
    (tmp_path / "memo.txt").write_text("To: All staff\nDate: 7 April 2026\n\nFrom 1 May 2026 the car park closes.\n")
    (tmp_path / "story.txt").write_text("The mill had stood for many years when the great flood came to the valley.\n")
    matrix = Investigator(tmp_path).matrix(["What is the date of this document?", "When does the car park close?"])
    (dated, closes), (undated, _) = matrix.row(0), matrix.row(1)
    assert (dated.status, dated.value, dated.quotes[0].text) == (
        CellStatus.STATED,
        "7 April 2026",
        "Date: 7 April 2026",
    )
    assert (closes.status, closes.value) == (CellStatus.STATED, "1 May 2026")
    assert undated.status is CellStatus.NOT_STATED
    answer = Investigator(tmp_path).ask("What is the date of memo.txt?")
    assert [quote.text for quote in answer.citations] == ["Date: 7 April 2026"]
