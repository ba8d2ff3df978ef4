"""Counts how many cells of PDF tables are read correctly, compared with cells that were checked by hand on the pages.

    python benchmarks/table_cells.py SETS_DIR [--reader NAME ...]

The readers are own (the default), pdfplumber, pdfplumber-text, camelot-stream, camelot-hybrid and kreuzberg.
`table_cells.jsonl` gives the file, page, row, column and value of each cell. A value counts as found if it is alone in
a cell of a row whose label contains the given label, and as correct if the headers above that cell also contain all
words of the column. The other readers return grids; their headers are all cells above in the same column, and cells
that span columns are repeated to the right. Our reader and kreuzberg read whole files, the others only the pages with
checked cells.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).parent
Named = tuple[str, str, str]
"""A cell as label, headers and value."""


def own(file: Path, pages: Sequence[int]) -> Iterator[tuple[int, Named]]:
    """Yield the tables found by our own reader in the whole file."""
    from investigator.documents.readers.base import ReaderSettings, SourceFile
    from investigator.documents.readers.registry import read

    document = read(SourceFile(file.read_bytes(), file.name), file.name, "-", ReaderSettings()).documents[0]
    for table in document.tables:
        words = {cell: " ".join(document.text[cell.start : cell.end].split()) for cell in table.cells}
        heads = [cell for cell in table.cells if cell.row < table.header_rows]
        stubs = [cell for cell in table.cells if cell.row >= table.header_rows and cell.column < table.label_columns]
        for cell in table.cells:
            if cell.row < table.header_rows or cell.column < table.label_columns:
                continue
            page = next(span.page for span in document.pages if span.start <= cell.start < span.end)
            labels = (words[name] for name in stubs if name.row <= cell.row < name.row + name.rows)
            headers = (words[name] for name in heads if name.column <= cell.column < name.column + name.columns)
            yield page, (" ".join(labels), " ".join(dict.fromkeys(headers)), words[cell])


def named(grid: Sequence[Sequence[str | None]]) -> Iterator[Named]:
    """Yield the cells of a grid; the first cell with letters is the label of its row."""
    headers: dict[int, list[str]] = {}
    for row in grid:
        texts = [" ".join((cell or "").split()) for cell in row]
        label = next((text for text in texts if re.search(r"[^\W\d_]{2}", text)), "")
        for column, text in enumerate(texts):
            if text and text != label:
                yield label, " ".join(headers.get(column, [])), text
        filled = ""
        for column, text in enumerate(texts):
            filled = text or filled
            headers.setdefault(column, []).append(filled)


def pdfplumber_grids(strategy: str) -> Callable[[Path, Sequence[int]], Iterator[tuple[int, Named]]]:
    """Return a function that finds tables with pdfplumber, by ruled lines or text alignment."""

    def found(file: Path, pages: Sequence[int]) -> Iterator[tuple[int, Named]]:
        import pdfplumber

        settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
        with pdfplumber.open(file) as document:
            for page in pages:
                for grid in document.pages[page - 1].extract_tables(settings):
                    yield from ((page, cell) for cell in named(grid))

    return found


def camelot_grids(flavor: str) -> Callable[[Path, Sequence[int]], Iterator[tuple[int, Named]]]:
    """Return a function that finds tables with camelot."""

    def found(file: Path, pages: Sequence[int]) -> Iterator[tuple[int, Named]]:
        import camelot

        for table in camelot.read_pdf(str(file), pages=",".join(map(str, pages)), flavor=flavor):
            yield from ((int(table.page), cell) for cell in named(table.df.values.tolist()))

    return found


def kreuzberg_grids(file: Path, pages: Sequence[int]) -> Iterator[tuple[int, Named]]:
    """Yield the tables found by kreuzberg in the whole file."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(use_cache=False, include_document_structure=True)
    for table in kreuzberg.extract_bytes_sync(file.read_bytes(), "application/pdf", config=config).tables:
        yield from ((table.page_number, cell) for cell in named(table.cells))


READERS: dict[str, Callable[[Path, Sequence[int]], Iterator[tuple[int, Named]]]] = {
    "own": own,
    "pdfplumber": pdfplumber_grids("lines"),
    "pdfplumber-text": pdfplumber_grids("text"),
    "camelot-stream": camelot_grids("stream"),
    "camelot-hybrid": camelot_grids("hybrid"),
    "kreuzberg": kreuzberg_grids,
}


def plain(text: str) -> str:
    """Return the letters and digits of a text."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def figure(text: str) -> str:
    """Return a figure without currency signs and spaces."""
    return re.sub(r"[\s$€]", "", text)


def main() -> None:
    """Parse the arguments, look for each cell and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--reader", action="append", choices=READERS)
    arguments = parser.parse_args()
    wanted = [json.loads(line) for line in (HERE / "table_cells.jsonl").read_text(encoding="utf-8").splitlines()]
    pages: dict[str, list[int]] = {}
    for cell in wanted:
        pages.setdefault(cell["file"], []).append(cell["page"])
    print(
        "| reader | cells | value in a cell of its row | with its headers | seconds |\n| --- | --: | --: | --: | --: |"
    )
    for name in arguments.reader or ["own"]:
        began, found = time.process_time(), list[tuple[str, int, Named]]()
        for file, own_pages in pages.items():
            own_numbers = sorted(set(own_pages))
            found += [(file, page, cell) for page, cell in READERS[name](arguments.sets / file, own_numbers)]
        seconds = time.process_time() - began
        in_row = [
            [one for f, p, one in found if (f, p) == (w["file"], w["page"]) and _same_row(w, one)] for w in wanted
        ]
        right = sum(any(_same_column(w, one) for one in ones) for w, ones in zip(wanted, in_row, strict=True))
        total = len(wanted)
        share = f"{sum(map(bool, in_row)) / total:.2f} | {right / total:.2f}"
        print(f"| {name} | {total} | {share} | {seconds:.1f} |")


def _same_row(wanted: dict[str, str], one: Named) -> bool:
    return figure(one[2]) == figure(wanted["value"]) and plain(wanted["row"]) in plain(one[0])


def _same_column(wanted: dict[str, str], one: Named) -> bool:
    return set(plain(wanted["column"]).split()) <= set(plain(one[1]).split())


if __name__ == "__main__":
    main()
