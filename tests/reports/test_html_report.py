from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from pydantic import BaseModel

from investigator.records import (
    Answer,
    AnswerStatus,
    Investigation,
    RunFacts,
    RunSetup,
    Statement,
    StopReason,
)
from investigator.records.answers import Coverage
from investigator.reports.html import html_report

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """What a browser would show: tags with attributes, ids, links, and the text of each element with an id."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[tuple[str, str | None]] = []
        self.texts: dict[str, str] = {}
        self.scripts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1][0] == tag, f"</{tag}> closes <{self.open[-1][0]}>"
        self.open.pop()
        if tag in {"td", "th", "li", "p"}:
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] == "script":
            self.scripts.append(data)
        for _, name in self.open:
            if name:
                self.texts[name] = self.texts.get(name, "") + data

    @property
    def ids(self) -> list[str]:
        return [name for _, attrs in self.tags if (name := attrs.get("id"))]

    @property
    def links(self) -> list[str | None]:
        return [attrs["href"] for _, attrs in self.tags if "href" in attrs]


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'\" onmouseover='alert(1)' style=\"background:url(https://x.test)\"",
    '<a href="javascript:alert(1)">x</a>',
    "</style><script src=https://x.test/a.js></script>",
    "{{ 7 * 7 }}{% include '/etc/passwd' %}",
    "<!-- <iframe src=//x.test> \x1b[2J \x00",
)


def with_texts(record: Investigation, text: str) -> Investigation:
    """Return the record with every free text in it replaced, at any depth; enums and hashes are kept."""

    def poisoned(value: object) -> object:
        if isinstance(value, BaseModel):
            fields = {name: poisoned(getattr(value, name)) for name in type(value).model_fields}
            return value.changed(**fields)
        if isinstance(value, tuple):
            return tuple(poisoned(part) for part in value)
        return text if type(value) is str else value

    return poisoned(record)  # type: ignore[return-value]


def test_the_page_is_well_formed_and_every_link_leads_to_a_place_on_it(answered: Investigation) -> None:
    page = Page(html_report(answered))

    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    assert {str(link).removeprefix("#") for link in page.links} <= set(page.ids)


def test_citation_numbers_lead_to_their_quotes(answered: Investigation) -> None:
    page = Page(html_report(answered))

    cites = [attrs["href"] for tag, attrs in page.tags if tag == "a" and attrs.get("class") == "cite"]
    assert cites[:3] == ["#source-1", "#source-2", "#source-1"]
    assert "The annual rent is EUR 48,000, payable monthly" in page.texts["source-1"]
    assert "contracts/lease.pdf" in page.texts["source-1"]
    assert "page 3" in page.texts["source-1"]
    assert "we agreed on five years with Müller" in page.texts["source-2"]
    assert "line 12" in page.texts["source-2"]


def test_a_document_cannot_forge_a_citation_by_holding_a_number_in_brackets(answered: Investigation) -> None:
    assert answered.answer is not None
    forged = Statement(text="See note [2] of the lease", quotes=answered.answer.citations[:1])
    answer = answered.answer.changed(lead=forged, details=(), disagreements=(), not_stated=())

    page = Page(html_report(answered.changed(answer=answer)))
    cites = [attrs["href"] for tag, attrs in page.tags if attrs.get("class") == "cite"]
    assert cites == ["#source-1"]
    assert "See note [2] of the lease" in page.texts["answer"]


def test_the_answer_is_shown_with_what_the_check_said_and_apart_from_what_it_refused(answered: Investigation) -> None:
    page = Page(html_report(answered))

    assert "supported in part: the lease itself names no term" in page.texts["answer"]
    assert "rises" not in page.texts["answer"]
    for words in ("The amount of the deposit.", "dated 2020-05-06", "The notes are older.", "no quote contains 3 %"):
        assert words in page.texts["open"]
    shown = html_report(answered)
    assert "Checked by openai:gpt-y: 1 supported, 1 in part, 1 not supported." in shown
    assert "What is the deposit?" in shown


def test_a_survey_is_a_table_of_decisions(surveyed: Investigation) -> None:
    answer = " ".join(Page(html_report(surveyed)).texts["answer"].split())

    assert "contracts/lease.pdf yes The annual rent is EUR 48,000." in answer
    assert "notes/kickoff.md unclear A lease of five years." in answer
    assert "3 of 4 documents decided, 1 not decided" in answer
    assert "openai:gpt-x has not been graded. To grade a model: investigator doctor --model NAME" in html_report(
        surveyed
    )


def test_the_plan_the_replies_and_the_reviews_are_all_there(answered: Investigation) -> None:
    page = Page(html_report(answered))

    plan = page.texts["plan"]
    for words in ("Round 1", "read the lease", "find the rent", "amount, period", "invented.pdf", "Round 2"):
        assert words in plan
    assert "The rent is EUR 84,000" in page.texts["memory-1"]
    assert "could not be read" in page.texts["memory-2"]
    assert page.ids.index("memory-1") < page.ids.index("memory-2")
    assert "answers, score 85" in page.texts["memories"]
    assert "reply 9" in plan
    assert "#memory-9" not in page.links  # it is no memory of the run
    for words in ("the rent is EUR 48,000", "whether it is indexed", "indexation"):
        assert words in page.texts["knowledge"]


def test_other_wordings_and_the_question_as_it_was_read_are_shown(answered: Investigation) -> None:
    assert answered.answer is not None
    reworded = answered.answer.changed(coverage=Coverage(wordings=("the yearly rent",)))
    page = html_report(answered.changed(read_as="Who pays the rent?", answer=reworded))
    assert "Read as: Who pays the rent?" in page
    assert 'Also searched for</dt><dd dir="auto">the yearly rent' in page


def test_coverage_names_every_document_and_why_it_was_left_out(answered: Investigation) -> None:
    coverage = " ".join(Page(html_report(answered)).texts["coverage"].split())

    for words in (
        "contracts/lease.pdf read 1 reply, best score 85",
        "annex.docx not opened",
        "scan.pdf unreadable encrypted: needs a password",
        "notes/menu.txt searched",
    ):
        assert words in coverage


def test_an_unfinished_run_and_one_without_findings_are_reported_too(
    unfinished: Investigation, not_found: Investigation
) -> None:
    stopped, absent = Page(html_report(unfinished)), Page(html_report(not_found))

    assert stopped.open == absent.open == []
    assert "memory-1" in stopped.texts
    assert "sources" not in stopped.texts
    assert "The audit took place." in absent.texts["nearest"]
    assert "--model openai:gpt-4o" in html_report(not_found)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_field_stays_text(answered: Investigation, text: str) -> None:
    harmless = Page(html_report(answered))
    page = Page(html_report(with_texts(answered, text)))

    assert page.open == []
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in harmless.tags}
    for tag, attrs in page.tags:
        assert tag not in {"iframe", "object", "embed", "link", "base", "form", "img"}
        assert not [name for name in attrs if name.startswith("on") or name in {"src", "srcset", "action"}]
        assert attrs.get("href", "#").startswith("#")  # type: ignore[union-attr]
        assert "url(" not in (attrs.get("style") or "")
    policy = [attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    (script,) = page.scripts
    code = b64encode(sha256(script.encode()).digest()).decode()
    assert policy == [f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{code}'"]
    assert page.scripts == harmless.scripts
    assert "49" not in page.texts["source-1"]
    style = files("investigator.reports").joinpath("report.css").read_text(encoding="utf-8")
    assert not re.search(r"url\(|@import|http", style)


def test_a_megabyte_of_text_and_no_text_at_all_are_both_reported() -> None:
    long = "word " * 200_000
    answer = Answer(
        question=long,
        status=AnswerStatus.NOT_FOUND_SO_FAR,
        reason="",
        lead=Statement(text=long),
        coverage=Coverage(),
        run=RunFacts(engine="a:b", stop=StopReason.TIME),
    )
    full = Investigation(id="1", question=long, setup=RunSetup(engine="a:b"), answer=answer)
    bare = Investigation(id="1", question="?", setup=RunSetup(engine="a:b"))

    assert Page(html_report(full)).texts["answer"].count("word") == 200_000
    assert len(html_report(full)) < 3_000_000
    assert Page(html_report(bare)).open == []


def test_the_answer_comes_first_and_the_run_is_in_one_closed_section(answered: Investigation) -> None:
    page = html_report(answered)
    order = [
        'class="lead"',
        'id="open"',
        'id="sources"',
        '<details class="run" id="run">',
        'id="coverage"',
        'id="plan"',
    ]
    assert sorted(order, key=page.index) == order
    assert page.index('id="knowledge"') < page.index("</details>\n</main>")


def test_each_statement_says_how_it_was_checked_and_by_whom(answered: Investigation) -> None:
    checks = [attrs["aria-label"] for tag, attrs in Page(html_report(answered)).tags if tag == "button"]
    assert checks == [
        "Supported by its quotes. Checked by openai:gpt-y.",
        "Supported in part by its quotes: the lease itself names no term. Checked by openai:gpt-y.",
        "Not supported by its quotes: no quote contains 3 %. Checked by openai:gpt-y.",
    ]
