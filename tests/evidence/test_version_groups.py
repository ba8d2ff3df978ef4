from __future__ import annotations

from investigator.evidence.versions import version_groups

WORDS = (
    "the plant on the river was built in two stages and its turbines were made abroad while local firms laid the pipes"
)


def test_an_edited_text_is_a_version_and_another_text_is_not():
    text = ". ".join(f"{WORDS} in section {n}" for n in range(40))
    edited = text.replace("turbines", "generators").replace("section 7", "section 70")
    other = ". ".join(f"{' '.join(reversed(WORDS.split()))} in part {n}" for n in range(40))
    assert version_groups({"a": text, "other": other, "b": edited}) == (frozenset({"a", "b"}),)


def test_versions_of_versions_are_one_group():
    lines = [f"{WORDS} for purpose number {n}, as the board decided in meeting {n * 7}" for n in range(60)]
    first, middle, last = lines[:45], lines[8:53], lines[16:]
    groups = version_groups({"first": "\n".join(first), "last": "\n".join(last), "middle": "\n".join(middle)})
    assert groups == (frozenset({"first", "middle", "last"}),)


def test_of_short_texts_nothing_is_said():
    assert version_groups({"a": "Yes.", "b": "Yes.", "c": ""}) == ()
