"""Tests of reStructuredText, source code and notebooks."""

from __future__ import annotations

import json

import pytest

RST = """.. a comment

==========
 The mill
==========

Text of one
paragraph.

Part one
--------

  Indented
  --------

======  =====
city    sum
======  =====

Cities
""\"
"""


def test_restructured_text_has_headings(read):
    document = read("a.rst", RST)
    assert document.text == RST
    assert [h.text for h in document.headings] == ["The mill", "Part one"]
    assert [h.text for h in read("b.rst", "A line of prose\n---\n\nKey\n---\n\nText.\n").headings] == ["Key"]
    assert document.text[document.headings[1].start :].startswith("Part one\n---")
    assert document.title == "The mill"


def test_source_code_is_called_by_its_file_and_kept_as_it_is(read):
    code = "import os\n\n\nclass Mill(Base):\n    def grind(self):\n        # Heat\n\n\nasync def run():\n"
    document = read("engine.py", code)
    assert (document.title, document.text) == ("engine.py", code)
    assert [(h.text, document.text[h.start :].split("\n")[0]) for h in document.headings] == [
        ("class Mill", "class Mill(Base):"),
        ("def run", "async def run():"),
    ]


@pytest.mark.parametrize(
    ("name", "line", "heading"),
    [
        ("a.rs", "pub(crate) fn grind(x: u8) -> u8 {", "fn grind"),
        ("a.ts", "export default class Mill {", "class Mill"),
        ("a.go", "func Grind(x int) int {", "func Grind"),
        ("a.java", "public final class Mill {", "class Mill"),
        ("a.sql", "CREATE OR REPLACE VIEW mills AS", "VIEW mills"),
        ("a.kt", "data class Mill(val x: Int)", "class Mill"),
    ],
)
def test_definitions_at_the_margin_are_headings_in_any_language(read, name, line, heading):
    assert [h.text for h in read(name, f"// mill\n{line}\n").headings] == [heading]


def _notebook(*cells: dict[str, object], **more: object) -> str:
    return json.dumps({"cells": cells, "nbformat": 4, **more})


def test_a_notebook_gives_its_cells_and_textual_outputs_in_order(read):
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["row 1\n", "row 2\n"]},
        {"output_type": "display_data", "data": {"image/png": "aGVsbG8=", "text/plain": "<Figure>"}},
        {"output_type": "display_data", "data": {"image/png": "aGVsbG8="}},
        {"output_type": "error", "ename": "KeyError", "evalue": "\x1b[31m'x'\x1b[0m", "traceback": ["\x1b[1mlong"]},
    ]
    document = read(
        "sales.ipynb",
        _notebook(
            {"cell_type": "markdown", "source": ["# Sales\n", "\n", "By city."]},
            {"cell_type": "code", "source": "# no heading\nprint(1)", "outputs": outputs},
            {"cell_type": "code", "source": [], "outputs": []},
            {"cell_type": "markdown", "source": "## Costs"},
            metadata={"authors": [{"name": "Ada"}, {"name": "Max"}]},
        ),
    )
    assert document.text.split("\n\n") == [
        *("# Sales", "By city.", "# no heading\nprint(1)", "row 1\nrow 2", "<Figure>", "KeyError: 'x'", "## Costs")
    ]
    assert [(h.text, document.text[h.start :].split("\n")[0]) for h in document.headings] == [
        ("Sales", "# Sales"),
        ("Costs", "## Costs"),
    ]
    assert (document.title, document.authors) == ("Sales", ("Ada", "Max"))


def test_a_long_output_is_cut_at_the_end_of_a_line_and_that_is_told(read_all):
    cell = {"cell_type": "code", "source": "run()", "outputs": [{"output_type": "stream", "text": "0123456\n" * 5_000}]}
    found = read_all("a.ipynb", _notebook(cell))
    document = found.documents[0]
    assert [part.status for part in found.unreadable] == ["too_large"]
    assert 9_000 < len(document.text) <= 10_010
    assert document.text.endswith("\n0123456")


@pytest.mark.parametrize("text", ['{"cells": [', "[" * 100_000, "[1]", '{"cells": 3}', '{"worksheets": []}'])
def test_what_is_no_notebook_is_kept_as_text(read, text):
    assert read("a.ipynb", text).text == text


@pytest.mark.parametrize("cells", [[], [3, {"source": {"a": 1}, "outputs": [{"data": []}]}]])
def test_a_notebook_without_text_is_empty(refused, cells):
    root = {"cells": cells}
    assert refused("a.ipynb", json.dumps(root)) == "empty"
