"""Rows of behaviour recorded from ParlAI, and how our code is compared with them. The files are in the folder that
GOLDEN_DIR names, by default `../shared/golden`. A row is one JSON object: `{"id", "kind", "input", "expected"}`. Rows
from which we deviate on purpose are named in `deviations.py`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("GOLDEN_DIR", Path(__file__).resolve().parents[3] / "shared" / "golden"))


@dataclass(frozen=True)
class Row:
    """One recorded case; its values are unparsed JSON."""

    id: str
    kind: str
    input: Any
    expected: Any


class Ground(StrEnum):
    """The kind of reason for a deviation."""

    ASKED = "asked for"
    CRASH = "the original fails"
    SHIPPED = "texts and tasks that are not shipped"
    JUDGED = "judged better"


@dataclass(frozen=True)
class Deviation:
    """Rows of one kind that we answer differently on purpose, with the reason and its kind."""

    file: str
    kind: str
    reason: str
    applies: Callable[[Row], bool]
    ground: Ground = Ground.JUDGED


DEVIATES = "deviates on purpose: "
BARE = frozenset(
    {"AssertionError", "AttributeError", "IndexError", "JSONDecodeError", "KeyError", "TypeError", "UnboundLocalError"}
)
"""Errors of Python that nobody raised on purpose: where the recording has one, any named error of ours is as good."""

Adapter = Callable[[Any], Any]
"""Gives what our classes make of the input of a row, in the form of its `expected`."""


def rows(file: str, kinds: Sequence[str] | None = None) -> list[Row]:
    """Return the rows of a file (`message` for `message.jsonl`), of all kinds or of some; none if there is no file."""
    path = FOLDER / f"{file}.jsonl"
    if not path.is_file():
        return []
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Row(r["id"], r["kind"], r["input"], r["expected"]) for r in found if kinds is None or r["kind"] in kinds]


def each_row(file: str, kinds: Sequence[str] | None = None) -> pytest.MarkDecorator:
    """Parametrise a test by `row`; if the file is missing, use one row that is skipped with a reason."""
    found = rows(file, kinds)
    if not found:
        absent = pytest.mark.skip(reason=f"{FOLDER / file}.jsonl with recorded behaviour is not here")
        return pytest.mark.parametrize("row", [pytest.param(None, marks=absent, id=f"{file} is absent")])
    return pytest.mark.parametrize("row", found, ids=[row.id for row in found])


def check(row: Row, adapters: Mapping[str, Adapter], deviations: Sequence[Deviation]) -> None:
    """Check that our behaviour is the recorded one, or deviates as the table says, which is shown as a skip."""
    file = row.id.partition("/")[0]
    found = difference(attempt(adapters[row.kind], row.input), row.expected)
    if found is None:
        return
    deviation = next((d for d in deviations if (d.file, d.kind) == (file, row.kind) and d.applies(row)), None)
    assert deviation is not None, f"{row.id}\n input    {row.input}\n {found}"
    pytest.skip(f"{DEVIATES}{deviation.ground}: {deviation.reason}")


def attempt(adapter: Adapter, given: Any) -> Any:
    """Return the result of an adapter, or its error in the form of the rows."""
    try:
        return adapter(given)
    except Exception as error:  # noqa: BLE001  whatever it is, the row says which one is right
        return {"error": failure(error)}


def failure(error: BaseException) -> dict[str, Any]:
    """An error in the form of the rows; `types` are the names of its class and its base classes."""
    types = [kind.__name__ for kind in type(error).__mro__]
    return {"type": types[0], "types": types, "gist": str(error).partition("\n")[0]}


def alike(ours: Any, expected: Any) -> bool:
    """Return True if two values are the same: floats to 1e-6, errors by their types, tuples and lists alike."""
    return difference(ours, expected) is None


def difference(ours: Any, expected: Any, at: str = "") -> str | None:
    """Return the first difference between two values; None if they are the same."""
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        if set(expected) == {"type", "gist"} and "types" in ours:
            return None if _is_as_good(ours["types"], expected["type"]) else _differ(at, ours, expected)
        if expected.keys() != ours.keys():
            return _differ(f"{at} keys", sorted(ours, key=str), sorted(expected, key=str))
        return _first(difference(ours[key], expected[key], f"{at}.{key}") for key in expected)
    if isinstance(expected, list) and isinstance(ours, list | tuple):
        if len(ours) != len(expected):
            return _differ(at, ours, expected)
        pairs = zip(ours, expected, strict=True)
        return _first(difference(a, b, f"{at}[{n}]") for n, (a, b) in enumerate(pairs))
    return None if _same(ours, expected) else _differ(at, ours, expected)


def _is_as_good(ours: Sequence[str], recorded: str) -> bool:
    return recorded in ours or (recorded in BARE and "InvestigatorError" in ours)


def _same(ours: Any, expected: Any) -> bool:
    if isinstance(expected, bool) or isinstance(ours, bool):
        return ours is expected
    if isinstance(expected, int | float) and isinstance(ours, int | float):
        return math.isclose(ours, expected, rel_tol=1e-6, abs_tol=1e-12)
    if expected in ("NaN", "Infinity", "-Infinity") and isinstance(ours, float):
        return str(ours) == {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[expected]
    return bool(ours == expected)


def _first(found: Iterable[str | None]) -> str | None:
    return next((one for one in found if one is not None), None)


def _differ(at: str, ours: Any, expected: Any) -> str:
    return f"at {at or 'the top'}\n expected {expected!r}\n ours     {ours!r}"
