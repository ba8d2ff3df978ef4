"""Pages of indexed documents are shown with marks on a quote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_files import Placed, pdf

from investigator import Investigator, Quote, ScriptedEmbedder
from investigator.errors import NotFoundError, SourceChangedError
from investigator.records import Document
from investigator.services.document_pages import DocumentPages
from investigator.store.corpus import Corpus
from investigator.store.workspace import Workspace

ROWS = [("Sales", "1,204", "1,100"), ("Costs", "804", "790"), ("Profit", "400", "310")]
COSTS = "Costs 804 790"
TABLE = [Placed(word, 50 + 150 * at, 700) for at, word in enumerate(["Item", "2023", "2022"])] + [
    Placed(word, 50 + 150 * at, 680 - 16 * row) for row, words in enumerate(ROWS) for at, word in enumerate(words)
]


@pytest.fixture(scope="module")
def investigator(tmp_path_factory: pytest.TempPathFactory) -> Investigator:
    folder = tmp_path_factory.mktemp("report")
    (folder / "report.pdf").write_bytes(pdf([["The mill made a profit."], TABLE]))
    (folder / "shut.pdf").write_bytes(b"%PDF-1.4\nbroken")
    made = Investigator(folder, workspace=tmp_path_factory.mktemp("w"), embedder=ScriptedEmbedder())
    list(made.index())
    return made


@pytest.fixture(scope="module")
def pages(investigator: Investigator) -> Iterator[DocumentPages]:
    with investigator.pages() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(investigator: Investigator) -> Document:
    with Workspace(investigator.workspace, write=False) as workspace:
        return Corpus(workspace.index).document("report.pdf")


def quoted(report: Document, words: str) -> Quote:
    """Return a row of the table as evidence."""
    start = report.text.index(words)
    return Quote(
        document_id=report.id,
        page=2,
        line=1,
        start=start,
        end=start + len(words),
        text=words,
        source_hash=report.content_hash,
    )


def test_a_row_of_a_table_is_marked_on_its_page(pages: DocumentPages, report: Document) -> None:
    quote = quoted(report, COSTS)
    (view,) = pages.quote_views(quote)
    assert view.page == 2
    assert pages.views(report.id, quote.start, quote.end) == (view,)
    assert {round(600 * mark.left, -1) for mark in view.marks} == {50, 200, 350}
    assert [line.text for line in view.lines] == [" ".join(row) for row in (("Item", "2023", "2022"), *ROWS)]
    (line,) = (line for line in view.lines if line.text == COSTS)
    assert all(line.left <= mark.left < mark.right <= line.right for mark in view.marks)
    assert all(line.top <= mark.top < mark.bottom <= line.bottom for mark in view.marks)
    assert pages.picture(report.id, 2, 60).startswith(b"\x89PNG")


def test_each_cited_page_is_drawn_once_with_the_marks_of_all_its_sources(
    pages: DocumentPages, report: Document
) -> None:
    sales, costs = quoted(report, "Sales 1,204 1,100"), quoted(report, COSTS)
    gone = costs.changed(text="Costs 999 790")

    ((page,), left_out) = pages.cited([sales, gone, costs, costs.changed(document_id="a.txt")], 1_000_000)

    assert (page.view.page, page.sources, left_out) == (2, (1, 3), 0)
    assert len(page.view.marks) == sum(len(pages.quote_views(quote)[0].marks) for quote in (sales, costs))
    assert page.picture.startswith(b"\x89PNG")
    assert pages.cited([sales], len(page.picture) - 1) == ((), 1)


def test_a_quote_that_the_index_does_not_hold_any_more_is_not_marked(pages: DocumentPages, report: Document) -> None:
    with pytest.raises(SourceChangedError, match="has changed since it was quoted"):
        pages.quote_views(quoted(report, COSTS).changed(text="Costs 999 790"))


@pytest.mark.parametrize(("name", "reason"), [("shut.pdf", "damaged"), ("../etc/passwd", "unknown document")])
def test_a_file_that_is_no_document_of_the_index_is_never_opened(pages: DocumentPages, name: str, reason: str) -> None:
    with pytest.raises(NotFoundError, match=reason):
        pages.picture(name, 1)


def test_a_changed_file_says_to_bring_the_index_up_to_date(pages: DocumentPages, investigator: Investigator) -> None:
    file = Path(investigator.folder) / "report.pdf"
    before = file.read_bytes()
    file.write_bytes(pdf([["The mill made a loss."]]))
    with pytest.raises(SourceChangedError) as caught:
        pages.picture("report.pdf", 1)
    assert "investigator index" in caught.value.hint
    file.write_bytes(before)
