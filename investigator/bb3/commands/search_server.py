"""`investigator search-server FOLDER`: serve the search of a folder in the protocol of BB3's search servers."""

from __future__ import annotations

import sys

from investigator.bb3.commands.serve import Host, Port
from investigator.bb3.commands.terminal import read_folder
from investigator.bb3.search.folder_search import one_at_a_time
from investigator.bb3.search.server import FolderPages, SearchEndpoint
from investigator.cli.options import Folder, SettingsOptions, Workspace
from investigator.cli.output import note, print_plain, tell
from investigator.errors import SettingsError
from investigator.investigator import Investigator
from investigator.server.hosting import is_loopback

_LONGEST_WAIT = 5.0  # seconds for another process that writes to the index; clients wait for about ten


def search_server(
    folder: Folder,
    settings: SettingsOptions,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    workspace: Workspace = None,
) -> None:
    """Serve the search of a folder to BlenderBot 3 and others: POST a form with q (the query) and n (number of pages).

    The address is printed once the server accepts searches; Ctrl-C ends it. Each search first looks for changes in the
    folder. Queries are not logged. An answer has n pages (default 5, at most 50), each with url, title, content and,
    under "origin", the place of the text in its document.
    """
    if not host.strip():
        raise SettingsError("the listen address is blank", hint="Use e.g. --host 127.0.0.1, or leave it out.")
    chosen = settings.load()
    investigator = Investigator(folder, settings=chosen, workspace=workspace)
    read_folder(investigator, chosen.retrieval.embed_first, sys.stderr)
    open_first, open_soon = one_at_a_time(investigator.library), one_at_a_time(investigator.library, _LONGEST_WAIT)
    with open_first():  # report problems of the folder now, not to the first client
        pass
    if not is_loopback(host):
        tell(f"warning: anyone who can reach {host} can read the documents of {investigator.folder}")
    with SearchEndpoint(FolderPages(open_soon), host, port, on_problem=note) as endpoint:
        tell(f"serving searches of {investigator.folder}; Ctrl-C ends it")
        print_plain(endpoint.address)
        try:
            endpoint.wait()
        except KeyboardInterrupt:
            tell("\nfinishing the searches under way")
