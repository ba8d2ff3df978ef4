"""Describes events in words. Pure: the current time is an argument."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.records import (
    Answered,
    Checked,
    Embedded,
    Event,
    FileRead,
    FileStatus,
    Notice,
    PartStatus,
    Planned,
    Progressed,
    Reflected,
    Remembered,
    Scope,
    Started,
    Writing,
    Written,
)
from investigator.reports.inert import inert_line
from investigator.reports.wording import duration, file_words, is_finder, plural, score_line

_LINE = 200
_NEXT: Mapping[type[Event], str] = {
    **dict.fromkeys((Started, Reflected), "choosing documents"),
    Remembered: "writing the answer",
    Written: "checking the answer against its quotes",
    Checked: "finishing",
    Answered: "done",
}


class Pace:
    """Estimates the remaining time of a phase from its items so far."""

    def __init__(self) -> None:
        self._phase = ""
        self._began = 0.0
        self._first = 0

    def detail(self, count: Progressed, now: float) -> str:
        """Return the details of an item and the remaining time, if it is known; call this once for each count. `now` is
        in seconds, from any monotonic clock.
        """
        if count.phase != self._phase:
            self._phase, self._began, self._first = count.phase, now, count.done
        done, seconds, left = count.done - self._first, now - self._began, list[str]()
        if done > 0 and seconds > 0 and not count.is_last:
            left = [f"about {duration(seconds / done * (count.total - count.done))} left"]
        return ", ".join([*count.about, *left])


def counted_step(event: Event, engine: str) -> Progressed | None:
    """Return the progress that an event reports, or None. `engine` is the name of the engine, if the run has begun."""
    match event:
        case FileRead():
            fate = () if event.file.status is FileStatus.INDEXED else (inert_line(file_words(event.file), _LINE),)
            phase, about = "reading files", (inert_line(event.file.path, _LINE), *fate)
        case Embedded():
            phase, about = "computing sentence vectors" if event.sentences else "computing vectors", ()
        case Progressed():
            return event
        case Remembered():
            phase = f"{_again(event.round)}reading documents"
            about = (inert_line(event.memory.target_document_id, _LINE), score_line(event.memory, engine))
        case _:
            return None
    return Progressed(phase=phase, done=event.done, total=event.total, about=about)


def sentence(event: Event, engine: str) -> str:
    """Return the event as one line; "" if the event is not shown, as the steps of a finder that only a reader takes."""
    if is_finder(engine) and isinstance(event, Written | Reflected | Checked):
        return ""
    match event:
        case Notice():
            return f"note: {inert_line(event.text)}"
        case Started():
            run = f"{'resuming run' if event.resumed else 'run'} {inert_line(event.run_id)}"
            return f"{run}: {plural(event.documents, 'document')}, {inert_line(event.engine)}"
        case Planned():
            return _planned(event)
        case Written():
            answered = sum(part.status in (PartStatus.ANSWERED, PartStatus.PREMISE_WRONG) for part in event.parts)
            parts = plural(len(event.parts), "part")
            return f"{_again(event.round)}answer written; it answers {answered} of {parts} of the question"
        case Reflected():
            known, unknown = len(event.reflection.known), len(event.reflection.unknown)
            about = f"{plural(known, 'fact')} known so far, {plural(unknown, 'question')} open"
            return f"{_again(event.reflection.round)}reviewed: {about}"
        case Checked():
            withheld = f", {event.withheld} withheld" if event.withheld else ""
            return f"checked: {plural(event.shown, 'statement')} shown{withheld}"
    return ""


def writing_line(writing: Writing) -> str:
    """Return the progress of a local model: tokens read or written, their speed, and the remaining time."""
    reads = not writing.written
    done, total = (writing.read, writing.to_read) if reads else (writing.written, writing.most)
    parts = [f"the model {'reads' if reads else 'writes'}: {done:,}{f'/{total:,}' if reads else ''} tokens"]
    if done and writing.seconds >= 1:
        speed = done / writing.seconds
        left = duration((total - done) / speed)
        parts.append(f"{speed:.0f}/s" if speed >= 10 else f"{speed:.1f}/s")
        parts.append(f"about {left} left" if reads else f"at most {left} left")
    return ", ".join(parts)


def what_follows(event: Event) -> str:
    """Return the phase that follows the event, shown until the next event."""
    if isinstance(event, Planned):
        return f"{_again(event.round)}reading documents"
    return _NEXT.get(type(event), "starting")


def _again(number: int) -> str:
    """Return what a line of a later round begins with; "" in the first one."""
    return f"round {number}: " if number > 1 else ""


def _planned(event: Planned) -> str:
    decides = ", every document is decided" if event.decides is Scope.EVERY else ""
    refused = f", {len(event.refused_document_ids)} rejected (no such document)" if event.refused_document_ids else ""
    read_as = f"read as: {inert_line(event.read_as, _LINE)}" if event.read_as else ""
    steps = f"{_again(event.round)}{plural(len(event.steps), 'document')} to read{decides}{refused}"
    return "; ".join(filter(None, (steps, read_as, inert_line(event.strategy, _LINE))))
