"""A folder's index and what a search finds in it, as text for a terminal: pure, and harmless whatever files hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from investigator.records import FileRecord, FileStatus, FolderStatus, SearchHit
from investigator.reports.inert import one_line
from investigator.reports.wording import counted, place

_LISTED = 20
_SNIPPET = 400
_READ = (FileStatus.INDEXED, FileStatus.UNCHANGED)


def folder_text(status: FolderStatus) -> Text:
    """A table of the files by status, then those that gave no text with the reasons, then what can be searched."""
    blocks = [_table(status.files)]
    unread = [file for file in status.files if file.status not in _READ or file.reason]
    if unread:
        lines = [_unread_line(file) for file in unread[:_LISTED]]
        if len(unread) > _LISTED:
            lines.append(f"  and {len(unread) - _LISTED:,} more: --json lists all")
        blocks.append(Text("\n".join(lines), style="yellow"))
    blocks.append(Text(_searchable(status)))
    return Text("\n\n").join(blocks).append("\n")


def changes_line(status: FolderStatus) -> str:
    """How the folder differs from its index, in one line; empty where it does not."""
    kinds = (("new", status.new), ("changed", status.changed), ("gone", status.gone))
    found = [f"{len(paths):,} {kind}" for kind, paths in kinds if paths]
    return f"note: since then {', '.join(found)}; the next index or question takes them in." if found else ""


def hits_text(hits: Sequence[SearchHit]) -> Text:
    """Each passage with its place, its score and its two ranks."""
    return Text("\n\n").join(_hit(number, hit) for number, hit in enumerate(hits, start=1)).append("\n")


def _table(files: Sequence[FileRecord]) -> Text:
    rows: list[tuple[str, ...]] = [("status", "files", "pages", "characters", "passages", "seconds")]
    for status in FileStatus:
        own = [file for file in files if file.status is status]
        if own:
            rows.append((status.value, *_sums(own)))
    rows.append(("all", *_sums(files)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = Text()
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        table.append("  ".join(cells), style="bold" if number == 0 else "")
        table.append("\n" if number < len(rows) - 1 else "")
    return table


def _sums(files: Iterable[FileRecord]) -> tuple[str, ...]:
    kept = list(files)
    return (
        f"{len(kept):,}",
        f"{sum(file.pages or 0 for file in kept):,}",
        f"{sum(file.characters for file in kept):,}",
        f"{sum(file.chunks for file in kept):,}",
        f"{sum(file.seconds for file in kept):.1f}",
    )


def _unread_line(file: FileRecord) -> str:
    reason = f": {one_line(file.reason)}" if file.reason else ""
    return f"  {one_line(file.path)} ({file.status.value}{reason})"


def _searchable(status: FolderStatus) -> str:
    made = status.chunks - status.without_vectors
    words = f"{counted(status.documents, 'document')} can be asked; {made:,} of {status.chunks:,} passages have vectors"
    return words + (": make the rest with --vectors" if status.without_vectors else "")


def _hit(number: int, hit: SearchHit) -> Text:
    passage = hit.passage
    where = place(passage.document_id, passage.page, passage.line, passage.own_lines)
    halves = [
        f"words: rank {hit.words_rank}, BM25 {hit.bm25:.2f}" if hit.words_rank and hit.bm25 is not None else "words: -",
        f"vectors: rank {hit.vectors_rank}, cosine {hit.similarity:.3f}"
        if hit.vectors_rank and hit.similarity is not None
        else "vectors: -",
    ]
    head = f"{number}. {one_line(where)}  score {passage.score:.3f}  ({'; '.join(halves)})"
    text = Text(head, style="bold")
    return text.append("\n   " + one_line(passage.text, _SNIPPET), style="not bold")
