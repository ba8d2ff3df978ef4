"""What a replay and a forecast say, as text."""

from __future__ import annotations

from rich.text import Text

from investigator.records import Forecast, Replayed
from investigator.reports.inert import inert_line
from investigator.reports.wording import expected_line, plural


def replayed_text(replayed: Replayed) -> Text:
    """Whether a run came out again as it was, in a few lines."""
    standing = replayed.quotes - len(replayed.failed_quotes)
    lines = [
        Text(f"Replayed: {plural(replayed.calls, 'call')} answered from the journal, no model asked."),
        Text(f"Quotes that stand in the documents as they are now: {standing} of {replayed.quotes}."),
    ]
    lines += [Text(f"- no longer there: {inert_line(quote.place)}") for quote in replayed.failed_quotes]
    if replayed.differences:
        lines += [Text(f"- {inert_line(difference)}", style="bold yellow") for difference in replayed.differences]
    else:
        lines.append(Text("Plan, memories and answer came out as they were.", style="bold green"))
    return Text("\n").join([Text(), *lines, Text()])


def forecast_text(forecast: Forecast, engine: str) -> Text:
    """The plan, and what it would cost."""
    lines = [f"Planned: {plural(len(forecast.steps), 'step')} in {plural(forecast.rounds, 'round')}"]
    lines += [f"- {inert_line(step.document_id)}: {inert_line(step.purpose, 200)}" for step in forecast.steps]
    lines += [
        "",
        f"Expected of {inert_line(engine)}: {expected_line(forecast.expected)}",
        f"At most, within rounds and ceilings: {expected_line(forecast.most)}",
        "The plan is that of the search; a language model may plan otherwise. Nothing was asked of it.",
    ]
    return Text("\n".join(lines) + "\n")
