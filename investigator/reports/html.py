"""Shows an investigation, a matrix or many questions as one self-contained HTML file, without external fonts or network
access; pictures are embedded. The only script on the page of an investigation jumps to the next citation when a key is
pressed; the page also works without it. The pages are templates with `report.css` embedded. All text from documents,
models or the question passes through `inert` and Jinja2's autoescape; links lead only to places on the page itself.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from investigator.language.addresses import defanged
from investigator.proof.coverage import coverage_line
from investigator.records import AskedQuestions, Coverage, Investigation, Matrix, Memory, PageView, Trust
from investigator.records.documents import page_word
from investigator.reports.answer_view import answer_view, citation_numbers, is_statement, shows_passages
from investigator.reports.inert import inert, inert_line
from investigator.reports.matrix import CELL_WORDS, counts_line, in_short, readers_line, size_line, support_words
from investigator.reports.wording import (
    NO_READER,
    STOPS,
    distrust_lines,
    file_words,
    headline,
    no_reader,
    open_parts,
    plural,
    reader_lines,
    readers,
    score_line,
    sentences,
    tainted_line,
    usage_line,
)
from investigator.secrets import redacted


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


def html_report(investigation: Investigation, enclosures: Enclosures = NO_ENCLOSURES) -> str:
    """Return the investigation as a single self-contained HTML page, with known secrets redacted."""
    return standalone_page("report.html.j2", **investigation_view(investigation, enclosures))


def matrix_page(matrix: Matrix) -> str:
    """Return the matrix as a single self-contained HTML page, with known secrets redacted."""
    return standalone_page("matrix.html.j2", **matrix_view(matrix))


MATRIX_WORDS: Mapping[str, object] = {"words": CELL_WORDS, "in_short": in_short, "support_words": support_words}
"""The variables of the templates for the cells of a matrix."""


def matrix_view(matrix: Matrix) -> dict[str, object]:
    """Return the variables of the templates for a matrix."""
    lines = {"size": size_line(matrix), "counts": counts_line(matrix), "engine": readers_line(matrix)}
    return {"matrix": matrix, "usage": usage_line(matrix.usage, matrix.seconds), **lines, **MATRIX_WORDS}


def questions_page(answered: AskedQuestions) -> str:
    """Return the answers to many questions as a single self-contained HTML page, with known secrets redacted."""
    headlines = [headline(each.investigation) if each.investigation else "Failed" for each in answered.outcomes]
    return standalone_page(
        "questions.html.j2",
        outcomes=list(zip(answered.outcomes, headlines, strict=True)),
        size=plural(len(answered.outcomes), "question"),
        counts=", ".join(f"{words.lower()} {count:,}" for words, count in Counter(headlines).most_common()),
        answer_view=answer_view,
        reader_lines=reader_lines,
        usage=usage_line(answered.usage, answered.seconds),
    )


def standalone_page(template: str, **values: object) -> str:
    """Return a page that needs no other file, with known secrets redacted."""
    return redacted(pages_environment().get_template(template).render(values))


def investigation_view(investigation: Investigation, enclosures: Enclosures = NO_ENCLOSURES) -> Mapping[str, object]:
    """Return the variables for `investigation.html.j2` and `answer.md.j2`."""
    answer, memories = investigation.answer, sorted(investigation.memories, key=lambda memory: memory.id)
    values: dict[str, object] = {
        "investigation": investigation,
        "answer": answer,
        "headline": headline(investigation),
        "readers": readers(investigation),
        "memories": memories,
        "memory_ids": frozenset(memory.id for memory in memories),
        "usage": usage_line(investigation.usage, investigation.elapsed),
        "pages": enclosures.pages,
        "pages_left_out": enclosures.pages_left_out,
        "page_of": {number: page for page in reversed(enclosures.pages) for number in page.sources},
    }
    if answer is None:
        nothing = dict.fromkeys(
            ("shown", "open_parts", "distrust", "sources", "numbers", "coverage_line", "tainted", "are_passages"), ()
        )
        return {**values, **nothing, "covered": "", "reason": "", "stop": "the run was stopped before it was answered"}
    numbers = citation_numbers(answer)
    are_passages = shows_passages(answer) and len(answer.details) == len(numbers)
    is_unread = answer.check.trust is Trust.UNREAD
    unread = no_reader(answer) if are_passages else f"{answer.reason} {NO_READER}".strip()
    reason = unread if is_unread else answer.reason
    return {
        **values,
        "shown": answer_view(answer),
        "open_parts": open_parts(answer),
        "are_passages": are_passages,
        "reason": reason,
        "readers": [line for line in readers(investigation) if line != NO_READER],
        "distrust": () if is_unread else distrust_lines(answer, investigation.setup.engines),
        "sources": () if are_passages else [(n, quote, is_statement(quote, answer)) for quote, n in numbers.items()],
        "numbers": numbers,
        "coverage_line": coverage_line(answer.coverage),
        "covered": coverage_line(answer.coverage, with_names=False),
        "coverage_rows": list(_coverage_rows(answer.coverage, memories)),
        "tainted": tainted_line(answer.coverage.tainted),
        "stop": STOPS[answer.run.stop],
    }


def _coverage_rows(coverage: Coverage, memories: Sequence[Memory]) -> Iterator[tuple[str, str, str]]:
    """Yield each document, how it was treated, and the reason or the result, beginning with those that were read; then
    the same for each reason for excluding files.
    """
    points: defaultdict[str, list[int | None]] = defaultdict(list)
    for memory in memories:
        points[memory.target_document_id].append(memory.point)
    for path in coverage.read:
        best = max((point for point in points[path] if point is not None), default=None)
        replies = plural(len(points[path]), "reply", "replies") if points[path] else ""
        yield path, "read", replies if best is None else f"{replies}, best score {best}"
    yield from ((path, "not opened", "the run ended first") for path in coverage.not_opened)
    for file in coverage.unreadable:
        yield file.path, "unreadable" if file.counts else file.status.value, file_words(file)
    yield from ((path, "searched", "only in the index") for path in coverage.searched)
    yield from ((item.some_names(len(item.names)), "left out", item.count_line) for item in coverage.left_out)


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
    environment.globals.update(
        page_word=page_word, sentences=sentences, score_line=score_line, passage_link=lambda _: ""
    )
    return environment
