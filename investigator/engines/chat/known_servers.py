"""What was found out about servers, kept in a file: the parameters they refuse, the reply formats they take."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock

from pydantic import AwareDatetime, Field, ValidationError

from investigator.engines.chat.sending import Parameter, ReplyFormat
from investigator.records import Record

KEPT_FOR = timedelta(days=30)
"""Servers are given new versions: what is older than this is found out again."""


class Found(Record):
    """What a server refuses, and the strictest reply format that it has taken."""

    refused: frozenset[Parameter] = frozenset()
    reply_format: ReplyFormat = ReplyFormat.NONE


class _Entry(Record):
    found: Found
    at: AwareDatetime


class _File(Record):
    version: int = 1
    servers: dict[str, _Entry] = Field(default_factory=dict)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class KnownServers:
    """Keeps what was found out about each model and server in a small JSON file.

    A missing file holds nothing; so does one that is damaged, which `on_notice` is told, as it is when the file cannot
    be written: then everything is found out again, at the price of a few refused calls. Each change is written whole,
    over what the file holds by then, so that several processes may share it. Safe to call from several threads.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        now: Callable[[], datetime] = _utc_now,
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        self._path = Path(path).expanduser()
        self._now = now
        self._on_notice = on_notice
        self._told: set[str] = set()
        self._lock = Lock()

    def find(self, name: str) -> Found | None:
        """What is known of a model at a server, by its `provider:name@host`; None where that is nothing, or too old."""
        with self._lock:
            entry = self._read().servers.get(name)
        return entry.found if entry is not None and self._now() - entry.at <= KEPT_FOR else None

    def keep(self, name: str, found: Found) -> None:
        """Keep what was found out now. A file that cannot be written is a notice, not an error."""
        with self._lock:
            servers = {**self._read().servers, name: _Entry(found=found, at=self._now())}
            try:
                _write_whole(self._path, _File(servers=servers).model_dump_json(indent=1).encode())
            except OSError as error:
                self._tell(f"What was found out about {name} cannot be kept: {self._path}: {error.strerror}.")

    def _read(self) -> _File:
        try:
            return _File.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return _File()
        except (OSError, ValidationError):
            self._tell(f"{self._path} cannot be read: what servers refuse is found out again.")
            return _File()

    def _tell(self, notice: str) -> None:
        if self._on_notice is not None and notice not in self._told:
            self._told.add(notice)
            self._on_notice(notice)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it finds all of the old content or all of the new. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
