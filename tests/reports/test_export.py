"""Exported files have the same content when other programs read them."""

from __future__ import annotations

import csv
import io
from zipfile import ZipFile

import pytest
from kreuzberg import extract_bytes_sync
from lxml import etree
from markdown_it import MarkdownIt
from printed import printed
from test_html_report import HOSTILE, Page, with_texts

from investigator.documents.own_results import EVIDENCE_HEADING, is_own_result
from investigator.records import Investigation, PageMark, PageView, Trust
from investigator.reports.export import exported, table_csv
from investigator.reports.html import CitedPage, Enclosures, html_report


def test_the_evidence_comes_back_from_csv_quote_for_quote(answered: Investigation) -> None:
    assert answered.answer is not None
    rows = list(csv.DictReader(io.StringIO(exported(answered, ".csv").decode())))
    assert tuple(rows[0]) == EVIDENCE_HEADING
    assert [row["source"] for row in rows] == ["1", "2", "1"]
    assert rows[0]["quote"] == answered.answer.citations[0].text
    assert (rows[0]["document"], rows[0]["page"], rows[1]["page"]) == ("contracts/lease.pdf", "3", "")
    assert (rows[0]["support"], rows[1]["support"]) == ("supported", "in part")
    assert rows[1]["reason"] == "the lease itself names no term"
    assert printed(Investigation, exported(answered, ".json").decode()).id == answered.id


@pytest.mark.parametrize("text", [*HOSTILE, "=SUM(A1)", "1. x\n- y\n# z", "|a|b|\n|-|-|\n"])
def test_what_documents_say_is_no_mark_up_or_formula(answered: Investigation, text: str) -> None:
    record = with_texts(answered, text)

    kinds = {token.type for token in MarkdownIt("commonmark").enable("table").parse(exported(record, ".md").decode())}
    assert kinds <= {f"{kind}_{end}" for kind in BLOCKS for end in ("open", "close")} | {"inline", "hr"}
    rows = list(csv.reader(io.StringIO(exported(record, ".csv").decode())))
    assert {len(row) for row in rows} == {len(EVIDENCE_HEADING)}
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+"))]


BLOCKS = ("heading", "paragraph", "blockquote", "bullet_list", "list_item")


def test_an_answer_in_markdown_leads_each_number_to_its_quote(answered: Investigation) -> None:
    page = MarkdownIt("commonmark").render(exported(answered, ".md").decode())

    assert page.count('href="#source-1"') == 3
    assert '<a id="source-1"></a>' in page
    assert "<blockquote>\n<p>The annual rent is EUR 48,000, payable monthly</p>" in page


def test_an_answer_in_markdown_shows_what_the_check_said(answered: Investigation) -> None:
    text = exported(answered, ".md").decode()

    assert "The annual rent is EUR 48,000. [1](#source-1)\n" in text
    assert "(supported in part: the lease itself names no term)" in text
    assert text.index("## Not stated") < text.index("## The documents disagree") < text.index("## Withheld")
    assert "The rent rises by 3 %. (no quote contains 3 %)" in text
    assert "Checked by openai:gpt-y: 1 supported, 1 in part, 1 not supported." in text
    assert "open: What is the deposit?" in text


def test_a_survey_in_markdown_is_a_table(surveyed: Investigation) -> None:
    page = MarkdownIt("commonmark").enable("table").render(exported(surveyed, ".md").decode())

    assert page.count("<tr>") == 3
    assert "3 of 4 documents decided, 1 not decided" in page


def test_a_cited_page_lies_in_the_report_with_its_marks(answered: Investigation) -> None:
    mark = PageMark(left=0.1, top=0.2, right=0.5, bottom=0.25)
    view = PageView(document_id="contracts/lease.pdf", page=3, pages=9, width=595, height=842, marks=(mark,))
    page = Page(html_report(answered, Enclosures(pages=(CitedPage(view=view, sources=(1,), picture=b"\x89PNG"),))))

    (picture,) = [attrs for tag, attrs in page.tags if tag == "img"]
    assert picture["src"] == "data:image/png;base64,iVBORw=="
    assert [attrs["y"] for tag, attrs in page.tags if tag == "rect" and "y" in attrs] == ["0.2"]
    assert {str(link).removeprefix("#") for link in page.links} <= set(page.ids)
    assert "#page-1" in page.links


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def test_an_answer_as_a_word_document_is_read_by_others_and_known_to_be_our_own(answered: Investigation) -> None:
    written = exported(answered, ".docx")
    text = extract_bytes_sync(written, WORD).content

    order = [
        "What is the rent",
        "The annual rent is EUR 48,000. [1]",
        "Not stated",
        "The documents disagree",
        "Sources",
    ]
    assert sorted(order, key=text.index) == order
    for words in ("(supported in part: the lease itself names no term)", "we agreed on five years with Müller"):
        assert words in text
    assert is_own_result(written)


@pytest.mark.parametrize("suffix", [".docx", ".md"])
def test_a_saved_answer_says_how_it_was_understood_as_of_when_and_whom_not_to_trust(
    answered: Investigation, suffix: str
) -> None:
    assert answered.answer is not None
    failed = answered.answer.changed(check=answered.answer.check.changed(trust=Trust.FAILED))
    written = exported(answered.changed(read_as="What is the rent of the mill?", answer=failed), suffix)
    text = extract_bytes_sync(written, WORD).content if suffix == ".docx" else written.decode()

    order = ["Read as: What is the rent of the mill?", "One part is open.", "failed its grading", "The annual rent"]
    assert sorted(order, key=text.index) == order
    assert text.count("failed its grading") == 1
    assert "Run 8f3a12cd, as of 2026-03-31." in text


@pytest.mark.parametrize("text", [*HOSTILE, "<w:p/>", "]]>"])
def test_what_documents_say_is_only_text_in_a_word_document(answered: Investigation, text: str) -> None:
    def tags(record: Investigation) -> set[object]:
        with ZipFile(io.BytesIO(exported(record, ".docx"))) as package:
            parts = map(etree.fromstring, map(package.read, package.namelist()))
            return {element.tag for part in parts for element in part.iter()}

    assert tags(with_texts(answered, text)) <= {*tags(answered), LINE_BREAK}


LINE_BREAK = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}br"


def test_the_table_of_a_survey_comes_back_from_csv(surveyed: Investigation) -> None:
    assert surveyed.answer is not None
    rows = list(csv.DictReader(io.StringIO(table_csv(surveyed.answer).decode())))
    assert [(row["document"], row["decision"]) for row in rows][:2] == [
        ("notes/kickoff.md", "unclear"),
        ("contracts/lease.pdf", "yes"),
    ]
    assert rows[1]["statement"] == "The annual rent is EUR 48,000."
