"""Rectangles enclose the marked letters, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.documents.readers.pdf.letter_boxes import Box, Direction, Letter, boxes_of_lines


def line(left: float, bottom: float, count: int, direction: Direction = Direction.ACROSS) -> list[Letter]:
    """Return letters of 5 x 10 points in a row, each with one point of space above and below."""
    across, up = (0, 5) if direction is Direction.UPWARDS else (5, 0)
    letters = []
    for number in range(count):
        x, y = left + number * across, bottom + number * up
        wide, high = (10, 5) if direction is Direction.UPWARDS else (5, 10)
        drawn = Box(x, y, x + wide, y + high)
        letters.append(Letter(drawn, Box(x, y - 1, x + wide, y + high + 1), direction, begins_line=number == 0))
    return letters


def widths(letters: Sequence[Letter], others: Sequence[Box] = ()) -> list[tuple[int, int]]:
    return [(round(box.left), round(box.right)) for box in boxes_of_lines(letters, others)]


def test_a_line_has_one_rectangle_and_a_wide_gap_parts_it() -> None:
    assert widths(line(0, 0, 4)) == [(0, 20)]
    after_gap = [letter._replace(begins_line=False) for letter in line(80, 0, 2)]
    assert widths([*line(0, 0, 4), *after_gap]) == [(0, 20), (80, 90)]


def test_another_letter_inside_a_line_parts_it() -> None:
    letters = line(0, 0, 3) + [letter._replace(begins_line=False) for letter in line(20, 0, 2)]
    assert widths(letters, [Box(15.5, 5, 19.5, 9)]) == [(0, 15), (20, 30)]


def test_a_letter_printed_over_a_marked_one_does_not_part_it() -> None:
    assert widths(line(0, 0, 4), [Box(5.5, 0.5, 10.5, 10.5)]) == [(0, 20)]


def test_an_edge_gives_way_to_letters_of_the_next_line_but_not_by_more_than_half() -> None:
    (box,) = boxes_of_lines(line(0, 0, 4), [Box(20, -8, 25, 1.5), Box(8, -8, 12, 1.5)])
    assert 1.5 < box.bottom < 1.6
    (half,) = boxes_of_lines(line(0, 0, 4), [Box(9.9, -90, 10.1, 4.9)])
    assert half.bottom == 2.5


def test_letters_of_another_line_of_the_quote_are_kept_out_too() -> None:
    above, below = boxes_of_lines([*line(0, 9, 3), *line(0, 0, 2)], [])
    assert above.bottom > below.top


def test_a_line_that_runs_upwards_has_one_rectangle_and_a_slanted_one_has_one_for_each_letter() -> None:
    assert boxes_of_lines(line(0, 0, 4, Direction.UPWARDS), []) == [Box(0, 0, 10, 20)]
    assert len(boxes_of_lines(line(0, 0, 4, Direction.SLANTED), [])) == 4


def test_nothing_to_mark_has_no_rectangles() -> None:
    assert boxes_of_lines([], [Box(0, 0, 5, 5)]) == []
