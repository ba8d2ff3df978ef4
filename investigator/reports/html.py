"""Shows an investigation, a matrix or many questions as one self-contained HTML file, without external fonts or network
access; pictures are embedded. The only script on the page of an investigation jumps to the next citation when a key is
pressed; the page also works without it. The pages are templates with `report.css` embedded. All text from documents,
models or the question passes through `inert` and Jinja2's autoescape; links lead only to places on the page itself.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from investigator.language.addresses import defanged
from investigator.proof.coverage import coverage_line
from investigator.records import (
    Answer,
    AskedQuestions,
    Coverage,
    Investigation,
    Matrix,
    Memory,
    PlanStep,
    QuestionOutcome,
    Quote,
    Round,
)
from investigator.records.documents import page_word
from investigator.reports.answer_view import answer_view, citation_numbers
from investigator.reports.enclosures import NO_ENCLOSURES, Enclosures
from investigator.reports.inert import inert, inert_line
from investigator.reports.matrix import CELL_WORDS, counts_line, in_short, readers_line, size_line, support_words
from investigator.reports.wording import (
    STOPS,
    file_words,
    headline,
    open_parts,
    plural,
    reader_lines,
    readers,
    score_line,
    tainted_line,
    usage_line,
)
from investigator.secrets import redacted


def html_report(investigation: Investigation, enclosures: Enclosures = NO_ENCLOSURES) -> str:
    """Return the investigation as a single self-contained HTML page, with known secrets redacted."""
    return _page("report.html.j2", investigation_view(investigation, enclosures))


def matrix_page(matrix: Matrix) -> str:
    """Return the matrix as a single self-contained HTML page, with known secrets redacted."""
    values = {
        "matrix": matrix,
        "size": size_line(matrix),
        "counts": counts_line(matrix),
        "words": CELL_WORDS,
        "in_short": in_short,
        "support_words": support_words,
        "engine": readers_line(matrix),
        "usage": usage_line(matrix.usage, matrix.seconds),
    }
    return _page("matrix.html.j2", values)


def questions_page(answered: AskedQuestions) -> str:
    """Return the answers to many questions as a single self-contained HTML page, with known secrets redacted."""
    counts = Counter(_outcome_words(outcome).lower() for outcome in answered.outcomes)
    values = {
        "answered": answered,
        "size": plural(len(answered.outcomes), "question"),
        "counts": ", ".join(f"{words} {count:,}" for words, count in counts.most_common()),
        "headline": _outcome_words,
        "answer_view": answer_view,
        "reader_lines": reader_lines,
        "usage": usage_line(answered.usage, answered.seconds),
    }
    return _page("questions.html.j2", values)


def _page(template: str, values: Mapping[str, object]) -> str:
    return redacted(pages_environment().get_template(template).render(values))


def _outcome_words(outcome: QuestionOutcome) -> str:
    """Return the status of a question's answer in a few words."""
    return headline(outcome.investigation) if outcome.investigation is not None else "Failed"


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
        "sources": tuple(_sources(answer, investigation.memories)) if answer else (),
        "numbers": citation_numbers(answer) if answer else {},
        "coverage_line": coverage_line(answer.coverage) if answer else "",
        "coverage_rows": tuple(_coverage_rows(answer.coverage, investigation.memories)) if answer else (),
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


def _sources(answer: Answer, memories: Sequence[Memory]) -> Iterator[tuple[int, Quote, Sequence[int]]]:
    """Yield the number of each citation, its quote, and the ids of the memories that contain it."""
    for quote, number in citation_numbers(answer).items():
        yield number, quote, sorted({memory.id for memory in memories if quote in memory.quotes})


def _coverage_rows(coverage: Coverage, memories: Sequence[Memory]) -> Iterator[tuple[str, str, str]]:
    """Yield each document, how it was treated, and the reason or the result, beginning with those that were read; then
    the same for each reason for excluding files.
    """
    points: defaultdict[str, list[int | None]] = defaultdict(list)
    for memory in memories:
        points[memory.target_document_id].append(memory.point)
    yield from ((path, "read", _gain(points[path])) for path in coverage.read)
    yield from ((path, "not opened", "the run ended first") for path in coverage.not_opened)
    for file in coverage.unreadable:
        yield file.path, "unreadable", file_words(file)
    yield from ((path, "searched", "only in the index") for path in coverage.searched)
    yield from ((item.some_names(len(item.names)), "left out", item.count_line) for item in coverage.left_out)


def _gain(points: Sequence[int | None]) -> str:
    best = max((point for point in points if point is not None), default=None)
    replies = plural(len(points), "reply", "replies") if points else ""
    return replies if best is None else f"{replies}, best score {best}"


def _rounds(investigation: Investigation) -> Iterator[tuple[Round, Sequence[PlanStep]]]:
    """Yield the rounds with their steps; if only the steps of a round are known, the round has no strategy."""
    steps: defaultdict[int, list[PlanStep]] = defaultdict(list)
    for step in investigation.plan.steps:
        steps[step.round].append(step)
    rounds = {planned.number: planned for planned in investigation.rounds}
    for number in sorted({*steps, *rounds}):
        yield rounds.get(number) or Round(number=number, strategy=""), steps[number]


def _shown(value: object) -> object:
    return inert(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _data_address(picture: bytes) -> str:
    """Return a PNG file as a data URL."""
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _code_of(script: str) -> str:
    """Return the script's hash, which the page's content security policy uses to allow no other script."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


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
    # a standalone page has no links to passages
    environment.globals.update(page_word=page_word, score_line=score_line, passage_link=lambda _: "")
    return environment
