"""Shows a folder's index and search hits as text for a terminal. Pure. The text is safe to display, no matter what the
files contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from investigator.documents.readers.unpacking import REST
from investigator.records import FileRecord, FileStatus, FolderStatus, Mentioning, Mentions, SearchHit
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.wording import FILE_STATUSES, plural, some_names

_LISTED = 20
_SNIPPET = 400
_LEAST_SHOWN = 0.01  # lowest BM25 score that is shown
READ = (FileStatus.INDEXED, FileStatus.UNCHANGED)
_CONTAINERS = "only contain other files"


def folder_text(status: FolderStatus) -> Text:
    """Return a table of the files by status, then unreadable files with reasons, excluded files, and the state of the
    search.

    Files that only contain other files (archives, mailboxes) are not documents, and have a separate line in the table.
    """
    blocks = [_table(status.files)]
    unread = [file for file in status.files if file.status not in READ or file.reason]
    if unread:
        lines = [_unread_line(file) for file in unread[:_LISTED]]
        if len(unread) > _LISTED:
            lines.append(f"  and {len(unread) - _LISTED:,} more: --json lists all")
        blocks.append(Text("\n".join(lines), style="yellow"))
    if status.left_out:
        lines = [f"  {inert_line(item.line)}" for item in status.left_out]
        blocks.append(Text("\n".join(lines), style="dim"))
    blocks.append(Text(_searchable(status)))
    return Text("\n\n").join(blocks).append("\n")


def changes_line(status: FolderStatus) -> str:
    """Return the differences between the folder and its index, in one line; "" if there are none."""
    kinds = (("new", status.new), ("changed", status.changed_files), ("gone", status.gone))
    changes = [f"{len(paths):,} {kind}" for kind, paths in kinds if paths]
    return f"since then: {', '.join(changes)}; the next question updates the index" if changes else ""


def hits_text(hits: Sequence[SearchHit]) -> Text:
    """Return each passage with its place, its score, and its ranks in keyword and vector search."""
    return Text("\n\n").join(_hit(number, hit) for number, hit in enumerate(hits, start=1)).append("\n")


def mentions_text(mentions: Mentions, limit: int) -> Text:
    """Return each document with its first `limit` places, then whether the list is complete."""
    blocks = [_mentioning(document, limit) for document in mentions.documents]
    words = ", ".join(f'"{phrase}"' for phrase in mentions.phrases)
    verb = "contains" if len(mentions.documents) == 1 else "contain"
    counted = f"{plural(len(mentions.documents), 'document')} of {mentions.searched:,} {verb} {words}"
    unread = mentions.not_searched
    if not unread:
        blocks.append(Text(f"{counted}. The list is complete: every file was searched."))
    else:
        names = some_names([f"{file.path} ({FILE_STATUSES[file.status]})" for file in unread], _LISTED)
        blocks.append(Text(f"{counted}. The list is not complete; not searched: {names}", style="yellow"))
    return Text("\n\n").join(blocks).append("\n")


def _mentioning(document: Mentioning, limit: int) -> Text:
    text = Text(inert_line(document.document_id), style="bold")
    for passage in document.passages[:limit]:
        place = passage.place.removeprefix(document.document_id).lstrip(":")
        line = f"{place}: {inert_line(passage.text, _SNIPPET)}" if place else inert_line(passage.text, _SNIPPET)
        text.append(f"\n   {line}", style="not bold")
    if (left := len(document.passages) - limit) > 0:
        text.append(f"\n   and {left:,} more: --limit {len(document.passages)} shows all", style="not bold dim")
    return text


def _table(files: Sequence[FileRecord]) -> Text:
    counted = [file for file in files if not _is_rest(file)]
    by_line = {name: [file for file in counted if _line_of(file) == name] for name in (*FileStatus, _CONTAINERS)}
    rows = [(name, *_sums(own)) for name, own in by_line.items() if own]
    heading = ("status", "files", "pages", "characters", "passages", "seconds")
    return columns([*rows, ("all", *_sums(counted))], heading=heading)


def _line_of(file: FileRecord) -> str:
    """Return the label of the table row in which a file is counted."""
    return _CONTAINERS if file.status in READ and not file.characters else file.status.value


def _is_rest(file: FileRecord) -> bool:
    """Return True if a record represents text that was cut off at the end of a file."""
    return bool(file.inside) and file.path.rpartition("/")[2].startswith(REST)


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
    reason = f": {inert_line(file.reason)}" if file.reason else ""
    return f"  {inert_line(file.path)} ({file.status.value}{reason})"


def _searchable(status: FolderStatus) -> str:
    made = status.chunks - status.without_vectors
    inside = sum(1 for file in status.files if file.inside and not _is_rest(file))
    outside = sum(1 for file in status.files if not file.inside)
    of = f", from {plural(outside, 'file')} in the folder and {inside:,} inside them" if inside else ""
    documents = f"{plural(status.documents, 'document')} can be asked about{of}"
    words = f"{documents}; {made:,} of {status.chunks:,} passages have vectors"
    return words + (": investigator index --vectors FOLDER computes the rest" if status.without_vectors else "")


def _words(bm25: float | None) -> str:
    """Return the BM25 score as text. The score is almost zero for words that occur in more than half of the
    passages.
    """
    if bm25 is None:
        return "-"
    return f"BM25 {bm25:.2f}" if bm25 >= _LEAST_SHOWN else "BM25 below 0.01, because most passages contain these words"


def _hit(number: int, hit: SearchHit) -> Text:
    passage, vectors = hit.passage, "-" if hit.similarity is None else f"cosine {hit.similarity:.3f}"
    ranks = f"words: {_words(hit.bm25)}; vectors: {vectors}"
    text = Text(f"{number}. {inert_line(passage.place)}  score {passage.score:.3f}  ({ranks})", style="bold")
    return text.append("\n   " + inert_line(passage.text, _SNIPPET), style="not bold")
