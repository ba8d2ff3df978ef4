"""`investigator dialogue memory FOLDER ...`: shows or changes what chats remember about users."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from investigator.bb3.chat_text import memories_text, users_text
from investigator.bb3.chats import open_memory
from investigator.bb3.commands.chat import User, login, memory_number
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


_EXAMPLES = {
    MemoryAction.SEARCH: "For example: investigator dialogue memory FOLDER search WORDS",
    MemoryAction.ADD: 'For example: investigator dialogue memory FOLDER add "I have a dog."',
    MemoryAction.EDIT: 'For example: investigator dialogue memory FOLDER edit 3 "I have two dogs."',
    MemoryAction.DELETE: "For example: investigator dialogue memory FOLDER delete 3",
}


def memory(
    folder: Folder,
    action: Annotated[
        MemoryAction,
        typer.Argument(metavar="ACTION", help="list, search WORDS, add TEXT, edit N TEXT, delete N, forget, users"),
    ] = MemoryAction.LIST,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="A number of the list, a text, or words to find.")
    ] = None,
    user: User = None,
    as_json: AsJsonLines = False,
    workspace: Workspace = None,
) -> None:
    """Show or change what chats remember about a user; `forget` forgets everything at once."""
    number, text = _arguments(action, list(words or ()))
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
                facts = kept.search(name, text)
            case MemoryAction.ADD:
                facts = (kept.add(name, text),)
            case MemoryAction.EDIT:
                facts = (kept.edit(name, number, text),)
            case MemoryAction.DELETE:
                kept.delete(name, number)
                facts = kept.memories(name)
            case MemoryAction.LIST:
                facts = kept.memories(name)
    if as_json and facts:
        print_lines(((Printed.MEMORY, fact) for fact in facts), own=True)
    elif not as_json:
        print_styled(memories_text(facts))


def _arguments(action: MemoryAction, words: list[str]) -> tuple[int, str]:
    """Return an action's number and text, 0 and "" if unused. Raises DialogueError for missing or surplus words."""
    hint, number = _EXAMPLES.get(action, ""), 0
    if action in (MemoryAction.EDIT, MemoryAction.DELETE):
        if not words:
            raise DialogueError("the number of a memory is missing", hint=hint)
        number = memory_number(words.pop(0), hint)
    text = " ".join(words)
    needs_text = action in (MemoryAction.SEARCH, MemoryAction.ADD, MemoryAction.EDIT)
    if needs_text and not text.strip():
        raise DialogueError("the text is missing", hint=hint)
    if not needs_text and words:
        hint = f"{_EXAMPLES[MemoryAction.DELETE]}. To forget all memories: forget, without a number."
        raise DialogueError(f"{action} does not take {text!r}", hint=hint)
    return number, text
