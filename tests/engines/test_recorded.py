"""Recordings are stored on disk and replayed without the engine; mismatches are reported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from investigator.engines.base import prompt_key
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import ReplayError, StoreError
from investigator.records import (
    AskReply,
    AskVariables,
    Prompt,
    QuestionVariables,
    RowReply,
    RowVariables,
    ShownDocument,
)
from investigator.services.parts import Parts
from investigator.settings import load_settings


def prompt(text: str) -> Prompt:
    variables = QuestionVariables(document_id="a", purpose="p", perspectives="")
    return Prompt("query/ask.j2", variables, text, AskReply)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a recording of two replies by an engine named `inner`."""
    path = tmp_path / "runs" / "run.jsonl"
    engine = RecordedEngine(path, ScriptedEngine(["one", "two ä\n"], name="inner"))
    engine.reply(prompt("a"))
    engine.reply(prompt("b"))
    return path


def test_a_replayed_recording_costs_nothing_unless_its_engine_is_also_asked(file: Path, tmp_path: Path) -> None:
    parts = Parts(load_settings())
    parts.engines(f"recorded:{file}", None, tmp_path)
    price = parts.prices.price_of("inner")
    assert price is not None
    assert price.of(1000, 1000) == 0
    parts = Parts(load_settings())
    parts.engines(
        {**dict.fromkeys(Role, RecordedEngine(file)), Role.CHECK: ScriptedEngine("", name="inner")}, None, tmp_path
    )
    assert parts.prices.price_of("inner") is None


def test_a_recording_replays_without_the_engine(file: Path) -> None:
    engine = RecordedEngine(file)
    assert [engine.reply(prompt(text)).text for text in ("b", "a", "b")] == ["two ä\n", "one", "two ä\n"]
    assert engine.name == "inner"  # so that the keys agree
    assert prompt_key("inner", prompt("a")) in file.read_text(encoding="utf-8")


def test_the_engine_is_asked_once_for_each_prompt(file: Path) -> None:
    inner = ScriptedEngine(["three"], name="inner")
    engine = RecordedEngine(file, inner)
    assert [engine.reply(prompt(text)).text for text in ("a", "c", "c", "b")] == ["one", "three", "three", "two ä\n"]
    assert [sent.text for sent in inner.asked] == ["c"]


def test_a_prompt_that_was_not_recorded_is_an_error(file: Path) -> None:
    with pytest.raises(ReplayError, match="no reply to this prompt"):
        RecordedEngine(file).reply(prompt("new"))


def test_a_last_line_that_a_crash_cut_is_dropped_and_recorded_again(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(ReplayError):
        RecordedEngine(file).reply(prompt("b"))
    engine = RecordedEngine(file, ScriptedEngine(["two again"], name="inner"))
    assert engine.reply(prompt("b")).text == "two again"
    assert [RecordedEngine(file).reply(prompt(text)).text for text in ("a", "b")] == ["one", "two again"]


def test_replaying_never_writes(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])
    before = file.read_bytes()
    RecordedEngine(file).reply(prompt("a"))
    assert file.read_bytes() == before


def test_a_crash_in_the_first_line_is_survived(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(b'{"engi')
    RecordedEngine(file, ScriptedEngine(["one"], name="inner")).reply(prompt("a"))
    assert RecordedEngine(file).reply(prompt("a")).text == "one"


@pytest.mark.parametrize("number", [1, 2])
def test_a_damaged_line_is_named(file: Path, number: int) -> None:
    lines = file.read_bytes().split(b"\n")
    lines[number - 1] = lines[number - 1][:20]
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(ReplayError, match=f"line {number}"):
        RecordedEngine(file)


def test_another_engine_is_not_mixed_in(file: Path) -> None:
    with pytest.raises(ReplayError, match=r"inner.*other"):
        RecordedEngine(file, ScriptedEngine([], name="other"))


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"none\.jsonl"):
        RecordedEngine(tmp_path / "none.jsonl")


def test_a_recording_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe"):
        for inner in (None, ScriptedEngine([])):
            with pytest.raises(ReplayError, match="is not a file"):
                RecordedEngine(place, inner)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        RecordedEngine(tmp_path / "file" / "run.jsonl", ScriptedEngine([]))


def about(text: str, *documents: str) -> Prompt:
    shown = tuple(ShownDocument(document_id=name) for name in documents)
    return Prompt("query/ask", AskVariables(main_question="q", mission="m", documents=shown), text, AskReply)


def of_row(text: str, document: str) -> Prompt:
    variables = RowVariables(mission="m", questions=("q",), document=ShownDocument(document_id=document))
    return Prompt("query/row", variables, text, RowReply)


RECORDED = [about("1", "a"), about("2", "b"), about("3", "a"), about("4", "a", "b"), of_row("5", "a"), prompt("6")]


@pytest.fixture(params=[True, False], ids=["fixture", "recording"])
def kept(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, bool]:
    """Return a recording of replies 1 to 6, and whether it is a fixture."""
    path, is_fixture = tmp_path / "kept.jsonl", bool(request.param)
    engine = RecordedEngine(path, ScriptedEngine([each.text for each in RECORDED], name="m"), fixture=is_fixture)
    for each in RECORDED:
        engine.reply(each)
    return path, is_fixture


def test_a_reworded_prompt_gets_the_reply_of_its_template_documents_and_ordinal_from_a_fixture_only(
    kept: tuple[Path, bool],
) -> None:
    path, is_fixture = kept
    reworded = [about("x", "b"), about("y", "a"), about("3", "a"), about("z", "a", "b"), of_row("w", "a"), prompt("v")]
    engine = RecordedEngine(path)
    if not is_fixture:
        with pytest.raises(ReplayError, match="no reply to this prompt"):
            engine.reply(reworded[0])
        return
    for counted_anew in (engine, RecordedEngine(path)):
        assert [counted_anew.reply(each).text for each in reworded] == ["2", "1", "3", "4", "5", "6"]
    with pytest.raises(ReplayError, match="no reply to this prompt"):  # only two replies were recorded for it
        engine.reply(about("another", "a"))


def test_a_fixture_that_is_recorded_further_asks_its_engine(kept: tuple[Path, bool]) -> None:
    engine = RecordedEngine(kept[0], ScriptedEngine(["7"], name="m"))
    assert engine.reply(about("x", "a")).text == "7"
