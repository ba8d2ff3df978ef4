"""Writes the contexts of the 3B model: the turns, and tokens that select the kind of output (seed: bb3_agents)."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.memory.text import clean_text, without_control_tokens
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module

OWN_PERSONA = "your persona:"
PARTNERS_PERSONA = "partner's persona:"
_GIVEN = frozenset({Module.CRM, Module.MRM, Module.SRM, Module.GRM})


def token_prompt(request: ModuleRequest, *, decide_with_memories: bool = True) -> str:
    """Return the context for a request. Documents and the memories to choose from are not part of the context, because
    the model reads them one by one: see `token_documents`. With `decide_with_memories`, the memory decision sees the
    memories and the last turn, otherwise only the last line. Control tokens in the user's input or in search results
    are removed, because the model would obey them.
    """
    request = _without_tokens(request)
    row = TABLE[request.module]
    lines = _lines(request, decide_with_memories)
    if request.module in _GIVEN:
        return "\n".join((*lines, _knowledge(request)))
    return " ".join(part for part in ("\n".join(lines), row.control_token) if part)


def token_documents(request: ModuleRequest, context: str) -> tuple[str, ...]:
    """Return what the model reads for each document or memory: its text, followed by the context."""
    request = _without_tokens(request)
    if request.module is Module.MKM:
        return tuple(f"{memory} // {context}" for memory in request.memories)
    return tuple(f"{passage(document)}{context}" for document in request.documents)


def passage(document: SearchDocument) -> str:
    """Return a document for the encoder: `title / text`, and ` // ` before the conversation."""
    return f"{document.title.strip()} / {document.text.strip()} // "


def token_text(request: ModuleRequest, *, decide_with_memories: bool = True) -> str:
    """Return the input for a model that reads a single string: the documents or memories, followed by the context."""
    context = token_prompt(request, decide_with_memories=decide_with_memories)
    return "".join((*token_documents(request, ""), context))


def _without_tokens(request: ModuleRequest) -> ModuleRequest:
    """Return the request without control tokens inside its texts, and without names before its turns."""
    bare = without_control_tokens
    return request.changed(
        turns=tuple(turn.changed(text=clean_text(turn.text)) for turn in request.turns),
        memories=tuple(map(bare, request.memories)),
        documents=tuple(each.changed(title=bare(each.title), text=bare(each.text)) for each in request.documents),
        entity=bare(request.entity),
        memory=bare(request.memory),
        knowledge=bare(request.knowledge),
    )


def _lines(request: ModuleRequest, decide_with_memories: bool) -> list[str]:
    if request.module is Module.ORM:
        return [*request.memories, *(turn.text for turn in request.turns)]
    if request.module is Module.MDM and decide_with_memories:
        return [*_personas(request.memories), *(turn.text for turn in request.turns[-1:])]
    if TABLE[request.module].one_turn_history:
        return [turn.text.rpartition("\n")[2] for turn in request.turns[-1:]]
    return [turn.text for turn in request.turns]


def _personas(memories: Sequence[str]) -> list[str]:
    """Return one line of memories per speaker; a memory without a prefix belongs to the partner."""
    own = [memory for memory in memories if memory.startswith(OWN_PERSONA)]
    others = [memory for memory in memories if not memory.startswith(OWN_PERSONA)]
    sides = ((OWN_PERSONA, own), (PARTNERS_PERSONA, others)) if memories else ()
    return [f"{prefix} {' '.join(text.removeprefix(prefix).strip() for text in texts)}" for prefix, texts in sides]


def _knowledge(request: ModuleRequest) -> str:
    """Return the knowledge for a response: one line for each kind, enclosed in the tokens for that kind."""
    kinds = ((Module.CKM, request.entity), (Module.MKM, request.memory), (Module.SKM, request.knowledge))
    wrapped = ((TABLE[module].wrapping, text) for module, text in kinds if text)
    return "\n".join(f"{wrapping[0]} {text} {wrapping[1]}" for wrapping, text in wrapped if wrapping)
