"""Data are built once, whole, and only where they belong."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from investigator.dialogue.build_data import build, built, unpack
from investigator.errors import DialogueError, DialogueFormatError


def writes(text: str, calls: list[str]) -> object:
    def make(folder: Path) -> None:
        assert list(folder.iterdir()) == []
        calls.append(text)
        (folder / "data.txt").write_text(text, encoding="utf-8")

    return make


def zipped(file: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return file


def tarred(file: Path, infos: list[tarfile.TarInfo], mode: str = "w:gz") -> Path:
    with tarfile.open(file, mode) as packed:  # type: ignore[call-overload]
        for info in infos:
            packed.addfile(info, io.BytesIO(b"x" * info.size))
    return file


def tar_file(name: str, size: int = 3) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = size
    return info


def test_data_are_built_once_for_each_version(tmp_path: Path) -> None:
    folder, calls = tmp_path / "deep" / "data", list[str]()
    assert build(folder, "1.0", writes("one", calls))
    assert not build(folder, "1.0", writes("again", calls))
    assert build(folder, "2.0", writes("two", calls))
    assert calls == ["one", "two"]
    assert (folder / "data.txt").read_text(encoding="utf-8") == "two"
    assert built(folder, "2.0")
    assert not built(folder, "1.0")


def test_a_build_that_fails_leaves_the_older_data(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    build(folder, "1", writes("one", []))

    def fails(new: Path) -> None:
        (new / "data.txt").write_text("half", encoding="utf-8")
        raise ValueError("stopped")

    with pytest.raises(ValueError, match="stopped"):
        build(folder, "2", fails)
    assert built(folder, "1")
    assert (folder / "data.txt").read_text(encoding="utf-8") == "one"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".data.lock", "data"]


def test_somebody_elses_files_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DialogueError, match="not built here"):
        build(tmp_path, "1", writes("one", []))
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_made_is_an_error_for_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DialogueError, match="cannot be built"):
        build(tmp_path / "file" / "data", "1", writes("one", []))


def test_zip_tar_and_gz_are_unpacked(tmp_path: Path) -> None:
    packed = zipped(tmp_path / "a.zip", {"one/a.txt": b"A", "one/b.txt": b"B"})
    assert [file.read_bytes() for file in unpack(packed, tmp_path / "zip")] == [b"A", b"B"]
    packed = tarred(tmp_path / "a.tar.gz", [tar_file("two/c.txt")])
    assert unpack(packed, tmp_path / "tar") == (tmp_path / "tar" / "two" / "c.txt",)
    (tmp_path / "d.json.gz").write_bytes(gzip.compress(b"{}"))
    assert unpack(tmp_path / "d.json.gz", tmp_path / "gz") == (tmp_path / "gz" / "d.json",)
    assert (tmp_path / "gz" / "d.json").read_bytes() == b"{}"


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "..\\out.txt", "."])
def test_paths_that_lead_outside_are_refused(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    with pytest.raises(DialogueFormatError, match="leads outside"):
        unpack(zipped(tmp_path / "a.zip", {"good.txt": b"A", name: b"B"}), inside)
    with pytest.raises(DialogueFormatError, match="leads outside"):
        unpack(tarred(tmp_path / "a.tar", [tar_file("good.txt"), tar_file(name)], "w"), inside)
    assert not inside.exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    info = tarfile.TarInfo("link")
    info.type, info.linkname = kind, "/etc/passwd"
    with pytest.raises(DialogueFormatError, match="is not a file"):
        unpack(tarred(tmp_path / "a.tar", [info], "w"), tmp_path / "inside")


def test_a_symbolic_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(info, "/etc/passwd")
    with pytest.raises(DialogueFormatError, match="is not a file"):
        unpack(tmp_path / "a.zip", tmp_path / "inside")


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DialogueFormatError, match="more than 1,000 bytes"):
        unpack(zipped(tmp_path / "a.zip", {"a": b"0" * 600, "b": b"0" * 600}), tmp_path / "inside", limit=1000)
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"0" * 5000))
    with pytest.raises(DialogueFormatError, match="more than 1,000 bytes"):
        unpack(tmp_path / "b.gz", tmp_path / "inside", limit=1000)


def test_damaged_archives_and_other_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"hello" * 100)[:-12])
    (tmp_path / "b.txt").write_text("hello", encoding="utf-8")
    for name, reason in (
        ("a.gz", "cannot be unpacked"),
        ("b.txt", "not a zip, tar or gz"),
        ("c.zip", "cannot be unpacked"),
    ):
        with pytest.raises(DialogueFormatError, match=reason) as caught:
            unpack(tmp_path / name, tmp_path / "inside")
        assert name in caught.value.message
