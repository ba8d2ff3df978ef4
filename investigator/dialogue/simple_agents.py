"""Agents without a model: for baselines, for examples, and to test worlds and teachers with."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.errors import DialogueError

DONT_KNOW = "I don't know."
NOTHING_HEARD = "I have heard nothing."


class _SimpleAgent(Agent, ABC):
    """An agent whose id is the name of its class unless the options say another, and which replies at any time.

    Chance comes from the option `seed` (0); copies draw from one and the same generator.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", type(self).__name__)
        common = (shared or {}).get("random")
        self._random = common if isinstance(common, random.Random) else random.Random(self.opt.number("seed", 0))

    def act(self) -> Message:
        """The reply to what was observed last, if anything was."""
        reply = Message(id=self.id, episode_done=False)
        reply.update(self._said(self.observation or Message()))
        return reply

    def share(self) -> dict[str, object]:
        """As of every agent, and the generator of chance."""
        return {**super().share(), "random": self._random}

    @abstractmethod
    def _said(self, observation: Message) -> Mapping[str, object]:
        """The text of the reply, and what goes with it; the observation is empty where nothing was observed."""


class RepeatLabelAgent(_SimpleAgent):
    """Says what the labels say: the best that a teacher can hear.

    Options: `return_one_random_answer` (true; otherwise all labels, with commas), `cant_answer_percent` (a chance
    between 0 and 1, whatever its name says, that it gives no answer; 0), `cant_answer_message`.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._one = self.opt.switch("return_one_random_answer", True)
        self._cannot = _chance(self.opt.get("cant_answer_percent", 0))
        self._message = self.opt.text("cant_answer_message", DONT_KNOW)

    def _said(self, observation: Message) -> Mapping[str, object]:
        labels = _texts(observation.get("labels", observation.get("eval_labels")))
        if not labels or self._random.random() < self._cannot:
            return {"text": self._message}
        return {"text": self._random.choice(labels) if self._one else ", ".join(labels)}


class FixedResponseAgent(_SimpleAgent):
    """Says the same each time: the option `fixed_response`."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._response = self.opt.text("fixed_response", DONT_KNOW)

    def _said(self, observation: Message) -> Mapping[str, object]:
        return {"text": self._response}


class RepeatQueryAgent(_SimpleAgent):
    """Says again whatever it hears."""

    def _said(self, observation: Message) -> Mapping[str, object]:
        return {"text": observation.text or NOTHING_HEARD}


EchoAgent = RepeatQueryAgent


class RandomCandidateAgent(_SimpleAgent):
    """Ranks the candidates by chance: what a ranking agent must beat."""

    def _said(self, observation: Message) -> Mapping[str, object]:
        ranked = _texts(observation.get("label_candidates"))
        self._random.shuffle(ranked)
        return {"text": ranked[0], "text_candidates": ranked} if ranked else {"text": DONT_KNOW}


def _texts(values: object) -> list[str]:
    """Labels or candidates as a list; sets in alphabetical order, so that chance alone decides."""
    if isinstance(values, str):
        return [values]
    if isinstance(values, set | frozenset):
        return sorted(map(str, values))
    return [str(value) for value in values] if isinstance(values, Iterable) else []


def _chance(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DialogueError(
            f"the option cant_answer_percent cannot be {value!r}", hint="Give a chance between 0 and 1, such as 0.25."
        )
    return float(value)
