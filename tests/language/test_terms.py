"""Words as the search uses them."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from investigator.language.terms import content_words, folded, is_english, porter_stem, spaced, stem, words

QUESTIONS = [
    line.split("\t") for line in Path(__file__).with_name("questions.tsv").read_text(encoding="utf-8").splitlines()
]
"""(half, language, question); both halves were written before the rule, and one was held back from it."""


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("Café", "cafe"), ("ﬁnal", "final"), ("Ｑ３", "q3")])
def test_spellings_of_one_word_meet(one, other):
    assert folded(one) == folded(other)


def test_different_words_stay_apart():
    assert folded("mill") != folded("milk")
    assert words("3.5 million") != words("35 million")


def test_unspaced_scripts_become_pairs():
    assert words("東京都 mill") == ["東京", "京都", "mill"]
    assert words("東") == ["東"]


def test_a_word_broken_at_a_line_end_is_found_whole_and_in_parts():
    assert words("the adip-\niscing mill") == ["the", "adip", "iscing", "adipiscing", "mill"]
    assert "stockbased" in words("stock-\nbased pay")


@pytest.mark.parametrize("text", ["2019-\n2020", "mill -\nriver", "stock-based", "a-\nb"])
def test_other_hyphens_join_nothing(text):
    assert spaced(text) == text


def test_words_without_meaning_are_left_out_and_the_others_come_once():
    assert content_words("Was the mill and the river of the mill sold?") == ["mill", "river", "sold"]


def test_a_question_of_stop_words_keeps_them():
    assert content_words("who is it") == ["who", "is", "it"]


def test_forms_of_a_word_share_their_stem():
    assert stem("filed") == stem("files") == stem("filing")
    assert stem("bus") == "bus"


@pytest.mark.parametrize("half", ["tuned", "held back"])
def test_the_language_of_a_question_is_known_with_few_mistakes(half):
    chosen = [(language == "en", is_english(question)) for of, language, question in QUESTIONS if of == half]
    right, found, english = chosen.count((True, True)), sum(said for _, said in chosen), sum(is_ for is_, _ in chosen)
    assert right / found >= 0.95, "precision"
    assert right / english >= 0.95, "recall"


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("In welchem Jahr wurde die Brücke gebaut?", False),
        ("Was kostet die Miete?", False),
        ("List three risks", True),
        ("apple revenue 2021", True),
        ("Was the permit for the café renewed?", True),
        ("Wie hoch ist Ben Nevis and Snowdon?", False),
        ("", True),
    ],
)
def test_one_word_that_two_languages_share_does_not_decide(question, english):
    assert is_english(question) is english


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        (["connect", "connected", "connecting", "connection", "connections"], "connect"),  # Porter 1980, section 1
        (["is"], "is"),
        (["日本"], "日本"),
        (["'s"], "'s"),
        ([""], ""),
    ],
)
def test_forms_of_a_word_meet_in_its_stem(words: list[str], stem: str) -> None:
    assert {porter_stem(word) for word in words} == {stem}


def test_words_are_not_mixed_up_by_threads() -> None:
    words = [f"{beginning}{ending}" for beginning in map(chr, range(97, 123)) for ending in ("elations", "opping")] * 20
    porter_stem.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(porter_stem, words))
    assert all(stem[0] == word[0] and stem[1:] in ("elat", "op") for word, stem in zip(words, found, strict=True))


@pytest.mark.parametrize(
    "text", ["Café “Ærø” ﬁne – 5 µg", "ΣΊΣΥΦΟΣ and İzmir", "港の Straße 가각", "a\u0301 A\u030a K ℋ"]
)
def test_folding_run_by_run_is_folding_the_whole(text: str) -> None:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    assert folded(text) == "".join(sign for sign in decomposed if not unicodedata.combining(sign))
