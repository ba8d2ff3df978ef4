"""`investigator search FOLDER QUERY`: the passages that a query finds, with their scores."""

from __future__ import annotations

from typing import Annotated

import typer

from investigator.cli.options import AsJsonLines, Folder, SettingsOptions, Workspace
from investigator.cli.output import print_json, print_styled
from investigator.investigator import Investigator
from investigator.reports.folder import hits_text


def search(
    folder: Folder,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, or a question.")],
    settings: SettingsOptions,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Number of passages.")] = 10,
    document: Annotated[str | None, typer.Option(metavar="ID", help="Search only this document.")] = None,
    as_json: AsJsonLines = False,
    workspace: Workspace = None,
) -> None:
    """Show the passages that a query finds, best first, and how each half of the search ranks them.

    Answers are made from this search; no engine is asked. The index is brought up to date first.
    """
    investigator = Investigator(folder, settings=settings.load(), workspace=workspace)
    hits = investigator.search(query, limit=limit, document_id=document)
    if as_json:
        print_json("\n".join(hit.model_dump_json() for hit in hits))
    elif hits:
        print_styled(hits_text(hits))
    else:
        typer.echo("no passage found", err=True)
