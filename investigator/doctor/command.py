"""`investigator doctor`: checks that the models work, grades them, and shows who serves them and what is sent where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJson, Model, PromptsFolder, SettingsOptions, Workspace, kept_of
from investigator.cli.output import print_result, tell
from investigator.doctor.diagnosis import diagnose
from investigator.doctor.findings import Diagnosis, EngineFinding, Environment, RoleFinding, RoleGrade, RoleState
from investigator.doctor.near_duplicates import near_duplicates
from investigator.engines.grades import PASSES
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.schemas import Printed
from investigator.reports.terminal import own_templates
from investigator.reports.wording import plural
from investigator.resources.distribution import install_command
from investigator.scoring.prices import Price

_STYLES = {RoleState.WORKS: "green", RoleState.DOUBTFUL: "yellow", RoleState.FAILED: "bold red"}
_WORDS = 400  # maximum number of characters shown of a server's message


def doctor(
    settings: SettingsOptions,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Also list near-duplicates among its documents.")
    ] = None,
    model: Model = None,
    workspace: Workspace = None,
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
    chosen, alike = settings.load(), None
    if folder is not None:
        with kept_of(folder, workspace, settings=chosen).library() as library:
            alike = near_duplicates((name, library.document(name).text) for name in library.document_ids())
    diagnosis = diagnose(model or (), settings=chosen, prompts=prompts, grade=not no_grade, on_call=tell)
    diagnosis = diagnosis.changed(near_duplicates=alike)
    print_result(Printed.DIAGNOSIS, diagnosis, diagnosis_text, as_json=as_json, own=True)
    if not diagnosis.works:
        raise typer.Exit(1)


def diagnosis_text(diagnosis: Diagnosis) -> Text:
    """Return the roles, each engine, the installed packages, and the failures with advice; ends with a line feed."""
    blocks = [_roles(diagnosis.roles).append(f"\n{_cost(diagnosis)}")]
    blocks += [_grades(diagnosis.grades)] if diagnosis.grades else []
    for engine in diagnosis.engines:
        if engine.leaves_machine is not None:
            blocks.append(_engine(engine, [role for role in diagnosis.roles if role.engine == engine.name]))
    if diagnosis.templates:
        blocks.append(Text(own_templates(diagnosis.templates)))
    blocks.append(_environment(diagnosis.environment))
    if diagnosis.near_duplicates is not None:
        groups = [(f"about {group.alike:.0%} alike", ", ".join(group.documents)) for group in diagnosis.near_duplicates]
        blocks.append(_block("near-duplicates", groups or [("", "none found")]))
    if (verifier := diagnosis.verifier) is not None:
        outcome = f"failed: {verifier.problem}"
        if verifier.seconds is not None:
            outcome = f"works, {verifier.seconds:.3f} seconds per claim"
        blocks.append(_block("verifier", [(verifier.name, outcome), ("hint", verifier.hint)]))
    blocks += [Text(f"note: {inert_line(notice, _WORDS)}", style="yellow") for notice in diagnosis.notices]
    blocks += _remarks(diagnosis.roles)
    return Text("\n\n").join(blocks).append("\n")


def _roles(findings: Sequence[RoleFinding]) -> Text:
    rows = [
        (
            finding.role.value,
            finding.state.value,
            f"{finding.seconds:.2f}" if finding.seconds is not None else "-",
            f"{finding.input_tokens:,}",
            f"{finding.output_tokens:,}",
            inert_line(finding.engine),
        )
        for finding in findings
    ]
    heading = ("role", "state", "seconds", "tokens in", "tokens out", "engine")
    return columns(rows, heading=heading, left=(0, 1, 5), styles=[_STYLES.get(each.state, "") for each in findings])


def _cost(diagnosis: Diagnosis) -> str:
    calls = plural(diagnosis.calls, "call")
    if diagnosis.money is None:
        return f"{calls}, at an unknown price"
    return f"{calls}, {diagnosis.money:.4f} US dollars" if diagnosis.money else f"{calls}, free of charge"


def _grades(grades: Sequence[RoleGrade]) -> Text:
    lines = Text("grades", style="bold")
    for grade in grades:
        outcome = "passed" if grade.passed else "failed"
        shown = f"{outcome}, {grade.right} of {grade.tasks} tasks right ({PASSES:.0%} needed)"
        lines.append(f"\n  {grade.role.value} ({inert_line(grade.engine)}): ")
        lines.append(
            f"not graded: {inert_line(grade.problem, _WORDS)}" if grade.problem else shown,
            style="green" if grade.passed else "bold red",
        )
        for mistake in grade.mistakes:
            lines.append(f"\n    {inert_line(mistake, _WORDS)}")
    return lines


def _engine(engine: EngineFinding, roles: Sequence[RoleFinding]) -> Text:
    sent = [(f"{role.role} sends", role.sends) for role in roles]
    context = "unknown: set chat.context_tokens to the number of prompt tokens that the model can read"
    if engine.context_tokens is not None:
        context = f"{engine.context_tokens:,} tokens of prompt"
    lines = [
        ("runs", _place(engine)),
        *(sent if engine.leaves_machine else [("sends", "nothing leaves this machine")]),
        ("structured output", engine.structured_output.value),
        ("context", context if engine.is_model else "any length"),
        ("price", _price(engine.price)),
    ]
    return _block(engine.name, lines)


def _place(engine: EngineFinding) -> str:
    if not engine.endpoint:
        return "in this process"
    if "://" not in engine.endpoint:
        return f"with the provider {engine.endpoint}, at the default address of its package"
    return f"at {engine.endpoint}{'' if engine.leaves_machine else ', on this machine'}"


def _price(price: Price | None) -> str:
    if price is None:
        return "unknown: the limit budget.money cannot be enforced; see budget.prices"
    if price.input == price.output == 0:
        return "none"
    return f"{price.input:g} and {price.output:g} US dollars per million tokens of input and output"


def _environment(environment: Environment) -> Text:
    state = "works, and its weights are verified" if environment.weights_checked else "works"
    state += f"; {environment.dimensions} numbers a passage, {environment.passages_per_second:,.0f} passages a second"
    if environment.embedder_problem:
        state = f"failed: {environment.embedder_problem}"
    lines = [
        ("Python", environment.python),
        ("package", environment.package),
        ("warning", environment.package_warning),
        ("embedder", f"{environment.embedder}: {state}"),
        ("hint", environment.embedder_hint),
    ]
    for extra in environment.extras:
        missing = f"not installed: {install_command(extra.name)}"
        lines.append((f"extra {extra.name}", f"{extra.library} {extra.version}" if extra.version else missing))
    lines.append(("variables set", ", ".join(environment.variables) or "none found"))
    return _block("environment", lines)


def _remarks(findings: Sequence[RoleFinding]) -> list[Text]:
    """Return the problems without duplicates, each with all the roles that it affects."""
    groups: dict[tuple[RoleState, str, str, str], list[str]] = {}
    for finding in findings:
        if finding.remark:
            key = (finding.state, finding.engine, finding.remark, finding.hint)
            groups.setdefault(key, []).append(finding.role.value)
    remarks = []
    for (state, engine, remark, hint), roles in groups.items():
        text = Text(f"{', '.join(roles)}: {state} ({inert_line(engine)}): {inert_line(remark, _WORDS)}")
        text.stylize(_STYLES.get(state, ""))
        remarks.append(text.append(f"\nhint: {inert_line(hint, _WORDS)}") if hint else text)
    return remarks


def _block(title: str, lines: Sequence[tuple[str, str]]) -> Text:
    rows = [(f"  {name}", inert_line(value, _WORDS)) for name, value in lines if value]
    return Text("\n").join([Text(inert_line(title), style="bold"), columns(rows, left=(0, 1))])
