"""`investigator dialogue export FOLDER --to DIR`: releases saved conversations, redacted, and only with consent."""

from __future__ import annotations

import random
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from investigator.bb3.bb3x.conversation_files import conversations_in
from investigator.bb3.bb3x.redaction import NameFinder, Redactor
from investigator.bb3.bb3x.release import publish
from investigator.bb3.talk import CHATS
from investigator.cli.options import kept_of
from investigator.cli.output import note, print_plain
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
    names_model: Annotated[
        str, typer.Option("--names-model", metavar="NAME", help="Installed spaCy model that finds names.")
    ] = "en_core_web_md",
    keep_names: Annotated[
        bool, typer.Option("--keep-names", help="Do not look for names; the release says so.")
    ] = False,
) -> None:
    """Release the conversations saved in the workspace, in the format of the BB3x data card.

    Only conversations whose users agreed (`chat --share`) and wrote at least one message are included; any personal
    information that is recognised is replaced. Names need the package presidio-analyzer and a spaCy model.
    """
    names = None if keep_names else NameFinder(names_model)
    investigator = kept_of(folder, workspace)
    files = sorted((investigator.workspace / CHATS).glob("*.jsonl"))
    saved = (conversation for file in files for conversation in conversations_in(file))
    redactor = Redactor(secrets.token_bytes(32), random.SystemRandom(), names)
    made = publish(to, version, saved, redactor, datetime.now(UTC).date())
    print_plain(f"Release {version} in {to / version}: {plural(made.written, 'conversation')}")
    print_plain(f"Left out: {made.without_consent} without consent, {made.without_human_reply} without a human reply")
    if keep_names:
        note("names of people were not looked for; check the release before you publish it")
