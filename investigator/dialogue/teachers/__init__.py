"""Teachers: agents that ask questions from data and grade the replies (seed: parlai_core_concepts, "Teachers").

The data determines the class: use ParlAIDialogTeacher for a file in ParlAI's text format, ConversationTeacher for
conversations in JSON lines, DialogTeacher and its `setup_data` for any other file, FixedDialogTeacher and its `get` for
examples with custom fields, ChunkTeacher for data that is too large for memory, and Teacher for a task without fixed
data.
"""

from investigator.dialogue.teachers.base import FixedDialogTeacher as FixedDialogTeacher
from investigator.dialogue.teachers.base import MultiTaskTeacher as MultiTaskTeacher
from investigator.dialogue.teachers.base import Teacher as Teacher
from investigator.dialogue.teachers.chunk import ChunkTeacher as ChunkTeacher
from investigator.dialogue.teachers.dialog import DialogData as DialogData
from investigator.dialogue.teachers.dialog import DialogTeacher as DialogTeacher
from investigator.dialogue.teachers.dialog import StreamDialogData as StreamDialogData
from investigator.dialogue.teachers.files import AbstractImageTeacher as AbstractImageTeacher
from investigator.dialogue.teachers.files import ConversationTeacher as ConversationTeacher
from investigator.dialogue.teachers.files import FbDeprecatedDialogTeacher as FbDeprecatedDialogTeacher
from investigator.dialogue.teachers.files import ParlAIDialogTeacher as ParlAIDialogTeacher
