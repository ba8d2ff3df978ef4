"""Answers with the best quotes, verbatim and without repetition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import Span, Stretch, context_of
from investigator.engines.extractive.ranking import ranked
from investigator.language.normalise import one_line
from investigator.language.terms import content_words, stem, words
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    CheckReply,
    CheckVariables,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    PartReply,
    PartStatus,
    ProposedStatement,
    StatementCheck,
    Support,
    Verdict,
)

_MOST_STATEMENTS = 6
_SUPPORTING = "E"
_SAME = 0.7


def answer(variables: AnswerVariables, embedder: Embedder) -> AnswerReply:
    """Return the best quotes of all documents as verbatim statements, best first, the first of each passage under its
    heading; none if no document has a sentence that is near enough to the question.
    """
    is_near = not variables.notes or any(note.verdict == Verdict.ANSWERS for note in variables.notes)
    documents = variables.documents if is_near else ()
    passages = [(document, passage) for document in documents for passage in document.passages]
    chosen: list[tuple[str, EvidenceSpan]] = []
    for passage, quote in _best_first(passages, variables.question, embedder):
        if len(chosen) < _MOST_STATEMENTS and not _repeats(quote.text, (other.text for _, other in chosen)):
            is_first = quote is next(_supporting(passage))[1]
            chosen.append((passage.heading if is_first else "", quote))
    status = PartStatus.ANSWERED if chosen else PartStatus.NOT_STATED
    details = (ProposedStatement(head=one_line(head), text=one_line(q.text), evidence=(q.id,)) for head, q in chosen)
    parts = (PartReply(part=number, status=status) for number in range(1, len(variables.parts) + 1))
    return AnswerReply(details=tuple(details), parts=tuple(parts))


def check(variables: CheckVariables) -> CheckReply:
    """Return which statements are their quotes, word for word; nothing else is judged."""
    support = {True: Support.VERBATIM, False: Support.UNCHECKED}
    checks = (StatementCheck(number=each.number, support=support[each.verbatim]) for each in variables.statements)
    return CheckReply(statements=tuple(checks))


def _best_first(
    passages: Sequence[tuple[EvidenceDocument, EvidencePassage]], question: str, embedder: Embedder
) -> Iterator[tuple[EvidencePassage, EvidenceSpan]]:
    """Yield the quotes that may support an answer, each with its passage, in the order of their best sentences."""
    stretches = [
        Stretch(
            text="".join(span.text for span in passage.spans),
            context=context_of(document, passage.heading),
            match=(document.point or 0) / 100,
        )
        for document, passage in passages
    ]
    left = [list(_supporting(passage)) for _, passage in passages]
    ranking = ranked(stretches, question, embedder)
    for candidate in ranking.best:
        for entry in left[candidate.stretch]:
            (start, end), span = entry
            if candidate.span[0] < end and start < candidate.span[1]:
                left[candidate.stretch].remove(entry)
                yield passages[candidate.stretch][1], span
                break
    if not ranking.sentences:  # all of them are too short to be compared
        yield from ((passage, span) for (_, passage), own in zip(passages, left, strict=True) for _, span in own)


def _supporting(passage: EvidencePassage) -> Iterator[tuple[Span, EvidenceSpan]]:
    at = 0
    for span in passage.spans:
        if span.id.startswith(_SUPPORTING):
            yield (at, at + len(span.text)), span
        at += len(span.text)


def _repeats(text: str, others: Iterable[str]) -> bool:
    """Return True if another text has most words of a text. Texts that each have a figure that the other lacks
    contradict each other or differ in subject.
    """
    for other in others:
        a, b = ({stem(word) for word in content_words(each)} for each in (text, other))
        c, d = ({word for word in words(each) if any(map(str.isdigit, word))} for each in (text, other))
        if a and b and len(a & b) / min(len(a), len(b)) >= _SAME and not (c - d and d - c):
            return True
    return False
