"""Shows a folder's index and search hits as text for a terminal. Pure. The text is safe to display, no matter what the
files contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from rich.text import Text

from investigator.documents.readers.unpacking import REST
from investigator.documents.scanning import FolderListing
from investigator.records import FileRecord, FileStatus, FolderStatus, LeftOut, Mentioning, Mentions, NewFile, SearchHit
from investigator.reports.columns import columns, matching_lines
from investigator.reports.inert import inert_line
from investigator.reports.wording import FILE_STATUSES, plural, some_names

_LISTED = 20
_SNIPPET = 400
_LEAST_SHOWN = 0.01  # lowest BM25 score that is shown
READ = (FileStatus.INDEXED, FileStatus.UNCHANGED)
_CONTAINERS = "only contain other files"


def folder_text(status: FolderStatus) -> Text:
    """Return a table of the files by status, then unreadable files with reasons, excluded files, and the state of the
    search. Files that only contain other files (archives, mailboxes) are not documents, and have a separate line.
    """
    blocks = [_table([file for file in status.files if not _is_rest(file)])]
    if unread := [file for file in status.files if file.status not in READ or file.reason]:
        named = ((file.path, ": ".join(filter(None, (file.status, file.reason)))) for file in unread[:_LISTED])
        lines = [f"  {inert_line(path)} ({inert_line(reason)})" for path, reason in named]
        lines += [f"  and {len(unread) - _LISTED:,} more: --json lists all"] if len(unread) > _LISTED else []
        blocks.append(Text("\n".join(lines), style="yellow"))
    if status.left_out:
        blocks.append(_left_out(status.left_out))
    return Text("\n\n").join([*blocks, Text(_searchable(status))]).append("\n")


def new_files(listing: FolderListing, most_bytes: int) -> Iterator[NewFile]:
    """Yield the files of a folder without an index, each with the reason if it cannot be read."""
    too_large = f"larger than reader.max_bytes ({most_bytes:,})"
    for file in listing.files:
        problem = file.problem or (too_large if file.size > most_bytes else "")
        kind = PurePosixPath(file.path).suffix.lower()
        yield NewFile(path=file.id, kind=kind, size=file.size, problem=problem)


def new_folder_text(files: Iterable[NewFile], left_out: Sequence[LeftOut]) -> Text:
    """Return the files of a folder without an index: a table by type, those that cannot be read, and those left out."""
    sizes, problems = dict[str, list[int]](), list[str]()
    for file in files:
        if file.problem:
            problems.append(f"  {inert_line(file.path)}: {file.problem}")
        else:
            sizes.setdefault(file.kind or "no suffix", []).append(file.size)
    rows = [(inert_line(kind), *_sum(own)) for kind, own in sorted(sizes.items())]
    every = [size for own in sizes.values() for size in own]
    blocks = [columns([*rows, ("all", *_sum(every))], heading=("would be read", "files", "kB"))]
    if problems:
        more = [f"  and {len(problems) - _LISTED:,} more"] if len(problems) > _LISTED else []
        blocks.append(Text("\n".join(["Would not be read:", *problems[:_LISTED], *more]), style="yellow"))
    if left_out:
        blocks.append(_left_out(left_out))
    return Text("\n\n").join(blocks).append("\n")


def _sum(sizes: Sequence[int]) -> tuple[str, str]:
    return f"{len(sizes):,}", f"{sum(sizes) / 1000:,.1f}"


def _left_out(left_out: Sequence[LeftOut]) -> Text:
    return Text("\n".join(f"  {inert_line(item.line)}" for item in left_out), style="dim")


def changes_line(status: FolderStatus) -> str:
    """Return the differences between the folder and its index, in one line; "" if there are none."""
    kinds = (("new", status.new), ("changed", status.changed_files), ("gone", status.gone))
    changes = [f"{len(paths):,} {kind}" for kind, paths in kinds if paths]
    return f"since then: {', '.join(changes)}; the next question updates the index" if changes else ""


def hits_text(hits: Sequence[SearchHit], query: str, *, details: bool = False) -> Text:
    """Return each passage with its place, its heading, and its lines that hold words of the query; with `details`, also
    its score and its ranks in keyword and vector search.
    """
    blocks = []
    for number, hit in enumerate(hits, start=1):
        heading = f" - {inert_line(hit.passage.heading)}" if hit.passage.heading else ""
        place, lines = matching_lines(hit.passage, query)
        ranks = Text(f"\n   {_ranks(hit)}" if details else "", style="not bold dim")
        blocks.append(Text(f"{number}. {place}{heading}", style="bold").append_text(ranks).append_text(lines))
    return Text("\n\n").join(blocks).append("\n")


def _ranks(hit: SearchHit) -> str:
    vectors = "-" if hit.similarity is None else f"cosine {hit.similarity:.3f}"
    if hit.bm25 is None:
        ranks = "-"
    elif hit.bm25 >= _LEAST_SHOWN:
        ranks = f"BM25 {hit.bm25:.2f}"
    else:
        ranks = "BM25 below 0.01, because most passages contain these words"
    return f"score {hit.passage.score:.3f} (words: {ranks}; vectors: {vectors})"


def mentions_text(mentions: Mentions, limit: int) -> Text:
    """Return each document with its first `limit` places, then whether the list is complete."""
    words = ", ".join(f'"{phrase}"' for phrase in mentions.phrases)
    verb = "contains" if len(mentions.documents) == 1 else "contain"
    counted = f"{plural(len(mentions.documents), 'document')} of {mentions.searched:,} {verb} {words}"
    if unread := mentions.not_searched:
        names = some_names([f"{file.path} ({FILE_STATUSES[file.status]})" for file in unread], _LISTED)
        end = Text(f"{counted}. The list is not complete; not searched: {names}", style="yellow")
    else:
        end = Text(f"{counted}. The list is complete: every file was searched.")
    return Text("\n\n").join([*(_mentioning(document, limit) for document in mentions.documents), end]).append("\n")


def _mentioning(document: Mentioning, limit: int) -> Text:
    text = Text(inert_line(document.document_id), style="bold")
    for passage in document.passages[:limit]:
        place = passage.place.removeprefix(document.document_id).lstrip(":")
        line = ": ".join(filter(None, (place, inert_line(passage.text, _SNIPPET))))
        text.append(f"\n   {line}", style="not bold")
    if (left := len(document.passages) - limit) > 0:
        text.append(f"\n   and {left:,} more: --limit {len(document.passages)} shows all", style="not bold dim")
    return text


def _table(files: Sequence[FileRecord]) -> Text:
    by_line: dict[str, list[FileRecord]] = {name: [] for name in (*FileStatus, _CONTAINERS)}
    for file in files:
        is_container = file.status in READ and not file.characters
        by_line[_CONTAINERS if is_container else file.status].append(file)
    rows = [(name, *_sums(own)) for name, own in by_line.items() if own]
    heading = ("status", "files", "pages", "characters", "passages", "seconds")
    return columns([*rows, ("all", *_sums(files))], heading=heading)


def _sums(files: Sequence[FileRecord]) -> tuple[str, ...]:
    return (
        f"{len(files):,}",
        f"{sum(file.pages or 0 for file in files):,}",
        f"{sum(file.characters for file in files):,}",
        f"{sum(file.chunks for file in files):,}",
        f"{sum(file.seconds for file in files):.1f}",
    )


def _is_rest(file: FileRecord) -> bool:
    """Return True if a record represents text that was cut off at the end of a file."""
    return bool(file.inside) and file.path.rpartition("/")[2].startswith(REST)


def _searchable(status: FolderStatus) -> str:
    inside = sum(1 for file in status.files if file.inside and not _is_rest(file))
    outside = sum(1 for file in status.files if not file.inside)
    of = f", from {plural(outside, 'file')} in the folder and {inside:,} inside them" if inside else ""
    made = f"{status.chunks - status.without_vectors:,} of {status.chunks:,} passages have vectors"
    rest = ": investigator index --vectors FOLDER computes the rest" if status.without_vectors else ""
    return f"{plural(status.documents, 'document')} can be asked about{of}; {made}{rest}"
