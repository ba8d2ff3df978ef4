"""`investigator chat FOLDER`: talk to the documents in a folder."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Annotated, TextIO

import typer

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chat_text import memories_text, reply_text, why_text
from investigator.bb3.chats import open_chat, talk_with
from investigator.bb3.commands.module_arguments import module_arguments, must_come_first
from investigator.bb3.commands.terminal import Spoken, read_folder
from investigator.bb3.commands.typed import (
    HELP,
    ChatCommand,
    Line,
    chat_options,
    login,
    memory_number,
    read_line,
    search_switched,
    server_address,
    user_named,
)
from investigator.bb3.feedback import dislike_type_of
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.search.client import ServerSearch
from investigator.bb3.talk import CHATS, Talk
from investigator.cli.options import CommonOptions, Folder
from investigator.cli.output import note, print_plain, print_styled, tell
from investigator.errors import DialogueError, InvestigatorError
from investigator.files import make_private_folder
from investigator.investigator import Investigator

Switch = Annotated[str, typer.Option(metavar="always|never|compute")]
User = Annotated[
    str | None, typer.Option(metavar="NAME", help="The user whose memories are used; by default your login name.")
]


@dataclass(frozen=True)
class DecisionOptions:
    """Options that control searching, remembering, naming a topic and combining knowledge."""

    search: Switch = "compute"
    memories: Switch = "compute"
    topics: Switch = "compute"
    knowledge: Annotated[str, typer.Option(metavar="combined|separate|both")] = "combined"


def chat(
    context: typer.Context,
    folder: Folder,
    common: CommonOptions,
    decisions: DecisionOptions,
    user: User = None,
    share: Annotated[
        bool, typer.Option("--share", help="I agree that this conversation may be part of a release (redacted).")
    ] = False,
    search_server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Search server to use instead of the folder (BB3's protocol): http://…"),
    ] = None,
) -> None:
    """Talk to a folder: every statement about its documents has proven quotes, or is withheld.

    Each line of the input is a turn; /help lists the commands. What you say about yourself is remembered for later
    chats; see /memory. Options with a prefix apply to individual modules of BlenderBot 3, e.g. --sdm-model gguf:FILE or
    --srm-topp 0.8.

    Exit codes: 0 end of input, 4 a limit was reached, 1 the chat failed, 2 usage error, 130 interrupted.
    """
    must_come_first(str(folder), "the folder")
    told = module_arguments(context.args, own=[name for option in context.command.params for name in option.opts])
    options = chat_options(decisions.search, decisions.memories, decisions.topics, decisions.knowledge)
    address, name = server_address(search_server), login() if user is None else user_named(user)
    settings = common.settings.load()
    investigator = common.investigator(folder, settings)
    if about := told.about_prompts():
        note(f"ignored with the chat prompt format: {', '.join(about)}")
    server = ServerSearch.reached(address) if address is not None else None
    read_folder(investigator, settings.retrieval.embed_first, sys.stderr)
    opening = open_chat(
        investigator, options, models=told.models, decodings=told.decodings, on_notice=note, search=server
    )
    with opening as opened:
        talk = talk_with(opened, name, consent=share)
        source = sys.stdin or io.StringIO()
        loading = Thread(target=_load, args=(investigator,)) if _is_interactive(source) else Thread()
        loading.start()
        try:
            _talk(opened, talk, name, investigator.workspace, source)
        finally:
            loading.join()


def _load(investigator: Investigator) -> None:
    """Load whatever the first reply needs, while the user is typing the first turn."""
    with contextlib.suppress(InvestigatorError):  # the first reply will report the problem
        investigator.search("hello", limit=1)


def _is_interactive(source: TextIO) -> bool:
    return source.isatty() and sys.stdout.isatty()


def _talk(chat: FolderChat, talk: Talk, user: str, workspace: Path, source: TextIO) -> None:
    """Read lines until the input ends or /quit; report errors and continue."""
    interactive = _is_interactive(source)
    spoken = Spoken(sys.stderr, sys.stdout)
    if interactive:
        tell("Ask, or say something about yourself. /help lists the commands, and /quit ends the chat.")
        chat.on_step = lambda module: spoken.step(str(module))
    lines = _Lines(source, interactive=interactive)
    for typed in lines:
        try:
            line = read_line(typed)
            if line.command is ChatCommand.QUIT:
                return
            if line.command is not None:
                _obey(line, chat, talk, user, workspace)
            elif line.text:
                reply = reply_text(talk.say(line.text, hear=spoken.hear if interactive else None))
                print_styled(reply[spoken.end(reply.plain) :])
        except BudgetSpent as spent:
            spoken.end()
            tell(f"stopped({spent.reason}): this chat has reached its limit")
            raise typer.Exit(4) from spent
        except InvestigatorError as error:
            spoken.end()
            tell(f"error: {error.message}\nhint: {error.hint}")
        except KeyboardInterrupt:
            spoken.end()
            lines.interrupt()


def _obey(line: Line, chat: FolderChat, talk: Talk, user: str, workspace: Path) -> None:
    match line.command:
        case ChatCommand.WHY:
            print_styled(why_text(talk.last))
        case ChatCommand.MEMORY:
            _change_memory(line.text, chat, user)
        case ChatCommand.SEARCH:
            talk.options, told = search_switched(talk.options, line.text)
            print_plain(told)
        case ChatCommand.LIKE:
            talk.like()
            print_plain("Thank you.")
        case ChatCommand.DISLIKE:
            print_plain(talk.dislike(dislike_type_of(line.text)))
        case ChatCommand.SAVE:
            make_private_folder(workspace / CHATS)
            path = Path(line.text).expanduser() if line.text else workspace / CHATS / f"{talk.record.chat_id}.jsonl"
            talk.save(path)
            print_plain(f"Saved: {path}")
        case _:
            print_plain(HELP)


def _change_memory(text: str, chat: FolderChat, user: str) -> None:
    word, _, rest = text.partition(" ")
    number, _, new = rest.strip().partition(" ")
    if word and word not in ("add", "edit", "delete"):
        raise DialogueError(
            f"unknown action {word!r} for memories", hint="Use: /memory add TEXT, edit N TEXT or delete N"
        )
    if word == "add":
        chat.memory.add(user, rest)
    elif word:
        if word == "edit":
            chat.memory.edit(user, memory_number(number, f"/memory {word} N TEXT"), new)
        else:
            chat.memory.delete(user, memory_number(number, f"/memory {word} N"))
    print_styled(memories_text(chat.memory.latest(user, 50)))


class _Lines:
    """Reads the lines of the input. At a terminal, lines can be edited, and the first Ctrl-C ends only the current
    turn.
    """

    def __init__(self, source: TextIO, *, interactive: bool) -> None:
        self._source = source
        self._interactive = interactive
        self._is_interrupted = False

    def interrupt(self) -> None:
        """End the current turn, if the input is a terminal. Raises KeyboardInterrupt if the input is not a terminal, or
        if called twice in a row.
        """
        if self._is_interrupted or not self._interactive:
            raise KeyboardInterrupt
        self._is_interrupted = True
        tell("interrupted: this turn was dropped. Press Ctrl-C again to end the chat.")

    def __iter__(self) -> Iterator[str]:
        """Yield each line. Raises DialogueError if the input is not UTF-8."""
        if not self._interactive:
            try:
                yield from self._source
            except UnicodeDecodeError as error:
                raise DialogueError("the input is not UTF-8 text", hint="Save it as UTF-8.") from error
            return
        with contextlib.suppress(ImportError):  # importing it lets input() edit lines; some systems lack it
            import readline  # noqa: F401
        while True:
            try:
                typed = input("> ")
            except EOFError:
                print_plain("")
                return
            except KeyboardInterrupt:
                print_plain("")
                self.interrupt()
                continue
            self._is_interrupted = False
            yield typed
