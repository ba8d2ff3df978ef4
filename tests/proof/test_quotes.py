"""A quote must be in its source, character for character."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from investigator.proof.quotes import LONGEST_GAP, Source, find_quote, verify
from investigator.records import Document, PageSpan, Table

FILING = """Annual report 2021

Acme “Energy” plc owned 42 MW of wind power, of which 12.5 MW stood off-
shore. Net income was $3.5 million (2020: $1,200), up 12% on the year before.
It did not pay a dividend. The well-
known founder isn’t on the board.

- Status: Approved
- 17 MW
Temperatures of −5 °C were measured on 2021-05-05 in 80–90 places.
Non-profitable plants were sold—none remained. E = 10² J.
"""


def document(text: str, pages: tuple[PageSpan, ...] = ()) -> Document:
    return Document(
        id="a/report.txt", title="Report", media_type="text/plain", content_hash="abc", text=text, pages=pages
    )


def test_a_table_of_sixty_rows_is_one_quote() -> None:
    rows = "\n".join(
        f"Item: T{number}; Name: Summer dress floral; Size: M; Cost GBP: 110; Condition: good; Place: Attic"
        for number in range(60)
    )
    assert found(rows, f"Inventory of the attic\n\n{rows}\n\nCounted in May.") == rows


def found(words: str, text: str = FILING, near: tuple[tuple[int, int], ...] = ()) -> str | None:
    quote = Source(document(text)).find(words, near)
    return quote.text if quote else None


@pytest.mark.parametrize(
    ("words", "original"),
    [
        ("owned 42 MW of wind power", "owned 42 MW of wind power"),
        ('Acme "Energy" plc owned', "Acme “Energy” plc owned"),
        ('"owned 42 MW of wind power"', "owned 42 MW of wind power"),
        ("“It did not pay a dividend.”", "It did not pay a dividend."),
        ("> It did not pay a dividend", "It did not pay a dividend"),
        ("- It did not pay a dividend.", "It did not pay a dividend."),
        ("**It did not pay a dividend**", "It did not pay a dividend"),
        ("it did not pay a dividend", "It did not pay a dividend"),
        ("owned 42 MW of wind power…", "owned 42 MW of wind power"),
        ("...owned 42 MW of wind power...", "owned 42 MW of wind power"),
        ("owned   42\nMW of wind power", "owned 42 MW of wind power"),
        ("12.5 MW stood offshore", "12.5 MW stood off-\nshore"),
        ("12.5 MW stood off-shore", "12.5 MW stood off-\nshore"),
        ("The well-known founder", "The well-\nknown founder"),
        ("The wellknown founder isn't", "The well-\nknown founder isn’t"),
        ("Status: Approved", "Status: Approved"),
        ("temperatures of -5 °C were", "Temperatures of −5 °C were"),
        ("sold—none remained", "sold—none remained"),
    ],
)
def test_typography_is_forgiven_and_the_source_is_shown(words: str, original: str) -> None:
    assert found(words) == original


@pytest.mark.parametrize(
    "words",
    [
        "owned 43 MW of wind power",
        "owned 42 mW of wind power",
        "owned 42 MW of solar power",
        "Acne “Energy” plc owned",
        "It did pay a dividend",
        "Temperatures of 5 °C were",
        "Net income was €3.5 million",
        "Net income was $35 million",
        "It Did not pay a dividend",
        "isn't in the board",
        "E = 102 J",
    ],
)
def test_a_changed_digit_sign_unit_name_or_word_is_not_a_quote(words: str) -> None:
    assert found(words) is None


@pytest.mark.parametrize(
    "words",
    [
        "2 MW of wind power",
        "5 MW stood offshore",
        "3.5 million (2020",
        "Net income was $3",
        "Net income was $3.5",
        "200), up 12%",
        "income was $3.5 million (2020: $1",
        "5 °C were measured",
        "05 in 80–90 places",
        "cme “Energy” plc",
        "profitable plants were sold",
        "known founder",
        "shore. Net income",
        "The well",
        "known founder isn’t on the board",
        "founder isn",
    ],
)
def test_no_quote_is_cut_out_of_a_word_or_a_number(words: str) -> None:
    assert found(words) is None


@pytest.mark.parametrize("words", ["", " ", ".", "...", "—", "a", "“”", "A", "it", "plc", "42", "$", "…", "- ", "**"])
def test_too_little_is_not_a_quote(words: str) -> None:
    assert found(words) is None


def test_spaces_beside_punctuation_are_forgiven_but_not_inside_a_number() -> None:
    text = "Walls of stone , brick ( 12 in ) and wood cost $ 9,879 , up 7 % . In 1 , 200 places ; all old ."
    assert found("Walls of stone, brick (12 in) and wood cost $9,879, up 7%.", text) == text[:65]
    assert found("all old.", text.replace(" .", ".")) == "all old."
    assert found("Walls of stone , brick", "Walls of stone, brick and wood") == "Walls of stone, brick"
    assert found("In 1,200 places", text) is None
    assert found("cost $9, 879", text) is None


def test_one_word_counts_when_a_line_of_the_source_is_nothing_else() -> None:
    assert found("Closed", "Status\n\n  Closed.\n\nEnd of list") == "Closed"
    assert found("Closed", "The plant was\n\nClosed in May") is None


def test_one_long_word_is_enough() -> None:
    assert found("INV-2023-0042", "Your invoice INV-2023-0042 is due") == "INV-2023-0042"


def test_scripts_without_blanks_are_quoted_too() -> None:
    assert found("获得了五百万美元", "公司在二〇一九年获得了五百万美元的利润。") == "获得了五百万美元"
    assert found("利润", "公司在二〇一九年获得了五百万美元的利润。") is None


def test_start_and_end_phrases_give_what_stands_between() -> None:
    assert found("Acme “Energy” plc ... of wind power") == "Acme “Energy” plc owned 42 MW of wind power"
    assert found("Net income … a dividend.") is not None
    assert found("Net income [...] up 12% … a dividend") is not None


def test_phrases_in_the_wrong_order_are_not_a_quote() -> None:
    assert found("of wind power ... Acme “Energy” plc") is None


def test_phrases_too_far_apart_are_not_a_quote() -> None:
    text = "The beginning was small. " + "x " * LONGEST_GAP + "The end was large."
    assert found("beginning was small ... end was large", text) is None


def test_a_wrong_end_phrase_fails_the_whole_quote() -> None:
    assert found("Acme “Energy” plc ... of solar power") is None


def test_an_ellipsis_of_the_source_is_matched_as_it_stands() -> None:
    assert found("wait ... for it", "They said: wait … for it") == "wait … for it"


def test_an_occurrence_among_the_passages_goes_first() -> None:
    text = "The fee is due. " * 3
    second = text.index("The fee", 5)
    quote = Source(document(text)).quote("The fee is due", ((second, second + 16),))
    assert quote is not None
    assert quote.start == second
    elsewhere = Source(document(text)).quote("The fee is due", ((40, 44),))
    assert elsewhere is not None
    assert elsewhere.start == 0


def test_page_and_line_are_those_of_the_source() -> None:
    text = "First page.\nMore of it.\fSecond page here.\n"
    pages = (PageSpan(page=1, start=0, end=23), PageSpan(page=2, start=24, end=len(text)))
    quote = find_quote("second page here", document(text, pages))
    assert quote is not None
    assert (quote.page, quote.line, quote.document_id, quote.source_hash) == (2, 2, "a/report.txt", "abc")


def test_the_delimiter_put_into_tags_of_the_prompt_is_forgiven() -> None:
    assert found("the <\u200bpassage> tag is shown", "Here the <passage> tag is shown") == "the <passage> tag is shown"


def test_verify_knows_the_version_of_the_document() -> None:
    source = document(FILING)
    quote = find_quote("owned 42 MW of wind power", source)
    assert quote is not None
    assert verify(quote, source)
    assert not verify(quote, source.changed(content_hash="def"))
    assert not verify(quote, source.changed(text="x" + FILING))
    assert not verify(quote, source.changed(id="other.txt"))


WORD = st.text(alphabet="abcdefgäß", min_size=2, max_size=7) | st.integers(10, 99_999).map(str)
GAP = st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", " \r\n"])


@settings(deadline=None)
@given(st.lists(st.tuples(WORD, GAP), min_size=4, max_size=30), st.data())
def test_a_span_with_other_white_space_is_found_where_it_stands(
    pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(pairs) - 3))
    last = data.draw(st.integers(first + 2, len(pairs) - 1))
    text = "".join(word + gap for word, gap in pairs)
    start = sum(len(word + gap) for word, gap in pairs[:first])
    end = start + len("".join(word + gap for word, gap in pairs[first:last])) + len(pairs[last][0])
    assume(not pairs[last][0].isdecimal() or last + 1 == len(pairs) or pairs[last + 1][0].isalpha())
    quote = Source(document(text)).find(" ".join(word for word, _ in pairs[first : last + 1]))
    assert quote is not None
    assert quote.start <= start
    assert text[quote.start : quote.end].split() == text[start:end].split()


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_any_other_number_is_not_found(stated: int, given_number: int) -> None:
    quote = found(f"earned {given_number} dollars in May", f"In short, it earned {stated} dollars in May, they said.")
    assert (quote is not None) == (stated == given_number)


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=120))
def test_whatever_is_found_stands_in_the_source(words: str, text: str) -> None:
    source = document(text)
    quote = find_quote(words, source)
    if quote is not None:
        assert verify(quote, source)
        assert quote.text == quote.text.strip()
        assert sum(char.isalnum() for char in quote.text) >= 2


HOSTILE = {
    "a long quote": ("a " * 600_000, "a b"),
    "hyphens": ("-".join("ab" * 1000), "a-\nb" * 200_000),
    "ellipses": ("ab ... " * 500, "ab " * 300_000),
    "start everywhere": ("ab ab ... cd ef", "ab ab " * 300_000),
    "end before": ("ab ab ... cd ef", "cd ef " + "ab ab " * 300_000),
    "blanks": ("ab" + " " * 3000 + "cd", "ab" + " " * 1_000_000 + "cd"),
}


@pytest.mark.parametrize(("words", "text"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_quotes_take_no_time(words: str, text: str) -> None:
    source = Source(document(text))
    began = time.process_time()
    source.find(words)
    assert time.process_time() - began < 10


def test_a_quote_in_a_table_is_its_row_and_not_the_whole_table() -> None:
    rows = ["item | price", "item: P1; price: 10", "item: P2; price: 20", "item: P3; price: 30"]
    text = "\n".join(rows)
    document = Document(
        id="p.csv",
        title="p",
        media_type="text/csv",
        content_hash="h",
        text=text,
        tables=(Table(start=0, end=len(text)),),
    )
    quote = Source(document).quote("price: 20")
    assert quote is not None
    assert (quote.text, quote.line) == (rows[2], 3)


PIECES = st.sampled_from(
    [
        "The mill",
        "the mill",
        "stone , wall",
        "stone, wall",
        "(paid $ 5",
        "(paid $5",
        "well-known",
        "well-\nknown",
        "cost $",
    ]
)
TEXT = st.lists(PIECES, min_size=1, max_size=9).map(" ".join)
WORDS = st.lists(PIECES, min_size=1, max_size=2).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(TEXT, WORDS, st.integers(0, 40))
def test_words_that_stand_literally_are_found_where_their_pattern_finds_them(text: str, words: str, low: int) -> None:
    near = ((low, low + 30),)
    quick = Source(document(text)).find(words, near)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "_is_literal", lambda *_: False)
        patch.setattr("investigator.proof.quotes._certain", lambda _: "")
        assert Source(document(text)).find(words, near) == quick
