"""A standing question is asked anew only if a change in the folder may change its answer."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from power_plants import ABSENT, ALL, index, read, write_folder

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.engines.base import Traits
from investigator.errors import EngineError
from investigator.records import AskedAnew, BatchEnded, Change, Prompt, StandingUpdate

CEDAR = "How much power does the Cedar plant make?"
SETTINGS = ("research.whole_tokens=0", "research.planner.documents=1")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder and its index."""
    at = tmp_path_factory.mktemp("plants")
    index(write_folder(at / "folder"), at / "workspace")
    return at


@pytest.fixture
def place(prepared: Path, tmp_path: Path) -> Path:
    return shutil.copytree(prepared, tmp_path / "place")


def opened(place: Path, engine: ScriptedEngine) -> Investigator:
    return Investigator(
        place / "folder",
        model=engine,
        settings=load_settings(None, SETTINGS),
        workspace=place / "workspace",
        embedder=ScriptedEmbedder(),
    )


def updated(place: Path, *questions: str) -> tuple[StandingUpdate, int]:
    """Return an update, and how many prompts it sent."""
    engine = ScriptedEngine(read, traits=Traits(is_model=True, concurrency=1))
    *_, last = opened(place, engine).update_standing(questions)
    assert isinstance(last, BatchEnded)
    assert isinstance(last.outcome, StandingUpdate)
    return last.outcome, len(engine.asked)


def said(asked: AskedAnew) -> tuple[Sequence[str], Sequence[str]]:
    """Return the quotes before and now."""
    assert asked.answer is not None
    before = [quote.text for quote in asked.earlier.citations] if asked.earlier is not None else []
    return before, [quote.text for quote in asked.answer.citations]


def write(place: Path, name: str, text: str) -> None:
    (place / "folder" / name).write_text(text, encoding="utf-8")


def test_the_answer_to_a_changed_document_is_shown_with_the_earlier_one_and_others_stand(place: Path) -> None:
    first, _ = updated(place, CEDAR, ABSENT)
    assert [each.differs for each in first.asked] == [True, True]
    assert updated(place, CEDAR, ABSENT)[0].is_empty
    write(place, "cedar.txt", "The Cedar plant was opened in 1982. It makes 99 MW of power.")
    update, calls = updated(place, CEDAR, ABSENT)
    (asked,) = update.asked
    assert said(asked) == (["It makes 42 MW of power."], ["It makes 99 MW of power."])
    assert [change.document_id for change in asked.because] == ["cedar.txt"]
    assert (update.kept, update.is_news, calls > 0) == ((ABSENT,), True, True)
    assert asked.earlier is not None
    assert asked.earlier.run.id == first.asked[0].answer.run.id  # type: ignore[union-attr]
    again, calls = updated(place, CEDAR, ABSENT)
    assert (again.is_empty, calls) == (True, 0)


def test_a_document_that_is_neither_cited_nor_a_candidate_costs_no_call(place: Path) -> None:
    updated(place, CEDAR)
    write(place, "letter2.txt", "Dear Anna, it rained all day.")
    write(place, "menu.txt", "Soup of the day: leek and potato.")
    (place / "folder" / "letter3.txt").unlink()
    update, calls = updated(place, CEDAR)
    assert {(each.document_id, each.change) for each in update.documents} == {
        ("letter2.txt", Change.CHANGED),
        ("letter3.txt", Change.GONE),
        ("menu.txt", Change.NEW),
    }
    assert (update.asked, update.kept, calls) == ((), (CEDAR,), 0)


def test_a_question_that_was_not_found_is_asked_again_when_something_new_may_answer_it(place: Path) -> None:
    updated(place, ABSENT)
    write(place, "opera.txt", "Vienna's opera ceiling was painted by Anna Lind; she painted it in 1955.")
    update, calls = updated(place, ABSENT)
    (asked,) = update.asked
    assert [(each.document_id, each.change) for each in asked.because] == [("opera.txt", Change.NEW)]
    assert calls > 0


@pytest.mark.parametrize("renamed", [False, True])
def test_a_cited_document_that_is_gone_or_has_another_name_is_not_cited_any_more(place: Path, renamed: bool) -> None:
    updated(place, CEDAR)
    cedar = place / "folder" / "cedar.txt"
    if renamed:
        cedar.rename(cedar.with_name("cedar2.txt"))
    else:
        cedar.unlink()
    (asked,) = updated(place, CEDAR)[0].asked
    assert asked.answer is not None
    assert {quote.document_id for quote in asked.answer.citations} == ({"cedar2.txt"} if renamed else set())
    assert asked.differs is not renamed  # the words are the same


def test_only_the_current_questions_are_asked_and_a_new_one_at_once(place: Path) -> None:
    updated(place, CEDAR, ALL)
    write(place, "cedar.txt", "The Cedar plant is closed.")
    update, _ = updated(place, ABSENT, CEDAR)
    assert {each.question for each in update.asked} == {ABSENT, CEDAR}
    returned, _ = updated(place, ABSENT, CEDAR, ALL)  # its answer is older than the last update
    assert [each.question for each in returned.asked] == [ALL]


def test_an_update_that_was_not_reported_to_its_end_is_reported_again(place: Path) -> None:
    updated(place, CEDAR)
    write(place, "cedar.txt", "The Cedar plant was opened in 1982. It makes 99 MW of power.")
    engine = ScriptedEngine(read, traits=Traits(is_model=True, concurrency=1))
    for event in opened(place, engine).update_standing([CEDAR]):
        if isinstance(event, BatchEnded):
            break  # as if the process were killed while it prints
    update, calls = updated(place, CEDAR)
    assert said(update.asked[0]) == (["It makes 42 MW of power."], ["It makes 99 MW of power."])
    assert calls == 0
    assert updated(place, CEDAR)[0].is_empty


def test_a_question_that_failed_is_asked_again_and_keeps_its_earlier_answer(place: Path) -> None:
    def failing(prompt: Prompt) -> str:
        if "Cedar" in prompt.text.partition("<document")[0]:
            raise EngineError("the server is away")
        return read(prompt)

    updated(place, CEDAR, ABSENT)
    write(place, "cedar.txt", "The Cedar plant was opened in 1982. It makes 99 MW of power.")
    broken = opened(place, ScriptedEngine(failing, traits=Traits(is_model=True, concurrency=1)))
    *_, last = broken.update_standing([CEDAR, ABSENT])
    assert isinstance(last, BatchEnded)
    assert isinstance(last.outcome, StandingUpdate)
    assert ["away" in each.failure for each in last.outcome.asked] == [True]
    assert {words.partition(" 20")[0] for words in broken.standing().values()} == {"update failed", "updated"}
    (asked,) = updated(place, CEDAR, ABSENT)[0].asked
    assert said(asked) == (["It makes 42 MW of power."], ["It makes 99 MW of power."])
