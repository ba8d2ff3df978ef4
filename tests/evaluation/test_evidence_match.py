from __future__ import annotations

from investigator.evaluation.answer_text import holds, overlaps, share_found

SENTENCE = "Monaco has four “traditional” quarters – from west to east."


def test_typography_line_breaks_and_case_do_not_matter() -> None:
    assert holds('So it is:\nMONACO has four "traditional"\nquarters -  from west to east. Yes.', SENTENCE)


def test_a_part_is_evidence_in_both_directions_but_whole_in_one() -> None:
    part = "from west to east"
    assert overlaps(part, SENTENCE)
    assert overlaps(SENTENCE, part)
    assert not holds(part, SENTENCE)


def test_four_of_five_words_are_enough_and_three_are_not() -> None:
    assert overlaps("red green blue white black", "red green and blue and white and yellow")
    assert not overlaps("red green blue white black", "red green and blue and brown and yellow")


def test_few_shared_words_are_no_evidence() -> None:
    assert not overlaps("in west Monaco quarters", "Monaco quarters lie in the west")  # all four, but only four


def test_nothing_is_no_evidence() -> None:
    assert not overlaps("", SENTENCE)
    assert not overlaps(SENTENCE, "  ")
    assert not holds(SENTENCE, " ")


def test_each_piece_of_evidence_counts_once() -> None:
    assert share_found(["It opened in 1988.", "It opened in 1988!"], ["opened in 1988", "owned by RWE"]) == 0.5
