"""The state of a running job as its page shows it, based on the events so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

from fastapi.responses import StreamingResponse
from markupsafe import Markup
from pydantic import ValidationError

from investigator.asking.budget import BudgetSettings
from investigator.records import (
    Event,
    Memory,
    PartStatus,
    Planned,
    PlanStep,
    Progressed,
    Reflected,
    Reflection,
    Remembered,
    Started,
    Written,
)
from investigator.reports.html import pages_environment
from investigator.reports.steps import Pace, counted_step, sentence, what_follows
from investigator.reports.wording import duration, is_finder, plural, verdict_words
from investigator.secrets import redacted
from investigator.server.desk import Desk
from investigator.server.folders import ServedFolder
from investigator.server.records import JobEnded, LoggedEvent, ServerJob, kind_of
from investigator.server.replies import TEMPLATES, streamed

PLACES = ("now", "draft", "spent", "log", "plan", "known")
"""The places on the page, each with a macro in `live.html.j2`."""
_RECORDS: Mapping[str, type[Event | JobEnded]] = {kind_of(kind): kind for kind in (*get_args(Event), JobEnded)}
_MOST_LINES = 500  # the last lines of the log
_MOST_STEPS = 30
"""Of a round with more steps, which reads a whole folder, the page lists only the documents that say something."""


def state_of(served: ServedFolder, job: ServerJob) -> Mapping[str, object]:
    """Return the variables of the page of a job: the job, what is shown at each place, and the last event."""
    events = served.ledger.events(job.id, limit=None)
    shown = Live(served.investigator.parts.settings.budget).shown(events)
    return {"job": job, "shown": shown, "after": events[-1].number if events else 0}


def followed(
    desk: Desk, job_id: str, after: int, before: Callable[[LoggedEvent], str] = lambda _: ""
) -> StreamingResponse:
    """Return the stream of what changes on the page of a job, each time after the result of `before`."""
    served, _ = desk.kept(job_id)
    live, read = Live(served.investigator.parts.settings.budget), partial(served.ledger.events, job_id)
    # so that the remaining time and the rounds continue from the state that the page shows
    live.shown(event for event in read(limit=None) if event.number <= after)
    return streamed(read, after, desk.closing, lambda event: before(event) + live.html(event))


class Live:
    """The state of one job after its events in order; `budget` contains the limits of a run. The attributes are for the
    template: the outcome, the phase with its count and detail, the draft of the answer, the cost, the log, the parts
    and the last reflection.
    """

    def __init__(self, budget: BudgetSettings) -> None:
        self._budget = budget
        self._engine = ""
        self._pace = Pace()
        self._rounds: list[Planned] = []
        self._replies: defaultdict[int, list[Memory]] = defaultdict(list)
        self._places: Mapping[str, Markup] = {}
        self.ended: JobEnded | None = None
        self.title = self.detail = self.draft = self.spent = ""
        self.count: Progressed | None = None
        self.log: list[str] = []
        self.parts: Mapping[str, PartStatus | None] = {}
        self.reflection: Reflection | None = None

    def shown(self, events: Iterable[LoggedEvent]) -> Mapping[str, Markup]:
        """Take further events, and return the content of each place; events of other releases are ignored."""
        for logged in events:
            try:
                event = _RECORDS[logged.kind].model_validate_json(logged.body)
            except (KeyError, ValidationError):
                continue
            if isinstance(event, JobEnded):
                self.ended = event
            else:
                self._take(event, logged.at)
        macros = pages_environment(TEMPLATES).get_template("live.html.j2").module
        self._places = {place: Markup(redacted(str(getattr(macros, place)(self)))).strip() for place in PLACES}
        return self._places

    def html(self, event: LoggedEvent) -> str:
        """Take an event, and return the contents of the places that it changed, each in an element that names its
        place.
        """
        before = self._places
        changed = ((place, text) for place, text in self.shown([event]).items() if text != before.get(place, ""))
        return "".join(f'<div data-place="{place}">{text}</div>' for place, text in changed)

    def _take(self, event: Event, at: float) -> None:
        match event:
            case Started():
                self._engine = event.engine
            case Planned():
                self._rounds.append(event)
                self.parts = {part: self.parts.get(part) for part in (*self.parts, *event.parts)}
            case Remembered():
                self._replies[event.round].append(event.memory)
                self.spent = self._spent(event.calls, event.seconds)
            case Written() if not is_finder(self._engine):
                self.parts = {part.question: part.status for part in event.parts}
                self.draft = event.lead
            case Reflected():
                self.reflection = event.reflection
        self.count = counted_step(event, self._engine)
        if self.count is not None:
            self.title, self.detail = self.count.title, self._pace.detail(self.count, at)
        else:
            self.title, self.detail = what_follows(event), ""
        is_line = self.count is None or self.count.is_last
        if is_line and (words := sentence(event, self._engine)):
            self.log = [*self.log[-_MOST_LINES + 1 :], words]

    def _spent(self, calls: int, seconds: float) -> str:
        most = self._budget
        of_calls = f"{calls:,} of at most {plural(most.calls, 'call')}" if most.calls else plural(calls, "call")
        of_time = f" of at most {duration(most.seconds)}" if most.seconds else ""
        calls_so_far = "" if is_finder(self._engine) else f"{of_calls}, "
        return f"Spent: {calls_so_far}{duration(seconds)}{of_time}"

    def verdict_words(self, reply: Memory) -> str:
        """Return what a reply says of its document."""
        return verdict_words(reply, self._engine)

    def rounds(self) -> Iterator[tuple[Planned, Sequence[tuple[PlanStep, Memory | None]], int]]:
        """Yield the rounds, each with its steps and their replies, and the number of steps that are not listed."""
        for planned in self._rounds:
            left: defaultdict[str, list[Memory]] = defaultdict(list)  # several steps may query the same document
            for reply in self._replies[planned.round]:
                left[reply.target_document_id].append(reply)
            replies = (left[step.document_id] for step in planned.steps)
            rows = [(step, own.pop(0) if own else None) for step, own in zip(planned.steps, replies, strict=True)]
            evidence = [(step, reply) for step, reply in rows if reply is not None and reply.verdict.is_evidence]
            listed = rows if len(rows) <= _MOST_STEPS else evidence[:_MOST_STEPS]
            yield planned, listed, len(rows) - len(listed)
