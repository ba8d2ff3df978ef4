"""`investigator index` and `search`: the index of a folder, without asking anything."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJsonLines, Folder, SettingsOptions, Workspace, check_order, kept_of
from investigator.cli.output import again_to_resume, note, print_lines, print_styled, resumable, tell
from investigator.cli.progress import shown
from investigator.cli.streams import STREAMS
from investigator.documents.scanning import FolderListing
from investigator.errors import SettingsError
from investigator.investigator import Investigator
from investigator.records import FileRead, FileRecord, FileStatus, FolderStatus, IndexedFile, LeftOutFiles
from investigator.reports.folder import changes_line, folder_text, hits_text, mentions_text, new_files, new_folder_text
from investigator.reports.inert import inert_line
from investigator.reports.schemas import Printed
from investigator.reports.wording import plural

_NOTHING = 3  # exit code if nothing was found, as for `ask`


def index(
    folder: Folder,
    settings: SettingsOptions,
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Also compute all vectors, so that vector search covers the whole folder.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Open every file, check all stored texts, and look up the quotes of stored runs."
        ),
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Retry files that could not be read.")] = False,
    shards: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Number of index shards, with cluster.address; another number rebuilds it."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Then draw every PDF page, and list those on which Tesseract recognises other words."
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only show what the index contains, and what an update would read."),
    ] = False,
    as_json: AsJsonLines = False,
    workspace: Workspace = None,
) -> None:
    """Bring the index of a folder up to date: read new and changed files, keep the rest.

    Asking a question also updates the index first; you can ask as soon as the text is read. Vectors are computed for
    the passages that questions need, or all at once with --vectors; questions can be asked in the meantime. With
    --dry-run, no file is opened and nothing is written; of a folder without an index, the files are listed by type.
    """
    if dry_run:
        investigator = kept_of(folder, workspace, settings=settings.load())
        if investigator.has_index():
            _print_contents(investigator, as_json=as_json)
        else:
            _print_new(investigator.new_files(), investigator, as_json=as_json)
        return
    changes = () if shards is None else (f"cluster.shards={shards}",)
    investigator = Investigator(folder, settings=settings.load(*changes), workspace=workspace)
    read: dict[str, FileRecord] = {}
    with resumable(f"the files read so far are kept; {again_to_resume(fresh=False)}"):
        for event in shown(investigator.index(vectors=vectors, verify=verify, retry=retry), sys.stderr):
            if isinstance(event, FileRead):
                read |= {file.path: file for file in event.files}
    kept = investigator.status(compare=False)
    _print_files(kept.changed(files=tuple(read.get(file.path) or _unchanged(file) for file in kept.files)), as_json)
    if check:
        _check_pages(investigator, as_json=as_json)


def _print_new(listing: FolderListing, investigator: Investigator, *, as_json: bool) -> None:
    """Print what the first update would read, by the names and sizes of the files."""
    files = new_files(listing, investigator.parts.settings.reader.max_bytes)
    if as_json:
        print_lines((Printed.NEW_FILE, file) for file in files)
        print_lines((Printed.LEFT_OUT, LeftOutFiles(left_out=item)) for item in listing.left_out)
    else:
        print_styled(new_folder_text(files, listing.left_out))
    note(f"the folder has no index yet; to read it: investigator index {investigator.folder}")


def _print_contents(investigator: Investigator, *, as_json: bool) -> None:
    """Print the contents of an index, the changes in the folder since its last update, and a cluster's progress."""
    kept, progress = investigator.status(), investigator.progress()
    _print_files(kept, as_json)
    if progress is not None:
        note(progress.line)
    if changes := changes_line(kept):
        note(changes)


def _check_pages(investigator: Investigator, *, as_json: bool) -> None:
    """Print the pages whose text differs from what they show, as they are found."""
    compared, differing = list[None](), 0
    for page in investigator.check_pages(lambda: compared.append(None)):
        differing += 1
        if as_json:
            print_lines([(Printed.PAGE_CHECK, page)])
        else:
            print_styled(Text(inert_line(page.line) + "\n"))
    differ = "differs from its" if differing == 1 else "differ from their"
    tell(f"{plural(len(compared), 'page')} of PDF files compared; {differing:,} {differ} text")


def search(
    folder: Folder,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Search words, or a question.")],
    settings: SettingsOptions,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Maximum number of passages.")] = 10,
    document: Annotated[str | None, typer.Option(metavar="ID", help="Search only this document.")] = None,
    mentions: Annotated[
        bool, typer.Option("--mentions", help='List every document that contains all the words, or a "phrase".')
    ] = False,
    as_json: AsJsonLines = False,
    workspace: Workspace = None,
) -> None:
    """Show the passages that match a query, best first; with --verbose, also their scores.

    Answers are based on this search; no engine is called. The index is updated first. With --mentions, list every
    document that contains all words of the query, with each sentence that contains one of them.

    Exit codes: 0 something was found, 3 nothing: no passage has a word of the query or is near in meaning, 1 the search
    failed, 2 usage error.
    """
    check_order(folder, query, "search")
    investigator = kept_of(folder, workspace, settings=settings.load())
    if mentions:
        if document is not None:
            raise SettingsError("--mentions lists every document, so it cannot be used with --document")
        listed = investigator.mentions(query)
        if as_json:
            print_lines([(Printed.MENTIONS, listed)])
        else:
            print_styled(mentions_text(listed, limit))
        raise typer.Exit(0 if listed.documents else _NOTHING)
    hits = investigator.search(query, limit=limit, document_id=document)
    if as_json:
        print_lines((Printed.HIT, hit) for hit in hits)
    elif hits:
        print_styled(hits_text(hits, query, details=STREAMS.get().verbose))
    if missing := investigator.missing_words(query):
        tell(f"no searched document contains: {inert_line(', '.join(missing))}")
    if not hits:
        tell("nothing found: no passage has a word of the query, and none is near in meaning")
        raise typer.Exit(_NOTHING)


def _print_files(status: FolderStatus, as_json: bool) -> None:
    """Print a table, or JSON records, one per line, for each file and for each reason why files were excluded."""
    if not as_json:
        print_styled(folder_text(status))
        return
    fields = set(IndexedFile.model_fields)
    print_lines((Printed.FILE, IndexedFile(**file.model_dump(include=fields))) for file in status.files)
    print_lines((Printed.LEFT_OUT, LeftOutFiles(left_out=item)) for item in status.left_out)


def _unchanged(file: FileRecord) -> FileRecord:
    return file.changed(status=FileStatus.UNCHANGED) if file.status is FileStatus.INDEXED else file
