"""Defines World, an environment in which agents take turns (seed: parlai_core_concepts, "Worlds"), and the worlds in
which agents talk: two agents, one of which leads; any number of agents in turn; and agents in an environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Self, cast

from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.datatypes import total
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.metrics.values import Metric, Report
from investigator.dialogue.options import Opt, Options
from investigator.dialogue.registry import create_agent_from_shared
from investigator.errors import DialogueError


class World:
    """Agents that take turns: each acts, and all others observe the act immediately. Pass `agents`, or `shared`, the
    result of another world's `share`, for a copy with copies of its agents. `acts` contains the last act of each agent,
    or None. Raises DialogueError if both or neither are given.
    """

    def __init__(self, opt: Options, agents: Sequence[Agent] | None = None, shared: Shared | None = None) -> None:
        if (agents is None) == (shared is None):
            hint = "Pass agents=[...]; to copy a world, call its clone()."
            raise DialogueError("a world takes either its agents or the shared state of another world", hint=hint)
        self.opt = Opt.of(opt).deepcopy()
        self.id = self.opt.text("task", "world")
        if agents is None:  # an agent that is itself in the state is not copied
            parts = shared_part(shared, "agents", list) or []
            agents = [part if isinstance(part, Agent) else create_agent_from_shared(part) for part in parts]
        self.agents = list(agents)
        self.acts: list[Message | None] = [None] * len(self.agents)
        self.total_parleys = self.total_exs = 0
        self.init_world()

    def init_world(self) -> None:
        """Create the environment; called by the constructor after it has set the options and the agents."""

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

    def turn_world(self) -> World:
        """Return the world in which the next turn takes place, here this one."""
        return self

    def parley(self) -> None:
        """Run one turn: the agents act in order, and the others observe each act at once. Raises DialogueError."""
        agents = self.get_agents()
        for index, agent in enumerate(agents):
            act = self.take_act(index, agent.act())
            for other, listener in enumerate(agents):
                heard = self.heard(other, index, act)
                if heard is not None:
                    listener.observe(heard)
        self.update_counters()

    def take_act(self, index: int, act: object) -> Message:
        """Store an act, and return it as a message. Raises DialogueError if it is not a message."""
        acts = self.get_acts()
        acts[index] = cast(Message, act)  # an invalid act can be inspected afterwards
        if not isinstance(act, Mapping):
            problem = f"an agent must return a Message or another mapping, not {type(act).__name__}: {act!r:.80}"
            raise DialogueError(problem, hint="Let act() and batch_act() return messages: Message(text=...)")
        acts[index] = message = Message.of(act)
        return message

    def heard(self, listener: int, actor: int, act: Message) -> Message | None:
        """Return what the agent with the index `listener` observes of an act of the agent `actor`; None if nothing."""
        return None if listener == actor else act

    def update_counters(self, rows: int = 1) -> None:
        """Count one turn with this number of examples; worlds that override `parley` must call it."""
        self.total_parleys += 1
        self.total_exs += rows

    @property
    def total_epochs(self) -> float:
        """Return the number of passes through the data, with fractions; padding counts as an example; 0 if unknown."""
        return self.total_exs / (self.num_examples() or inf)

    def episode_done(self) -> bool:
        """Return True if the conversation has ended; here never."""
        return False

    def epoch_done(self) -> bool:
        """Return True if a pass through the data has ended; here never."""
        return False

    def sources(self) -> Sequence[Agent | World]:
        """Return the parts that have the data, here the first agent."""
        return self.agents[:1]

    def num_examples(self) -> int | None:
        """Return the number of examples that the sources have together; None if unknown."""
        return total([source.num_examples() for source in self.sources()])

    def num_episodes(self) -> int | None:
        """Return the number of episodes that the sources have together; None if unknown."""
        return total([source.num_episodes() for source in self.sources()])

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
        self.total_parleys = self.total_exs = 0

    def reset_metrics(self) -> None:
        """Reset the metrics."""
        for part in self.parts():
            part.reset_metrics()

    def shutdown(self) -> None:
        """Release the agents' resources."""
        for part in self.parts():
            part.shutdown()

    def share(self) -> dict[str, object]:
        """Return the data for a copy: the class, the options, and the agents' shared state."""
        return {"world_class": type(self), "opt": self.opt, "agents": [agent.share() for agent in self.agents]}

    def clone(self) -> Self:
        """Return a copy of the world, with copies of the agents. It has no acts yet, and its counters are 0."""
        return type(self)(self.opt, None, self.share())

    @staticmethod
    def of_share(shared: object) -> World:
        """Create a copy of a world from its shared state. Raises DialogueError if the state names no world class."""
        state = shared if isinstance(shared, Mapping) else {}
        kind = shared_part(state, "world_class", type)
        if kind is None or not issubclass(kind, World):
            hint = "Start from super().share() in the share() of the world."
            raise DialogueError("the shared state of a world does not name its class", hint=hint)
        return kind(state.get("opt"), None, state)

    def display(self) -> str:
        """Return the last acts for display, one per line."""
        lines = []
        for act in self.get_acts():
            if isinstance(act, Message) and not act.is_padding():
                labels = " | ".join(act.known_labels())
                lines.append(f"[{act.get('id', '')}]: {act.text}" + (f"  (labels: {labels})" if labels else ""))
        return "\n".join([*lines, "(end of the episode)"] if self.episode_done() else lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()


class DialogPartnerWorld(World):
    """The first agent, often a teacher, speaks; the second replies. The first agent ends episodes and the epoch, and
    its id is the world's id. Raises DialogueError unless there are two agents.
    """

    def init_world(self) -> None:
        if len(self.agents) != 2:
            hint = "Give a teacher and a student, or use a MultiAgentDialogWorld."
            raise DialogueError(f"a DialogPartnerWorld needs two agents, not {len(self.agents)}", hint=hint)
        self.id = self.agents[0].id

    def episode_done(self) -> bool:
        return _ends_episode(self.acts[0])

    def epoch_done(self) -> bool:
        return self.agents[0].epoch_done()


class MultiAgentDialogWorld(World):
    """Agents that act in turn; each hears everything said since its last act. Any of them can end an episode."""

    def episode_done(self) -> bool:
        ended = [agent.episode_done() for agent in self.agents]
        return any(_ends_episode(act) if end is None else end for end, act in zip(ended, self.acts, strict=True))

    def epoch_done(self) -> bool:
        return any(agent.epoch_done() for agent in self.agents)


class ExecutableWorld(MultiAgentDialogWorld):
    """Agents in an environment, in which each act is executed before the agents observe it. A subclass defines
    `execute`, and `observe` if agents perceive something other than the words; it creates its state in `init_world`. An
    act without an `id` gets the id of its agent.
    """

    def execute(self, agent: Agent, act: Message) -> None:
        """Apply this agent's act to the environment; the base class does nothing."""

    def observe(self, agent: Agent, act: Message) -> Message | None:
        """Return what this agent observes of an executed act, here the act if it is not its own; None if nothing."""
        return None if agent.id == act["id"] else act

    def take_act(self, index: int, act: object) -> Message:
        agent = self.agents[index]
        self.acts[index] = message = super().take_act(index, act).copy()
        message.setdefault("id", agent.id)
        self.execute(agent, message)
        return message

    def heard(self, listener: int, actor: int, act: Message) -> Message | None:
        return self.observe(self.agents[listener], act)


def _ends_episode(act: object) -> bool:
    return isinstance(act, Message) and bool(act.get(EPISODE_DONE))
