"""`investigator search-server FOLDER`: the search of a folder for others, in the protocol of BB3's search servers."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.bb3.commands.folder_reading import read_folder
from investigator.bb3.search.folder_search import one_at_a_time
from investigator.bb3.search.server import FolderPages, SearchEndpoint
from investigator.cli.ask_options import Overrides, SettingsFile, WorkspaceFolder
from investigator.cli.chosen_settings import chosen_settings
from investigator.errors import SettingsError
from investigator.investigator import Investigator
from investigator.reports.inert import inert

_LONGEST_WAIT = 5.0  # seconds for others who write to the index; clients wait for ten or so

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; by default this machine alone asks.")]
Port = Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="The port; 0 takes a free one.")]


def search_server(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")],
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workspace: WorkspaceFolder = None,
    settings: SettingsFile = None,
    overrides: Overrides = None,
) -> None:
    """Serve the search of a folder to BlenderBot 3 and others: POST a form with q (the query) and n (how many).

    The address is printed when searches are answered; Ctrl-C ends it. Each search looks the folder over first. Queries
    are written nowhere. An answer has n pages, 5 where n is not given and 50 at most; beside url, title and content a
    page tells under "origin" where its text stands in the document.
    """

    if not host.strip():
        raise SettingsError("the address to listen at is blank", hint="Name one, as --host 127.0.0.1, or leave it out.")
    chosen = chosen_settings(settings, overrides or ())
    investigator = Investigator(folder, settings=chosen, workspace=workspace)
    read_folder(investigator, chosen.retrieval.embed_first, sys.stderr)
    open_first, open_shelf = one_at_a_time(investigator.library), one_at_a_time(investigator.library, _LONGEST_WAIT)
    with open_first():  # what is wrong with the folder is said now, and not to whoever asks first
        pass
    if not _is_loopback(host):
        typer.echo(f"whoever reaches {host} can read the documents of {investigator.folder}", err=True)
    with SearchEndpoint(FolderPages(open_shelf), host, port, on_problem=_note) as endpoint:
        typer.echo(f"serving the search of {investigator.folder}; Ctrl-C ends it", err=True)
        typer.echo(endpoint.address)
        try:
            endpoint.wait()
        except KeyboardInterrupt:
            typer.echo("\nending with the searches under way", err=True)


def _note(text: str) -> None:
    typer.echo(inert(f"note: {text}"), err=True)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
