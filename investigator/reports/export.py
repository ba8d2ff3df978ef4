"""Exports an investigation as files for other programs: Markdown, JSON, a table of the evidence, and the cited
documents.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

from investigator.documents.own_results import EVIDENCE_HEADING
from investigator.evidence.coverage import coverage_line
from investigator.language.addresses import defanged
from investigator.records import Document, Investigation
from investigator.reports.html import cited_claims, sources
from investigator.reports.inert import inert, inert_json_prose, inert_line
from investigator.reports.references import Reference, bibtex, csl_json, references
from investigator.reports.schemas import Printed, stamped
from investigator.reports.spreadsheets import inert_in_csv
from investigator.reports.tables import no_line, table_rows, verdict_words
from investigator.reports.wording import engine_line, headline, near_miss_line, usage_line
from investigator.secrets import redacted

ANSWER, RECORD, EVIDENCE = "answer.md", "investigation.json", "evidence.csv"
BIBTEX, CSL = "references.bib", "references.json"
EXPORTED = (ANSWER, RECORD, EVIDENCE, BIBTEX, CSL)
"""The names of the files."""

_MARKED_UP = re.compile(r"([\\`*_\[\]<>#|])")
_LIST_MARK = re.compile(r"^(\s*)([-+]|\d{1,9}[.)])(?=\s)", re.MULTILINE)


def exported(investigation: Investigation, documents: Mapping[str, Document]) -> Mapping[str, bytes]:
    """Return the exported files, keyed by name; `documents` contains the cited documents that are available."""
    answer = investigation.answer
    cited = dict.fromkeys(quote.document_id for quote in (answer.citations if answer is not None else ()))
    known = references(documents[name] for name in cited if name in documents)
    texts = {
        ANSWER: _markdown(investigation),
        RECORD: inert_json_prose(redacted(stamped(Printed.INVESTIGATION, investigation, indent=2))) + "\n",
        EVIDENCE: evidence_csv(investigation, {reference.document_id: reference for reference in known}),
        BIBTEX: bibtex(known),
        CSL: csl_json(known),
    }
    return {name: text.encode("utf-8") for name, text in texts.items()}


def evidence_csv(investigation: Investigation, known: Mapping[str, Reference]) -> str:
    """Return the claims' quotes as CSV; text that a program could read as a formula gets a leading apostrophe."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(EVIDENCE_HEADING)
    writer.writerows([inert_in_csv(text) for text in row] for row in _evidence(investigation, known))
    return redacted(written.getvalue())


def _evidence(investigation: Investigation, known: Mapping[str, Reference]) -> Iterator[tuple[str, ...]]:
    answer = investigation.answer
    numbers = {quote: n for n, quote in enumerate(answer.citations, start=1)} if answer is not None else {}
    for claim in answer.claims if answer is not None else ():
        for quote in claim.quotes:
            reference, cell = known.get(quote.document_id), quote.cell
            yield (
                str(numbers[quote]),
                defanged(claim.text),
                claim.status.value,
                quote.document_id,
                reference.key if reference is not None else "",
                reference.title if reference is not None else "",
                "" if quote.page is None else str(quote.page),
                str(quote.line),
                str(quote.start),
                str(quote.end),
                quote.text,
                " > ".join(cell.row) if cell is not None else "",
                " ".join(cell.column) if cell is not None else "",
                f"{cell.value} {cell.measure}".strip() if cell is not None else "",
                quote.source_hash,
            )


def _markdown(investigation: Investigation) -> str:
    """Return the answer as Markdown, with the markup of documents escaped."""
    answer = investigation.answer
    table = answer.table if answer is not None else None
    page = _environment().get_template("answer.md.j2")
    text = page.render(
        investigation=investigation,
        answer=answer,
        headline=headline(investigation),
        claims=cited_claims(answer) if answer is not None and table is None else (),
        table=table,
        table_rows=table_rows(table) if table is not None else (),
        verdicts=verdict_words(table) if table is not None else {},
        no_line=no_line(table) if table is not None else "",
        numbers={quote: n for n, quote in enumerate(answer.citations, start=1)} if answer is not None else {},
        sources=sources(answer, ()) if answer is not None else (),
        coverage=coverage_line(answer.coverage) if answer is not None else "",
        engine=engine_line(answer.engine if answer is not None else investigation.engine),
        usage=usage_line(investigation.usage, investigation.elapsed),
    )
    return redacted(text)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("investigator", "reports"),
        finalize=lambda value: _plain(value) if isinstance(value, str) else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.globals.update(near_miss_line=near_miss_line)
    environment.filters.update(line=inert_line)
    return environment


def _plain(text: str) -> str:
    """Return text without active Markdown, links or HTML."""
    return _LIST_MARK.sub(r"\1\\\2", _MARKED_UP.sub(r"\\\1", defanged(inert(text))))
