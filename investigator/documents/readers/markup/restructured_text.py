"""reStructuredText: the text is unchanged; section titles and the fields at the beginning are extracted."""

from __future__ import annotations

import re

from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.markup.markdown import underlined
from investigator.documents.readers.plain.plain_text import text_of
from investigator.documents.readers.properties import first_title_line, iso_date
from investigator.records import Heading

_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_FIELD = re.compile(r"^:(title|authors?|date):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.M | re.I)
_BETWEEN_AUTHORS = re.compile(r"\s*(?:;|\n\s*(?:- )?)\s*")
_HEAD = 4_000


def read_restructured_text(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads raw reStructuredText; the authors, the date and, if there is no heading, the title come from its field
    list.
    """
    text = text_of(source)
    fields = {name.lower().removesuffix("s"): value for name, value in _FIELD.findall(text[:_HEAD])}
    headings = tuple(heading for heading in underlined(text, _RULE, front=0) if _is_section(text, heading))
    authors = _BETWEEN_AUTHORS.split(fields.get("author", "").strip().removeprefix("- "))
    return Extracted(
        text=text,
        title=(headings[0].text if headings else fields.get("title", "").strip()) or first_title_line(text),
        headings=headings,
        authors=tuple(author.strip() for author in authors if author.strip()),
        date=iso_date(fields.get("date")),
    )


def _is_section(text: str, heading: Heading) -> bool:
    """Return True if the rule is long enough, and the title is at the margin or also has a rule above it."""
    rule_start = text.find("\n", heading.start) + 1
    rule_end = text.find("\n", rule_start)
    rule = text[rule_start : rule_end if rule_end >= 0 else len(text)].rstrip()
    above_start = text.rfind("\n", 0, max(0, heading.start - 1)) + 1
    above = text[above_start : heading.start].rstrip()
    indented = text[heading.start] in " \t"
    return len(rule) >= min(len(heading.text), 4) and (not indented or above == rule)
