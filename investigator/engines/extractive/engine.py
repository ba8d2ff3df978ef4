"""The built-in engine: routes each prompt to its handler."""

from __future__ import annotations

import json
from collections.abc import Callable

from investigator.engines.base import Embedder, Traits
from investigator.engines.extractive.answering import answer
from investigator.engines.extractive.asking import ask, bearing
from investigator.engines.extractive.planning import plan
from investigator.engines.extractive.reflecting import reflect
from investigator.engines.extractive.thinking import think
from investigator.errors import SettingsError
from investigator.records import (
    AnswerVariables,
    AskVariables,
    BearingVariables,
    PlanVariables,
    Prompt,
    Record,
    ReflectVariables,
    Reply,
    ThinkVariables,
)
from investigator.scoring.calibration import default_calibration

NAME = "extractive"

Answers = Callable[[str, Record], Record | None]
"""Answers templates that do not belong to the method: takes a template and its variables, and returns the reply or
None.
"""


def _no_others(_: Embedder) -> Answers:
    return lambda template, variables: None


class ExtractiveEngine:
    """Answers the method's templates without a language model. Deterministic and thread-safe.

    `others` creates a function that answers other templates, such as those of a chat.
    """

    def __init__(self, embedder: Embedder, others: Callable[[Embedder], Answers] = _no_others) -> None:
        self._embedder = embedder
        self._others = others(embedder)

    def answering(self, others: Callable[[Embedder], Answers]) -> ExtractiveEngine:
        """Return a copy of the engine that also answers other templates."""
        return ExtractiveEngine(self._embedder, others)

    @property
    def name(self) -> str:
        """Return `extractive:` and the name of the embedder."""
        return f"{NAME}:{self._embedder.name}"

    @property
    def traits(self) -> Traits:
        """Return the engine's traits: its points are calibrated, and depend on search scores as well as on texts."""
        return Traits(threshold=default_calibration().threshold, goes_by_measures=True)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the reply as JSON. Raises SettingsError for an unknown template."""
        text = json.dumps(self._answer(prompt).model_dump(mode="python"), ensure_ascii=False, separators=(",", ":"))
        return Reply(text=text.encode("utf-8", "replace").decode("utf-8"))  # a lone surrogate becomes "?"

    def _answer(self, prompt: Prompt) -> Record:
        match prompt.variables:
            case ThinkVariables() as variables:
                return think(variables)
            case PlanVariables() as variables:
                return plan(variables)
            case AskVariables() as variables:
                return ask(variables, self._embedder)
            case BearingVariables() as variables:
                return bearing(variables, self._embedder)
            case ReflectVariables() as variables:
                return reflect(variables)
            case AnswerVariables() as variables:
                return answer(variables, self._embedder)
        reply = self._others(prompt.template, prompt.variables)
        if reply is not None:
            return reply
        raise SettingsError(
            f"the built-in engine cannot answer the template {prompt.template!r}",
            hint="Choose a language model for it with --model provider:name.",
        )
