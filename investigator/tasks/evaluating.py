"""Measures how well an agent does a task by running a world and returning its report."""

from __future__ import annotations

from collections.abc import Callable

from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.metrics import Report
from investigator.dialogue.teachers import Teacher
from investigator.dialogue.worlds import MultiWorld, World
from investigator.dialogue.worlds.batch import WorldOfCopies
from investigator.errors import DialogueError


def evaluate(world: World, count: int | None = None, *, on_turn: Callable[[int], None] = lambda _: None) -> Report:
    """Return the metrics for one pass through the world's data, or for at most `count` turns.

    The world is reset first. `on_turn` is called after each turn with the number of turns so far. Raises DialogueError
    if the data never ends, as in training, and no `count` is given.
    """
    if count is None and _is_endless(world):
        hint = "Evaluate with datatype=valid or test, or give a count."
        raise DialogueError("training data repeats endlessly", hint=hint)
    world.reset()
    turns = 0
    while not world.epoch_done() and (count is None or turns < count):
        world.parley()
        turns += 1
        on_turn(turns)
    return world.report()


def _is_endless(world: World) -> bool:
    """Return True if the data of any teacher repeats without end; each task string may set its own datatype."""
    parts = world.worlds if isinstance(world, MultiWorld) else [world.world] if isinstance(world, WorldOfCopies) else []
    asking = [agent.datatype for agent in world.get_agents() if isinstance(agent, Teacher)]
    asking = asking or [Datatype(world.opt.text("datatype", "train"))]
    return any(_is_endless(part) for part in parts) or any(datatype.cycles for datatype in asking)
