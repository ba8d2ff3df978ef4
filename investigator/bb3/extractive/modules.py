"""Maps each chat template to the built-in engine's function for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from investigator.bb3.extractive.deciding import decide_memory, decide_search
from investigator.bb3.extractive.remembering import recall, remember
from investigator.bb3.extractive.responding import (
    open_conversation,
    respond,
    respond_from_documents,
    respond_plainly,
)
from investigator.bb3.extractive.searching import entity, query
from investigator.bb3.extractive.turn_kinds import TurnKinds
from investigator.bb3.memory.text import without_control_tokens
from investigator.bb3.records import (
    FactsVariables,
    Module,
    PersonalFact,
    ResponseVariables,
    Turn,
    TurnsVariables,
)
from investigator.engines.base import Embedder
from investigator.engines.extractive.engine import Answers
from investigator.records import Record

_WITH_TURNS = TurnsVariables | FactsVariables | ResponseVariables
_LABEL = re.compile(
    r"\b(?:(?:external|interesting|previous|personal) (?:knowledge|facts?|topics?)|(?:search|memory) (?:decision|query)"
    r"|(?:your|partner['’]s|person [12]['’]s) persona)[ \t]*:(?!\S)"
    r"|(?:^|(?<=[.!?:\n]))[ \t]*(?:person [12]|query|memory|memories|style|knowledge|topic|persona|you|partner|self"
    r"|system|user|human|assistant|bot)[ \t]*:(?!\S)",
    re.IGNORECASE,
)
_MODULES = {module.template: module for module in Module}


def chat_answers(embedder: Embedder) -> Answers:
    """Return the function that the built-in engine uses to answer the chat's templates. Thread-safe."""
    kinds = TurnKinds(embedder)
    of_turns: dict[Module, Callable[[Sequence[Turn]], Record]] = {
        Module.SDM: lambda turns: decide_search(turns, kinds),
        Module.SGM: query,
        Module.MGM: remember,
        Module.CKM: entity,
        Module.VRM: respond_plainly,
    }
    of_facts: dict[Module, Callable[[Sequence[Turn], Sequence[PersonalFact]], Record]] = {
        Module.MDM: lambda turns, facts: decide_memory(turns, facts, kinds),
        Module.MKM: lambda turns, facts: recall(turns, facts, embedder),
        Module.ORM: lambda _, facts: open_conversation(facts),
    }
    responses = dict.fromkeys((Module.CRM, Module.MRM, Module.GRM, Module.BRM), respond)
    responses[Module.SRM] = respond_from_documents

    def answer(template: str, variables: Record) -> Record | None:
        module = _MODULES.get(template.removesuffix(".j2"))
        if module is None:
            return None
        if module is not Module.MGM and isinstance(variables, _WITH_TURNS):  # memories are stored as they were typed
            variables = variables.changed(turns=plain_turns(variables.turns))
        match variables:
            case TurnsVariables() if module in of_turns:
                return of_turns[module](variables.turns)
            case FactsVariables() if module in of_facts:
                return of_facts[module](variables.turns, variables.facts)
            case ResponseVariables() if module in responses:
                return responses[module](variables)
        return None

    return answer


def plain_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns without prompt labels ("External Knowledge:") and control tokens; other words are kept."""
    return tuple(turn.changed(text=without_labels(turn.text)) for turn in turns)


def without_labels(text: str) -> str:
    """Return the text without prompt labels at the beginnings of its sentences, and without control tokens."""
    bare = without_control_tokens(text)
    while (shorter := _LABEL.sub(" ", bare).lstrip()) != bare:
        bare = shorter
    return bare
