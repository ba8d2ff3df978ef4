"""Source code: kept as in the file; its headings are the definitions that begin at the margin."""

from __future__ import annotations

import re
from pathlib import PurePath

from investigator.documents.readers.base import Extracted, ReaderSettings, Source, cleaned
from investigator.documents.readers.plain import text_of
from investigator.records import Heading

_DEFINITION = re.compile(
    r"^(?:(?:export|default|declare|pub(?:\([a-z]+\))?|public|private|protected|internal|static|abstract|final|async"
    r"|sealed|open|data|inline|unsafe|extern|const|partial|local|CREATE|OR|REPLACE|create|or|replace)[ \t]+)*"
    r"((?:def|class|function|func|fun|fn|struct|enum|interface|trait|impl|module|namespace|type|record|object|protocol"
    r"|package|procedure|sub|defmodule|TABLE|VIEW|FUNCTION|PROCEDURE|table|view)[ \t]+[^\W\d][\w.:$]*)",
    re.M,
)
_HEADINGS = 2_000


def read_source_code(source: Source, settings: ReaderSettings) -> Extracted:
    """Reads source code of any language as it stands; it is called by the name of its file."""
    text = cleaned(text_of(source))
    headings = []
    for match in _DEFINITION.finditer(text):
        headings.append(Heading(text=" ".join(match.group(1).split()), start=match.start()))
        if len(headings) == _HEADINGS:
            break
    return Extracted(text=text, title=PurePath(source.name).name, headings=tuple(headings))
