"""Looks up the quotes of a report in the files of a folder: no index is needed, and nothing is written."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from investigator.documents.fresh import FreshDocument, FreshReading
from investigator.documents.scanning import check_folder
from investigator.errors import UserError
from investigator.language.addresses import refanged
from investigator.proof.standing import checked_quote, quote_standing
from investigator.records import Quote, VerifiedReport
from investigator.reports.inert import inert_prose
from investigator.settings import Settings

MOST_BYTES = 100_000_000
MOST_QUOTES = 20_000
_OF_A_QUOTE = Quote.model_fields.keys()
_TELLING_QUOTE = {"document_id", "text", "source_hash"}
_TELLING_ANSWER = {"question", "status", "coverage"}
_TELLING_MATRIX = {"questions", "documents", "cells"}
_HINT = "Pass the JSON that ask, matrix or show prints with --json."


def verify_report(report: Path, folder: Path, settings: Settings) -> VerifiedReport:
    """Look up every quote of a report in the files of a folder, which are read again.

    The report contains one record, or one record per line, of any kind that has quotes: an answer, a run or a replayed
    run. No path in the report is opened: its document ids are only compared with the files in the folder. Raises
    FolderError or ReaderError, and UserError if the report cannot be used.
    """
    check_folder(folder)
    quotes = tuple(dict.fromkeys(_quotes(report)))
    with FreshReading(folder, settings.folder, settings.reader) as fresh:
        documents = fresh.documents(dict.fromkeys(quote.document_id for quote in quotes))
        sources = ((quote, documents[quote.document_id]) for quote in quotes)
        return VerifiedReport(quotes=tuple(checked_quote(_as_cut(quote, fresh), fresh) for quote, fresh in sources))


def _as_cut(quote: Quote, fresh: FreshDocument) -> Quote:
    """Return a quote in the wording of its document, because a report may contain it in defanged form."""
    if fresh.document is None or quote_standing(quote, fresh) is not None:
        return quote
    cut = fresh.document.text[quote.start : quote.end]
    is_cut = inert_prose(cut) == quote.text
    return quote.changed(text=cut if is_cut else refanged(quote.text))


def _quotes(report: Path) -> Iterator[Quote]:
    """Yield the quotes of a report in order. Raises UserError if the report was not written by this program."""
    count, is_ours = 0, False
    for value in _inside(_parsed(report)):
        is_ours = is_ours or value.keys() >= _TELLING_ANSWER or value.keys() >= _TELLING_MATRIX
        if value.keys() >= _TELLING_QUOTE:
            count += 1
            if count > MOST_QUOTES:
                raise UserError(f"{report} contains more than {MOST_QUOTES:,} quotes", hint=_HINT)
            try:
                yield Quote.model_validate({name: value[name] for name in _OF_A_QUOTE if name in value})
            except ValidationError as error:
                raise UserError(f"quote {count} of {report} was not written by this program", hint=_HINT) from error
    if not count and not is_ours:
        raise UserError(f"{report} was not written by this program: it contains no quotes", hint=_HINT)


def _inside(values: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield every object in the given values, at any depth, in order and with outer objects first. Uses no
    recursion.
    """
    waiting = list(reversed(values))
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _parsed(report: Path) -> list[Any]:
    """Return the value in a JSON file, or the value on each line. Raises UserError."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(report, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UserError(f"{report} is not a file", hint=_HINT)
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{report} cannot be read: {error.strerror}", hint=_HINT) from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{report} has more than {MOST_BYTES:,} bytes", hint=_HINT)
    try:
        text = data.decode("utf-8-sig")
        try:
            return [json.loads(text)]
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise UserError(f"{report} is not JSON", hint=_HINT) from error
