"""Text files keep their lines, encodings are detected, and files that are not text are rejected."""

from __future__ import annotations

import codecs

import pytest

from investigator.documents.pages import line_at
from investigator.records import FileStatus

GERMAN = "Prüfbericht über die Brücke\n\nDie Tragfähigkeit beträgt 12,5 t. Größere Schäden wurden nicht festgestellt.\n"


def test_lines_are_the_files_own(read):
    document = read("notes.txt", "one\r\n\r\n  two  \rthree\x00!\n\n\nfour")
    assert document.text == "one\n\n  two  \nthree!\n\n\nfour"
    assert line_at(document.text, document.text.index("four")) == 7
    assert document.pages == ()


@pytest.mark.parametrize(
    "data",
    [
        GERMAN.encode(),
        codecs.BOM_UTF8 + GERMAN.encode(),
        GERMAN.encode("utf-16"),
        GERMAN.encode("utf-16-le"),
        GERMAN.encode("utf-16-be"),
        GERMAN.encode("cp1252"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16", "utf-16-le", "utf-16-be", "cp1252"],
)
def test_the_encoding_is_found(read, data):
    assert read("bericht.txt", data).text == GERMAN


SENTENCES = {
    "pl": "Rada miejska przyjęła uchwałę o budowie mostu. Koszt wyniesie pięć milionów złotych, a prace potrwają rok.",
    "cs": "Městská rada schválila stavbu nového mostu přes řeku, která začne příští podzim a potrvá dvě léta.",
    "tr": "Şehir meclisi nehrin üzerine yeni bir köprü yapılmasını onayladı. İnşaat önümüzdeki sonbaharda başlayacak.",
    "ru": "Городской совет одобрил строительство нового моста через реку. Работы начнутся осенью.",
    "el": "Το δημοτικό συμβούλιο ενέκρινε την κατασκευή νέας γέφυρας πάνω από τον ποταμό.",
    "ar": "وافق مجلس المدينة على بناء جسر جديد فوق النهر. تبدأ الأعمال في الخريف القادم.",
    "he": "מועצת העיר אישרה את בניית הגשר החדש מעל הנהר. העבודות יתחילו בסתיו הבא.",
    "ja": "市議会は川に架かる新しい橋の建設を承認した。工事は来年の秋に始まり、およそ二年間続く予定である。",
    "ko": "시의회는 강을 가로지르는 새로운 다리의 건설을 승인했다. 공사는 내년 가을에 시작될 예정이다.",
    "zh": "市议会批准在河上建造一座新桥。工程将于明年秋天开始，预计持续两年。费用估计为五亿元。",
    "tw": "市議會批准在河上建造一座新橋。工程將於明年秋天開始，預計持續兩年。費用估計為五億元。",
    "en": "“It’s the old mill” – he said… and laughed, for it cost £5 and the café was cheap.",
    "es": "¿Cuándo empezarán las obras? El próximo otoño, según el señor alcalde; después habrá más información.",
}


@pytest.mark.parametrize(
    ("language", "encodings"),
    [
        ("pl", "cp1250 iso8859-2"),
        ("cs", "cp1250 iso8859-2"),
        ("tr", "cp1254 iso8859-9"),
        ("ru", "cp1251 koi8-r cp866 iso8859-5 utf-16-le utf-16-be utf-32-le utf-32-be utf-32"),
        ("el", "cp1253 iso8859-7 utf-16-le"),
        ("ar", "cp1256 iso8859-6 utf-16-be"),
        ("he", "cp1255 utf-16-le"),
        ("ja", "shift_jis euc_jp iso2022_jp utf-16-le utf-16-be"),
        ("ko", "euc_kr utf-16-le"),
        ("zh", "gb18030 gbk utf-16-le utf-16-be utf-32-be"),
        ("tw", "big5 utf-16-be"),
        ("en", "cp1252 mac_roman"),
        ("es", "cp1252 cp850 mac_roman"),
    ],
)
def test_the_encoding_is_found_in_every_script(read, language, encodings):
    text = SENTENCES[language] + "\n"
    for encoding in encodings.split():
        assert read("a.txt", text.encode(encoding)).text == text, encoding


@pytest.mark.parametrize("text", [f"Prices: \x1b$B, {GERMAN}", "Prices: \x1b$B, in all"])
def test_a_text_with_a_mark_of_another_encoding_is_kept(read, text):
    assert read("a.txt", text.encode()).text == text.replace("\x1b", "")


def test_a_lone_accent_in_a_short_text_is_not_chinese(read):
    text = "Kommentar über die Galater und sein Werk über die Psalmen. Dieser frühe Abschnitt"
    assert read("a.txt", text.encode("cp1252")).text == text


def test_one_foreign_byte_far_down_does_not_hide_the_encoding(read):
    data = b"plain line\n" * 40_000 + "Straße und Brücke, größer als möglich\n".encode("cp1252")
    assert read("long.txt", data).text.endswith("Straße und Brücke, größer als möglich\n")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.py"])
def test_one_damaged_byte_costs_one_character_and_is_told(read_all, name):
    damaged = GERMAN.encode().replace(b"12,5", b"12\xff5")
    found = read_all(name, b"<html><p>" + damaged + b"</html>" if name == "a.html" else damaged)
    assert "beträgt 12\ufffd5 t. Größere" in found.documents[0].text
    assert [(item.path, item.status) for item in found.unreadable] == [(f"{name}/(the rest)", FileStatus.EMPTY)]
    assert found.unreadable[0].reason.startswith("1 damaged character ")


def test_a_mark_of_damage_that_stands_in_the_file_is_not_damage(read_all):
    assert read_all("a.txt", "Größe \ufffd und Länge").unreadable == ()


def test_damage_far_down_is_counted(read_all):
    found = read_all("a.txt", (GERMAN * 2_000).encode() + b"\xff\xfe\n" + GERMAN.encode())
    assert found.documents[0].text.endswith("\ufffd\ufffd\n" + GERMAN)
    assert found.unreadable[0].reason.startswith("2 damaged characters ")


@pytest.mark.parametrize("data", ["", " \n\t\r\n "])
def test_a_file_of_nothing_is_empty(refused, data):
    assert refused("empty.txt", data) is FileStatus.EMPTY


def test_a_file_of_zero_bytes_is_damaged_and_not_empty(refused):
    assert refused("copied.txt", "\0\0\0") is FileStatus.FAILED


def test_binary_content_is_not_text(refused):
    assert refused("data.bin", bytes(range(256)) * 40) is FileStatus.UNSUPPORTED
    assert refused("data.txt", b"\x7fELF" + bytes(2000)) is FileStatus.UNSUPPORTED


def test_limits_are_kept(refused, monkeypatch):
    monkeypatch.setattr("investigator.documents.readers.unpacking.MOST_CHARACTERS", 100)
    assert refused("big.txt", "x" * 101) is FileStatus.TOO_LARGE
    assert refused("big.txt", "x" * 101, max_bytes=100) is FileStatus.TOO_LARGE


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Mill on the Floss\n\nA wide plain.", "The Mill on the Floss"),
        ("A long title that\ngoes on\n\nBody.", "A long title that goes on"),
        ("It was a wide plain, he said.\n\nThen", "file"),
        ("1 | 2 | 3 |\n", "file"),
    ],
)
def test_prose_is_called_by_its_first_line_if_that_is_a_title(read, text, title):
    assert read("file.txt", text).title == title


MARKDOWN = """---
title: "Annual report"
authors:
  - Ada Byron
  - 'Max Born'
date: 2023-05-06
---

# Results #

Text.

```sh
# no heading
```

Second
------

- list
---

### Costs
"""


def test_markdown_headings_stand_where_they_are_said_to(read):
    document = read("report.md", MARKDOWN)
    assert document.text == MARKDOWN
    assert [(h.text, document.text[h.start :].split("\n")[0]) for h in document.headings] == [
        ("Results", "# Results #"),
        ("Second", "Second"),
        ("Costs", "### Costs"),
    ]
    assert document.title == "Annual report"
    assert document.authors == ("Ada Byron", "Max Born")
    assert document.date == "2023-05-06"


def test_marks_inside_markdown_lines_are_not_text_but_lines_stay(read):
    source = """# The **whole** trial

Table <a href="#T1">1</a> shows 5 &lt; 6 m<sup>2</sup> \\[ISRCTN8\\], and *many
lines* of `code_name` and x_1_y <!-- hidden
words --> here. See [the registry](http://example.org/ct/8) and <board@example.org>.

| **Sex** | a \\| b |
|---------|--------|
  - an ![figure *one*](f.png) item

```
a **b** &lt;
```
"""
    assert (
        read("a.md", source.replace("\\\\", "\\")).text
        == """# The whole trial

Table 1 shows 5 < 6 m2 [ISRCTN8], and many
lines of code_name and x_1_y
here. See the registry (http://example.org/ct/8) and board@example.org.

| Sex | a \\| b |
|---------|--------|
  - an figure *one* item

```
a **b** &lt;
```
""".replace("\\\\", "\\")
    )


def test_a_huge_markdown_file_of_marks_is_read_in_time(read):
    text = "**a** [b](c) <i>d</i> &amp; _e_ " * 2_000 + "\n\n" + "[" * 20_000 + "*" * 20_000 + "\n"
    assert "a b d & e" in read("a.md", text).text


def test_front_matter_may_be_toml(read):
    document = read("a.md", '+++\ntitle = "The mill"\ndate = 2021-02-03\nauthors = ["Ada", "Max"]\n+++\n# Part\n')
    assert (document.title, document.authors, document.date) == ("The mill", ("Ada", "Max"), "2021-02-03")
    assert [h.text for h in document.headings] == ["Part"]


def test_markdown_without_front_matter_is_called_by_its_first_heading(read):
    document = read("a.md", "intro\n\n## The mill\n\ntext")
    assert document.title == "The mill"
    assert document.text[document.headings[0].start :].startswith("## The mill")
