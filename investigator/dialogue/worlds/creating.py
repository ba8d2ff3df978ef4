"""Creates the world for given options and agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from investigator.dialogue.agents import Agent
from investigator.dialogue.options import Opt
from investigator.dialogue.registry import LIST_TASKS
from investigator.dialogue.task_strings import WorldName
from investigator.dialogue.worlds.base import DialogPartnerWorld, MultiAgentDialogWorld, World
from investigator.dialogue.worlds.composed import BatchWorld, HogwildWorld, MultiWorld
from investigator.errors import DialogueError, NotFoundError


class TaskLoader(Protocol):
    """Loads tasks by name, as `investigator.tasks.loading.Tasks` does."""

    def ids(self, task: str) -> Sequence[str]:
        """Return the individual tasks in a task string. Raises NotFoundError for an unknown name."""

    def world_class(self, task: str, name: WorldName) -> type[World] | None:
        """Return the world class of this name that a task defines, or None."""

    def teacher(self, opt: Opt) -> Agent:
        """Return the teacher for the single task that the `task` option names."""


def create_world(
    opt: Mapping[str, object],
    agents: Sequence[Agent] | Agent,
    tasks: TaskLoader,
    *,
    make_world: type[World] | None = None,
) -> World:
    """Return the world for agents and the tasks in the `task` option. A single task's world has its teacher and the
    agents; its class is `make_world`, or the task's own, or `default_world`. Several tasks make a MultiWorld. If
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
    worlds = [_of_task(Opt({**options, "task": task}), students, tasks, make_world) for task in ids]
    world = worlds[0] if len(worlds) == 1 else MultiWorld(options, worlds)
    if options.number("batchsize", 1) > 1:
        world = BatchWorld(options, world)
    return HogwildWorld(options, world) if options.number("numthreads", 1) > 1 else world


def _of_task(opt: Opt, students: Sequence[Agent], tasks: TaskLoader, make_world: type[World] | None) -> World:
    agents = list(students)
    if opt.switch("interactive_task"):
        name = WorldName.INTERACTIVE
    elif opt.switch("selfchat_task"):
        name = WorldName.SELF_CHAT
        agents += [agents[0].clone()] if len(agents) == 1 else []
    else:
        name = WorldName.DEFAULT
        agents.insert(0, tasks.teacher(opt))
    kind = make_world or tasks.world_class(opt.text("task"), name) or default_world(len(agents))
    return kind(opt, agents)


def default_world(number_of_agents: int) -> type[World]:
    """Return the default world class for this number of agents: DialogPartnerWorld for two."""
    return DialogPartnerWorld if number_of_agents == 2 else MultiAgentDialogWorld
