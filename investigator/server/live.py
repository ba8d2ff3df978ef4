"""Renders a running job for a page: pieces of HTML, each for its place on the page, made from the events so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import get_args

from markupsafe import Markup

from investigator.records import Event
from investigator.records.base import Record
from investigator.records.events import Planned, Reflected, Started
from investigator.reports.html import pages_environment
from investigator.reports.steps import Pace, counted_step, sentence, what_follows
from investigator.secrets import redacted
from investigator.server.records import JobEnded, LoggedEvent, kind_of
from investigator.server.rendering import TEMPLATES

_RECORDS: Mapping[str, type[Record]] = {kind_of(kind): kind for kind in (*get_args(Event), JobEnded)}


class PagePlace(StrEnum):
    """The place of a piece: it replaces what is there, except in the log, to which it is added."""

    NOW = "now"
    LOG = "log"
    PLAN = "plan"
    KNOWN = "known"


class Piece(Record):
    """A piece of HTML and its place."""

    place: PagePlace
    html: str


class Live:
    """Turns the events of one job, in their order, into pieces of its page."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._rounds: list[Planned] = []

    def pieces(self, logged: LoggedEvent) -> Iterator[Piece]:
        """Yield the pieces that an event brings; none if it shows nothing new."""
        event = _RECORDS[logged.kind].model_validate_json(logged.body)
        if isinstance(event, JobEnded):
            yield _piece(PagePlace.NOW, ended=event)
            return
        happened: Event = event  # type: ignore[assignment]
        if count := counted_step(happened):
            detail = count.detail(self._pace.speed(count, logged.at))
            yield _piece(PagePlace.NOW, title=count.title, detail=detail, done=count.done, total=count.total)
            if not count.last:
                return
        if words := sentence(happened):
            yield _piece(PagePlace.LOG, line=words)
        if isinstance(happened, Planned):
            self._rounds.append(happened)
            yield _piece(PagePlace.PLAN, rounds=self._rounds)
        if isinstance(happened, Reflected):
            yield _piece(PagePlace.KNOWN, reflection=happened.reflection)
        if isinstance(happened, Started) or count is None:
            yield _piece(PagePlace.NOW, title=what_follows(happened), detail="", done=None, total=None)

    def shown(self, events: Iterable[LoggedEvent]) -> Mapping[str, Markup]:
        """Return what each place of the page holds after some events."""
        places = dict.fromkeys(PagePlace, "")
        for event in events:
            for piece in self.pieces(event):
                places[piece.place] = (places[piece.place] if piece.place is PagePlace.LOG else "") + piece.html
        return {place.value: Markup(html) for place, html in places.items()}


def _piece(place: PagePlace, **values: object) -> Piece:
    template = pages_environment(TEMPLATES).get_template("live.html.j2")
    return Piece(place=place, html=redacted(str(getattr(template.module, place.value)(**values))))
