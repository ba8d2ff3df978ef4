"""BatchWorld: copies of a world in step, whose model answers all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.dialogue.agents import ActsInBatches, Agent, ObservesItself, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds.base import World
from investigator.dialogue.worlds.of_copies import WorldOfCopies
from investigator.errors import DialogueError, DialogueValueError

Heard = list[Message | None]
"""What an agent observed since it acted last, row by row; None where nothing."""


class BatchWorld(WorldOfCopies):
    """`batchsize` copies, the rows. The root's agent makes the acts of all rows by one `batch_act`, if it has one.

    Otherwise each row's agent acts for itself. The rows' agents then observe: who acted by `self_observe`, if it has
    that, the others as their world lets them hear it. When a row's data has ended it goes on with padding.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, world, shared)
        self._heard: list[Heard] = []

    def parley(self) -> None:
        """One turn in all rows.

        Raises DialogueError where an act is no message, `batch_act` gives too few or too many, or rows have different
        numbers of agents, and DialogueValueError where an agent does not give back what it observed.
        """
        for row in self.worlds:
            row.begin_turn()
        sizes = {len(row.get_agents()) for row in self.worlds}
        if len(sizes) > 1:
            raise DialogueError(
                f"the rows of a batch have {sorted(sizes)} agents, they must have as many each",
                hint="Take batchsize 1 for tasks of different numbers of agents.",
            )
        agents = sizes.pop()
        if agents != len(self._heard):
            self._forget(agents)
        for actor in range(agents):
            acts = act_in_rows(self.worlds, self.world.batch_agent(actor), actor, self._heard[actor])
            self._heard[actor] = [None] * len(self.worlds)
            for listener in range(agents):
                for place, (row, act) in enumerate(zip(self.worlds, acts, strict=True)):
                    heard = observe_in_row(row, listener, actor, act)
                    if heard is not None:
                        self._heard[listener][place] = heard
        self.update_counters(len(self.worlds))

    def epoch_done(self) -> bool:
        """Whether the data has ended, as the root says or all rows do."""
        return self.world.epoch_done() or all(row.epoch_done() for row in self.worlds)

    def reset(self) -> None:
        """Let the root and all rows begin anew."""
        super().reset()
        self._heard = []

    def _forget(self, agents: int) -> None:
        self._heard = [[None] * len(self.worlds) for _ in range(agents)]


def act_in_rows(
    rows: Sequence[World], model: Agent | None, actor: int, heard: Sequence[Message | None]
) -> list[Message]:
    """The acts of the agents at one place, taken by their worlds: by one `batch_act` of `model`, or each by itself.

    Raises DialogueError where an act is no message, or `batch_act` does not give one for each row.
    """
    if model is None or not isinstance(model, ActsInBatches):
        return [row.take_act(actor, row.get_agents()[actor].act()) for row in rows]
    acts = model.batch_act(list(heard))
    if len(acts) != len(rows):
        raise DialogueError(
            f"batch_act of {model.id} gave {len(acts)} acts for {len(rows)} observations",
            hint="Give one act for each observation, in order.",
        )
    return [row.take_act(actor, act) for row, act in zip(rows, acts, strict=True)]


def observe_in_row(row: World, listener: int, actor: int, act: Message) -> Message | None:
    """Let an agent of one row observe an act; what it observed is returned, None where it hears nothing.

    Raises DialogueValueError where the agent does not give back what it observed.
    """
    agent = row.get_agents()[listener]
    if listener == actor and isinstance(agent, ObservesItself):
        agent.self_observe(act)
    heard = row.heard(listener, actor, act)
    if heard is None:
        return None
    observed = agent.observe(heard)
    if observed is None:
        hint = "Let observe() return the observation: batch_act is given what it returns."
        raise DialogueValueError(f"observe of {agent.id} returned nothing", hint=hint)
    return observed
