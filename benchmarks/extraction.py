"""Measures typed extraction: right values, quotes that hold their value, and invented values, in four folders.

    python benchmarks/extraction.py --model openai:NAME --sets DIR [--set chat.base_url=http://127.0.0.1:8080/v1 ...]

`--sets` is the directory of the sets sec10q_pdf and trials. The schemas and the right values are in
`benchmarks/extraction/*.json`; the folders leases and bills, about invented firms, are beside them. A list in place of
a right value names words of which the text must contain one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from investigator import Investigator, RunOptions, load_settings
from investigator.proof.figures import figure_notes
from investigator.records import CellStatus, Matrix, MatrixCell

OWN = Path(__file__).with_name("extraction")
NAMES = ("sec10q", "trials", "leases", "bills")
COLUMNS = ("cells", "right", "wrong", "missed", "invented", "stated", "quotes hold it")


def outcomes(extraction: Matrix, right: dict[str, Any]) -> Iterator[tuple[str, str, object, MatrixCell]]:
    """Yield for each cell its outcome, its name, the right value, and the cell."""
    names = [column.name for column in extraction.columns]
    for document in extraction.documents:
        key = flat(right[document.id])
        own = [cell for cell in extraction.cells if cell.document_id == document.id]
        cells = {(cell.record, names[cell.question - 1]): cell for cell in own}
        blank = MatrixCell(document_id=document.id, question=1, status=CellStatus.UNCLEAR)
        for place in dict.fromkeys((*key, *cells)):
            wanted, cell = key.get(place), cells.get(place, blank)
            if place not in key and cell.stated is None:
                continue
            yield outcome(cell.stated, wanted), f"{document.id} {place[1]} {place[0] or ''}".strip(), wanted, cell


def flat(values: dict[str, Any]) -> dict[tuple[int, str], object]:
    """Return right values by record and column."""
    key: dict[tuple[int, str], object] = {}
    for name, value in values.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            key |= {(n, f"{name}.{own}"): each for n, row in enumerate(value, start=1) for own, each in row.items()}
        else:
            key[0, name] = value
    return key


def outcome(value: object, wanted: object) -> str:
    """Return right, wrong, missed or invented."""
    if value is None or wanted is None:
        return "right" if value == wanted else "missed" if value is None else "invented"
    if isinstance(wanted, list):
        return "right" if any(form(str(word)) in form(str(value)) for word in wanted) else "wrong"
    if isinstance(wanted, str) and isinstance(value, str):
        return "right" if form(wanted) == form(value) else "wrong"
    return "right" if value is wanted or same(value, wanted) else "wrong"


def same(value: object, wanted: object) -> bool:
    """Return True if two numbers are equal."""
    numbers = [each for each in (value, wanted) if isinstance(each, int | float) and not isinstance(each, bool)]
    return len(numbers) == 2 and abs(numbers[0] - numbers[1]) < 1e-9


def form(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text)).casefold()


def holds(cell: MatrixCell) -> bool:
    """Return True if the quotes contain the value: its figures, or its words; of a truth, if there is a quote."""
    quotes = [quote.text for quote in cell.quotes]
    if isinstance(cell.value, bool) or not quotes:
        return bool(quotes)
    if isinstance(cell.value, str) and form(cell.text) in form(" ".join(quotes)):
        return True
    return any(map(str.isdigit, cell.text)) and not figure_notes(cell.text, quotes, "")


def measured(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the measures of one set."""
    own = json.loads((OWN / f"{name}.json").read_text(encoding="utf-8"))
    folder = OWN / own["folder"] if (OWN / own["folder"]).is_dir() else arguments.sets / own["folder"]
    settings = load_settings(None, arguments.set or [])
    with tempfile.TemporaryDirectory() as workspace:
        investigator = Investigator(folder, model=arguments.model, settings=settings, workspace=workspace)
        extraction = investigator.extract(own["schema"], RunOptions(only=tuple(own["right"])))
    every = list(outcomes(extraction, own["right"]))
    counts = Counter(kind for kind, *_ in every)
    stated = [cell for _, _, _, cell in every if cell.stated is not None]
    wrong = [
        {"cell": where, "outcome": kind, "right": wanted, "value": cell.value, "text": cell.text}
        | {"status": cell.status.value, "reason": cell.reason, "quotes": [quote.text for quote in cell.quotes]}
        for kind, where, wanted, cell in every
        if kind != "right" or (cell.stated is not None and not holds(cell))
    ]
    return {
        "set": name,
        "cells": len(every),
        **{kind: counts[kind] for kind in ("right", "wrong", "missed", "invented")},
        "stated": len(stated),
        "quotes hold it": sum(map(holds, stated)),
        "calls": extraction.usage.calls,
        "tokens": extraction.usage.tokens,
        "seconds": extraction.seconds,
        "not right": wrong,
    }


def main() -> None:
    """Print a table, and the measures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--sets", type=Path, default=Path())
    parser.add_argument("--set", action="append", metavar="PART.FIELD=VALUE")
    parser.add_argument("--only", action="append", choices=NAMES)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    rows = [measured(name, arguments) for name in arguments.only or NAMES]
    whole = {"set": "all", **{name: sum(row[name] for row in rows) for name in (*COLUMNS, "calls", "tokens")}}
    print(" | ".join(["set", *COLUMNS, "calls", "tokens"]))
    for row in (*rows, whole):
        print(" | ".join(str(row[name]) for name in ("set", *COLUMNS, "calls", "tokens")))
    right, quoted = whole["right"] / whole["cells"], whole["quotes hold it"] / max(1, whole["stated"])
    print(f"right {right:.3f}, quotes that hold the value {quoted:.3f}, invented {whole['invented']}")
    written = json.dumps(rows, indent=1, ensure_ascii=False)
    if arguments.out is not None:
        arguments.out.write_text(written, encoding="utf-8")
    else:
        print(written)


if __name__ == "__main__":
    main()
