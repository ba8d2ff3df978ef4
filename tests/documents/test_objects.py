"""Folders in object storage are copied once, kept in step by etags, and every refusal is reported; no key is stored."""

import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from object_server import ObjectServer

from investigator import Investigator, ScriptedEmbedder
from investigator.documents import objects
from investigator.documents.objects import ObjectFolder, object_address, places
from investigator.errors import (
    CredentialError,
    DiskFullError,
    FolderError,
    SettingsError,
    SourceChangedError,
    WorkspaceLockedError,
)
from investigator.records import AnswerStatus, Notice

SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCY"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ObjectServer]:
    running = ObjectServer()
    monkeypatch.setenv("AWS_ENDPOINT_URL", running.address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    yield running
    running.close()


def copied() -> tuple[ObjectFolder, list[str]]:
    """Return the updated folder, and the messages about it."""
    folder, said = ObjectFolder("s3://papers/2026"), list[str]()
    folder.bring_down(said.append)
    return folder, said


def held(folder: ObjectFolder) -> dict[str, bytes]:
    return {file.relative_to(folder.folder).as_posix(): file.read_bytes() for file in folder.folder.rglob("*.*")}


def test_only_what_is_new_or_changed_is_asked_for_and_what_is_gone_is_deleted(server: ObjectServer) -> None:
    server.objects |= {"2026/a.txt": b"alpha", "2026/deep/b.txt": b"beta", "2026/empty.txt": b"", "2025/c.txt": b"no"}
    folder, said = copied()
    assert held(folder) == {"a.txt": b"alpha", "deep/b.txt": b"beta", "empty.txt": b""}
    assert "3 objects copied" in said[0]
    server.requests.clear()
    server.objects["2026/a.txt"] = b"alphb"
    del server.objects["2026/deep/b.txt"]
    folder, said = copied()
    assert server.requests == ["2026/a.txt"]
    assert held(folder) == {"a.txt": b"alphb", "empty.txt": b""}
    assert not (folder.folder / "deep").exists()
    assert "1 object copied" in said[0]
    assert "1 deleted" in said[0]
    server.requests.clear()
    assert copied()[1] == []
    assert server.requests == []


def test_a_file_of_the_copy_that_was_touched_is_fetched_again(server: ObjectServer) -> None:
    server.objects["2026/a.txt"] = b"alpha"
    folder, _ = copied()
    (folder.folder / "a.txt").write_bytes(b"forge")
    folder, _ = copied()
    assert held(folder) == {"a.txt": b"alpha"}
    assert (folder.folder / "a.txt").stat().st_mode & 0o077 == 0


def test_a_large_object_comes_in_pieces_and_a_long_list_in_pages(
    server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.documents.objects._PIECE", 1_000)
    server.objects["2026/large.txt"] = bytes(range(256)) * 20
    server.objects |= {f"2026/{number:03}.txt": b"x" for number in range(250)}
    folder, _ = copied()
    assert held(folder)["large.txt"] == server.objects["2026/large.txt"]
    assert server.requests.count("2026/large.txt") == 6
    assert len(held(folder)) == 251


def test_an_object_that_changes_between_two_pieces_is_never_put_together(
    server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.documents.objects._PIECE", 1_000)
    server.objects |= {"2026/a.txt": b"a" * 2_500, "2026/b.txt": b"stays"}

    def change(key: str) -> None:
        if server.requests.count("2026/a.txt") == 2:
            server.objects["2026/a.txt"] = b"b" * 2_500

    server.before_get = change
    with pytest.raises(SourceChangedError, match=r"s3://papers/2026/a\.txt was changed") as caught:
        copied()
    assert "run the same command again" in caught.value.hint
    server.requests.clear()
    folder, _ = copied()
    assert held(folder) == {"a.txt": b"b" * 2_500, "b.txt": b"stays"}
    assert "2026/b.txt" not in server.requests  # what was copied is kept


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (HTTPStatus.FORBIDDEN, "InvalidAccessKeyId"),
        (HTTPStatus.FORBIDDEN, "SignatureDoesNotMatch"),
        (HTTPStatus.BAD_REQUEST, "ExpiredToken"),
    ],
)
def test_refused_and_expired_credentials_are_told_and_never_shown(
    server: ObjectServer, status: HTTPStatus, code: str
) -> None:
    server.objects["2026/a.txt"] = b"alpha"
    server.refusal = (status, code)
    with pytest.raises(CredentialError, match=f"rejects the credentials: {code}") as caught:
        copied()
    assert "AWS_SESSION_TOKEN" in caught.value.hint
    assert SECRET not in str(caught.value) + caught.value.hint


def test_credentials_that_expire_in_the_middle_cost_what_was_under_way_only(
    server: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("investigator.documents.objects._SAVED_AFTER", 2)
    server.objects |= {f"2026/{number}.txt": b"x" for number in range(6)}

    def expire(key: str) -> None:
        if len(server.requests) > 4:
            server.refusal = (HTTPStatus.BAD_REQUEST, "ExpiredToken")

    server.before_get = expire
    with pytest.raises(CredentialError):
        copied()
    server.refusal, server.before_get = None, lambda _: None
    before = set(server.requests[:4])
    server.requests.clear()
    copied()
    assert before.isdisjoint(server.requests)


def test_what_cannot_be_listed_or_is_too_much_is_told(server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FolderError, match="contains no objects"):
        copied()
    with pytest.raises(FolderError, match="s3://letters/x cannot be read: NoSuchBucket"):
        ObjectFolder("s3://letters/x").bring_down(print)
    server.objects |= {f"2026/{number}.txt": b"xx" for number in range(20)}
    for most, most_bytes in ((19, 1_000), (20, 39)):
        monkeypatch.setattr(objects, "MOST_OBJECTS", most)
        monkeypatch.setattr(objects, "MOST_BYTES", most_bytes)
        with pytest.raises(FolderError, match="contains more than") as caught:
            copied()
        assert "Use a longer prefix" in caught.value.hint
    assert server.requests == []
    monkeypatch.setitem(sys.modules, "obstore.exceptions", None)
    with pytest.raises(SettingsError) as missing:
        copied()
    assert 'pip install "obstore' in missing.value.hint


def test_two_copies_at_once_are_refused(server: ObjectServer) -> None:
    server.objects["2026/a.txt"] = b"alpha"

    def again(_: str) -> None:
        server.before_get = lambda _: None
        with pytest.raises(WorkspaceLockedError, match="another process is copying"):
            copied()

    server.before_get = again
    assert held(copied()[0]) == {"a.txt": b"alpha"}


def test_a_full_disk_is_told_and_leaves_no_half_file(server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.objects["2026/a.txt"] = b"alpha"

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("investigator.documents.objects.open_private", full)
    with pytest.raises(DiskFullError, match="No space left"):
        copied()
    monkeypatch.undo()


def test_a_bucket_is_asked_like_a_folder_and_no_key_is_kept(server: ObjectServer, tmp_path: Path) -> None:
    server.objects["2026/a.txt"] = b"The harbour is 11 metres deep."
    made = Investigator("s3://papers/2026", embedder=ScriptedEmbedder())
    answer = made.ask("How deep is the harbour?")
    assert answer.citations[0].document_id == "a.txt"
    server.objects["2026/a.txt"] = b"The harbour is 12 metres deep."
    again = Investigator(Path("s3://papers/2026"), embedder=ScriptedEmbedder())  # as the command line gives it
    assert again.workspace == made.workspace
    events = list(again.investigate("How deep is the harbour?"))
    assert any(isinstance(event, Notice) and "1 object copied" in event.text for event in events)
    answer = again.ask("How deep is the harbour?")
    assert "12 metres" in answer.text
    assert answer.status is not AnswerStatus.NOT_FOUND
    for file in (tmp_path / "data").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()


def test_addresses_are_known_also_as_paths() -> None:
    assert object_address(Path("s3://papers/2026/")) == object_address("s3://papers/2026") == "s3://papers/2026"
    assert object_address("gs://papers") == "gs://papers"
    for other in ("papers", "/s3/papers", "s3:", "s3://key@papers/x", "s3://papers?x=1", "https://papers/x"):
        assert object_address(other) == ""


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=12).map(lambda text: text.replace("x", "/")), unique=True)
)
def test_every_key_gets_a_place_of_its_own_inside_the_folder(keys: list[str]) -> None:
    found = places(keys)
    assert len(set(found.values())) == len(found) == len(keys)
    for place in found.values():
        names = place.split("/")
        assert all(name not in {"", ".", ".."} and "\0" not in name and len(name.encode()) < 256 for name in names)
        assert not any(other.startswith(f"{place}/") for other in found.values())
