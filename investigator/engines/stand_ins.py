"""Engines that adopt the name and traits of another engine without calling it, for use in forecasts and replays."""

from __future__ import annotations

from investigator.engines.base import Engine, TokenCounter, traits_of
from investigator.errors import ReplayError
from investigator.records import AskReply, AskVariables, Prompt, Reply, Traits, Verdict

_CHARACTERS_PER_TOKEN = 4  # what a call costs on average; the cautious estimate is for what fits
_TYPICAL_QUOTES = 2


class ForeseeingEngine:
    """Has the name and traits of `engine`, which is never called; the replies come from `stand_in`.

    A model quotes less than the built-in engine and usually gets an answer, so of the replies to a reading the best
    one answers, with few quotes. Tokens are counted as `engine` would count them.
    """

    def __init__(self, engine: Engine, stand_in: Engine) -> None:
        self.name = engine.name
        self.traits = traits_of(engine)
        self._engine = engine
        self._stand_in = stand_in

    def reply(self, prompt: Prompt) -> Reply:
        """Return the reply of the stand-in, or raise its error."""
        reply = self._stand_in.reply(prompt)
        if isinstance(prompt.variables, AskVariables):
            reply = reply.changed(text=_answering(AskReply.model_validate_json(reply.text)).model_dump_json())
        return reply.changed(input_tokens=self._tokens(prompt.text), output_tokens=self._tokens(reply.text))

    def _tokens(self, text: str) -> int:
        engine = self._engine
        return engine.count_tokens(text) if isinstance(engine, TokenCounter) else len(text) // _CHARACTERS_PER_TOKEN


def _answering(reply: AskReply) -> AskReply:
    """Return a reply in which the most relevant document answers, and each gives only a few quotes."""
    readings = [r.changed(quotes=r.quotes[:_TYPICAL_QUOTES], reply=" ".join(r.quotes[:1])) for r in reply.readings]
    best = max(range(len(readings)), key=lambda number: readings[number].point or 0, default=None)
    if best is not None and readings[best].quotes:
        readings[best] = readings[best].changed(verdict=Verdict.ANSWERS, point=100)
    return AskReply(readings=tuple(readings))


class AbsentEngine:
    """Has the name and traits of another engine but gives no replies: all replies must already be in the journal."""

    def __init__(self, name: str, traits: Traits) -> None:
        self.name = name
        self.traits = traits

    def count_tokens(self, text: str) -> int:
        """Return 0, because the journal already records which prompts did not fit."""
        return 0

    def reply(self, prompt: Prompt) -> Reply:
        """Always raise ReplayError."""
        raise ReplayError(
            f"the run never sent this prompt to {self.name} ({prompt.template})",
            hint="The documents, the templates or the program have changed since: ask the question again.",
        )
