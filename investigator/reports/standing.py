"""Shows an update of standing questions as text for a terminal: each answer before and now. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from investigator.language.addresses import defanged
from investigator.records import Answer, AskedAnew, Change, DocumentChange, Quote, StandingUpdate
from investigator.reports.inert import inert_line
from investigator.reports.wording import HEADLINES, calls_words, plural, some_names

_MOST_NAMES, _MOST_QUOTES, _LONGEST = 3, 3, 300


def update_text(update: StandingUpdate) -> Text:
    """Return what the questions of an update have as answers now, and what they had before; ends with a newline."""
    blocks = [Text("\n").join(_lines(asked)) for asked in update.asked]
    return Text("\n\n").join(blocks).append("\n\n" if blocks else "")


def summary_line(update: StandingUpdate) -> str:
    """Return one line on an update: which documents changed, how many questions were asked, how many answers stand."""
    names = some_names(_named(update.documents), _MOST_NAMES)
    documents = f"{plural(len(update.documents), 'document')} changed: {names}; " if update.documents else ""
    asked = f"{plural(len(update.asked), 'question')} asked, " if update.asked else ""
    stand = f"{plural(len(update.kept), 'answer')} {'stands' if len(update.kept) == 1 else 'stand'}"
    return f"{documents}{asked}{stand}; {', '.join([*calls_words(update.usage)[:1], f'{update.seconds:.1f} s'])}"


def _lines(asked: AskedAnew) -> Iterator[Text]:
    because = f" - because of {some_names(_named(asked.because), _MOST_NAMES)}" if asked.because else ""
    yield Text.assemble((inert_line(asked.question), "bold"), because)
    if asked.failure:
        yield Text(f"Failed: {inert_line(asked.failure)}; it is asked again", style="bold red")
    if asked.answer is None:
        return
    if not asked.differs:
        yield Text(f"The quotes are the same: {_value(asked.answer)}")
    else:
        before = {quote.text for quote in asked.earlier.citations} if asked.earlier is not None else set[str]()
        now = {quote.text for quote in asked.answer.citations}
        if asked.earlier is not None:
            yield from _side("Before", asked.earlier, now)
        yield from _side("Now", asked.answer, before)
    yield Text(f"Run: {inert_line(asked.answer.run.id)}, as of {inert_line(asked.answer.run.day)}", style="dim")


def _side(when: str, answer: Answer, other: set[str]) -> Iterator[Text]:
    """Yield what an answer says, and its first quotes that the `other` answer lacks, or else its first quotes."""
    yield Text.assemble((f"{when}, as of {inert_line(answer.run.day)}: ", "bold yellow"), _value(answer))
    own = [quote for quote in answer.citations if quote.text not in other] or answer.citations
    yield from (Text.assemble(("  " + inert_line(quote.place), "cyan"), _words(quote)) for quote in own[:_MOST_QUOTES])


def _value(answer: Answer) -> str:
    status, lead = HEADLINES[answer.status], next((statement.text for statement in answer.statements), "")
    return f"{status}: {inert_line(defanged(lead), _LONGEST)}" if lead else f"{status}."


def _words(quote: Quote) -> str:
    return f'  "{inert_line(defanged(quote.inline), _LONGEST)}"'


def _named(changes: tuple[DocumentChange, ...]) -> list[str]:
    return [
        change.document_id if change.change is Change.CHANGED else f"{change.document_id} ({change.change})"
        for change in changes
    ]
