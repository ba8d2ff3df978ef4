"""Exports the documents that an answer cites as BibTeX and CSL-JSON, using only known metadata."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from investigator.records import Document
from investigator.reports.inert import inert_line
from investigator.secrets import redacted

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?![\d-])")
_SPECIAL = re.compile(r"[\\{}$&#%_^~]")
_WRITTEN: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "{": r"\{",
    "}": r"\}",
}
_LONGEST_KEY = 40


@dataclass(frozen=True)
class Reference:
    """A cited document: its key, its id and, if known, its title, authors and date.

    `date` contains the year, month and day, the year and month, or only the year.
    """

    key: str
    document_id: str
    title: str
    authors: tuple[str, ...]
    date: tuple[int, ...]
    sha256: str


def references(documents: Iterable[Document]) -> tuple[Reference, ...]:
    """Return references for documents, in order; each has its own key."""
    found: dict[str, Reference] = {}
    for document in documents:
        plain = _key(document.id)
        key = next(one for one in (plain, *(f"{plain}-{n}" for n in range(2, len(found) + 3))) if one not in found)
        found[key] = Reference(
            key,
            document.id,
            inert_line(document.title or PurePosixPath(document.id).name),
            tuple(inert_line(name) for name in document.authors if name.strip()),
            _date(document.date),
            document.content_hash,
        )
    return tuple(found.values())


def bibtex(cited: Sequence[Reference]) -> str:
    """Return references as BibTeX entries in UTF-8. A name is put in braces, because it is unknown which part is the
    family name.
    """
    return redacted("\n".join(_entry(reference) for reference in cited))


def csl_json(cited: Sequence[Reference]) -> str:
    """Return references as CSL-JSON. A name is a `literal`, because it is unknown which part is the family name."""
    return redacted(json.dumps([_item(reference) for reference in cited], ensure_ascii=False, indent=2) + "\n")


def _entry(reference: Reference) -> str:
    fields = {"title": f"{{{_tex(reference.title)}}}"}
    if reference.authors:
        fields["author"] = " and ".join(f"{{{_tex(name)}}}" for name in reference.authors)
    if reference.date:
        fields |= dict(zip(("year", "month", "day"), map(str, reference.date), strict=False))
    fields["note"] = f"File: {_tex(inert_line(reference.document_id))}"
    fields["sha256"] = reference.sha256
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{reference.key},\n{lines}}}\n"


def _item(reference: Reference) -> Mapping[str, object]:
    item: dict[str, object] = {"id": reference.key, "type": "document", "title": reference.title}
    if reference.authors:
        item["author"] = [{"literal": name} for name in reference.authors]
    if reference.date:
        item["issued"] = {"date-parts": [list(reference.date)]}
    item["note"] = f"File: {inert_line(reference.document_id)}; sha256: {reference.sha256}"
    return item


def _key(document_id: str) -> str:
    """Return a key of plain letters, made from a document's name."""
    stem = PurePosixPath(document_id).name.partition(".")[0]
    letters = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:_LONGEST_KEY] or "document"


def _date(text: str | None) -> tuple[int, ...]:
    """Return the valid parts of an ISO date (year, month, day); empty for anything else."""
    found = _DATE.match(text or "")
    if found is None:
        return ()
    year, month, day = (int(part or 0) for part in found.groups())
    if not 1 <= month <= 12:
        return (year,)
    return (year, month, day) if 1 <= day <= 31 else (year, month)


def _tex(text: str) -> str:
    return _SPECIAL.sub(lambda found: _WRITTEN.get(found[0], f"\\{found[0]}"), text)
