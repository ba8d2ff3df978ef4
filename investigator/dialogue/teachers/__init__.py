"""Teachers: agents that ask from data and grade the replies (seed: parlai_core_concepts, "Teachers").

Choose by the data: a file in ParlAI's text format needs ParlAIDialogTeacher, conversations in JSON lines
ConversationTeacher, any other file DialogTeacher and its `setup_data`, examples with custom fields FixedDialogTeacher
and its `get`, data too large for memory ChunkTeacher, and a task without fixed data Teacher.
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
