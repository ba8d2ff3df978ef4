"""Defines worlds that consist of worlds: a MultiWorld has one for each task; a BatchWorld, copies that run in lockstep,
with a model that answers all of them at once; a HogwildWorld, copies in threads. `create_world` chooses by options.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from typing import ClassVar, Protocol

from investigator.dialogue.agents import ActsInBatches, Agent, Shared, shared_part
from investigator.dialogue.datatypes import TaskChoice
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Report, report_of_tasks
from investigator.dialogue.options import Opt, Options
from investigator.dialogue.registry import LIST_TASKS
from investigator.dialogue.task_strings import WorldName
from investigator.dialogue.worlds.base import DialogPartnerWorld, MultiAgentDialogWorld, World
from investigator.errors import DialogueError, InvestigatorError, NotFoundError, RunError


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
        """Return the metrics of each world (`id/name`) and of all (`aggregate_micro` pools the examples)."""
        return report_of_tasks(
            ((world.id, world.report()) for world in self.worlds), self.opt.switch("aggregate_micro")
        )

    def reset(self) -> None:
        super().reset()
        self.index = -1

    def share(self) -> dict[str, object]:
        """Return the state for a copy: the worlds' shared state, and the indices of their common agents."""
        shares = [world.share() for world in self.worlds]
        return {"world_class": type(self), "opt": self.opt, "worlds": shares, "common": self._common()}

    def _common(self) -> tuple[int, ...]:
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


class WorldOfCopies(World):
    """A world, called the root, which collects the metrics, and copies of it in `worlds`, which take the turns. The
    option `count_option` sets their number (default 1), and `place_option` gives each its index. Raises
    DialogueError if there are no copies, or unless either the root or the shared state of another world is given.
    """

    count_option: ClassVar[str] = "batchsize"
    place_option: ClassVar[str] = "batchindex"

    def __init__(self, opt: Options, world: World | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, None if world is None else (), None if shared is None else {"agents": ()})
        self.world = world or World.of_share((shared or {}).get("world"))
        self.id = self.world.id
        count = self.opt.number(self.count_option, 1)
        if count < 1:
            hint = f"Set {self.count_option} to 1 or more."
            raise DialogueError(f"{type(self).__name__} cannot have {count} copies", hint=hint)
        shares = self.world.share()
        self.worlds = [World.of_share(_with_options(shares, {self.place_option: place})) for place in range(count)]

    def parts(self) -> Sequence[World]:
        return (*self.worlds, self.world)

    def get_agents(self) -> list[Agent]:
        return self.world.get_agents()

    def get_acts(self) -> list[Message | None]:
        return self.world.get_acts()

    def sources(self) -> Sequence[World]:
        return (self.world,)

    def report(self) -> Report:
        return self.world.report()

    def share(self) -> dict[str, object]:
        return {"world_class": type(self), "opt": self.opt, "world": self.world.share()}

    def display(self) -> str:
        return "\n\n".join(filter(None, (world.display() for world in self.worlds)))


def _with_options(shared: Shared, options: Mapping[str, object]) -> dict[str, object]:
    """Return the shared state with these options set in all of its worlds and agents."""
    changed: dict[str, object] = {**shared, **options, "opt": Opt(shared_part(shared, "opt", dict) or {}, **options)}
    for key in changed.keys() & {"agents", "worlds"}:
        changed[key] = [_with_options(part, options) for part in shared_part(shared, key, list) or []]
    if "world" in changed:
        changed["world"] = _with_options(shared_part(shared, "world", dict) or {}, options)
    return changed


class BatchWorld(WorldOfCopies):
    """A batch that has `batchsize` copies of a world as its rows. If an agent of the root has `batch_act`, a single
    call makes the acts of all rows; otherwise the agent of each row acts itself. Then the agents in the rows observe
    the acts, their own by `self_observe`. A row continues with padding after the end of its data.
    """

    def __init__(self, opt: Options, world: World | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, world, shared)
        self._heard: dict[tuple[int, int], Message] = {}  # by agent and row: what it observed since its last act

    def parley(self) -> None:
        """Run one turn in all rows. Raises DialogueError if an act is not a message, `batch_act` returns the wrong
        number of acts, rows have different numbers of agents, or an agent does not return its observation.
        """
        rows = [row.turn_world() for row in self.worlds]
        sizes = {len(row.get_agents()) for row in rows}
        if len(sizes) > 1:
            problem = f"the rows of a batch have {sorted(sizes)} agents; all must have the same number"
            raise DialogueError(problem, hint="Use batchsize 1 for tasks with different numbers of agents.")
        agents = range(sizes.pop())
        for actor in agents:
            acts = self._acts(rows, actor)
            for listener in agents:
                for place, (row, act) in enumerate(zip(rows, acts, strict=True)):
                    heard = _observe(row, listener, actor, act)
                    if heard is not None:
                        self._heard[listener, place] = heard
        self.update_counters(len(rows))

    def epoch_done(self) -> bool:
        """Return True if the data has ended, according to the root or to all rows."""
        return self.world.epoch_done() or all(row.epoch_done() for row in self.worlds)

    def reset(self) -> None:
        super().reset()
        self._heard = {}

    def _acts(self, rows: Sequence[World], actor: int) -> list[Message]:
        model = self.world.batch_agent(actor)
        heard = [self._heard.pop((actor, place), None) for place in range(len(rows))]
        if model is None or not isinstance(model, ActsInBatches):
            return [row.take_act(actor, row.get_agents()[actor].act()) for row in rows]
        acts = model.batch_act(heard)
        if len(acts) != len(rows):
            problem = f"batch_act of {model.id} returned {len(acts)} acts for {len(rows)} observations"
            raise DialogueError(problem, hint="Return one act for each observation, in order.")
        return [row.take_act(actor, act) for row, act in zip(rows, acts, strict=True)]


def _observe(row: World, listener: int, actor: int, act: Message) -> Message | None:
    """Let an agent in one row observe an act. Return the observation, or None if the agent hears nothing."""
    agent = row.get_agents()[listener]
    if listener == actor:
        agent.self_observe(act)
    heard = row.heard(listener, actor, act)
    if heard is None:
        return None
    observed = agent.observe(heard)
    if observed is None:
        hint = "Return the observation from observe(): batch_act receives it."
        raise DialogueError(f"observe of {agent.id} returned nothing", hint=hint)
    return observed


class HogwildWorld(WorldOfCopies):
    """Runs `numthreads` copies of a world in as many threads. A parley starts a turn in an idle copy, and waits only if
    there is none, so that N parleys run N turns. After the end of all data, a parley does nothing and is not counted.
    If a turn fails, the next call raises a RunError, with the error as its cause. The agents' shared state must be
    thread-safe.
    """

    count_option: ClassVar[str] = "numthreads"
    place_option: ClassVar[str] = "threadindex"

    def __init__(self, opt: Options, world: World | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, world, shared)
        self._threads = ThreadPoolExecutor(len(self.worlds), thread_name_prefix="investigator-world")
        self._turns: dict[int, Future[None]] = {}  # by copy
        self._started = [0] * len(self.worlds)  # counts failed turns too, so that a copy that fails is not preferred
        self._open = True

    def parley(self) -> None:
        """Start a turn in one copy. Raises RunError if an earlier turn failed, and DialogueError after shutdown."""
        if not self._open:
            raise DialogueError("this world was shut down", hint="Create another one from the same root.")
        self._collect_turns()
        while not (ready := self._ready()) and self._turns:
            wait(self._turns.values(), return_when=FIRST_COMPLETED)
            self._collect_turns()
        if ready:
            place = min(ready, key=self._started.__getitem__)
            self._started[place] += 1
            self._turns[place] = self._threads.submit(self.worlds[place].parley)
            self.total_parleys += 1

    def join(self) -> None:
        """Wait until all started turns have ended. Raises RunError if one of them failed."""
        wait(self._turns.values())
        self._collect_turns()

    def epoch_done(self) -> bool:
        """Return True if no turn is in progress and the data of all copies has ended."""
        return all(turn.done() for turn in [*self._turns.values()]) and all(copy.epoch_done() for copy in self.worlds)

    def episode_done(self) -> bool:
        """Raise DialogueError: each copy has its own episode."""
        hint = "After join(), use its copies, which are in `worlds`."
        raise DialogueError("a HogwildWorld is in several episodes at once", hint=hint)

    def display(self) -> str:
        """Raise DialogueError: the acts change while they are displayed."""
        problem = "a HogwildWorld cannot display acts while its copies make them"
        raise DialogueError(problem, hint="Set numthreads to 1 to display acts.")

    def report(self) -> Report:
        self.join()
        return super().report()

    def reset(self) -> None:
        self.join()
        super().reset()

    def shutdown(self) -> None:
        """Finish the turns, end the threads, and shut down the agents. Raises RunError for an unreported failure."""
        if self._open:
            self._open = False
            self._threads.shutdown()
            super().shutdown()
        self._collect_turns()

    def __exit__(self, *error: object) -> None:
        # an earlier error takes precedence
        with nullcontext() if error[0] is None else suppress(RunError):
            self.shutdown()

    def _ready(self) -> list[int]:
        return [n for n, copy in enumerate(self.worlds) if n not in self._turns and not copy.epoch_done()]

    def _collect_turns(self) -> None:
        """Count the examples, and forget the turns that have ended, up to one that failed; raises RunError for it."""
        self.total_exs = sum(copy.total_exs for copy in self.worlds)
        for place in [place for place, turn in self._turns.items() if turn.done()]:
            if error := self._turns.pop(place).exception():
                hint = error.hint if isinstance(error, InvestigatorError) else ""
                problem = f"copy {place} of the world failed: {type(error).__name__}: {error}"
                raise RunError(problem, hint=hint) from error


class TaskLoader(Protocol):
    """Loads tasks by name, as `investigator.tasks.loading.Tasks` does."""

    def ids(self, task: str) -> Sequence[str]:
        """Return the individual tasks in a task string. Raises NotFoundError for an unknown name."""

    def world_class(self, task: str, name: WorldName) -> type[World] | None:
        """Return the world class of this name that a task defines, or None."""

    def teacher(self, opt: Opt) -> Agent:
        """Return the teacher for the single task that the `task` option names."""


def create_world(opt: Mapping[str, object], agents: Sequence[Agent] | Agent, tasks: TaskLoader) -> World:
    """Return the world for agents and the tasks in the `task` option. A single task's world has its teacher and the
    agents; its class is the task's own, or else `default_world`. Several tasks make a MultiWorld. If
    `batchsize` is above 1, it is the root of a BatchWorld, and if `numthreads` is, of a HogwildWorld. With
    `interactive_task` (a human, who is the first agent, talks with a model) or `selfchat_task` (agents talk with each
    other, or one with its copy), there is no teacher. Raises NotFoundError if no known task is given,
    DialogueError for options that have no effect, and the errors of the world.
    """
    options = Opt.of(opt)
    if options.number("num_workers", 0) > 0:
        hint = "Omit num_workers; a ChunkTeacher loads its data in its own thread."
        raise DialogueError("no world loads data in other processes", hint=hint)
    if options.get("dynamic_batching"):
        raise DialogueError("batches have a fixed size", hint="Omit dynamic_batching.")
    ids = tasks.ids(options.text("task"))
    if not ids:
        problem = f"{options['task']!r} does not name a task" if options.get("task") else "no task given"
        raise NotFoundError(problem, hint=LIST_TASKS)
    students = [agents] if isinstance(agents, Agent) else list(agents)
    worlds = [_of_task(Opt({**options, "task": task}), students, tasks) for task in ids]
    world = worlds[0] if len(worlds) == 1 else MultiWorld(options, worlds)
    if options.number("batchsize", 1) > 1:
        world = BatchWorld(options, world)
    return HogwildWorld(options, world) if options.number("numthreads", 1) > 1 else world


def _of_task(opt: Opt, students: Sequence[Agent], tasks: TaskLoader) -> World:
    agents = list(students)
    if opt.switch("interactive_task"):
        name = WorldName.INTERACTIVE
    elif opt.switch("selfchat_task"):
        name = WorldName.SELF_CHAT
        agents += [agents[0].clone()] if len(agents) == 1 else []
    else:
        name = WorldName.DEFAULT
        agents.insert(0, tasks.teacher(opt))
    kind = tasks.world_class(opt.text("task"), name) or default_world(len(agents))
    return kind(opt, agents)


def default_world(number_of_agents: int) -> type[World]:
    """Return the default world class for this number of agents: DialogPartnerWorld for two."""
    return DialogPartnerWorld if number_of_agents == 2 else MultiAgentDialogWorld
