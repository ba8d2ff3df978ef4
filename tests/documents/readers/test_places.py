"""The promise of places: words that another library finds on a page, slide, sheet or line stand there for us too.

The phrases are cut, at random but the same each time, from what an independent extraction gives. None may be placed on
another page or line than that one. A few may be missing, where the two libraries take apart a page differently: how
many is bounded for each format.
"""

from __future__ import annotations

import csv
import json
import logging
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from investigator.documents.pages import line_at, page_at
from investigator.documents.readers.base import ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.markup.markdown import without_marks
from investigator.documents.readers.registry import read
from investigator.proof import quotes
from investigator.records import Document

PAGES = 4  # looked at in each document
LINES = 8
WORDS = range(6, 11)

Phrase = tuple[int, str]
"""The page or line, from 1, and words that stand on it."""


@dataclass
class Tally:
    """The results for the phrases of one format."""

    found: int = 0
    missing: list[str] = field(default_factory=list)
    misplaced: list[str] = field(default_factory=list)

    def add(self, name: str, phrase: Phrase, places: set[int | None]) -> None:
        number, words = phrase
        if number in places:
            self.found += 1
        elif places:
            self.misplaced.append(f"{name}:{number} is said to be on {sorted(map(str, places))}: {words}")
        else:
            self.missing.append(f"{name}:{number}: {words}")

    def check(self, least: int, most_missing: float) -> None:
        assert not self.misplaced
        total = self.found + len(self.missing)
        assert total >= least
        assert len(self.missing) <= most_missing * total, self.missing


class Letters:
    """The folded letters and digits of a text, each with its offset, without any typography."""

    def __init__(self, text: str) -> None:
        pairs = [(letter, offset) for offset, character in enumerate(text) for letter in _letters(character)]
        self.text = "".join(letter for letter, _ in pairs)
        self.offsets = [offset for _, offset in pairs]

    def places(self, words: str) -> Iterator[int]:
        """Return the offsets in the text at which the words begin."""
        wanted = "".join(letter for character in words for letter in _letters(character))
        at = self.text.find(wanted)
        while at >= 0:
            yield self.offsets[at]
            at = self.text.find(wanted, at + 1)


def check_pages(paths: Iterable[Path], phrases: Callable[[Path], Iterable[Phrase]], least: int, missing: float) -> None:
    tally = Tally()
    for path in paths:
        document = _read(path)
        if document is not None and document.pages:
            letters = Letters(document.text)
            for phrase in phrases(path):
                tally.add(path.name, phrase, {page_at(document.pages, offset) for offset in letters.places(phrase[1])})
    tally.check(least, missing)


def test_words_of_a_pdf_page_are_found_on_that_page(shared: Path):
    files = (*_files(shared, ".pdf", "data/investigate")[::4], *_files(shared, ".pdf", "data/messy/dev"))
    check_pages(files, _pdf_phrases, least=125, missing=0.01)


def test_words_of_a_slide_are_found_on_that_slide(shared: Path):
    pptx = pytest.importorskip("pptx", reason="python-pptx is not installed")

    def phrases(path: Path) -> Iterator[Phrase]:
        for number, slide in enumerate(pptx.Presentation(path).slides, start=1):
            yield from ((number, text) for text in _slide_texts(slide.shapes))

    check_pages(_files(shared, ".pptx"), phrases, least=20, missing=0.02)


@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl.*")
def test_cells_of_a_sheet_are_found_on_that_sheet(shared: Path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")

    def phrases(path: Path) -> Iterator[Phrase]:
        for number, sheet in enumerate(openpyxl.load_workbook(path, data_only=True).worksheets, start=1):
            values = [v for row in sheet.iter_rows(values_only=True) for v in row if isinstance(v, str | int)]
            yield from ((number, str(value)) for value in _some(values, LINES, path.name))

    check_pages(_files(shared, ".xlsx"), phrases, least=15, missing=0.02)


@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_words_of_a_line_are_found_on_that_line_and_quoted_from_there(shared: Path, suffix: str):
    tally, quoted = Tally(), 0
    for path in _files(shared, suffix):
        text, document = _decoded(path), _read(path)
        if text is None or document is None:
            continue
        text = without_marks(text) if suffix == ".md" else text
        source = quotes.Source(document)
        for phrase in _line_phrases(text, path.name):
            places = _lines_of(document, phrase[1])
            tally.add(path.name, phrase, places)
            start = len("\n".join(text.split("\n")[: phrase[0] - 1]))
            quote = source.find(phrase[1], near=[(start, start + len(text.split("\n")[phrase[0] - 1]) + 1)])
            assert quote is None or (quote.own_lines and quote.line == phrase[0])  # some words prove nothing: no quote
            quoted += quote is not None
    tally.check(least=200, most_missing=0)
    assert quoted > 0.9 * tally.found


def test_cells_of_a_record_are_found_on_its_line(shared: Path):
    tally = Tally()
    for path in [*_files(shared, ".csv"), *sorted((shared / "data/retrieval").rglob("*.tsv"))]:
        document, text = _read(path), _decoded(path)
        assert document is not None
        assert text is not None
        for number in _some(range(1, text.count("\n") + 1), LINES, path.name):
            raw = text.splitlines()[number - 1]
            for cell in next(csv.reader([raw], delimiter="\t" if "\t" in raw else ",")):
                if len(cell) > 8:
                    tally.add(path.name, (number, cell), _lines_of(document, " ".join(cell.split())))
    tally.check(least=15, most_missing=0)


def test_words_of_a_json_record_are_found_on_its_line(shared: Path):
    tally = Tally()
    for path in _files(shared, ".jsonl", "data/investigate"):
        document = _read(path)
        assert document is not None
        records = path.read_text(encoding="utf-8").split("\n")
        for number in _some(range(1, len(records)), LINES, path.name):
            for text in (value for value in json.loads(records[number - 1]).values() if isinstance(value, str)):
                words = text.split()[: max(WORDS)]
                tally.add(path.name, (number, " ".join(words)), _lines_of(document, " ".join(words)))
    tally.check(least=200, most_missing=0)


def _files(shared: Path, suffix: str, *folders: str) -> list[Path]:
    folders = folders or ("data/investigate", "data/messy/dev")
    return sorted(path for folder in folders for path in (shared / folder).rglob(f"*{suffix}"))


def _read(path: Path) -> Document | None:
    try:
        found = read(SourceFile(path.read_bytes(), path.name), path.name, "hash", ReaderSettings(ocr=False))
    except ReadFailure:
        return None
    return found.documents[0]


def _decoded(path: Path) -> str | None:
    """Return the text in UTF-8 with plain line ends; nothing for other encodings, which are not checked."""
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return None


def _pdf_phrases(path: Path) -> Iterator[Phrase]:
    """Yield phrases of some pages as read by pypdf; none if pypdf cannot open the file."""
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(path)
        for index in _some(range(len(reader.pages)), PAGES, path.name):
            lines = [line.split() for line in reader.pages[index].extract_text().split("\n")]
            for words in _some([words for words in lines if len(words) >= WORDS.start], 3, path.name):
                yield index + 1, _cut(words, path.name)
    except (pypdf.errors.PyPdfError, pypdf.errors.DependencyError, ValueError, KeyError, TypeError, AttributeError):
        return


def _line_phrases(text: str, seed: str) -> Iterator[Phrase]:
    lines = [(number, re.findall(r"\S+\s*", line)) for number, line in enumerate(text.split("\n"), start=1)]
    for number, words in _some([line for line in lines if len(line[1]) >= WORDS.start], LINES, seed):
        yield number, _cut(words, seed, "").strip()


def _slide_texts(shapes: Iterable) -> Iterator[str]:
    """Return the paragraphs of text frames and table cells, including those in groups, without generated fields."""
    for shape in shapes:
        if shape.shape_type is not None and shape.shape_type.name == "GROUP":
            yield from _slide_texts(shape.shapes)
        elif shape.has_text_frame and not _is_furniture(shape):
            yield from (p.text for p in shape.text_frame.paragraphs if p.text.strip())
        elif getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells if cell.text.strip())


def _is_furniture(shape) -> bool:
    return shape.is_placeholder and shape.placeholder_format.type.name in ("SLIDE_NUMBER", "DATE")


def _lines_of(document: Document, words: str) -> set[int | None]:
    """Return the lines that contain exactly these words."""
    found: set[int | None] = set()
    at = document.text.find(words)
    while at >= 0:
        found.add(line_at(document.text, at))
        at = document.text.find(words, at + 1)
    return found


def _cut(words: list[str], seed: str, joint: str = " ") -> str:
    chance = random.Random(seed + words[0])
    length = chance.choice(WORDS)
    start = chance.randrange(max(1, len(words) - length + 1))
    return joint.join(words[start : start + length])


def _some(items, count: int, seed: str) -> list:
    """Return at most that many of the items, in order and always the same ones."""
    items = list(items)
    return [items[at] for at in sorted(random.Random(seed).sample(range(len(items)), min(count, len(items))))]


def _letters(character: str) -> Iterator[str]:
    return (letter for letter in unicodedata.normalize("NFKD", character).casefold() if letter.isalnum())
