"""Remembers, in a file that later runs share, what servers reject, so that it is not sent again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock

from pydantic import AwareDatetime, Field, ValidationError

from investigator.engines.chat.sending import (
    Parameter,
    ReplyFormat,
    Sending,
    is_unexplained_refusal,
    refused_parameter,
)
from investigator.errors import ForeignFileError
from investigator.files import make_private_folder, read_private, write_private
from investigator.records import Record

_NO_SCHEMA = "rejects the JSON schema, so any JSON object is requested instead"

KEPT_FOR = timedelta(days=30)
"""Older facts expire, because servers are updated."""


class ServerLimits(Record):
    """The parameters that a server rejects, and the strictest reply format that it has accepted."""

    refused: frozenset[Parameter] = frozenset()
    reply_format: ReplyFormat = ReplyFormat.NONE


class _KnownServer(Record):
    found: ServerLimits
    at: AwareDatetime


class _KnownFile(Record):
    version: int = 1
    servers: dict[str, _KnownServer] = Field(default_factory=dict)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class KnownServers:
    """Stores what each server rejects for each model in a small JSON file.

    A missing file is treated as empty. A damaged or unwritable file is reported to `on_notice`; everything is then
    learned again, at the cost of a few rejected calls. Each change rewrites the current file completely, so that
    several processes may share it. Thread-safe.
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

    def find(self, name: str) -> ServerLimits | None:
        """Return the known limits of a model at a server (`provider:name@host`), or None if unknown or expired."""
        with self._lock:
            entry = self._read().servers.get(name)
        return entry.found if entry is not None and self._now() - entry.at <= KEPT_FOR else None

    def keep(self, name: str, found: ServerLimits) -> None:
        """Store newly learned limits. If the file cannot be written, send a notice instead of raising an error."""
        with self._lock:
            servers = {**self._read().servers, name: _KnownServer(found=found, at=self._now())}
            try:
                make_private_folder(self._path.parent)
                write_private(self._path, _KnownFile(servers=servers).model_dump_json(indent=1).encode())
            except OSError as error:
                self._tell(f"The parameters that {name} rejects cannot be saved in {self._path}: {error.strerror}.")

    def _read(self) -> _KnownFile:
        try:
            return _KnownFile.model_validate_json(read_private(self._path))
        except FileNotFoundError:
            return _KnownFile()
        except (OSError, ForeignFileError, ValidationError):
            self._tell(f"{self._path} cannot be read; the parameters that servers reject will be learned again.")
            return _KnownFile()

    def _tell(self, notice: str) -> None:
        if self._on_notice is not None and notice not in self._told:
            self._told.add(notice)
            self._on_notice(notice)


class Negotiation:
    """Learns which parameters a model's server rejects, and stops sending them.

    A refusal counts once a call succeeds without the parameter: only then is it reported, dropped, and written to
    `known`. Parameters known to be rejected are neither sent nor reported again. `server` is the server's name in
    notices, and `identity` is its key in `known`. Thread-safe; engines that send different parameters to the same
    server share one instance.
    """

    def __init__(
        self,
        server: str,
        identity: str,
        known: KnownServers | None = None,
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        self._server = server
        self._identity = identity
        self._known = known
        self._on_notice = on_notice
        self._lock = Lock()
        self._limits = known.find(identity) if known is not None else None  # None until a call has succeeded

    def allowed(self, wanted: Sending) -> Sending:
        """Return the parameters for the next call: the requested ones, except those that the server rejects."""
        limits = self._limits
        if limits is None:
            return wanted
        return wanted.meet(Sending(wanted.parameters - limits.refused, limits.reply_format))

    def after_refusal(self, error: Exception, sent: Sending, *, streamed: bool = False) -> Sending | None:
        """Return the parameters for another attempt if the server rejected one of them, or None for any other error.

        A refusal without a reason is attributed to the reply format until a format has worked. After that, the refusal
        of a `streamed` call is attributed to the streaming options, which other calls do not send.
        """
        refusable = sent.refusable if streamed else sent.refusable - {Parameter.STREAM_OPTIONS}
        refused = refused_parameter(error, refusable)
        if refused is None and is_unexplained_refusal(error):
            if Parameter.RESPONSE_FORMAT in refusable and self._limits is None:
                refused = Parameter.RESPONSE_FORMAT
            elif Parameter.STREAM_OPTIONS in refusable:
                refused = Parameter.STREAM_OPTIONS
        return sent.without(refused) if refused is not None else None

    def after_success(self, wanted: Sending, sent: Sending) -> None:
        """Learn from a successful call: parameters that it omitted are no longer sent."""
        with self._lock:
            before = self.allowed(wanted)
            now = before.meet(sent)
            refused = before.parameters - now.parameters
            already = self._limits.refused if self._limits is not None else frozenset()
            limits = ServerLimits(refused=already | refused, reply_format=now.reply_format)
            is_news, self._limits = limits != self._limits, limits
            if self._known is not None and is_news:
                self._known.keep(self._identity, limits)
            self._report(refused, before.reply_format, now.reply_format)

    def _report(self, refused: frozenset[Parameter], before: ReplyFormat, now: ReplyFormat) -> None:
        if self._on_notice is None:
            return
        for parameter in sorted(refused):
            self._on_notice(f"{self._server} rejects the parameter {parameter}, so it is no longer sent")
        if now is not before:
            is_object = now is ReplyFormat.JSON_OBJECT
            told = _NO_SCHEMA if is_object else "rejects the parameter response_format, so it is no longer sent"
            self._on_notice(f"{self._server} {told}")
