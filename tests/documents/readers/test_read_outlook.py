"""Outlook messages: header, body, attachments, and nested messages."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from made_compound import attached_message, attachment, compound_file, outlook_message
from made_files import pdf

from investigator.documents.readers.base import ReadFailure
from investigator.records import FileStatus

SUBJECT, BODY, SENDER, SENDER_SMTP, SENT = 0x0037, 0x1000, 0x0C1A, 0x5D01, 0x0039
MARCH = int((datetime(2021, 3, 4, 9, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7
TEXTS = {
    SUBJECT: "Lease of the mill",
    BODY: "The rent is 40 shillings.\r\n\r\nAda",
    SENDER: "Byron, Ada",
    SENDER_SMTP: "ada@mill.example",
}
PEOPLE = [(1, "Max Born", "max@mill.example"), (2, "Eve", "eve@mill.example"), (1, "Kim", "kim@mill.example")]


def ids(reading) -> list[str]:
    return [document.id for document in reading.documents]


def test_a_message_is_its_head_and_its_body(read):
    document = read("a.msg", compound_file(outlook_message(TEXTS, recipients=PEOPLE, numbers={SENT: MARCH})))
    assert document.text == (
        'From: "Byron, Ada" <ada@mill.example>\nTo: Max Born <max@mill.example>, Kim <kim@mill.example>\n'
        "Cc: Eve <eve@mill.example>\nDate: Thu, 04 Mar 2021 09:00:00 +0000\nSubject: Lease of the mill\n\n"
        "The rent is 40 shillings.\n\nAda"
    )
    assert (document.title, document.authors, document.date) == ("Lease of the mill", ("Byron, Ada",), "2021-03-04")
    assert document.media_type == "application/vnd.ms-outlook"


def test_texts_in_a_code_page_are_decoded(read):
    texts = {SUBJECT: "договор".encode("cp1251"), BODY: "сорок шиллингов".encode("cp1251")}
    assert read("a.msg", compound_file(outlook_message(texts, numbers={0x3FFD: 1251}))).text == (
        "Subject: договор\n\nсорок шиллингов"
    )


def test_a_body_of_html_only_gives_its_words(read):
    message = outlook_message({SUBJECT: "Rent"}) | {"__substg1.0_10130102": b"<p>It is <b>40</b> shillings.</p>"}
    assert read("a.msg", compound_file(message)).text == "Subject: Rent\n\nIt is 40 shillings."


def test_a_body_of_rich_text_only_gives_its_words(read):
    rtf = rb"{\rtf1\ansi The rent is 40 shillings.\par}"
    packed = struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf
    message = outlook_message({SUBJECT: "Rent"}) | {"__substg1.0_10090102": packed}
    assert read("a.msg", compound_file(message)).text == "Subject: Rent\n\nThe rent is 40 shillings."


def test_attachments_are_documents_and_pictures_of_the_page_are_left_out(read_all):
    message = outlook_message(
        TEXTS | {0x1013: '<p>The rent is 40 shillings.</p><img src="cid:logo">'},
        attachments=[
            attachment("dues.pdf", pdf([["Dues of the mill"]])),
            attachment("logo.png", b"\x89PNG\r\n\x1a\n" + bytes(60), content_id="logo"),
            attachment("..\\..\\notes.txt", b"Signed in spring. " * 1_000),
            {"__properties_version1.0": bytes(8)},
        ],
    )
    reading = read_all("a.msg", compound_file(message))
    assert ids(reading) == ["a.msg", "a.msg/dues.pdf", "a.msg/notes.txt"]
    assert len(reading.documents[2].text) == 18_000
    assert [(left.path, left.status) for left in reading.unreadable] == [("a.msg/attachment 3", FileStatus.UNSUPPORTED)]


def test_a_message_in_a_message_is_a_document_with_its_own_attachments(read_all):
    inner = outlook_message(
        {SUBJECT: "Die Mühle", BODY: "Sie stand schon früher.", SENDER: "Müller", SENDER_SMTP: "m@mill.example"},
        attachments=[attachment("Größe.txt", b"Signed in 1890.")],
        numbers={SENT: MARCH},
        head=24,
    )
    reading = read_all("a.msg", compound_file(outlook_message(TEXTS, attachments=[attached_message(inner)])))
    assert ids(reading) == ["a.msg", "a.msg/Die Mühle.eml", "a.msg/Die Mühle.eml/Größe.txt"]
    document = reading.documents[1]
    assert document.text.endswith("Sie stand schon früher.")
    assert (document.title, document.authors, document.date) == ("Die Mühle", ("Müller",), "2021-03-04")


def test_a_damaged_attachment_is_named_and_the_message_and_the_others_are_read(read_all):
    damaged = dict(attachment(b"old.txt", b"Signed in 1880."))
    del damaged["__properties_version1.0"]
    whole = attachment("new.txt", b"Signed in 1890.")
    reading = read_all("a.msg", compound_file(outlook_message(TEXTS, attachments=[damaged, whole])))
    assert ids(reading) == ["a.msg", "a.msg/new.txt"]
    assert [left.reason for left in reading.unreadable] == ["attachment 1 is damaged"]


def test_a_message_that_is_cut_off_or_scrambled_never_does_harm(read_all, refused):
    whole = compound_file(outlook_message(TEXTS, attachments=[attachment("a.txt", b"x" * 9_000)]))
    assert refused("a.msg", whole[:700]) is FileStatus.FAILED
    assert refused("a.msg", whole[:512]) is FileStatus.FAILED
    table = len(whole) - 512
    itself = b"".join(struct.pack("<I", number) for number in range(128))  # each sector follows itself
    for at, change in (
        (table, itself),
        (table, bytes(512)),
        (table, b"\xff" * 512),
        (48, bytes(16)),
        (30, b"\xff\xff"),
    ):
        data = whole[:at] + change + whole[at + len(change) :]
        with suppress(ReadFailure):
            assert sum(len(document.text) for document in read_all("a.msg", data).documents) < 2 * len(whole)


def test_thousands_of_streams_in_one_chain_end_in_a_status(refused):
    message = outlook_message(TEXTS | {0x6000 + number: f"text {number}" for number in range(5_000)})
    assert refused("a.msg", compound_file(message)) is FileStatus.FAILED  # programs write them as a balanced tree


def test_sizes_beyond_the_file_and_chains_that_loop_cost_no_more_than_the_file(read_all):
    whole = compound_file(outlook_message(TEXTS, attachments=[attachment("a.txt", b"x" * 9_000)]))
    entry = whole.index("__substg1.0_37010102".encode("utf-16-le"))  # that of the attachment
    start = struct.unpack_from("<I", whole, entry + 116)[0]
    table = len(whole) - 512
    hostile = bytearray(whole)
    hostile[entry + 120 : entry + 124] = b"\xf0\xff\xff\xff"
    hostile[table + 4 * start : table + 4 * start + 4] = struct.pack("<I", start)
    began = time.process_time()
    assert len(read_all("a.msg", bytes(hostile)).documents[1].text) <= len(whole)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("at", "value"), [(30, 0xFFFF), (44, 0xFFFFFFFF), (44, 110), (64, 0xFFFFFFFF), (72, 0xFFFFFFFF)]
)
def test_a_header_that_claims_more_than_there_is_ends_in_a_status(read_all, at, value):
    hostile = bytearray(compound_file(outlook_message(TEXTS)))
    hostile[at : at + (2 if at == 30 else 4)] = struct.pack("<H" if at == 30 else "<I", value)
    began = time.process_time()
    with suppress(ReadFailure):
        assert len(read_all("a.msg", bytes(hostile)).documents[0].text) < 10_000
    assert time.process_time() - began < 5


def test_a_real_message_is_read(shared: Path, read):
    document = read("a.msg", (shared / "data/messy/dev/testMSG_chinese.msg").read_bytes())
    assert "恭喜 HQ 保全課 陳奎良 高票當選" in document.text
    assert document.authors == ("Tests Chang@FT (張毓倫)",)
