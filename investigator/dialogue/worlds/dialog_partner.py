"""DialogPartnerWorld: two agents, one of which leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.worlds.base import World, ends_episode
from investigator.errors import DialogueError


class DialogPartnerWorld(World):
    """The first agent, often a teacher, says something; the second hears it and replies; the first hears the reply.

    The first agent's act tells when an episode ends, and its `epoch_done` when the data does; the world has its id.
    Two that talk freely end both when they go round in circles (see World.watches_loops); `reset` begins anew.
    Raises DialogueError unless there are two agents.
    """

    watches_loops = True

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, agents, shared)
        if len(self.agents) != 2:
            raise DialogueError(
                f"a DialogPartnerWorld has two agents, it was given {len(self.agents)}",
                hint="Give a teacher and a student, or take a MultiAgentDialogWorld.",
            )
        self.id = self.agents[0].id

    def episode_done(self) -> bool:
        """Whether the first agent's last act ended the episode, or both went round in circles."""
        return ends_episode(self.acts[0]) or bool(self.end_reason)

    def epoch_done(self) -> bool:
        """Whether the first agent's data has ended, or an episode did in circles."""
        return self.agents[0].epoch_done() or self._loops.ended
