"""Defines MultiWorld: several tasks for the same agent."""

from __future__ import annotations

import random
from collections.abc import Sequence

from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.datatypes import TaskChoice
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Report, report_of_tasks
from investigator.dialogue.options import Options
from investigator.dialogue.worlds.base import World


class MultiWorld(World):
    """Contains a world for each task; TaskChoice picks the world for each episode. After the end of all data, it stays
    with the last world, which returns padding. If all worlds share an agent, the worlds of a copy also share one.
    Raises the errors of TaskChoice.
    """

    def __init__(self, opt: Options, worlds: Sequence[World] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, None if worlds is None else (), None if shared is None else {"agents": ()})
        self.worlds = list(worlds) if worlds is not None else _copies(shared)
        self.index = -1  # until the first turn
        # each row of a batch and each thread draws other tasks
        seed = ":".join(str(self.opt.get(key, "")) for key in ("seed", "batchindex", "threadindex"))
        self._choice = TaskChoice(self.opt, [world.num_episodes for world in self.worlds], random.Random(seed))
        self.cum_task_weights = self._choice.cum_weights

    @property
    def current(self) -> World:
        """Return the world of the current episode; before the first turn, the first one."""
        return self.worlds[max(self.index, 0)]

    def parts(self) -> Sequence[World]:
        return self.worlds

    def sources(self) -> Sequence[World]:
        return self.worlds

    def get_agents(self) -> list[Agent]:
        return self.current.get_agents()

    def get_acts(self) -> list[Message | None]:
        return self.current.get_acts()

    def batch_agent(self, index: int) -> Agent | None:
        """Return the agent at this index if it is the same in all worlds, otherwise None."""
        return self.get_agents()[index] if index in self._common() else None

    def parley(self) -> None:
        self.turn_world().parley()
        self.update_counters()

    def turn_world(self) -> World:
        """Return the world of the current episode; if it has ended, another one is chosen first."""
        if self.index < 0 or self.current.episode_done():
            self.index = self._choice.next(self.index, lambda place: self.worlds[place].epoch_done())
        return self.current.turn_world()

    def epoch_done(self) -> bool:
        return all(world.epoch_done() for world in self.worlds)

    def report(self) -> Report:
        """Return each world's metrics as `id/name`, and the metrics of all worlds as `name`: the mean, or the pooled
        value with `aggregate_micro`.
        """
        return report_of_tasks(
            ((world.id, world.report()) for world in self.worlds), self.opt.switch("aggregate_micro")
        )

    def reset(self) -> None:
        super().reset()
        self.index = -1

    def share(self) -> dict[str, object]:
        """Return the state for a copy: the worlds' shared state, and their common agents."""
        shares = [world.share() for world in self.worlds]
        return {"world_class": type(self), "opt": self.opt, "worlds": shares, "common": self._common()}

    def _common(self) -> tuple[int, ...]:
        """Return the indices at which all worlds have the same agent."""
        rows = zip(*(world.get_agents() for world in self.worlds), strict=False)
        return tuple(place for place, agents in enumerate(rows) if all(agent is agents[0] for agent in agents))


def _copies(shared: Shared | None) -> list[World]:
    """Return copies of the worlds; later worlds get the copies of common agents that the first world has."""
    worlds: list[World] = []
    for part in shared_part(shared, "worlds", list) or []:
        agents = list(part["agents"])
        for place in (shared_part(shared, "common", tuple) or ()) if worlds else ():
            agents[place] = worlds[0].get_agents()[place]
        worlds.append(World.of_share({**part, "agents": agents}))
    return worlds
