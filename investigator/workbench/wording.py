"""Shows templates, their problems and their trials as terminal text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from investigator.asking.contracts import SYNTAX
from investigator.records import TemplateFolder
from investigator.reports.inert import inert, inert_line
from investigator.reports.wording import expected_line, plural
from investigator.workbench.records import TemplateList, TemplateTrial, TriedReply


def list_text(listed: TemplateList) -> Text:
    """Return the purpose and the variables of each template; the user's own templates are marked."""
    lines = []
    for card in listed.templates:
        reply = f"reply {card.reply}" if card.reply else "no engine is called"
        size = f"  {card.owner}, {card.tokens:,} tokens of fixed text, {reply}{', yours' if card.own else ''}"
        names = ", ".join(f"{name}{'*' * (name in card.must_use)}" for name in card.variables)
        lines += [Text.assemble((card.name, "bold"), size), Text(f"  {card.purpose}"), Text(f"  {names}", style="dim")]
    return Text("\n").join([*lines, Text("* required", style="dim"), Text(SYNTAX, style="dim")]).append("\n")


def checked_text(checked: TemplateFolder) -> Text:
    """Return the problems in a folder with their hints, followed by the totals."""
    lines = []
    for problem in checked.problems:
        lines.append(Text(inert_line(problem.text), style="red"))
        lines.append(Text(f"  {inert_line(problem.hint)}", style="dim"))
    tokens = [f"{template.name} {template.tokens:,}" for template in checked.templates]
    lines.append(Text(f"{plural(len(tokens), 'template')}, {plural(len(checked.problems), 'problem')}"))
    lines += [Text(f"tokens of fixed text: {', '.join(tokens)}", style="dim")] if tokens else []
    return Text("\n").join(lines).append("\n")


def trial_text(tried: TemplateTrial) -> Text:
    """Return the earlier reply, if any, and the new one, with what was read and proven."""
    lines = [Text(f"{tried.template}: {inert_line(tried.about)}")]
    for reply in (tried.old, tried.new):
        if reply is not None:
            lines += [Text(), Text(inert_line(reply.source), style="bold"), *map(Text, map(inert, _rows(reply)))]
    free = f"{plural(tried.usage.calls, 'call')}; this engine does not count tokens, so the numbers above are estimates"
    spent = expected_line(tried.usage) if tried.usage.tokens else free
    return Text("\n").join([*lines, Text(), Text(spent, style="dim")]).append("\n")


def _rows(reply: TriedReply) -> Iterator[str]:
    yield f"{reply.engine}: {reply.prompt_tokens:,} tokens in, {reply.reply_tokens:,} out, {reply.seconds:.1f} s"
    yield reply.reply
    if reply.problem:
        yield f"{'readable after a repair' if reply.repaired else 'not readable'}: {reply.problem}"
    if reply.value:
        yield f"read as: {reply.value}"
    for quote in reply.quotes:
        yield f"{'✓' if quote.place else '✗'} {quote.text} ({quote.place or quote.problem})"
    if reply.point is not None:
        yield f"score: {reply.point} of 100"
