"""Keeps users' memories across chats and restarts, finds them by meaning, and lets users view and change them."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from investigator.bb3.memory.personal_facts import FactSource, FactText, KeptFact, PersonalFacts
from investigator.bb3.memory.text import says_nothing
from investigator.bb3.records import Speaker
from investigator.engines.base import Embedder, Vectors
from investigator.errors import DialogueError
from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.store.database import Database

LONGEST_MEMORY = 2_000
"""Maximum number of characters in a memory. A longer text is not a fact about somebody, and would leave little room for
the rest of a prompt.
"""
NEAR = 0.25
"""The lowest cosine similarity of a memory that is found by meaning."""
_MOST_EMBEDDED = 1_000  # maximum number of memories that one search embeds; memories added by hand have no vector yet
_MOST_SEARCHED = 20_000  # maximum number of memories that a search compares, the newest ones
_COMPARED = 8  # number of nearest memories that are compared with a new one
_BY_HAND = FactSource()

Scores = Mapping[int, float]
"""Cosine similarities by the id of a memory, highest first."""


class LongTermMemory(PersonalFacts):
    """Stores the memories of all users in a workspace, and selects the memories for a reply. Memories are single lines:
    whitespace is collapsed and control characters are removed, so that none can imitate a line of a prompt. Raises
    DialogueError if a memory is empty or too long, and EmbedderError.
    """

    def __init__(
        self, database: Database, embedder: Embedder, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        super().__init__(database)
        self._embedder = embedder
        self._now = now

    def search(self, user: str, query: str, most: int = 20) -> tuple[KeptFact, ...]:
        """Return the memories whose meaning is near to that of the query, nearest first."""
        near = [fact_id for fact_id, score in self.scores(user, query).items() if score >= NEAR]
        return self.with_ids(user, near[:most])

    def scores(self, user: str, text: str) -> Scores:
        """Return the similarity of a text to each of the user's newest 20,000 memories. Of memories without a vector,
        the newest 1,000 are embedded, and the others are left out.
        """
        known = self._known(user)
        if not known:
            return {}
        vector = self._embedder.embed([memory_line(text)[:LONGEST_MEMORY]])[0]
        cosines: list[float] = (_vectors(list(known.values()), len(vector)) @ vector).tolist()
        return dict(sorted(zip(known, cosines, strict=True), key=lambda pair: (-pair[1], -pair[0])))

    def add(
        self, user: str, memory: str, speaker: Speaker = Speaker.PARTNER, source: FactSource = _BY_HAND
    ) -> KeptFact:
        """Remember text about a speaker without calling a module. Raises DialogueError if the text is already
        remembered.
        """
        kept = self.put(user, _fact(memory, speaker), source, self._now())
        if kept is None:
            raise DialogueError(
                "this is already remembered", hint="List the memories with: investigator memory FOLDER list"
            )
        return kept

    def add_all(self, user: str, memories: Iterable[str]) -> int:
        """Remember several texts about a user in one transaction; return how many were new. If any text is rejected,
        none is kept.
        """
        return self.put_all(user, [_fact(memory, Speaker.PARTNER) for memory in memories], _BY_HAND, self._now())

    def remember(
        self, user: str, memory: str, speaker: Speaker, source: FactSource = _BY_HAND, *, again: bool = True
    ) -> KeptFact | None:
        """Remember a module's output for a turn; return None if it is empty, too long, or has the words of an existing
        memory of the speaker. With `again`, that memory is recorded as stated again.
        """
        line = memory_line(memory)
        if says_nothing(line) or len(line) > LONGEST_MEMORY:
            return None
        nearest = list(self.scores(user, line))[:_COMPARED]
        for fact in self.with_ids(user, nearest):
            if fact.speaker is speaker and words(fact.text) == words(line):
                if again:
                    self.restate(user, fact.id, self._now())
                return None
        return self.put(user, _fact(line, speaker), source, self._now())

    def edit(self, user: str, number: int, memory: str) -> KeptFact:
        """Change the text of a memory. Raises DialogueError if the memory does not exist, or another one has that
        text.
        """
        return self.replace(user, number, lambda speaker: _fact(memory, speaker))

    def _known(self, user: str) -> dict[int, str]:
        """Return the vectors of a user's memories; those that are missing, or of another embedder, are computed."""
        prefix = f"{self._embedder.name} "
        claims = self.claims(user, _MOST_SEARCHED)
        missing = [fact_id for fact_id, claim in claims.items() if not claim.startswith(prefix)]
        computed: dict[int, str] = {}
        if facts := self.with_ids(user, missing[:_MOST_EMBEDDED]):
            vectors = self._embedder.embed([fact.text for fact in facts])
            computed = {fact.id: prefix + _written(vector) for fact, vector in zip(facts, vectors, strict=True)}
            self.set_claims(user, computed)
        claims.update(computed)
        return {key: claim.removeprefix(prefix) for key, claim in claims.items() if claim.startswith(prefix)}


def memory_line(text: str) -> str:
    """Return the text on one line, without control characters and lone surrogates."""
    return one_line("".join(char for char in text if char.isspace() or unicodedata.category(char) not in {"Cc", "Cs"}))


def _fact(memory: str, speaker: Speaker) -> FactText:
    line = memory_line(memory)
    if not line:
        raise DialogueError("the memory is empty", hint='Write a text, for example: "I have a dog."')
    if len(line) > LONGEST_MEMORY:
        raise DialogueError(
            f"the memory has {len(line):,} characters, more than the limit of {LONGEST_MEMORY:,}",
            hint="Shorten it, or put it into a document in the folder.",
        )
    return FactText(speaker=speaker, text=line)


def _written(vector: npt.NDArray[np.float32]) -> str:
    """Return a vector as text, with a byte for each dimension."""
    return base64.b64encode((vector * (127 / np.abs(vector).max())).round().astype(np.int8).tobytes()).decode()


def _vectors(written: Sequence[str], dimensions: int) -> Vectors:
    """Return unit vectors, shape (texts, dimensions), from their written form; a damaged vector becomes zeros."""
    octets = b"".join(_octets(text, dimensions) for text in written)
    rows = np.frombuffer(octets, dtype=np.int8).reshape(len(written), dimensions).astype(np.float32)
    units: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    return units


def _octets(written: str, count: int) -> bytes:
    try:
        octets = base64.b64decode(written)
    except ValueError:
        return bytes(count)
    return octets if len(octets) == count else bytes(count)
