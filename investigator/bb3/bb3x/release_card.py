"""Writes the card for a release, which lists its contents and exclusions and describes the processing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date

from investigator.bb3.bb3x.pii import Pii
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.splits import Split

_NUMBERED = "numbers randomised digit by digit"
_HASHED = "replaced by a hash"


class Counts:
    """Counts the contents of one part of a release."""

    def __init__(self) -> None:
        self.conversations = 0
        self.users: set[str] = set()
        self.what: Counter[str] = Counter()
        self.dislikes: Counter[str] = Counter()

    def add(self, conversation: Conversation) -> None:
        """Count one conversation."""
        self.conversations += 1
        self.users.add(conversation.user_pseudo_id or "")
        for message in conversation.message_history:
            self.what["messages from the human" if message.by_human else "messages from the bot"] += 1
            self.what["liked"] += bool(message.is_liked)
            self.what["disliked"] += bool(message.is_disliked)
            self.what["answers to the question after a dislike"] += bool(message.is_dislike_feedback)
            self.what["replies with a search"] += bool(message.search_knowledge)
            self.what["replies with a memory"] += bool(message.memory_knowledge)
            self.what["canned replies"] += message.is_canned
            self.what["messages annotated as unsafe"] += message.is_unsafe
            if message.is_disliked:
                self.dislikes[message.dislike_type or "no type"] += 1


def card_of(
    version: str,
    supersedes: str,
    made_on: date,
    counts: Mapping[Split, Counts],
    left_out: Mapping[str, int],
    redacted: Mapping[Pii, int],
) -> str:
    """Return the text of the card, in Markdown."""
    rows = list(dict.fromkeys(name for each in counts.values() for name in each.what))
    dislikes = sorted({name for each in counts.values() for name in each.dislikes})
    head = [f"| | {' | '.join(counts)} | all |", f"|---|{'---|' * (len(counts) + 1)}"]
    users = [len(each.users) for each in counts.values()]
    lines = [
        f"# Conversations, version {version}",
        "",
        f"Created on {made_on.isoformat()}. "
        + (f"It supersedes version {supersedes}." if supersedes else "This is the first version."),
        "",
        "## Contents",
        *head,
        _row("conversations", [each.conversations for each in counts.values()]),
        _row("users", users, len(set().union(*(each.users for each in counts.values())))),
        *(_row(name, [each.what[name] for each in counts.values()]) for name in rows),
        *(_row(f"disliked: {_inert(name)}", [each.dislikes[name] for each in counts.values()]) for name in dislikes),
        "",
        "## What was left out",
        *(f"- conversations {reason}: {number}" for reason, number in left_out.items()),
        "",
        "## What was redacted",
        *(f"- {kind}, {_NUMBERED if kind.is_numeric else _HASHED}: {redacted.get(kind, 0)}" for kind in Pii),
        "",
        "Personal information was found by rules, and rules miss some of it.",
        "Famous names, and text in the titles of documents, were kept.",
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, numbers: list[int], together: int | None = None) -> str:
    return f"| {name} | {' | '.join(map(str, numbers))} | {sum(numbers) if together is None else together} |"


def _inert(text: str) -> str:
    """Return text from a record, shortened and without characters that would break a table cell."""
    return " ".join(text.replace("|", "/").split())[:60]
