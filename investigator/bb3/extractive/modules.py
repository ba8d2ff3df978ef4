"""The chat modules: which handler answers which template."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.bb3.extractive.deciding import decide_memory, decide_search
from investigator.bb3.extractive.remembering import recall, remember
from investigator.bb3.extractive.responding import (
    open_conversation,
    respond,
    respond_from_documents,
    respond_plainly,
)
from investigator.bb3.extractive.searching import entity, knowledge, query
from investigator.bb3.extractive.turn_kinds import TurnKinds
from investigator.bb3.memory.text import without_control_tokens
from investigator.bb3.records import FactsVariables, Module, PassagesVariables, ResponseVariables, Turn, TurnsVariables
from investigator.engines.base import Embedder
from investigator.engines.extractive.engine import Answers
from investigator.records import Record

_WITH_TURNS = TurnsVariables | FactsVariables | PassagesVariables | ResponseVariables
_LABEL = re.compile(
    r"\b(?:(?:external|interesting|previous|personal) (?:knowledge|facts?|topics?)|(?:search|memory) (?:decision|query)"
    r"|(?:your|partner['’]s|person [12]['’]s) persona)[ \t]*:(?!\S)"
    r"|(?:^|(?<=[.!?:\n]))[ \t]*(?:person [12]|query|memory|memories|style|knowledge|topic|persona|you|partner|self"
    r"|system|user|human|assistant|bot)[ \t]*:(?!\S)",
    re.IGNORECASE,
)
_MODULES = {module.template: module for module in Module}


class ChatModules:
    """Answers the templates of the chat modules. Safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kinds = TurnKinds(embedder)

    def answer(self, template: str, variables: Record) -> Record | None:
        """The reply of the module that has this template; None where template or variables are no module's."""
        module = _MODULES.get(template.removesuffix(".j2"))
        if module is not Module.MGM and isinstance(variables, _WITH_TURNS):  # what is kept is kept as it was typed
            variables = variables.changed(turns=plain_turns(variables.turns))
        match variables:
            case TurnsVariables():
                return self._from_turns(module, variables)
            case FactsVariables():
                return self._from_facts(module, variables)
            case PassagesVariables() if module is Module.SKM:
                return knowledge(variables.turns, variables.passages, self._embedder)
            case ResponseVariables() if module is Module.SRM:
                return respond_from_documents(variables)
            case ResponseVariables() if module in (Module.CRM, Module.MRM, Module.GRM, Module.BRM):
                return respond(variables)
        return None

    def _from_turns(self, module: Module | None, variables: TurnsVariables) -> Record | None:
        match module:
            case Module.SDM:
                return decide_search(variables.turns, self._kinds)
            case Module.SGM:
                return query(variables.turns)
            case Module.MGM:
                return remember(variables.turns)
            case Module.CKM:
                return entity(variables.turns)
            case Module.VRM:
                return respond_plainly(variables.turns)
        return None

    def _from_facts(self, module: Module | None, variables: FactsVariables) -> Record | None:
        match module:
            case Module.MDM:
                return decide_memory(variables.turns, variables.facts, self._kinds)
            case Module.MKM:
                return recall(variables.turns, variables.facts, self._embedder)
            case Module.ORM:
                return open_conversation(variables.facts)
        return None


def chat_answers(embedder: Embedder) -> Answers:
    """What the extractive engine is given to answer the chat's templates."""
    return ChatModules(embedder).answer


def plain_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns without labels of prompts ("External Knowledge:") and control tokens; the words after them stay."""
    return tuple(turn.changed(text=without_labels(turn.text)) for turn in turns)


def without_labels(text: str) -> str:
    """A text without labels of prompts at the beginnings of its sentences, and without control tokens."""
    bare = without_control_tokens(text)
    while (shorter := _LABEL.sub(" ", bare).lstrip()) != bare:
        bare = shorter
    return bare
