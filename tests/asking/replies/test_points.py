"""A point is parsed only where a reply gives one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.asking.replies.points import read_point

ROWS = [json.loads(line) for line in Path(__file__).with_name("point_corpus.jsonl").read_text("utf-8").splitlines()]
PIECES = ["Point", ":", "Score", " ", "\n", "85", "/", "100", "%", "-", "(", ")", "0", ".", ",", "{", '"point"', "n/a"]
FORMS = ["Point: {}", "**Point:** {}/100", '{{"point": {}}}', "### Score\n{}", "{}%"]
HOSTILE = {
    "digits": "1" * 100_000,
    "point digits": "Point: " + "9" * 1_000_000,
    "markers": "Point:" * 170_000,
    "markers in lines": "Point:\n" * 150_000,
    "separators": "Point" + ":" * 1_000_000,
    "blanks": "Point:" + " " * 1_000_000,
    "numbers with commas": "Point: " + "1," * 500_000,
    "open brackets": "Point: " + "(" * 1_000_000,
    "judgements": "I would give " * 80_000,
    "scales": "on a scale of 1 to 10 " * 50_000,
    "tags": "<think>" * 150_000,
    "closing tags": "</think>" * 150_000,
    "keys": '"point": ' * 110_000,
    "fractions": "8/10 of " * 130_000,
    "markup": "<b>" * 300_000,
    "words": "score " * 170_000,
    "letters": "a" * 1_000_000,
}


@pytest.mark.parametrize("row", ROWS, ids=[f"{i + 1}: {row['why']}" for i, row in enumerate(ROWS)])
def test_corpus_is_read_as_written(row: dict[str, object]) -> None:
    assert read_point(str(row["reply"])) == row["point"]


def test_corpus_is_large_and_without_doubles() -> None:
    assert len({row["reply"] for row in ROWS}) == len(ROWS) >= 150


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_gives_a_point_or_none(text: str) -> None:
    point = read_point(text)
    assert point is None or 0 <= point <= 100


@settings(deadline=None)
@given(st.integers(0, 100), st.sampled_from(FORMS))
def test_every_point_comes_back(point: int, form: str) -> None:
    assert read_point(form.format(point)) == point


@settings(deadline=None)
@given(st.integers(0, 100), st.text(alphabet="abc .,\n", max_size=40))
def test_prose_before_the_point_changes_nothing(point: int, prose: str) -> None:
    assert read_point(f"{prose}\nPoint: {point}") == point


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    read_point(text)
    assert time.process_time() - began < 10
