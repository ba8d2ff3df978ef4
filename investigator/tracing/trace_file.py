"""Writes lines of JSON during a run: one for its start, one for each engine call, and one for its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from os import SEEK_END
from pathlib import Path
from threading import Lock
from typing import IO, Literal

from pydantic import Field

from investigator.engines.roles import Role, role_of
from investigator.errors import InvestigatorError, SettingsError
from investigator.files import for_owner
from investigator.records import AnswerStatus, FinishReason, Investigation, Record, StopReason, Usage
from investigator.secrets import redacted
from investigator.tracing.base import WatchedCall, encodable

_BEGINNING = b'{"kind":"'
_HINT = "Choose a writable file outside the folder of documents: --trace trace.jsonl"


class RunBegan(Record):
    """The start of a run, or its resumption after a stop."""

    kind: Literal["run_began"] = "run_began"
    time: datetime
    run_id: str
    question: str
    engine: str
    resumed: bool


class Called(Record):
    """An engine was called; `time` is the start of the call, and `seconds` is its duration including waits and retries.
    The tokens of a reused reply were paid for earlier. Without a reply, `error` gives the reason and `finish_reason` is
    None. `prompt` and `reply` are None if texts are not recorded.
    """

    kind: Literal["called"] = "called"
    time: datetime
    run_id: str
    role: Role
    template: str
    engine: str
    key: str = Field(description="sha256 that identifies the stored reply")
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: FinishReason | None = None
    reused: bool = False
    error: str = ""
    prompt: str | None = None
    reply: str | None = None


class RunEnded(Record):
    """A run ends with an answer, with an error, or (if neither is set) because the caller stopped.

    `seconds` is the time spent in this process; `usage` is the cost of the run across all its processes.
    """

    kind: Literal["run_ended"] = "run_ended"
    time: datetime
    run_id: str
    seconds: float
    status: AnswerStatus | None = None
    stop: StopReason | None = None
    usage: Usage | None = None
    error: str = ""


class TraceFile:
    """Appends lines to a file, which several runs and processes may share. With `prompts`, the texts of prompts and
    replies are also written; otherwise only their sizes. If a line cannot be written, `on_notice` receives a notice and
    the trace of that run ends; the run continues. `now` returns the date and time, `clock` the seconds of a monotonic
    clock. Raises SettingsError immediately if the file cannot be written or is not a trace.
    """

    def __init__(
        self,
        path: Path,
        *,
        prompts: bool = False,
        on_notice: Callable[[str], None] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path.expanduser()
        self.prompts = prompts
        self.on_notice = on_notice
        self.now = now
        self.clock = clock
        _opened(self.path).close()

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[_Run]:
        """Write the start of the run now, and its end when the context manager exits. Raises SettingsError in the same
        cases as the constructor.
        """
        with _opened(self.path) as file:
            run = _Run(self, file, run_id)
            began = RunBegan(
                time=self.now(),
                run_id=run_id,
                question=encodable(question),
                engine=encodable(engine),
                resumed=resumed,
            )
            run.write(began)
            error = ""
            try:
                yield run
            except GeneratorExit:
                raise
            except BaseException as problem:
                error = _told(problem)
                raise
            finally:
                run.close(error)


class _Run:
    """Writes the lines of one run, with one system call per line, until a line cannot be written."""

    def __init__(self, by: TraceFile, file: IO[bytes], run_id: str) -> None:
        self._by = by
        self._file = file
        self._run_id = run_id
        self._began = by.clock()
        self._closed = False
        self._broken = False
        self._lock = Lock()

    @contextmanager
    def call(self, call: WatchedCall) -> Iterator[WatchedCall]:
        time, began, error = self._by.now(), self._by.clock(), ""
        try:
            yield call
        except BaseException as problem:
            error = _told(problem)
            raise
        finally:
            reply = call.reply
            line = Called(
                time=time,
                run_id=self._run_id,
                role=role_of(call.prompt.template),
                template=call.prompt.template,
                engine=encodable(call.engine),
                key=call.key,
                seconds=self._since(began),
                input_tokens=reply.input_tokens if reply else 0,
                output_tokens=reply.output_tokens if reply else 0,
                finish_reason=reply.finish_reason if reply else None,
                reused=call.reused,
                error=error,
                prompt=encodable(call.prompt.text) if self._by.prompts else None,
                reply=encodable(reply.text) if self._by.prompts and reply else None,
            )
            self.write(line)

    def ended(self, investigation: Investigation) -> None:
        answer = investigation.answer
        end = self._end().changed(usage=investigation.usage)
        self._close(end.changed(status=answer.status, stop=answer.run.stop) if answer else end)

    def close(self, error: str) -> None:
        if not self._closed:
            self._close(self._end().changed(error=error))

    def write(self, record: Record) -> None:
        line = redacted(record.model_dump_json()).encode() + b"\n"
        with self._lock:
            if self._broken:
                return
            try:
                while line:
                    line = line[self._file.write(line) :]
            except OSError as error:
                self._broken = True
                if self._by.on_notice is not None:
                    self._by.on_notice(f"Tracing to {self._by.path} stopped: {error.strerror}.")

    def _end(self) -> RunEnded:
        return RunEnded(time=self._by.now(), run_id=self._run_id, seconds=self._since(self._began))

    def _close(self, end: RunEnded) -> None:
        self._closed = True
        self.write(end)

    def _since(self, began: float) -> float:
        return round(self._by.clock() - began, 6)


def _opened(path: Path) -> IO[bytes]:
    """Return the file, unbuffered, for appending whole lines; a partial last line, left by a killed process, is ended
    first.

    Raises SettingsError.
    """
    try:
        kept = path.is_file() and path.stat().st_size
        half = _is_cut_off(path) if kept else False
        file = open(path, "ab", buffering=0, opener=for_owner)  # noqa: SIM115 - the caller closes it
        if half:
            file.write(b"\n")
    except OSError as error:
        raise SettingsError(f"the trace cannot be written to {path}: {error.strerror}", hint=_HINT) from error
    return file


def _is_cut_off(path: Path) -> bool:
    """Return True if the last line of the trace is incomplete. Raises SettingsError if the file is not a trace."""
    with path.open("rb") as file:
        if file.read(len(_BEGINNING)) != _BEGINNING:
            raise SettingsError(f"{path} exists and is not a trace; it is unchanged", hint=_HINT)
        file.seek(-1, SEEK_END)
        return file.read(1) != b"\n"


def _told(error: BaseException) -> str:
    words = error.message if isinstance(error, InvestigatorError) else str(error)
    return encodable(f"{type(error).__name__}: {words}" if words else type(error).__name__)
