"""Word documents, slides, pages, mail and subtitles are read as a person sees them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pptx
import pytest
from made_files import WORD, docx, package, word_paragraph
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from investigator.documents.readers.base import ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.registry import read as read_source
from investigator.records import FileStatus

MARK = {"hidden": "mark"}


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def numbered(text: str, level: int, identity: int = 1) -> str:
    properties = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{identity}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def numbering(levels: list[tuple[str, str]], more: str = "") -> str:
    entries = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (form, text) in enumerate(levels)
    )
    abstract = f'<w:abstractNum w:abstractNumId="7">{entries}</w:abstractNum>'
    number = '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    return f'<w:numbering xmlns:w="{WORD}">{abstract}{number}{more}</w:numbering>'


CLAUSES = [("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("upperRoman", "%4")]


def test_clauses_carry_the_numbers_that_word_computes(read: Any) -> None:
    body = "".join(
        numbered(text, level)
        for text, level in [("Terms", 0), ("Words", 1), ("Fees", 0), ("Rent", 1), ("Late", 1), ("a fee", 2), ("b", 2)]
    )
    text = read("a.docx", docx(body, numbering=numbering(CLAUSES))).text
    assert text.split("\n\n") == ["1. Terms", "1.1 Words", "2. Fees", "2.1 Rent", "2.2 Late", "(a) a fee", "(b) b"]


def test_a_list_that_starts_anew_or_is_a_bullet_is_numbered_so(read: Any) -> None:
    again = (
        '<w:num w:numId="2"><w:abstractNumId w:val="7"/>'
        '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    )
    parts = numbering([("decimal", "%1)"), ("bullet", "•")], again)
    body = numbered("one", 0) + numbered("two", 0) + numbered("five", 0, 2) + numbered("six", 0, 2) + numbered("dot", 1)
    text = read("a.docx", docx(body, numbering=parts)).text
    assert text.split("\n\n") == ["1) one", "2) two", "5) five", "6) six", "dot"]


def test_headings_are_numbered_by_their_style_even_if_styles_refer_to_each_other(read: Any) -> None:
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="h1"><w:name w:val="heading 1"/>'
        '<w:basedOn w:val="x"/></w:style>'
        '<w:style w:styleId="x"><w:basedOn w:val="h1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        "</w:styles>"
    )
    body = word_paragraph("Scope", style="h1") + word_paragraph("Fees", style="h1")
    document = read("a.docx", docx(body, styles=styles, numbering=numbering([("decimal", "%1.")])))
    assert [heading.text for heading in document.headings] == ["1. Scope", "2. Fees"]


def test_hidden_text_of_word_is_left_out_and_counted_or_marked(read_all: Any) -> None:
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="base"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:styleId="secret"><w:basedOn w:val="base"/></w:style></w:styles>'
    )
    body = word_paragraph("The rent is 900 EUR.") + f"<w:p>{run('It was 650', '<w:vanish/>')}{run(' EUR.')}</w:p>"
    secret, shown = run("Never ", '<w:rStyle w:val="secret"/>'), run("shown", '<w:vanish w:val="0"/>')
    body += f"<w:p>{secret}{shown}</w:p>"
    data = docx(body, styles=styles)
    omitted, marked = read_all("a.docx", data), read_all("a.docx", data, **MARK)
    assert omitted.documents[0].text == "The rent is 900 EUR.\n\nEUR.\n\nshown"
    assert [(one.status, one.reason[:14]) for one in omitted.unreadable] == [(FileStatus.HIDDEN, "4 hidden words")]
    assert "[hidden: It was 650] EUR." in marked.documents[0].text
    assert not marked.unreadable


def test_boxes_and_lists_of_forms_show_their_state(read: Any) -> None:
    def legacy(content: str) -> str:
        return f"<w:r><w:fldChar><w:ffData>{content}</w:ffData></w:fldChar></w:r>"

    ticked = legacy('<w:checkBox><w:default w:val="0"/><w:checked w:val="1"/></w:checkBox>')
    empty = legacy('<w:checkBox><w:default w:val="0"/></w:checkBox>')
    chosen = legacy(
        '<w:ddList><w:result w:val="1"/><w:listEntry w:val="North"/><w:listEntry w:val="South"/></w:ddList>'
    )
    symbol = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'
    letter = run("\uf0a8", '<w:rFonts w:ascii="Wingdings"/>')
    body = "".join(
        f"<w:p>{field}{run(f' {label}')}</w:p>"
        for field, label in [(ticked, "Insured"), (empty, "Gift"), (chosen, "wing"), (symbol, "Fast"), (letter, "Slow")]
    )
    assert read("a.docx", docx(body)).text.split("\n\n") == ["☒ Insured", "☐ Gift", "South wing", "☒ Fast", "☐ Slow"]


def test_comments_of_word_name_their_author_and_what_they_are_on(read: Any) -> None:
    comments = (
        f'<w:comments xmlns:w="{WORD}"><w:comment w:id="3" w:author="Ida">{word_paragraph("Idaho, too?")}</w:comment>'
    )
    anchored = (
        f'<w:p>{run("The rent is ")}<w:commentRangeStart w:id="3"/>{run("900 EUR")}<w:commentRangeEnd w:id="3"/></w:p>'
    )
    text = read("a.docx", docx(anchored, comments=f"{comments}</w:comments>")).text
    assert text == 'The rent is 900 EUR\n\ncomment on "900 EUR": Ida: Idaho, too?'


RAISED, LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "a.html",
            "<p>At most 10<sup>6</sup> per m<sup>2</sup> of SO<sub>4</sub> in 150<sup>2</sup> farms<sup>*</sup>, "
            "10<sup>−3</sup>.</p>"
            "<p><sup>2</sup> Small ones.</p>",
        ),
        (
            "a.docx",
            docx(
                f"<w:p>{run('At most 10')}{run('6', RAISED)}{run(' per m')}{run('2', RAISED)}{run(' of SO')}"
                f"{run('4', LOWERED)}{run(' in 150')}{run('2', RAISED)}{run(' farms')}{run('*', RAISED)}{run(', 10')}"
                f"{run('−3', RAISED)}{run('.')}</w:p><w:p>{run('2', RAISED)}{run(' Small ones.')}</w:p>"
            ),
        ),
    ],
)
def test_exponents_are_marked_and_marks_of_notes_stand_apart(read: Any, name: str, data: bytes | str) -> None:
    assert read(name, data).text == "At most 10^6 per m^2 of SO4 in 150 2 farms *, 10^−3.\n\n2 Small ones."


def deck() -> Any:
    shown = pptx.Presentation()
    for title in ("Repairs", "Draft"):
        shown.slides.add_slide(shown.slide_layouts[5]).shapes.title.text = title
    return shown


def saved(shown: Any) -> bytes:
    buffer = io.BytesIO()
    shown.save(buffer)
    return buffer.getvalue()


def test_a_native_chart_is_a_table_of_its_series(read: Any) -> None:
    shown, data = deck(), CategoryChartData()
    data.categories = ["Summer", "Autumn"]
    data.add_series("Coast", (418, 437))
    data.add_series("Inland", (296, 203))
    shown.slides[0].shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data)
    document = read("a.pptx", saved(shown))
    assert "chart\ncategory | Coast | Inland\ncategory: Summer; Coast: 418; Inland: 296\n" in document.text
    assert "category: Autumn; Coast: 437; Inland: 203" in document.text
    assert [span.page for span in document.pages] == [1, 2]


def test_a_hidden_slide_is_left_out_and_counted_or_marked(read_all: Any) -> None:
    shown = deck()
    shown.slides[1]._element.set("show", "0")
    omitted, marked = read_all("a.pptx", saved(shown)), read_all("a.pptx", saved(shown), **MARK)
    assert omitted.documents[0].text == "Repairs"
    assert omitted.unreadable[0].reason.startswith("1 hidden slide not read")
    assert marked.documents[0].text == "Repairs\n\n[hidden: Draft]"


def test_merged_cells_of_a_slide_stand_in_every_row_and_column(read: Any) -> None:
    shown = deck()
    table = shown.slides[0].shapes.add_table(3, 3, 0, 0, Inches(4), Inches(2)).table
    for row, cells in enumerate([("Country", "Product", "Days"), ("Norway", "Chair", "9"), ("", "Lamp", "12")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    assert "Norway | Chair | 9\nNorway | Lamp | 12" in read("a.pptx", saved(shown)).text


def test_a_long_deck_is_read(read: Any) -> None:
    slides = 2_000
    listed = "".join(f'<p:sldId id="{256 + i}" r:id="s{i}"/>' for i in range(slides))
    space = 'xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="urn:r/relationships"'
    rels = "".join(f'<Relationship Id="s{i}" Type="x/slide" Target="slides/s{i}.xml"/>' for i in range(slides))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": f"<p:presentation {space}>{listed}</p:presentation>",
        "ppt/_rels/presentation.xml.rels": f"<Relationships>{rels}</Relationships>",
    }
    parts |= {f"ppt/slides/s{i}.xml": f"<p:sld {space}><a:p><a:t>slide {i}</a:t></a:p></p:sld>" for i in range(slides)}
    assert read("a.pptx", package(parts)).text.endswith(f"slide {slides - 1}")


def odp(pages: str) -> bytes:
    space = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for name, long in [("office", "office"), ("draw", "drawing"), ("text", "text"), ("style", "style"),
                           ("presentation", "presentation")]
    )  # fmt: skip
    hidden = (
        '<style:style style:name="no"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    body = f"<office:body><office:presentation>{pages}</office:presentation></office:body>"
    kind = "application/vnd.oasis.opendocument.presentation"
    return package(
        {"mimetype": kind, "content.xml": f"<office:document-content {space}>{hidden}{body}</office:document-content>"}
    )


def test_an_open_document_presentation_has_a_page_for_each_slide(read_all: Any) -> None:
    title = '<draw:frame presentation:class="title"><text:p>Repairs</text:p></draw:frame>'
    body = "<draw:frame><text:p>437 in <text:span>autumn</text:span>, all done</text:p></draw:frame>"
    notes = "<presentation:notes><text:p>Say thanks.</text:p></presentation:notes>"
    hidden = '<draw:page draw:style-name="no"><text:p>Draft</text:p></draw:page>'
    result = read_all("a.odp", odp(f"<draw:page>{title}{body}{notes}</draw:page>{hidden}"))
    assert result.documents[0].text == "Repairs\n\n437 in autumn, all done\n\nSay thanks."
    assert [heading.text for heading in result.documents[0].headings] == ["Repairs"]
    assert result.unreadable[0].reason.startswith("1 hidden slide not read")


def test_a_cell_that_goes_on_from_above_stands_behind_a_wide_one(read: Any) -> None:
    def cell(text: str, *properties: str) -> str:
        inner = word_paragraph(text) if text else "<w:p/>"
        return f"<w:tc><w:tcPr>{''.join(properties)}</w:tcPr>{inner}</w:tc>"

    rows = [
        [cell("A"), cell("B"), cell("Port")],
        [cell("x"), cell("y"), cell("Vardo", '<w:vMerge w:val="restart"/>')],
        [cell("wide", '<w:gridSpan w:val="2"/>'), cell("", "<w:vMerge/>")],
    ]
    table = "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows)
    assert read("a.docx", docx(f"<w:tbl>{table}</w:tbl>")).text == "A | B | Port\nx | y | Vardo\nwide | wide | Vardo"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.vtt",
            "WEBVTT\n\nNOTE a draft\n\n1\n00:01:05.000 --> 00:01:07.000 align:start\n"
            "<v Petra>We sold <b>14</b> boilers.\n",
        ),
        ("a.srt", "1\r\n00:01:05,000 --> 00:01:07,000\r\nPetra: We sold {\\an8}14 boilers.\r\n"),
    ],
)
def test_subtitles_are_speech_with_time_and_speaker(read: Any, name: str, text: str) -> None:
    assert read(name, text).text == "[0:01:05] Petra: We sold 14 boilers."


def test_lists_and_fields_of_a_page_are_read_as_shown(read: Any) -> None:
    page = (
        '<ol start="3"><li>Fees<ol type="a"><li>monthly</li><li>yearly</li></ol></li><li>End</li></ol>'
        '<ol reversed start="2"><li>b</li><li>a</li></ol><ul><li>dot</li></ul>'
        '<form><input type="checkbox" checked>Yes <input type="radio">No '
        '<input name="n" value="PK-7"><input type="hidden" value="token"></form>'
    )
    expected = "3. Fees a. monthly b. yearly 4. End 2. b 1. a dot ☒ Yes ☐ No PK-7"
    assert read("a.html", page).text.split() == expected.split()


def test_hidden_words_of_a_page_can_be_read_with_a_mark(read: Any) -> None:
    page = "<p>Shown.<span style='display:none'>The <b>old <i>net</i></b> price<style>b {}</style></span> End.</p>"
    assert read("a.html", page).text == "Shown. End."
    assert read("a.html", page, **MARK).text == "Shown. [hidden: The old net price] End."


def test_merged_cells_and_stacked_headers_of_a_page_are_repeated(read: Any) -> None:
    page = (
        '<table><tr><th rowspan="2">Port</th><th colspan="2">2024</th></tr><tr><th>Tonnes</th><th>Boats</th></tr>'
        '<tr><td rowspan="2">Vardo</td><td>1</td><td>2</td></tr><tr><td>640</td><td>22</td></tr></table>'
    )
    document = read("a.html", page)
    assert document.text == "Port | 2024 | 2024\nPort | Tonnes | Boats\nVardo | 1 | 2\nVardo | 640 | 22"
    assert document.tables[0].header_rows == 2


def test_both_header_rows_of_a_long_table_are_repeated(read: Any) -> None:
    rows = "".join(f"<tr><td>Port {n}</td><td>{n} tonnes of cod</td><td>{n}</td></tr>" for n in range(80))
    head = '<tr><th rowspan="2">Port</th><th colspan="2">2024</th></tr><tr><th>Landed</th><th>Boats</th></tr>'
    assert read("a.html", f"<table>{head}{rows}</table>").text.count("Port | 2024 | 2024\nPort | Landed | Boats\n") > 2


def test_a_line_that_names_the_separator_is_no_content(read: Any) -> None:
    document = read("a.csv", "sep=;\nPlant;Use (kWh)\nP-12;1.234,5\n")
    assert document.text == "\nPlant | Use (kWh)\nPlant: P-12; Use (kWh): 1.234,5"


MAIL = "From: Petra <p@heat.example>\nTo: j@hotel.example\nDate: Thu, 03 Apr 2025 10:12:00 +0200\nSubject: Boilers\n"


def test_what_a_message_quotes_is_marked_with_its_date_and_author(read: Any) -> None:
    body = "On 14 May.\n\nAm 02.04.2025 schrieb Jonas Holm:\n> on 2 May?\n>> now?\n\nBest wishes"
    document = read("a.eml", f"{MAIL}\n{body}")
    assert [heading.text for heading in document.headings] == [
        "[quoted message] Am 02.04.2025 schrieb Jonas Holm:",
        "[quoted message]",
        "[message]",
    ]
    assert all(document.text[heading.start :].startswith(heading.text) for heading in document.headings)


def test_headers_above_an_answered_message_begin_a_quotation(read: Any) -> None:
    block = "Von: Jonas <j@hotel.example>\nGesendet: 2. April 2025\nAn: Petra <p@heat.example>\nBetreff: Boilers"
    document = read("a.eml", f"{MAIL}\nOn 14 May.\n\n________\n{block}\n\nOn 2 May?")
    assert [heading.text for heading in document.headings] == ["[quoted message]"]
    assert document.text.index("[quoted message]") < document.text.index("Gesendet")
    html = f'{MAIL}Content-Type: text/html\n\n<p>On 14 May.</p><blockquote type="cite">On 2 May?</blockquote>'
    assert read("a.eml", html).text.endswith("[quoted message]\n\nOn 2 May?")


def test_lines_with_colons_are_no_headers(read: Any) -> None:
    body = "Hello,\n\nPrice: 12\nWeight: 3\nColour: red\n\nPetra"
    assert not read("a.eml", f"{MAIL}\n{body}").headings


@pytest.mark.parametrize("part", ["numbering", "styles", "comments"])
def test_damaged_parts_of_word_give_a_plain_reason(part: str) -> None:
    data = docx(word_paragraph("x"), **{part: "<broken"})
    with pytest.raises(ReadFailure, match="part of the file is damaged"):
        read_source(SourceFile(data, "a.docx"), "a.docx", "hash", ReaderSettings())


def test_hidden_text_of_rtf_is_left_out_and_counted_or_marked(read_all: Any) -> None:
    data = rb"{\rtf1 Rent 900 EUR.{\v Secret 650.} End.}"
    omitted = read_all("a.rtf", data)
    assert omitted.documents[0].text == "Rent 900 EUR. End."
    assert omitted.unreadable[0].reason.startswith("2 hidden words not read")
    assert "[hidden: Secret 650.]" in read_all("a.rtf", data, **MARK).documents[0].text


def test_a_chart_of_a_newer_kind_is_named(read_all: Any) -> None:
    rels = '<Relationships><Relationship Id="c" Type="http://x/chartEx" Target="charts/chartEx1.xml"/></Relationships>'
    buffer = io.BytesIO(docx(word_paragraph("x")))
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr("word/_rels/document.xml.rels", rels)
    (one,) = read_all("a.docx", buffer.getvalue()).unreadable
    assert (one.status, one.reason) == (FileStatus.UNSUPPORTED, "1 chart of a newer kind not read")
