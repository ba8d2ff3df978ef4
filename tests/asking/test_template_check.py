"""A template that breaks its contract is rejected before any call, with all its problems."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from investigator.asking.prompts import Prompts, check_templates
from investigator.bb3.records import CONTRACTS
from investigator.errors import TemplateError
from investigator.records import TemplateProblem
from investigator.resources import prompts_folder

SHIPPED = (prompts_folder() / "query" / "ask.j2").read_text(encoding="utf-8")


def folder_of(root: Path, **files: str) -> Path:
    """Create a folder with `query/ask.j2`, and other templates named `owner__name`."""
    for name, text in files.items():
        file = root / f"{name.replace('__', '/')}.j2"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def problems(root: Path, **files: str) -> tuple[TemplateProblem, ...]:
    return check_templates(folder_of(root, **files), CONTRACTS).problems


def lines(listed: tuple[TemplateProblem, ...]) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.problem) for problem in listed]


def test_the_shipped_templates_keep_their_contracts() -> None:
    checked = check_templates(prompts_folder(), CONTRACTS)
    assert checked.problems == ()
    assert [template.name for template in checked.templates] == list(CONTRACTS)


def test_what_a_contract_wants_used_and_named_is_there() -> None:
    for contract in CONTRACTS.values():
        assert set(contract.must_use) <= set(contract.variables.model_fields)
        assert bool(contract.must_name) == (contract.reply is not None)


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    listed = problems(
        tmp_path,
        query__ask=SHIPPED + "\n{{ qestion }}\n{{ misson }}",
        answer__answer="One\n{% include 'other' %}",
        answer__check="{% if %}",
        planner__plan="{{ question }} {{ dokuments }}",
        reflection__reflect="{{ question|shout }}",
    )
    last = len(SHIPPED.splitlines()) + 3
    assert [Path(problem.file).name for problem in listed].count("ask.j2") == 2
    assert {(last - 1, "unknown variable 'qestion'"), (last, "unknown variable 'misson'")} <= set(lines(listed))
    assert {(1, "this is not correct Jinja2: No filter named 'shout'."), (1, "unknown variable 'dokuments'")} <= set(
        lines(listed)
    )
    assert (None, "the variable 'documents' is missing") in lines(listed)
    assert any("answer.j2, line 2: " in problem.text for problem in listed)
    assert any("check.j2, line 1: " in problem.text for problem in listed)
    assert all(problem.hint for problem in listed)


def test_a_template_that_has_lost_its_documents_is_refused(tmp_path: Path) -> None:
    blind = re.sub(r"{[{%].*?[%}]}", lambda tag: "" if "document" in tag[0] or "passage" in tag[0] else tag[0], SHIPPED)
    blind = re.sub(r"{% (?:else|endif|endfor) %}", "", blind)
    blind = re.sub(r"{% if .*?%}", "", blind)
    (listed,) = problems(tmp_path, query__ask=blind)
    assert listed.problem == "the variable 'documents' is missing"
    with pytest.raises(TemplateError, match=r"ask\.j2: the variable 'documents' is missing") as caught:
        Prompts(tmp_path)
    assert "documents" in caught.value.hint


def test_a_comment_neither_uses_a_variable_nor_asks_for_a_reply(tmp_path: Path) -> None:
    text = "{# {{ main_question }} point quotes #}The readings: document, verdict, reply. {{ documents }}"
    assert lines(problems(tmp_path, query__ask=text)) == [
        (None, "the variable 'main_question' is missing"),
        (None, "the reply field 'point' is not requested"),
        (None, "the reply field 'quotes' is not requested"),
    ]
    assert "the variable 'documents' is missing" in {
        problem.problem for problem in problems(tmp_path, query__ask="{# - #}")
    }


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("query/aks.j2", "query/ask"),
        ("ask.j2", "query/ask"),
        ("mine/query/ask.j2", "query/ask"),
        ("query/ask.txt", "query/ask"),
    ],
)
def test_a_file_that_nothing_would_use_is_told_with_the_name_that_was_meant(
    tmp_path: Path, name: str, meant: str
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("x", encoding="utf-8")
    (listed,) = problems(tmp_path)
    assert (listed.problem, listed.hint) == ("no template has this name", f"Did you mean {meant}.j2?")


def test_notes_and_texts_of_the_chat_may_lie_beside_the_templates(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Mine.", encoding="utf-8")
    shutil.copytree(prompts_folder() / "bb3" / "prefix", tmp_path / "bb3" / "prefix")
    assert problems(tmp_path) == ()


@pytest.mark.parametrize("kind", ["folder", "pipe", "long", "not UTF-8", "link"])
def test_what_is_no_template_file_is_a_problem_like_others(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "prompts" / "query" / "ask.j2"
    file.parent.mkdir(parents=True)
    match kind:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "long":
            file.write_bytes(b"x" * 1_000_000)
        case "not UTF-8":
            file.write_bytes(b"\xff\xfe{{ documents }}")
        case _:
            (tmp_path / "outside").write_text(SHIPPED, encoding="utf-8")
            file.symlink_to(tmp_path / "outside")
    (listed,) = problems(tmp_path / "prompts")
    assert listed.file == str(file)
    assert listed.problem.startswith("it ")
    with pytest.raises(TemplateError, match=r"ask\.j2: it "):
        Prompts(tmp_path / "prompts")


def test_a_hostile_file_cannot_flood_the_list_of_problems(tmp_path: Path) -> None:
    assert len(problems(tmp_path, query__ask="".join(f"{{{{ x{n}() }}}}" for n in range(3000)))) == 20


def test_a_misspelt_field_is_found_by_trying_the_template(tmp_path: Path) -> None:
    (listed,) = problems(tmp_path, query__ask=SHIPPED.replace("passage.text", "passage.txt"))
    line = next(n for n, text in enumerate(SHIPPED.splitlines(), start=1) if "passage.text" in text)
    assert lines((listed,)) == [(line, "this cannot be filled in: 'dict object' has no attribute 'txt'")]


def test_a_template_is_known_by_the_hash_of_its_text(tmp_path: Path) -> None:
    (first,) = check_templates(folder_of(tmp_path, query__ask=SHIPPED), CONTRACTS).templates
    (second,) = check_templates(folder_of(tmp_path, query__ask=SHIPPED + "."), CONTRACTS).templates
    assert first.own
    assert first.sha256 != second.sha256
    assert 400 < first.tokens < 700
