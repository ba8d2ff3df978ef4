"""The layer that lets a trace watch each call."""

from __future__ import annotations

from investigator.asking.call import Call, Layer
from investigator.records import Reply
from investigator.tracing.base import RunTrace, WatchedCall


class Traced:
    """Reports each call to the trace of the run: what is sent, and replies that are used again."""

    def __init__(self, inner: Layer, trace: RunTrace) -> None:
        self._inner = inner
        self._trace = trace

    def __call__(self, call: Call) -> Reply:
        """Return the reply of the layer inside, watched; an error is reported and passes through."""
        with self._trace.call(WatchedCall(call.prompt, call.engine.name, call.key)) as watched:
            reply = self._inner(call)
            watched.done(reply)
            return reply

    def reused(self, call: Call, reply: Reply) -> None:
        """Report a reply that was kept from before."""
        with self._trace.call(WatchedCall(call.prompt, call.engine.name, call.key)) as watched:
            watched.done(reply, reused=True)
