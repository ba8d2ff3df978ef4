"""Defines worlds of copies of a world: a BatchWorld, whose copies run in lockstep, with a model that answers all of
them at once, and a HogwildWorld, whose copies run concurrently in threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from typing import ClassVar

from investigator.dialogue.agents import ActsInBatches, Agent, ObservesItself, Shared, shared_part
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt, Options
from investigator.dialogue.worlds.base import World
from investigator.errors import (
    DialogueError,
    InvestigatorError,
    RunError,
)


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


class BatchWorld(WorldOfCopies):
    """A batch that has `batchsize` copies of a world as its rows. If an agent of the root has `batch_act`, a single
    call makes the acts of all rows; otherwise the agent of each row acts itself. Then the agents in the rows observe
    the acts, their own by `self_observe`. A row continues with padding after the end of its data.
    """

    def __init__(self, opt: Options, world: World | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, world, shared)
        self._heard: dict[tuple[int, int], Message] = {}  # by agent and row: what it observed since its last act

    def parley(self) -> None:
        """Run one turn in all rows. Raises DialogueError if an act is not a message, if `batch_act` returns the wrong
        number of acts, or if rows have different numbers of agents, or if an agent does not return its
        observation.
        """
        rows = [row.turn_world() for row in self.worlds]
        sizes = {len(row.get_agents()) for row in rows}
        if len(sizes) > 1:
            raise DialogueError(
                f"the rows of a batch have {sorted(sizes)} agents; all must have the same number",
                hint="Use batchsize 1 for tasks with different numbers of agents.",
            )
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
        """Return the acts of the agents with this index in all rows."""
        model = self.world.batch_agent(actor)
        heard = [self._heard.pop((actor, place), None) for place in range(len(rows))]
        if model is None or not isinstance(model, ActsInBatches):
            return [row.take_act(actor, row.get_agents()[actor].act()) for row in rows]
        acts = model.batch_act(heard)
        if len(acts) != len(rows):
            problem = f"batch_act of {model.id} returned {len(acts)} acts for {len(rows)} observations"
            raise DialogueError(problem, hint="Return one act for each observation, in order.")
        return [row.take_act(actor, act) for row, act in zip(rows, acts, strict=True)]


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
        self._idle = list(enumerate(self.worlds))
        self._turns: dict[Future[None], tuple[int, World]] = {}
        self._open = True

    def parley(self) -> None:
        """Start a turn in one copy. Raises RunError if an earlier turn failed, and DialogueError after shutdown."""
        if not self._open:
            raise DialogueError("this world was shut down", hint="Create another one from the same root.")
        self._collect_turns()
        while not (ready := [copy for copy in self._idle if not copy[1].epoch_done()]) and self._turns:
            wait(self._turns, return_when=FIRST_COMPLETED)
            self._collect_turns()
        if ready:
            self._idle.remove(ready[0])
            self._turns[self._threads.submit(ready[0][1].parley)] = ready[0]
            self.total_parleys += 1

    def join(self) -> None:
        """Wait until all started turns have ended. Raises RunError if one of them failed."""
        wait(self._turns)
        self._collect_turns()

    def epoch_done(self) -> bool:
        """Return True if no turn is in progress and the data of all copies has ended."""
        return all(turn.done() for turn in list(self._turns)) and all(copy.epoch_done() for copy in self.worlds)

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
        """Wait for the turns in progress, end the threads, and release the agents' resources; safe to call again. Then
        raise RunError if a turn failed and the failure has not been reported yet.
        """
        if self._open:
            self._open = False
            self._threads.shutdown()
            super().shutdown()
        self._collect_turns()

    def __exit__(self, *error: object) -> None:
        # an earlier error takes precedence
        with nullcontext() if error[0] is None else suppress(RunError):
            self.shutdown()

    def _collect_turns(self) -> None:
        """Count the examples, and make the copies idle whose turns have ended. Raises RunError for one that failed,
        and keeps the others for the next call.
        """
        self.total_exs = sum(copy.total_exs for copy in self.worlds)
        for turn in [turn for turn in self._turns if turn.done()]:
            place, copy = self._turns.pop(turn)
            self._idle.append((place, copy))
            error = turn.exception()
            if error is not None:
                hint = error.hint if isinstance(error, InvestigatorError) else ""
                problem = f"copy {place} of the world failed: {type(error).__name__}: {error}"
                raise RunError(problem, hint=hint) from error


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
        raise DialogueError(f"observe of {agent.id} returned nothing", hint=hint)
    return observed


def _with_options(shared: Shared, options: Mapping[str, object]) -> dict[str, object]:
    """Return the shared state with these options set in all of its worlds and agents."""
    opt = shared_part(shared, "opt", dict) or {}
    changed: dict[str, object] = {**shared, **options, "opt": Opt(opt, **options)}
    for key in changed.keys() & {"agents", "worlds"}:
        changed[key] = [_with_options(part, options) for part in shared_part(shared, key, list) or []]
    if "world" in changed:
        changed["world"] = _with_options(shared_part(shared, "world", dict) or {}, options)
    return changed
