"""Records another engine's replies in a file, and replays them without that engine."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from investigator.engines.base import Engine, prompt_key, traits_of
from investigator.errors import ReplayError, StoreError
from investigator.files import for_owner
from investigator.records import AskVariables, Prompt, Record, Reply, RowVariables, Traits


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

    @property
    def subject(self) -> tuple[str, str]:
        """Return what the reply is about, which stays the same if the template is reworded."""
        return self.template.removesuffix(".j2"), self.document


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
        self._fixture = fixture
        self._lock = Lock()
        self._replies: dict[str, Reply] = {}
        self._in_order: dict[tuple[str, str], list[Reply]] = {}
        self._requests: Counter[tuple[str, str]] = Counter()
        if self._path.exists() and not self._path.is_file():
            raise ReplayError(
                f"the recording {self._path} is not a file", hint="Choose a separate file for a recording."
            )
        self._header = self._read() if self._path.exists() or inner is None else self._begun(inner)
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
        subject = prompt.template.removesuffix(".j2"), _documents_in(prompt.variables)
        with self._lock:
            known = self._known(key, subject)
        if known is not None:
            return known
        if self._inner is None:
            raise ReplayError(f"{self._path} contains no reply to this prompt ({prompt.template}, {key[:12]})")
        reply = self._inner.reply(prompt)
        with self._lock:
            if key not in self._replies:
                line = _Line(key=key, template=prompt.template, document=subject[1], reply=reply)
                self._append(line)
                self._keep(line)
            return self._replies[key]

    def _known(self, key: str, subject: tuple[str, str]) -> Reply | None:
        """Return the reply recorded for a prompt or, in a fixture, for the ordinal of the request."""
        number = self._requests[subject]
        self._requests[subject] += 1
        if key in self._replies or not self._header.fixture or self._inner is not None:
            return self._replies.get(key)
        in_order = self._in_order.get(subject, [])
        return in_order[number] if number < len(in_order) else None

    def _keep(self, line: _Line) -> None:
        self._replies[line.key] = line.reply
        self._in_order.setdefault(line.subject, []).append(line.reply)

    def _begun(self, inner: Engine) -> _Header:
        header = _Header(engine=inner.name, traits=traits_of(inner), fixture=self._fixture)
        self._append(header)
        return header

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
            return self._begun(self._inner)
        header = _Header(engine="")
        for number, line in enumerate(whole.split(b"\n"), start=1):
            try:
                if number == 1:
                    header = _Header.model_validate_json(line)
                else:
                    self._keep(_Line.model_validate_json(line))
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


def _documents_in(variables: Record) -> str:
    """Return the ids of the documents that a prompt asks about; empty for prompts that are not about a document."""
    match variables:
        case AskVariables(documents=documents):
            return " ".join(document.document_id for document in documents)
        case RowVariables(document=document):
            return document.document_id
    return ""
