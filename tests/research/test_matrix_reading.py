"""The rows of a matrix: each document is read once for all questions, and ten rows are checked in one call."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import cast

import pytest
from power_plant import check

from investigator import Investigator, ScriptedEngine
from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.records import (
    CellStatus,
    CheckVariables,
    MatrixCell,
    Prompt,
    RowVariables,
    ShownDocument,
    StopReason,
    Support,
    Trust,
)
from investigator.research.matrix import MatrixResearch
from investigator.research.research_settings import ResearchSettings
from investigator.retrieval.library import Library
from investigator.store.in_memory import InMemoryJournal

NAMES = tuple(f"p{number:02}.txt" for number in range(12))
TEXTS = {name: f"Plant {name[1:3]} is old. It makes {number + 40} MW." for number, name in enumerate(NAMES)}
QUESTIONS = ("How much power does it make?", "Who owns it?")
Replies = Callable[[ShownDocument], list[dict[str, object]]]


@pytest.fixture(scope="module")
def library(of_texts: Callable[..., Investigator]) -> Iterator[Library]:
    with of_texts(TEXTS).library() as opened:
        yield opened


def row(*, verdict: str = "answers", answer: str = "", quotes: list[str] | None = None, **fields: object) -> Replies:
    """Return a script: the output of the plant for the first question, nothing for the second."""

    def replies(document: ShownDocument) -> list[dict[str, object]]:
        (output,) = re.findall(r"It makes \d+ MW\.", document.passages[0].text)
        first = {"question": 1, "verdict": verdict, "answer": answer or output[9:-1]}
        return [
            {**first, "quotes": [output] if quotes is None else quotes, **fields},
            {"question": 2, "verdict": "not_stated", "quotes": [], "answer": "", "reason": ""},
        ]

    return replies


def all_supported(prompt: Prompt) -> str:
    return check(*["supported"] * len(cast(CheckVariables, prompt.variables).statements))


class Matrix:
    """A matrix over the plants, by an engine with scripted rows."""

    def __init__(
        self,
        library: Library,
        replies: Replies | str | Callable[[Prompt], str],
        checks: str | Callable[[Prompt], str] = all_supported,
        names: tuple[str, ...] = NAMES,
        **parts: object,
    ) -> None:
        rows = replies if isinstance(replies, str) else lambda prompt: _written(replies, prompt)
        self.engine = ScriptedEngine({"query/row": rows, "answer/check": checks})
        self.failures: dict[str, EngineError] = {}
        client = EngineClient(dict.fromkeys(Role, self.engine), Prompts(), InMemoryJournal(), lambda: 0.0)
        self.research = MatrixResearch(
            client,
            library,
            ResearchSettings(),
            "Fill the table.",
            **{"trust": Trust.UNGRADED, "on_failure": self.failures.__setitem__, **parts},  # type: ignore[arg-type]
        )
        self.rows = dict(self.research.rows(QUESTIONS, names))

    @property
    def calls(self) -> Counter[str]:
        return Counter(prompt.template for prompt in self.engine.asked)

    def first(self, name: str = NAMES[0]) -> MatrixCell:
        """Return the cell of the first question."""
        return self.rows[name][0]


def _written(replies: Callable[..., object], prompt: Prompt) -> str:
    written = replies(cast(RowVariables, prompt.variables).document)
    return json.dumps({"answers": written})


def test_each_document_is_read_once_and_ten_rows_are_checked_together(library: Library) -> None:
    matrix = Matrix(library, row())
    assert matrix.calls == {"query/row": 12, "answer/check": 2}
    assert tuple(matrix.rows) == NAMES
    for number, name in enumerate(NAMES):
        power, owner = matrix.rows[name]
        assert (power.text, power.status, power.support) == (f"{40 + number} MW", CellStatus.STATED, Support.SUPPORTED)
        assert [quote.document_id for quote in power.quotes] == [name]
        assert (owner.question, owner.status, owner.quotes) == (2, CellStatus.NOT_STATED, ())


def test_a_row_is_asked_all_questions_and_a_check_names_the_question_of_each_cell(library: Library) -> None:
    matrix = Matrix(library, row(), names=NAMES[:1])
    asked, checked = (prompt.text for prompt in matrix.engine.asked)
    assert "1. How much power does it make?\n2. Who owns it?" in asked
    assert "1. (answer to: How much power does it make?) 40 MW (E1)" in checked


def test_a_cell_that_the_check_does_not_support_is_unclear_and_says_why(library: Library) -> None:
    matrix = Matrix(library, row(), check("unsupported", reasons=["the quote says otherwise"]), names=NAMES[:1])
    cell = matrix.first()
    assert (cell.status, cell.support) == (CellStatus.UNCLEAR, Support.UNSUPPORTED)
    assert cell.reason == "the quote says otherwise"


def test_a_cell_that_is_supported_in_part_is_unclear(library: Library) -> None:
    matrix = Matrix(library, row(), check("in_part", corrected="It makes power."), names=NAMES[:1])
    assert matrix.first().status is CellStatus.UNCLEAR


def test_a_cell_with_the_words_of_its_quote_stands_whatever_the_check_says(library: Library) -> None:
    matrix = Matrix(library, row(answer="It makes 40 MW."), check("unsupported"), names=NAMES[:1])
    assert (matrix.first().status, matrix.first().support) == (CellStatus.STATED, Support.VERBATIM)


def test_a_check_that_fails_leaves_cells_stated_and_unchecked(library: Library) -> None:
    matrix = Matrix(library, row(), "no judgement", names=NAMES[:1])
    assert (matrix.first().status, matrix.first().support) == (CellStatus.STATED, Support.UNCHECKED)


def test_without_a_check_no_call_is_made_for_one(library: Library) -> None:
    matrix = Matrix(library, row(), names=NAMES[:3], is_checked=False)
    assert matrix.calls == {"query/row": 3}
    assert matrix.first().support is Support.UNCHECKED


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("answers", CellStatus.STATED),
        ("in_part", CellStatus.UNCLEAR),
        ("premise_wrong", CellStatus.UNCLEAR),
        ("not_stated", CellStatus.NOT_STATED),
        ("perhaps", CellStatus.UNCLEAR),
    ],
)
def test_the_verdict_decides_the_cell(library: Library, verdict: str, status: CellStatus) -> None:
    assert Matrix(library, row(verdict=verdict), names=NAMES[:1]).first().status is status


def test_an_answer_without_a_quote_that_stands_is_unclear(library: Library) -> None:
    cell = Matrix(library, row(quotes=["It makes 99 GW of heat."]), names=NAMES[:1]).first()
    assert (cell.status, cell.quotes) == (CellStatus.UNCLEAR, ())


@pytest.mark.parametrize("trust", [Trust.UNREAD, Trust.FAILED])
def test_a_reader_that_is_not_trusted_gives_passages(library: Library, trust: Trust) -> None:
    cell = Matrix(library, row(), names=NAMES[:1], trust=trust).first()
    assert (cell.status, bool(cell.quotes)) == (CellStatus.PASSAGES, True)


def test_a_question_that_the_reply_leaves_out_is_unclear(library: Library) -> None:
    matrix = Matrix(library, lambda document: row()(document)[:1], names=NAMES[:1])
    assert [cell.status for cell in matrix.rows[NAMES[0]]] == [CellStatus.STATED, CellStatus.UNCLEAR]


def test_a_document_whose_reading_fails_is_not_read_and_the_others_are(library: Library) -> None:
    def failing(document: ShownDocument) -> list[dict[str, object]]:
        if document.document_id == NAMES[1]:
            raise EngineError("the server is down")
        return row()(document)

    matrix = Matrix(library, failing, names=NAMES[:3])
    assert [matrix.first(name).status for name in NAMES[:3]] == [
        CellStatus.STATED,
        CellStatus.NOT_READ,
        CellStatus.STATED,
    ]
    assert list(matrix.failures) == [NAMES[1]]
    assert matrix.first(NAMES[1]).reason == "the server is down"


def test_a_reading_that_ends_after_another_was_refused_is_shown(library: Library) -> None:
    ended, shown = Event(), dict[str, tuple[MatrixCell, ...]]()

    def limited(document: ShownDocument) -> list[dict[str, object]]:
        if document.document_id == NAMES[0]:
            ended.wait(timeout=10)
            raise BudgetSpent(StopReason.CALLS)
        ended.set()
        return row()(document)

    matrix = Matrix(library, limited, names=())
    settings = matrix.research.settings.changed(concurrency=2)
    with pytest.raises(BudgetSpent):
        shown.update(replace(matrix.research, settings=settings).rows(QUESTIONS, NAMES[:2]))
    assert [cells[0].status for cells in shown.values()] == [CellStatus.STATED]


def test_a_reply_that_cannot_be_read_leaves_its_document_unread(library: Library) -> None:
    matrix = Matrix(library, "I would rather not.", names=NAMES[:1])
    assert matrix.first().status is CellStatus.NOT_READ
    assert matrix.calls["answer/check"] == 0


def test_each_id_in_a_check_marks_a_quote_also_where_quotes_overlap(library: Library) -> None:
    def overlapping(document: ShownDocument) -> list[dict[str, object]]:
        first, _ = row()(document)
        whole = document.passages[0].text.strip()
        return [{**first, "quotes": [whole]}, {**first, "question": 2, "answer": "old"}]

    matrix = Matrix(library, overlapping, names=NAMES[:1])
    (checked,) = (prompt.text for prompt in matrix.engine.asked if prompt.template == "answer/check")
    named = set(re.findall(r"\((E\d+)\)", checked))
    assert named
    assert {name for name in named if f"[{name}]" in checked} == named
