"""`investigator mcp FOLDER...`: six tools for agents, over standard input and output."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.options import CommonOptions
from investigator.server.desk import Desk
from investigator.server.folders import served_folders
from investigator.server.protocol import agent_server


def mcp(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER...", help="Folders of documents.")],
    common: CommonOptions,
) -> None:
    """Serve folders to agents as six tools of the Model Context Protocol.

    The tools are search, start_investigation, get_investigation, read_passage and status; they only read. A desktop
    client starts this command itself; `investigator serve` offers the same tools at /mcp. Requires the mcp extra: pip
    install "document-investigator[mcp]".
    """
    settings = common.settings.load()
    served = served_folders([common.investigator(folder, settings) for folder in folders], to_agents=True)
    with closing(Desk(served)) as desk:
        server = agent_server(desk)
        desk.start()
        server.run("stdio")
