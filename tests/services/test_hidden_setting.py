"""A change of `reader.hidden` is seen at once in a folder that has been read before."""

from __future__ import annotations

from pathlib import Path

from investigator import Investigator, load_settings


def test_documents_are_read_again_with_another_value(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "rent.rtf").write_bytes(rb"{\rtf1 The rent is 900 EUR.{\v It was 650.}}")
    (folder / "note.txt").write_text("The key is in the office.", encoding="utf-8")
    texts = []
    for value in ("omit", "mark", "mark", "omit"):
        settings = load_settings(None, [f"reader.hidden={value}"])
        made = Investigator(folder, settings=settings, workspace=tmp_path / "w")
        list(made.index())
        texts.append("650" in made.document("rent.rtf").text)
    assert texts == [False, True, True, False]
