"""Typography is normalised, and every place maps back to the original."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.language.normalise import normalise

MESSY = st.text(
    alphabet=st.one_of(
        st.sampled_from(" \t\n\r\u00a0\u200b\u00ad-–—‘’“”ﬁﬀ½²①…éÅ漢字、カﾞ\u0301\u1112\u1161\u11ab\ufeff0123abcABC.,"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("original", "normal"),
    [
        ("plain text", "plain text"),
        ("two  blanks\tand\n\nlines", "two blanks and lines"),
        ("no\u00a0break\u2009thin\u3000wide", "no break thin wide"),
        ("inter-\nnational", "international"),
        ("inter-\r\n   national", "international"),
        ("inter\u00ad\nnational", "international"),
        ("inter\ufffenational", "international"),
        ("co\u00adop", "coop"),
        ("2010-\n2015", "2010-2015"),
        ("COVID-\n19", "COVID-19"),
        ("a list -\nof things", "a list - of things"),
        ("‘single’ “double” «angle»", '\'single\' "double" "angle"'),
        ("5′ 3″", "5' 3\""),
        ("80–90 — and −5", "80-90 - and -5"),
        ("ﬁnal oﬀer", "final offer"),
        ("e\u0301 and é", "é and é"),
        ("Å ｆｕｌｌ ８５", "Å full 85"),
        ("10² and 10⁻³ and 42¹", "10² and 10⁻³ and 42¹"),
        ("m² of CO₂", "m2 of CO2"),
        ("1½ but ½", "1½ but 1/2"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("東京\nタワー は 高い", "東京タワーは高い"),
        ("한국 어", "한국 어"),
        ("wait…", "wait..."),
        ("Case STAYS", "Case STAYS"),
        ("**bold** stays", "**bold** stays"),
        ("", ""),
    ],
)
def test_typography_becomes_one(original: str, normal: str) -> None:
    assert normalise(original).text == normal


def test_span_cuts_the_original() -> None:
    original = "The  inter-\nnational “oﬀer”\u00a0of\n\n2021 ended."
    normal = normalise(original)
    start = normal.text.index("international")
    low, high = normal.span(start, start + len('international "offer" of 2021'))
    assert original[low:high] == "inter-\nnational “oﬀer”\u00a0of\n\n2021"


def test_part_of_a_ligature_gives_the_whole_ligature() -> None:
    original = "an oﬀer"
    normal = normalise(original)
    start = normal.text.index("fer")
    assert original[slice(*normal.span(start, start + 3))] == "ﬀer"


def test_places_of_hyphens_that_may_belong_to_the_word_are_kept() -> None:
    assert normalise("well-\nknown and well-known").optional_hyphens == {4}


def test_position_finds_the_way_into_the_normalised_text() -> None:
    original = "a\r\n\r\nb  c"
    normal = normalise(original)
    assert [normal.text[normal.position(original.index(char))] for char in "abc"] == ["a", "b", "c"]
    assert normal.position(len(original)) == len(normal.text)


def test_an_empty_span_is_refused() -> None:
    with pytest.raises(ValueError, match="no text"):
        normalise("abc").span(1, 1)


@settings(deadline=None)
@given(MESSY)
def test_offsets_always_lead_back_in_order(original: str) -> None:
    normal = normalise(original)
    spans = [normal.span(place, place + 1) for place in range(len(normal.text))]
    assert all(0 <= low < high <= len(original) for low, high in spans)
    assert spans == sorted(spans)
    if spans:
        assert normal.span(0, len(normal.text)) == (spans[0][0], spans[-1][1])


@settings(deadline=None)
@given(MESSY)
def test_letters_and_digits_come_from_where_the_map_says(original: str) -> None:
    normal = normalise(original)
    for place, char in enumerate(normal.text):
        if char.isascii() and char.isalnum():
            low, high = normal.span(place, place + 1)
            assert original[low:high] == char or not original[low:high].isascii()


@settings(deadline=None)
@given(MESSY)
def test_normal_text_has_no_double_blanks_and_no_invisible_characters(original: str) -> None:
    text = normalise(original).text
    assert "  " not in text
    assert not set(text) & set("\n\t\u00a0\u00ad\u200b\ufeff")


@settings(deadline=None)
@given(st.text(alphabet="abc XYZ.,019", max_size=60))
def test_plain_text_without_double_blanks_stays(text: str) -> None:
    plain = " ".join(text.split())
    assert normalise(plain).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox\njumps over 1,200 dogs. " * 43_000,
        "It’s a “thing” – inter-\r\nnational. " * 50_000,
        "Компания получила прибыль в размере 5 млн рублей.\n" * 40_000,
        "公司在二〇一九年获得了五百万美元的利润。\n" * 95_000,
        " " * 2_000_000,
        "a-" + " " * 2_000_000,
        "漢" + " " * 2_000_000,
        "-\n" * 1_000_000,
        "\u0301" * 2_000_000,
    ],
    ids=["ascii", "typeset", "cyrillic", "cjk", "blanks", "hyphen and blanks", "cjk and blanks", "hyphens", "accents"],
)
def test_two_million_characters_take_about_a_second(text: str) -> None:
    began = time.process_time()
    normal = normalise(text)
    assert time.process_time() - began < 10
    assert len(normal.text) <= len(text)
