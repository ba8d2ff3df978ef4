"""From the text of a reply to the record that was asked for: points, JSON of any quality, free text."""

from investigator.asking.replies.forms import read_reply
from investigator.asking.replies.points import read_point
from investigator.asking.replies.structured import read_record
from investigator.asking.replies.thoughts import without_thoughts
from investigator.asking.replies.unfinished import unfinished_text

__all__ = ["read_point", "read_record", "read_reply", "unfinished_text", "without_thoughts"]
