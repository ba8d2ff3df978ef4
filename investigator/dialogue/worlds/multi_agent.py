"""MultiAgentDialogWorld: any number of agents, in turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.worlds.base import World, ends_episode
from investigator.errors import DialogueError


@runtime_checkable
class EndsEpisodes(Protocol):
    """An agent that tells itself when the conversation has ended."""

    def episode_done(self) -> bool:
        """Whether it has ended."""
        ...


class MultiAgentDialogWorld(World):
    """Agents that act one after the other; each hears all that the others said since it acted last.

    Agents that talk freely end the episode, and the epoch, when they go round in circles (see World.watches_loops);
    `reset` begins anew. Raises DialogueError where there are no agents.
    """

    watches_loops = True

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, agents, shared)
        if not self.agents:
            raise DialogueError("there are no agents in this world", hint="Give one agent or more.")

    def episode_done(self) -> bool:
        """Whether an agent says that the conversation has ended, by its `episode_done` or in its last act, or it went
        round in circles."""
        return any(map(self._ended_by, self.agents, self.acts)) or bool(self.end_reason)

    def epoch_done(self) -> bool:
        """Whether the data of an agent has ended, or an episode did in circles."""
        return any(agent.epoch_done() for agent in self.agents) or self._loops.ended

    @staticmethod
    def _ended_by(agent: Agent, act: object) -> bool:
        return agent.episode_done() if isinstance(agent, EndsEpisodes) else ends_episode(act)
