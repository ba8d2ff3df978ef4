"""What is typed in a chat: something to say, or a command that begins with a slash. Pure."""

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
/why                              what the last reply rests on: decisions, query, passages, memory
/memory                           what is remembered of you; /memory add TEXT, /memory edit N TEXT, /memory delete N
/search [always|never|compute]    search the documents for every reply, for none, or where it is needed
                                  (as it is now, without a word)
/like                             the last reply was good
/dislike TYPE                     it was not: off_topic, nonsensical, rude, spam, other;
                                  and of a canned reply to something unsafe: agree_sensitive, disagree_sensitive
/save [FILE]                      keep the conversation in the workspace, or in a file
/help                             this list
/quit                             end the chat (so does the end of the input)
Anything else is said. A line that begins with // is said with one slash; a search looks for its words."""


@dataclass(frozen=True)
class Line:
    """One line: what is said, or a command and what comes after it."""

    text: str
    command: ChatCommand | None = None


def read_line(typed: str) -> Line:
    """Take a line apart. Raises DialogueError for a command that there is not."""
    text = typed.strip()
    if not text.startswith("/") or text.startswith("//"):
        return Line(text.removeprefix("/") if text.startswith("//") else text)
    word = text[1:].split()[0] if text[1:].strip() and not text[1].isspace() else ""
    rest = text[1 + len(word) :]
    names = [command.value for command in ChatCommand]
    if word.lower() not in names:
        near = get_close_matches(word.lower(), names, n=1)
        hint = f"Did you mean /{near[0]}? " if near else ""
        hint += "See the commands with /help; what begins with // is said."
        raise DialogueError(f"there is no command /{word[:40]}", hint=hint)
    return Line(rest.strip(), ChatCommand(word.lower()))
