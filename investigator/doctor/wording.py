"""A diagnosis as text for a terminal: pure, and harmless whatever a server said."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from investigator.doctor.findings import Diagnosis, EngineFinding, Environment, RoleFinding, RoleState
from investigator.reports.inert import one_line
from investigator.reports.wording import counted
from investigator.scoring.prices import Price

_STYLES = {RoleState.WORKS: "green", RoleState.DOUBTFUL: "yellow", RoleState.FAILED: "bold red"}
_WORDS = 400  # characters of what a server said


def diagnosis_text(diagnosis: Diagnosis) -> Text:
    """The roles, each engine, what is installed, and last what failed with what to do; ends with a line feed."""
    blocks = [_roles(diagnosis.roles).append(f"\n{_cost(diagnosis)}")]
    for engine in diagnosis.engines:
        if engine.leaves_machine is not None:
            blocks.append(_engine(engine, [role for role in diagnosis.roles if role.engine == engine.name]))
    blocks.append(_environment(diagnosis.environment))
    blocks += [Text(f"note: {one_line(notice, _WORDS)}", style="yellow") for notice in diagnosis.notices]
    blocks += _remarks(diagnosis.roles)
    return Text("\n\n").join(blocks).append("\n")


def _roles(findings: Sequence[RoleFinding]) -> Text:
    rows = [("role", "state", "seconds", "tokens in", "tokens out", "engine")]
    rows += [
        (
            finding.role.value,
            finding.state.value,
            f"{finding.seconds:.2f}" if finding.seconds is not None else "-",
            f"{finding.input_tokens:,}",
            f"{finding.output_tokens:,}",
            one_line(finding.engine),
        )
        for finding in findings
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    table = Text()
    for number, row in enumerate(rows):
        style = _STYLES.get(findings[number - 1].state, "") if number else "bold"
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1])]
        cells += [row[column].rjust(widths[column]) for column in (2, 3, 4)]
        table.append("  ".join((*cells, row[5])), style=style).append("\n" if number < len(findings) else "")
    return table


def _cost(diagnosis: Diagnosis) -> str:
    calls = counted(sum(finding.calls for finding in diagnosis.roles), "call")
    if diagnosis.money is None:
        return f"{calls}, at a price that is not known"
    return f"{calls}, {diagnosis.money:.4f} US dollars" if diagnosis.money else f"{calls}, free of charge"


def _engine(engine: EngineFinding, roles: Sequence[RoleFinding]) -> Text:
    lines = [("runs", _place(engine))]
    if engine.leaves_machine:
        lines += [(f"{role.role} sends", role.sends) for role in roles]
    else:
        lines.append(("sends", "nothing leaves this machine"))
    lines += [
        ("structured output", engine.structured_output.value),
        ("context", _context(engine)),
        ("price", _price(engine.price)),
    ]
    return _block(engine.name, lines)


def _place(engine: EngineFinding) -> str:
    if not engine.endpoint:
        return "in this process"
    if "://" not in engine.endpoint:
        return f"with the provider {engine.endpoint}, at the address that its package knows"
    return f"at {engine.endpoint}{'' if engine.leaves_machine else ', on this machine'}"


def _context(engine: EngineFinding) -> str:
    if engine.context_tokens is not None:
        return f"{engine.context_tokens:,} tokens of prompt"
    if not engine.is_model:
        return "of any length"
    return "not known: set chat.context_tokens to the tokens of prompt that the model can read"


def _price(price: Price | None) -> str:
    if price is None:
        return "not known: a limit of money cannot be kept; see the setting budget.prices"
    if price.input == price.output == 0:
        return "none"
    return f"{price.input:g} and {price.output:g} US dollars for a million tokens of input and output"


def _environment(environment: Environment) -> Text:
    state = "works, and its weights are the known ones" if environment.weights_checked else "works"
    if environment.embedder_problem:
        state = f"failed: {environment.embedder_problem}"
    lines = [
        ("Python", environment.python),
        ("package", environment.package),
        ("embedder", f"{environment.embedder}: {state}"),
    ]
    if environment.embedder_hint:
        lines.append(("hint", environment.embedder_hint))
    for extra in environment.extras:
        missing = f'not installed: pip install "investigator[{extra.name}]"'
        lines.append((f"extra {extra.name}", f"{extra.library} {extra.version}" if extra.version else missing))
    lines.append(("variables set", ", ".join(environment.variables) or "none that matters"))
    return _block("environment", lines)


def _remarks(findings: Sequence[RoleFinding]) -> list[Text]:
    """Say what is wrong, once for all roles that have the problem."""
    groups: dict[tuple[RoleState, str, str, str], list[str]] = {}
    for finding in findings:
        if finding.remark:
            key = (finding.state, finding.engine, finding.remark, finding.hint)
            groups.setdefault(key, []).append(finding.role.value)
    remarks = []
    for (state, engine, remark, hint), roles in groups.items():
        text = Text(f"{', '.join(roles)}: {state} ({one_line(engine)}): {one_line(remark, _WORDS)}")
        text.stylize(_STYLES.get(state, ""))
        remarks.append(text.append(f"\nhint: {one_line(hint, _WORDS)}") if hint else text)
    return remarks


def _block(title: str, lines: Sequence[tuple[str, str]]) -> Text:
    width = max(len(name) for name, _ in lines)
    text = Text(one_line(title), style="bold")
    for name, value in lines:
        text.append(f"\n  {name.ljust(width)}  {one_line(value, _WORDS)}", style="not bold")
    return text
