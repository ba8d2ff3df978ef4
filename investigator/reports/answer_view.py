"""An answer as every report shows it: statements with the numbers of their citations, and remarks on their support.

Numbers come from the quotes, not from `[n]` in a text, so a document cannot forge a citation. Addresses are defanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from investigator.language.addresses import defanged
from investigator.records import Answer, AnswerStatus, Decision, Quote, Section, Side, Statement, Support
from investigator.reports.inert import inert_line
from investigator.reports.wording import DECISIONS, HEADLINES, plural, some_names
from investigator.research.answer_text import MOST_MARKS, support_note

_MOST_NAMES = 20
_CHECKED: Mapping[Support, str] = {
    Support.VERBATIM: "The words of the quote itself",
    Support.SUPPORTED: "Supported by its quotes",
    Support.IN_PART: "Supported in part by its quotes",
    Support.UNSUPPORTED: "Not supported by its quotes",
    Support.UNCHECKED: "Nobody has checked it against its quotes",
}


@dataclass(frozen=True)
class ShownStatement:
    """A statement, the numbers of its first citations, counted from 1, and a remark on its support or its source.
    `checked` says how it was checked and by whom; it is empty for what nobody states. `cells` is the text of a row in
    the columns of its table.
    """

    text: str = ""
    head: str = ""
    numbers: tuple[int, ...] = ()
    remark: str = ""
    support: Support = Support.UNCHECKED
    checked: str = ""
    cells: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Return text, citation marks and remark on one line, safe to display."""
        marks = "".join(f"[{number}]" for number in self.numbers)
        remark = f"({inert_line(self.remark)})" if self.remark else ""
        return " ".join(filter(None, (inert_line(self.text), marks, remark)))

    @property
    def headed(self) -> str:
        """Return the line after its head, if it has one."""
        return f"{inert_line(self.head)}: {self.line}" if self.head else self.line


@dataclass(frozen=True)
class ShownSection:
    """A section of a report. `columns` is empty if the rows have no cells. `remark` says why the section is empty, not
    finished, out of date, or refers to other sections.
    """

    heading: str
    paragraphs: tuple[tuple[ShownStatement, ...], ...]
    columns: tuple[str, ...]
    rows: tuple[ShownStatement, ...]
    remark: str


@dataclass(frozen=True)
class AnswerView:
    """The parts of an answer in the order in which they are shown.

    `rows` are the documents that belong to the answer or may belong to it, each with the decision and the statement.
    `others` has a line for the documents that do not belong, one for those that were not decided, and the count.
    `disagreements` have their subject, each value with its documents and dates, and the explanation.
    """

    lead: ShownStatement | None
    details: tuple[ShownStatement, ...]
    rows: tuple[tuple[str, str, ShownStatement], ...]
    others: tuple[str, ...]
    not_stated: tuple[ShownStatement, ...]
    disagreements: tuple[tuple[str, tuple[ShownStatement, ...], str], ...]
    withheld: tuple[ShownStatement, ...]
    sections: tuple[ShownSection, ...]

    @property
    def gaps_title(self) -> str:
        """Return the title of what the documents do not state."""
        return "What the documents do not say" if self.sections else "Not stated"

    @property
    def says_something(self) -> bool:
        """Return True if the answer has a lead, details or a table, or is a report."""
        return self.lead is not None or bool(self.details or self.rows or self.others or self.sections)


def answer_view(answer: Answer) -> AnswerView:
    """Return the parts of an answer."""
    numbers = citation_numbers(answer)

    def shown(text: str, quotes: Sequence[Quote], head: str = "", remark: str = "") -> ShownStatement:
        marks = tuple(dict.fromkeys(numbers[quote] for quote in quotes if quote in numbers))[:MOST_MARKS]
        return ShownStatement(defanged(text), defanged(head), marks, defanged(remark))

    def stated(statement: Statement | None) -> ShownStatement:
        if statement is None:
            return ShownStatement()
        own = shown(statement.text, statement.quotes, statement.head, _remark(statement))
        by = "" if answer.has_lost(statement) else answer.check.by
        cells = tuple(map(defanged, statement.cells))
        return replace(own, support=statement.support, checked=defanged(_checked(statement, by)), cells=cells)

    decided = [row for decision in (Decision.YES, Decision.UNCLEAR) for row in answer.table if row.decision is decision]
    return AnswerView(
        lead=stated(answer.lead) if answer.lead is not None else None,
        details=tuple(map(stated, answer.details)),
        rows=tuple((row.document_id, DECISIONS[row.decision], stated(row.statement)) for row in decided),
        others=tuple(_others(answer)),
        not_stated=tuple(shown(item.text, item.quotes) for item in answer.not_stated),
        disagreements=tuple(
            (
                defanged(item.about),
                tuple(shown(side.text, side.quotes, remark=_source(side)) for side in item.sides),
                defanged(item.explanation),
            )
            for item in answer.disagreements
        ),
        withheld=tuple(map(stated, answer.check.withheld)),
        sections=tuple(
            ShownSection(
                defanged(section.heading),
                tuple(tuple(map(stated, paragraph)) for paragraph in section.paragraphs),
                tuple(map(defanged, _columns(section))),
                tuple(map(stated, section.rows)),
                defanged(_section_remark(section)),
            )
            for section in answer.sections
        ),
    )


def citation_numbers(answer: Answer) -> Mapping[Quote, int]:
    """Return the number of each citation, counted from 1."""
    return {quote: number for number, quote in enumerate(answer.citations, start=1)}


def shows_passages(answer: Answer) -> bool:
    """Return True if an answer has nothing but passages, which are shown with their places; words that are no quote
    have their sources below.
    """
    is_quoted = all(statement.support is Support.VERBATIM for statement in answer.details)
    is_bare = answer.lead is None and not answer.table and not answer.sections
    return answer.status is AnswerStatus.PASSAGES_FOUND and is_bare and is_quoted


def is_statement(quote: Quote, answer: Answer) -> bool:
    """Return True if a statement consists of the words of a quote, so that a list of sources need not repeat them."""
    return any(quote.inline == statement.text for statement in answer.statements)


def _checked(statement: Statement, by: str) -> str:
    """Return how a statement was checked, why not all of it is supported, and who checked it."""
    is_judged = statement.support not in (Support.VERBATIM, Support.UNCHECKED)
    words = ": ".join(filter(None, (_CHECKED[statement.support], statement.reason)))
    return f"{words.rstrip('.')}. Checked by {by}." if is_judged and by else f"{words.rstrip('.')}."


def _remark(statement: Statement) -> str:
    """Return what the check said of a statement that it did not support in full. The program's notes are added only if
    nobody has checked it, because a check has considered them.
    """
    checked = support_note(statement) if statement.is_shown else statement.reason
    notes = statement.notes if statement.support is Support.UNCHECKED else ()
    return "; ".join(filter(None, (checked, *notes)))


def _columns(section: Section) -> tuple[str, ...]:
    """Return the columns of a table, that of the heads first; none without rows, or if a row has other cells, as one
    that a check has changed, which has none.
    """
    widths = {len(row.cells) for row in section.rows}
    return section.columns if widths == {len(section.columns) - 1} and any(widths) else ()


def _section_remark(section: Section) -> str:
    headline = HEADLINES[section.status] if section.status and not section.statements else ""
    reason = section.reason if section.status is not AnswerStatus.NOT_FOUND else ""
    lines = [f"{headline}{': ' if headline and reason else ''}{reason}"]
    if section.repeats:
        lines.append(f"See also: {'; '.join(section.repeats)}.")
    if section.stale:
        lines.append(f"Changed since this was written: {some_names(section.stale, _MOST_NAMES)}.")
    return " ".join(filter(None, lines))


def _source(side: Side) -> str:
    documents = ", ".join(dict.fromkeys(quote.document_id for quote in side.quotes))
    return ", dated ".join(filter(None, (documents, side.date)))


def _others(answer: Answer) -> Iterator[str]:
    for decision in (Decision.NO, Decision.UNDECIDED):
        if names := [row.document_id for row in answer.table if row.decision is decision]:
            yield f"{DECISIONS[decision]}: {some_names(names, _MOST_NAMES)}"
    if answer.table:
        undecided = sum(row.decision is Decision.UNDECIDED for row in answer.table)
        decided = f"{len(answer.table) - undecided} of {plural(len(answer.table), 'document')} decided"
        yield f"{decided}, {undecided} not decided" if undecided else decided
