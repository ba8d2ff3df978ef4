"""`investigator doctor`: checks that the models work, grades them, and shows who serves them and what is sent where."""

from __future__ import annotations

from typing import Annotated

import typer

from investigator.cli.options import AsJson, Model, PromptsFolder, SettingsOptions
from investigator.cli.output import print_result, tell
from investigator.doctor.diagnosis import diagnose
from investigator.doctor.wording import diagnosis_text
from investigator.reports.schemas import Printed


def doctor(
    settings: SettingsOptions,
    model: Model = None,
    prompts: PromptsFolder = None,
    no_grade: Annotated[bool, typer.Option("--no-grade", help="Only try the models; do not grade them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Test the model of each role with a tiny example, grade it, and show what would be sent where.

    A language model gets six short questions and then eleven prompts with short tasks, fewer if it has fewer roles;
    what the tasks cost is said before they are sent. An answer by a model that failed counts only as passages. None of
    your documents is sent. With --prompts your own templates are checked and used, and the grades are not stored.

    Exit codes: 0 if every role works, 1 if a role fails, 2 for a usage error or an invalid template.
    """
    diagnosis = diagnose(model or (), settings=settings.load(), prompts=prompts, grade=not no_grade, on_call=tell)
    print_result(Printed.DIAGNOSIS, diagnosis, diagnosis_text, as_json=as_json, own=True)
    if not diagnosis.works:
        raise typer.Exit(1)
