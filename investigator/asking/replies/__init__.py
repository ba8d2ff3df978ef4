"""Parses the text of a reply into the requested record.

`structured` reads the record from JSON, which `json_text` finds. Each documents the deviations that it accepts; a
deviation is accepted only if a case in `tests/asking/replies` would otherwise fail. Others cost a second call, which
asks for the form again.
"""

from investigator.asking.replies.json_text import unfinished_text, without_thoughts
from investigator.asking.replies.structured import ReadRecord, read_closely, read_reply

__all__ = ["ReadRecord", "read_closely", "read_reply", "unfinished_text", "without_thoughts"]
