"""Templates and their problems as terminal text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from investigator.asking.template_language import WHAT_IS_ALLOWED
from investigator.records import TemplateFolder
from investigator.reports.inert import inert_line
from investigator.reports.wording import plural
from investigator.workbench.records import TemplateCard

_STYLES = {"+++": "bold", "---": "bold", "@@": "cyan", "+": "green", "-": "red"}


def cards_text(cards: Sequence[TemplateCard]) -> Text:
    """Return what each template is for, with its variables; those of the user's own are marked."""
    lines = []
    for card in cards:
        reply = f"reply {card.reply}" if card.reply else "no engine is asked"
        own = ", yours" if card.own else ""
        lines += [
            Text.assemble((card.name, "bold"), f"  {card.owner}, {card.tokens:,} tokens of its own, {reply}{own}"),
            Text(f"  {card.purpose}"),
            Text(f"  {_names(card)}", style="dim"),
        ]
    return Text("\n").join([*lines, Text("* must be used", style="dim")]).append("\n")


def _names(card: TemplateCard) -> str:
    return ", ".join(f"{variable.name}{'*' * variable.must_use}" for variable in card.variables)


def card_text(card: TemplateCard, source: str) -> Text:
    """Return all about one template, then its text."""
    reply = (
        f"{card.reply}; must be asked for: {', '.join(card.must_name)}" if card.reply else "none: no engine is asked"
    )
    lines = [
        Text(f"{card.name}: {card.purpose}.", style="bold"),
        Text(f"{inert_line(card.file)}, about {card.tokens:,} tokens of its own{' (yours)' if card.own else ''}"),
        Text(f"Reply: {reply}"),
        Text("Variables (* must be used):"),
    ]
    for variable in card.variables:
        lines.append(Text(f"  {variable.name}{'*' * variable.must_use}: {variable.kind}"))
        lines.append(Text(f"    e.g. {variable.example}", style="dim"))
    lines += [Text(WHAT_IS_ALLOWED), Text(), Text(source.rstrip("\n"))]
    return Text("\n").join(lines).append("\n")


def checked_text(checked: TemplateFolder) -> Text:
    """Return the problems of a folder by file, each with what is allowed, and how many there are."""
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
