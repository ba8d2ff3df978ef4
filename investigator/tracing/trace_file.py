"""A run as lines of JSON, written as it happens: one for its beginning, one for each engine call, one for its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import IO

from investigator.engines.roles import role_of
from investigator.errors import InvestigatorError, SettingsError
from investigator.records import AnswerStatus, Investigation, Prompt, Record, Reply, StopReason, Usage
from investigator.tracing.base import encodable
from investigator.tracing.trace_lines import Called, RunBegan, RunEnded

_BEGINNING = b'{"kind":"'
_HINT = "Name a file that can be written, outside the folder of documents: --trace trace.jsonl"


class TraceFile:
    """Appends lines to a file; runs, also of several processes, may share one.

    With `prompts` the texts of prompts and replies are written too, else only their measures. A line that cannot be
    written ends the trace of that run, with a notice to `on_notice`; the run goes on. `now` and `clock` tell the time.
    Raises SettingsError at once if the file cannot be written or is not a trace.
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
        self._path = path.expanduser()
        self._prompts = prompts
        self._on_notice = on_notice
        self._now = now
        self._clock = clock
        _opened(self._path).close()

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[_Run]:
        """Write the beginning now, the end when the context is left. Raises SettingsError as the constructor does."""
        with _opened(self._path) as file:
            run = _Run(run_id, _Lines(file, self._path, self._on_notice), self._prompts, self._now, self._clock)
            run.began(question, engine, resumed)
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
    def __init__(
        self, run_id: str, lines: _Lines, prompts: bool, now: Callable[[], datetime], clock: Callable[[], float]
    ) -> None:
        self._run_id = run_id
        self._lines = lines
        self._prompts = prompts
        self._now = now
        self._clock = clock
        self._began = clock()
        self._closed = False

    def began(self, question: str, engine: str, resumed: bool) -> None:
        began = RunBegan(
            time=self._now(),
            run_id=self._run_id,
            question=encodable(question),
            engine=encodable(engine),
            resumed=resumed,
        )
        self._lines.write(began)

    @contextmanager
    def call(self, prompt: Prompt, engine: str, key: str) -> Iterator[_Call]:
        call, time, began, error = _Call(), self._now(), self._clock(), ""
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
                role=role_of(prompt.template),
                template=prompt.template,
                engine=encodable(engine),
                key=key,
                seconds=self._since(began),
                input_tokens=reply.input_tokens if reply else 0,
                output_tokens=reply.output_tokens if reply else 0,
                finish_reason=reply.finish_reason if reply else None,
                reused=call.reused,
                error=error,
                prompt=encodable(prompt.text) if self._prompts else None,
                reply=encodable(reply.text) if self._prompts and reply else None,
            )
            self._lines.write(line)

    def ended(self, investigation: Investigation) -> None:
        answer = investigation.answer
        self._end(
            status=answer.status if answer else None, stop=answer.stop if answer else None, usage=investigation.usage
        )

    def close(self, error: str) -> None:
        if not self._closed:
            self._end(error=error)

    def _end(
        self,
        status: AnswerStatus | None = None,
        stop: StopReason | None = None,
        usage: Usage | None = None,
        error: str = "",
    ) -> None:
        self._closed = True
        line = RunEnded(
            time=self._now(),
            run_id=self._run_id,
            seconds=self._since(self._began),
            status=status,
            stop=stop,
            usage=usage,
            error=error,
        )
        self._lines.write(line)

    def _since(self, began: float) -> float:
        return round(self._clock() - began, 6)


@dataclass
class _Call:
    reply: Reply | None = None
    reused: bool = False

    def done(self, reply: Reply, *, reused: bool = False) -> None:
        self.reply, self.reused = reply, reused


class _Lines:
    """Writes whole lines, one system call each, until one cannot be written."""

    def __init__(self, file: IO[bytes], path: Path, on_notice: Callable[[str], None] | None) -> None:
        self._file = file
        self._path = path
        self._on_notice = on_notice
        self._lock = Lock()
        self._broken = False

    def write(self, record: Record) -> None:
        line = record.model_dump_json().encode() + b"\n"
        with self._lock:
            if self._broken:
                return
            try:
                while line:
                    line = line[self._file.write(line) :]
            except OSError as error:
                self._broken = True
                if self._on_notice is not None:
                    self._on_notice(f"Tracing to {self._path} stopped: {error.strerror}.")


def _opened(path: Path) -> IO[bytes]:
    """The file, unbuffered, for appending whole lines. Raises SettingsError."""
    try:
        if path.is_file() and path.stat().st_size:
            _check_is_trace(path)
        file = path.open("ab", buffering=0)
        if path.is_file() and not _ends_a_line(path):
            file.write(b"\n")
    except OSError as error:
        raise SettingsError(f"the trace cannot be written to {path}: {error.strerror}", hint=_HINT) from error
    return file


def _check_is_trace(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_BEGINNING)) != _BEGINNING:
            raise SettingsError(f"{path} exists and is not a trace; nothing was written to it", hint=_HINT)


def _ends_a_line(path: Path) -> bool:
    """Return True if the file ends with a whole line; a killed process may have left half of one."""
    with path.open("rb") as file:
        length = file.seek(0, 2)
        if not length:
            return True
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _told(error: BaseException) -> str:
    words = error.message if isinstance(error, InvestigatorError) else str(error)
    return encodable(f"{type(error).__name__}: {words}" if words else type(error).__name__)
