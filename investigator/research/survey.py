"""Divides documents into calls that read several of them: a small folder, or all that must be decided. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from investigator.language.normalise import one_line
from investigator.records import SUMMARY, Decision, Memory, ShownDocument, Statement, SurveyRow, Verdict
from investigator.research.answer import noted
from investigator.research.evidence import Evidence
from investigator.research.research_settings import ReadingLimits

CHARACTERS_PER_TOKEN = 4
_FEWEST_CHARACTERS, _MOST_CHARACTERS = 600, 3_000
_MOST_QUOTES = 3
_BATCH_TOKENS = 4_000
_WHOLE_BATCH_TOKENS = 12_000
_DECISIONS: Mapping[Verdict, Decision] = {
    Verdict.ANSWERS: Decision.YES,
    Verdict.IN_PART: Decision.UNCLEAR,
    Verdict.PREMISE_WRONG: Decision.NO,
    Verdict.NOT_STATED: Decision.NO,
    Verdict.UNREAD: Decision.UNDECIDED,
}


def survey_limits(documents: int, tokens: int) -> ReadingLimits:
    """Return the limits for reading a number of documents within a number of tokens: fewer characters of each."""
    each = tokens * CHARACTERS_PER_TOKEN // max(1, documents)
    characters = min(_MOST_CHARACTERS, max(_FEWEST_CHARACTERS, each))
    return ReadingLimits(characters=characters, whole_characters=characters, most_quotes=_MOST_QUOTES)


def surveyed_documents(documents: Sequence[str], tokens: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split ranked documents into those that can be decided within a number of tokens, and the others."""
    most = max(1, tokens * CHARACTERS_PER_TOKEN // _FEWEST_CHARACTERS)
    return tuple(documents[:most]), tuple(documents[most:])


def batches(
    documents: Iterable[ShownDocument], room: int | None, characters: int
) -> tuple[tuple[ShownDocument, ...], ...]:
    """Divide documents into the groups that are read in one call each, in order.

    `room` is the number of tokens that the engine can read; a third of it is used for the documents. A document that is
    not whole counts as `characters`, so that the groups do not depend on what the search finds in it.
    """
    result: list[list[ShownDocument]] = []
    size = 0
    for document in documents:
        usual = _WHOLE_BATCH_TOKENS if document.whole else _BATCH_TOKENS
        most = CHARACTERS_PER_TOKEN * min(usual, (room or 3 * usual) // 3)
        length = sum(len(passage.text) for passage in document.passages) if document.whole else characters
        if result and size + length <= most:
            result[-1].append(document)
            size += length
        else:
            result.append([document])
            size = length
    return tuple(map(tuple, result))


def decided_rows(
    memories: Sequence[Memory],
    undecided: Sequence[str],
    titles: Mapping[str, str],
    evidence: Evidence,
    question: str,
) -> tuple[SurveyRow, ...]:
    """Return the decision on each document, those that belong first, with the statement of the document's reader."""
    latest: dict[str, Memory] = {}
    for memory in memories:
        before = latest.get(memory.target_document_id)
        if memory.target_document_id != SUMMARY and (before is None or not before.verdict.is_evidence):
            latest[memory.target_document_id] = memory
    rows = [_row(memory, titles.get(name, ""), evidence, question) for name, memory in latest.items()]
    rows += [SurveyRow(document_id=name, title=titles.get(name, ""), decision=Decision.UNDECIDED) for name in undecided]
    order = list(Decision)
    return tuple(sorted(rows, key=lambda row: (order.index(row.decision), row.document_id)))


def with_details(
    rows: Sequence[SurveyRow], details: Sequence[Statement]
) -> tuple[tuple[SurveyRow, ...], tuple[Statement, ...]]:
    """Return the rows with the writer's statement on a document in place of its reader's, and the other details.

    So nothing is said twice, in the table and above it.
    """
    left = list(details)
    result = []
    for row in rows:
        names = {row.document_id}
        own = next((entry for entry in left if {quote.document_id for quote in entry.quotes} == names), None)
        if own is not None and row.statement is not None:
            left.remove(own)
            row = row.changed(statement=own)
        result.append(row)
    return tuple(result), tuple(left)


def _row(memory: Memory, title: str, evidence: Evidence, question: str) -> SurveyRow:
    decision = _DECISIONS[memory.verdict]
    quotes = evidence.holding(memory.quotes) or memory.quotes  # there may be more than the writer sees
    if decision is Decision.YES and not quotes:
        decision = Decision.UNCLEAR  # the reader gave no quote that stands in the document
    statement = None
    if decision in (Decision.YES, Decision.UNCLEAR) and quotes:
        text = one_line(memory.reply or quotes[0].text)
        statement = noted(Statement(head=memory.head, text=text, quotes=quotes), question)
    return SurveyRow(document_id=memory.target_document_id, title=title, decision=decision, statement=statement)
