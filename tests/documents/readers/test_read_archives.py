"""Archives: their contents are read, and cannot do harm."""

from __future__ import annotations

import hashlib
import io
import tracemalloc
import zipfile
from collections.abc import Iterable
from itertools import count
from types import SimpleNamespace

import pytest
from made_files import docx, pdf, word_paragraph

from investigator.documents.readers import unpacking
from investigator.documents.readers.base import Extracted, Member, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.unpacking import Unpacking, inner_path
from investigator.records import FileStatus, Unreadable

pytestmark = pytest.mark.filterwarnings("ignore:Duplicate name")


def archive(*members: tuple[str, bytes | str]) -> bytes:
    """Return a ZIP archive with the given names and contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def old_archive(names: Iterable[str], encoding: str) -> bytes:
    """Return an archive from a program that writes names in its own code page."""
    places = [str(index).ljust(len(name.encode(encoding)), "@") for index, name in enumerate(names)]
    data = archive(*((place, "Text.") for place in places))
    for place, name in zip(places, names, strict=True):
        data = data.replace(place.encode(), name.encode(encoding))
    return data


def encrypted(data: bytes, name: str) -> bytes:
    """Return the archive with one member marked as encrypted."""
    changed = bytearray(data)
    for mark, flag, length in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        at = data.find(mark)
        while at >= 0:
            if data[at + length :].startswith(name.encode()):
                changed[at + flag] |= 1
            at = data.find(mark, at + 1)
    return bytes(changed)


def ids(reading) -> list[str]:
    return [document.id for document in reading.documents]


def test_each_file_inside_is_a_document_of_its_own(read_all):
    mill, lease = b"# The mill\n\nIt stands by the river.", docx(word_paragraph("The rent is 40 shillings."))
    reading = read_all(
        "papers.zip", archive(("notes/mill.md", mill), ("lease.docx", lease), ("a.pdf", pdf([["Dues"]])))
    )
    assert ids(reading) == ["papers.zip/notes/mill.md", "papers.zip/lease.docx", "papers.zip/a.pdf"]
    first, second, third = reading.documents
    assert (first.title, first.media_type) == ("The mill", "text/markdown")
    assert first.content_hash == hashlib.sha256(mill).hexdigest()
    assert (second.title, second.date) == ("Lease of the mill", "2021-03-04")
    assert third.pages[0].page == 1
    assert reading.unreadable == ()


def test_a_packed_pdf_that_is_stored_as_it_is_does_not_make_the_archive_a_pdf(read_all):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        file.writestr("dues.pdf", pdf([["Dues of the mill"]]))
    assert ids(read_all("a.zip", buffer.getvalue())) == ["a.zip/dues.pdf"]


def test_text_that_begins_like_an_archive_is_text(read):
    assert read("pki.txt", "PKI means public key infrastructure.").text.startswith("PKI")


def test_what_cannot_be_read_inside_is_told_with_its_reason(read_all):
    data = encrypted(archive(("open.txt", "Open."), ("secret.txt", "Secret."), ("empty.txt", "")), "secret.txt")
    reading = read_all("a.zip", data)
    assert ids(reading) == ["a.zip/open.txt"]
    assert reading.unreadable == (
        Unreadable(path="a.zip/secret.txt", status=FileStatus.ENCRYPTED, reason="the file is protected by a password"),
        Unreadable(path="a.zip/empty.txt", status=FileStatus.EMPTY, reason="the file is empty"),
    )


def test_an_archive_in_which_nothing_can_be_read_says_why(read_all):
    data = encrypted(
        archive(("empty.txt", ""), ("secret.txt", "Secret."), ("odd.bin", bytes(range(256)))), "secret.txt"
    )
    with pytest.raises(ReadFailure) as caught:
        read_all("a.zip", data)
    assert caught.value.status is FileStatus.ENCRYPTED
    assert caught.value.reason == "secret.txt: the file is protected by a password (and 2 more could not be read)"


def test_an_archive_without_files_is_empty(refused):
    assert refused("a.zip", archive()) is FileStatus.EMPTY
    assert refused("a.zip", archive(("folder/", ""), (".DS_Store", "x"), ("__MACOSX/._a.txt", "x"))) is FileStatus.EMPTY


def test_hidden_files_inside_are_left_out(read_all):
    data = archive(
        (".git/config", "x"), ("__MACOSX/a.txt", "x"), ("b/Thumbs.db", "x"), ("b/~$a.txt", "x"), ("a.txt", "A.")
    )
    assert ids(read_all("a.zip", data)) == ["a.zip/a.txt"]


def test_archives_in_archives_are_read_to_a_depth(read_all, monkeypatch):
    data = archive(("text.txt", "At the bottom."))
    for _ in range(3):
        data = archive(("in.zip", data), ("beside.txt", "Beside."))
    assert ids(read_all("a.zip", data))[0] == "a.zip/in.zip/in.zip/in.zip/text.txt"
    monkeypatch.setattr(unpacking, "DEEPEST", 1)
    reading = read_all("a.zip", data)
    assert ids(reading) == ["a.zip/in.zip/beside.txt", "a.zip/beside.txt"]
    (left,) = reading.unreadable
    assert (left.path, left.status) == ("a.zip/in.zip/in.zip/(the rest)", FileStatus.TOO_LARGE)
    assert "1 deep" in left.reason


def test_an_archive_that_holds_itself_comes_to_an_end():
    def read_itself(source: SourceFile, settings: ReaderSettings) -> Extracted:
        return Extracted("", members=[Member("r.zip", lambda: source.data), Member("r.zip", lambda: source.data)])

    with pytest.raises(ReadFailure) as caught:
        Unpacking(lambda _: ("application/zip", read_itself), ReaderSettings()).read(
            SourceFile(archive(("r", "")), "r.zip"), "r.zip", ""
        )
    assert caught.value.status is FileStatus.TOO_LARGE
    assert "3 deep" in caught.value.reason


def test_files_beyond_the_greatest_number_are_left_out_and_told_once(read_all, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 500)
    data = archive(*((f"{number:05}.txt", f"Number {number}.") for number in range(10_000)))
    reading = read_all("a.zip", data)
    assert len(reading.documents) == 500
    (left,) = reading.unreadable
    assert (left.path, left.status) == ("a.zip/(the rest)", FileStatus.TOO_LARGE)
    assert left.reason == "more than 500 files are inside"


def test_a_file_that_unpacks_to_too_much_costs_that_file_only_and_little_memory(read_all):
    data = archive(("bomb.txt", b" a" * 20_000_000), ("text.txt", "It stands."))
    assert len(data) < 200_000
    tracemalloc.start()
    reading = read_all("a.zip", data, max_bytes=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ids(reading) == ["a.zip/text.txt"]
    assert [(left.path, left.status) for left in reading.unreadable] == [("a.zip/bomb.txt", FileStatus.TOO_LARGE)]
    assert "reader.max_bytes" in reading.unreadable[0].reason
    assert peak < 8_000_000


def test_a_size_that_is_not_true_is_not_believed(read_all):
    data = bytearray(archive(("bomb.txt", b" a" * 5_000_000), ("text.txt", "It stands.")))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.find(mark)
        data[start + at : start + at + 4] = (10).to_bytes(4, "little")
    tracemalloc.start()
    reading = read_all("a.zip", bytes(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ids(reading) == ["a.zip/text.txt"]
    assert reading.unreadable[0].status is FileStatus.FAILED
    assert peak < 8_000_000


def test_archives_that_multiply_end_at_the_bytes_that_may_come_out(read_all, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_UNPACKED", 3_000_000)
    data = archive(*((f"{number}.txt", b"word " * 20_000) for number in range(10)))
    for level in range(3):
        data = archive(*((f"{level}-{number}.zip", data) for number in range(10)))
    reading = read_all("bomb.zip", data)
    assert 1 <= len(reading.documents) <= 31
    assert sum(len(document.text) for document in reading.documents) <= 3_100_000
    (left,) = reading.unreadable
    assert "more than 3,000,000 bytes" in left.reason


def test_an_archive_that_takes_long_keeps_what_was_read(read_all, monkeypatch):
    monkeypatch.setattr(unpacking, "time", SimpleNamespace(monotonic=count().__next__))
    data = archive(*((f"{number}.txt", "Text.") for number in range(100)))
    reading = read_all("a.zip", data, max_seconds=40)
    assert 1 <= len(reading.documents) <= 20
    (left,) = reading.unreadable
    assert left.status is FileStatus.TIMED_OUT
    assert "reader.max_seconds" in left.reason


def test_hostile_names_stay_inside_and_can_be_printed(read_all):
    names = ["../../etc/passwd", "/etc/shadow", "C:\\Windows\\win.ini", "a\nb\x1b[2J.txt", "..", "x/./y//z.txt"]
    reading = read_all("a.zip", archive(*((name, "Text.") for name in names)))
    assert ids(reading) == [
        "a.zip/etc/passwd",
        "a.zip/etc/shadow",
        "a.zip/Windows/win.ini",
        "a.zip/a\ufffdb\ufffd[2J.txt",
        "a.zip/unnamed",
        "a.zip/x/y/z.txt",
    ]


def test_files_of_the_same_name_are_told_apart(read_all):
    data = archive(("a.txt", "One."), ("a.txt", "Two."), ("./a.txt", "Three."), ("a.txt~2", "Four."))
    reading = read_all("a.zip", data)
    assert len(set(ids(reading))) == 4
    assert ids(reading)[:2] == ["a.zip/a.txt", "a.zip/a.txt~2"]
    assert [document.text for document in reading.documents] == ["One.", "Two.", "Three.", "Four."]


def test_names_are_never_empty_or_overlong():
    assert inner_path("") == inner_path("///") == inner_path("../..") == "unnamed"
    assert len(inner_path("x" * 60_000 + ".pdf")) < 250
    assert inner_path("x" * 60_000 + ".pdf").endswith(".pdf")
    assert inner_path("/".join("abcdefghij" * 100)).count("/") < 30
    assert inner_path("\ud800.txt") == "\ufffd.txt"


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("gb18030", ["年度财务报告.txt", "会议纪要和决定.txt", "合同范本第二版.txt"]),
        ("cp932", ["会議の議事録.txt", "見積書と請求書.txt"]),
        ("cp866", ["договор аренды.txt", "приложение к договору.txt"]),
        ("cp437", ["Größe über alles.txt", "Müller Vertrag.txt"]),
        ("cp1252", ["Übersicht der Größen.txt", "Prüfung für Müller.txt"]),
        ("utf-8", ["Größe – Übersicht.txt", "отчёт.txt"]),
    ],
)
def test_names_in_old_encodings_are_readable(read_all, encoding: str, names: list[str]):
    assert ids(read_all("a.zip", old_archive(names, encoding))) == [f"a.zip/{name}" for name in names]


def test_a_cut_off_or_damaged_archive_is_refused_or_gives_what_is_whole(refused, read_all):
    data = archive(("a.txt", "The mill stands by the river. " * 50), ("b.txt", "It stands."))
    assert refused("a.zip", data[:-40]) is FileStatus.FAILED
    damaged = bytearray(data)
    damaged[45] ^= 0xFF
    reading = read_all("a.zip", bytes(damaged))
    assert ids(reading) == ["a.zip/b.txt"]
    assert [left.status for left in reading.unreadable] == [FileStatus.FAILED]


def test_methods_of_packing_that_cannot_be_bounded_are_not_opened(refused):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("a.txt", "Text.")
    assert refused("a.zip", buffer.getvalue()) is FileStatus.UNSUPPORTED


def test_other_archives_are_named_as_such(refused):
    assert refused("a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(100)) is FileStatus.UNSUPPORTED
    assert refused("a.tar", b"name".ljust(257, b"\0") + b"ustar\x0000" + bytes(300)) is FileStatus.UNSUPPORTED
