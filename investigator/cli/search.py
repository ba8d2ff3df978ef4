"""`investigator search FOLDER QUERY`: the passages that a query finds, with their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.chosen_settings import chosen_settings
from investigator.cli.output import print_json, print_styled
from investigator.investigator import Investigator
from investigator.reports.folder import hits_text


def search(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, or a question.")],
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How many passages.")] = 10,
    document: Annotated[str | None, typer.Option(metavar="ID", help="Search this document only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON record for each passage, one a line.")] = False,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")
    ] = None,
    settings: Annotated[Path | None, typer.Option(metavar="FILE", help="A settings file.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="PART.FIELD=VALUE", help="Change one setting; repeatable.")
    ] = None,
) -> None:
    """Show the passages that a query finds, best first, and how each half of the search ranks them.

    This is the search that answers are made from; no engine is asked. The index is brought up to date first.
    """

    investigator = Investigator(folder, settings=chosen_settings(settings, overrides or ()), workspace=workspace)
    hits = investigator.search(query, limit=limit, document_id=document)
    if as_json:
        print_json("\n".join(hit.model_dump_json() for hit in hits))
    elif hits:
        print_styled(hits_text(hits))
    else:
        typer.echo("no passage was found", err=True)
