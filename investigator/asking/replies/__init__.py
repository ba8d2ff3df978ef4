"""Parses the text of a reply into the requested record: `forms.read_reply` tries these forms in order.

1. `structured`: JSON, which `json_text` finds and `shapes` converts to the keys and types of the record.
2. `free_ask`, `free_answer`: free text, which small models write although JSON was requested.
3. `points`, `point_values`: the score, in any position and notation, even if it is not in the JSON.

Each module documents the deviations that it accepts. Key synonyms aside, a deviation is accepted only if a case in
`tests/asking/replies` would otherwise fail.
"""

from investigator.asking.replies.forms import read_reply
from investigator.asking.replies.json_text import unfinished_text
from investigator.asking.replies.points import read_point
from investigator.asking.replies.structured import read_record
from investigator.asking.replies.thoughts import without_thoughts

__all__ = ["read_point", "read_record", "read_reply", "unfinished_text", "without_thoughts"]
