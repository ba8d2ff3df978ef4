"""One prompt on its way to its engine, and the form of the layers that it passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from investigator.engines.base import Engine, Hear, Streams, prompt_key, traits_of
from investigator.records import Prompt, Reply


@dataclass(frozen=True)
class Call:
    """A prompt, the engine that answers it, and the key under which the reply is kept.

    `hear` is told of the reply while it is being written. `tokens` are those of the prompt; they are counted only if
    the engine has to be asked.
    """

    prompt: Prompt
    engine: Engine
    key: str
    hear: Hear | None = None
    tokens: int = 0


Layer = Callable[[Call], Reply]
"""Each layer has one job and wraps the next one; the innermost asks the engine."""


def call_to(engine: Engine, prompt: Prompt, hear: Hear | None = None) -> Call:
    """Return the call that puts a prompt to an engine."""
    traits = traits_of(engine)
    key = prompt_key(engine.name, prompt, measures=traits.goes_by_measures, sampling=traits.sampling)
    return Call(prompt, engine, key, hear)


class TimedEngine:
    """The innermost layer: asks the engine and measures the seconds by `clock`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def __call__(self, call: Call) -> Reply:
        """Return the engine's reply. Raises EngineError."""
        began = self._clock()
        if call.hear is not None and isinstance(call.engine, Streams):
            reply = call.engine.reply_aloud(call.prompt, call.hear)
        else:
            reply = call.engine.reply(call.prompt)
        return reply.changed(seconds=round(self._clock() - began, 3))
