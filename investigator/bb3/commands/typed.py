"""Parses user input: the lines of a chat, and the options and arguments of its commands."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from pydantic import ValidationError

from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.search.client import full_address
from investigator.errors import DialogueError, SettingsError

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


@dataclass(frozen=True)
class Line:
    """A line that the user typed: a message, or a command and the text after it."""

    text: str
    command: ChatCommand | None = None


def read_line(typed: str) -> Line:
    """Parse a line. Raises DialogueError for an unknown command."""
    text = typed.strip()
    if not text.startswith("/") or text.startswith("//"):
        return Line(text.removeprefix("/") if text.startswith("//") else text)
    word = text[1:].split()[0] if text[1:].strip() and not text[1].isspace() else ""
    rest = text[1 + len(word) :]
    names = [command.value for command in ChatCommand]
    if word.lower() not in names:
        near = get_close_matches(word.lower(), names, n=1)
        hint = f"Did you mean /{near[0]}? " if near else ""
        hint += "/help lists the commands; begin a message with // if its first character is a slash."
        raise DialogueError(f"unknown command /{word[:40]}", hint=hint)
    return Line(rest.strip(), ChatCommand(word.lower()))


def chat_options(search: str, memories: str, topics: str, knowledge: str) -> ChatOptions:
    """Return the chat's options, parsed from words such as "always". Raises SettingsError for an unknown word."""
    words = {
        "search_decision": search,
        "memory_decision": memories,
        "contextual_knowledge_decision": topics,
        "knowledge_conditioning": knowledge,
    }
    try:
        return ChatOptions.model_validate(words)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        described = ChatOptions.model_fields[name].description
        raise SettingsError(f"{first['input']!r} is not one of the choices", hint=f"{name}: {described}") from error


def search_switched(options: ChatOptions, word: str) -> tuple[ChatOptions, str]:
    """Return the options after `/search WORD`, and a message for the user. Without a word, the options are unchanged,
    and the message lists the choices.

    Raises DialogueError for an unknown word.
    """
    choices = ", ".join(Decide)
    if not word:
        return options, f"Search: {options.search_decision}. Change it with /search and one of: {choices}"
    if word.lower() not in set(Decide):
        raise DialogueError(f"unknown choice /search {word[:40]}", hint=f"Use /search with one of: {choices}")
    return options.changed(search_decision=Decide(word.lower())), f"Search: {word.lower()}"


def server_address(word: str | None) -> str | None:
    """Return the address of a search server, which the user must give with its scheme; None if the user gave none.

    Raises SettingsError for an invalid address.
    """
    if word is None:
        return None
    hint = "Use http:// or https://, a host, and a port unless it is the default, e.g. http://127.0.0.1:8080"
    if not word.strip().lower().startswith(("http://", "https://")):
        raise SettingsError(f"{word!r} is not the address of a search server", hint=hint)
    try:
        return full_address(word)
    except SettingsError as error:
        raise SettingsError(error.message, hint=hint) from error


def user_named(word: str) -> str:
    """Return the name of the user. Raises SettingsError for a blank name."""
    if not word.strip():
        raise SettingsError("the user name is blank", hint="Use e.g. --user anna, or omit --user.")
    return word


def login() -> str:
    """Return the login name of this process's user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # the user of this process has no login name
        return "user"


def memory_number(word: str, example: str) -> int:
    """Return the memory number that the user typed. Raises DialogueError if the input is not a memory number."""
    if not word.isdecimal() or len(word) > _LONGEST_NUMBER:
        raise DialogueError(f"{word[:40]!r} is not a memory number", hint=f"For example: {example}")
    return int(word)
