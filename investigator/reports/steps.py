"""Describes events in words. Pure: the current time is an argument."""

from __future__ import annotations

from dataclasses import dataclass

from investigator.records import (
    Answered,
    Checked,
    Embedded,
    Event,
    FileRead,
    FileRecord,
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
from investigator.reports.wording import FILE_STATUSES, duration, is_finder, plural, score_line

_LINE = 200


@dataclass(frozen=True)
class Count:
    """Progress: item `done` of `total`. `kind` identifies the phase, and `about` contains the details of this item. If
    `rated` is True, the speed is shown; `passages` is the number of passages from this item.
    """

    kind: str
    phase: str
    done: int
    total: int
    about: tuple[str, ...]
    rated: bool = False
    passages: int = 0

    @property
    def last(self) -> bool:
        """Return True if this is the last item of its phase."""
        return self.done >= self.total

    @property
    def title(self) -> str:
        """Return the phase and its progress."""
        return f"{self.phase} {self.done}/{self.total}"

    def detail(self, speed: Speed) -> str:
        """Return the details of the item, with the speed and the remaining time if known."""
        parts = list(self.about)
        if self.rated and speed.per_second is not None:
            parts.append(f"{_rounded(speed.per_second)} {self.kind}/s")
        if self.rated and speed.passages_per_second:
            parts.append(f"{_rounded(speed.passages_per_second)} passages/s")
        if speed.seconds_left is not None:
            parts.append(f"about {duration(speed.seconds_left)} left")
        return ", ".join(parts)

    def line(self, speed: Speed) -> str:
        """Return the title and the details in one plain line."""
        return f"{self.title}: {self.detail(speed)}".removesuffix(": ")


@dataclass(frozen=True)
class Speed:
    """Items per second so far, and the remaining seconds at that speed; None if unknown, or if all items are done."""

    per_second: float | None = None
    passages_per_second: float | None = None
    seconds_left: float | None = None


class Pace:
    """Measures the speed of a counted phase; times are seconds from any monotonic clock."""

    def __init__(self) -> None:
        self._kind = ""
        self._began = 0.0
        self._first = 0
        self._passages = 0

    def begin(self, kind: str, now: float, done: int = 0) -> None:
        """Start measuring a phase; without this call, a phase starts with the first count of another kind."""
        self._kind, self._began, self._first, self._passages = kind, now, done, 0

    def speed(self, count: Count, now: float) -> Speed:
        """Return the speed since the phase began; call this once for each count."""
        if count.kind != self._kind:
            self.begin(count.kind, now, count.done)
            return Speed()
        self._passages += count.passages
        seconds = now - self._began
        if count.done <= self._first or seconds <= 0:
            return Speed()
        per_second = (count.done - self._first) / seconds
        left = None if count.last else (count.total - count.done) / per_second
        return Speed(per_second, self._passages / seconds, left)


def round_kind(number: int) -> str:
    """Return the name of a round's counter."""
    return f"round {number}"


def counted_step(event: Event, engine: str) -> Count | None:
    """Return the event as a count if it reports the progress of a phase, otherwise None. `engine` is the name of the
    engine, if the run has begun.
    """
    match event:
        case FileRead():
            fate = () if event.file.status is FileStatus.INDEXED else (_fate(event.file),)
            about = (inert_line(event.file.path, _LINE), *fate)
            brought = sum(file.chunks for file in event.files)
            return Count("files", "reading", event.done, event.total, about, True, brought)
        case Embedded():
            kind, phase = "passages", "computing vectors"
            if event.sentences:
                kind, phase = "passages' sentences", "computing sentence vectors"
            return Count(kind, phase, event.done, event.total, (), True)
        case Progressed():
            return Count(event.phase, event.phase, event.done, event.total, event.about)
        case Remembered():
            about = (inert_line(event.memory.target_document_id, _LINE), score_line(event.memory, engine))
            cost = (plural(event.calls, "call"), duration(event.seconds))
            return Count(round_kind(event.round), f"round {event.round}, step", event.done, event.total, about + cost)
    return None


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
            return f"round {event.round}: answer written, {answered} of {plural(len(event.parts), 'part')} answered"
        case Reflected():
            known, unknown = len(event.reflection.known), len(event.reflection.unknown)
            return f"round {event.reflection.round} reviewed: {plural(known, 'fact')} known, {unknown} unknown"
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
        parts += [f"{_rounded(speed)}/s", f"about {left} left" if reads else f"at most {left} left"]
    return ", ".join(parts)


def what_follows(event: Event) -> str:
    """Return the phase that follows the event, shown until the next event."""
    match event:
        case Started() | Reflected():
            return "planning"
        case Planned():
            return f"round {event.round}, asking"
        case Remembered():
            return "writing the answer"
        case Written():
            return "checking or reviewing"
        case Checked():
            return "finishing"
        case Answered():
            return "done"
    return "preparing"


def _planned(event: Planned) -> str:
    parts = [f"round {event.round}: {plural(len(event.steps), 'step')}"]
    if event.decides is Scope.EVERY:
        parts.append("every document is decided")
    if event.refused_document_ids:
        parts.append(f"{len(event.refused_document_ids)} rejected (no such document)")
    notes = [f"read as: {inert_line(event.read_as, _LINE)}" if event.read_as else "", inert_line(event.strategy, _LINE)]
    return "; ".join([", ".join(parts), *filter(None, notes)])


def _fate(file: FileRecord) -> str:
    reason = f": {inert_line(file.reason, _LINE)}" if file.reason else ""
    return f"{FILE_STATUSES[file.status]}{reason}"


def _rounded(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"
