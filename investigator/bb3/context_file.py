"""Parses a module's context, whose lines have the same prefixes as in BB3's prompts (seed: bb3_agents). Pure."""

from __future__ import annotations

import hashlib
import re

from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.memory.text import owner_of
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module, Speaker, Turn
from investigator.records import Quote

_SPEAKERS = {
    **dict.fromkeys(("person 1", "partner", "human"), Speaker.PARTNER),
    **dict.fromkeys(("person 2", "self", "bot"), Speaker.SELF),
}
_GIVEN = {TABLE[module].final_prefix.lower(): module for module in (Module.CKM, Module.MKM, Module.SKM)}
"""Maps the prefix of each input for a response to the module that produces the input."""
_DOCUMENT = "external knowledge"
_ENDINGS = frozenset({*_SPEAKERS, *(row.final_prefix.lower() for row in TABLE.values())})
_TOKEN_AT_END = re.compile(
    rf"\s*(?:{'|'.join(re.escape(row.control_token) for row in TABLE.values() if row.control_token)})$"
)


def request_of(module: Module, text: str) -> ModuleRequest:
    """Parse a module's request; each line is a turn, a memory, a document or a piece of knowledge.

    `Person 1: …` and `Person 2: …` are turns (also `partner:`, `self:`, `human:`, `bot:`); a line without a prefix is a
    turn too: the last one is the partner's, and the speakers alternate. `Person 1's Persona: …` is a memory, `External
    Knowledge: Title | text` a document; `Previous Topic: …`, `Personal Fact: …` and `Interesting Fact: …` (or the same
    texts between the 3B model's tokens, such as `__entity__ … __endentity__`) are inputs for a response. Before the
    first turn a personal fact is a memory; lines between turns belong to earlier replies, and are ignored, as in the
    modules' own prompts. A last line that only prompts for output, such as `Query:`, and a control token at the end are
    ignored.
    """
    memories: list[str] = []
    documents: list[SearchDocument] = []
    given: dict[Module, str] = {}
    spoken: list[tuple[Speaker | None, str]] = []
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines[-1:] = filter(None, (_unprompted(line) for line in lines[-1:]))
    for line in lines:
        prefix, colon, rest = line.partition(":")
        name, rest = prefix.strip().lower() if colon else "", rest.strip()
        kind, content = _given(line, name, rest)
        if owner_of(line)[0] is not None:
            memories.append(line)
        elif name == _DOCUMENT:
            title, bar, body = rest.partition(" | ")
            documents.append(SearchDocument(title=title if bar else "", text=body if bar else rest))
        elif kind is Module.MKM and not spoken:
            memories.append(content)
        elif kind is not None:
            given[kind] = content
        else:
            given = {}  # the inputs before a turn belong to an earlier reply
            spoken.append((_SPEAKERS[name], rest) if name in _SPEAKERS else (None, line))
    knowledge = given.get(Module.SKM, "")
    return ModuleRequest(
        module=module,
        by=module,
        turns=_turns(spoken),
        memories=tuple(memories),
        documents=tuple(documents),
        entity=given.get(Module.CKM, ""),
        memory=given.get(Module.MKM, ""),
        knowledge=knowledge,
        quotes=(_quote(knowledge, text),) if knowledge else (),
    )


def _unprompted(line: str) -> str:
    """Return the last line without a control token at its end; "" if it only prompts for output."""
    line = _TOKEN_AT_END.sub("", line)
    prefix, colon, rest = line.partition(":")
    return "" if colon and not rest.strip() and prefix.strip().lower() in _ENDINGS else line


def _given(line: str, name: str, rest: str) -> tuple[Module | None, str]:
    """Return the module that produces an input for a response, and the input; None if the line is no such input."""
    for module in _GIVEN.values():
        begin, end = TABLE[module].wrapping or ("", "")
        if line.startswith(begin) and line.endswith(end):
            return module, line.removeprefix(begin).removesuffix(end).strip()
    return _GIVEN.get(name), rest


def _turns(spoken: list[tuple[Speaker | None, str]]) -> tuple[Turn, ...]:
    """Return the turns; without a prefix, the last one is the partner's, and the speakers alternate."""
    speaker, turns = Speaker.PARTNER, []
    for named, text in reversed(spoken):
        speaker = named or speaker
        turns.append(Turn(speaker=speaker, text=text))
        speaker = Speaker.SELF if speaker is Speaker.PARTNER else Speaker.PARTNER
    return tuple(reversed(turns))


def _quote(knowledge: str, context: str) -> Quote:
    """Return knowledge as a quote from the context; it needs no proof, because the user wrote it."""
    digest = hashlib.sha256(context.encode("utf-8", "replace")).hexdigest()
    start = context.rfind(knowledge)
    line = context.count("\n", 0, start) + 1
    end = start + len(knowledge)
    return Quote(document_id="context", page=None, line=line, start=start, end=end, text=knowledge, source_hash=digest)
