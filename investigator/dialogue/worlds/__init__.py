"""Worlds, in which agents take turns: one world, several tasks in succession, batches, or threads."""

from investigator.dialogue.worlds.base import DialogPartnerWorld as DialogPartnerWorld
from investigator.dialogue.worlds.base import ExecutableWorld as ExecutableWorld
from investigator.dialogue.worlds.base import MultiAgentDialogWorld as MultiAgentDialogWorld
from investigator.dialogue.worlds.base import World as World
from investigator.dialogue.worlds.composed import BatchWorld as BatchWorld
from investigator.dialogue.worlds.composed import HogwildWorld as HogwildWorld
from investigator.dialogue.worlds.composed import MultiWorld as MultiWorld
from investigator.dialogue.worlds.composed import TaskLoader as TaskLoader
from investigator.dialogue.worlds.composed import create_world as create_world
from investigator.dialogue.worlds.composed import default_world as default_world
