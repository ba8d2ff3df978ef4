"""Another installed package adds a file format with one function and one entry point."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_files import package

from investigator import Investigator
from investigator.documents.readers.base import ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import FileStatus

READER = """
from investigator.documents.readers.base import Extracted, Member, ReaderSettings, SourceFile

def read_toy(source: SourceFile, settings: ReaderSettings) -> Extracted:
    return Extracted(text=source.data.decode("utf-8", "replace")[::-1], title="A toy")


def read_nothing(source, settings):
    return None


def read_badly(source, settings):
    raise LookupError("no\\nsuch toy")


def read_members(source, settings):
    yield Member("good.txt", lambda: b"The ball is red.")
    yield Member("bad.txt", lambda: 1 / 0)
    raise LookupError("no lid")


def read_box(source, settings):
    return Extracted(text="A box.", members=read_members(source, settings))
"""


@pytest.fixture
def toybox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package on the path of this process, and of the processes that it starts."""
    site = tmp_path / "site"
    metadata = site / "toy_readers-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-readers\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[investigator.readers]\n.toy = toy_readers:read_toy\napplication/x-box = toy_readers:read_toy\n"
        ".odd = toy_readers:read_nothing\n.broken = toy_readers:missing\n.txt = toy_readers:read_toy\n"
        ".bad = toy_readers:read_badly\n.box = toy_readers:read_box\n"
    )
    (site / "toy_readers.py").write_text(READER)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=":")
    return tmp_path


def test_a_file_of_a_format_that_a_plug_in_adds_is_indexed(toybox: Path) -> None:
    folder = toybox / "folder"
    folder.mkdir()
    (folder / "ball.toy").write_text(".der si llab ehT")
    (folder / "plain.txt").write_text("The mill stands at the river.")
    investigator = Investigator(folder, workspace=toybox / "workspace")
    list(investigator.index())
    assert {file.path: file.status for file in investigator.status().files} == {
        "ball.toy": FileStatus.INDEXED,
        "plain.txt": FileStatus.INDEXED,
    }
    assert [hit.passage.text for hit in investigator.search("ball")][:1] == ["The ball is red."]


def test_a_media_type_that_a_package_names_finds_its_plug_in(toybox: Path) -> None:
    found = read(SourceFile(package({"mimetype": "application/x-box"}), "a.zip"), "a.zip", "", ReaderSettings())
    assert [(document.title, document.media_type) for document in found.documents] == [("A toy", "application/x-box")]


def test_a_plug_in_takes_no_format_from_ours(toybox: Path) -> None:
    assert read(SourceFile(b"The mill.", "a.txt"), "a.txt", "", ReaderSettings()).documents[0].text == "The mill."


@pytest.mark.parametrize(
    ("name", "reason"), [("a.broken", "toy_readers:missing"), ("a.odd", "did not return an Extracted")]
)
def test_a_plug_in_that_does_not_work_is_named(toybox: Path, name: str, reason: str) -> None:
    with pytest.raises(ReadFailure, match=reason):
        read(SourceFile(b"A toy.", name), name, "", ReaderSettings())


def test_a_fault_of_a_plug_in_is_not_taken_for_damage_of_the_file(toybox: Path) -> None:
    with pytest.raises(ReadFailure) as caught:
        read(SourceFile(b"A toy.", "a.bad"), "a.bad", "", ReaderSettings())
    blamed = "the plug-in toy_readers:read_badly of the package toy-readers failed (LookupError: no such toy)"
    assert caught.value.reason == blamed
    box = read(SourceFile(b"A box.", "a.box"), "a.box", "", ReaderSettings())
    assert [document.id for document in box.documents] == ["a.box", "a.box/good.txt"]
    failed = "the plug-in toy_readers:read_box of the package toy-readers failed"
    assert {item.path: item.reason for item in box.unreadable} == {
        "a.box/bad.txt": f"{failed} (ZeroDivisionError: division by zero)",
        "a.box/(the rest)": f"{failed} (LookupError: no lid)",
    }


def test_a_reader_that_is_installed_later_reads_what_had_none(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "ball.toy").write_bytes(bytes(range(256)))
    investigator = Investigator(folder, workspace=tmp_path / "workspace")
    list(investigator.index())
    assert [file.status for file in investigator.status().files] == [FileStatus.UNSUPPORTED]
    request.getfixturevalue("toybox")
    list(investigator.index())
    assert [file.status for file in investigator.status().files] == [FileStatus.INDEXED]
