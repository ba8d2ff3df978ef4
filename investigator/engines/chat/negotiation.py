"""What a server is sent besides the prompt: everything that is set, less what it has refused."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from threading import Lock

from investigator.engines.chat.errors import is_unexplained_refusal, refused_parameter
from investigator.engines.chat.known_servers import Found, KnownServers
from investigator.engines.chat.sending import Parameter, ReplyFormat, Sending

_NO_SCHEMA = "takes no JSON schema: a JSON object of any form is asked for"


class Negotiation:
    """Finds out once what a server refuses, and keeps it.

    A refusal counts once a call has gone well without what was refused: only then is it told, sent no longer, and
    written to `known`. What is known already is not sent, and not told again. Safe to call from several threads.
    """

    def __init__(
        self,
        server: str,
        identity: str,
        first: Sending,
        known: KnownServers | None = None,
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        self._first = first
        self._refusals = _Refusals(server, identity, known, on_notice)

    def of_same_server(self, first: Sending) -> Negotiation:
        """For another engine that sends other things to the same server: what one of them finds out both know."""
        other = copy(self)
        other._first = first
        return other

    @property
    def sending(self) -> Sending:
        """What the next call sends."""
        found = self._refusals.found
        if found is None:
            return self._first
        return self._first.meet(Sending(self._first.parameters - found.refused, found.reply_format))

    def after_refusal(self, error: Exception, sent: Sending, *, streamed: bool = False) -> Sending | None:
        """What to try next where the error refuses something that was sent; None where it is about something else.

        A refusal without a reason is taken for one of the reply's format, until a format has worked; then, of a reply
        that was to be `streamed`, for one of the options for that, which no other call sends.
        """
        refusable = sent.refusable if streamed else sent.refusable - {Parameter.STREAM_OPTIONS}
        refused = refused_parameter(error, refusable)
        if refused is None and is_unexplained_refusal(error):
            if Parameter.RESPONSE_FORMAT in refusable and self._refusals.found is None:
                refused = Parameter.RESPONSE_FORMAT
            elif Parameter.STREAM_OPTIONS in refusable:
                refused = Parameter.STREAM_OPTIONS
        return sent.without(refused) if refused is not None else None

    def after_success(self, sent: Sending) -> None:
        """A call has gone well: what it did not send is left out from now on."""
        with self._refusals.lock:
            before = self.sending
            self._refusals.learn(before, before.meet(sent))


class _Refusals:
    """What a server has refused so far; None before the first call has gone well, where nothing was known."""

    def __init__(
        self, server: str, identity: str, known: KnownServers | None, on_notice: Callable[[str], None] | None
    ) -> None:
        self.lock = Lock()
        self.found = known.find(identity) if known is not None else None
        self._server = server
        self._identity = identity
        self._known = known
        self._on_notice = on_notice

    def learn(self, before: Sending, now: Sending) -> None:
        refused = before.parameters - now.parameters
        already = self.found.refused if self.found is not None else frozenset()
        found = Found(refused=already | refused, reply_format=now.reply_format)
        is_news, self.found = found != self.found, found
        if self._known is not None and is_news:
            self._known.keep(self._identity, found)
        for parameter in sorted(refused):
            self._tell(f"refuses the parameter {parameter}: it is no longer sent")
        if now.reply_format is not before.reply_format:
            is_object = now.reply_format is ReplyFormat.JSON_OBJECT
            self._tell(_NO_SCHEMA if is_object else "refuses the parameter response_format: it is no longer sent")

    def _tell(self, notice: str) -> None:
        if self._on_notice is not None:
            self._on_notice(f"{self._server} {notice}")
