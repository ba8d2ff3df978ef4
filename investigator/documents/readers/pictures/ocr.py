"""Text recognition with the `tesseract` command, if it is installed.

Pictures and text pass through pipes; the command never sees a path of the folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from investigator.documents.pages import listed_pages
from investigator.documents.readers.base import ReaderSettings, ReadFailure, cleaned
from investigator.records import FileStatus

_COMMAND = "tesseract"
_ORIENTATION = "osd"  # the language data for detecting the orientation of a page
_LIST_SECONDS = 20
_TIME_SHARE = 0.85  # fraction of a file's time limit for text recognition; the rest is for the other steps
_EMPTY_LINES = re.compile(r"\n[ \t\n]*\n")
_WORD = re.compile(r"\S+")
_PAGE, _WORD_LEVEL = "1", "5"  # values of the `level` column in Tesseract's table
_COLUMNS = 12


_INSTALLS = {
    "darwin": "brew install tesseract",
    "win32": "winget install UB-Mannheim.TesseractOCR",
    "linux": "apt install tesseract-ocr (or dnf install tesseract)",
}
_LANGUAGES = {
    "darwin": "brew install tesseract-lang",
    "win32": "run its installer again and choose the language",
    "linux": "apt install tesseract-ocr-{name} (or dnf install tesseract-langpack-{language})",
}


class PlacedWord(NamedTuple):
    """A word with its line and its box, in fractions of the page's width and height from the left and the top."""

    text: str
    line: tuple[str, ...]
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Picture:
    """A picture in any common format. `dpi` and `page` (of a TIFF file, from 0) are optional."""

    data: bytes
    dpi: int | None = None
    page: int | None = None


@dataclass
class Recognised:
    """The outcome of recognition: texts keyed by page index, and the pages that failed, with the last reason."""

    texts: dict[int, str] = field(default_factory=dict)
    missed: list[int] = field(default_factory=list)
    failure: ReadFailure | None = None

    @property
    def left_out(self) -> tuple[ReadFailure, ...]:
        """Return the unreadable pages with the reasons, and the pages without text."""
        failures = []
        if self.failure is not None:
            failures.append(ReadFailure(self.failure.status, f"{listed_pages(self.missed)}: {self.failure.reason}"))
        without = [index for index, text in self.texts.items() if not any(character.isalnum() for character in text)]
        if without:
            failures.append(ReadFailure(FileStatus.EMPTY, f"{listed_pages(without)}: no text was recognised"))
        return tuple(failures)


def why_not(settings: ReaderSettings) -> str:
    """Return one line that explains why text recognition is unavailable and how to fix it; "" if it is available."""
    if not settings.ocr:
        return "text recognition is switched off (reader.ocr)"
    command = shutil.which(_COMMAND)
    if command is None:
        return f"install Tesseract to read it: {_install_hint()}"
    installed = _languages(command)
    missing = [language for language in settings.ocr_languages.split("+") if language not in installed]
    if not missing:
        return ""
    present = ", ".join(sorted(installed - {_ORIENTATION})) or "no language"
    hint = _LANGUAGES.get(sys.platform, _LANGUAGES["linux"])
    hint = hint.format(name=missing[0].replace("_", "-"), language=missing[0])
    return f"Tesseract lacks the language {missing[0]}: {hint}; it has {present}"


def recognise(pages: Iterable[int], picture: Callable[[int], Picture], settings: ReaderSettings) -> Recognised:
    """Run OCR on the pages with these indices, one after another, within the time limit for one file. `picture` renders
    a page when it is needed. A page that cannot be read does not affect the other pages.
    """
    recognised = Recognised()
    obstacle = why_not(settings)
    end = time.monotonic() + _TIME_SHARE * settings.max_seconds
    for index in pages:
        left = end - time.monotonic()
        try:
            if obstacle:
                raise ReadFailure(FileStatus.NEEDS_OCR, obstacle)
            if left <= 0:
                raise _too_slow(settings)
            printed = (line.rstrip() for line in cleaned(_printed(picture(index), left, settings)).split("\n"))
            recognised.texts[index] = _EMPTY_LINES.sub("\n\n", "\n".join(printed)).strip()
        except ReadFailure as failure:
            recognised.missed.append(index)
            recognised.failure = failure
    return recognised


def recognised_words(picture: Picture, settings: ReaderSettings) -> list[PlacedWord]:
    """Return the words of one page with their positions. Raises ReadFailure if the page cannot be read."""
    if obstacle := why_not(settings):
        raise ReadFailure(FileStatus.NEEDS_OCR, obstacle)
    return _placed_words(cleaned(_printed(picture, _TIME_SHARE * settings.max_seconds, settings, "tsv")))


def _printed(picture: Picture, seconds: float, settings: ReaderSettings, *form: str) -> str:
    """Return Tesseract's output for one page, as text or in another `form`. Raises ReadFailure."""
    dpi = [] if picture.dpi is None else ["--dpi", str(picture.dpi)]
    page = [] if picture.page is None else ["-c", f"tessedit_page_number={picture.page}"]
    command = shutil.which(_COMMAND) or _COMMAND
    turned = ["--psm", "1"] if _ORIENTATION in _languages(command) else []  # rotate pages whose text is not upright
    try:
        done = subprocess.run(
            [command, "stdin", "stdout", "-l", settings.ocr_languages, *turned, *dpi, *page, *form],
            input=picture.data,
            capture_output=True,
            timeout=seconds,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},  # more threads cost more time than they save
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _too_slow(settings) from error
    except OSError as error:
        raise ReadFailure(FileStatus.NEEDS_OCR, f"Tesseract cannot be started: {_install_hint()}") from error
    if done.returncode:
        raise ReadFailure(FileStatus.FAILED, "Tesseract cannot read the picture: it is damaged or in an unusual format")
    return done.stdout.decode("utf-8", errors="replace")


def _too_slow(settings: ReaderSettings) -> ReadFailure:
    limit = f"{settings.max_seconds:g} seconds (reader.max_seconds)"
    return ReadFailure(FileStatus.TIMED_OUT, f"text recognition takes longer than {limit}")


@lru_cache(maxsize=8)
def _languages(command: str) -> frozenset[str]:
    try:
        done = subprocess.run([command, "--list-langs"], capture_output=True, timeout=_LIST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    lines = (done.stdout + done.stderr).decode("utf-8", errors="replace").splitlines()  # the first line is a heading
    return frozenset(word for line in lines if ":" not in line for word in line.split())


def _install_hint() -> str:
    return _INSTALLS.get(sys.platform, _INSTALLS["linux"])


def _placed_words(table: str) -> list[PlacedWord]:
    """Return the words of a page, in reading order, from the table that Tesseract prints as TSV."""
    words: list[PlacedWord] = []
    width, height = 1, 1
    for row in table.splitlines()[1:]:
        level, *line, _, left, top, across, down, _, text = row.split("\t", _COLUMNS - 1)
        if level == _PAGE:
            width, height = int(across), int(down)
        elif level == _WORD_LEVEL and text.strip():
            x, y = int(left), int(top)
            box = (x / width, y / height, (x + int(across)) / width, (y + int(down)) / height)
            words.append(PlacedWord(text.strip(), tuple(line), *(min(max(edge, 0.0), 1.0) for edge in box)))
    return words


def words_in_text(text: str, words: Sequence[PlacedWord]) -> Mapping[int, PlacedWord]:
    """Return the words that occur in the text in the same order, keyed by their offsets in the text."""
    matches = list(_WORD.finditer(text))
    same = SequenceMatcher(None, [match[0] for match in matches], [word.text for word in words], autojunk=False)
    return {
        matches[block.a + step].start(): words[block.b + step]
        for block in same.get_matching_blocks()
        for step in range(block.size)
    }


def lines_of(words: Sequence[PlacedWord]) -> Iterator[PlacedWord]:
    """Yield each line of consecutive words as one word, with the box around them."""
    for line, group in groupby(words, key=lambda word: word.line):
        of_line = list(group)
        yield PlacedWord(
            " ".join(word.text for word in of_line),
            line,
            min(word.left for word in of_line),
            min(word.top for word in of_line),
            max(word.right for word in of_line),
            max(word.bottom for word in of_line),
        )
