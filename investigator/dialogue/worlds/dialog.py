"""Defines worlds in which agents talk: two agents, one of which leads; any number of agents in turn; and agents in an
environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds.base import World, ends_episode
from investigator.errors import DialogueError


class DialogPartnerWorld(World):
    """The first agent, often a teacher, says something; the second hears it and replies; the first hears the reply.

    The first agent's acts end episodes, its `epoch_done` marks the end of the data, and its id is also the world's id.
    Raises DialogueError unless there are two agents.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, agents, shared)
        if len(self.agents) != 2:
            hint = "Give a teacher and a student, or use a MultiAgentDialogWorld."
            raise DialogueError(f"a DialogPartnerWorld needs two agents, not {len(self.agents)}", hint=hint)
        self.id = self.agents[0].id

    def episode_done(self) -> bool:
        return ends_episode(self.acts[0])

    def epoch_done(self) -> bool:
        return self.agents[0].epoch_done()


@runtime_checkable
class EndsEpisodes(Protocol):
    """An agent that itself decides when the conversation has ended."""

    def episode_done(self) -> bool:
        """Return True if the conversation has ended."""
        ...


class MultiAgentDialogWorld(World):
    """Agents that act one after the other; each hears everything said since its last act. Raises DialogueError if there
    are no agents.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, agents, shared)
        if not self.agents:
            raise DialogueError("this world has no agents", hint="Give at least one agent.")

    def episode_done(self) -> bool:
        """Return True if an agent ended the episode, as its `episode_done` or its last act shows."""
        return any(
            agent.episode_done() if isinstance(agent, EndsEpisodes) else ends_episode(act)
            for agent, act in zip(self.agents, self.acts, strict=True)
        )

    def epoch_done(self) -> bool:
        return any(agent.epoch_done() for agent in self.agents)


class ExecutableWorld(MultiAgentDialogWorld):
    """Agents in an environment, in which each act is executed before the agents observe it. A subclass defines
    `execute`, and `observe` if agents perceive something other than the words. It creates its state in `init_world`,
    which the constructor calls after setting the options and the agents. An act without an `id` gets the id of its
    agent.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, agents, shared)
        self.init_world()

    def init_world(self) -> None:
        """Create the environment; the base class has none."""

    def execute(self, agent: Agent, act: Message) -> None:
        """Apply this agent's act to the environment; the base class does nothing."""

    def observe(self, agent: Agent, act: Message) -> Message | None:
        """Return what this agent observes of an executed act, which may be its own; None if it perceives nothing. The
        base class returns the act itself, but None for the agent that made it.
        """
        return None if agent.id == act["id"] else act

    def take_act(self, index: int, act: object) -> Message:
        agent = self.agents[index]
        message = super().take_act(index, act).copy()
        message.setdefault("id", agent.id)
        self.acts[index] = message
        self.execute(agent, message)
        return message

    def heard(self, listener: int, actor: int, act: Message) -> Message | None:
        return self.observe(self.agents[listener], act)
