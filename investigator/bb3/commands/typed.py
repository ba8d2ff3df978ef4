"""Parses the lines that a user types in a chat, and memory numbers."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from investigator.errors import DialogueError

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
        return Line(text.removeprefix("/"))
    word, *rest = [""] if text[1:2].isspace() or text == "/" else text[1:].split(maxsplit=1)
    if word.lower() not in set(ChatCommand):
        near = get_close_matches(word.lower(), list(ChatCommand), n=1)
        hint = f"Did you mean /{near[0]}? " if near else ""
        hint += "/help lists the commands; begin a message with // if its first character is a slash."
        raise DialogueError(f"unknown command /{word[:40]}", hint=hint)
    return Line("".join(rest), ChatCommand(word.lower()))


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
