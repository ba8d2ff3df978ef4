"""A matrix of documents and questions is one run: a document is read once for all questions."""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from power_plants import NAMES, index, read, write_folder

from investigator import Investigator, RunOptions, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.engines.base import Traits
from investigator.errors import EngineError, FolderError, NotFoundError, QuestionError
from investigator.records import AnswerStatus, CellStatus, Progressed, Prompt, Support

POWER = "How much power does the plant make?"
WEATHER = "How was the weather?"
MODEL = Traits(is_model=True, concurrency=4)
Made = Callable[..., tuple[Investigator, ScriptedEngine]]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder and its index."""
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    (folder / "empty.txt").write_text("", encoding="utf-8")
    return folder, index(folder, at / "workspace")


@pytest.fixture
def made(prepared: tuple[Path, Path], tmp_path: Path) -> Made:
    """Return an investigator of the folder and its reader."""
    folder, workspace = prepared
    shutil.copytree(workspace, tmp_path / "workspace")

    def make(script: Callable[[Prompt], str] = read, *settings: str) -> tuple[Investigator, ScriptedEngine]:
        engine = ScriptedEngine(script, traits=MODEL)
        chosen = load_settings(None, settings)
        embedder = ScriptedEmbedder()
        investigator = Investigator(
            folder, model=engine, settings=chosen, workspace=tmp_path / "workspace", embedder=embedder
        )
        return investigator, engine

    return make


def test_a_document_is_read_once_for_all_questions_and_its_cells_are_checked_with_nine_others(made: Made) -> None:
    investigator, engine = made()
    matrix = investigator.matrix([POWER, WEATHER, POWER])
    assert matrix.questions == (POWER, WEATHER)
    letters = [f"letter{number}.txt" for number in (1, 2, 3)]
    assert [row.id for row in matrix.documents] == sorted([*(f"{name}.txt" for name in NAMES), "empty.txt", *letters])
    for document, _, (power, weather) in matrix.rows():
        assert (power.document_id, power.question, weather.question) == (document.id, 1, 2)
        assert {quote.document_id for quote in power.quotes} <= {document.id}
        if document.id == "empty.txt":
            assert (power.status, power.reason) == (CellStatus.NOT_READ, "nothing to read: the file is empty")
        elif document.id.startswith("letter"):
            assert power.status is CellStatus.NOT_STATED
        else:
            assert (power.status, power.support) == (CellStatus.STATED, Support.SUPPORTED)
            assert power.text in power.quotes[0].text
            assert power.text.endswith("MW")
    assert Counter(prompt.template for prompt in engine.asked) == {"query/row": 9, "answer/check": 1}
    assert matrix.checked_by == engine.name


def test_a_matrix_that_was_made_is_not_paid_for_again(made: Made) -> None:
    first, _ = made()
    before = first.matrix([POWER])
    second, engine = made()
    again = second.matrix([POWER])
    assert engine.asked == []
    assert again == before.changed(seconds=again.seconds)
    assert made()[0].matrix([POWER], RunOptions(fresh=True)).id != before.id


def test_documents_are_read_side_by_side_and_the_progress_counts_them(made: Made) -> None:
    together = threading.Barrier(2)

    def slow(prompt: Prompt) -> str:
        if prompt.template == "query/row" and "alder" not in prompt.text:
            together.wait(timeout=10)  # eight of them come in pairs, or this fails
        return read(prompt)

    investigator, _ = made(slow)
    events = [event for event in investigator.investigate_matrix([POWER]) if isinstance(event, Progressed)]
    steps = dict.fromkeys((event.phase, event.done, event.total) for event in events)  # a checked row counts once
    assert list(steps) == [("documents", n, 9) for n in range(1, 10)]
    assert events[0].about == ("alder.txt", "1 stated")


def test_a_limit_of_seconds_holds_over_all_processes(made: Made) -> None:
    def slow(prompt: Prompt) -> str:
        time.sleep(0.1)
        return read(prompt)

    first, _ = made(slow, "budget.seconds=0.3", "research.concurrency=1")
    assert first.matrix([POWER]).count(CellStatus.NOT_READ) > 1
    second, engine = made(slow, "budget.seconds=0.3", "research.concurrency=1")
    second.matrix([POWER])
    assert engine.asked == []


def test_a_limit_of_calls_holds_over_all_processes_and_a_higher_one_goes_on(made: Made) -> None:
    limited, engine = made(read, "budget.calls=5")
    matrix = limited.matrix([POWER])
    assert (len(engine.asked), matrix.usage.calls) == (5, 5)
    assert matrix.count(CellStatus.NOT_READ) > 1
    assert any("limit on calls" in cell.reason for cell in matrix.cells)
    again, engine = made(read, "budget.calls=5")
    again.matrix([POWER])
    assert engine.asked == []  # no second budget
    free, engine = made()
    assert free.matrix([POWER]).count(CellStatus.NOT_READ) == 1  # the empty one
    assert len(engine.asked) == 5


def test_a_matrix_is_one_run_that_is_shown_and_listed_but_is_not_last(made: Made) -> None:
    investigator, _ = made()
    investigator.ask("How much power does the Oak plant make?")
    matrix = investigator.matrix([POWER, WEATHER])
    listed, single = investigator.runs()
    assert (listed.id, listed.question, listed.calls) == (matrix.id, f"{POWER}\n{WEATHER}", 10)
    assert listed.answer_status is AnswerStatus.ANSWERED_IN_PART  # nothing is said about the weather
    record = investigator.show(matrix.id)
    assert record.answer is not None
    assert {quote for cell in matrix.cells for quote in cell.quotes} == set(record.answer.citations)
    assert "40 MW [1]" in record.answer.text
    assert record.answer.coverage.unreadable[0].path == "empty.txt"
    assert investigator.show("last").id == single.id
    with pytest.raises(NotFoundError, match="is a matrix"):
        investigator.replay(matrix.id)


def test_the_same_words_asked_of_the_folder_are_another_run(made: Made) -> None:
    investigator, _ = made()
    investigator.ask(POWER)
    assert investigator.matrix([POWER]).usage.calls == 10
    assert len(investigator.runs()) == 2


def test_a_reading_that_fails_leaves_the_others_and_is_tried_again(made: Made) -> None:
    def failing(prompt: Prompt) -> str:
        if prompt.template == "query/row" and "cedar" in prompt.text:
            raise EngineError("the server has a problem with cedars")
        return read(prompt)

    investigator, _ = made(failing)
    matrix = investigator.matrix([POWER])
    (cedar,) = (cell for cell in matrix.cells if cell.document_id == "cedar.txt")
    assert (cedar.status, cedar.reason) == (CellStatus.NOT_READ, "the server has a problem with cedars")
    assert (matrix.failed, matrix.count(CellStatus.STATED)) == (1, 5)
    again, engine = made()
    after = again.matrix([POWER])
    assert (after.failed, after.count(CellStatus.STATED)) == (0, 6)
    assert all("cedar" in prompt.text for prompt in engine.asked)


def test_a_server_that_is_down_ends_the_matrix(made: Made) -> None:
    def down(_: Prompt) -> str:
        raise EngineError("the server is down")

    investigator, _ = made(down)
    with pytest.raises(EngineError, match="down"):
        investigator.matrix([POWER])


def test_a_new_document_costs_its_own_reading_and_a_check(
    made: Made, prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(prepared[0], tmp_path / "grown")
    engine = ScriptedEngine(read, traits=MODEL)
    options = {"model": engine, "embedder": ScriptedEmbedder(), "workspace": tmp_path / "own"}
    Investigator(folder, **options).matrix([POWER])
    before = len(engine.asked)
    (folder / "yew.txt").write_text("The Yew plant was opened in 1999. It makes 49 MW of power.", encoding="utf-8")
    matrix = Investigator(folder, **options).matrix([POWER])
    assert matrix.count(CellStatus.STATED) == 7
    assert [p.variables.document.document_id for p in engine.asked[before:] if p.template == "query/row"] == ["yew.txt"]


def test_a_file_that_changed_since_it_was_indexed_is_read_again_first(made: Made, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "changed")
    options = {"embedder": ScriptedEmbedder(), "workspace": tmp_path / "own"}
    Investigator(folder, model=ScriptedEngine(read, traits=MODEL), **options).matrix([POWER])
    (folder / "oak.txt").write_text("The Oak plant was opened in 1985. It makes 99 MW of power.", encoding="utf-8")
    matrix = Investigator(folder, model=ScriptedEngine(read, traits=MODEL), **options).matrix([POWER])
    assert "99 MW" in [cell.text for cell in matrix.cells]


def test_only_names_documents_by_id_or_pattern(made: Made) -> None:
    investigator, _ = made()
    assert [entry.id for entry in investigator.matrix([POWER], RunOptions(only=("letter*", "oak.txt"))).documents] == [
        *("letter1.txt", "letter2.txt", "letter3.txt", "oak.txt")
    ]
    with pytest.raises(FolderError, match=r"unknown document okk\.txt") as raised:
        investigator.matrix([POWER], RunOptions(only=("okk.txt",)))
    assert "oak.txt" in raised.value.hint


def test_no_question_is_an_error(made: Made) -> None:
    investigator, _ = made()
    with pytest.raises(QuestionError):
        investigator.matrix([])
    with pytest.raises(QuestionError):
        investigator.matrix([POWER, " "])


def test_without_a_model_a_cell_shows_passages_that_nobody_has_judged(
    prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    matrix = Investigator(prepared[0], workspace=tmp_path / "w").matrix([POWER])
    by_document = {cell.document_id: cell for cell in matrix.cells}
    for number, name in enumerate(NAMES):
        cell = by_document[f"{name}.txt"]
        assert (cell.status, f"{40 + number} MW" in cell.text) == (CellStatus.PASSAGES, True)
    assert matrix.count(CellStatus.STATED) == 0
    assert matrix.checked_by == ""


def test_the_check_can_be_switched_off(made: Made) -> None:
    investigator, engine = made(read, "check=off")
    matrix = investigator.matrix([POWER])
    assert {prompt.template for prompt in engine.asked} == {"query/row"}
    assert {cell.support for cell in matrix.cells if cell.status is CellStatus.STATED} == {Support.UNCHECKED}
