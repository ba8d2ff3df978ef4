"""`investigator chat FOLDER`: talk to the documents of a folder."""

from __future__ import annotations

import contextlib
import getpass
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from investigator.cli.ask_options import Model, Overrides, PromptsFolder, SettingsFile, WorkspaceFolder
from investigator.cli.chat_lines import HELP, ChatCommand, Line, read_line
from investigator.cli.chosen_settings import chosen_settings
from investigator.cli.output import print_styled
from investigator.errors import DialogueError, InvestigatorError

if TYPE_CHECKING:
    from rich.text import Text

    from investigator.bb3.folder_chat import FolderChat
    from investigator.bb3.talk import Talk

_STEPS = {
    "sdm": "deciding",
    "mdm": "deciding",
    "sgm": "making a query",
    "skm": "reading what was found",
    "mkm": "recalling",
    "srm": "replying",
    "mrm": "replying",
    "crm": "replying",
    "vrm": "replying",
    "mgm": "remembering",
}

Switch = Annotated[str, typer.Option(metavar="always|never|compute")]
User = Annotated[str, typer.Option(metavar="NAME", help="Whose memories; by default your login name.")]


def chat(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")],
    model: Model = None,
    user: User = "",
    search: Switch = "compute",
    memories: Switch = "compute",
    topics: Switch = "compute",
    knowledge: Annotated[str, typer.Option(metavar="combined|separate|both")] = "combined",
    share: Annotated[
        bool, typer.Option("--share", help="I agree that this conversation may be part of a release (redacted).")
    ] = False,
    workspace: WorkspaceFolder = None,
    prompts: PromptsFolder = None,
    settings: SettingsFile = None,
    overrides: Overrides = None,
) -> None:
    """Talk to a folder: what is said of its documents carries quotes that stand in them, or is not said.

    Each line of the input is a turn; /help lists the commands. What you tell of yourself is remembered for later chats,
    see /memory. Single modules of BlenderBot 3 take options under their prefix: --sdm-model gguf:FILE, --srm-topp 0.8.
    """
    from investigator.build import Investigator  # heavy: it reaches the database and the engines
    from investigator.chats import open_chat, talk_with
    from investigator.cli.chat_options import chat_options
    from investigator.cli.module_arguments import module_arguments

    told = module_arguments(context.args)
    options = chat_options(search, memories, topics, knowledge)
    investigator = Investigator(
        folder, model=model, settings=chosen_settings(settings, overrides or ()), workspace=workspace, prompts=prompts
    )
    with open_chat(investigator, options, models=told.models) as opened:
        talk = talk_with(opened, user or login(), consent=share)
        _talk(opened, talk, user or login(), investigator.workspace, sys.stdin)


def _talk(chat: FolderChat, talk: Talk, user: str, workspace: Path, source: TextIO) -> None:
    """Read lines until the input ends or one says so; errors are told, and the chat goes on."""
    from investigator.research.budget import BudgetSpent

    interactive = source.isatty() and sys.stdout.isatty()
    if interactive:
        typer.echo("Ask, or tell something of yourself. /help lists commands, /quit ends.", err=True)
        chat.on_step = lambda module: _show_step(_STEPS.get(str(module), ""))
    for typed in _lines(source, prompt=interactive):
        try:
            line = read_line(typed)
            if line.command is ChatCommand.QUIT:
                return
            if line.command is not None:
                _obey(line, chat, talk, user, workspace)
            elif line.text or interactive:
                reply = talk.say(line.text)
                if interactive:
                    _show_step("")
                print_styled(_plain(f"{reply.text}\n"))
        except BudgetSpent as spent:
            typer.echo(f"stopped({spent.reason}): the ceiling of this chat is reached", err=True)
            return
        except InvestigatorError as error:
            typer.echo(f"error: {error.message}\nhint: {error.hint}", err=True)


def _obey(line: Line, chat: FolderChat, talk: Talk, user: str, workspace: Path) -> None:
    from investigator.bb3.chat_options import Decide
    from investigator.bb3.feedback import dislike_type_of
    from investigator.bb3.talk import CHATS
    from investigator.reports.chat import why_text

    match line.command:
        case ChatCommand.WHY:
            print_styled(why_text(talk.last))
        case ChatCommand.MEMORY:
            _change_memory(line.text, chat, user)
        case ChatCommand.SEARCH:
            if line.text not in set(Decide):
                raise DialogueError(f"it cannot be {line.text!r}", hint="Say: /search always, never or compute")
            talk.options = talk.options.model_copy(update={"search_decision": Decide(line.text)})
            typer.echo(f"Search: {line.text}")
        case ChatCommand.LIKE:
            talk.like()
            typer.echo("Thank you.")
        case ChatCommand.DISLIKE:
            typer.echo(talk.dislike(dislike_type_of(line.text)))
        case ChatCommand.SAVE:
            path = Path(line.text).expanduser() if line.text else workspace / CHATS / f"{talk.record.chat_id}.jsonl"
            talk.save(path)
            typer.echo(f"Saved: {path}")
        case _:
            typer.echo(HELP)


def _change_memory(text: str, chat: FolderChat, user: str) -> None:
    from investigator.reports.chat import memories_text

    word, _, rest = text.partition(" ")
    number, _, new = rest.strip().partition(" ")
    if word and word not in ("add", "edit", "delete"):
        raise DialogueError(f"memories cannot be {word!r}", hint="Say: /memory add TEXT, edit N TEXT or delete N")
    if word == "add":
        chat.memory.add(user, rest)
    elif word:
        if not number.isdecimal():
            raise DialogueError("the number of the memory is missing", hint=f"Say: /memory {word} N")
        if word == "edit":
            chat.memory.edit(user, int(number), new)
        else:
            chat.memory.delete(user, int(number))
    print_styled(memories_text(chat.memory.latest(user, 50)))


def _lines(source: TextIO, *, prompt: bool) -> Iterator[str]:
    """The lines of the input; at a terminal they can be edited and called back."""
    if not prompt:
        yield from source
        return
    with contextlib.suppress(ImportError):  # importing it makes input() editable, where the system has it
        import readline  # noqa: F401
    while True:
        try:
            yield input("> ")
        except EOFError:
            typer.echo("")
            return


def _show_step(step: str) -> None:
    sys.stderr.write(f"\r\x1b[K{step and step + ' …'}")
    sys.stderr.flush()


def _plain(text: str) -> Text:
    from rich.text import Text

    from investigator.reports.inert import inert

    return Text(inert(text))


def login() -> str:
    """The name that this process's user logs in with."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a process without a user
        return "user"
