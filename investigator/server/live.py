"""Renders a running job as pieces of HTML with their places on the page, based on its events so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import get_args

from markupsafe import Markup
from pydantic import ValidationError

from investigator.asking.budget import BudgetSettings
from investigator.records import (
    Event,
    Memory,
    PartStatus,
    Planned,
    PlanStep,
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
from investigator.server.problems import served_words
from investigator.server.records import JobEnded, LoggedEvent, kind_of
from investigator.server.rendering import TEMPLATES

_RECORDS: Mapping[str, type[Event | JobEnded]] = {kind_of(kind): kind for kind in (*get_args(Event), JobEnded)}
_MOST_STEPS = 30
"""Of a round with more steps, which reads a whole folder, the page lists only the documents that say something."""


class PagePlace(StrEnum):
    """A place on the page. A piece replaces the content of its place, except in the log, to which it is appended."""

    NOW = "now"
    SPENT = "spent"
    LOG = "log"
    PLAN = "plan"
    KNOWN = "known"


Piece = tuple[PagePlace, str]
"""A place and its HTML."""


class Live:
    """Converts the events of one job, in order, to pieces of its page; `budget` contains the limits of a run."""

    def __init__(self, budget: BudgetSettings) -> None:
        self._budget = budget
        self._engine = ""
        self._pace = Pace()
        self._rounds: list[Planned] = []
        self._replies: dict[int, list[Memory]] = {}
        self._parts: Mapping[str, PartStatus | None] = {}
        self._reflection: Reflection | None = None

    def pieces(self, logged: LoggedEvent) -> Iterator[Piece]:
        """Yield the pieces for an event, or nothing if the page does not change."""
        event = _recorded(logged)
        if isinstance(event, JobEnded):
            yield _piece(PagePlace.NOW, ended=event)
        elif event is not None:
            yield from self._progress(event, logged.at)

    def _progress(self, event: Event, at: float) -> Iterator[Piece]:
        if isinstance(event, Started):
            self._engine = event.engine
        yield from self._knowledge(event)
        if count := counted_step(event, self._engine):
            detail = self._pace.detail(count, at)
            yield _piece(PagePlace.NOW, title=count.title, detail=detail, done=count.done, total=count.total)
            if not count.last:
                return
        if words := served_words(sentence(event, self._engine)):
            yield _piece(PagePlace.LOG, line=words)
        if isinstance(event, Started) or count is None:
            yield _piece(PagePlace.NOW, title=what_follows(event), detail="", done=None, total=None)

    def _knowledge(self, event: Event) -> Iterator[Piece]:
        """Yield the pieces for the changes that an event makes to the plan, the knowledge and the cost."""
        match event:
            case Planned():
                self._rounds.append(event)
                yield self._plan()
                self._parts = {part: self._parts.get(part) for part in (*self._parts, *event.parts)}
                yield self._known()
            case Remembered():
                self._replies.setdefault(event.round, []).append(event.memory)
                yield self._plan()
                yield _piece(PagePlace.SPENT, line=self._spent(event.calls, event.seconds))
            case Written() if not is_finder(self._engine):
                self._parts = {part.question: part.status for part in event.parts}
                yield self._known()
            case Reflected():
                self._reflection = event.reflection
                yield self._known()

    def _spent(self, calls: int, seconds: float) -> str:
        most = self._budget
        of_calls = f"{calls:,} of at most {plural(most.calls, 'call')}" if most.calls else plural(calls, "call")
        of_time = f" of at most {duration(most.seconds)}" if most.seconds else ""
        return f"Spent: {of_calls}, {duration(seconds)}{of_time}"

    def _plan(self) -> Piece:
        rounds = []
        for planned in self._rounds:
            rows = _replied(planned.steps, self._replies.get(planned.round, ()))
            evidence = [(step, reply) for step, reply in rows if reply is not None and reply.verdict.is_evidence]
            listed = rows if len(rows) <= _MOST_STEPS else evidence[:_MOST_STEPS]
            rounds.append((planned, listed, len(rows) - len(listed)))
        return _piece(PagePlace.PLAN, rounds=rounds, engine=self._engine, verdict_words=verdict_words)

    def _known(self) -> Piece:
        return _piece(PagePlace.KNOWN, parts=self._parts, reflection=self._reflection)

    def shown(self, events: Iterable[LoggedEvent]) -> Mapping[str, Markup]:
        """Return the contents of each place on the page after the given events."""
        places = dict.fromkeys(PagePlace, "")
        for event in events:
            for place, html in self.pieces(event):
                places[place] = (places[place] if place is PagePlace.LOG else "") + html
        return {place.value: Markup(html) for place, html in places.items()}


def _recorded(logged: LoggedEvent) -> Event | JobEnded | None:
    """Return the record of a stored event; None if a release whose events had another form stored it."""
    kind = _RECORDS.get(logged.kind)
    try:
        return kind.model_validate_json(logged.body) if kind is not None else None
    except ValidationError:
        return None


def _replied(steps: Sequence[PlanStep], replies: Sequence[Memory]) -> Sequence[tuple[PlanStep, Memory | None]]:
    """Return the steps of a round with their replies; several steps may query the same document."""
    left: dict[str, list[Memory]] = {}
    for reply in replies:
        left.setdefault(reply.target_document_id, []).append(reply)
    return [(step, left[step.document_id].pop(0) if left.get(step.document_id) else None) for step in steps]


def _piece(place: PagePlace, **values: object) -> Piece:
    template = pages_environment(TEMPLATES).get_template("live.html.j2")
    return place, redacted(str(getattr(template.module, place.value)(**values)))
