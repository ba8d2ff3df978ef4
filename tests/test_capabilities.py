"""Tests exist for everything that `docs/CAPABILITIES.md` lists, and deviations are those of the code."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
PAGE = (DOCS / "CAPABILITIES.md").read_text(encoding="utf-8")
DEVIATING = (TESTS / "golden" / "DEVIATIONS.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE + DEVIATING)))
GROUNDS = {"asked for", "the original fails", "texts and tasks that are not shipped", "judged better"}


@cache
def functions(file: str) -> frozenset[str]:
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def cells_of(page: str) -> list[list[str]]:
    """Return the cells of each line of the tables of a page."""
    return [cells for line in page.splitlines() if (cells := re.split(r"(?<!\\) ?\| ?", line)[1:-1])]


ROWS = [cells for cells in cells_of(PAGE) if len(cells) == 4 and cells[0].isdecimal()]
DEVIATIONS = [cells for cells in cells_of(DEVIATING) if len(cells) == 6 and cells[4].isdecimal()]


def test_all_sixty_capabilities_have_a_row() -> None:
    assert [int(number) for number, *_ in ROWS] == list(range(1, 61))


def test_a_capability_is_told_and_shown_by_a_test() -> None:
    for _, capability, here, shown in ROWS:
        assert capability
        assert here
        assert "::test_" in shown or here.startswith("Left out:")


def test_a_test_that_is_named_exists() -> None:
    assert NAMED
    assert [(file, name) for file, name in NAMED if name not in functions(file)] == []


def test_deviations_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TESTS / "golden"))
    starts = importlib.import_module("deviations").APPLIES
    reasons = [plain(reason) for _, _, reason, *_ in DEVIATIONS]
    assert [reason for reason in reasons if sum(map(reason.startswith, starts)) != 1] == []
    assert [start for start in starts if not any(reason.startswith(start) for reason in reasons)] == []
    assert {ground for *_, ground, _, _ in DEVIATIONS} == GROUNDS
    assert all("::test_" in shown for *_, shown in DEVIATIONS)


def test_the_figures_of_the_recorded_rows_add_up() -> None:
    told = re.search(r"Of (\d+) recorded rows, (\d+) give the same result, and (\d+) deviate", " ".join(PAGE.split()))
    assert told is not None
    rows, same, deviating = map(int, told.groups())
    assert rows == same + deviating
    assert deviating == sum(int(count) for _, _, _, _, count, _ in DEVIATIONS)


def test_the_transcript_holds_twelve_turns_and_what_is_typed_is_what_was_sent() -> None:
    (transcript,) = (DOCS / "transcripts").glob("*.md")
    text = transcript.read_text(encoding="utf-8")
    turns = re.search(r"< docs/transcripts/(\S+\.txt)", text)
    assert turns is not None
    typed = (DOCS / "transcripts" / turns[1]).read_text(encoding="utf-8").splitlines()
    assert re.findall(r"^> (.*)$", text, re.MULTILINE) == typed
    assert (len([line for line in typed if not line.startswith("/")]), typed.count("/why")) == (12, 3)


def plain(reason: str) -> str:
    """Return a reason without the mark-up of a table cell."""
    return reason.replace("`", "").replace("\\|", "|")
