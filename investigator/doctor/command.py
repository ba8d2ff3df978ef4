"""`investigator doctor`: check that the models work, who they are, and what is sent where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.chosen_settings import chosen_settings
from investigator.cli.output import print_json, print_styled
from investigator.doctor import diagnose
from investigator.doctor.wording import diagnosis_text
from investigator.reports.inert import inert


def doctor(
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROLE=]PROVIDER:NAME",
            help="The language model to try, for every role or for one; repeatable. Without it the embedded default.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything that was found as JSON.")] = False,
    settings: Annotated[Path | None, typer.Option(metavar="FILE", help="A settings file.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="PART.FIELD=VALUE", help="Change one setting; repeatable.")
    ] = None,
) -> None:
    """Try the model of each role with a tiny example, and tell what would be sent where.

    A language model is asked seven short questions, fewer where it has fewer roles; no document of yours is sent.

    Exit codes: 0 every role works, 1 one fails, 2 wrong use.
    """
    chosen = chosen_settings(settings, overrides or ())

    diagnosis = diagnose(model or (), settings=chosen, on_call=lambda told: typer.echo(inert(told), err=True))
    if as_json:
        print_json(diagnosis.model_dump_json())
    else:
        print_styled(diagnosis_text(diagnosis))
    if not diagnosis.works:
        raise typer.Exit(1)
