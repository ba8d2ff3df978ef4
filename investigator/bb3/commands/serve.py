"""`investigator serve FOLDER...`: serves a page for the browser, an API for programs, and tools for agents."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from socket import gethostname
from threading import Lock, Thread
from typing import Annotated

import typer

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chat_text import quotes_of, why_text
from investigator.bb3.chats import open_chat, talk_with
from investigator.bb3.commands.chat import login
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Speaker, Turn
from investigator.bb3.search.served import ServedQuote
from investigator.bb3.search.server import folder_searches
from investigator.bb3.talk import Talk
from investigator.cli.options import CommonOptions
from investigator.cli.output import note, print_plain, tell
from investigator.engines.catalogue import model_choices
from investigator.engines.roles import Role
from investigator.errors import DialogueError, SettingsError
from investigator.investigator import Investigator
from investigator.reports.inert import inert_prose
from investigator.reports.wording import is_finder
from investigator.server.chats import Begin, Say, Watch
from investigator.server.desk import Desk
from investigator.server.folders import served_folders
from investigator.server.hosting import is_loopback
from investigator.server.models import Models
from investigator.server.records import ChatTurn, SpokenReply, TurnState
from investigator.server.service import Service

Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FOLDER", help="Folders of documents; by default those that were made on the page."),
]
Host = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Address to listen on; by default only this machine can connect.")
]
Port = Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="Port; 0 picks a free one.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File with the token for programs; it is created if it does not exist."),
]
HostNames = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Additional host name to accept; repeatable.")
]
AgentsAlone = Annotated[
    bool,
    typer.Option("--mcp", help="Serve agents over standard input and output instead; desktop clients start this."),
]


def serve(
    common: CommonOptions,
    folders: Folders = None,
    host: Host = "127.0.0.1",
    port: Port = 8484,
    token_file: TokenFile = None,
    host_name: HostNames = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    mcp: AgentsAlone = False,
) -> None:
    """Serve folders as a page for reading evidence, as an API for programs under /v1, and to agents at /mcp. It listens
    on this machine only, unless --host names another address. The printed link opens the page once; press Enter for
    another link. With several --model, each question can be asked with any of them. Without FOLDER, or with "New
    folder" on the page, it makes folders of its own, to which files can be added on the page; it never writes to your
    folders. Programs send the token, which is in a file that only you can read. Ctrl-C stops it; unfinished work
    resumes at the next start.

    Agents get six tools of the Model Context Protocol, which only read: search, list_mentions, start_investigation,
    get_investigation, read_passage and status. They require the package mcp.
    """
    if mcp:
        if (host, port, token_file, host_name, browser) != ("127.0.0.1", 8484, None, None, True):
            raise SettingsError(
                "--mcp opens no port and no page", hint="Omit --host, --port, --token-file, --host-name and --browser."
            )
        _serve_agents(folders or [], common)
        return
    if not is_loopback(host) and token_file is None:
        raise SettingsError(
            f"other machines can connect to {host}",
            hint="Give a file with the token for clients: --token-file FILE. Put HTTPS in front of the server.",
        )
    settings = common.settings.load()
    choices = model_choices(common.model or ())
    first = replace(common, model=list(next(iter(choices.values()), ())))
    with Service(
        [first.investigator(folder, settings) for folder in folders or ()],
        host,
        port,
        token_file=token_file,
        names=tuple(host_name or ()),
        models=Models(choices),
        open_talks=open_talks,
        open_made=lambda folder: replace(first, workspace=None).investigator(folder, settings),
        searches_of=folder_searches,
        on_problem=note,
    ) as service:
        tell(f"serving {', '.join(service.paths())}; Ctrl-C ends it")
        tell(f"the token for programs is in {service.token_file}")
        if not is_loopback(host):
            _warn_of_the_network(is_named=bool(host_name))
        link = _print_links(service)
        if browser:
            webbrowser.open(link)
        if sys.stdin is not None and sys.stdin.isatty():
            Thread(target=_more_links, args=(service,), daemon=True).start()
        try:
            service.wait()
        except KeyboardInterrupt:
            tell("\nstopping after the current step; unfinished work resumes at the next start")


def _warn_of_the_network(*, is_named: bool) -> None:
    note(
        "the port is open to the network: anyone who has the token or an unused link can read these folders; "
        "put HTTPS in front of the server"
    )
    if not is_named:
        note(f"to let other machines reach this one by name, add --host-name {gethostname()}")


def _serve_agents(folders: list[Path], common: CommonOptions) -> None:
    """Serve folders to the agent that started this process, until it closes the pipe."""
    from investigator.server.protocol import agent_server

    if not folders:
        raise SettingsError("no folder to serve to agents", hint="For example: investigator serve FOLDER --mcp")
    settings = common.settings.load()
    served = served_folders([common.investigator(folder, settings) for folder in folders], to_agents=True)
    with closing(Desk(served)) as desk:
        server = agent_server(desk)
        desk.start()
        server.run("stdio")


def _print_links(service: Service) -> str:
    """Print new links, and return the first of them."""
    links = (service.link(), *service.named_links())
    print_plain("\n".join(links))
    return links[0]


def _more_links(service: Service) -> None:
    """Print another link, and the addresses for `chat --search-server`, for each line of input."""
    for _ in sys.stdin:
        _print_links(service)
        tell(f"to search from a chat: --search-server {', '.join(service.searches())}")


@contextmanager
def open_talks(investigator: Investigator) -> Iterator[Begin]:
    """Open a chat about a folder, and yield a function that begins conversations. Raises the errors of `open_chat`."""
    turn, is_read = Lock(), not is_finder(investigator.engines[Role.CHAT].name)
    with open_chat(investigator) as chat:

        def begin(chat_id: str, before: Sequence[ChatTurn]) -> Say:
            talk = talk_with(chat, login(), chat_id=chat_id, before=_turns_of(before))

            def say(text: str, watch: Watch) -> SpokenReply:
                watch.doing("waiting for another chat")
                with turn:
                    chat.on_step = lambda module: watch.doing(TABLE[module].step)
                    return _reply(talk, text, watch).changed(is_read=is_read)

            return say

        yield begin


def _turns_of(turns: Sequence[ChatTurn]) -> Iterator[Turn]:
    """Yield each turn that got a reply, followed by the reply; turns with canned replies are skipped."""
    for turn in turns:
        if turn.state is TurnState.DONE and turn.reply is not None and not turn.reply.canned:
            yield Turn(speaker=Speaker.PARTNER, text=turn.said)
            yield Turn(speaker=Speaker.SELF, text=turn.reply.text)


def _reply(talk: Talk, text: str, watch: Watch) -> SpokenReply:
    try:
        message = talk.say(text, hear=lambda so_far: watch.writing(inert_prose(so_far)))
    except BudgetSpent as spent:
        raise DialogueError(
            f"the chats about this folder have reached the limit of {spent.reason}",
            hint="Start the server again with a higher limit.",
        ) from spent
    quotes = tuple(quote for quote in quotes_of(message) if not isinstance(quote, ServedQuote))
    return SpokenReply(
        text=inert_prose(message.text),
        canned=bool(message.get("failure")),
        quotes=quotes,
        rests_on=tuple(why_text(message).plain.splitlines()),
    )
