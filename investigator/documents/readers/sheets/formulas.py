"""Computes formulas whose values a workbook does not store, with formualizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from investigator.documents.readers.sheets.workbook import Place

_MOST = 20_000
_ERROR = "#"


def computed(data: bytes, places: Mapping[str, Iterable[Place]]) -> dict[tuple[str, Place], str]:
    """Return the values of the formulas at places of sheets, given by the sheets' names; those that cannot be computed
    are left out. Numbers are given by their digits.
    """
    import formualizer

    wanted = [(sheet, place) for sheet, own in places.items() for place in own][:_MOST]
    values: dict[tuple[str, Place], str] = {}
    try:
        book = formualizer.Workbook.from_bytes(data)
    except Exception:  # noqa: BLE001 - the library raises errors of many kinds for a workbook that it cannot read
        return {}
    for sheet, (row, column) in wanted:
        try:
            value = book.evaluate_cell(sheet, row + 1, column + 1)
        except Exception:  # noqa: BLE001 - one formula failed, the others go on
            continue
        if (text := _text(value)) and not text.startswith(_ERROR):
            values[sheet, (row, column)] = text
    return values


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return repr(value).removesuffix(".0")
    return value if isinstance(value, str) else ""
