"""Renders a running job as pieces of HTML with their places on the page, based on its events so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
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
from investigator.server.replies import TEMPLATES

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


_Piece = tuple[PagePlace, str]
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

    def html(self, logged: LoggedEvent) -> str:
        """Return the pieces for an event, each in an element that names its place."""
        return "".join(f'<div data-place="{place.value}">{text}</div>' for place, text in self._pieces(logged))

    def shown(self, events: Iterable[LoggedEvent]) -> Mapping[str, Markup]:
        """Return the contents of each place on the page after the given events."""
        places = dict.fromkeys(PagePlace, "")
        for event in events:
            for place, text in self._pieces(event):
                places[place] = (places[place] if place is PagePlace.LOG else "") + text
        return {place.value: Markup(text) for place, text in places.items()}

    def _pieces(self, logged: LoggedEvent) -> Iterator[_Piece]:
        """Yield the pieces for an event; none for an event that a release stored in another form."""
        try:
            event = _RECORDS[logged.kind].model_validate_json(logged.body)
        except (KeyError, ValidationError):
            return
        if isinstance(event, JobEnded):
            yield _piece(PagePlace.NOW, ended=event)
        else:
            yield from self._knowledge(event)
            yield from self._progress(event, logged.at)

    def _progress(self, event: Event, at: float) -> Iterator[_Piece]:
        if isinstance(event, Started):
            self._engine = event.engine
        if count := counted_step(event, self._engine):
            detail = self._pace.detail(count, at)
            yield _piece(PagePlace.NOW, title=count.title, detail=detail, done=count.done, total=count.total)
            if not count.last:
                return
        if words := served_words(sentence(event, self._engine)):
            yield _piece(PagePlace.LOG, line=words)
        if count is None:
            yield _piece(PagePlace.NOW, title=what_follows(event))

    def _knowledge(self, event: Event) -> Iterator[_Piece]:
        """Yield the pieces for the changes that an event makes to the plan, the knowledge and the cost."""
        match event:
            case Planned():
                self._rounds.append(event)
                self._parts = {part: self._parts.get(part) for part in (*self._parts, *event.parts)}
                yield self._plan()
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

    def _plan(self) -> _Piece:
        rounds = []
        for planned in self._rounds:
            left: defaultdict[str, list[Memory]] = defaultdict(list)  # several steps may query the same document
            for reply in self._replies.get(planned.round, ()):
                left[reply.target_document_id].append(reply)
            replies = (left[step.document_id] for step in planned.steps)
            rows = [(step, own.pop(0) if own else None) for step, own in zip(planned.steps, replies, strict=True)]
            evidence = [(step, reply) for step, reply in rows if reply is not None and reply.verdict.is_evidence]
            listed = rows if len(rows) <= _MOST_STEPS else evidence[:_MOST_STEPS]
            rounds.append((planned, listed, len(rows) - len(listed)))
        return _piece(PagePlace.PLAN, rounds=rounds, engine=self._engine, verdict_words=verdict_words)

    def _known(self) -> _Piece:
        return _piece(PagePlace.KNOWN, parts=self._parts, reflection=self._reflection)


def _piece(place: PagePlace, **values: object) -> _Piece:
    template = pages_environment(TEMPLATES).get_template("live.html.j2")
    return place, redacted(str(getattr(template.module, place.value)(**values)))
