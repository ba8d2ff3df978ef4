"""Option files: what was kept is read back, and what cannot be read is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator.dialogue.option_files import option_file, read_options, write_options
from investigator.dialogue.options import Opt
from investigator.errors import DialogueError, DialogueFormatError


def test_options_come_back_as_they_were_kept(tmp_path: Path) -> None:
    opt = Opt(model="repeater", batchsize=4, names=["ann", "שלום 🧭"], override={"seed": None})
    file = option_file(tmp_path / "new" / "model")
    assert file.name == "model.opt"
    write_options(opt, file)
    assert read_options(file) == opt
    assert "שלום 🧭" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan")])
def test_what_is_no_json_is_not_kept(tmp_path: Path, value: object) -> None:
    with pytest.raises(DialogueError, match="cannot be kept"):
        write_options(Opt(value=value), tmp_path / "model.opt")
    assert not (tmp_path / "model.opt").exists()


@pytest.mark.parametrize(
    ("text", "gist"), [('{"model": ', "line 1"), ("[1]", "a list"), ("", "line 1"), ("[" * 100_000, "")]
)
def test_a_broken_file_is_named_with_the_gist(tmp_path: Path, text: str, gist: str) -> None:
    file = tmp_path / "model.opt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DialogueFormatError, match=r"model\.opt cannot be used") as refused:
        read_options(file)
    assert gist in refused.value.message
    assert isinstance(refused.value, ValueError)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.opt").write_bytes(b"\xff\xfe{")
    with pytest.raises(DialogueFormatError, match="cannot be used"):
        read_options(tmp_path / "model.opt")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DialogueError, match="cannot be read"):
        read_options(tmp_path / "model.opt")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DialogueError, match="cannot be written"):
        write_options(Opt(), tmp_path / "file" / "model.opt")
