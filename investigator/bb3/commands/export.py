"""`investigator export FOLDER --to DIR`: releases saved conversations, redacted, and only with consent."""

from __future__ import annotations

import random
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from investigator.bb3.bb3x.conversation_files import conversations_in
from investigator.bb3.bb3x.redaction import Redactor
from investigator.bb3.bb3x.release import publish
from investigator.bb3.talk import CHATS
from investigator.cli.options import kept_of
from investigator.cli.output import print_plain
from investigator.reports.wording import plural


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder that the conversations are about.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder for the releases.")],
    version: Annotated[
        str, typer.Option(metavar="N.N", help="Release version; must be higher than the existing ones.")
    ],
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Workspace in which /save stored the conversations.")
    ] = None,
) -> None:
    """Release the conversations saved in the workspace, in the format of the BB3x data card.

    Only conversations whose users agreed (`chat --share`) and wrote at least one message are included; any personal
    information that is recognised is replaced.
    """
    investigator = kept_of(folder, workspace)
    with investigator.library() as library:
        titles = tuple(library.document(name).title for name in library.document_ids())
    files = sorted((investigator.workspace / CHATS).glob("*.jsonl"))
    saved = (conversation for file in files for conversation in conversations_in(file))
    redactor = Redactor(secrets.token_bytes(32), random.SystemRandom(), titles=titles)
    made = publish(to, version, saved, redactor, datetime.now(UTC).date())
    print_plain(f"Release {version} in {to / version}: {plural(made.written, 'conversation')}")
    print_plain(f"Left out: {made.without_consent} without consent, {made.without_human_reply} without a human reply")
