"""The parts of a call that some servers reject, and the table of what one server has rejected."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from threading import Lock

from investigator.engines.chat.errors import is_too_long, status_of


class Feature(StrEnum):
    """A part of a call that some servers reject."""

    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    MAX_TOKENS = "max_tokens"
    STREAM_OPTIONS = "stream_options"
    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"


_NAMES_OF = {
    Feature.TEMPERATURE: r"\btemperature\b",
    Feature.TOP_P: r"\btop_?p\b",
    Feature.MAX_TOKENS: r"\b(max_(completion_|output_)?tokens|num_predict)\b",
    Feature.STREAM_OPTIONS: r"\b(stream_options|include_usage)\b",
    Feature.JSON_SCHEMA: r"response_?format|json[_ ]?schema|json[_ ]object|structured output|\bgrammar\b",
    Feature.TOOLS: r"\b(tools?|tool_choice|parallel_tool_calls|functions?)\b",
}
_INSTEAD = {
    Feature.JSON_SCHEMA: "rejects the JSON schema, so the reply is requested as a tool call",
    Feature.TOOLS: "rejects tools, so only the prompt says how to reply",
}


class Refusals:
    """The features that a model's server has rejected: they are not sent again.

    A refusal counts once a call succeeds without the feature: only then is it entered and reported to `on_notice`.
    `server` is the server's name in notices. Thread-safe; engines that send different parameters to the same server
    share one table.
    """

    def __init__(self, server: str, on_notice: Callable[[str], None] | None = None) -> None:
        self._server = server
        self._on_notice = on_notice
        self._refused: frozenset[Feature] = frozenset()
        self._has_worked = False
        self._lock = Lock()

    def allowed(self, wanted: frozenset[Feature]) -> frozenset[Feature]:
        """Return the features for the next call: the requested ones, except those that the server rejects."""
        return wanted - self._refused

    def refused_by(self, error: Exception, sent: frozenset[Feature], *, streamed: bool) -> Feature | None:
        """Return the feature that the server's error (400 or 422) rejects, or None for any other error.

        A refusal without a reason is attributed to the reply format until a call has worked. After that, the refusal of
        a `streamed` call is attributed to the streaming options, which other calls do not send.
        """
        if status_of(error) not in (400, 422) or is_too_long(error):
            return None
        sent = sent if streamed else sent - {Feature.STREAM_OPTIONS}
        sent = sent - {Feature.TOOLS} if Feature.JSON_SCHEMA in sent else sent
        for text in (str(getattr(error, "param", None)), str(error)):
            for feature in Feature:
                if feature in sent and re.search(_NAMES_OF[feature], text, re.IGNORECASE):
                    return feature
        likely = () if self._has_worked else (Feature.JSON_SCHEMA, Feature.TOOLS)
        return next((feature for feature in (*likely, Feature.STREAM_OPTIONS) if feature in sent), None)

    def learn(self, wanted: frozenset[Feature], sent: frozenset[Feature]) -> None:
        """Learn from a successful call: what it omitted is no longer sent."""
        with self._lock:
            news = self.allowed(wanted) - sent
            self._refused |= news
            self._has_worked = True
        for feature in sorted(news):
            if self._on_notice is not None:
                told = _INSTEAD.get(feature, f"rejects the parameter {feature}, so it is no longer sent")
                self._on_notice(f"{self._server} {told}")
