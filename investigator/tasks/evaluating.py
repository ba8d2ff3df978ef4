"""Measures how well an agent does a task by running a world and returning its report."""

from __future__ import annotations

from collections.abc import Iterator

from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.metrics import Report
from investigator.dialogue.teachers import Teacher
from investigator.dialogue.worlds import MultiWorld, World
from investigator.dialogue.worlds.batch import WorldOfCopies
from investigator.errors import DialogueError
from investigator.evaluation.folder import turns
from investigator.records import Progressed


def evaluate(world: World, count: int | None = None) -> Report:
    """Return the metrics for one pass through the world's data, or for at most `count` turns. Raises the errors of
    `progress`.
    """
    for _ in progress(world, count):
        pass
    return world.report()


def progress(world: World, count: int | None = None) -> Iterator[Progressed]:
    """Reset a world, let it run through its data or for at most `count` turns, and yield the number of examples so far.
    Raises DialogueError if the data never ends, as in training, and no `count` is given.
    """
    if count is None and _is_endless(world):
        hint = "Evaluate with datatype=valid or test, or give a count."
        raise DialogueError("training data repeats endlessly", hint=hint)
    world.reset()
    whole = world.num_examples()
    for _ in turns(world, count):
        yield Progressed(phase="examples", done=world.total_exs, total=max(whole or 0, world.total_exs))


def _is_endless(world: World) -> bool:
    """Return True if the data of any teacher repeats without end; each task string may set its own datatype."""
    parts = world.worlds if isinstance(world, MultiWorld) else [world.world] if isinstance(world, WorldOfCopies) else []
    asking = [agent.datatype for agent in world.get_agents() if isinstance(agent, Teacher)]
    asking = asking or [Datatype(world.opt.text("datatype", "train"))]
    return any(_is_endless(part) for part in parts) or any(datatype.cycles for datatype in asking)
