"""Lines typed in a chat: something to say, or a command that begins with a slash. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from investigator.errors import DialogueError


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
/why                              show what the last reply rests on: decisions, query, passages, memory
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
    """One line: a message, or a command and the text after it."""

    text: str
    command: ChatCommand | None = None


def read_line(typed: str) -> Line:
    """Return a line taken apart. Raises DialogueError for an unknown command."""
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
