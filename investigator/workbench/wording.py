"""Shows templates, their problems and their trials as terminal text. Pure."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from investigator.asking.contracts import SYNTAX
from investigator.records import TemplateFolder
from investigator.reports.inert import inert, inert_line
from investigator.reports.wording import expected_line, plural
from investigator.workbench.records import TemplateCard, TemplateTrial, TriedReply

_STYLES = {"+++": "bold", "---": "bold", "@@": "cyan", "+": "green", "-": "red"}


def cards_text(cards: Sequence[TemplateCard]) -> Text:
    """Return the purpose and the variables of each template; the user's own templates are marked."""
    lines = []
    for card in cards:
        reply = f"reply {card.reply}" if card.reply else "no engine is called"
        own = ", yours" if card.own else ""
        lines += [
            Text.assemble((card.name, "bold"), f"  {card.owner}, {card.tokens:,} tokens of fixed text, {reply}{own}"),
            Text(f"  {card.purpose}"),
            Text(f"  {_names(card)}", style="dim"),
        ]
    return Text("\n").join([*lines, Text("* * required", style="dim")]).append("\n")


def _names(card: TemplateCard) -> str:
    return ", ".join(f"{variable.name}{'*' * variable.must_use}" for variable in card.variables)


def card_text(card: TemplateCard, source: str) -> Text:
    """Return the details of one template, then its text."""
    reply = (
        f"{card.reply}; must be requested: {', '.join(card.must_name)}" if card.reply else "none: no engine is called"
    )
    lines = [
        Text(f"{card.name}: {card.purpose}.", style="bold"),
        Text(f"{inert_line(card.file)}, about {card.tokens:,} tokens of fixed text{' (yours)' if card.own else ''}"),
        Text(f"Reply: {reply}"),
        Text("Variables (* required):"),
    ]
    for variable in card.variables:
        lines.append(Text(f"  {variable.name}{'*' * variable.must_use}: {variable.kind}"))
        lines.append(Text(f"    e.g. {variable.example}", style="dim"))
    lines += [Text(SYNTAX), Text(), Text(source.rstrip("\n"))]
    return Text("\n").join(lines).append("\n")


def checked_text(checked: TemplateFolder) -> Text:
    """Return the problems in a folder with their hints, grouped by file, followed by the totals."""
    lines, file = [], ""
    for problem in checked.problems:
        if problem.file != file:
            file = problem.file
            lines.append(Text(inert_line(file), style="bold"))
        place = f"line {problem.line}: " if problem.line else ""
        lines.append(Text(f"  {place}{inert_line(problem.problem)}", style="red"))
        lines.append(Text(f"    {inert_line(problem.hint)}", style="dim"))
    tokens = [f"{one.name} {one.tokens:,}" for one in checked.templates]
    lines.append(Text(f"{plural(len(tokens), 'template')}, {plural(len(checked.problems), 'problem')}"))
    lines += [Text(f"tokens of fixed text: {', '.join(tokens)}", style="dim")] if tokens else []
    return Text("\n").join(lines).append("\n")


def diff_text(lines: Iterable[str]) -> Text:
    """Return a unified diff with a style for each kind of line."""
    styled = []
    for line in lines:
        style = next((style for mark, style in _STYLES.items() if line.startswith(mark)), "")
        styled.append(Text(line, style=style))
    return Text("\n").join(styled).append("\n")


def trial_text(tried: TemplateTrial, width: int) -> Text:
    """Return the old and the new reply side by side, for a terminal with the given number of columns."""
    replies = [reply for reply in (tried.old, tried.new) if reply is not None]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), show_header=True, header_style="bold", width=width)
    table.add_column("")
    for reply in replies:
        table.add_column(Text(inert_line(reply.source)), ratio=1, overflow="fold")
    for label, tell in _ROWS.items():
        cells = [tell(reply) for reply in replies]
        if any(cells):
            table.add_row(Text(label), *map(Text, map(inert, cells)))
    lines = Console(file=io.StringIO(), width=width).render_lines(table, pad=False)
    told = [Text.assemble(*((part.text, part.style or "") for part in line)) for line in lines]
    for line in told:
        line.rstrip()
    heading = Text(f"{tried.template}: {inert_line(tried.about)}")
    return Text("\n").join([heading, *told, Text(_spent(tried), style="dim")]).append("\n")


def _spent(tried: TemplateTrial) -> str:
    if tried.usage.tokens:
        return expected_line(tried.usage)
    return f"{plural(tried.usage.calls, 'call')}; this engine does not count tokens, so the numbers above are estimates"


def _points(reply: TriedReply) -> str:
    return "" if reply.point is None else f"{reply.point} of 100"


def _readable(reply: TriedReply) -> str:
    if not reply.problem:
        return "yes"
    return f"{'after a repair: ' if reply.repaired else 'no: '}{reply.problem}"


def _proofs(reply: TriedReply) -> str:
    return "\n".join(f"{'✓' if one.place else '✗'} {one.text} ({one.place or one.problem})" for one in reply.quotes)


_ROWS: Mapping[str, Callable[[TriedReply], str]] = {
    "engine": lambda reply: reply.engine,
    "tokens": lambda reply: f"{reply.prompt_tokens:,} in, {reply.reply_tokens:,} out, {reply.seconds:.1f} s",
    "reply": lambda reply: reply.reply,
    "readable": _readable,
    "read as": lambda reply: reply.value,
    "proof": _proofs,
    "score": _points,
}
