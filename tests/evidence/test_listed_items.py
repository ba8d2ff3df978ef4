"""Items of the lists that a question requests."""

from __future__ import annotations

import pytest

from investigator.evidence.listed_items import listed_items
from investigator.records import Document

TEXT = """# Spring concert

Dear players, the hall is booked.

Players have to bring:
- a music stand
- a pencil, and
  an eraser

Rehearsal dates:

1. 4 March
2. 11 March

The rest follows:

DECIDED
- more soup
"""


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("What do players have to bring?", ["a music stand", "a pencil, and\n  an eraser"]),
        ("List the rehearsal dates.", ["4 March", "11 March"]),
        ("What are the rehearsal dates of the spring concert?", ["4 March", "11 March"]),
        ("What was decided for the spring concert?", ["more soup"]),
        ("What are the rehearsal dates of the summer concert?", []),
        ("What is the concert?", []),
        ("What do the singers have to bring?", []),
        ("When is the concert?", []),
    ],
)
def test_a_list_is_found_by_the_line_that_introduces_it(question: str, items: list[str]) -> None:
    document = Document(id="c.md", title="Spring concert", media_type="text/markdown", content_hash="h", text=TEXT)
    assert [quote.text for quote in listed_items(question, document)] == items
