"""Shortens the variables of a prompt that is too long by dropping their least important parts. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TypeVar

from investigator.language.relevance import best_stretch, stems
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckVariables,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    ExtractVariables,
    OutlineVariables,
    PlanVariables,
    ReflectVariables,
    RowVariables,
    SectionVariables,
    ShownDocument,
    ShownPassage,
    SummaryVariables,
)

Item = TypeVar("Item")
Row = TypeVar("Row", RowVariables, ExtractVariables)
Checked = TypeVar("Checked", CheckVariables, SectionVariables)

_LEFT_OUT = " [...] "


def less_to_plan(variables: PlanVariables, share: float) -> PlanVariables | None:
    """Keep fewer documents to choose from, then fewer memories."""
    if len(variables.documents) > 1:
        return variables.changed(documents=_first(variables.documents, share))
    if variables.history:
        return variables.changed(history=_first(variables.history, share, fewest=0))
    return None


def less_to_ask(variables: AskVariables, share: float) -> AskVariables | None:
    """Return fewer passages, but at least one for each document; then fewer whole sentences, so that no quote is cut.
    None if nothing more can be omitted.
    """
    documents = _fewer_passages(variables.documents, variables.main_question, share)
    return variables.changed(documents=documents) if documents is not None else None


def less_to_row(variables: Row, share: float) -> Row | None:
    """Return fewer passages of the document, or fewer whole sentences of a single passage."""
    documents = _fewer_passages((variables.document,), " ".join(variables.questions), share)
    return variables.changed(document=documents[0]) if documents is not None else None


def less_to_reflect(variables: ReflectVariables, share: float) -> ReflectVariables | None:
    """Drop the memories with the lowest scores; the others keep their order."""
    if len(variables.memories) < 2:
        return None
    best = _first(sorted(variables.memories, key=lambda memory: -(memory.point or 0)), share)
    kept = {memory.id for memory in best}
    return variables.changed(memories=tuple(m for m in variables.memories if m.id in kept))


def less_to_answer(variables: AnswerVariables, share: float) -> AnswerVariables | None:
    """Drop notes, then the text around the quotes of the last documents, then the last quotes of the documents with the
    most passages.
    """
    if variables.notes:
        return variables.changed(notes=_first(variables.notes, share, fewest=0))
    ids = {name for document in variables.documents for name in document.ids}
    documents = _less_around(variables.documents, ids, share) or _less_evidence(variables.documents, share)
    return variables.changed(documents=documents) if documents is not None else None


def less_to_outline(variables: OutlineVariables, share: float) -> OutlineVariables | None:
    """Keep fewer documents."""
    if len(variables.documents) < 2:
        return None
    return variables.changed(documents=_first(variables.documents, share))


def less_to_section(variables: SectionVariables, share: float) -> SectionVariables | None:
    """Drop what other sections say, then as for a check."""
    if any(other.statements for other in variables.others):
        return variables.changed(others=tuple(other.changed(statements=()) for other in variables.others))
    return less_to_check(variables, share)


def less_to_summary(variables: SummaryVariables, share: float) -> SummaryVariables | None:
    """Drop the last statements of each section, but never its first."""
    fewer = tuple(
        section.changed(statements=_first(section.statements, share)) if len(section.statements) > 1 else section
        for section in variables.sections
    )
    return variables.changed(sections=fewer) if fewer != variables.sections else None


def less_to_check(variables: Checked, share: float) -> Checked | None:
    """Drop the text around the quotes of the last documents, and quotes that no statement cites."""
    cited = {name for statement in variables.statements for name in statement.evidence}
    documents = _less_around(variables.documents, cited, share)
    return variables.changed(documents=documents) if documents is not None else None


def _first(items: Sequence[Item], share: float, fewest: int = 1) -> tuple[Item, ...]:
    """Return about the given share of the items, from the start, and always at least one item fewer than there are."""
    return tuple(items[: max(fewest, min(len(items) - 1, math.floor(len(items) * share)))])


def _fewer_passages(
    documents: tuple[ShownDocument, ...], question: str, share: float
) -> tuple[ShownDocument, ...] | None:
    """Return the documents with about the given share of their text; None if nothing can be omitted.

    Passages of the documents that match least are dropped first, those with the worst rank before the others; the last
    passage of a document is shortened instead, but never below one sentence.
    """
    if dropped := _dropped(documents, share):
        kept = tuple(
            tuple(passage for place, passage in enumerate(document.passages) if (number, place) not in dropped)
            for number, document in enumerate(documents)
        )
    else:
        kept = tuple(tuple(_shortened(each, question, share) for each in document.passages) for document in documents)
    less = tuple(
        document if passages == document.passages else document.changed(passages=passages, whole=False)
        for document, passages in zip(documents, kept, strict=True)
    )
    return less if less != documents else None


def _dropped(documents: Sequence[ShownDocument], share: float) -> set[tuple[int, int]]:
    """Return the passages to drop, as numbers of a document and of a passage in it."""
    counts = [len(document.passages) for document in documents]
    left = sum(len(passage.text) for document in documents for passage in document.passages)
    room = share * left
    order = sorted(
        (passage.match or 0.0, -passage.rank, -place, number)
        for number, document in enumerate(documents)
        for place, passage in enumerate(document.passages)
    )
    dropped: set[tuple[int, int]] = set()
    for _, _, place, number in order:
        if dropped and left <= room:
            break
        if counts[number] > 1:
            counts[number] -= 1
            left -= len(documents[number].passages[-place].text)
            dropped.add((number, -place))
    return dropped


def _shortened(passage: ShownPassage, question: str, share: float) -> ShownPassage:
    """Return whole sentences around the one that shares the most words with the question, about the given share of a
    passage; a single sentence is never cut.
    """
    spans = list(sentence_spans(passage.text))
    if len(spans) < 2:
        return passage
    room = min(len(passage.text) * share, len(passage.text) - 1)  # something is always left out
    start, end = best_stretch(passage.text, spans, stems(content_words(question)), room)
    # the page is known only for the beginning of a passage
    page = passage.page if start == 0 else None
    return passage.changed(text=passage.text[start:end], start=passage.start + start, page=page)


def _less_around(
    documents: tuple[EvidenceDocument, ...], ids: Collection[str], share: float
) -> tuple[EvidenceDocument, ...] | None:
    """Return the documents, the last ones with nothing but the quotes with these ids; None if all are so already."""
    room = share * sum(map(_length, documents))
    kept = list(documents)
    for place in reversed(range(len(kept))):
        if tuple(kept) != documents and sum(map(_length, kept)) <= room:
            break
        kept[place] = _bare(kept[place], ids)
    bare = tuple(document for document in kept if document.passages)
    return bare if bare != documents and bare else None


def _bare(document: EvidenceDocument, ids: Collection[str]) -> EvidenceDocument:
    """Return a document with nothing but the quotes with these ids; a mark stands for the text between them."""
    kept = tuple(
        passage.changed(spans=_quotes_of(passage, ids))
        for passage in document.passages
        if any(span.id in ids for span in passage.spans)
    )
    return document if kept == document.passages else document.changed(passages=kept, whole=False)


def _quotes_of(passage: EvidencePassage, ids: Collection[str]) -> tuple[EvidenceSpan, ...]:
    spans: list[EvidenceSpan] = []
    for span in (span for span in passage.spans if span.id in ids):
        spans += [EvidenceSpan(text=_LEFT_OUT), span] if spans else [span]
    return tuple(spans)


def _less_evidence(documents: tuple[EvidenceDocument, ...], share: float) -> tuple[EvidenceDocument, ...] | None:
    """Return the documents without the last passages of those that have the most; None if only one passage is left."""
    kept = [list(document.passages) for document in documents]
    left = sum(map(_length, documents))
    room, count = share * left, sum(map(len, kept))
    if count < 2:
        return None
    for dropped in range(count - 1):
        if dropped and left <= room:
            break
        most = max(range(len(kept)), key=lambda number: (len(kept[number]), number))
        left -= sum(len(span.text) for span in kept[most].pop().spans)
    pairs = zip(documents, kept, strict=True)
    return tuple(document.changed(passages=tuple(passages), whole=False) for document, passages in pairs if passages)


def _length(document: EvidenceDocument) -> int:
    return sum(len(span.text) for passage in document.passages for span in passage.spans)
