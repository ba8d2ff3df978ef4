"""Writes the journal of runs as lines of JSON while they happen, to a file that runs and processes may share.

The `kind` of a line is `run_began`, `called` or `run_ended`. `time` is when the run or call began, or the run ended;
`seconds` is the duration of a call including waits and retries. Fields that do not apply are null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from os import SEEK_END
from pathlib import Path
from threading import Lock
from typing import IO

from investigator.engines.roles import role_of
from investigator.errors import InvestigatorError, SettingsError
from investigator.files import for_owner
from investigator.records import Investigation
from investigator.secrets import redacted
from investigator.tracing.base import TraceSettings, WatchedCall, encodable

_BEGINNING = b'{"kind":'
_HINT = "Choose a writable file outside the folder of documents: --set trace.file=trace.jsonl"


class TraceFile:
    """Appends lines to a file; with `prompts`, also the texts of prompts and replies. If a line cannot be written,
    `on_notice` receives a notice, the trace ends, and the run continues. Raises SettingsError immediately if the file
    cannot be written or is not a trace.
    """

    def __init__(
        self,
        settings: TraceSettings,
        *,
        on_notice: Callable[[str], None] = lambda _: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.path, self.prompts = Path(settings.file or "").expanduser(), settings.prompts
        self.on_notice, self.now = on_notice, now
        _opened(self.path).close()

    @contextmanager
    def run(self, run_id: str, question: str, engine: str, *, resumed: bool = False) -> Iterator[_Run]:
        """Write the start of the run now, and its end when the context manager exits."""
        with _opened(self.path) as file:
            run = _Run(self, file, run_id)
            run.write("run_began", question=question, engine=engine, resumed=resumed)
            error = None
            try:
                yield run
            except GeneratorExit:  # the caller stopped early; this is not an error
                raise
            except BaseException as problem:
                error = _words(problem)
                raise
            finally:
                if not run.is_over:
                    run.write("run_ended", error=error)


class _Run:
    """Writes the lines of one run, with one system call per line, until a line cannot be written."""

    def __init__(self, by: TraceFile, file: IO[bytes], run_id: str) -> None:
        self._by, self._file, self._run_id = by, file, run_id
        self._writing = Lock()
        self._is_broken = self.is_over = False

    def called(self, call: WatchedCall) -> None:
        reply = call.reply
        self.write(
            "called",
            time=self._by.now() - timedelta(seconds=call.seconds),
            role=role_of(call.prompt.template).value,
            template=call.prompt.template,
            engine=call.engine,
            key=call.key,
            seconds=round(call.seconds, 6),
            reused=call.reused,
            input_tokens=reply.input_tokens if reply else 0,
            output_tokens=reply.output_tokens if reply else 0,
            finish_reason=reply.finish_reason.value if reply else None,
            error=_words(call.error) if call.error else None,
            prompt=call.prompt.text if self._by.prompts else None,
            reply=reply.text if self._by.prompts and reply else None,
        )

    def ended(self, investigation: Investigation) -> None:
        answer, self.is_over = investigation.answer, True
        status, stop = (answer.status.value, answer.run.stop.value) if answer else (None, None)
        self.write("run_ended", usage=investigation.usage.model_dump(mode="json"), status=status, stop=stop, error=None)

    def write(self, kind: str, *, time: datetime | None = None, **fields: object) -> None:
        values = {"kind": kind, "time": (time or self._by.now()).isoformat(), "run_id": self._run_id, **fields}
        safe = {name: encodable(value) if isinstance(value, str) else value for name, value in values.items()}
        data = redacted(json.dumps(safe, ensure_ascii=False, separators=(",", ":"))).encode() + b"\n"
        with self._writing:
            if self._is_broken:
                return
            try:
                while data:
                    data = data[self._file.write(data) :]
            except OSError as error:
                self._is_broken = True
                self._by.on_notice(f"Tracing to {self._by.path} stopped: {error.strerror}.")


def _opened(path: Path) -> IO[bytes]:
    """Return the file, unbuffered, for appending whole lines, and end a last line that a killed process left."""
    try:
        last = b"\n"
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as file:
                if file.read(len(_BEGINNING)) != _BEGINNING:
                    raise SettingsError(f"{path} exists and is not a trace; it is unchanged", hint=_HINT)
                file.seek(-1, SEEK_END)
                last = file.read()
        opened = open(path, "ab", buffering=0, opener=for_owner)  # noqa: SIM115 - the caller closes it
        if last != b"\n":
            opened.write(b"\n")
    except OSError as error:
        raise SettingsError(f"the trace cannot be written to {path}: {error.strerror}", hint=_HINT) from error
    return opened


def _words(error: BaseException) -> str:
    words = error.message if isinstance(error, InvestigatorError) else str(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
