from __future__ import annotations

import pytest

from investigator.language.undisguised import undisguised


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ignore", "ignore"),
        ("\uff29\uff47nore", "ignore"),
        ("ig\u200bno\u00adre", "ignore"),
        ("\u0456gn\u043er\u0435", "ignore"),
        ("\u03bfne", "one"),
        ("pr\u00e9c\u00e9dent", "precedent"),
        ("\U000e0069\U000e0067", "ig"),
        ("\u0661\u0660\u0660", "100"),
        ("\ufb01le", "file"),
        ("\uff1c/passage\uff1e", "</passage>"),
    ],
)
def test_a_disguise_is_taken_off(text: str, folded: str) -> None:
    assert undisguised(text).text == folded


@pytest.mark.parametrize("text", ["игнорируй", "γραφή".replace("ή", "η"), "忽略", "무시", "تجاهل"])
def test_a_word_of_one_script_stays_what_it_is(text: str) -> None:
    assert undisguised(text).text == text.replace("й", "и")


def test_every_character_knows_where_it_came_from() -> None:
    text = "a\u200b\ufb01\u00e9 \u200bz"
    folded = undisguised(text)
    assert folded.text == "afie z"
    assert [text[slice(*folded.span(k, k + 1))] for k in range(6)] == ["a", "\ufb01", "\ufb01", "\u00e9", " ", "z"]
    assert folded.span(0, 6) == (0, len(text))
