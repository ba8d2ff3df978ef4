"""The output and exit codes of `investigator doctor`. Its findings are tested in `test_diagnosis.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import command
from typer.testing import Result

ROLES = ["plan", "ask", "reflect", "answer", "check", "chat"]


def doctor(*words: object) -> Result:
    return command("doctor", *words)


def test_the_embedded_default_works_and_sends_nothing() -> None:
    result = doctor()
    assert result.exit_code == 0
    table = result.stdout.partition("\n\n")[0].splitlines()
    assert [line.split()[:2] for line in table[1:7]] == [[role, "works"] for role in ROLES]
    assert table[7] == "6 calls, free of charge"
    assert "nothing leaves this machine" in result.stdout
    assert re.search(r"its weights are verified; 384 numbers a passage, [1-9]\d* passages a second", result.stdout)
    assert result.stderr == ""


def test_json_is_everything_that_was_found_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://user:hidden@proxy.example:3128")
    result = doctor("--json")
    printed = json.loads(result.stdout)
    assert {role["role"]: role["state"] for role in printed["roles"]} == dict.fromkeys(ROLES, "works")
    assert [engine["leaves_machine"] for engine in printed["engines"]] == [False]
    assert "HTTPS_PROXY" in printed["environment"]["variables"]
    assert "hidden" not in result.output


def test_a_role_that_fails_is_told_without_a_traceback_and_ends_with_1() -> None:
    result = doctor("--model", "reflect=openai:m", "--model", "plan=gguf:absent.gguf")
    assert result.exit_code == 1
    assert "reflect: failed (openai:m): openai:m needs a key\nhint: Set OPENAI_API_KEY to your key.\n" in result.stdout
    assert "plan: failed (gguf:absent.gguf): absent.gguf cannot be read" in result.stdout
    assert "Traceback" not in result.output


def test_who_is_being_asked_is_told_on_standard_error() -> None:
    result = doctor("--model", "openai:m", "--set", "chat.base_url=http://127.0.0.1:9/v1", "--json")
    assert result.exit_code == 1
    assert result.stderr == "asking openai:m@127.0.0.1:9 (plan)\n"
    assert json.loads(result.stdout)


@pytest.mark.parametrize(
    "words",
    [["--set", "nonsense=1"], ["--model", "nobody=openai:m"], ["--model", "="], ["--set", "absent.toml"], ["x"]],
)
def test_wrong_settings_are_wrong_use(words: list[str]) -> None:
    result = doctor(*words)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_templates_of_ones_own_are_checked_and_asked_with(tmp_path: Path) -> None:
    template = tmp_path / "query" / "ask.j2"
    template.parent.mkdir()
    template.write_text(
        "{{ documents }} {{ main_question }} Reply with readings: document, verdict, point, quotes, reply.",
        encoding="utf-8",
    )
    used = json.loads(doctor("--prompts", tmp_path, "--json").stdout)
    template.write_text("{{ passage }}", encoding="utf-8")
    broken = doctor("--prompts", tmp_path)
    assert [template["name"] for template in used["templates"]] == ["query/ask"]
    assert broken.exit_code == 2
    assert "unknown variable 'passage'" in broken.stderr
