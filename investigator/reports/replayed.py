"""A replay and a forecast as text for a terminal."""

from __future__ import annotations

from rich.text import Text

from investigator.records import Forecast, Replayed
from investigator.reports.inert import inert_line
from investigator.reports.wording import expected_line, plural


def replayed_text(replayed: Replayed) -> Text:
    """Return in a few lines whether a run came out as before."""
    standing = replayed.quotes - len(replayed.failed_quotes)
    lines = [
        Text(f"Replayed: {plural(replayed.calls, 'call')} answered from the journal, no model asked."),
        Text(f"Quotes verified in the current documents: {standing} of {replayed.quotes}."),
    ]
    lines += [Text(f"- not found any more: {inert_line(quote.place)}") for quote in replayed.failed_quotes]
    if replayed.differences:
        lines += [Text(f"- {inert_line(difference)}", style="bold yellow") for difference in replayed.differences]
    else:
        lines.append(Text("Plan, memories and answer are the same as before.", style="bold green"))
    return Text("\n").join([Text(), *lines, Text()])


def forecast_text(forecast: Forecast, engine: str) -> Text:
    """Return the plan and its expected cost."""
    lines = [f"Planned: {plural(len(forecast.steps), 'step')} in {plural(forecast.rounds, 'round')}"]
    lines += [f"- {inert_line(step.document_id)}: {inert_line(step.purpose, 200)}" for step in forecast.steps]
    lines += [
        "",
        f"Expected of {inert_line(engine)}: {expected_line(forecast.expected)}",
        f"At most, within rounds and limits: {expected_line(forecast.most)}",
        "The plan is made from the search; a language model may plan differently. No model was asked.",
    ]
    return Text("\n".join(lines) + "\n")
