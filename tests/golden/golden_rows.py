"""Rows of behaviour recorded from ParlAI, and how our code is compared with them. The files are in the folder that
GOLDEN_DIR names, by default `../shared/golden`. A row is one JSON object: `{"id", "kind", "input", "expected"}`. Rows
from which we deviate on purpose are named in `deviations.py`.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FOLDER = Path(os.environ.get("GOLDEN_DIR", Path(__file__).resolve().parents[3] / "shared" / "golden"))
DEVIATIONS = Path(__file__).with_name("DEVIATIONS.md")


class Row(NamedTuple):
    id: str
    kind: str
    input: Any
    expected: Any


DEVIATES = "deviates on purpose: "
BARE = frozenset(
    {"AssertionError", "AttributeError", "IndexError", "JSONDecodeError", "KeyError", "TypeError", "UnboundLocalError"}
)
"""Errors of Python that nobody raised on purpose: where the recording has one, any named error of ours is as good."""

Adapter = Callable[[Any], Any]
"""Gives what our classes make of the input of a row, in the form of its `expected`."""


def each_row(file: str, kinds: Container[str], *, other_kinds: bool = False) -> pytest.MarkDecorator:
    """Parametrise a test by the rows of a file (`message` for `message.jsonl`), except those of `other_kinds`, which
    another test checks. If the file is missing, use one row that is skipped with a reason.
    """
    path = FOLDER / f"{file}.jsonl"
    recorded = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    rows = [Row(*(row[name] for name in Row._fields)) for row in recorded if row["kind"] in kinds or not other_kinds]
    if rows:
        return pytest.mark.parametrize("row", rows, ids=[row.id for row in rows])
    absent = pytest.mark.skip(reason=f"{path} with recorded behaviour is not here")
    return pytest.mark.parametrize("row", [pytest.param(None, marks=absent, id=f"{file} is absent")])


def check(row: Row, adapters: Mapping[str, Adapter]) -> None:
    """Check that our behaviour is the recorded one, or deviates on purpose, which is shown as a skip."""
    problem = difference(attempt(adapters[row.kind], row.input), row.expected)
    if problem is None:
        return
    deviation = deviation_of(row)
    assert deviation, f"{row.id}\n input    {row.input}\n {problem}"
    pytest.skip(f"{DEVIATES}{deviation}")


def golden_test(file: str, adapters: Mapping[str, Adapter], *, other_kinds: bool = False) -> Callable[[Row], None]:
    """Return a test that checks each row (see `each_row`)."""

    @each_row(file, adapters, other_kinds=other_kinds)
    def test(row: Row) -> None:
        check(row, adapters)

    return test


def deviation_of(row: Row) -> str | None:
    """Return the ground and the reason of a deviation that applies to a row, from the table of deviations."""
    from deviations import APPLIES

    for line in DEVIATIONS.read_text(encoding="utf-8").splitlines():
        cells = [cell.replace("`", "").replace("\\|", "|") for cell in re.split(r"(?<!\\) ?\| ?", line)[1:-1]]
        if len(cells) == 6 and cells[0] == row.id.partition("/")[0] and row.kind in cells[1].split(", "):
            _, _, reason, ground, *_ = cells
            if next(applies for start, applies in APPLIES.items() if reason.startswith(start))(row):
                return f"{ground}: {reason}"
    return None


def attempt(adapter: Adapter, given: Any) -> Any:
    """Return the result of an adapter, or its error in the form of the rows, with the names of all its classes."""
    try:
        return adapter(given)
    except Exception as error:  # noqa: BLE001  whatever it is, the row says which one is right
        types = [kind.__name__ for kind in type(error).__mro__]
        return {"error": {"type": types[0], "types": types, "gist": str(error).partition("\n")[0]}}


def difference(ours: Any, expected: Any, at: str = "") -> str | None:
    """Return the first difference between two values; None if they are the same: floats to 1e-6, errors by their
    types, tuples and lists alike.
    """
    pairs: Iterable[tuple[Any, Any, str]] = ()
    same = False
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        if set(expected) == {"type", "gist"} and "types" in ours:
            same = _is_as_good(ours["types"], expected["type"])
        elif expected.keys() == ours.keys():
            same, pairs = True, ((ours[key], expected[key], f"{at}.{key}") for key in expected)
    elif isinstance(expected, list) and isinstance(ours, list | tuple):
        same = len(ours) == len(expected)
        pairs = ((*both, f"{at}[{n}]") for n, both in enumerate(zip(ours, expected, strict=False)))
    else:
        same = _same(ours, expected)
    if not same:
        return f"at {at or 'the top'}\n expected {expected!r}\n ours     {ours!r}"
    return next(filter(None, (difference(*pair) for pair in pairs)), None)


def _is_as_good(ours: Sequence[str], recorded: str) -> bool:
    return recorded in ours or (recorded in BARE and "InvestigatorError" in ours)


def _same(ours: Any, expected: Any) -> bool:
    if isinstance(expected, bool) or isinstance(ours, bool):
        return ours is expected
    if isinstance(expected, int | float) and isinstance(ours, int | float):
        return math.isclose(ours, expected, rel_tol=1e-6, abs_tol=1e-12)
    if isinstance(ours, float):
        return str(ours) == {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(expected)
    return bool(ours == expected)
