"""Messages and mailboxes: their text, sender, date and attachments."""

from __future__ import annotations

import base64
import random
from email.message import EmailMessage

import pytest
from made_files import docx, pdf, word_paragraph

from investigator.documents.readers import unpacking
from investigator.documents.readers.mail.character_sets import header_text, text_in
from investigator.records import FileStatus

HEAD = (
    "From: Ada Byron <ada@mill.example>\r\nTo: Max Born <max@mill.example>,\r\n Eve <eve@mill.example>\r\n"
    "Cc: office@mill.example\r\nDate: Thu, 4 Mar 2021 10:00:00 +0100\r\nSubject: Lease of the mill\r\n"
    "Message-ID: <1@mill.example>\r\nMIME-Version: 1.0\r\n"
)


def letter(body: str = "The rent is 40 shillings.", html: str = "") -> EmailMessage:
    """Return a message in one or two forms."""
    message = EmailMessage()
    message["From"], message["To"] = "Ada Byron <ada@mill.example>", "max@mill.example"
    message["Date"], message["Subject"] = "Thu, 4 Mar 2021 10:00:00 +0100", "Lease of the mill"
    message.set_content(body)
    if html:
        message.add_alternative(html, subtype="html")
    return message


def attach(
    message: EmailMessage, content: bytes, name: str, kind: str = "application/octet-stream", **more: str
) -> None:
    """Attach a file."""
    main, _, sub = kind.partition("/")
    message.add_attachment(content, maintype=main, subtype=sub, filename=name, **more)


def ids(reading) -> list[str]:
    return [document.id for document in reading.documents]


def test_a_message_is_its_head_and_its_body(read):
    document = read(
        "a.eml", HEAD + "Content-Type: text/plain; charset=utf-8\r\n\r\nThe rent is 40 shillings.\r\n\r\nAda\r\n"
    )
    assert document.text == (
        "From: Ada Byron <ada@mill.example>\nTo: Max Born <max@mill.example>, Eve <eve@mill.example>\n"
        "Cc: office@mill.example\nDate: Thu, 4 Mar 2021 10:00:00 +0100\nSubject: Lease of the mill\n\n"
        "The rent is 40 shillings.\n\nAda"
    )
    assert (document.title, document.authors, document.date) == ("Lease of the mill", ("Ada Byron",), "2021-03-04")
    assert (document.media_type, document.own_lines) == ("message/rfc822", False)


def test_a_body_that_is_no_text_is_told_like_an_attachment(read_all):
    found = read_all("a.eml", HEAD.encode() + b"\r\n" + random.Random(7).randbytes(5_000))
    assert found.documents[0].text.endswith("Subject: Lease of the mill\nAttachments: attachment 1")
    assert [(item.path, item.status) for item in found.unreadable] == [("a.eml/attachment 1", FileStatus.UNSUPPORTED)]


def test_a_message_is_known_by_its_head_whatever_its_name(read):
    assert read("letter", HEAD + "\r\nText.").media_type == "message/rfc822"
    assert read("letter.txt", "From: my notes\nSubject: none\n\nText.").media_type == "text/plain"


@pytest.mark.parametrize(
    ("charset", "encoding", "words"),
    [
        ("utf-8", "quoted-printable", "Die Miete beträgt 40 €."),
        ("iso-8859-1", "base64", "Die Miete beträgt “40” Taler."),
        ("windows-1251", "8bit", "Арендная плата составляет сорок шиллингов."),
        ("gb2312", "base64", "租金是四十先令。"),
        ("iso-2022-jp", "7bit", "家賃は四十シリングです。"),
        ("ks_c_5601-1987", "base64", "임대료는 사십 실링입니다."),
    ],
)
def test_bodies_are_decoded_as_declared(read, charset: str, encoding: str, words: str):
    codec = {"iso-8859-1": "cp1252", "gb2312": "gb18030", "ks_c_5601-1987": "cp949"}.get(charset, charset)
    data = words.encode(codec)
    if encoding == "base64":
        data = base64.encodebytes(data)
    elif encoding == "quoted-printable":
        data = b"".join(b"=%02X" % byte if byte > 126 or byte == 61 else bytes([byte]) for byte in data)
    head = f"{HEAD}Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    assert read("a.eml", head.encode() + data).text.endswith(words)


def test_a_character_set_that_is_wrong_or_unknown_is_found_out():
    words = "Арендная плата за мельницу составляет сорок шиллингов в год, и платить её надо весной."
    assert text_in(words.encode(), "us-ascii") == words
    assert text_in(words.encode("cp1251"), "x-nothing") == words
    assert text_in(words.encode("cp1251"), "utf-8") == words
    assert text_in(b"caf\xe9 \x93x\x94", "iso-8859-1") == "café “x”"


def test_words_of_the_head_are_decoded():
    assert header_text("=?utf-8?q?M=C3=BChle_am?=\n =?utf-8?q?_Fluss?=") == "Mühle am Fluss"
    assert header_text("Re: =?UTF-8?B?TcO8?= =?utf-8?B?aGxl?= 2") == "Re: Mühle 2"
    assert header_text("=?utf-8?B?4oKs4g==?= =?utf-8?B?gqw=?=") == "€€"  # a character cut in two
    assert header_text("=?iso-2022-jp?B?GyRCMkhEQhsoQg==?=") == "家賃"
    assert header_text("=?no-such-charset?q?a?= =?utf-8?B?%%%?= =?broken") == "a =?broken"
    raw = "Mühle".encode().decode("ascii", "surrogateescape")
    assert header_text(raw) == "Mühle"


def test_a_body_of_html_only_gives_its_words_and_headings(read):
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@mill.example", "Rent"
    message.set_content("<h1>The rent</h1><p>It is <b>40</b> shillings.</p><script>alert(1)</script>", subtype="html")
    document = read("a.eml", message.as_bytes())
    assert document.text == "From: ada@mill.example\nSubject: Rent\n\nThe rent\n\nIt is 40 shillings."
    assert [document.text[heading.start :][:8] for heading in document.headings] == ["The rent"]
    assert document.authors == ("ada@mill.example",)


def test_hidden_words_of_a_body_of_html_are_left_out_or_marked(read):
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@mill.example", "Rent"
    message.set_content('<p>The rent is 40.</p><p style="display: none">It was 38.</p>', subtype="html")
    assert read("a.eml", message.as_bytes()).text.endswith("\n\nThe rent is 40.")
    assert read("a.eml", message.as_bytes(), hidden="mark").text.endswith("The rent is 40.\n\n[hidden: It was 38.]")


def test_of_two_forms_the_plain_one_is_taken_unless_it_is_a_stub(read):
    both = letter(html="<p>The rent is <b>forty</b> shillings.</p>")
    assert read("a.eml", both.as_bytes()).text.endswith("The rent is 40 shillings.\n".strip())
    stub = letter("See HTML.", html=f"<p>{'The rent is forty shillings, to be paid in spring. ' * 5}</p>")
    assert "paid in spring" in read("a.eml", stub.as_bytes()).text


def test_html_that_is_no_other_form_of_the_plain_text_is_not_lost(read_all):
    data = (
        HEAD + 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
        "My answer to what you asked in your long letter of May stands below.\r\n--b\r\n"
        "Content-Type: text/html\r\n\r\n<p>The rent is 40 shillings.</p>\r\n--b--\r\n"
    )
    text = read_all("a.eml", data).documents[0].text
    assert "My answer to what you asked" in text
    assert "The rent is 40 shillings." in text


def test_text_behind_a_quotation_in_another_part_is_the_messages_own(read):
    data = (
        HEAD + 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
        "> It was 30 shillings.\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>It is 40 now.</p>\r\n--b--\r\n"
    )
    document = read("a.eml", data)
    assert document.text.endswith("[quoted message]\n> It was 30 shillings.\n\n[message]\nIt is 40 now.")
    assert [heading.text for heading in document.headings] == ["[quoted message]", "[message]"]
    assert all(document.text.startswith(heading.text, heading.start) for heading in document.headings)


def test_files_between_the_forms_of_a_body_are_attachments(read_all):
    data = (
        HEAD + 'Content-Type: multipart/alternative; boundary="a"\r\n\r\n--a\r\nContent-Type: text/plain\r\n\r\n'
        'The list is attached.\r\n--a\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'
        "Content-Type: text/html\r\n\r\n<p>The list is attached.</p>\r\n--b\r\n"
        'Content-Type: text/csv; name="list.csv"\r\n\r\nname,rent\r\nMill,40\r\n--b--\r\n--a--\r\n'
    )
    reading = read_all("a.eml", data)
    assert ids(reading) == ["a.eml", "a.eml/list.csv"]
    assert reading.documents[0].text.count("The list is attached.") == 1


def test_attachments_are_documents_and_named_in_the_text(read_all):
    message = letter()
    attach(message, docx(word_paragraph("Signed in spring.")), "Vertrag – Mühle.docx")
    attach(message, pdf([["Dues of the mill"]]), "dues.pdf", "application/pdf")
    attach(message, bytes(range(256)), "tool.bin")
    reading = read_all("a.eml", message.as_bytes())
    assert ids(reading) == ["a.eml", "a.eml/Vertrag – Mühle.docx", "a.eml/dues.pdf"]
    assert "\nAttachments: Vertrag – Mühle.docx, dues.pdf, tool.bin\n" in reading.documents[0].text
    assert [(left.path, left.status) for left in reading.unreadable] == [("a.eml/tool.bin", FileStatus.UNSUPPORTED)]


def test_pictures_of_the_page_itself_and_signatures_are_left_out(read_all):
    message = letter(html='<p>The rent is 40 shillings.</p><img src="cid:logo@x">')
    attach(message, b"\x89PNG\r\n\x1a\n" + bytes(50), "logo.png", "image/png", cid="<logo@x>", disposition="inline")
    attach(message, b"-----BEGIN", "signature.asc", "application/pgp-signature")
    attach(message, b"\x89PNG\r\n\x1a\n" + bytes(50), "scan.png", "image/png")
    reading = read_all("a.eml", message.as_bytes(), ocr=False)
    assert [left.path for left in reading.unreadable] == ["a.eml/scan.png"]


def test_a_message_attached_to_a_message_is_a_document_with_its_own_attachments(read_all):
    inner = letter("It stood there before.")
    inner.replace_header("Subject", "The old lease / 1890")
    attach(inner, b"Signed in 1890.", "note.txt")
    outer = letter()
    outer.add_attachment(inner)
    reading = read_all("a.eml", outer.as_bytes())
    within = "a.eml/The old lease - 1890.eml"
    assert ids(reading) == ["a.eml", within, f"{within}/note.txt"]
    assert reading.documents[1].text.endswith("It stood there before.")
    assert reading.documents[2].text == "Signed in 1890."


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\etc\\passwd", "/etc/passwd", "C:\\etc\\passwd"])
def test_a_hostile_name_of_an_attachment_stays_inside(read_all, name: str):
    message = letter()
    attach(message, b"root", name)
    assert ids(read_all("a.eml", message.as_bytes())) == ["a.eml", "a.eml/etc/passwd"]


def test_an_encrypted_message_is_told_as_such(read_all):
    data = (
        HEAD + 'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b\r\n"
        "Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----\r\nhQEM\r\n--b--\r\n"
    )
    reading = read_all("a.eml", data)
    assert "BEGIN PGP" not in reading.documents[0].text
    assert [left.status for left in reading.unreadable] == [FileStatus.ENCRYPTED]


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/mixed",
        'multipart/mixed; boundary="never seen"',
        'multipart/mixed; boundary=""',
        "nonsense",
        "text/plain; charset=",
        "text/plain; name*99999999999999999999999*=x; name*0*=utf-8''%FF",
        "text/plain\r\nContent-Transfer-Encoding: base64",
        "text/plain\r\nContent-Transfer-Encoding: no-such",
        "text/plain\r\nno colon in this line\r\nX:",
    ],
)
def test_a_broken_message_still_gives_what_it_holds(read, kind: str):
    assert "Lease of the mill" in read("a.eml", f"{HEAD}Content-Type: {kind}\r\n\r\nThe rent is 40.\r\n").text


def test_a_boundary_that_is_not_closed_loses_nothing(read):
    head = HEAD + 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
    assert read("a.eml", head + "The rent is 40 shillings.").text.endswith("The rent is 40 shillings.")


def test_parts_nested_two_thousand_deep_neither_crash_nor_hang(read_all, refused):
    parts = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\r\n\r\n--b{n}\r\n' for n in range(2_000))
    assert refused("a.eml", f"{HEAD}{parts}Content-Type: text/plain\r\n\r\nText.") is FileStatus.FAILED
    messages = "Content-Type: message/rfc822\r\n\r\n" * 100
    reading = read_all("b.eml", f"{HEAD}{messages}Subject: last\r\n\r\nText.")
    assert "3 deep" in reading.unreadable[-1].reason


def test_a_message_of_very_many_parts_is_bounded(read_all, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 50)
    part = "--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment\r\n\r\nx\r\n"
    data = HEAD + 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + part * 3_000
    reading = read_all("a.eml", data)
    assert "more than 50 files" in reading.unreadable[-1].reason
    assert len(reading.unreadable) == 51


def mailbox(*messages: str) -> str:
    """Return a mailbox of the given messages."""
    return "".join(f"From ada@mill.example Thu Mar  4 10:00:00 2021\n{message}\n\n" for message in messages)


def test_each_message_of_a_mailbox_is_a_document(read_all):
    first = "From: Ada <ada@mill.example>\nSubject: =?utf-8?q?M=C3=BChle?=: rent/dues\n\nThe rent is 40.\n"
    second = "From: Max <max@mill.example>\nSubject:\n\n>From here it is paid.\nFrom me to you.\n\nFrom spring on.\n"
    reading = read_all("old.mbox", mailbox(first, second))
    assert ids(reading) == ["old.mbox/0001 Mühle- rent-dues.eml", "old.mbox/0002.eml"]
    assert reading.documents[0].authors == ("Ada",)
    assert reading.documents[1].text.endswith("From here it is paid.\nFrom me to you.\n\nFrom spring on.")


def test_a_mailbox_is_known_by_its_beginning_and_bounded(read_all, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 100)
    reading = read_all("Inbox", mailbox(*[HEAD.replace("\r", "") + "\nText."] * 300))
    assert len(reading.documents) == 100
    assert [left.path for left in reading.unreadable] == ["Inbox/(the rest)"]
