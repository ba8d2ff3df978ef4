"""Two files never have the same id, and no file changes the id of another."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from investigator import Investigator, ScriptedEmbedder
from investigator.documents.document_ids import document_id
from investigator.documents.scanning import FolderSettings, scan
from investigator.records import SUMMARY

ODD = [b"\xff", b"\xfe", b"\xffFF", b"\n", b"\xe2\x80\xae", "\ufffd".encode(), "é".encode(), b"e\xcc\x81"]
PLAIN = [b"a", b"~2", b".txt", b"FF", b"0A", b" ", b"\\", b"%FF", SUMMARY.encode()]
PIECES = st.sampled_from([*ODD, *PLAIN])
NAMES = st.lists(PIECES, min_size=1, max_size=6).map(b"".join)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join).map(os.fsdecode)


@given(st.sets(PATHS, min_size=2, max_size=12))
def test_files_of_different_paths_have_different_ids(paths: set[str]) -> None:
    ids = {document_id(path) for path in paths}
    assert len(ids) == len(paths)
    assert SUMMARY not in ids


@given(PATHS)
def test_an_id_is_one_line_of_text_below_its_folder(path: str) -> None:
    identity = document_id(path)
    assert identity.isprintable()
    assert identity.encode()
    above, _, name = path.rpartition("/")
    if above and above != SUMMARY:
        assert identity == f"{document_id(above)}/{document_id(name).removeprefix('./')}"


def test_what_can_be_shown_is_its_own_id() -> None:
    for path in ("a.txt", "x/ä b~2.txt", "100%FF.txt", "资料/报告.pdf"):
        assert document_id(path) == path


def test_a_new_file_changes_no_other_id(tmp_path: Path) -> None:
    odd = [b"bad\xfe.txt", b"bad\xff.txt", b"bad\xef\xbf\xbd.txt", b"bad\xef\xbf\xbdFF.txt"]
    names = [*odd, b"summary", b"./summary"]
    made: dict[str, str] = {}
    for name in names:
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        path.write_bytes(name)
        found = {file.id: file.path for file in scan(tmp_path, FolderSettings()).files}
        assert made.items() <= found.items()
        made = found
    assert len(made) == len(set(names)) - 1  # the last two are one file


def test_a_file_below_a_folder_is_not_taken_for_one_inside_an_archive(tmp_path: Path) -> None:
    (tmp_path / "a.zip").mkdir()
    (tmp_path / "a.zip" / "b.txt").write_text("in a folder")
    with zipfile.ZipFile(tmp_path / "a\x01.zip", "w") as archive:
        archive.writestr("b.txt", "in an archive")
    assert [file.id for file in scan(tmp_path, FolderSettings()).files] == ["a.zip/b.txt", "a\ufffd01.zip"]


def test_a_folder_and_an_archive_of_its_name_take_each_others_place(tmp_path: Path) -> None:
    folder, place = tmp_path / "folder", tmp_path / "folder" / "a.zip"
    folder.mkdir()
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    (tmp_path / "as-folder").mkdir()
    (tmp_path / "as-folder" / "b.txt").write_text("in a folder")
    with zipfile.ZipFile(tmp_path / "as-archive", "w") as archive:
        archive.writestr("b.txt", "in an archive")
    for kind in ("as-folder", "as-archive", "as-folder"):
        (tmp_path / kind).rename(place)
        list(investigator.index())
        with investigator.library() as library:
            assert library.document_ids() == ("a.zip/b.txt",)
            assert library.document("a.zip/b.txt").text == kind.replace("as-", "in a ").replace("a arc", "an arc")
        place.rename(tmp_path / kind)
