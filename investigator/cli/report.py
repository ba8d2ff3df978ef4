"""`investigator report FOLDER SUBJECT`: a report of several sections, in which every statement cites its sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask import EXIT_CODES, AskingOptions
from investigator.cli.batch import kept_so_far
from investigator.cli.options import Folder, check_order
from investigator.cli.output import OutputOptions, check_place, note, resumable, write_file
from investigator.cli.progress import follow
from investigator.errors import UserError
from investigator.records import OutlinePart
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
            help="Outline: a heading per line, its questions below it as a list. If the file is missing, the outline "
            "of the report is written to it, to be edited.",
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option("--update", help="Write only new sections, and those that changes in the folder may change."),
    ] = False,
) -> None:
    """Write a report on a subject: sections, a summary, and what the documents do not say.

    Each part of the outline is investigated like a question. Every sentence cites quotes and is checked against them;
    what they do not support is left out. To resume a stopped report, run the same command again. Limits such as
    --max-calls apply to the whole report; a quarter of each is kept for writing what has been investigated.

    Exit codes: 0 every part is answered, 3 the subject is not in the documents, 4 not found so far, 5 some parts are
    answered, or the documents disagree on all of them, 1 the run failed, 2 usage error, 130 interrupted.
    """
    check_order(folder, subject, "report")
    asking.check(many=True)
    output.check(folder)
    options = asking.run_options()
    parts: tuple[OutlinePart, ...] = ()
    if outline is not None and outline.exists():
        parts = read_outline(outline)
    elif outline is not None:
        check_place(outline)
        if outline.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"{outline} is inside the folder of documents", hint="Choose a file outside the folder.")
    investigator = asking.investigator(folder)
    events = investigator.write_report(subject, options, outline=parts, is_update=update)
    with resumable(kept_so_far(fresh=asking.fresh)):
        written = follow(events, sys.stderr, watch=investigator.parts.watch)
    if outline is not None and not parts:
        write_file(outline, outline_text(outline_of(written)).encode("utf-8"), kept_so_far(fresh=asking.fresh))
        note(f"the outline was written to {outline}; to change the report, edit it and run the same command again")
    output.show(written, investigator)
    if written.answer is not None:
        raise typer.Exit(EXIT_CODES[written.answer.status])
