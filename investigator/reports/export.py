"""Exports an investigation as files for other programs: Markdown, JSON, and a table of the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from investigator.documents.own_results import EVIDENCE_HEADING
from investigator.language.addresses import defanged
from investigator.records import Answer, Investigation
from investigator.reports.answer_view import citation_numbers
from investigator.reports.html import investigation_view
from investigator.reports.inert import inert, inert_json_prose, inert_line
from investigator.reports.schemas import Printed, stamped
from investigator.reports.spreadsheets import csv_text
from investigator.reports.wording import SUPPORTS
from investigator.secrets import redacted

_MARKED_UP = re.compile(r"([\\`*_\[\]<>#|])")
_LIST_MARK = re.compile(r"^(\s*)([-+]|\d{1,9}[.)])(?=\s)", re.MULTILINE)


def exported(investigation: Investigation) -> Mapping[str, bytes]:
    """Return the exported files, keyed by suffix: the answer, the record, and a table of the evidence."""
    answer, page = investigation.answer, _environment().get_template("answer.md.j2")
    texts = {
        ".md": redacted(page.render(investigation_view(investigation))),
        ".json": inert_json_prose(redacted(stamped(Printed.INVESTIGATION, investigation, indent=2))) + "\n",
        ".csv": csv_text(EVIDENCE_HEADING, _evidence(answer) if answer is not None else ()),
    }
    return {suffix: text.encode("utf-8") for suffix, text in texts.items()}


def _evidence(answer: Answer) -> Iterator[tuple[str, ...]]:
    """Yield each quote of each statement."""
    numbers = citation_numbers(answer)
    for statement in answer.statements:
        for quote in statement.quotes:
            yield (
                str(numbers[quote]),
                defanged(statement.text),
                SUPPORTS[statement.support],
                defanged(statement.reason),
                quote.document_id,
                "" if quote.page is None else str(quote.page),
                str(quote.line),
                str(quote.start),
                str(quote.end),
                quote.text,
                quote.source_hash,
            )


def _environment() -> Environment:
    """Return the environment for Markdown, in which the markup of documents is escaped."""
    environment = Environment(
        loader=PackageLoader("investigator", "reports"),
        finalize=lambda value: _plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(line=inert_line)
    return environment


def _plain(text: str) -> str:
    """Return text without active Markdown, links or HTML."""
    return _LIST_MARK.sub(r"\1\\\2", _MARKED_UP.sub(r"\\\1", defanged(inert(text))))
