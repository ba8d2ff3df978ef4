"""`investigator prompts show | copy`: templates are shown, changed and checked without a call."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import command
from typer.testing import Result

from investigator.asking.contracts import example_of
from investigator.bb3.records import CONTRACTS
from investigator.resources import prompts_folder


def prompts(*words: str | Path) -> Result:
    return command("prompts", *words)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a copy of `query/ask.j2`."""
    assert prompts("copy", "query/ask", tmp_path / "own").exit_code == 0
    return tmp_path / "own"


def change(own: Path, old: str, new: str) -> None:
    file = own / "query" / "ask.j2"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def shipped_lines() -> list[str]:
    return (prompts_folder() / "query" / "ask.j2").read_text(encoding="utf-8").splitlines()


def test_the_list_has_each_template_with_its_reply_and_marks_one_s_own(own: Path) -> None:
    listed = json.loads(prompts("show", "--prompts", own, "--json").stdout)["templates"]
    assert [card["name"] for card in listed] == list(CONTRACTS)
    assert [card["name"] for card in listed if card["own"]] == ["query/ask"]
    (ask,) = (card for card in listed if card["name"] == "query/ask")
    assert (ask["owner"], ask["reply"]) == ("Query", "AskReply")
    assert ask["must_name"] == ["readings", "document", "verdict", "point", "quotes", "reply"]
    assert ask["must_use"] == ["main_question", "documents"]
    assert set(ask["must_use"]) < set(ask["variables"])
    assert all(card["purpose"] and card["tokens"] for card in listed)
    assert "query/ask  Query, " in prompts("show").stdout


def test_every_contract_has_an_example_of_each_of_its_variables() -> None:
    for contract in CONTRACTS.values():
        assert example_of(contract.variables).model_fields_set == set(contract.variables.model_fields)


def test_a_wrong_name_is_answered_with_the_nearest_one() -> None:
    refused = prompts("show", "query/aks")
    assert refused.exit_code == 2
    assert "Did you mean query/ask?" in refused.stderr


def test_a_copy_is_the_shipped_text_and_is_never_overwritten_unasked(own: Path) -> None:
    shipped = (prompts_folder() / "query" / "ask.j2").read_bytes()
    assert (own / "query" / "ask.j2").read_bytes() == shipped
    change(own, "You read", "You study")
    refused = prompts("copy", "planner/*", "query/*", own)
    assert refused.exit_code == 2
    assert "ask.j2" in refused.stderr
    assert not (own / "planner").exists()
    assert prompts("copy", "query/*", own, "--force").exit_code == 0
    assert (own / "query" / "ask.j2").read_bytes() == shipped


def test_a_folder_is_refused_with_all_its_problems(own: Path) -> None:
    assert prompts("show", "planner/plan", "--prompts", own).exit_code == 0
    change(own, "{{ mission }}", "{{ missions }} {{ open('x') }}")
    (own / "query" / "aks.j2").write_text("x", encoding="utf-8")
    refused = prompts("show", "planner/plan", "--prompts", own)
    line = next(number for number, text in enumerate(shipped_lines(), start=1) if "{{ mission }}" in text)
    shown = " ".join(refused.stderr.split())
    assert refused.exit_code == 2
    for part in (f"line {line}: unknown variable 'missions'", f"line {line}: unknown variable 'open'", "aks.j2"):
        assert part in shown


def test_asking_with_a_broken_template_is_refused_before_anything_is_read(own: Path, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("The rent is EUR 48,000.\n", encoding="utf-8")
    change(own, "{{ mission }}", "{{ missions }}")
    refused = command("ask", tmp_path / "documents", "What is the rent?", "--prompts", own)
    assert refused.exit_code == 2
    assert re.search(r"ask\.j2, line \d+: unknown variable 'missions'", refused.stderr)
