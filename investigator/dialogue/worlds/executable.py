"""ExecutableWorld: what agents say changes the place where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds.multi_agent import MultiAgentDialogWorld


class ExecutableWorld(MultiAgentDialogWorld):
    """Agents in an environment: an act is executed in it first, then the environment tells each agent what it observes.

    A subclass gives `execute`, and `observe` where agents perceive something else than the words; its state is made in
    `init_world`, which the constructor calls when options and agents are there. An act without an `id` gets that of
    its agent. The same words may come again and again: what they change is not the same.
    """

    watches_loops = False

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, agents, shared)
        self.init_world()

    def init_world(self) -> None:
        """Make the environment; the base has none."""

    def execute(self, agent: Agent, act: Message) -> None:
        """Change the environment as the act of this agent says; the base changes nothing."""

    def observe(self, agent: Agent, act: Message) -> Message | None:
        """What this agent perceives of an act that was executed, be it its own; None where it perceives nothing.

        In the base the act itself, for all but who has the id of the act.
        """
        return None if agent.id == act["id"] else act

    def take_act(self, index: int, act: object) -> Message:
        """Keep an act and execute it. Raises DialogueError where it is no message."""
        agent = self.agents[index]
        message = super().take_act(index, act)
        if "id" not in message:
            message = message.copy()
            message["id"] = agent.id
            self.acts[index] = message
        self.execute(agent, message)
        return message

    def heard(self, listener: int, actor: int, act: Message) -> Message | None:
        """What the environment lets an agent perceive of an act."""
        return self.observe(self.agents[listener], act)
