"""Reads the recorded tables of a document: the texts of their cells, with the labels and headers beside them."""

from __future__ import annotations

from investigator.records import Document, Table, TableCell


def words(text: str, cell: TableCell) -> str:
    """Return the words of a cell on one line."""
    return " ".join(text[cell.start : cell.end].split())


def rows(text: str, table: Table) -> list[list[str]]:
    """Return the texts of the cells, row by row."""
    found: dict[int, list[str]] = {}
    for cell in sorted(table.cells, key=lambda one: (one.row, one.column)):
        found.setdefault(cell.row, []).append(words(text, cell))
    return list(found.values())


def named_cells(text: str, table: Table) -> list[str]:
    """Return each value as "labels of its row | headers of its column | value"."""
    headers, labels = table.header_rows, table.label_columns
    found = []
    for value in table.cells:
        if value.row >= headers and value.column >= labels:
            beside = [cell for cell in table.cells if headers <= cell.row <= value.row < cell.row + cell.rows]
            above = [
                cell
                for cell in table.cells
                if cell.row < headers and cell.column <= value.column < cell.column + cell.columns
            ]
            row = " ".join(words(text, cell) for cell in beside if cell.column < labels)
            column = " ".join(dict.fromkeys(words(text, cell) for cell in above))
            found.append(" | ".join(part for part in (row, column, words(text, value)) if part))
    return found


def cells_of(document: Document) -> list[str]:
    """Return the named values of all tables of a document."""
    return [line for table in document.tables for line in named_cells(document.text, table)]
