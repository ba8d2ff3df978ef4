"""Shows the quotes in a report and their state in the files, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from investigator.records import CheckedQuote, Quote, QuoteState, VerifiedReport
from investigator.reports.inert import inert_line

_LIMIT = 300
_WORDS = {
    QuoteState.STANDS: ("in place", "green"),
    QuoteState.FILE_CHANGED: ("in place, in a file that has changed", "green"),
    QuoteState.MOVED: ("moved", "yellow"),
    QuoteState.CHANGED: ("changed", "bold red"),
    QuoteState.NOT_IN_FILE: ("not in the file", "bold red"),
    QuoteState.UNREADABLE: ("file unreadable", "bold red"),
    QuoteState.MISSING: ("file missing", "bold red"),
}
_CAUSES = {
    QuoteState.CHANGED: "The file has changed since the report.",
    QuoteState.NOT_IN_FILE: "The file is unchanged, but the quote is not in it: the report was altered.",
}


def verified_text(verified: VerifiedReport) -> Text:
    """Return the state of each quote, with its text if it is no longer there, and the number of quotes in place."""
    lines = [line for quote in verified.quotes for line in _lines(quote)]
    total = len(verified.quotes)
    summary = f"Quotes in place: {verified.standing} of {total}." if total else "The report contains no quotes."
    lines.append(Text(summary, style="bold green" if verified.all_stand else "bold yellow"))
    return Text("\n").join(lines).append("\n")


def _lines(checked: CheckedQuote) -> Iterator[Text]:
    words, style = _WORDS[checked.state]
    place = inert_line(checked.quote.place)
    if checked.state is QuoteState.MOVED and checked.now is not None:
        place += f" -> {_place(checked.now)}"
    yield Text.assemble(
        (words, style), ": ", place, f" ({inert_line(checked.reason, _LIMIT)})" if checked.reason else ""
    )
    if checked.state in _CAUSES:
        yield Text(f"  {_CAUSES[checked.state]}")
    if checked.state in (*_CAUSES, QuoteState.UNREADABLE, QuoteState.MISSING):
        yield Text(f'  report: "{inert_line(checked.quote.text, _LIMIT)}"')
    if checked.nearest:
        yield Text(f'  file:   "{inert_line(checked.nearest, _LIMIT)}"')


def _place(quote: Quote) -> str:
    """Return the new place of a quote that was moved: its line, after its page if it has one."""
    return inert_line(quote.place if quote.page is None else f"{quote.place}, line {quote.line}")
