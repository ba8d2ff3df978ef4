"""Reports of a matrix: text for a terminal, a page, and spreadsheets in which no document can place a formula."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest
from openpyxl import load_workbook
from test_html_report import HOSTILE, Page

from investigator.documents.own_results import MATRIX_HEADING
from investigator.records import (
    AskedQuestions,
    CellStatus,
    Investigation,
    Matrix,
    MatrixCell,
    MatrixDocument,
    QuestionOutcome,
    Quote,
    Support,
)
from investigator.reports.export import matrix_csv, matrix_xlsx
from investigator.reports.html import matrix_page, questions_page
from investigator.reports.matrix import in_short, matrix_text
from investigator.reports.terminal import questions_text

RENT = Quote(
    document_id="contracts/lease.pdf", page=3, line=41, start=0, end=30, text="The annual rent", source_hash="ab" * 32
)
FORMULA = '=HYPERLINK("http://x.test","pay")'


def matrix(
    answer: str = "The annual rent is EUR 48,000.", questions: tuple[str, ...] = ("What is the rent?",)
) -> Matrix:
    """Two documents: one states an answer, and the other could not be read."""
    documents = (MatrixDocument(id="contracts/lease.pdf", title="Lease"), MatrixDocument(id="scan.pdf"))
    quote = RENT.changed(text=answer)
    cells = tuple(
        MatrixCell(
            document_id=document.id,
            question=number,
            status=CellStatus.STATED,
            text=answer,
            quotes=(quote,),
            support=Support.SUPPORTED,
        )
        if document is documents[0]
        else MatrixCell(document_id=document.id, question=number, status=CellStatus.NOT_READ, reason="encrypted")
        for document in documents
        for number in range(1, len(questions) + 1)
    )
    return Matrix(questions=questions, documents=documents, cells=cells, engine="scripted")


def test_a_terminal_shows_a_table_of_few_questions_and_a_list_of_many() -> None:
    few = matrix_text(matrix()).plain
    assert "Q1  What is the rent?" in few
    assert "contracts/lease.pdf  The annual rent is EUR 48,000." in few
    assert "scan.pdf             not read: encrypted" in few
    made = matrix()
    long = made.changed(cells=tuple(cell.changed(reason=cell.reason and "so it is, " * 30) for cell in made.cells))
    assert "scan.pdf             not read [1]\n[1] so it is, so it is" in matrix_text(long).plain
    assert "…" not in matrix_text(long).plain
    many = matrix_text(matrix(questions=tuple(f"What is rent {n}?" for n in range(9)))).plain
    assert many.count("contracts/lease.pdf:page 3") == 9


@pytest.mark.parametrize("begins", ["=1+1", "+1", "-1", "@SUM(A1)", FORMULA, "\t=1"])
def test_no_document_writes_a_formula_into_a_spreadsheet(begins: str) -> None:
    made = matrix(begins, questions=(begins,))
    rows = list(csv.reader(io.StringIO(matrix_csv(made))))
    assert rows[0] == list(MATRIX_HEADING)
    assert all(cell[:1] not in {"=", "+", "-", "@", "\t"} for row in rows[1:] for cell in row)
    book = load_workbook(io.BytesIO(matrix_xlsx(made)))
    cells = [cell for sheet in book for row in sheet for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s"}
    assert begins.strip() in {str(cell.value).strip() for cell in cells}
    assert "<f>" not in "".join(
        zipfile.ZipFile(io.BytesIO(matrix_xlsx(made))).read(f"xl/worksheets/sheet{n}.xml").decode() for n in (1, 2)
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_the_page_of_a_matrix_is_well_formed_and_harmless(text: str) -> None:
    page = Page(matrix_page(matrix(text, questions=(text,))))
    assert page.open == []
    assert page.links == []
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img", "iframe"})
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]


def test_the_page_shows_each_quote_with_its_place() -> None:
    page = matrix_page(matrix())
    assert 'dir="auto">The annual rent is EUR 48,000.</blockquote>' in page
    assert "<span>page 3</span>" in page


def test_many_answers_are_one_page_and_one_text(answered: Investigation) -> None:
    outcomes = (
        QuestionOutcome(question=answered.question, investigation=answered),
        QuestionOutcome(question="And then?", failure="the server is down"),
    )
    batch = AskedQuestions(outcomes=outcomes)
    page = Page(questions_page(batch))
    assert page.open == []
    assert "The annual rent is EUR 48,000" in page.texts["question-1"]
    assert "the server is down" in page.texts["question-2"]
    text = questions_text(batch).plain
    assert "contracts/lease.pdf:page 3" in text
    assert "Failed: the server is down" in text


def test_an_answer_among_many_is_whole_and_its_citations_lead_to_its_own_sources(answered: Investigation) -> None:
    outcomes = tuple(
        QuestionOutcome(question=question, investigation=answered) for question in ("Rent?", "Rent again?")
    )
    batch = AskedQuestions(outcomes=outcomes)
    page = Page(questions_page(batch))
    assert {str(link).removeprefix("#") for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    for text in (questions_text(batch).plain, page.texts["question-2"]):
        for words in ("The documents disagree", "dated 2021-03-04", "supported in part", "Checked by openai:gpt-y"):
            assert words in text


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ({"status": CellStatus.PASSAGES, "text": "EUR 48,000"}, "passages: EUR 48,000"),
        ({"status": CellStatus.UNCLEAR, "reason": "two rents"}, "unclear: two rents"),
        ({"status": CellStatus.NOT_STATED, "reason": "no rent"}, "not stated"),
        ({"status": CellStatus.STATED, "text": "EUR 48,000", "support": Support.UNCHECKED}, "EUR 48,000 (unchecked)"),
    ],
)
def test_a_cell_in_short_says_how_far_it_may_be_trusted(cell: dict[str, object], shown: str) -> None:
    assert in_short(MatrixCell(document_id="a.txt", question=1, **cell), "What is the rent?") == shown


LEDGER = (
    "Costs of the mill and its dam\nItem  2023  2022\nHeating  12  11\nAnnual rent of the mill  48,000  44,000\nAll  9"
)
SENTENCE = (
    "Since the mill was sold by the town, as was the dam beside it, the annual rent amounts to EUR 48,000 a year."
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (LEDGER, "Annual rent of the mill 48,000 44,000"),
        (f"The lease is long. {SENTENCE} It is paid monthly.", "…it, the annual rent amounts to EUR 48,000 a…"),
        (
            "The annual rent of the old mill beside the dam amounts to 48,000",
            "…old mill beside the dam amounts to 48,000",
        ),
    ],
)
def test_a_narrow_cell_shows_the_row_or_sentence_with_the_value_and_is_not_cut_before_a_figure(
    text: str, shown: str
) -> None:
    cell = MatrixCell(document_id="a.txt", question=1, status=CellStatus.STATED, text=text, support=Support.VERBATIM)
    assert in_short(cell, "What is the annual rent?", 46) == shown


def test_a_spreadsheet_has_all_quotes_of_a_cell(answered: Investigation) -> None:
    made = matrix()
    first = made.cells[0].changed(quotes=(RENT, RENT.changed(line=42, page=4, text="payable monthly")))
    rows = list(csv.DictReader(io.StringIO(matrix_csv(made.changed(cells=(first, *made.cells[1:]))))))
    assert rows[0]["quotes"] == "The annual rent\npayable monthly"
    assert rows[0]["places"] == "contracts/lease.pdf:page 3\ncontracts/lease.pdf:page 4"
    assert (rows[0]["text"], rows[0]["support"]) == ("The annual rent is EUR 48,000.", "supported")
    assert (rows[1]["status"], rows[1]["reason"]) == ("not read", "encrypted")
