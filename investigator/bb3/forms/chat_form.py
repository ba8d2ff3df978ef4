"""Prompts chat models with templates; statements about documents in their replies are checked or withheld."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.asking.repair import ReadReply
from investigator.bb3.exchange import ModuleReply, ModuleRequest, sentences
from investigator.bb3.forms.checked_replies import ReplyCheck
from investigator.bb3.forms.document_readings import ask_variables, read_documents
from investigator.bb3.memory.text import owner_of
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import (
    DecisionReply,
    FactReply,
    FactsVariables,
    Module,
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
from investigator.engines.extractive.engine import Answers
from investigator.errors import EngineError, SilentReplyError
from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.proof.quotes import Load
from investigator.records import Quote, Record

_SCORES = {Module.SRM: 2.0, Module.MRM: 1.0}
"""Chat models return no probabilities, so a separate reply with proven quotes is preferred to one that is based on a
memory.
"""
_LONGEST_QUERY = 200  # maximum number of characters in a query, unless the last turn is longer
_LONGEST_DECISION = 200  # maximum number of characters kept from a decision that could not be parsed
_UNCONFIRMED = "I could not confirm a reply in my own words, so these are the quotes:"

Variables = TurnsVariables | FactsVariables | ResponseVariables
R = TypeVar("R", bound=Record)


@dataclass
class ChatForm:
    """Asks the modules through clients. Thread-safe. `client_of` returns a client whose `chat` role is the module's
    engine; `folder` contains the documents in which quotes are proven. Up to `side_by_side` requests run concurrently.
    `on_step` is called before each module call, and `say` receives the part of a model's unfinished reply that needs no
    check, for one request at a time. `stand_in` replies in place of a model whose reply cannot be used.
    """

    client_of: Callable[[Module], EngineClient]
    folder: FolderSearch | None = None
    side_by_side: int = 1
    on_step: Callable[[Module], None] = lambda _: None
    say: Hear | None = None
    stand_in: Answers = lambda template, variables: None

    @property
    def _load(self) -> Load | None:
        return self.folder.document if self.folder is not None else None

    def ask(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        """Return one reply for each request. Raises EngineError, TemplateError, StoreError and BudgetSpent."""
        for module in dict.fromkeys(request.module for request in requests):
            self.on_step(module)
        if len(requests) < 2 or self.side_by_side < 2:
            return [self._reply(request) for request in requests]
        with ThreadPoolExecutor(min(self.side_by_side, len(requests))) as pool:
            return list(pool.map(self._reply, requests))

    def _reply(self, request: ModuleRequest) -> ModuleReply:
        match request.module:
            case Module.SDM | Module.MDM:
                return self._decision(request)
            case Module.SGM | Module.MGM | Module.CKM:
                return self._phrase(request)
            case Module.MKM:
                return self._recalled(request)
            case Module.SKM:
                return self._knowledge(request)
            case _:
                return self._response(request)

    def _decision(self, request: ModuleRequest) -> ModuleReply:
        reading = self._read(request, DecisionReply)
        if reading.value is None:  # the model's text is recorded unchanged, and the stand-in decides
            own = self._instead(request, DecisionReply)
            text = one_line(reading.raw)[:_LONGEST_DECISION] or "nothing"
            return ModuleReply(text=text, needed=own is not None and own.needed, failed=True)
        row, needed = TABLE[request.module], reading.value.needed
        return ModuleReply(text=row.yes if needed else row.no, needed=needed)

    def _phrase(self, request: ModuleRequest) -> ModuleReply:
        value = self._read(request, PhraseReply).value
        if value is None or not _is_fitting(request, value.text.strip()):
            value = self._instead(request, PhraseReply) or (value and PhraseReply())
        return ModuleReply(text=value.text.strip() if value else "", failed=value is None)

    def _recalled(self, request: ModuleRequest) -> ModuleReply:
        value = self._read(request, FactReply).value
        if value is None:
            return ModuleReply(text="", failed=True)
        shown = dict(enumerate(request.memories, 1))
        chosen = [shown[number] for number in (value.fact_id or 0, *value.more_ids) if number in shown]
        owners = [owner_of(memory) for memory in dict.fromkeys(chosen)]
        lines = [text for owner, text in owners[1:] if owner is owners[0][0]]
        return ModuleReply(text="\n".join([*chosen[:1], *lines]), memories=tuple(chosen))

    def _knowledge(self, request: ModuleRequest) -> ModuleReply:
        quotes, is_read = read_documents(self.client_of(request.by), request, self._load)
        problems: tuple[str, ...] = ()
        if self.folder is not None:
            served = tuple(quote for quote in quotes if isinstance(quote, ServedQuote))
            own, problems = self.folder.standing([quote for quote in quotes if not isinstance(quote, ServedQuote)])
            quotes = (*own, *served)
        text = " ".join(one_line(quote.text) for quote in quotes)
        return ModuleReply(text=text, quotes=quotes, failed=not is_read, source_problem="; ".join(problems))

    def _response(self, request: ModuleRequest) -> ModuleReply:
        score = _SCORES.get(request.module, 0.0)
        stock = self._instead(request, ResponseReply)
        spoken = ModuleReply(text="")
        if request.quotes or _variables(request)[1] != Module.SRM.template:  # otherwise all of it would be withheld
            spoken = self._spoken(request, stock)
        if spoken.text:
            return spoken.changed(score=score)
        if stock is None:
            return spoken.changed(failed=True)
        text = f"{_UNCONFIRMED} {stock.reply}" if request.quotes and spoken.unsaid else stock.reply
        return spoken.changed(text=text, score=score, quotes=request.quotes, is_stock=True)

    def _spoken(self, request: ModuleRequest, stock: ResponseReply | None) -> ModuleReply:
        """Return the part of a model's reply that may be said, and the rest; stock replies need no check."""
        check = ReplyCheck(request, self.say)
        try:
            value = self._read(request, ResponseReply, check.hear if self.say else None).value or ResponseReply()
        except EngineError as error:
            if not check.heard:
                raise
            return ModuleReply(text=check.heard, quotes=request.quotes, unsaid=f"… ({error.message})")
        reply = value.reply.strip()
        if stock is not None and reply == stock.reply.strip():
            return ModuleReply(text=reply, quotes=request.quotes, is_stock=True)
        text, by = check.checked(reply, self.client_of(request.by), self._load)
        unsaid = reply.removeprefix(text).strip()
        return ModuleReply(text=text, quotes=_named(value.quotes, request.quotes), unsaid=unsaid, checked=by)

    def _read(self, request: ModuleRequest, reply_type: type[R], hear: Hear | None = None) -> ReadReply[R]:
        variables, template = _variables(request)
        try:
            return self.client_of(request.by).ask(template, variables, reply_type, smaller=fewer_words, hear=hear)
        except SilentReplyError as error:  # a turn of a chat goes on without this module's reply
            return ReadReply(None, "", error.message)

    def _instead(self, request: ModuleRequest, reply_type: type[R]) -> R | None:
        variables, template = _variables(request)
        reply = self.stand_in(template, variables)
        return reply if isinstance(reply, reply_type) else None


def _named(words: Sequence[str], quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return the quotes that a reply names by some of their words; all of them if it names none."""
    named = [one_line(text) for text in words if text.strip()]
    return tuple(quote for quote in quotes if any(text in one_line(quote.text) for text in named)) or quotes


def chat_prompt(request: ModuleRequest, prompts: Prompts) -> str:
    """Return the text of a module's prompt. Raises TemplateError."""
    if request.module is Module.SKM:
        return prompts.prompt(request.module.template, ask_variables(request)).text
    variables, template = _variables(request)
    return prompts.prompt(template, variables).text


def _variables(request: ModuleRequest) -> tuple[Variables, str]:
    """Return a module's variables and template; a response uses quotes before a memory, and that before a topic."""
    turns, template = request.turns, request.module.template
    match request.module:
        case Module.MDM | Module.MKM | Module.ORM:
            return FactsVariables(turns=turns, facts=_facts(request.memories, request.dates)), template
        case Module.SDM | Module.SGM | Module.MGM | Module.CKM:
            return TurnsVariables(turns=turns), template
    kinds = {Module.SRM: request.quotes, Module.MRM: request.memory, Module.CRM: request.entity}
    bare = Module.SRM if request.module is Module.SRM else Module.VRM
    module = next((kind for kind, given in kinds.items() if given), bare)
    if module is Module.VRM:
        return TurnsVariables(turns=turns), module.template
    fact = _facts((request.memory,), request.dates)[0] if request.memory else None
    variables = ResponseVariables(turns=turns, entity=request.entity, fact=fact, knowledge=request.quotes)
    return variables, module.template


def fewer_words(variables: Variables, share: float) -> Variables | None:
    """Return the variables without the oldest turns or, with one turn left, facts; None if nothing can be dropped."""
    turns, facts = variables.turns, variables.facts if isinstance(variables, FactsVariables) else ()
    if len(turns) > 1:
        return variables.changed(turns=turns[-max(1, min(len(turns) - 1, int(len(turns) * share))) :])
    if facts:
        kept = min(len(facts) - 1, int(len(facts) * share))
        return variables.changed(facts=facts[len(facts) - kept :])
    return None


def _facts(memories: Sequence[str], dates: Mapping[str, str]) -> tuple[PersonalFact, ...]:
    owned = [(memory, *owner_of(memory)) for memory in memories]
    return tuple(
        PersonalFact(id=number, speaker=owner or Speaker.PARTNER, text=text, stated=dates.get(memory, ""))
        for number, (memory, owner, text) in enumerate(owned, 1)
    )


def _is_fitting(request: ModuleRequest, text: str) -> bool:
    """Return True if the text is a short query, or a memory or topic that occurs verbatim in the conversation."""
    last = request.turns[-1].text if request.turns else ""
    if request.module is Module.SGM:
        return len(text) <= max(_LONGEST_QUERY, len(last))
    spoken = words(last if request.module is Module.MGM else " ".join(turn.text for turn in request.turns))
    return all(" ".join(words(sentence)) in " ".join(spoken) for sentence in sentences(text))
