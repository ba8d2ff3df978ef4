"""Answers in the place of an engine that costs, to foresee what it would be asked."""

from __future__ import annotations

from investigator.engines.base import Engine, tokens_of, traits_of
from investigator.records import Prompt, Reply, Traits


class ForeseeingEngine:
    """Has the name and the traits of `engine`, which is never asked; `stand_in` gives the replies.

    Tokens are those that the prompt and the reply would have with `engine`.
    """

    def __init__(self, engine: Engine, stand_in: Engine) -> None:
        self._engine = engine
        self._stand_in = stand_in

    @property
    def name(self) -> str:
        """The name of the engine that is not asked."""
        return self._engine.name

    @property
    def traits(self) -> Traits:
        """Those of the engine that is not asked."""
        return traits_of(self._engine)

    def reply(self, prompt: Prompt) -> Reply:
        """The reply of the stand-in. Raises what that raises."""
        reply = self._stand_in.reply(prompt)
        tokens = tokens_of(self._engine, prompt.text), tokens_of(self._engine, reply.text)
        return reply.changed(input_tokens=tokens[0], output_tokens=tokens[1])
