"""`investigator memory FOLDER ...`: shows or changes what chats remember about users."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from investigator.bb3.chat_text import memories_text, users_text
from investigator.bb3.chats import open_memory
from investigator.bb3.commands.chat import User
from investigator.bb3.commands.typed import login, memory_number
from investigator.cli.options import AsJsonLines, Folder, Workspace, kept_of
from investigator.cli.output import print_lines, print_plain, print_styled
from investigator.errors import DialogueError
from investigator.reports.schemas import Printed


class MemoryAction(StrEnum):
    """An action on memories."""

    LIST = "list"
    SEARCH = "search"
    ADD = "add"
    EDIT = "edit"
    DELETE = "delete"
    FORGET = "forget"
    USERS = "users"


_TAKES = {
    MemoryAction.SEARCH: "investigator memory FOLDER search WORDS",
    MemoryAction.ADD: 'investigator memory FOLDER add "I have a dog."',
    MemoryAction.EDIT: 'investigator memory FOLDER edit 3 "I have two dogs."',
    MemoryAction.DELETE: "investigator memory FOLDER delete 3",
}


def memory(
    folder: Folder,
    action: Annotated[
        MemoryAction,
        typer.Argument(metavar="ACTION", help="list, search WORDS, add TEXT, edit N TEXT, delete N, forget, users"),
    ] = MemoryAction.LIST,
    words: Annotated[list[str] | None, typer.Argument(metavar="[N] [TEXT]")] = None,
    user: User = None,
    as_json: AsJsonLines = False,
    workspace: Workspace = None,
) -> None:
    """Show or change what chats remember about a user; `forget` forgets everything at once."""
    given = list(words or ())
    _refuse_extra_words(action, given)
    name = login() if user is None else user
    with open_memory(kept_of(folder, workspace)) as kept:
        match action:
            case MemoryAction.USERS:
                print_styled(users_text(kept.users()))
                return
            case MemoryAction.FORGET:
                print_plain(f"Forgotten: {kept.forget(name)}")
                return
            case MemoryAction.SEARCH:
                found = kept.search(name, _text(action, given))
            case MemoryAction.ADD:
                found = (kept.add(name, _text(action, given)),)
            case MemoryAction.EDIT:
                number = _number(action, given)
                found = (kept.edit(name, number, _text(action, given[1:])),)
            case MemoryAction.DELETE:
                kept.delete(name, _number(action, given))
                found = kept.memories(name)
            case _:
                found = kept.memories(name)
    if as_json and found:
        print_lines(((Printed.MEMORY, fact) for fact in found), own=True)
    elif not as_json:
        print_styled(memories_text(found))


def _refuse_extra_words(action: MemoryAction, given: list[str]) -> None:
    """Raise DialogueError for extra words: `forget 2` must not forget everything."""
    most = {MemoryAction.LIST: 0, MemoryAction.USERS: 0, MemoryAction.FORGET: 0, MemoryAction.DELETE: 1}
    if len(given) > most.get(action, len(given)):
        left = " ".join(given[most[action] :])
        hint = f"To delete one memory: {_TAKES[MemoryAction.DELETE]}. To forget all of them: forget, without a number."
        raise DialogueError(f"{action} does not take {left!r}", hint=hint)


def _number(action: MemoryAction, given: list[str]) -> int:
    if not given:
        raise DialogueError("the number of a memory is missing", hint=f"For example: {_TAKES[action]}")
    return memory_number(given[0], _TAKES[action])


def _text(action: MemoryAction, given: list[str]) -> str:
    if not " ".join(given).strip():
        raise DialogueError("the text is missing", hint=f"For example: {_TAKES[action]}")
    return " ".join(given)
