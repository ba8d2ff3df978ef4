"""Defines World: an environment in which agents take turns (seed: parlai_core_concepts, "Worlds")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self, cast

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.metrics.values import Metric, Report
from investigator.dialogue.options import Opt
from investigator.dialogue.registry import create_agent_from_shared
from investigator.errors import DialogueError, DialogueValueError


class World:
    """Agents that take turns: each acts, and all others observe the act immediately. Pass either `agents` or `shared`,
    which is the result of another world's `share` and makes this world a copy of that world, with copies of its agents.
    `acts` contains the last act of each agent, or None for an agent that has not acted yet. Raises DialogueValueError
    if both or neither are given, or if an agent is incomplete.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        if (agents is None) == (shared is None):
            raise DialogueValueError(
                "a world takes either its agents or the shared state of another world",
                hint="Pass agents=[...]; to copy a world, call its clone().",
            )
        self.opt = Opt.of(opt).deepcopy()
        self.id = self.opt.text("task", "world")
        self.agents = list(agents) if agents is not None else _agents_of(shared or {})
        incomplete = [type(agent).__name__ for agent in self.agents if not hasattr(agent, "id")]
        if incomplete:
            hint = "Derive it from Agent, and call super().__init__() in its __init__."
            raise DialogueValueError(f"the agent {incomplete[0]} is incomplete: it has no id", hint=hint)
        self.acts: list[Message | None] = [None] * len(self.agents)
        self.total_parleys = self.total_exs = self._epochs = 0
        self._was_done = False

    def parts(self) -> Sequence[Agent | World]:
        """Return the parts of this world: its agents, or other worlds."""
        return self.agents

    def get_agents(self) -> list[Agent]:
        """Return the agents that take part in the current turn."""
        return self.agents

    def get_acts(self) -> list[Message | None]:
        """Return the last act of each of these agents."""
        return self.acts

    def batch_agent(self, index: int) -> Agent | None:
        """Return the agent that may act for all copies of this world at once; None if each copy must use its own."""
        return self.get_agents()[index]

    def parley(self) -> None:
        """Run one turn: the agents act in order, and the others observe each act before the next agent acts.

        Raises DialogueError if an act is not a message.
        """
        self.begin_turn()
        agents = self.get_agents()
        for index, agent in enumerate(agents):
            act = self.take_act(index, agent.act())
            for other, listener in enumerate(agents):
                heard = self.heard(other, index, act)
                if heard is not None:
                    listener.observe(heard)
        self.update_counters()

    def begin_turn(self) -> None:
        """Prepare the turn; called before the first agent acts."""

    def take_act(self, index: int, act: object) -> Message:
        """Record an act, and return the message that the others observe. Raises DialogueError if the act is not a
        message; even then it is stored in `acts`.
        """
        acts = self.get_acts()
        acts[index] = cast(Message, act)  # an invalid act can be inspected afterwards
        if not isinstance(act, Mapping):
            raise DialogueError(
                f"an agent must return a Message or another mapping, not {type(act).__name__}: {act!r:.80}",
                hint="Let act() and batch_act() return messages: Message(text=...)",
            )
        message = Message.of(act)
        acts[index] = message
        return message

    def heard(self, listener: int, actor: int, act: Message) -> Message | None:
        """Return what the agent `listener` observes of the act of the agent `actor`, or None if it observes nothing.
        Both are agent indices.
        """
        return None if listener == actor else act

    def update_counters(self, rows: int = 1) -> None:
        """Count one turn with this number of examples; worlds that override `parley` must call it."""
        self.total_parleys += 1
        self.total_exs += rows
        done = self.epoch_done()
        self._epochs += done and not self._was_done
        self._was_done = done

    @property
    def total_epochs(self) -> float:
        """Return the number of passes through the data, including the fraction of an unfinished pass; padding counts as
        an example. If the amount of data is unknown, only complete passes count.
        """
        examples = self.num_examples()
        return self.total_exs / examples if examples else float(self._epochs)

    def episode_done(self) -> bool:
        """Return True if the conversation has ended; the base class always returns False."""
        return False

    def epoch_done(self) -> bool:
        """Return True if a pass through the data has ended; the base class always returns False."""
        return False

    def num_examples(self) -> int | None:
        """Return the number of examples that the first agent has; None if unknown."""
        return self.agents[0].num_examples() if self.agents else None

    def num_episodes(self) -> int | None:
        """Return the number of episodes that the first agent has; None if unknown."""
        return self.agents[0].num_episodes() if self.agents else None

    def report(self) -> Report:
        """Return the metrics of all agents; if two agents use the same name for a metric, the first agent's is used."""
        merged: dict[str, Metric] = {}
        for agent in self.agents:
            merged = {**agent.report(), **merged}
        return merged

    def reset(self) -> None:
        """Let the agents forget the conversation, and reset the counters; the last acts stay available."""
        for part in self.parts():
            part.reset()
        self.total_parleys = self.total_exs = self._epochs = 0
        self._was_done = False

    def reset_metrics(self) -> None:
        """Reset the metrics."""
        for part in self.parts():
            part.reset_metrics()

    def share(self) -> dict[str, object]:
        """Return the data for a copy: the class, the options, and the agents' shared state."""
        return {"world_class": type(self), "opt": self.opt, "agents": [agent.share() for agent in self.agents]}

    def clone(self) -> Self:
        """Return a copy of the world, with copies of the agents. It has no acts yet, and its counters are 0."""
        return type(self)(self.opt, None, self.share())

    @staticmethod
    def of_share(shared: object) -> World:
        """Create a copy of a world from its shared state. Raises DialogueError if the state names no world class."""
        given = shared if isinstance(shared, Mapping) else {}
        kind = given.get("world_class")
        if not isinstance(kind, type) or not issubclass(kind, World):
            hint = "Start from super().share() in the share() of the world."
            raise DialogueError("the shared state of a world does not name its class", hint=hint)
        return kind(given.get("opt"), None, given)

    def display(self) -> str:
        """Return the last acts for display, one per line."""
        acts = [act for act in self.get_acts() if isinstance(act, Message)]
        lines = [_line(act) for act in acts if not act.is_padding()]
        return "\n".join([*lines, "(end of the episode)"] if self.episode_done() else lines)

    def shutdown(self) -> None:
        """Release the agents' resources."""
        for part in self.parts():
            part.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()


def ends_episode(act: object) -> bool:
    """Return True if an act ends the conversation."""
    return isinstance(act, Message) and bool(act.get(EPISODE_DONE))


def shared_parts(shared: Shared, key: str) -> list[object]:
    """Return the list under a key in a world's shared state. Raises DialogueError if it is missing."""
    parts = shared.get(key)
    if not isinstance(parts, list | tuple):
        hint = "Pass the result of share() of a world of this class."
        raise DialogueError(f"the shared state has no list of {key}", hint=hint)
    return list(parts)


def _agents_of(shared: Shared) -> list[Agent]:
    """Return copies of the agents in a world's shared state; an agent that is itself in the state is not copied."""
    parts = shared_parts(shared, "agents")
    return [part if isinstance(part, Agent) else create_agent_from_shared(part) for part in parts]


def _line(act: Message) -> str:
    labels = " | ".join(act.known_labels())
    return f"[{act.get('id', '')}]: {act.text}" + (f"  (labels: {labels})" if labels else "")
