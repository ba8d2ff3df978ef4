"""Writes the contexts of the 3B model: the turns, and tokens that select the kind of output (seed: bb3_agents)."""

from __future__ import annotations

from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.memory.text import clean_text, without_control_tokens
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module

_PERSONAS = ("your persona:", "partner's persona:")
_GIVEN = frozenset({Module.CRM, Module.MRM, Module.SRM, Module.GRM})


def token_prompt(request: ModuleRequest, *, decide_with_memories: bool = True) -> str:
    """Return the context for a request. Documents and the memories to choose from are not part of the context, because
    the model reads them one by one: see `token_documents`. With `decide_with_memories`, the memory decision sees the
    memories and the last turn, otherwise only the last line. Control tokens in the user's input or in search results
    are removed, because the model would obey them.
    """
    request = _without_tokens(request)
    lines = _lines(request, decide_with_memories)
    if request.module in _GIVEN:
        return "\n".join((*lines, _knowledge(request)))
    return " ".join(filter(None, ("\n".join(lines), TABLE[request.module].control_token)))


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
        **{name: bare(getattr(request, name)) for name in ("entity", "memory", "knowledge")},
    )


def _lines(request: ModuleRequest, decide_with_memories: bool) -> list[str]:
    """Return the lines that a module sees; the memory decision sees one line of memories per speaker, in which a memory
    without a prefix belongs to the partner.
    """
    turns = [turn.text for turn in request.turns]
    if request.module is Module.ORM:
        return [*request.memories, *turns]
    if request.module is Module.MDM and decide_with_memories:
        own = [memory for memory in request.memories if memory.startswith(_PERSONAS[0])]
        sides = (own, [memory for memory in request.memories if memory not in own])
        named = zip(_PERSONAS, sides, strict=True) if request.memories else ()
        lines = [f"{name} {' '.join(text.removeprefix(name).strip() for text in side)}" for name, side in named]
        return [*lines, *turns[-1:]]
    if TABLE[request.module].one_turn_history:
        return [text.rpartition("\n")[2] for text in turns[-1:]]
    return turns


def _knowledge(request: ModuleRequest) -> str:
    """Return the knowledge for a response: one line for each kind, enclosed in the tokens for that kind."""
    kinds = {Module.CKM: request.entity, Module.MKM: request.memory, Module.SKM: request.knowledge}
    wrapped = [(TABLE[module].wrapping or ("", ""), text) for module, text in kinds.items() if text]
    return "\n".join(f"{begin} {text} {end}" for (begin, end), text in wrapped)
