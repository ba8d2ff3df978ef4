"""Measures how exactly the marks of a quote cover its words on the pages of PDF files.

    python benchmarks/highlights.py SETS_DIR [--quotes N] [--seed N] [--pictures DIR]

Draws quotes from all PDF files below SETS_DIR: one in ten spans two pages, two in ten are table rows, and the others
are sentences. Each quote is marked on its page as in the product. The text that pdfium reads inside the rectangles must
equal the quote, apart from white space and hyphens. Prints the quotes that are marked wrongly, the share of correct
ones by kind, and the time that marking takes. `--pictures` saves the first pages with their marks in a folder.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from ctypes import c_double
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from investigator.documents.page_views import PageViews
from investigator.documents.readers.base import ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.pdf.pdfium import flattened
from investigator.documents.readers.registry import read
from investigator.documents.scanning import FolderSettings
from investigator.language.sentences import sentence_spans
from investigator.records import Document, PageView, TextSpan

SHARES = {"two pages": 0.1, "row of a table": 0.2}
FEWEST_LETTERS = 20
LONGEST_ROW = 400
FINENESS = 1_000_000
PICTURES, WIDTH = 6, 1_000
IGNORED = re.compile(r"[\s\u00ad\u2010\ufffe-]")


class Drawn(NamedTuple):
    """A quote drawn from a document."""

    kind: str
    document: Document
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.document.text[self.start : self.end]


def quotes_of(document: Document) -> Iterator[Drawn]:
    """Yield every quote that may be drawn from a document."""
    ends = {page.end for page in document.pages}
    sentences = list(sentence_spans(document.text))
    for number, (start, end) in enumerate(sentences):
        if sum(map(str.isalpha, document.text[start:end])) < FEWEST_LETTERS:
            continue
        yield Drawn("sentence", document, start, end)
        if end in ends and number + 1 < len(sentences):
            yield Drawn("two pages", document, start, sentences[number + 1][1])
    for table in document.tables:
        cells = sorted(table.cells, key=lambda cell: cell.row)
        for row, own in ((row, list(own)) for row, own in groupby(cells, key=lambda cell: cell.row)):
            start, end = min(cell.start for cell in own), max(cell.end for cell in own)
            if row >= table.header_rows and len(own) > 1 and end - start <= LONGEST_ROW:
                yield Drawn("row of a table", document, start, end)


def words_under(page: pypdfium2.PdfPage, view: PageView) -> str:
    """Return the text that pdfium reads inside the marks of a page."""
    text = page.get_textpage()
    found = []
    for mark in view.marks:
        x, y = zip(*(on_page(page, *at) for at in ((mark.left, mark.top), (mark.right, mark.bottom))), strict=True)
        found.append(text.get_text_bounded(min(x), min(y), max(x), max(y)))
    text.close()
    return "".join(found)


def on_page(page: pypdfium2.PdfPage, across: float, down: float) -> tuple[float, float]:
    """Convert a point from fractions of the displayed page to the page's own coordinates."""
    x, y = c_double(), c_double()
    at = round(across * FINENESS), round(down * FINENESS)
    pdfium.FPDF_DeviceToPage(page, 0, 0, FINENESS, FINENESS, 0, *at, x, y)
    return x.value, y.value


def normal(text: str) -> str:
    """Return a text without white space and hyphens."""
    return IGNORED.sub("", cleaned(IGNORED.sub("", text)))


def documents_of(file: Path) -> tuple[Document, ...]:
    """Return a PDF file as in the index; empty if it cannot be read."""
    data = file.read_bytes()
    try:
        found = read(SourceFile(data, file.name), file.name, hashlib.sha256(data).hexdigest(), ReaderSettings())
    except ReadFailure:
        return ()
    return tuple(document for document in found.documents if document.id == file.name)


def chosen(quotes: Sequence[tuple[Path, Drawn]], count: int, chance: random.Random) -> list[tuple[Path, Drawn]]:
    """Return quotes of each kind according to its share, each with its folder; the rest are sentences."""
    found: list[tuple[Path, Drawn]] = []
    for kind, share in (*SHARES.items(), ("sentence", 1.0)):
        of_kind = [placed for placed in quotes if placed[1].kind == kind]
        found += chance.sample(of_kind, min(len(of_kind), round(count * share), count - len(found)))
    return found


def picture(data: bytes, view: PageView, file: Path) -> None:
    """Save a picture of a page with its marks."""
    import io

    from PIL import Image, ImageDraw

    shown = Image.open(io.BytesIO(data)).convert("RGBA")
    over = Image.new("RGBA", shown.size)
    pen = ImageDraw.Draw(over)
    for mark in view.marks:
        edges = mark.left * shown.width, mark.top * shown.height, mark.right * shown.width, mark.bottom * shown.height
        pen.rectangle(edges, fill=(255, 210, 0, 110))
    Image.alpha_composite(shown, over).convert("RGB").save(file)


def measured(folder: Path, quotes: Sequence[Drawn], pictures: Path | None) -> Iterator[tuple[Drawn, str, float]]:
    """Yield each quote with the text inside its marks, and the seconds that marking took."""
    with PageViews(folder, FolderSettings(), ReaderSettings()) as pages:
        for number, quote in enumerate(quotes):
            began = time.perf_counter()
            shown = pages.marked(quote.document, TextSpan(start=quote.start, end=quote.end))
            seconds = time.perf_counter() - began
            with closing(pypdfium2.PdfDocument(folder / quote.document.id)) as opened:
                found = "".join(
                    words_under(flattened(opened, view.page - 1, opened[view.page - 1]), view) for view in shown
                )
            yield quote, found, seconds
            if pictures is not None and number < PICTURES:
                for view in shown:
                    drawn = pages.picture(quote.document, view.page, WIDTH)
                    picture(drawn, view, pictures / f"{folder.parent.name}-{number}-{view.page}.png")


def main() -> None:
    """Parse the arguments, measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--quotes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pictures", type=Path)
    given = parser.parse_args()
    files = sorted(given.sets.rglob("*.pdf"))
    every = [(file.parent, quote) for file in files for own in documents_of(file) for quote in quotes_of(own)]
    drawn = chosen(every, given.quotes, random.Random(given.seed))
    right: dict[str, list[bool]] = {kind: [] for kind in ("sentence", *SHARES)}
    times: list[float] = []
    for folder in sorted({folder for folder, _ in drawn}):
        own = [quote for home, quote in drawn if home == folder]
        for quote, found, seconds in measured(folder, own, given.pictures):
            is_right = normal(found) == normal(quote.text)
            right[quote.kind].append(is_right)
            times.append(seconds)
            if not is_right:
                print(f"{quote.kind}, {quote.document.id}\n  quote: {quote.text!r}\n  marked: {found!r}")
    for kind, results in right.items():
        print(f"| {kind} | {len(results)} | {sum(results) / max(len(results), 1):.3f} |")
    total = [result for results in right.values() for result in results]
    print(f"| all | {len(total)} | {sum(total) / len(total):.3f} |")
    print(f"seconds to mark a quote: median {median(times):.3f}, longest {max(times):.3f}")


if __name__ == "__main__":
    main()
