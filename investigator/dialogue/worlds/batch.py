"""Defines BatchWorld: copies of a world that run in lockstep, with a model that answers all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from investigator.dialogue.agents import ActsInBatches, Agent, ObservesItself, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt
from investigator.dialogue.worlds.base import World, shared_options
from investigator.errors import DialogueError, DialogueValueError


class WorldOfCopies(World):
    """A world, called the root, and copies of it made by `share`. The copies take the turns, and the root collects the
    metrics. `worlds` are the copies, each of which is given its index. Raises DialogueValueError if the number of
    copies is below 1, or unless exactly one of these is given: the root, or the shared state of another world of this
    class.
    """

    count_option: ClassVar[str] = "batchsize"
    """The option that sets the number of copies, 1 by default."""
    place_option: ClassVar[str] = "batchindex"
    """The option that gives a copy and its agents the copy's index, counted from 0."""

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, None if world is None else (), None if shared is None else {"agents": ()})
        inner = (shared or {}).get("world")
        self.world = world or World.of_share(inner if isinstance(inner, Mapping) else {})
        self.id = self.world.id
        count = self.number_of_copies()
        if count < 1:
            hint = f"Set {self.count_option} to 1 or more."
            raise DialogueValueError(f"{type(self).__name__} cannot have {count} copies", hint=hint)
        shares = self.world.share()
        self.worlds = [World.of_share(_told(shares, {self.place_option: place})) for place in range(count)]

    def number_of_copies(self) -> int:
        """Return the number of copies that the options request."""
        return self.opt.number(self.count_option, 1)

    def parts(self) -> Sequence[World]:
        return (*self.worlds, self.world)

    def get_agents(self) -> list[Agent]:
        return self.world.get_agents()

    def get_acts(self) -> list[Message | None]:
        """Return the acts of the root, which takes no turns; each copy has its own acts."""
        return self.world.get_acts()

    def num_examples(self) -> int | None:
        return self.world.num_examples()

    def num_episodes(self) -> int | None:
        return self.world.num_episodes()

    def report(self) -> Report:
        return self.world.report()

    def share(self) -> dict[str, object]:
        return {"world_class": type(self), "opt": self.opt, "world": self.world.share()}

    def display(self) -> str:
        return "\n\n".join(filter(None, (world.display() for world in self.worlds)))


Heard = list[Message | None]
"""What an agent observed in each row since its last act; None for a row in which it observed nothing."""


class BatchWorld(WorldOfCopies):
    """A batch that has `batchsize` copies of a world as its rows. If an agent of the root has `batch_act`, a single
    call makes the acts of all rows; otherwise the agent of each row acts itself. The agents in the rows then observe
    the acts: the agent that acted, through its `self_observe` if it has one, and the other agents as their world
    allows. A row continues with padding after the end of its data.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, world, shared)
        self._heard: list[Heard] = []

    def parley(self) -> None:
        """Run one turn in all rows. Raises DialogueError if an act is not a message, if `batch_act` returns the wrong
        number of acts, or if rows have different numbers of agents, and DialogueValueError if an agent does not return
        its observation.
        """
        for row in self.worlds:
            row.begin_turn()
        sizes = {len(row.get_agents()) for row in self.worlds}
        if len(sizes) > 1:
            raise DialogueError(
                f"the rows of a batch have {sorted(sizes)} agents; all must have the same number",
                hint="Use batchsize 1 for tasks with different numbers of agents.",
            )
        agents = sizes.pop()
        if agents != len(self._heard):
            self._heard = [[None] * len(self.worlds) for _ in range(agents)]
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
        """Return True if the data has ended, according to the root or to all rows."""
        return self.world.epoch_done() or all(row.epoch_done() for row in self.worlds)

    def reset(self) -> None:
        super().reset()
        self._heard = []


def act_in_rows(
    rows: Sequence[World], model: Agent | None, actor: int, heard: Sequence[Message | None]
) -> list[Message]:
    """Return the acts of the agents with the index `actor` in all rows, made by a single call to `model.batch_act` or
    by each agent itself. Raises DialogueError if an act is not a message, or `batch_act` does not return one for each
    row.
    """
    if model is None or not isinstance(model, ActsInBatches):
        return [row.take_act(actor, row.get_agents()[actor].act()) for row in rows]
    acts = model.batch_act(list(heard))
    if len(acts) != len(rows):
        raise DialogueError(
            f"batch_act of {model.id} returned {len(acts)} acts for {len(rows)} observations",
            hint="Return one act for each observation, in order.",
        )
    return [row.take_act(actor, act) for row, act in zip(rows, acts, strict=True)]


def observe_in_row(row: World, listener: int, actor: int, act: Message) -> Message | None:
    """Let an agent in one row observe an act. Return the observation, or None if the agent hears nothing. Raises
    DialogueValueError if the agent does not return its observation.
    """
    agent = row.get_agents()[listener]
    if listener == actor and isinstance(agent, ObservesItself):
        agent.self_observe(act)
    heard = row.heard(listener, actor, act)
    if heard is None:
        return None
    observed = agent.observe(heard)
    if observed is None:
        hint = "Return the observation from observe(): batch_act receives it."
        raise DialogueValueError(f"observe of {agent.id} returned nothing", hint=hint)
    return observed


def _told(shared: Shared, options: Mapping[str, object]) -> dict[str, object]:
    """Return the shared state with these options set in all of its parts: the world, the worlds in it, and their
    agents.
    """
    changed: dict[str, object] = {**shared, **options, "opt": Opt({**shared_options(shared), **options})}
    for key in ("agents", "worlds"):
        parts = shared.get(key)
        if isinstance(parts, Sequence):
            changed[key] = [_told(part, options) if isinstance(part, Mapping) else part for part in parts]
    if isinstance(inner := shared.get("world"), Mapping):
        changed["world"] = _told(inner, options)
    return changed
