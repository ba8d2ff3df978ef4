"""Records another engine's replies in a file, and replays them without that engine."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from investigator.engines.base import Engine, prompt_key, traits_of
from investigator.errors import ReplayError, StoreError
from investigator.files import for_owner
from investigator.records import (
    AskVariables,
    ExtractVariables,
    Prompt,
    Record,
    Reply,
    RowVariables,
    SectionVariables,
    Traits,
)


class _Header(Record):
    """The first line of a recording, which describes the recorded engine."""

    engine: str
    version: int = 1
    traits: Traits = Traits()
    fixture: bool = False


class _Line(Record):
    """Any later line of a recording: one reply, with the key of its prompt and the ids of the documents in it."""

    key: str
    template: str
    document: str = ""
    reply: Reply


class RecordedEngine:
    """Replays the recording at `path`; a missing prompt is sent to `inner` and added.

    The recording is a file of JSON lines: the engine's name and traits, then one reply per line, which is on disk
    before it is returned. A last line truncated by a crash is dropped. Without `inner` the engine uses the recorded
    name, so that the keys are the same; a missing prompt raises ReplayError, and so does a recording that is missing,
    damaged, or from another engine. Thread-safe within one process.

    A recording begun as a `fixture` serves tests of templates that are reworded later: the n-th request about a
    template and documents gets the n-th reply recorded for them if its prompt was never recorded.
    """

    def __init__(self, path: str | Path, inner: Engine | None = None, *, fixture: bool = False) -> None:
        self._path = Path(path).expanduser()
        self._inner = inner
        self._lock = Lock()
        self._replies: dict[str, Reply] = {}
        self._in_order: dict[tuple[str, str], list[Reply]] = defaultdict(list)
        self._requests: Counter[tuple[str, str]] = Counter()
        if self._path.exists() and not self._path.is_file():  # reading a pipe would never end
            raise ReplayError(f"the recording {self._path} is not a file", hint="Choose a file for the recording.")
        lines = self._lines() if self._path.exists() or inner is None else []
        if not lines and inner is not None:
            header = _Header(engine=inner.name, traits=traits_of(inner), fixture=fixture)
            self._append(header)
        else:
            header = self._read(lines)
        self.name, self.traits, self._fixture = header.engine, header.traits, header.fixture and inner is None
        if inner is not None and inner.name != self.name:
            raise ReplayError(
                f"{self._path} contains replies of {self.name}, not of {inner.name}",
                hint="Record into another file, or replay with the engine that was recorded.",
            )

    @property
    def replays(self) -> bool:
        """Return True if no engine is asked, so that calls cost nothing."""
        return self._inner is None

    def reply(self, prompt: Prompt) -> Reply:
        """Return the recorded reply, or else the reply of the inner engine. Raises ReplayError if neither exists."""
        key, subject = prompt_key(self.name, prompt, sampling=self.traits.sampling), _subject(prompt)
        with self._lock:
            number, in_order = self._requests[subject], self._in_order[subject]
            self._requests[subject] += 1
            if key in self._replies:
                return self._replies[key]
            if self._fixture and number < len(in_order):
                return in_order[number]
        if self._inner is None:
            raise ReplayError(f"{self._path} contains no reply to this prompt ({prompt.template}, {key[:12]})")
        reply = self._inner.reply(prompt)
        with self._lock:
            if key not in self._replies:
                self._append(_Line(key=key, template=prompt.template, document=subject[1], reply=reply))
                self._replies[key] = reply
            return self._replies[key]

    def _lines(self) -> list[bytes]:
        """Return the whole lines of the recording; a last line that a crash truncated is cut off before others are
        added.
        """
        try:
            content = self._path.read_bytes()
            whole, _, rest = content.rpartition(b"\n")
            if rest and self._inner is not None:  # a recording that is only replayed is never written
                os.truncate(self._path, len(content) - len(rest))
        except OSError as error:
            raise ReplayError(
                f"the recording {self._path} cannot be read: {error.strerror}", hint="Choose a recording."
            ) from error
        return whole.split(b"\n") if whole or self._inner is None else []

    def _read(self, lines: list[bytes]) -> _Header:
        number = 1
        try:
            header = _Header.model_validate_json(lines[0])
            for content in lines[1:]:
                number += 1
                line = _Line.model_validate_json(content)
                self._replies[line.key] = line.reply
                self._in_order[line.template.removesuffix(".j2"), line.document].append(line.reply)
        except ValidationError as error:
            raise ReplayError(
                f"line {number} of the recording {self._path} is damaged",
                hint="Remove that line, or record the run again into a new file.",
            ) from error
        return header

    def _append(self, record: Record) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open(self._path, "ab", opener=for_owner) as file:
                file.write(record.model_dump_json().encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(
                f"the recording {self._path} cannot be written: {error.strerror}",
                hint="Choose a file in a folder that can be written to, on a disk with space left.",
            ) from error


def _subject(prompt: Prompt) -> tuple[str, str]:
    """Return the template of a prompt and its documents or section, which stay if the template is reworded."""
    match prompt.variables:
        case AskVariables(documents=documents):
            about = " ".join(document.document_id for document in documents)
        case RowVariables(document=document) | ExtractVariables(document=document):
            about = document.document_id
        case SectionVariables(heading=heading):  # sections are written at the same time, in any order
            about = heading
        case _:
            about = ""
    return prompt.template.removesuffix(".j2"), about
