"""A second engine that judges beside the first one, without cost."""

from __future__ import annotations

from typing import Protocol, TypeVar

from investigator.records import Prompt, Record, Reply

R = TypeVar("R", bound=Record)


class Judge(Protocol):
    """An engine whose replies are JSON of the record that is asked for, and nothing else."""

    def reply(self, prompt: Prompt) -> Reply:
        """Return the reply to a prompt, of which the variables count and not the text."""
        ...


class SecondOpinion:
    """The records that a second engine gives; None if there is no such engine."""

    def __init__(self, judge: Judge | None = None) -> None:
        self._judge = judge

    def of(self, template: str, variables: Record, reply_type: type[R]) -> R | None:
        """Return the record for these variables. Raises EngineError if the engine has no reply."""
        if self._judge is None:
            return None
        return reply_type.model_validate_json(self._judge.reply(Prompt(template, variables, "", reply_type)).text)
