"""Releases conversations whose users consented, redacted and split, in numbered versions.

`releases/<version>/` contains `train.jsonl`, `valid.jsonl`, `test.jsonl` and `CARD.md`. A version is written atomically
and never changes; a newer one supersedes it, but it remains readable.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from investigator.bb3.bb3x.conversation_files import as_json_line, unwritable
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.redaction import Pii, Redactor
from investigator.bb3.bb3x.splits import Split, stable_split
from investigator.errors import DialogueError
from investigator.records.base import Record

CARD = "CARD.md"
_VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,3}", re.ASCII)

Counts = Mapping[str, Counter[str]]
"""What each part of a release contains, and all of them: the numbers in the columns of the card."""


class Exported(Record):
    """The number of exported conversations, and the number excluded for each reason."""

    written: int = 0
    without_consent: int = 0
    without_human_reply: int = 0


def publish(
    releases: Path, version: str, conversations: Iterable[Conversation], redactor: Redactor, made_on: date
) -> Exported:
    """Release the conversations that may be shared: those with consent in which the human says something. The card
    states whether names were looked for. Raises DialogueError if the version is not a number such as 1.2, or is not
    higher than all existing versions, and FolderError if the release cannot be written; nothing is released then.
    """
    older = versions(releases)[-1:]
    _check_is_newer(version, older)
    fates: Counter[str] = Counter()
    try:
        releases.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(".part", f".{version}.", releases, ignore_cleanup_errors=True) as name:
            part = Path(name)
            counts = _write_parts(part, _shared(conversations, redactor, fates))
            exported = Exported.model_validate(fates)
            values = {"version": version, "older": older, "made_on": made_on, "counts": counts, "kinds": list(Pii)}
            _write(part / CARD, _card().render(values, exported=exported, redactor=redactor))
            part.chmod(0o755)
            part.rename(releases / version)
    except OSError as error:
        raise unwritable(releases / version, error) from error
    return exported


def versions(releases: Path) -> tuple[str, ...]:
    """Return the existing versions, newest last."""
    names = (path.name for path in releases.iterdir()) if releases.is_dir() else ()
    return tuple(sorted(filter(_VERSION.fullmatch, names), key=_order))


def _check_is_newer(version: str, older: tuple[str, ...]) -> None:
    if not _VERSION.fullmatch(version):
        raise DialogueError(f"{version!r} is not a version", hint="Use numbers separated by dots, such as 1.2")
    if older and _order(version) <= _order(older[0]):
        hint = "A release never changes, so give the new one a higher number."
        raise DialogueError(f"version {version} is not higher than the existing {older[0]}", hint=hint)


def _order(version: str) -> tuple[int, ...]:
    """Return the sort key for a version; 1.0 and 1 have the same key."""
    return tuple(int(number) for number in re.sub(r"(?:\.0+)+$", "", version).split("."))


def _shared(conversations: Iterable[Conversation], redactor: Redactor, fates: Counter[str]) -> Iterator[Conversation]:
    """Redact and yield the conversations that may be shared, and count what becomes of each."""
    for conversation in conversations:
        if conversation.consent is not True:
            fates["without_consent"] += 1
        elif not any(message.by_human and message.text.strip() for message in conversation.message_history):
            fates["without_human_reply"] += 1
        else:
            fates["written"] += 1
            yield redactor.conversation(conversation)


def _write_parts(folder: Path, conversations: Iterable[Conversation]) -> Counts:
    """Write one file for each part, and return what each part and all of them contain."""
    lines: dict[str, list[str]] = {split: [] for split in Split}
    counts = {column: Counter[str]() for column in (*Split, "all")}
    users: set[tuple[str, str | None]] = set()
    for conversation in conversations:
        split = stable_split(conversation.id)
        lines[split].append(as_json_line(conversation) + "\n")
        for column in (split, "all"):
            user = (column, conversation.user_pseudo_id)
            counts[column].update({"conversations": 1, "users": int(user not in users)})
            counts[column].update(_rows(conversation))
            users.add(user)
    for split in Split:
        _write(folder / f"{split}.jsonl", "".join(lines[split]))
    return counts


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _rows(conversation: Conversation) -> Iterator[str]:
    """Yield the name of a row of the card for each message that the row counts."""
    for message in conversation.message_history:
        kind = " ".join((message.dislike_type or "no type").replace("|", "/").split())[:60]
        marks = {
            "messages from the human": message.by_human,
            "messages from the bot": not message.by_human,
            "liked": message.is_liked,
            "disliked": message.is_disliked,
            f"disliked: {kind}": message.is_disliked,
            "answers to the question after a dislike": message.is_dislike_feedback,
            "replies with a search": message.search_knowledge,
            "replies with a memory": message.memory_knowledge,
            "canned replies": message.is_canned,
            "messages annotated as unsafe": message.is_unsafe,
        }
        yield from (name for name, holds in marks.items() if holds)


def _card() -> Template:
    """Return the template of the card."""
    folder = PackageLoader(__package__, ".")
    environment = Environment(loader=folder, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    return environment.get_template("card.md.j2")
