"""Engines that adopt the name and traits of another engine without calling it, for use in forecasts and replays."""

from __future__ import annotations

from investigator.engines.base import Engine, tokens_of, traits_of
from investigator.errors import ReplayError
from investigator.records import Prompt, Reply, Traits


class ForeseeingEngine:
    """Has the name and traits of `engine`, which is never called; the replies come from `stand_in`.

    Tokens are counted as `engine` would count them.
    """

    def __init__(self, engine: Engine, stand_in: Engine) -> None:
        self._engine = engine
        self._stand_in = stand_in

    @property
    def name(self) -> str:
        """Return the name of the engine that is not called."""
        return self._engine.name

    @property
    def traits(self) -> Traits:
        """Return the traits of the engine that is not called."""
        return traits_of(self._engine)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the reply of the stand-in, or raise its error."""
        reply = self._stand_in.reply(prompt)
        tokens = tokens_of(self._engine, prompt.text), tokens_of(self._engine, reply.text)
        return reply.changed(input_tokens=tokens[0], output_tokens=tokens[1])


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
