"""Teachers: agents that ask questions from data and grade the replies (seed: parlai_core_concepts, "Teachers").

The data determines the class: use ParlAIDialogTeacher for a file in ParlAI's text format, ConversationTeacher for
conversations in JSON lines, DialogTeacher and its `setup_data` for any other file, FixedDialogTeacher and its `get` for
examples with custom fields, ChunkTeacher for data that is too large for memory, and Teacher for a task without fixed
data.
"""

from investigator.dialogue.teachers.base import Teacher
from investigator.dialogue.teachers.chunk import ChunkTeacher
from investigator.dialogue.teachers.dialog import DialogTeacher
from investigator.dialogue.teachers.dialog_data import DialogData, StreamDialogData
from investigator.dialogue.teachers.files import ConversationTeacher, FbDeprecatedDialogTeacher, ParlAIDialogTeacher
from investigator.dialogue.teachers.fixed import FixedDialogTeacher
from investigator.dialogue.teachers.image import AbstractImageTeacher
from investigator.dialogue.teachers.multitask import MultiTaskTeacher

__all__ = [
    "AbstractImageTeacher",
    "ChunkTeacher",
    "ConversationTeacher",
    "DialogData",
    "DialogTeacher",
    "FbDeprecatedDialogTeacher",
    "FixedDialogTeacher",
    "MultiTaskTeacher",
    "ParlAIDialogTeacher",
    "StreamDialogData",
    "Teacher",
]
