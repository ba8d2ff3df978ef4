"""Defines BatchWorld: copies of a world that run in lockstep, with a model that answers all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from investigator.dialogue.agents import ActsInBatches, Agent, ObservesItself, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt
from investigator.dialogue.worlds.base import World
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
        self.world = world or World.of_share((shared or {}).get("world"))
        self.id = self.world.id
        count = self.opt.number(self.count_option, 1)
        if count < 1:
            hint = f"Set {self.count_option} to 1 or more."
            raise DialogueValueError(f"{type(self).__name__} cannot have {count} copies", hint=hint)
        shares = self.world.share()
        self.worlds = [World.of_share(_with_options(shares, {self.place_option: place})) for place in range(count)]

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
        self._heard: list[list[Message | None]] = []  # by agent and row: what it observed since its last act

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
            acts = self._acts(actor)
            self._heard[actor] = [None] * len(self.worlds)
            for listener in range(agents):
                for place, act in enumerate(acts):
                    heard = _observe(self.worlds[place], listener, actor, act)
                    if heard is not None:
                        self._heard[listener][place] = heard
        self.update_counters(len(self.worlds))

    def epoch_done(self) -> bool:
        """Return True if the data has ended, according to the root or to all rows."""
        return self.world.epoch_done() or all(row.epoch_done() for row in self.worlds)

    def reset(self) -> None:
        super().reset()
        self._heard = []

    def _acts(self, actor: int) -> list[Message]:
        """Return the acts of the agents with this index in all rows."""
        model = self.world.batch_agent(actor)
        if model is None or not isinstance(model, ActsInBatches):
            return [row.take_act(actor, row.get_agents()[actor].act()) for row in self.worlds]
        acts = model.batch_act(list(self._heard[actor]))
        if len(acts) != len(self.worlds):
            problem = f"batch_act of {model.id} returned {len(acts)} acts for {len(self.worlds)} observations"
            raise DialogueError(problem, hint="Return one act for each observation, in order.")
        return [row.take_act(actor, act) for row, act in zip(self.worlds, acts, strict=True)]


def _observe(row: World, listener: int, actor: int, act: Message) -> Message | None:
    """Let an agent in one row observe an act. Return the observation, or None if the agent hears nothing."""
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


def _with_options(shared: Shared, options: Mapping[str, object]) -> dict[str, object]:
    """Return the shared state with these options set in all of its parts: the world, the worlds in it, and their
    agents.
    """
    opt = shared.get("opt")
    changed: dict[str, object] = {**shared, **options, "opt": Opt(opt if isinstance(opt, Mapping) else {}, **options)}
    for key, part in shared.items():
        if key in ("agents", "worlds") and isinstance(part, list):
            changed[key] = [_with_options(each, options) if isinstance(each, Mapping) else each for each in part]
        elif key == "world" and isinstance(part, Mapping):
            changed[key] = _with_options(part, options)
    return changed
