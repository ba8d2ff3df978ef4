"""BatchWorld: copies of a world in lockstep, whose model answers all of them at once."""

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
    """A world, the root, and copies of it made by `share`. The copies take the turns; the root collects the metrics.

    `worlds` are the copies, each of which receives its place. Raises DialogueValueError unless either the root is given
    or what another world of this class shares, and if there would be no copies.
    """

    count_option: ClassVar[str] = "batchsize"
    """The option that says how many copies there are; 1 without it."""
    place_option: ClassVar[str] = "batchindex"
    """The option that gives a copy and its agents their place, from 0."""

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
            raise DialogueValueError(f"there is no {type(self).__name__} of {count} copies", hint=hint)
        shares = self.world.share()
        self.worlds = [World.of_share(_told(shares, {self.place_option: place})) for place in range(count)]

    def number_of_copies(self) -> int:
        """How many copies the options ask for."""
        return self.opt.number(self.count_option, 1)

    def parts(self) -> Sequence[World]:
        return (*self.worlds, self.world)

    def get_agents(self) -> list[Agent]:
        return self.world.get_agents()

    def get_acts(self) -> list[Message | None]:
        """Return the acts of the root, which takes no turns; the copies have their own."""
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
"""What an agent observed since it acted last, row by row; None where nothing."""


class BatchWorld(WorldOfCopies):
    """`batchsize` copies, the rows. The root's agent makes the acts of all rows by one `batch_act`, if it has one.

    Otherwise each row's agent acts for itself. The rows' agents then observe: who acted by `self_observe`, if it has
    that, the others as their world lets them hear it. When a row's data has ended it continues with padding.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, world, shared)
        self._heard: list[Heard] = []

    def parley(self) -> None:
        """One turn in all rows.

        Raises DialogueError if an act is not a message, `batch_act` gives too few or too many, or rows have different
        numbers of agents, and DialogueValueError if an agent does not give back what it observed.
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
        """Return True if the data has ended, as the root says or all rows do."""
        return self.world.epoch_done() or all(row.epoch_done() for row in self.worlds)

    def reset(self) -> None:
        super().reset()
        self._heard = []


def act_in_rows(
    rows: Sequence[World], model: Agent | None, actor: int, heard: Sequence[Message | None]
) -> list[Message]:
    """Return the acts of the agents at one place: by one `batch_act` of `model`, or of each by itself.

    Raises DialogueError if an act is not a message, or `batch_act` does not give one for each row.
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
    """Let an agent of one row observe an act; what it observed is returned, None if it hears nothing.

    Raises DialogueValueError if the agent does not give back what it observed.
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


def _told(shared: Shared, options: Mapping[str, object]) -> dict[str, object]:
    """Return the shared state, with the options of each part: the world, the worlds in it, their agents."""
    changed: dict[str, object] = {**shared, **options, "opt": Opt({**shared_options(shared), **options})}
    for key in ("agents", "worlds"):
        parts = shared.get(key)
        if isinstance(parts, Sequence):
            changed[key] = [_told(part, options) if isinstance(part, Mapping) else part for part in parts]
    if isinstance(inner := shared.get("world"), Mapping):
        changed["world"] = _told(inner, options)
    return changed
