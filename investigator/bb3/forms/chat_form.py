"""Prompts chat models with templates; statements about documents in their replies are proven or withheld."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply
from investigator.bb3.exchange import ModuleReply, ModuleRequest
from investigator.bb3.extractive.modules import plain_turns
from investigator.bb3.extractive.searching import question_of
from investigator.bb3.forms.echoes import stands_in, whole_sentences, without_prompt, without_tags
from investigator.bb3.forms.proven_replies import ProvenSentences, proven_beginning, proven_quotes, resting_on
from investigator.bb3.memory.text import owner_of
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import (
    DecisionReply,
    FactReply,
    FactsVariables,
    KnowledgeReply,
    Module,
    PassagesVariables,
    PersonalFact,
    PhraseReply,
    ResponseReply,
    ResponseVariables,
    Speaker,
    TurnsVariables,
)
from investigator.bb3.search.folder_search import FolderSearch
from investigator.bb3.search.served import ServedQuote
from investigator.engines.base import Hear
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.evidence.claims import unsaid as unsaid_in
from investigator.language.normalise import one_line
from investigator.records import Document, Passage, Quote, Record
from investigator.research.rows import asked_rows
from investigator.research.verdict import answering_quotes
from investigator.scoring.calibration import default_calibration

_SCORES = {Module.SRM: 2.0, Module.MRM: 1.0}
"""Chat models return no probabilities, so a separate reply with proven quotes is preferred to one that is based on a
memory.
"""
_POINT_OF_MODELS = 50
"""The minimum point for sentences chosen by a model to count as knowledge; below it, the rules choose sentences."""
_LONGEST_QUERY = 200  # maximum number of characters in a query, unless the last turn is longer
_LONGEST_TOLD = 200  # maximum number of characters kept from a decision that could not be parsed

Variables = TurnsVariables | FactsVariables | PassagesVariables | ResponseVariables
R = TypeVar("R", bound=Record)


class ChatForm:
    """Asks the modules through clients. Thread-safe. `client_of` returns a client whose `chat` role is the module's
    engine; `folder` contains the documents in which quotes are proven. Up to `side_by_side` requests run concurrently.
    `on_step` is called before each module call, and `say` receives the proven part of a model's unfinished reply, for
    one request at a time.
    """

    def __init__(
        self,
        client_of: Callable[[Module], EngineClient],
        folder: FolderSearch | None = None,
        side_by_side: int = 1,
        on_step: Callable[[Module], None] = lambda _: None,
        say: Hear | None = None,
    ) -> None:
        self._client_of = client_of
        self._folder = folder
        self._side_by_side = side_by_side
        self._on_step = on_step
        self._say = say

    def ask(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        """Return one reply for each request. Raises EngineError, TemplateError, StoreError, and BudgetSpent, which is a
        signal rather than an error.
        """
        for module in dict.fromkeys(request.module for request in requests):
            self._on_step(module)
        if len(requests) < 2 or self._side_by_side < 2:
            return [self._reply(request) for request in requests]
        with ThreadPoolExecutor(min(self._side_by_side, len(requests))) as pool:
            return list(pool.map(self._reply, requests))

    def _reply(self, request: ModuleRequest) -> ModuleReply:
        match request.module:
            case Module.SDM | Module.MDM:
                return self._decided(request)
            case Module.SGM | Module.MGM | Module.CKM:
                return self._phrase(request)
            case Module.MKM:
                return self._recalled(request)
            case Module.SKM:
                return self._known(request)
            case _:
                return self._said(request)

    def _decided(self, request: ModuleRequest) -> ModuleReply:
        reading = self._read(request, DecisionReply)
        if reading.value is None:  # the model's text is recorded unchanged, and the rules decide instead
            own = self._opinion(request, DecisionReply)
            said = one_line(reading.raw)[:_LONGEST_TOLD] or "nothing"
            return ModuleReply(text=said, needed=own is not None and own.needed, failed=True)
        row, needed = TABLE[request.module], reading.value.needed
        return ModuleReply(text=row.yes if needed else row.no, needed=needed)

    def _phrase(self, request: ModuleRequest) -> ModuleReply:
        value = self._read(request, PhraseReply).value
        text = value.text.strip() if value is not None else ""
        if value is not None and (not self._is_model(request) or _is_fitting(request, text)):
            return ModuleReply(text=text)
        own = self._opinion(request, PhraseReply)
        return ModuleReply(text="" if own is None else own.text, failed=own is None and value is None)

    def _recalled(self, request: ModuleRequest) -> ModuleReply:
        value = self._read(request, FactReply).value
        memory = dict(enumerate(request.memories, 1)).get(value.fact_id or 0, "") if value is not None else ""
        return ModuleReply(text=memory, failed=value is None)

    def _known(self, request: ModuleRequest) -> ModuleReply:
        value = self._read(request, KnowledgeReply).value
        quotes, problems = tuple[Quote, ...](), tuple[str, ...]()
        calibrated = default_calibration().threshold if any(document.passage for document in request.documents) else 0
        is_model = self._is_model(request)
        if value is not None:
            quotes, problems = self._worth_it(value, request, _POINT_OF_MODELS if is_model else calibrated, is_model)
        own = None if quotes else self._opinion(request, KnowledgeReply)
        if own is not None:
            quotes, more = self._worth_it(own, request, default_calibration().threshold, is_model=False)
            problems = tuple(dict.fromkeys((*problems, *more)))
        text = " ".join(one_line(quote.text) for quote in quotes)
        failed = value is None and not quotes
        return ModuleReply(text=text, quotes=quotes, failed=failed, source_problem="; ".join(problems))

    def _worth_it(
        self, knowledge: KnowledgeReply, request: ModuleRequest, least: int, is_model: bool
    ) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
        """Return the proven quotes, and for every other quote the reason why it is unproven. For the built-in engine,
        quotes that contain everything the turn asks for come first, trimmed, whatever their point; other quotes must
        come from other documents and have a point of at least `least`.
        """
        is_enough = knowledge.point is None or knowledge.point >= least
        if is_model and not is_enough:
            return (), ()
        quotes, problems = self._proven(knowledge, request)
        if is_model or self._folder is None:
            return (quotes if is_enough else ()), problems
        return self._as_answer(
            question_of(plain_turns(request.turns)), quotes, is_enough, self._folder.document
        ), problems

    @staticmethod
    def _as_answer(
        asked: str, quotes: Sequence[Quote], is_enough: bool, document: Callable[[str], Document]
    ) -> tuple[Quote, ...]:
        own = [quote for quote in quotes if not isinstance(quote, ServedQuote)]
        met = answering_quotes(asked, own, document) if asked else ()
        if not is_enough:
            return met
        seen = {quote.document_id for quote in met}
        rows = (row for quote in own for row in asked_rows(quote, asked, document(quote.document_id)))
        return (*met, *(quote for quote in rows if quote.document_id not in seen), *(q for q in quotes if q not in own))

    def _proven(self, knowledge: KnowledgeReply, request: ModuleRequest) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
        """Return the quotes that the files still contain, and for every other quote the reason why it is unproven."""
        told = ((item.text, item.passage) for item in knowledge.sentences)
        if self._folder is None:
            return proven_quotes(told, request.documents, None), ()
        quotes = proven_quotes(told, request.documents, self._folder.sources)
        served = tuple(quote for quote in quotes if isinstance(quote, ServedQuote))
        standing, problems = self._folder.standing([quote for quote in quotes if not isinstance(quote, ServedQuote)])
        return (*standing, *served), problems

    def _said(self, request: ModuleRequest) -> ModuleReply:
        template = _variables(request)[1]
        score = _SCORES.get(request.module, 0.0)
        text = unsaid = ""
        if not self._is_model(request):
            value = self._read(request, ResponseReply).value
            text = value.reply.strip() if value is not None else ""
        elif request.quotes or template != Module.SRM.template:  # a model's reply without quotes would be withheld
            text, unsaid = self._said_by_model(request)
        if text:
            return ModuleReply(text=text, score=score, quotes=resting_on(text, request.quotes), unsaid=unsaid)
        own = self._opinion(request, ResponseReply)
        if own is None:
            return ModuleReply(text="", failed=True, unsaid=unsaid)
        return ModuleReply(text=own.reply, score=score, quotes=request.quotes, is_stock=True, unsaid=unsaid)

    def _said_by_model(self, request: ModuleRequest) -> tuple[str, str]:
        """Return the proven part of a model's reply, which includes all text already streamed, and the rest."""
        own_words = self._client_of(request.by).prompts.own_words(_variables(request)[1])
        heard = ProvenSentences(request, self._say, own_words)
        try:
            value = self._read(request, ResponseReply, heard.hear if self._say else None).value
        except EngineError as error:
            if not heard.said:
                raise
            return heard.said, f"… ({error.message})"
        written = value.reply.strip() if value is not None else ""
        proven = proven_beginning(whole_sentences(without_prompt(written, own_words)), request)
        text = proven if proven.startswith(heard.said) else heard.said
        return text, without_tags(written.removeprefix(text))

    def _read(self, request: ModuleRequest, reply_type: type[R], hear: Hear | None = None) -> ReadReply[R]:
        variables, template = _variables(request)
        return self._client_of(request.by).ask(template, variables, reply_type, smaller=less_said, hear=hear)

    def _opinion(self, request: ModuleRequest, reply_type: type[R]) -> R | None:
        variables, template = _variables(request)
        return self._client_of(request.by).opinion(template, variables, reply_type)

    def _is_model(self, request: ModuleRequest) -> bool:
        return self._client_of(request.by).traits(Role.CHAT).is_model


def chat_prompt(request: ModuleRequest, prompts: Prompts) -> str:
    """Return the text of a module's prompt. Raises TemplateError."""
    variables, template = _variables(request)
    return prompts.prompt(template, variables).text


def _variables(request: ModuleRequest) -> tuple[Variables, str]:
    """Return the variables and the template for a module. The template for a response depends on its knowledge: quotes
    come before a memory, and a memory before a topic.
    """
    turns, template = request.turns, request.module.template
    match request.module:
        case Module.MDM | Module.MKM | Module.ORM:
            return FactsVariables(turns=turns, facts=_facts(request.memories)), template
        case Module.SKM:
            found = (document.passage or _as_passage(document.text, document.url) for document in request.documents)
            return PassagesVariables(turns=turns, passages=tuple(found)), template
        case Module.SDM | Module.SGM | Module.MGM | Module.CKM:
            return TurnsVariables(turns=turns), template
    fact = _facts((request.memory,))[0] if request.memory else None
    if request.quotes:
        module = Module.SRM
    elif fact is not None:
        module = Module.MRM
    elif request.entity:
        module = Module.CRM
    elif request.module is Module.SRM:
        module = Module.SRM
    else:
        return TurnsVariables(turns=turns), Module.VRM.template
    variables = ResponseVariables(turns=turns, entity=request.entity, fact=fact, knowledge=request.quotes)
    return variables, module.template


def less_said(variables: Variables, share: float) -> Variables | None:
    """Return the variables with the oldest turns dropped or, if only one turn is left, the last passages or the oldest
    facts; None if there is nothing left to drop.
    """
    turns = variables.turns
    if len(turns) > 1:
        return variables.changed(turns=turns[-_fewer(len(turns), share, 1) :])
    if isinstance(variables, PassagesVariables) and len(variables.passages) > 1:
        return variables.changed(passages=variables.passages[: _fewer(len(variables.passages), share, 1)])
    if isinstance(variables, FactsVariables) and variables.facts:
        number = len(variables.facts)
        return variables.changed(facts=variables.facts[number - _fewer(number, share, 0) :])
    return None


def _fewer(number: int, share: float, least: int) -> int:
    return max(least, min(number - 1, int(number * share)))


def _facts(memories: Sequence[str]) -> tuple[PersonalFact, ...]:
    owned = enumerate(map(owner_of, memories), 1)
    return tuple(PersonalFact(id=n, speaker=who or Speaker.PARTNER, text=text) for n, (who, text) in owned)


def _is_fitting(request: ModuleRequest, text: str) -> bool:
    """Return True if the text is a short query without new figures, or a memory or topic that occurs verbatim in the
    conversation.
    """
    last, said = request.turns[-1].text if request.turns else "", "\n".join(turn.text for turn in request.turns)
    if request.module is Module.SGM:
        return len(text) <= max(_LONGEST_QUERY, len(last)) and unsaid_in(text, said) is None
    return stands_in(text, last if request.module is Module.MGM else said)


def _as_passage(text: str, source: str) -> Passage:
    return Passage(document_id=source or "search", start=0, end=len(text), text=text)
