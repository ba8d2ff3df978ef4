"""The manual page investigator(1), generated from the parser; `make man` writes it to man/investigator.1."""

from __future__ import annotations

import re
from pathlib import Path

from docs.site.commands import Command, commands

PAGE = Path(__file__).parents[2] / "man" / "investigator.1"

HEAD = """\
.\\" Generated from the parser by `make man`; manual changes are lost.
.TH INVESTIGATOR 1 "" "document-investigator" "User Commands"
.SH NAME
investigator \\- answer questions from a folder of documents, with proven quotes
.SH SYNOPSIS
.B investigator
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
Ask a question, and
.B investigator
plans which documents of a folder to examine, asks each of them, and answers with quotes that are looked up in the files
again, or says that the documents do not contain the answer. Without
.B \\-\\-model
no language model is used and nothing is sent anywhere.
"""

TAIL = """\
.SH EXIT STATUS
.TP
.B 0
answered
.TP
.B 1
the run failed
.TP
.B 2
invalid usage
.TP
.B 3
not in the documents
.TP
.B 4
not found so far
.TP
.B 5
answered in part, documents that disagree, or passages that may answer
.TP
.B 130
interrupted
.SH ENVIRONMENT
.TP
.B INVESTIGATOR_PART__FIELD
A setting, like
.BR "\\-\\-set part.field" .
.TP
.B INVESTIGATOR_DEBUG
If set, unexpected errors show a traceback.
.SH FILES
.TP
.I ~/.local/share/investigator/workspaces
The index and the investigations of each folder (Linux); on other systems, in the user's data directory.
.TP
.I FOLDER/.investigatorignore
Patterns of files that are not documents, as in a .gitignore.
"""


def man_page() -> str:
    """Return the page as troff."""
    every = [one for one in commands() if one.name != "investigator"]
    return HEAD + ".SH COMMANDS\n" + "".join(map(_section, every)) + TAIL


def _section(command: Command) -> str:
    lines = [f".SS {_text(command.name)}", f".B {_text(command.usage)}"]
    for paragraph in re.split(r"\n\s*\n", command.help.strip()):
        lines += [".PP", _text(" ".join(paragraph.split()))]
    for form, told in (*command.arguments, *command.options):
        lines += [".TP", f".B {_text(form)}", _text(told) or "\\&"]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Return text that troff shows unchanged, without escapes and requests, and with hyphens that can be copied."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


if __name__ == "__main__":
    PAGE.write_text(man_page(), encoding="utf-8")
