"""The built-in engine: routes each prompt to its handler, and finds the passages that most likely answer a question.

Nobody has read them: they are only near.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, repeat

from investigator.engines.base import Embedder, Traits
from investigator.engines.extractive.candidates import Ranked, Span, Stretch, context_of, ranked
from investigator.errors import SettingsError
from investigator.language.normalise import one_line
from investigator.language.terms import content_words, stem, words
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CellReply,
    CheckReply,
    CheckVariables,
    DocumentReply,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    ExtractReply,
    ExtractVariables,
    OutlineReply,
    OutlineVariables,
    PartReply,
    PartStatus,
    PlanReply,
    PlanVariables,
    Prompt,
    ProposedStatement,
    ProposedStep,
    Record,
    ReflectReply,
    ReflectVariables,
    Reply,
    RowReply,
    RowVariables,
    ShownDocument,
    StatementCheck,
    Support,
    ValueReply,
    Verdict,
)
from investigator.scoring.calibration import calibration_digest

_STRATEGY = "Read the documents whose passages match best."
_EDITION = 7
"""Number of the way in which passages are found; it is raised whenever the same calibration gives other replies."""
_USEFUL_TOKENS = 6_000  # prompts may be longer; every sentence is embedded, a few hundred in a second
_MOST_QUOTES = 3
_MOST_STATEMENTS = 6
_SUPPORTING = "E"
_SAME = 0.7

Answers = Callable[[str, Record], Record | None]
"""Answers templates that do not belong to the method: takes a template and its variables, and returns the reply or
None.
"""


class ExtractiveEngine:
    """Answers the method's templates without a language model. Deterministic and thread-safe.

    `others` creates a function that answers other templates, such as those of a chat.
    """

    def __init__(self, embedder: Embedder, others: Callable[[Embedder], Answers] | None = None) -> None:
        self.name = f"extractive:{embedder.name}"
        self._embedder = embedder
        self._others = others(embedder) if others is not None else None

    def answering(self, others: Callable[[Embedder], Answers]) -> ExtractiveEngine:
        """Return a copy of the engine that also answers other templates."""
        return ExtractiveEngine(self._embedder, others)

    @property
    def traits(self) -> Traits:
        """Return the traits: points depend on search scores as well as on texts, and on one calibration."""
        sampling = f"finder {_EDITION}, calibration {calibration_digest()}"
        return Traits(goes_by_measures=True, context_tokens=_USEFUL_TOKENS, sampling=sampling)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the reply as JSON. Raises SettingsError for an unknown template."""
        text = json.dumps(self._answer(prompt).model_dump(mode="python"), ensure_ascii=False, separators=(",", ":"))
        return Reply(text=text.encode("utf-8", "replace").decode("utf-8"))  # a lone surrogate becomes "?"

    def _answer(self, prompt: Prompt) -> Record:
        match prompt.variables:
            case PlanVariables() as variables:
                return _plan(variables)
            case OutlineVariables():
                return OutlineReply()  # a single part, the subject itself, because nobody has read what else there is
            case AskVariables() as variables:
                return ask(variables, self._embedder)
            case RowVariables() as variables:
                return fill_row(variables, self._embedder)
            case ExtractVariables() as variables:
                return fill_columns(variables, self._embedder)
            case ReflectVariables():
                return ReflectReply()  # nobody has read anything that names something else to search for
            case AnswerVariables() as variables:
                return answer(variables, self._embedder)
            case CheckVariables() as variables:
                return check(variables)
        if self._others is not None and (reply := self._others(prompt.template, prompt.variables)) is not None:
            return reply
        raise SettingsError(
            f"the built-in engine cannot answer the template {prompt.template!r}",
            hint="Choose a language model for it with --model provider:name.",
        )


def _plan(variables: PlanVariables) -> PlanReply:
    """Return steps for the best matches, of which passages are shown, that have not been read yet.

    Reading costs next to nothing, so documents are not left out for a poor match. A follow-up question gets the words
    of the question before it, because they name what it refers to.
    """
    before = [turn.question for turn in variables.earlier[-1:]]
    question = " ".join(text.strip() for text in (*before, variables.question))
    unread = (card for card in variables.documents if card.passages and not card.times_read)
    chosen = sorted(unread, key=lambda card: -card.match)
    steps = (ProposedStep(document_id=card.document_id, purpose=question) for card in chosen[: variables.step_limit])
    return PlanReply(question=question if variables.earlier else "", strategy=_STRATEGY, steps=tuple(steps))


def ask(variables: AskVariables, embedder: Embedder) -> AskReply:
    """Return the best passages of each document, as quotes and as the reply, with a point.

    The sentences of all documents are compared together: what is far behind the best one says nothing on the question.
    If the question is followed by lines that repeat it with more words, these choose among the documents that count,
    and find others only if none does.
    """
    own = [stretches(document) for document in variables.documents]
    question, *more = variables.main_question.splitlines() or [""]
    if not all(line.startswith(question) for line in more):
        question, more = variables.main_question, []
    parts, counted = _compared(own, question, embedder)
    for line in more:
        of_line, counted_too = _compared(own, line, embedder)
        both = [each and too for each, too in zip(counted, counted_too, strict=True)]
        if not any(counted):
            parts, counted = of_line, counted_too
        elif any(both):
            counted = both
    readings = map(_reading, variables.documents, parts, counted, repeat(variables.most_quotes))
    return AskReply(readings=tuple(readings))


def _compared(
    own: Sequence[Sequence[Stretch]], question: str, embedder: Embedder
) -> tuple[Sequence[Ranked], Sequence[bool]]:
    """Return the sentences of each document, and whether they count."""
    every = ranked([stretch for texts in own for stretch in texts], question, embedder)
    starts = accumulate((len(texts) for texts in own), initial=0)
    parts = [every.part(first, end) for first, end in pairwise(starts)]
    is_alone = len(parts) == 1  # others, which are read elsewhere, may count
    return parts, [part.counts or (part.counts_beside and (is_alone or every.counts)) for part in parts]


def fill_row(variables: RowVariables | ExtractVariables, embedder: Embedder) -> RowReply:
    """Return the best passage of the document for each question, if one is near enough."""
    texts = stretches(variables.document)
    cells = (_cell(number, ranked(texts, question, embedder)) for number, question in enumerate(variables.questions, 1))
    return RowReply(answers=tuple(cells))


def fill_columns(variables: ExtractVariables, embedder: Embedder) -> ExtractReply:
    """Return the best passage for each column, without a value."""
    cells = fill_row(variables, embedder).answers
    return ExtractReply(
        cells=tuple(ValueReply(column=cell.question, verdict=cell.verdict, quotes=cell.quotes) for cell in cells)
    )


def stretches(document: ShownDocument) -> list[Stretch]:
    """Return the passages of a document; without a search, the document is as likely as not."""
    return [
        Stretch(passage.text, context_of(document, passage.heading), 0.5 if passage.match is None else passage.match)
        for passage in document.passages
    ]


def _reading(document: ShownDocument, best: Ranked, is_counted: bool, most_quotes: int) -> DocumentReply:
    quotes = best.quotes(min(_MOST_QUOTES, most_quotes) if is_counted else 1)
    beside = Verdict.IN_PART if is_counted else Verdict.NOT_STATED
    return DocumentReply(
        document=document.document_id,
        verdict=Verdict.ANSWERS if best.counts and is_counted else beside,
        point=best.point,
        quotes=quotes,
        reply=" ".join(map(one_line, quotes)) if is_counted else "",
    )


def _cell(number: int, best: Ranked) -> CellReply:
    if not best.counts:
        return CellReply(question=number, verdict=Verdict.NOT_STATED)
    (quote,) = best.quotes(1)
    return CellReply(question=number, verdict=Verdict.ANSWERS, quotes=(quote,), answer=one_line(quote))


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
    for candidate, _ in ranking.sentences:  # each reading has left out what is far behind the best one
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
    """Return True if another text has most words of a text and the same figures: texts with other figures may
    contradict each other or differ in subject.
    """
    for other in others:
        a, b = ({stem(word) for word in content_words(each)} for each in (text, other))
        c, d = ({word for word in words(each) if any(map(str.isdigit, word))} for each in (text, other))
        if a and b and len(a & b) / min(len(a), len(b)) >= _SAME and c == d:
            return True
    return False
