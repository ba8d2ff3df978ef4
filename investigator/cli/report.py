"""`investigator report FOLDER SUBJECT`: a report of several sections, in which every statement cites its sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask import EXIT_CODES, AskingOptions
from investigator.cli.batch import kept_so_far
from investigator.cli.options import Folder, check_order
from investigator.cli.output import OutputOptions, check_place, note, resumable, tell, write_file
from investigator.cli.progress import follow
from investigator.errors import UserError
from investigator.services.outlines import outline_of, outline_text, read_outline


def report(
    folder: Folder,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="Subject of the report.")],
    asking: AskingOptions,
    output: OutputOptions,
    outline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Outline: a heading per line, its questions below it as a list. If the file is missing, the planned "
            "outline is written to it, and nothing else is done.",
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option("--update", help="Write only the sections that cite changed documents, or that are new."),
    ] = False,
) -> None:
    """Write a report on a subject: sections, a summary, and what the documents do not say.

    Each part of the outline is investigated like a question. Every sentence cites quotes and is checked against them;
    what they do not support is left out. The planned outline is written beside the first --report FILE, to be edited.
    To resume a stopped report, run the same command again. Limits such as --max-calls apply to the whole report.

    Exit codes: 0 every part is answered, 3 the subject is not in the documents, 4 not found so far, 5 some parts are
    answered, or the documents disagree, 1 the run failed, 2 usage error, 130 interrupted.
    """
    check_order(folder, subject, "report")
    asking.check(many=True)
    output.check(folder)
    options = asking.run_options()
    if outline is not None and not outline.exists():
        _check_outline(outline, folder)
        planned = asking.investigator(folder).plan_report(subject, options)
        write_file(outline, outline_text(planned).encode("utf-8"), "Choose another file.")
        tell(f"The outline was written to {outline}. Edit it, and run the same command again to write the report.")
        return
    parts = read_outline(outline) if outline is not None else ()
    investigator = asking.investigator(folder)
    events = investigator.write_report(subject, options, outline=parts, is_update=update)
    with resumable(kept_so_far(fresh=asking.fresh)):
        written = follow(events, sys.stderr, watch=investigator.parts.watch)
    beside = output.report[0].with_suffix(".outline.md") if output.report else None
    if outline is None and beside is not None and not beside.exists() and not _is_inside(beside, folder):
        write_file(beside, outline_text(outline_of(written)).encode("utf-8"), kept_so_far(fresh=asking.fresh))
        note(f"the outline is in {beside}; to change it, edit it and pass it with --outline {beside}")
    output.show(written, investigator)
    if written.answer is not None:
        raise typer.Exit(EXIT_CODES[written.answer.status])


def _check_outline(outline: Path, folder: Path) -> None:
    check_place(outline)
    if _is_inside(outline, folder):
        raise UserError(f"{outline} is inside the folder of documents", hint="Choose a file outside the folder.")


def _is_inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
