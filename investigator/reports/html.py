"""Shows an investigation as one self-contained HTML file, without external fonts or network access; pictures are
embedded. The only script on the page jumps to the next citation when a key is pressed; the page also works without it.
The page is `report.html.j2` with `report.css` embedded. All text from documents, models or the question passes through
`inert` and Jinja2's autoescape; links lead only to places on the page itself.
"""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from investigator.language.addresses import defanged
from investigator.proof.coverage import coverage_line
from investigator.records import Answer, Coverage, Investigation, Memory, PlanStep, Quote, Round
from investigator.records.documents import page_word
from investigator.reports.answer_view import answer_view, citation_numbers
from investigator.reports.enclosures import NO_ENCLOSURES, Enclosures
from investigator.reports.inert import inert, inert_line
from investigator.reports.wording import (
    FILE_STATUSES,
    STOPS,
    headline,
    open_parts,
    plural,
    readers,
    score_line,
    tainted_line,
    usage_line,
)
from investigator.secrets import redacted


@dataclass(frozen=True)
class CitedSource:
    """A citation: its number, its quote, and the ids of the memories that contain it."""

    number: int
    quote: Quote
    memory_ids: tuple[int, ...]


@dataclass(frozen=True)
class RoundView:
    """A round in the plan: its strategy, its steps, and the rejected documents."""

    number: int
    strategy: str
    steps: tuple[PlanStep, ...]
    refused_document_ids: tuple[str, ...]


@dataclass(frozen=True)
class CoverageRow:
    """How one document was treated, with the reason or the result."""

    document_id: str
    state: str
    note: str = ""


def html_report(investigation: Investigation, enclosures: Enclosures = NO_ENCLOSURES) -> str:
    """Return the investigation as a single self-contained HTML page, with known secrets redacted."""
    view = investigation_view(investigation, enclosures)
    return redacted(pages_environment().get_template("report.html.j2").render(view))


def investigation_view(investigation: Investigation, enclosures: Enclosures = NO_ENCLOSURES) -> Mapping[str, object]:
    """Return the variables for `investigation.html.j2`."""
    answer = investigation.answer
    return {
        "investigation": investigation,
        "answer": answer,
        "headline": headline(investigation),
        "shown": answer_view(answer) if answer else None,
        "readers": readers(investigation),
        "open_parts": open_parts(answer) if answer else (),
        "sources": sources(answer, investigation.memories) if answer else (),
        "numbers": citation_numbers(answer) if answer else {},
        "coverage_line": coverage_line(answer.coverage) if answer else "",
        "coverage_rows": coverage_rows(answer.coverage, investigation.memories) if answer else (),
        "rounds": tuple(_rounds(investigation)),
        "memories": sorted(investigation.memories, key=lambda memory: memory.id),
        "memory_ids": frozenset(memory.id for memory in investigation.memories),
        "tainted": tainted_line(answer.coverage.tainted) if answer else "",
        "usage": usage_line(investigation.usage, investigation.elapsed),
        "pages": enclosures.pages,
        "pages_left_out": enclosures.pages_left_out,
        "page_of": {number: page for page in reversed(enclosures.pages) for number in page.sources},
        "stop": STOPS[answer.run.stop] if answer else "the run was stopped before it was answered",
    }


def sources(answer: Answer, memories: tuple[Memory, ...]) -> tuple[CitedSource, ...]:
    """Return the citations in order of their numbers."""
    holders: defaultdict[Quote, list[int]] = defaultdict(list)
    for memory in memories:
        for quote in memory.quotes:
            holders[quote].append(memory.id)
    return tuple(
        CitedSource(number, quote, tuple(sorted(set(holders.get(quote, ())))))
        for quote, number in citation_numbers(answer).items()
    )


def coverage_rows(coverage: Coverage, memories: tuple[Memory, ...]) -> tuple[CoverageRow, ...]:
    """Return one row for each document, beginning with those that were read, then one row for each reason for excluding
    files.
    """
    by_document: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        by_document[memory.target_document_id].append(memory)
    unreadable = (
        CoverageRow(file.path, "unreadable", ": ".join(filter(None, (FILE_STATUSES[file.status], file.reason))))
        for file in coverage.unreadable
    )
    return (
        *(CoverageRow(path, "read", _gain(by_document.get(path, []))) for path in coverage.read),
        *(CoverageRow(path, "not opened", "the run ended first") for path in coverage.not_opened),
        *unreadable,
        *(CoverageRow(path, "searched", "only in the index") for path in coverage.searched),
        *(CoverageRow(item.some_names(len(item.names)), "left out", item.count_line) for item in coverage.left_out),
    )


def _gain(memories: list[Memory]) -> str:
    if not memories:
        return ""
    best = max((memory.point for memory in memories if memory.point is not None), default=None)
    replies = plural(len(memories), "reply", "replies")
    return replies if best is None else f"{replies}, best score {best}"


def _rounds(investigation: Investigation) -> Iterator[RoundView]:
    for number, planned in sorted(_planned(investigation).items()):
        yield RoundView(
            number=number,
            strategy=planned.strategy,
            steps=tuple(step for step in investigation.plan.steps if step.round == number),
            refused_document_ids=planned.refused_document_ids,
        )


def _planned(investigation: Investigation) -> dict[int, Round]:
    """Return the rounds, keyed by number; if only the steps of a round are known, the round has no strategy."""
    steps = {step.round: Round(number=step.round, strategy="") for step in investigation.plan.steps}
    return steps | {planned.number: planned for planned in investigation.rounds}


def _shown(value: object) -> object:
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _data_address(picture: bytes) -> str:
    """Return a PNG file as a data URL."""
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _code_of(script: str) -> str:
    """Return the script's hash, which the page's content security policy uses to allow no other script."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _no_link(_: Quote) -> str:
    """Return "", because a standalone page has no links."""
    return ""


@cache
def pages_environment(*folders: str) -> Environment:
    """Return the environment that renders the pages: it makes all text inert and escapes it, and rejects undefined
    names. Templates come from the given `folders` in the package, then from its `reports` folder.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("investigator", folder) for folder in (*folders, "reports")]),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        defanged=defanged, inert_line=inert_line, plural=plural, data_address=_data_address, code_of=_code_of
    )
    environment.globals.update(
        page_word=page_word,
        score_line=score_line,
        passage_link=_no_link,
    )
    return environment
