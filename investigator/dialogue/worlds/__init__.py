"""Worlds, in which agents take turns: one world at a time, for several tasks in succession, in batches, or in
threads.
"""

from investigator.dialogue.worlds.base import World
from investigator.dialogue.worlds.batch import BatchWorld
from investigator.dialogue.worlds.creating import TaskLoader, create_world, default_world
from investigator.dialogue.worlds.dialog import DialogPartnerWorld, ExecutableWorld, MultiAgentDialogWorld
from investigator.dialogue.worlds.hogwild import HogwildWorld
from investigator.dialogue.worlds.multi import MultiWorld

__all__ = [
    "BatchWorld",
    "DialogPartnerWorld",
    "ExecutableWorld",
    "HogwildWorld",
    "MultiAgentDialogWorld",
    "MultiWorld",
    "TaskLoader",
    "World",
    "create_world",
    "default_world",
]
