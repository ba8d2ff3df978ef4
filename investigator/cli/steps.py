"""Events in words: pure, with the clock as an argument."""

from __future__ import annotations

from dataclasses import dataclass

from investigator.records import (
    Answered,
    Embedded,
    Event,
    FileRead,
    FileStatus,
    Notice,
    Planned,
    Reflected,
    Remembered,
    Started,
    Thought,
)
from investigator.reports.inert import one_line
from investigator.reports.wording import FILE_STATUSES, counted, duration

_TERMS_SHOWN = 8
_LINE = 200


@dataclass(frozen=True)
class Count:
    """The how-manieth of how many: `kind` tells phases apart, `about` says what is special of this one."""

    kind: str
    phase: str
    done: int
    total: int
    about: tuple[str, ...]

    @property
    def last(self) -> bool:
        """Whether the phase ends with this one."""
        return self.done >= self.total

    @property
    def title(self) -> str:
        """The phase and how far it is."""
        return f"{self.phase} {self.done}/{self.total}"

    def detail(self, seconds_left: float | None) -> str:
        """What is special of this one, with the time left where it is known."""
        left = () if seconds_left is None else (f"about {duration(seconds_left)} left",)
        return ", ".join((*self.about, *left))

    def line(self, seconds_left: float | None) -> str:
        """The whole in one plain line."""
        return f"{self.title}: {self.detail(seconds_left)}".removesuffix(": ")


class Pace:
    """How fast a counted phase goes; times are seconds of any steady clock."""

    def __init__(self) -> None:
        self._kind = ""
        self._began = 0.0
        self._first = 0

    def left(self, count: Count, now: float) -> float | None:
        """Seconds left at the pace since the first count of this kind; None where there is no pace yet."""
        if count.kind != self._kind:
            self._kind, self._began, self._first = count.kind, now, count.done
        if count.last or count.done <= self._first:
            return None
        return (now - self._began) / (count.done - self._first) * (count.total - count.done)


def counted_step(event: Event) -> Count | None:
    """The event as a count, where it is one of many of its kind."""
    match event:
        case FileRead():
            fate = () if event.status is FileStatus.INDEXED else (_fate(event),)
            return Count("files", "reading", event.done, event.total, (one_line(event.path, _LINE), *fate))
        case Embedded():
            return Count("passages", "indexing passages", event.done, event.total, ())
        case Remembered():
            point = "no point" if event.memory.point is None else f"point {event.memory.point}"
            about = (one_line(event.memory.target_document_id, _LINE), point)
            cost = (counted(event.calls, "call"), duration(event.seconds))
            return Count(f"round {event.round}", f"round {event.round}, step", event.done, event.total, about + cost)
    return None


def sentence(event: Event) -> str:
    """What a single event says, in one line; empty where it needs no words."""
    match event:
        case Notice():
            return f"note: {one_line(event.text)}"
        case Started():
            begins = "going on with run" if event.resumed else "run"
            return (
                f"{begins} {one_line(event.run_id)}: {counted(event.documents, 'document')}, {one_line(event.engine)}"
            )
        case Thought():
            terms = [one_line(need.term, 60) for need in event.needs[:_TERMS_SHOWN]]
            return f"must be known: {', '.join(terms)}" if terms else ""
        case Planned():
            return _planned(event)
        case Reflected():
            known = sum(len(item.known_infos) for item in event.reflection.knowledge)
            unknown = len(event.reflection.unknown_infos)
            return f"round {event.reflection.round} thought over: {known} known, {unknown} unknown"
    return ""


def what_follows(event: Event) -> str:
    """What is being done after the event, until the next one says so itself."""
    match event:
        case Started():
            return "thinking what must be known"
        case Thought() | Reflected():
            return "deciding what comes next"
        case Planned():
            return f"round {event.round}, asking"
        case Remembered():
            return "thinking it over"
        case Answered():
            return "done"
    return "preparing"


def _planned(event: Planned) -> str:
    words = f"round {event.round}: {counted(len(event.steps), 'step')}"
    if event.refused_document_ids:
        words += f", {len(event.refused_document_ids)} refused (no such document)"
    return f"{words}; {one_line(event.strategy, _LINE)}" if event.strategy.strip() else words


def _fate(event: FileRead) -> str:
    reason = f": {one_line(event.reason, _LINE)}" if event.reason else ""
    return f"{FILE_STATUSES[event.status]}{reason}"
