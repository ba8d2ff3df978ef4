"""`investigator chat FOLDER`: talk to the documents in a folder."""

from __future__ import annotations

import contextlib
import getpass
import io
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from enum import StrEnum
from itertools import chain
from pathlib import Path
from threading import Thread
from typing import Annotated, Any, TextIO

import typer

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chat_options import ChatOptions, Conditioning, Decide
from investigator.bb3.chat_text import memories_text, reply_text, why_text
from investigator.bb3.chats import open_chat, talk_with
from investigator.bb3.decoding.options import module_arguments, must_come_first
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module
from investigator.bb3.search.client import reached_server
from investigator.bb3.talk import CHATS, Talk, dislike_type_of
from investigator.cli.options import CommonOptions, Folder
from investigator.cli.output import note, print_plain, print_styled, tell
from investigator.cli.progress import show_all
from investigator.errors import DialogueError, InvestigatorError, WorkspaceLockedError
from investigator.files import make_private_folder
from investigator.investigator import Investigator
from investigator.records import Embedded
from investigator.reports.inert import inert_prose
from investigator.retrieval.folder_index import EMBED_FIRST

_CLEAR = "\r\x1b[K"
_LONGEST_NUMBER = 18  # maximum number of digits; the database cannot hold larger numbers


class ChatCommand(StrEnum):
    """The commands of a chat."""

    WHY = "why"
    MEMORY = "memory"
    SEARCH = "search"
    LIKE = "like"
    DISLIKE = "dislike"
    SAVE = "save"
    HELP = "help"
    QUIT = "quit"


HELP = """\
/why                              show the basis of the last reply: decisions, query, passages, memory
/memory                           show memories about you; /memory add TEXT, /memory edit N TEXT, /memory delete N
/search [always|never|compute]    search the documents for every reply, for none, or if needed;
                                  without a word, show the current choice
/like                             rate the last reply as good
/dislike TYPE                     rate it as bad: off_topic, nonsensical, rude, spam, other;
                                  for a canned reply to something unsafe: agree_sensitive, disagree_sensitive
/save [FILE]                      save the conversation in the workspace, or in a file
/help                             show this list
/quit                             end the chat (so does the end of the input)
Anything else is a message. Begin a message with // if its first character is a slash."""

User = Annotated[
    str | None, typer.Option(metavar="NAME", help="The user whose memories are used; by default your login name.")
]


def _switch(what: str) -> Any:
    return typer.Option(metavar="always|never|compute", help=f"{what} compute: if a module decides to.")


def chat(
    context: typer.Context,
    folder: Folder,
    common: CommonOptions,
    search: Annotated[Decide, _switch("Search the documents.")] = Decide.COMPUTE,
    memories: Annotated[Decide, _switch("Use memories.")] = Decide.COMPUTE,
    topics: Annotated[Decide, _switch("Refer to a topic of the conversation.")] = Decide.COMPUTE,
    knowledge: Annotated[
        Conditioning,
        typer.Option(metavar="combined|separate|both", help="Reply from all knowledge at once, by kind, or both."),
    ] = Conditioning.COMBINED,
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
    own = [name for option in context.command.params for name in option.opts]
    arguments = module_arguments(context.args, own)
    server = reached_server(search_server) if search_server is not None else None
    options = ChatOptions(
        search_decision=search,
        memory_decision=memories,
        contextual_knowledge_decision=topics,
        knowledge_conditioning=knowledge,
    )
    settings = common.settings.load()
    investigator = common.investigator(folder, settings)
    if about := arguments.about_prompts:
        note(f"ignored with the chat prompt format: {', '.join(about)}")
    read_folder(investigator)
    opening = open_chat(
        investigator, options, models=arguments.models, decodings=arguments.decodings, on_notice=note, search=server
    )
    with opening as opened:
        name = login() if user is None else user
        talk = talk_with(opened, name, consent=share)
        source = sys.stdin or io.StringIO()
        is_interactive = source.isatty() and sys.stdout.isatty()
        loading = Thread(target=_load, args=(investigator,)) if is_interactive else Thread()
        loading.start()
        try:
            _talk(opened, talk, name, investigator.workspace, source if not is_interactive else None)
        finally:
            loading.join()


def _load(investigator: Investigator) -> None:
    """Load whatever the first reply needs, while the user is typing the first turn; that reply reports problems."""
    with contextlib.suppress(InvestigatorError):
        investigator.search("hello", limit=1)


def _talk(chat: FolderChat, talk: Talk, user: str, workspace: Path, source: TextIO | None) -> None:
    """Read lines, from the terminal if no source is given, until they end or /quit; report errors and continue. At a
    terminal, Ctrl-C during a reply ends only this turn.
    """
    spoken = Spoken(sys.stderr, sys.stdout)
    if source is None:
        tell("Ask, or say something about yourself. /help lists the commands, and /quit ends the chat.")
        chat.on_step = spoken.step
    for typed in _terminal_lines() if source is None else _lines(source):
        try:
            named, text = read_line(typed)
            if named is ChatCommand.QUIT:
                return
            if named is not None:
                _obey(named, text, chat, talk, user, workspace)
            elif text:
                reply = reply_text(talk.say(text, hear=spoken.hear if source is None else None))
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
            if source is not None:
                raise
            tell("interrupted: this turn was dropped. Press Ctrl-C again to end the chat.")


def _lines(source: TextIO) -> Iterator[str]:
    """Yield each line. Raises DialogueError if the input is not UTF-8."""
    try:
        yield from source
    except UnicodeDecodeError as error:
        raise DialogueError("the input is not UTF-8 text", hint="Save it as UTF-8.") from error


def _terminal_lines() -> Iterator[str]:
    """Yield each line typed at the terminal, where lines can be edited."""
    with contextlib.suppress(ImportError):  # importing it lets input() edit lines; some systems lack it
        import readline  # noqa: F401
    with contextlib.suppress(EOFError):
        while True:
            yield input("> ")
    print_plain("")


def _obey(named: ChatCommand, text: str, chat: FolderChat, talk: Talk, user: str, workspace: Path) -> None:
    match named:
        case ChatCommand.WHY:
            print_styled(why_text(talk.last))
        case ChatCommand.MEMORY:
            _change_memory(text, chat, user)
        case ChatCommand.SEARCH:
            _switch_search(text, talk)
        case ChatCommand.LIKE:
            talk.like()
            print_plain("Thank you.")
        case ChatCommand.DISLIKE:
            print_plain(talk.dislike(dislike_type_of(text)))
        case ChatCommand.SAVE:
            make_private_folder(workspace / CHATS)
            path = Path(text).expanduser() if text else workspace / CHATS / f"{talk.record.chat_id}.jsonl"
            talk.save(path)
            print_plain(f"Saved: {path}")
        case _:
            print_plain(HELP)


def _switch_search(word: str, talk: Talk) -> None:
    """Change when the chat searches; without a word, show when it does, and the choices."""
    session, choices = talk.session, ", ".join(Decide)
    if not word:
        print_plain(f"Search: {session.options.search_decision}. Change it with /search and one of: {choices}")
    elif word.lower() in set(Decide):
        session.options = session.options.changed(search_decision=Decide(word.lower()))
        print_plain(f"Search: {word.lower()}")
    else:
        raise DialogueError(f"unknown choice /search {word[:40]}", hint=f"Use /search with one of: {choices}")


def _change_memory(text: str, chat: FolderChat, user: str) -> None:
    action, _, rest = text.partition(" ")
    number, _, new = rest.strip().partition(" ")
    hint = "Use: /memory add TEXT, edit N TEXT or delete N"
    match action:
        case "add":
            chat.memory.add(user, rest)
        case "edit":
            chat.memory.edit(user, memory_number(number, hint), new)
        case "delete":
            chat.memory.delete(user, memory_number(number, hint))
        case str() if action:
            raise DialogueError(f"unknown action {action!r} for memories", hint=hint)
    print_styled(memories_text(chat.memory.latest(user, 50)))


def read_line(typed: str) -> tuple[ChatCommand | None, str]:
    """Return the command in a line, None for a message, and the text. Raises DialogueError for an unknown command."""
    text = typed.strip()
    if not text.startswith("/") or text.startswith("//"):
        return None, text.removeprefix("/")
    word, *rest = [""] if text[1:2].isspace() or text == "/" else text[1:].split(maxsplit=1)
    if word.lower() not in set(ChatCommand):
        near = get_close_matches(word.lower(), list(ChatCommand), n=1)
        hint = f"Did you mean /{near[0]}? " if near else ""
        hint += "/help lists the commands; begin a message with // if its first character is a slash."
        raise DialogueError(f"unknown command /{word[:40]}", hint=hint)
    return ChatCommand(word.lower()), "".join(rest)


def login() -> str:
    """Return the login name of this process's user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # the user of this process has no login name
        return "user"


def memory_number(word: str, hint: str) -> int:
    """Return the memory number that the user typed. Raises DialogueError if the input is not a memory number."""
    if not word.isdecimal() or len(word) > _LONGEST_NUMBER:
        raise DialogueError(f"{word[:40]!r} is not a memory number", hint=hint)
    return int(word)


def read_folder(investigator: Investigator, most_vectors: int = EMBED_FIRST) -> None:
    """Index the changes in a folder, and compute the missing vectors if they are at most `most_vectors`, showing
    progress. If another process has the folder open, print a note: opening the folder waits for it. Raises the errors
    of `Investigator.index`.
    """
    try:
        show_all(investigator.index())
        missing = investigator.status(compare=False).without_vectors
        if 0 < missing <= most_vectors:
            show_all(chain([Embedded(done=0, total=missing)], investigator.index(vectors=True)))
    except WorkspaceLockedError:
        note("waiting for another process that uses the index of this folder")


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


class Spoken:
    """Shows each reply while it is written: the current step on `steps`, and the text on `words`."""

    def __init__(self, steps: TextIO, words: TextIO) -> None:
        self._steps = steps
        self._words = words
        self._text = ""
        self._shows_step = False

    def step(self, module: Module) -> None:
        """Show what the module is doing, unless part of the reply is already shown."""
        if not self._text:
            _write(self._steps, f"{_CLEAR}{TABLE[module].step} …")
            self._shows_step = True

    def hear(self, text: str) -> None:
        """Show the text of the reply so far."""
        harmless = inert_prose(text)
        if harmless.startswith(self._text):
            self._clear()
            _write(self._words, harmless[len(self._text) :])
            self._text = harmless

    def end(self, reply: str = "") -> int:
        """Return how many characters of the reply are already shown; 0, on a new line, if it begins differently."""
        self._clear()
        text, self._text = self._text, ""
        if reply.startswith(text):
            return len(text)
        _write(self._words, "\n")
        return 0

    def _clear(self) -> None:
        if self._shows_step:
            _write(self._steps, _CLEAR)
            self._shows_step = False
