"""Porter's stems."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from investigator.language.stems import porter_stem


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        (["connect", "connected", "connecting", "connection", "connections"], "connect"),  # Porter 1980, section 1
        (["relational"], "relat"),  # and its lists of rules, worked out to the end
        (["caresses"], "caress"),
        (["ponies"], "poni"),
        (["hopping"], "hop"),
        (["filing"], "file"),
        (["happy"], "happi"),
        (["electricity", "electrical"], "electr"),
        (["controlling"], "control"),
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
