"""Text in aligned columns."""

from __future__ import annotations

from collections.abc import Container, Sequence

from rich.cells import cell_len
from rich.text import Text


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
