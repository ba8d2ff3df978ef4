"""The place of a quote or a passage is described in the terms of its format."""

from __future__ import annotations

import pytest

from investigator.records import Passage, Quote


@pytest.mark.parametrize(
    ("document_id", "page", "own_lines", "said"),
    [
        ("a/lease.pdf", 17, False, "a/lease.pdf:page 17"),
        ("talk.PPTX", 3, False, "talk.PPTX:slide 3"),
        ("all.zip/sums.xlsx", 2, False, "all.zip/sums.xlsx:sheet 2"),
        ("notes.txt", None, True, "notes.txt:line 9"),
        ("letter.docx", None, False, "letter.docx:text line 9"),
    ],
)
def test_a_place_is_called_what_its_format_calls_it(
    document_id: str, page: int | None, own_lines: bool, said: str
) -> None:
    span = {"document_id": document_id, "page": page, "line": 9, "own_lines": own_lines, "start": 0, "end": 1}
    assert Quote.model_validate({**span, "text": "x", "source_hash": "h"}).place == said
    assert Passage.model_validate({**span, "text": "x"}).place == said


def test_a_passage_of_an_unknown_line_is_placed_in_its_file() -> None:
    assert Passage(document_id="a.txt", start=0, end=1, text="x").place == "a.txt"
