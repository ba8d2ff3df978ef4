"""HTML and XML are read as a reader sees them."""

from __future__ import annotations

import random

import pytest

from investigator.documents.readers.markup.html import extracted_html
from investigator.records import FileStatus

PAGE = """<!DOCTYPE html><html><head><title>The &amp; mill
 story</title><style>p {color: red}</style><meta name="author" content="Ada Byron">
<meta property="article:published_time" content="2020-02-03T10:00:00Z"></head>
<body><script>var secret = "hidden";</script><h1>The <i>old</i> mill</h1>
<p>It cost 5&nbsp;&euro; in <em>Anope</em>les<sup>2</sup>,<br>not&#x20;6 &lt; 7.</p>
<ul><li>first</li><li>second
</ul><table><tr><th>city<th>sum</tr><tr><td><p>Bonn</p></td><td></td><td>12</td></tr></table>
<pre>a
    b</pre><h2></h2><h2>Costs</h2>end</body></html>"""


def test_html_is_read_as_it_is_seen(read):
    document = read("page.html", PAGE)
    assert document.text == (
        "The & mill story\n\nThe old mill\n\n"
        "It cost 5\N{NO-BREAK SPACE}€ in Anopeles 2,\nnot 6 < 7.\n\nfirst\nsecond\n\n"
        "city | sum\nBonn |  | 12\n\na\n    b\n\nCosts\n\nend"
    )
    assert document.title == "The & mill story"
    assert document.authors == ("Ada Byron",)
    assert document.date == "2020-02-03"


def test_html_headings_stand_where_they_are_said_to(read):
    document = read("page.html", PAGE)
    assert [h.text for h in document.headings] == ["The old mill", "Costs"]
    assert all(document.text[h.start :].startswith(h.text) for h in document.headings)


def test_the_words_of_a_title_that_stand_in_the_text_are_not_said_twice(read):
    page = "<html><title>Mill: the OLD story</title><p>It is an old story of the mill.</p></html>"
    assert read("a.html", page).text == "It is an old story of the mill."


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<p>Seen.</p><div style="display:none">Not <div>at</div> all</div><p>Seen too.</p>', "Seen.\n\nSeen too."),
        ("<ul><li hidden>one<li>two</ul>", "two"),
        ("<table><tr><td>a</td><td style='display: none'>b</td><td>c</td></tr></table>", "a | c"),
        ("<p hidden>x<script>y</script></p>z", "z"),
        ("<table><col style='display: none'><tr><td>a</td><td>b</td></tr></table>", "a | b"),
        ("<dl><dd hidden>one<dt>two</dl>three", "two\n\nthree"),
        ("<p hidden>one<div>two</div>", "two"),
        ("<ul><li hidden>a<ul><li>b</li></ul>c</li><li>d</li></ul>", "d"),
        ('<body style="visibility:hidden"><p>Shown by a script.</p></body>', "Shown by a script."),
    ],
)
def test_what_a_page_hides_is_not_read(read, markup, text):
    assert read("page.html", f"<html>{markup}</html>").text == text


def test_text_behind_a_paragraph_that_a_block_has_ended_is_parted(read):
    assert read("page.html", "<html><p>one<ul><li>two</ul>three</p>four").text == "one\n\ntwo\n\nthree\nfour"


def test_thousands_of_open_elements_do_not_end_the_text(read):
    assert read("page.html", f"<html>{'<font>' * 5_000}<p>It stands.</p></html>").text == "It stands."


def test_much_hidden_text_is_reported():
    page = extracted_html(f"<p>Seen.</p><div hidden>{'tab ' * 60}</div><p hidden>preview line</p>")
    assert [str(one) for one in page.left_out] == ["62 hidden words not read (reader.hidden=mark reads them)"]


@pytest.mark.parametrize("name", ["a.html", "a.xml", "a.eml", "a.rtf"])
def test_random_bytes_are_not_text_whatever_they_are_called(refused, name):
    noise = random.Random(7).randbytes(20_000)
    start = {"a.html": b"<html>", "a.xml": b"<?xml version='1.0'?><a>", "a.rtf": b"{\\rtf1 "}.get(name, b"")
    assert refused(name, start + noise) is FileStatus.FAILED
    assert refused(name, noise) in (FileStatus.FAILED, FileStatus.UNSUPPORTED)


def test_a_burst_of_other_bytes_does_not_hide_a_page(read):
    page = b"<html><p>The mill \x00\x07\x02\x80\xc2\x07\x01\x02\x03 worked." + b" It stood by the river." * 20
    assert read("a.html", page).text.endswith("It stood by the river.")


def test_a_page_of_nothing_but_a_title_is_empty(refused):
    assert refused("app.html", "<html><title>My app</title><script>run()</script></html>") is FileStatus.EMPTY


def test_a_table_used_for_layout_keeps_its_lines_apart(read):
    markup = "<table><tr><td><p>menu one</p><p>menu two</p></td><td><p>Story.</p><p>More.</p></td></tr></table>"
    assert read("a.html", f"<html>{markup}</html>").text == "menu one\nmenu two\nStory.\nMore."


@pytest.mark.parametrize("charset", ["utf-8", "windows-1251", "iso-8859-1"])
def test_a_false_charset_is_not_believed(read, charset):
    markup = f'<html><meta charset="{charset}"><p>Дом стоит у реки, и мельница работает каждый день.</p></html>'
    assert "мельница" in read("a.html", markup.encode()).text


def test_a_true_charset_is_believed(read):
    markup = '<html><meta charset="windows-1251"><p>мельница</p></html>'
    assert read("a.html", markup.encode("cp1251")).text == "мельница"


def test_unknown_declarations_of_word_processors_do_not_stop_the_reader(read):
    markup = "<html><body><![if !supportLists]><p>one</p><![endif]><![strange x]><p>two</p></body></html>"
    text = read("a.htm", markup).text
    assert "one" in text
    assert "two" in text


def test_html_by_another_name_is_html(read):
    document = read("export.xls", "<html><table><tr><td>1</td><td>2</td></tr></table></html>")
    assert document.media_type == "text/html"
    assert document.text == "1 | 2"


ARTICLE = """<?xml version="1.0"?><!DOCTYPE article SYSTEM "http://127.0.0.1:9/never-fetched.dtd">
<article><front><article-title>On <italic>mills</italic></article-title>
<pub-date><day>3</day><month>2</month><year>2007</year></pub-date></front>
<body><sec><title>Methods</title><p>We used <bold>two</bold> mills (<xref>1</xref>).
<list><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list></p><table><tr><td>a</td><td>b</td></tr></table></sec></body></article>"""


def test_an_xml_article_keeps_its_sentences_whole(read):
    document = read("a.xml", ARTICLE)
    assert "Methods\n\nWe used two mills (1).\n" in document.text
    assert "one\n" in document.text
    assert "a | b" in document.text
    assert document.title == "On mills"
    assert document.date == "2007-02-03"
    assert [h.text for h in document.headings] == ["Methods", "About the article"]


REFERRING = """<article><body><sec><title>Results</title><p>The mill worked.</p></sec></body><back><ref-list>{title}
<ref id="B1"><label>1</label><citation><person-group><name><surname>Byron</surname><given-names>A</given-names></name>
<name><surname>Born</surname><given-names>M</given-names></name></person-group><article-title>On mills</article-title>
<year>1843</year><fpage>12</fpage></citation></ref>
<ref><mixed-citation><name><surname>Ohm</surname> <given-names>G</given-names></name>. Currents,
<source>Ann. Phys.</source> (1827).</mixed-citation></ref></ref-list>
<sec><title>Figures</title><p>Fig. 1: the mill.</p></sec></back></article>"""


@pytest.mark.parametrize("title", ["", "<title>REFERENCES</title>"])
def test_what_an_article_refers_to_comes_last_a_line_for_each_entry(read, title):
    document = read("a.xml", REFERRING.replace("{title}", title))
    assert document.text == (
        "Results\n\nThe mill worked.\n\nFigures\n\nFig. 1: the mill.\n\nReferences\n\n"
        "1 Byron A Born M On mills 1843 12\nOhm G. Currents, Ann. Phys. (1827)."
    )
    assert [h.text for h in document.headings] == ["Results", "Figures", "References"]
    assert (document.title, document.date) == ("Results", None)


def test_a_list_of_references_of_another_name_keeps_it(read):
    text = read("a.xml", REFERRING.replace("{title}", "<title>Further reading</title>")).text
    assert "\n\nReferences\n\nFurther reading\n1 Byron" in text


def test_xml_data_keep_their_names(read):
    xml = (
        '<?xml version="1.0" encoding="iso-8859-1"?><mills><mill id="7"><town>Köln</town><cost>5</cost></mill></mills>'
    )
    assert read("a.xml", xml.encode("latin-1")).text == "mill id: 7\ntown: Köln\ncost: 5"


def test_xml_that_is_not_well_formed_is_still_read(read):
    assert "one two" in read("a.xml", "<?xml version='1.0'?><a><p>one &undeclared; <b>two</p></a>").text.replace(
        "&undeclared; ", ""
    )


def test_the_declarations_of_a_broken_document_are_not_text(read):
    dtd = '<!DOCTYPE a [ <!ENTITY x "y"> <!-- [see] -->\n<!ELEMENT p (#PCDATA)>\n] >'
    assert read("a.xml", f"<?xml version='1.0'?>{dtd}<a><p>one <b>two</p></a>").text == "one two"
    assert read("a.html", f"{dtd}<html><p>one <b>two</p></html>").text == "one two"


def test_an_external_entity_is_not_fetched(read, tmp_path):
    (tmp_path / "secret.txt").write_text("the password")
    xml = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]><a><p>see &x; here</p></a>'
    assert "password" not in read("a.xml", f"<?xml version='1.0'?>{xml}").text
