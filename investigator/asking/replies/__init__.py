"""Parses the text of a reply into the requested record: `forms.read_reply` tries one form after the other.

1. `structured`: JSON, found by `json_text`, whose keys and types are brought into the record's by `shapes`.
2. `free_ask`, `free_answer`: the free text that small models write although JSON was requested.
3. `points`, `point_values`: the score, in any place and notation, even if the JSON has none.

Each module documents the deviations that it accepts. A deviation is accepted only if a case in `tests/asking/replies`
would fail without it; the synonyms of keys, which are data, are the exception.
"""

from investigator.asking.replies.forms import read_reply
from investigator.asking.replies.json_text import unfinished_text
from investigator.asking.replies.points import read_point
from investigator.asking.replies.structured import read_record
from investigator.asking.replies.thoughts import without_thoughts

__all__ = ["read_point", "read_record", "read_reply", "unfinished_text", "without_thoughts"]
