"""Parses the text of a reply into the requested record: `structured` reads it from JSON, which `json_text` finds.

A deviation is accepted only if a case in `tests/asking/replies` would otherwise fail; others cost a second call.
"""

from investigator.asking.replies.json_text import unfinished_text, without_thoughts
from investigator.asking.replies.structured import ReadRecord, read_closely, read_reply

__all__ = ["ReadRecord", "read_closely", "read_reply", "unfinished_text", "without_thoughts"]
