"""The context of a module from a text, in the lines that BB3's prompts are made of (seed: bb3_agents). Pure."""

from __future__ import annotations

from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.memory_text import owner_of
from investigator.records import Module, Speaker, Turn

_SPEAKERS = {
    "person 1": Speaker.PARTNER,
    "partner": Speaker.PARTNER,
    "human": Speaker.PARTNER,
    "person 2": Speaker.SELF,
    "self": Speaker.SELF,
    "bot": Speaker.SELF,
}
_GIVEN = {"previous topic": "entity", "interesting fact": "knowledge"}
_DOCUMENT = "external knowledge"
_MEMORY = "personal fact"


def request_of(module: Module, text: str) -> ModuleRequest:
    """The request of a module from lines, one for each turn, memory, document or piece of knowledge.

    `Person 1: …` and `Person 2: …` are turns (also `partner:`, `self:`, `human:`, `bot:`); a line without a prefix is a
    turn of the one who did not speak last, and the last such line is the partner's. `Person 1's Persona: …` is a
    memory, `External Knowledge: Title | text` a document; `Previous Topic: …`, `Personal Fact: …` and
    `Interesting Fact: …` are what a response is conditioned on, and before the first turn a personal fact is a memory.
    A last line that only asks for the module's own words, as `Query:`, is left out.
    """
    found = _Lines()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        found.take(line, last=number == len(lines) - 1)
    return ModuleRequest(
        module=module,
        by=module,
        turns=found.turns(),
        memories=tuple(found.memories),
        documents=tuple(found.documents),
        **found.given,
    )


class _Lines:
    """The lines so far, sorted."""

    def __init__(self) -> None:
        self.memories: list[str] = []
        self.documents: list[SearchDocument] = []
        self.given: dict[str, str] = {}
        self._said: list[tuple[Speaker | None, str]] = []

    def take(self, line: str, *, last: bool) -> None:
        prefix, colon, rest = line.partition(":")
        name, rest = prefix.strip().lower(), rest.strip()
        if colon and not rest and last:
            return
        if owner_of(line)[0] is not None:
            self.memories.append(line)
        elif colon and name == _DOCUMENT:
            title, bar, body = rest.partition(" | ")
            self.documents.append(SearchDocument(title=title if bar else "", text=body if bar else rest))
        elif colon and name == _MEMORY:
            self._take_memory(rest)
        elif colon and name in _GIVEN:
            self.given[_GIVEN[name]] = rest
        elif colon and name in _SPEAKERS:
            self._said.append((_SPEAKERS[name], rest))
        else:
            self._said.append((None, line))

    def turns(self) -> tuple[Turn, ...]:
        """The turns; those without a speaker alternate backwards from the partner's."""
        speaker = Speaker.PARTNER
        found: list[Turn] = []
        for told, text in reversed(self._said):
            speaker = told or speaker
            found.append(Turn(speaker=speaker, text=text))
            speaker = Speaker.SELF if speaker is Speaker.PARTNER else Speaker.PARTNER
        return tuple(reversed(found))

    def _take_memory(self, text: str) -> None:
        if self._said:
            self.given["memory"] = text
        else:
            self.memories.append(text)
