"""Records another engine's replies in a file, and replays them without that engine."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from investigator.engines.base import Engine, prompt_key, traits_of
from investigator.errors import ReplayError, StoreError
from investigator.files import for_owner
from investigator.records import Prompt, Record, Reply, Traits


class _Header(Record):
    """The first line of a recording, which describes the recorded engine."""

    engine: str
    version: int = 1
    traits: Traits = Traits()


class _Line(Record):
    """Any later line of a recording: one reply, with the key of its prompt."""

    key: str
    template: str
    reply: Reply


class RecordedEngine:
    """Replays the recording at `path`; a missing prompt is sent to `inner` and added.

    The recording is a file of JSON lines: the engine's name and traits, then one reply per line, which is on disk
    before it is returned. A last line truncated by a crash is dropped. Without `inner` the engine uses the recorded
    name, so that the keys are the same; a missing prompt raises ReplayError, and so does a recording that is missing,
    damaged, or from another engine. Thread-safe within one process.
    """

    def __init__(self, path: str | Path, inner: Engine | None = None) -> None:
        self._path = Path(path).expanduser()
        self._inner = inner
        self._lock = Lock()
        self._replies: dict[str, Reply] = {}
        if self._path.exists() and not self._path.is_file():
            raise ReplayError(
                f"the recording {self._path} is not a file", hint="Choose a separate file for a recording."
            )
        if self._path.exists() or inner is None:
            self._header = self._read()
        else:
            self._header = _Header(engine=inner.name, traits=traits_of(inner))
            self._append(self._header)
        self.name = self._header.engine
        if inner is not None and inner.name != self.name:
            raise ReplayError(
                f"{self._path} contains replies of {self.name}, not of {inner.name}",
                hint="Record into another file, or replay with the engine that was recorded.",
            )

    @property
    def traits(self) -> Traits:
        """Return the traits of the recorded engine."""
        return self._header.traits

    def reply(self, prompt: Prompt) -> Reply:
        """Return the recorded reply, or else the reply of the inner engine. Raises ReplayError if neither exists."""
        key = prompt_key(self.name, prompt, sampling=self.traits.sampling)
        with self._lock:
            known = self._replies.get(key)
        if known is not None:
            return known
        if self._inner is None:
            raise ReplayError(f"{self._path} contains no reply to this prompt ({prompt.template}, {key[:12]})")
        reply = self._inner.reply(prompt)
        with self._lock:
            if key not in self._replies:
                self._append(_Line(key=key, template=prompt.template, reply=reply))
                self._replies[key] = reply
            return self._replies[key]

    def _read(self) -> _Header:
        try:
            content = self._path.read_bytes()
        except OSError as error:
            raise ReplayError(
                f"the recording {self._path} cannot be read: {error.strerror}", hint="Choose a recording."
            ) from error
        whole, _, rest = content.rpartition(b"\n")
        if rest:  # a crash truncated the last line: the next record must start on a new line
            self._cut_to(len(content) - len(rest))
        if not whole and self._inner is not None:  # a crash truncated the first line
            header = _Header(engine=self._inner.name, traits=traits_of(self._inner))
            self._append(header)
            return header
        header = _Header(engine="")
        for number, line in enumerate(whole.split(b"\n"), start=1):
            try:
                if number == 1:
                    header = _Header.model_validate_json(line)
                else:
                    entry = _Line.model_validate_json(line)
                    self._replies[entry.key] = entry.reply
            except ValidationError as error:
                raise ReplayError(
                    f"line {number} of the recording {self._path} is damaged",
                    hint="Remove that line, or record the run again into a new file.",
                ) from error
        return header

    def _cut_to(self, length: int) -> None:
        if self._inner is not None:  # a recording that is only replayed is never written
            os.truncate(self._path, length)

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
