"""From the text of a reply to the record that was asked for: points, JSON of any quality, free text."""

from investigator.replies.forms import read_reply
from investigator.replies.points import read_point
from investigator.replies.structured import read_record
from investigator.replies.thoughts import without_thoughts
from investigator.replies.unfinished import unfinished_text

__all__ = ["read_point", "read_record", "read_reply", "unfinished_text", "without_thoughts"]
