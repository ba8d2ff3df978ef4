"""Defines Agent: anything that observes messages and acts (seed: parlai_core_concepts, "Agents")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Self, TypeVar, runtime_checkable

from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError

Shared = Mapping[str, object]
"""The state shared by the copies of an agent or a world."""

Part = TypeVar("Part")


def shared_part(shared: Shared | None, key: str, kind: type[Part]) -> Part | None:
    """Return a part of the shared state; None if it is missing or not a `kind`."""
    part = (shared or {}).get(key)
    return part if isinstance(part, kind) else None


class Agent:
    """Observes messages from others, and acts. The base class only says hello. `opt` contains the agent's options,
    which are copied. `shared`, if given, is the result of another agent's `share`; this agent then becomes a copy of
    that agent.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        self.opt = Opt.of(opt).deepcopy()
        self.id = self.opt.text("id", "agent")
        self.observation: Message | None = None

    def observe(self, observation: Message) -> Message | None:
        """Observe a message from another agent, and return the observation."""
        self.observation = observation
        return observation

    def act(self) -> Message:
        """Return the agent's next message."""
        return Message(text="hello, teacher!")

    def reset(self) -> None:
        """Forget the conversation."""
        self.observation = None

    def report(self) -> Report:
        """Return the metrics so far, keyed by name; empty for an agent that measures nothing."""
        return {}

    def reset_metrics(self) -> None:
        """Reset the metrics."""

    def num_examples(self) -> int | None:
        """Return the number of examples in the agent's data; None if it has none, or the number is unknown."""
        return None

    def num_episodes(self) -> int | None:
        """Return the number of episodes in the agent's data; None if it has none, or the number is unknown."""
        return None

    def self_observe(self, self_message: Message) -> None:
        """Record the act that the agent has just made; here nothing is recorded."""

    def shutdown(self) -> None:
        """Release the agent's resources."""

    def epoch_done(self) -> bool:
        """Return True if a pass through the agent's data has ended; always False for an agent without data."""
        return False

    def episode_done(self) -> bool | None:
        """Return True if the agent has ended the conversation; None if its last act shows it."""
        return None

    def share(self) -> dict[str, object]:
        """Return the data for a copy: the class, the options, and the shared state."""
        return {"class": type(self), "opt": self.opt}

    def clone(self) -> Self:
        """Return a copy with the same options, created from the result of `share`."""
        return type(self)(self.opt, self.share())

    def respond(self, message: str | Mapping[str, object], **fields: object) -> str:
        """Return a copy's reply to one message. Raises DialogueError if it has no text, or has a field already."""
        question = Message(text=message) if isinstance(message, str) else Message(message)
        for field, value in fields.items():
            question[field] = value
        return self._copy_that_heard(question)[0].act().text

    def batch_respond(self, messages: Sequence[Mapping[str, object]]) -> list[str]:
        """Return the replies to several messages, made by one call to `batch_act`. Raises DialogueError."""
        if not isinstance(self, ActsInBatches):
            raise DialogueError(f"{self.id} cannot act in batches", hint="Use respond for each message instead.")
        heard = [self._copy_that_heard(Message(message)) for message in messages]
        acts = self.batch_act([observation for _, observation in heard])
        for (copy, _), act in zip(heard, acts, strict=True):
            copy.self_observe(act)
        return [act.text for act in acts]

    def _copy_that_heard(self, question: Message) -> tuple[Self, Message]:
        if "text" not in question:
            hint = "Pass text, or a message that contains text."
            raise DialogueError(f"the message has no text to respond to: {dict(question)!r:.80}", hint=hint)
        question.setdefault(EPISODE_DONE, True)
        copy = self.clone()
        return copy, copy.observe(question) or question


@runtime_checkable
class ActsInBatches(Protocol):
    """An agent that answers several observations at once."""

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        """Return one act for each observation, in order."""
