"""HTML and XML give their words as a reader sees them."""

from __future__ import annotations

import pytest

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
        "The old mill\n\nIt cost 5\N{NO-BREAK SPACE}€ in Anopeles2,\nnot 6 < 7.\n\nfirst\nsecond\n\n"
        "city | sum\nBonn |  | 12\n\na\n    b\n\nCosts\n\nend"
    )
    assert document.title == "The & mill story"
    assert document.authors == ("Ada Byron",)
    assert document.date == "2020-02-03"


def test_html_headings_stand_where_they_are_said_to(read):
    document = read("page.html", PAGE)
    assert [h.text for h in document.headings] == ["The old mill", "Costs"]
    assert all(document.text[h.start :].startswith(h.text) for h in document.headings)


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
    assert [h.text for h in document.headings] == ["Methods"]


def test_xml_data_keep_their_names(read):
    xml = (
        '<?xml version="1.0" encoding="iso-8859-1"?><mills><mill id="7"><town>Köln</town><cost>5</cost></mill></mills>'
    )
    assert read("a.xml", xml.encode("latin-1")).text == "mill id: 7\ntown: Köln\ncost: 5"


def test_xml_that_is_not_well_formed_is_still_read(read):
    assert "one two" in read("a.xml", "<?xml version='1.0'?><a><p>one &undeclared; <b>two</p></a>").text.replace(
        "&undeclared; ", ""
    )


def test_an_external_entity_is_not_fetched(read, tmp_path):
    (tmp_path / "secret.txt").write_text("the password")
    xml = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]><a><p>see &x; here</p></a>'
    assert "password" not in read("a.xml", f"<?xml version='1.0'?>{xml}").text
