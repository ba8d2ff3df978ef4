"""Text in aligned columns."""

from __future__ import annotations

import io
from collections.abc import Container, Sequence

from rich.text import Text

_WIDE = 100_000  # lines are not wrapped here: a pipe has no width, and a terminal wraps lines itself


def columns(
    rows: Sequence[Sequence[str]],
    *,
    heading: Sequence[str] = (),
    left: Container[int] = (0,),
    styles: Sequence[str] = (),
) -> Text:
    """Return rows in columns two spaces apart, without a trailing newline.

    The columns in `left` are aligned left, all other columns right. The heading is bold; `styles` apply to the rows.
    """
    from rich.console import Console  # imported here for speed, because most results have no columns
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(heading), header_style="bold")
    for number, name in enumerate(heading or (rows[0] if rows else ())):
        table.add_column(Text(name), justify="left" if number in left else "right", no_wrap=True)
    for number, row in enumerate(rows):
        table.add_row(*map(Text, row), style=styles[number] if styles else "")
    lines = []
    for segments in Console(file=io.StringIO(), width=_WIDE).render_lines(table, pad=False):
        line = Text.assemble(*((segment.text, segment.style or "") for segment in segments))
        line.rstrip()
        lines.append(line)
    return Text("\n").join(lines)
