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
    "person 1": Speaker.PARTNER,
    "partner": Speaker.PARTNER,
    "human": Speaker.PARTNER,
    "person 2": Speaker.SELF,
    "self": Speaker.SELF,
    "bot": Speaker.SELF,
}
_GIVEN = {TABLE[module].final_prefix.lower(): module for module in (Module.CKM, Module.MKM, Module.SKM)}
"""Maps the prefix of each input for a response to the module that produces the input."""
_DOCUMENT = "external knowledge"
_ENDINGS = frozenset({*_SPEAKERS, *(row.final_prefix.lower() for row in TABLE.values())})
_CONTROL_TOKENS = tuple(row.control_token for row in TABLE.values() if row.control_token)
_TOKEN_AT_END = re.compile(rf"\s*(?:{'|'.join(map(re.escape, _CONTROL_TOKENS))})$")


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
    context = _Lines()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        context.take(line, last=number == len(lines) - 1)
    knowledge = context.given.get(Module.SKM, "")
    return ModuleRequest(
        module=module,
        by=module,
        turns=context.turns(),
        memories=tuple(context.memories),
        documents=tuple(context.documents),
        entity=context.given.get(Module.CKM, ""),
        memory=context.given.get(Module.MKM, ""),
        knowledge=knowledge,
        quotes=(_quote(knowledge, text),) if knowledge else (),
    )


class _Lines:
    """Collects the lines of a context, sorted by kind."""

    def __init__(self) -> None:
        self.memories: list[str] = []
        self.documents: list[SearchDocument] = []
        self.given: dict[Module, str] = {}
        self._spoken: list[tuple[Speaker | None, str]] = []

    def take(self, line: str, *, last: bool) -> None:
        line = _TOKEN_AT_END.sub("", line) if last else line
        prefix, colon, rest = line.partition(":")
        name, rest = prefix.strip().lower(), rest.strip()
        if not line or (last and colon and not rest and name in _ENDINGS):
            return
        if owner_of(line)[0] is not None:
            self.memories.append(line)
        elif colon and name == _DOCUMENT:
            title, bar, body = rest.partition(" | ")
            self.documents.append(SearchDocument(title=title if bar else "", text=body if bar else rest))
        elif (wrapped := _unwrapped(line)) is not None:
            self._give(*wrapped)
        elif colon and name in _GIVEN:
            self._give(_GIVEN[name], rest)
        elif colon and name in _SPEAKERS:
            self._say(_SPEAKERS[name], rest)
        else:
            self._say(None, line)

    def turns(self) -> tuple[Turn, ...]:
        """Return the turns. A turn without a prefix is attributed to the partner if it is the last one, otherwise to
        whoever does not speak next.
        """
        speaker = Speaker.PARTNER
        turns: list[Turn] = []
        for named, text in reversed(self._spoken):
            speaker = named or speaker
            turns.append(Turn(speaker=speaker, text=text))
            speaker = Speaker.SELF if speaker is Speaker.PARTNER else Speaker.PARTNER
        return tuple(reversed(turns))

    def _give(self, module: Module, text: str) -> None:
        if module is Module.MKM and not self._spoken:
            self.memories.append(text)
        else:
            self.given[module] = text

    def _say(self, speaker: Speaker | None, text: str) -> None:
        """Add a turn; the inputs before it belong to an earlier reply."""
        self.given = {}
        self._spoken.append((speaker, text))


def _unwrapped(line: str) -> tuple[Module, str] | None:
    """Return the text between control tokens of the 3B model, and the module that produces such text."""
    for module in _GIVEN.values():
        begin, end = TABLE[module].wrapping or ("", "")
        if line.startswith(begin) and line.endswith(end):
            return module, line.removeprefix(begin).removesuffix(end).strip()
    return None


def _quote(knowledge: str, context: str) -> Quote:
    """Return knowledge as a quote from the context; it needs no proof, because the user wrote it."""
    digest = hashlib.sha256(context.encode("utf-8", "replace")).hexdigest()
    start = context.rfind(knowledge)
    line = context.count("\n", 0, start) + 1
    end = start + len(knowledge)
    return Quote(document_id="context", page=None, line=line, start=start, end=end, text=knowledge, source_hash=digest)
