"""The built-in engine: routes each prompt to its handler, and finds the passages that most likely answer a question.

Nobody has read them: they are only near.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate, pairwise, repeat

from investigator.engines.base import Embedder, Traits
from investigator.engines.extractive.answering import answer, check
from investigator.engines.extractive.candidates import Stretch, context_of
from investigator.engines.extractive.ranking import Ranked, ranked
from investigator.errors import SettingsError
from investigator.language.normalise import one_line
from investigator.records import (
    AnswerVariables,
    AskReply,
    AskVariables,
    CellReply,
    CheckVariables,
    DocumentReply,
    PlanReply,
    PlanVariables,
    Prompt,
    ProposedStep,
    Record,
    ReflectReply,
    ReflectVariables,
    Reply,
    RowReply,
    RowVariables,
    ShownDocument,
    Verdict,
)
from investigator.scoring.calibration import calibration_digest

_STRATEGY = "Read the documents whose passages match best."
_EDITION = 5
"""Number of the way in which passages are found; it is raised whenever the same calibration gives other replies."""
_USEFUL_TOKENS = 6_000  # prompts may be longer; every sentence is embedded, a few hundred in a second

Answers = Callable[[str, Record], Record | None]
"""Answers templates that do not belong to the method: takes a template and its variables, and returns the reply or
None.
"""


def _no_others(_: Embedder) -> Answers:
    return lambda template, variables: None


class ExtractiveEngine:
    """Answers the method's templates without a language model. Deterministic and thread-safe.

    `others` creates a function that answers other templates, such as those of a chat.
    """

    def __init__(self, embedder: Embedder, others: Callable[[Embedder], Answers] = _no_others) -> None:
        self.name = f"extractive:{embedder.name}"
        self._embedder = embedder
        self._others = others(embedder)

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
            case AskVariables() as variables:
                return ask(variables, self._embedder)
            case RowVariables() as variables:
                return fill_row(variables, self._embedder)
            case ReflectVariables():
                return ReflectReply()  # nobody has read anything that names something else to search for
            case AnswerVariables() as variables:
                return answer(variables, self._embedder)
            case CheckVariables() as variables:
                return check(variables)
        reply = self._others(prompt.template, prompt.variables)
        if reply is not None:
            return reply
        raise SettingsError(
            f"the built-in engine cannot answer the template {prompt.template!r}",
            hint="Choose a language model for it with --model provider:name.",
        )


def _plan(variables: PlanVariables) -> PlanReply:
    """Return steps for the best matches that have not been read yet.

    Reading costs next to nothing, so documents are not left out for a poor match. A follow-up question gets the words
    of the question before it, because they name what it refers to.
    """
    before = [turn.question for turn in variables.earlier[-1:]]
    question = " ".join(text.strip() for text in (*before, variables.question))
    chosen = sorted((card for card in variables.documents if not card.times_read), key=lambda card: -card.match)
    steps = (ProposedStep(document_id=card.document_id, purpose=question) for card in chosen[: variables.step_limit])
    return PlanReply(question=question if variables.earlier else "", strategy=_STRATEGY, steps=tuple(steps))


_MOST_QUOTES = 3


def ask(variables: AskVariables, embedder: Embedder) -> AskReply:
    """Return the best passages of each document, as quotes and as the reply, with a point.

    The sentences of all documents are compared together: what is far behind the best one says nothing on the question.
    """
    own = [stretches(document) for document in variables.documents]
    every = ranked([stretch for texts in own for stretch in texts], variables.main_question, embedder)
    starts = accumulate((len(texts) for texts in own), initial=0)
    parts = [every.part(first, end) for first, end in pairwise(starts)]
    is_alone = len(parts) == 1  # others, which are read elsewhere, may count
    counted = [part.counts or (part.counts_beside and (is_alone or every.counts)) for part in parts]
    readings = map(_reading, variables.documents, parts, counted, repeat(variables.most_quotes))
    return AskReply(readings=tuple(readings))


def fill_row(variables: RowVariables, embedder: Embedder) -> RowReply:
    """Return the best passage of the document for each question, if one is near enough."""
    texts = stretches(variables.document)
    cells = (_cell(number, ranked(texts, question, embedder)) for number, question in enumerate(variables.questions, 1))
    return RowReply(answers=tuple(cells))


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
        verdict=Verdict.ANSWERS if best.counts else beside,
        point=best.point,
        quotes=quotes,
        reply=" ".join(map(one_line, quotes)) if is_counted else "",
    )


def _cell(number: int, best: Ranked) -> CellReply:
    if not best.counts:
        return CellReply(question=number, verdict=Verdict.NOT_STATED)
    (quote,) = best.quotes(1)
    return CellReply(question=number, verdict=Verdict.ANSWERS, quotes=(quote,), answer=one_line(quote))
