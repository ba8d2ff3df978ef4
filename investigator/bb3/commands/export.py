"""`investigator export FOLDER --to DIR`: saved conversations as a release, with consent only and redacted."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from investigator.bb3.bb3x.reading import conversations_in
from investigator.bb3.bb3x.redaction import Redactor
from investigator.bb3.bb3x.release import publish
from investigator.bb3.talk import CHATS
from investigator.investigator import Investigator


def export(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that was talked about.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="The folder of the releases.")],
    version: Annotated[str, typer.Option(metavar="N.N", help="The number of the release, above all there are.")],
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the conversations were saved with /save.")
    ] = None,
) -> None:
    """Make a release, in the form of the BB3x data card, of the conversations that were saved in the workspace.

    Only those go in whose users agreed (`chat --share`) and said something; what could name a person is replaced.
    """
    import random
    import secrets

    investigator = Investigator(folder, workspace=workspace)
    with investigator.library() as library:
        titles = tuple(library.document(name).title for name in library.document_ids())
    files = sorted((investigator.workspace / CHATS).glob("*.jsonl"))
    saved = (conversation for file in files for conversation in conversations_in(file))
    redactor = Redactor(secrets.token_bytes(32), random.SystemRandom(), titles=titles)
    made = publish(to, version, saved, redactor, datetime.now(UTC).date())
    number = f"{made.written} conversation{'' if made.written == 1 else 's'}"
    typer.echo(f"Release {version} in {to / version}: {number}")
    typer.echo(f"Left out: {made.without_consent} without consent, {made.without_human_reply} without a human reply")
