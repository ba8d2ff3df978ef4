"""Parses the text of a reply into the requested record.

`structured` reads the record from JSON, which `json_text` finds outside the thoughts that `thoughts` removes; `shapes`
converts it to the keys and types of the record. Each module documents the deviations that it accepts; a deviation is
accepted only if a case in `tests/asking/replies` would otherwise fail. Others cost a second call, which asks for the
form again.
"""

from investigator.asking.replies.json_text import unfinished_text
from investigator.asking.replies.structured import ReadRecord, read_closely, read_reply
from investigator.asking.replies.thoughts import without_thoughts

__all__ = ["ReadRecord", "read_closely", "read_reply", "unfinished_text", "without_thoughts"]
