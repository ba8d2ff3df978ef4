"""Releases conversations whose users consented, redacted and split, in numbered versions.

`releases/<version>/` contains `train.jsonl`, `valid.jsonl`, `test.jsonl` and `CARD.md`. A version is written atomically
and never changes; a newer one supersedes it, but it remains readable.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from investigator.bb3.bb3x.conversation_files import as_json_line, conversations_in, unwritable
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.redaction import Redactor
from investigator.bb3.bb3x.release_card import Counts, card_of
from investigator.bb3.bb3x.splits import Split, stable_split
from investigator.errors import DialogueError
from investigator.records.base import Record

CARD = "CARD.md"
_VERSION = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,3}", re.ASCII)


class Refusal(StrEnum):
    """The reason why a conversation is not shared."""

    WITHOUT_CONSENT = "without consent"
    WITHOUT_HUMAN_REPLY = "without a human reply"


def refusal_of(conversation: Conversation) -> Refusal | None:
    """Return the reason why a conversation must not be shared, or None if it may be shared. Consent is checked
    first.
    """
    if conversation.consent is not True:
        return Refusal.WITHOUT_CONSENT
    return None if conversation.has_human_reply else Refusal.WITHOUT_HUMAN_REPLY


class Exported(Record):
    """The number of exported conversations, and the number excluded for each reason."""

    written: int
    without_consent: int
    without_human_reply: int


def publish(
    releases: Path,
    version: str,
    conversations: Iterable[Conversation],
    redactor: Redactor,
    made_on: date,
    split_of: Callable[[Conversation], Split] = lambda conversation: stable_split(conversation.id),
) -> Exported:
    """Release the conversations that may be shared; `split_of` assigns each one to a split.

    Raises DialogueError if the version is not a number such as 1.2, or is not higher than all existing versions, and
    FolderError if the release cannot be written. In either case, nothing is released.
    """
    _check_is_newer(releases, version)
    refused: Counter[Refusal] = Counter()
    try:
        releases.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=releases, prefix=f".{version}.", suffix=".part"))
    except OSError as error:
        raise unwritable(releases, error) from error
    try:
        counts = _write_parts(part, _shared(conversations, redactor, refused), split_of)
        supersedes = next(reversed(versions(releases)), "")
        left_out = {str(refusal): refused[refusal] for refusal in Refusal}
        _write_text(part / CARD, card_of(version, supersedes, made_on, counts, left_out, redactor.counts))
        part.chmod(0o755)
        part.rename(releases / version)
    except OSError as error:
        raise unwritable(releases / version, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Exported(
        written=sum(each.conversations for each in counts.values()),
        without_consent=refused[Refusal.WITHOUT_CONSENT],
        without_human_reply=refused[Refusal.WITHOUT_HUMAN_REPLY],
    )


def versions(releases: Path) -> tuple[str, ...]:
    """Return the existing versions, newest last."""
    if not releases.is_dir():
        return ()
    found = (path.name for path in releases.iterdir() if path.is_dir() and _VERSION.fullmatch(path.name))
    return tuple(sorted(found, key=_order))


def released(releases: Path, split: Split, version: str | None = None) -> Iterator[Conversation]:
    """Return the conversations in one part of a release, by default of the newest release.

    Raises DialogueError if the release does not exist.
    """
    there = versions(releases)
    chosen = version if version is not None else next(reversed(there), "")
    if chosen not in there:
        hint = f"Existing releases: {', '.join(there)}" if there else "Make a release first."
        raise DialogueError(f"{releases} contains no release {chosen}".rstrip(), hint=hint)
    return conversations_in(releases / chosen / f"{split}.jsonl")


def _shared(
    conversations: Iterable[Conversation], redactor: Redactor, refused: Counter[Refusal]
) -> Iterator[Conversation]:
    """Redact and yield the conversations that may be shared; count all others by the reason for refusing them."""
    for conversation in conversations:
        refusal = refusal_of(conversation)
        if refusal is None:
            yield redactor.conversation(conversation)
        else:
            refused[refusal] += 1


def _check_is_newer(releases: Path, version: str) -> None:
    if not _VERSION.fullmatch(version):
        raise DialogueError(f"{version!r} is not a version", hint="Use numbers separated by dots, such as 1.2")
    newest = next(reversed(versions(releases)), None)
    if newest is not None and _order(version) <= _order(newest):
        hint = "A release never changes, so give the new one a higher number."
        raise DialogueError(f"version {version} is not higher than the existing {newest}", hint=hint)


def _order(version: str) -> tuple[int, ...]:
    """Return the sort key for a version; 1.0 and 1 have the same key."""
    numbers = [int(number) for number in version.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _write_parts(
    folder: Path, conversations: Iterable[Conversation], split_of: Callable[[Conversation], Split]
) -> dict[Split, Counts]:
    """Write one file for each part, and return counts of the contents of each file."""
    counts = {split: Counts() for split in Split}
    with ExitStack() as opened:
        files: dict[Split, TextIO] = {
            split: opened.enter_context((folder / f"{split}.jsonl").open("w", encoding="utf-8", newline="\n"))
            for split in Split
        }
        for conversation in conversations:
            split = split_of(conversation)
            files[split].write(as_json_line(conversation) + "\n")
            counts[split].add(conversation)
        for file in files.values():
            file.flush()
            os.fsync(file.fileno())
    return counts


def _write_text(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
