"""Options, and the files that store them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from investigator.dialogue.options import Opt, option_file, read_options
from investigator.errors import DialogueError, DialogueFormatError


def test_options_that_are_given_go_before_the_defaults() -> None:
    given, absent = Opt(model="", batchsize=0, shuffle=False), Opt(model=None)
    for opt, values in ((given, ("", 0, False)), (absent, ("m", 4, True))):
        assert (opt.text("model", "m"), opt.number("batchsize", 4), opt.switch("shuffle", True)) == values


def test_an_option_of_the_wrong_kind_is_named() -> None:
    opt = Opt(model=7, batchsize=True, shuffle="yes")
    with pytest.raises(DialogueError, match="model must be a string, not 7"):
        opt.text("model")
    with pytest.raises(DialogueError, match="batchsize must be a whole number, not True"):
        opt.number("batchsize", 1)
    with pytest.raises(DialogueError, match="shuffle must be true or false, not 'yes'"):
        opt.switch("shuffle")


def test_options_come_back_as_they_were_kept(tmp_path: Path) -> None:
    opt = Opt(model="repeater", batchsize=4, names=["ann", "שלום 🧭"], override={"seed": None})
    file = option_file(tmp_path / "new" / "model")
    assert file.name == "model.opt"
    file.parent.mkdir()
    file.write_text(json.dumps(opt, ensure_ascii=False), encoding="utf-8")
    assert read_options(file) == opt


@pytest.mark.parametrize(
    ("content", "gist"),
    [
        (b'{"model": ', "line 1"),
        (b"[1]", "should be an object"),
        (b"[" * 100_000, "recursion"),
        (b"\xff\xfe{", "not UTF-8"),
    ],
)
def test_a_broken_file_is_named_with_the_gist(tmp_path: Path, content: bytes, gist: str) -> None:
    file = tmp_path / "model.opt"
    file.write_bytes(content)
    with pytest.raises(DialogueFormatError, match=r"model\.opt") as refused:
        read_options(file)
    assert gist in refused.value.message
    assert isinstance(refused.value, ValueError)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DialogueError, match="cannot be read"):
        read_options(tmp_path / "model.opt")
