"""Exported files have the same content when other programs read them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping

import pytest
from markdown_it import MarkdownIt
from printed import printed
from test_html_report import HOSTILE, Page, with_texts

from investigator.documents.own_results import EVIDENCE_HEADING
from investigator.records import Document, Investigation, PageMark, PageView
from investigator.reports.enclosures import CitedPage, Enclosures
from investigator.reports.export import exported
from investigator.reports.html import html_report
from investigator.reports.references import bibtex, csl_json, references


def document(name: str, title: str, *authors: str, date: str | None = None) -> Document:
    return Document(
        id=name, title=title, media_type="text/plain", content_hash="ab" * 32, text="x", authors=authors, date=date
    )


LEASE = document("contracts/lease.pdf", "Lease & rent: 100 %", "Anna Müller", "Bank of {X}", date="2021-03")


def entries(text: str) -> Mapping[str, Mapping[str, str]]:
    """Return the entries of BibTeX, by key, with the contents of each field without TeX."""
    found: dict[str, Mapping[str, str]] = {}
    for key, body in re.findall(r"@misc\{([^,{}\s]+),\n(.*?)\n\}\n", text, re.DOTALL):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.MULTILINE))
        assert all(balanced(value) for value in fields.values())
        found[key] = {name: re.sub(r"\\([{}$&#%_])", r"\1", value) for name, value in fields.items()}
    return found


def balanced(text: str) -> bool:
    depth = 0
    for mark in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
    return depth == 0


def test_the_evidence_comes_back_from_csv_quote_for_quote(answered: Investigation) -> None:
    files = exported(answered, {LEASE.id: LEASE})

    rows = list(csv.DictReader(io.StringIO(files["evidence.csv"].decode())))
    assert tuple(rows[0]) == EVIDENCE_HEADING
    assert [row["source"] for row in rows] == ["1", "2", "1"]
    assert rows[0]["quote"] == answered.answer.claims[0].quotes[0].text  # type: ignore[union-attr]
    assert (rows[0]["document"], rows[0]["page"], rows[0]["reference"]) == ("contracts/lease.pdf", "3", "lease")
    assert rows[1]["page"] == rows[1]["reference"] == ""
    assert printed(Investigation, files["investigation.json"].decode()).id == answered.id


def test_references_hold_what_is_known_and_nothing_else(answered: Investigation) -> None:
    files = exported(answered, {LEASE.id: LEASE})

    (entry,) = entries(files["references.bib"].decode()).values()
    assert entry["title"] == "{Lease & rent: 100 %}"
    assert entry["author"] == "{Anna Müller} and {Bank of {X}}"
    assert (entry["year"], entry["month"], "day" in entry) == ("2021", "3", False)
    (item,) = json.loads(files["references.json"])
    assert item["title"] == "Lease & rent: 100 %"
    assert item["author"] == [{"literal": "Anna Müller"}, {"literal": "Bank of {X}"}]
    assert item["issued"] == {"date-parts": [[2021, 3]]}
    (bare,) = json.loads(csl_json(references([document("notes.txt", "")])))
    assert bare.keys() == {"id", "type", "title", "note"}
    assert bare["title"] == "notes.txt"


@pytest.mark.parametrize(("date", "parts"), [("2021-13-40", (2021,)), ("2021-02-30x", (2021, 2, 30)), ("soon", ())])
def test_a_date_is_taken_as_far_as_it_is_one(date: str, parts: tuple[int, ...]) -> None:
    assert references([document("a.txt", "A", date=date)])[0].date == parts


def test_documents_of_one_name_have_keys_of_their_own() -> None:
    cited = references([document("a/Über uns.txt", "A"), document("b/über-uns.md", "B"), document("…", "C")])
    assert [one.key for one in cited] == ["uber-uns", "uber-uns-2", "document"]


@pytest.mark.parametrize("text", [*HOSTILE, "=SUM(A1)", "1. x\n- y\n# z", "}\n@article{x, title={y}}\n"])
def test_what_documents_say_is_no_mark_up_formula_or_entry(answered: Investigation, text: str) -> None:
    poisoned = with_texts(answered, text)
    cited = document(text, text, text, date=text)
    files = exported(poisoned, {text: cited})

    kinds = {token.type for token in MarkdownIt("commonmark").parse(files["answer.md"].decode())}
    assert kinds <= {f"{kind}_{end}" for kind in BLOCKS for end in ("open", "close")} | {"inline", "hr"}
    rows = list(csv.reader(io.StringIO(files["evidence.csv"].decode())))
    assert {len(row) for row in rows} == {len(EVIDENCE_HEADING)}
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "@", "+"))]
    assert len(entries(bibtex(references([cited])))) == 1
    assert len(json.loads(files["references.json"])) == 1


BLOCKS = ("heading", "paragraph", "blockquote", "bullet_list", "list_item")


def test_an_answer_in_markdown_leads_each_number_to_its_quote(answered: Investigation) -> None:
    page = MarkdownIt("commonmark").render(exported(answered, {})["answer.md"].decode())

    assert page.count('href="#source-1"') == 2
    assert '<a id="source-1"></a>' in page
    assert "<blockquote>\n<p>The annual rent is EUR 48,000, payable monthly</p>" in page


def test_a_cited_page_lies_in_the_report_with_its_marks(answered: Investigation) -> None:
    mark = PageMark(left=0.1, top=0.2, right=0.5, bottom=0.25)
    view = PageView(document_id="contracts/lease.pdf", page=3, pages=9, width=595, height=842, marks=(mark,))
    page = Page(html_report(answered, Enclosures(pages=(CitedPage(view=view, sources=(1,), picture=b"\x89PNG"),))))

    (picture,) = [attrs for tag, attrs in page.tags if tag == "img"]
    assert picture["src"] == "data:image/png;base64,iVBORw=="
    assert [attrs["y"] for tag, attrs in page.tags if tag == "rect" and attrs.get("class") == "quote"] == ["0.2"]
    assert {str(link).removeprefix("#") for link in page.links} <= set(page.ids)
    assert "#page-1" in page.links
