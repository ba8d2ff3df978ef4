"""The parameters of a call, and the fallback after a server has rejected one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from investigator.engines.chat.errors import is_too_long, status_of


class Parameter(StrEnum):
    """A parameter of a call that some servers reject."""

    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    MAX_TOKENS = "max_tokens"
    RESPONSE_FORMAT = "response_format"
    STREAM_OPTIONS = "stream_options"


_NAMES_OF = {
    Parameter.TEMPERATURE: re.compile(r"\btemperature\b", re.IGNORECASE),
    Parameter.TOP_P: re.compile(r"\btop_?p\b", re.IGNORECASE),
    Parameter.MAX_TOKENS: re.compile(r"\b(max_(completion_|output_)?tokens|num_predict)\b", re.IGNORECASE),
    Parameter.RESPONSE_FORMAT: re.compile(
        r"response_?format|json[_ ]?schema|json[_ ]object|structured output|\bgrammar\b", re.IGNORECASE
    ),
    Parameter.STREAM_OPTIONS: re.compile(r"\bstream_options\b|\binclude_usage\b", re.IGNORECASE),
}


class ReplyFormat(StrEnum):
    """The ways to request a parsable reply, strictest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"

    @property
    def weaker(self) -> ReplyFormat:
        """Return the format to request if this format is rejected."""
        return ReplyFormat.JSON_OBJECT if self is ReplyFormat.JSON_SCHEMA else ReplyFormat.NONE


_STRICTNESS = tuple(reversed(ReplyFormat))


@dataclass(frozen=True)
class Sending:
    """The parts of a request that some servers reject: the parameters that are set, and the reply format."""

    parameters: frozenset[Parameter] = frozenset()
    reply_format: ReplyFormat = ReplyFormat.NONE

    @property
    def refusable(self) -> frozenset[Parameter]:
        """Return all parameters that a server may reject, including the reply format."""
        formats = frozenset({Parameter.RESPONSE_FORMAT}) if self.reply_format is not ReplyFormat.NONE else frozenset()
        return self.parameters | formats

    def without(self, refused: Parameter) -> Sending:
        """Return the request to send after a refusal: without the parameter, or with a weaker format."""
        if refused is Parameter.RESPONSE_FORMAT:
            return Sending(self.parameters, self.reply_format.weaker)
        return Sending(self.parameters - {refused}, self.reply_format)

    def meet(self, other: Sending) -> Sending:
        """Return a request with the parameters that both requests have, and with the weaker of their reply formats."""
        reply_format = min(self.reply_format, other.reply_format, key=_STRICTNESS.index)
        return Sending(self.parameters & other.parameters, reply_format)


def refused_parameter(error: Exception, sent: frozenset[Parameter]) -> Parameter | None:
    """Return the parameter in `sent` that the server's error (400 or 422) names as rejected, or None."""
    if status_of(error) not in (400, 422) or is_too_long(error):
        return None
    named = getattr(error, "param", None)
    for text in (named, str(error)):
        if isinstance(text, str):
            for parameter in Parameter:
                if parameter in sent and _NAMES_OF[parameter].search(text):
                    return parameter
    return None


def is_unexplained_refusal(error: Exception) -> bool:
    """Return True if the server rejected the form of the request without naming a parameter."""
    return status_of(error) in (400, 422) and not is_too_long(error)
