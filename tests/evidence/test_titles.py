"""The subject of a document according to its first lines."""

from __future__ import annotations

import pytest

from investigator.evidence.titles import are_of_a_series, subject_of, title_line


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("Commercial Lease Agreement", set()),
        ("Riverside Rowing Club: minutes of the committee", {"riverside", "rowing", "club"}),
        ("Visit to Oakfield College, 2 August 2023", {"oakfield", "college"}),
        ("Dear Mr Brandt,", set()),
    ],
)
def test_a_title_names_its_subject_and_not_its_kind(line: str, named: set[str]) -> None:
    assert subject_of(title_line(line)) == named


def test_minutes_of_two_days_are_of_a_series_and_two_versions_are_not() -> None:
    assert are_of_a_series(
        title_line("Minutes of the club, 5 March 2024"), title_line("Minutes of the club, 2 May 2024")
    )
    assert are_of_a_series("Invoice 1042", "Invoice 1043")
    assert not are_of_a_series("Study protocol, version 1", "Study protocol, version 2")
    assert not are_of_a_series("Lease of flat 9", "Report of the surveyor")
