"""What goes with a prompt besides its text, and what is left of it once a server has refused something."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Parameter(StrEnum):
    """A parameter of a call that some servers refuse."""

    TEMPERATURE = "temperature"
    TOP_P = "top_p"
    MAX_TOKENS = "max_tokens"
    RESPONSE_FORMAT = "response_format"
    STREAM_OPTIONS = "stream_options"


class ReplyFormat(StrEnum):
    """How a server is asked for a reply that can be read, the strictest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"

    @property
    def weaker(self) -> ReplyFormat:
        """What to ask for where this is refused."""
        return ReplyFormat.JSON_OBJECT if self is ReplyFormat.JSON_SCHEMA else ReplyFormat.NONE


_STRICTNESS = tuple(reversed(ReplyFormat))


@dataclass(frozen=True)
class Sending:
    """The settable parameters that are sent, and the reply's format."""

    parameters: frozenset[Parameter] = frozenset()
    reply_format: ReplyFormat = ReplyFormat.NONE

    @property
    def refusable(self) -> frozenset[Parameter]:
        """Everything sent that a server may refuse."""
        formats = frozenset({Parameter.RESPONSE_FORMAT}) if self.reply_format is not ReplyFormat.NONE else frozenset()
        return self.parameters | formats

    def without(self, refused: Parameter) -> Sending:
        """What to send after a refusal: the parameter is left out; of the format a weaker one is tried."""
        if refused is Parameter.RESPONSE_FORMAT:
            return Sending(self.parameters, self.reply_format.weaker)
        return Sending(self.parameters - {refused}, self.reply_format)

    def meet(self, other: Sending) -> Sending:
        """What both send."""
        reply_format = min(self.reply_format, other.reply_format, key=_STRICTNESS.index)
        return Sending(self.parameters & other.parameters, reply_format)
