"""Text in lines and in aligned columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from investigator.language.addresses import defanged
from investigator.language.relevance import stems
from investigator.language.terms import content_words
from investigator.records import Passage
from investigator.reports.inert import inert_line
from investigator.research.shown_documents import excerpt_of

_NEXT_CELL = re.compile(r"; (?=[^;:]+: )")
_WIDEST = 110  # cells of wider rows stay one after the other
_LONGEST_LINE = 400
_FIGURE = re.compile(r"[-+]?[\d.,\s]*\d\s*%?|")


def columns(
    rows: Sequence[Sequence[str]],
    *,
    heading: Sequence[str] = (),
    left: Container[int] = (0,),
    styles: Sequence[str] = (),
) -> Text:
    """Return rows of cells without line ends in columns two spaces apart, without a trailing newline.

    The columns in `left` are aligned left, all other columns right. The heading is bold; `styles` apply to the rows.
    """
    every = [heading, *rows] if heading else list(rows)
    looks = [*(["bold"] if heading else []), *(styles or [""] * len(rows))]
    widths = [max(map(cell_len, column)) for column in zip(*every, strict=True)]
    lines = []
    for row, style in zip(every, looks, strict=True):
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [cell + gap if at in left else gap + cell for at, (cell, gap) in enumerate(zip(row, gaps, strict=True))]
        lines.append(Text("  ".join(cells).rstrip(), style=style))
    return Text("\n").join(lines)


def rows_in_columns(lines: Sequence[str]) -> Text:
    """Return lines, with neighbouring rows of a table ("name: Ada; age: 36") in columns below their names, if the
    rows have the same names and fit on a line. A line before them that has only the names is left out.
    """
    blocks = list[Text]()
    for names, group in groupby(((line, _cells(line)) for line in lines), lambda item: [name for name, _ in item[1]]):
        plain, cells = zip(*group, strict=True)
        table = _table(names, cells)
        if table is None:
            blocks += map(Text, plain)
            continue
        if blocks and blocks[-1].plain == " | ".join(names):
            blocks.pop()
        blocks.append(table)
    return Text("\n").join(blocks)


def _table(names: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> Text | None:
    """Return neighbouring rows in columns, with figures aligned right; None for a single row or a wide table."""
    if len(names) < 2 or len(rows) < 2:
        return None
    values = [[value for _, value in row] for row in rows]
    left = [column for column in range(len(names)) if not all(_FIGURE.fullmatch(row[column]) for row in values)]
    table = columns(values, heading=names, left=left)
    return table if max(map(len, table.plain.splitlines())) <= _WIDEST else None


def matching_lines(passage: Passage, query: str, most: int = 4) -> tuple[str, Text]:
    """Return the lines of a passage that hold the most words of a query, or its first lines if none does, in order,
    indented, without active addresses, after the place where they begin; a word in few lines counts more, long lines
    are cut around the words, and rows of a table stand in columns. The text begins with a newline.
    """
    wanted = stems(content_words(query))
    lines = [(number, line) for number, line in enumerate(passage.text.split("\n")) if line.strip()]
    held = [wanted & stems(content_words(line)) for _, line in lines]
    counts = Counter(word for words in held for word in words)
    worth = [sum(1 / counts[word] for word in words) for words in held]
    best = sorted(sorted(range(len(lines)), key=lambda at: -worth[at])[:most])
    chosen = [lines[at] for at in best if worth[at] or not counts]
    shown = [inert_line(defanged(excerpt_of(line, wanted, _LONGEST_LINE)), _LONGEST_LINE) for _, line in chosen]
    begins = passage.changed(line=passage.line + chosen[0][0]) if passage.line and chosen else passage
    text = "".join(f"\n  {line}" for line in rows_in_columns(shown).plain.splitlines())
    return inert_line(begins.place), Text(text, style="not bold")


def _cells(line: str) -> list[tuple[str, str]]:
    """Return the names and values of a row; empty if the line is none."""
    cells = [cell.partition(": ") for cell in _NEXT_CELL.split(line)]
    return [(name, value) for name, _, value in cells] if len(cells) > 1 and all(sep for _, sep, _ in cells) else []
