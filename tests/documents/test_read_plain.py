"""Text files keep their lines; encodings are found; what is no text is refused."""

from __future__ import annotations

import codecs

import pytest

from investigator.documents.pages import line_at
from investigator.records import FileStatus

GERMAN = "Prüfbericht über die Brücke\n\nDie Tragfähigkeit beträgt 12,5 t. Größere Schäden wurden nicht festgestellt.\n"


def test_lines_are_the_files_own(read):
    document = read("notes.txt", "one\r\n\r\n  two  \rthree\x00!\n\n\nfour")
    assert document.text == "one\n\n  two  \nthree!\n\n\nfour"
    assert line_at(document.text, document.text.index("four")) == 7
    assert document.pages == ()


@pytest.mark.parametrize(
    "data",
    [
        GERMAN.encode(),
        codecs.BOM_UTF8 + GERMAN.encode(),
        GERMAN.encode("utf-16"),
        GERMAN.encode("utf-16-le"),
        GERMAN.encode("utf-16-be"),
        GERMAN.encode("cp1252"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16", "utf-16-le", "utf-16-be", "cp1252"],
)
def test_the_encoding_is_found(read, data):
    assert read("bericht.txt", data).text == GERMAN


def test_one_foreign_byte_far_down_does_not_hide_the_encoding(read):
    data = b"plain line\n" * 40_000 + "Straße und Brücke, größer als möglich\n".encode("cp1252")
    assert read("long.txt", data).text.endswith("Straße und Brücke, größer als möglich\n")


@pytest.mark.parametrize("data", ["", " \n\t\r\n ", "\0\0\0"])
def test_a_file_of_nothing_is_empty(refused, data):
    assert refused("empty.txt", data) is FileStatus.EMPTY


def test_binary_content_is_not_text(refused):
    assert refused("data.bin", bytes(range(256)) * 40) is FileStatus.UNSUPPORTED
    assert refused("data.txt", b"\x7fELF" + bytes(2000)) is FileStatus.UNSUPPORTED


def test_limits_are_kept(refused):
    assert refused("big.txt", "x" * 101, max_bytes=100) is FileStatus.TOO_LARGE
    assert refused("big.txt", "x" * 101, max_characters=100) is FileStatus.TOO_LARGE


def test_source_code_is_called_by_its_name(read):
    document = read("engine.py", "def run():\n    # Heat\n    return 1\n")
    assert document.title == "engine"
    assert document.text == "def run():\n    # Heat\n    return 1\n"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Mill on the Floss\n\nA wide plain.", "The Mill on the Floss"),
        ("A long title that\ngoes on\n\nBody.", "A long title that goes on"),
        ("It was a wide plain, he said.\n\nThen", "file"),
        ("1 | 2 | 3 |\n", "file"),
    ],
)
def test_prose_is_called_by_its_first_line_if_that_is_a_title(read, text, title):
    assert read("file.txt", text).title == title


MARKDOWN = """---
title: "Annual report"
authors:
  - Ada Byron
  - 'Max Born'
date: 2023-05-06
---

# Results #

Text.

```sh
# no heading
```

Second
------

- list
---

### Costs
"""


def test_markdown_headings_stand_where_they_are_said_to(read):
    document = read("report.md", MARKDOWN)
    assert document.text == MARKDOWN
    assert [(h.text, document.text[h.start :].split("\n")[0]) for h in document.headings] == [
        ("Results", "# Results #"),
        ("Second", "Second"),
        ("Costs", "### Costs"),
    ]
    assert document.title == "Annual report"
    assert document.authors == ("Ada Byron", "Max Born")
    assert document.date == "2023-05-06"


def test_markdown_without_front_matter_is_called_by_its_first_heading(read):
    document = read("a.md", "intro\n\n## The mill\n\ntext")
    assert document.title == "The mill"
    assert document.text[document.headings[0].start :].startswith("## The mill")


def test_restructured_text_has_headings(read):
    document = read("a.rst", "=====\nTitle\n=====\n\nText of one\nparagraph.\n\nPart one\n--------\n\nMore.\n")
    assert [h.text for h in document.headings] == ["Title", "Part one"]
    assert document.text[document.headings[1].start :].startswith("Part one\n---")
