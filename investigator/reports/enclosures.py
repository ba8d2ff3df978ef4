"""The data that a report shows in addition to the record of an investigation."""

from __future__ import annotations

from dataclasses import dataclass, field

from investigator.records import PageView


@dataclass(frozen=True)
class CitedPage:
    """A page that contains sources of an answer, with their marks and numbers, and its picture as a PNG file."""

    view: PageView
    sources: tuple[int, ...]
    picture: bytes = field(repr=False)


@dataclass(frozen=True)
class Enclosures:
    """Pictures of the pages that an answer cites.

    `pages_left_out` counts the cited pages whose pictures would make the report too large.
    """

    pages: tuple[CitedPage, ...] = ()
    pages_left_out: int = 0


NO_ENCLOSURES = Enclosures()
