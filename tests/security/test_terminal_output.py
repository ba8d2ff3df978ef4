"""Nothing from documents, models or names has an effect on a terminal, whatever prints it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import command
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

import investigator
from investigator.cli.output import print_plain, print_record, print_styled, tell
from investigator.reports.inert import inert_json
from investigator.reports.schemas import Printed
from investigator.tasks.printed import TaskExample

ACTS = "\x1b[2J\x9b31m\x07\u202etxt.exe\u202c\u200fabc\u200bhidden\u2066x\u2069\ufeff\U000e0041\U000e0042a\u200db\x7f"
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


def test_what_is_printed_holds_no_character_that_acts(capsys: pytest.CaptureFixture[str]) -> None:
    print_plain(ACTS)
    tell(ACTS)
    print_styled(Text(ACTS, style="bold"))
    print_record(Printed.EXAMPLE, TaskExample(text=ACTS))
    printed = capsys.readouterr()
    assert "txt.exe" in printed.out
    assert not UNSAFE.search(printed.out)
    assert not UNSAFE.search(printed.err)


@given(st.text(st.characters(codec="utf-8")))
def test_json_says_the_same_with_the_characters_escaped(text: str) -> None:
    shown = inert_json(json.dumps({"text": text}, ensure_ascii=False, indent=1))
    assert json.loads(shown) == {"text": text}
    assert not UNSAFE.search(shown)


def test_commands_show_documents_and_prompts_without_characters_that_act(tmp_path: Path) -> None:
    folder, context = tmp_path / "folder", tmp_path / "context.txt"
    folder.mkdir()
    (folder / "plant.txt").write_text(
        f"The Emsland plant makes 42 MW of power with {ACTS} turbines.\n", encoding="utf-8"
    )
    context.write_text(f"Person 1: How much power? {ACTS}\n", encoding="utf-8")
    place = ["--workspace", str(tmp_path / "workspace")]
    question = "How much power does the Emsland plant make?"
    for words in (
        ["ask", str(folder), question, *place],
        ["ask", str(folder), question, "--json", *place],
        ["search", str(folder), "Emsland plant", *place],
        ["search", str(folder), "Emsland plant", "--json", *place],
        ["dialogue", "module", "sgm", "--context", str(context), "--show-prompt"],
    ):
        ran = command(*words)
        assert ran.exit_code == (5 if words[0] == "ask" else 0), ran.output
        assert "hidden" in ran.stdout, words
        assert not UNSAFE.search(ran.output), words


def test_commands_print_through_one_place() -> None:
    """Code that prints directly could forget to make text harmless."""
    package = Path(investigator.__file__).parent
    light = {
        package / "cli" / f"{name}.py" for name in ("main", "lazy_command", "streams")
    }  # these import nothing slow
    allowed = {package / "cli" / "output.py", *light}
    files = {*package.glob("cli/*.py"), *package.glob("*/commands/*.py"), *package.glob("*/command.py")} - allowed
    assert len(files) > 20
    assert [
        str(file) for file in files if re.search(r"typer\.echo|(?<!\.)\bprint\(", file.read_text(encoding="utf-8"))
    ] == []
