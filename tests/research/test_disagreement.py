from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from investigator import Answer, Investigator, load_settings
from investigator.records import AnswerStatus

OfTexts = Callable[..., Investigator]

PAGE = """Zevenaar plant, status report of {day}

The Zevenaar plant was built on the river in 1984 and is run by the water board of the province.
The Zevenaar plant has a capacity of {capacity} MW. Its turbines were made in Sweden and came by ship.
The board meets four times a year and publishes its minutes, and visitors are welcome on the first Sunday of each month.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "old.txt").write_text(PAGE.format(day="3 March 2019", capacity=412))
    (folder / "new.txt").write_text(PAGE.format(day="9 June 2023", capacity=512))
    (folder / "menu.txt").write_text("The canteen serves soup on Mondays and fish on Fridays.\n")
    return folder


def ask(folder: Path, **answer: str) -> Answer:
    settings = load_settings(overrides=[f"method.answer.{name}={value}" for name, value in answer.items()])
    return Investigator(folder, settings=settings).ask("What is the capacity of the Zevenaar plant?")


def test_versions_that_disagree_are_shown_together_with_their_dates(folder: Path) -> None:
    answer = ask(folder)
    (conflict,) = answer.conflicts
    assert [(side.value, side.date) for side in conflict.sides] == [("412 MW", "2019-03-03"), ("512 MW", "2023-06-09")]
    assert answer.status is AnswerStatus.CONFLICTING


def test_the_newer_document_counts_if_the_user_says_so(folder: Path) -> None:
    answer = ask(folder, precedence="newer")
    assert answer.status is AnswerStatus.ANSWERED
    assert "512 MW" in answer.text.splitlines()[0]
    assert answer.conflicts


def test_like_sheets_of_two_products_do_not_conflict(tmp_path: Path) -> None:
    for name, weight in (("Aquila", 12), ("Borealis", 15)):
        sheet = PAGE.replace("Zevenaar plant, status report of {day}", f"{name} pump, data sheet")
        text = sheet.replace("Zevenaar plant", "pump").format(day="", capacity=weight)
        (tmp_path / f"{name}.txt").write_text(text)
    assert Investigator(tmp_path).ask("What is the capacity of the pump?").conflicts == ()


def test_versions_that_agree_do_not_conflict(folder: Path) -> None:
    (folder / "new.txt").write_text(PAGE.format(day="9 June 2023", capacity=412))
    assert ask(folder).conflicts == ()


def test_lists_of_people_and_neighbouring_cells_do_not_conflict(of_texts: OfTexts) -> None:
    lists = {
        "may.md": "Meeting of May\n\nPresent: Anna Roe (chair), Ben Dow, Cara Eck.\n",
        "june.md": "Meeting of June\n\nPresent: Anna Roe (chair), Cara Eck, Tom Brandt.\n",
    }
    assert of_texts(lists, embedder=None).ask("Who is the chair?").conflicts == ()
    rows = "Service,Price EUR,Valid from\nReplacement key,18.50,{}-01-01\n"
    prices = of_texts({f"{year}.csv": rows.format(year) for year in (2025, 2026)}, embedder=None)
    assert prices.ask("What is the price of the replacement key?").conflicts == ()


LEASE = """Lease of the flat in Mill Street 4, 3 March 2024

1 Summary

The deposit for the flat is 1,200 euros. Pets are allowed in the flat. The monthly rent is 950 euros.

5 Payment

The deposit for the flat is 1,500 euros. The rent is paid on the first day of each month.
The heating costs of the flat are 80 euros. The water costs of the flat are 40 euros.

7 House rules

Pets are not allowed in the flat.
"""


@pytest.fixture(scope="module")
def lease(of_texts: OfTexts) -> Investigator:
    letter = "The house has 12 flats and was built in 1984, near the mill on the river.\n"
    return of_texts({"lease.txt": LEASE, "letter.txt": letter}, embedder=None)


def test_statements_of_one_document_that_contradict_each_other_are_found(lease: Investigator) -> None:
    answer = lease.ask("Which statements contradict each other?")
    assert answer.status is AnswerStatus.ANSWERED
    assert {tuple(side.value for side in conflict.sides) for conflict in answer.conflicts} == {
        ("Pets are allowed in the flat.", "Pets are not allowed in the flat."),
        ("1,200 euros", "1,500 euros"),
    }
    assert [side.quote.place for conflict in answer.conflicts for side in conflict.sides if "euros" in side.value] == [
        "lease.txt:line 5",
        "lease.txt:line 9",
    ]


def test_only_statements_on_what_is_asked_are_compared(lease: Investigator) -> None:
    (conflict,) = lease.ask("Do the documents disagree about the deposit?").conflicts
    assert [side.value for side in conflict.sides] == ["1,200 euros", "1,500 euros"]
    assert lease.ask("Do the documents agree on the heating costs?").conflicts == ()


def test_a_question_after_a_value_tells_that_one_document_gives_two(lease: Investigator) -> None:
    answer = lease.ask("What is the deposit for the flat?")
    assert answer.status is AnswerStatus.CONFLICTING
    assert len(answer.conflicts) == 1


def test_the_same_sentence_under_two_headings_is_said_of_two_things(tmp_path: Path) -> None:
    text = "# Aquila\n\nThe weight of the pump is 12 kg.\n\n# Borealis\n\nThe weight of the pump is 15 kg.\n"
    (tmp_path / "pumps.md").write_text(text)
    assert Investigator(tmp_path).ask("What is the weight of the pump?").conflicts == ()


def test_a_form_that_is_filled_in_again_and_again_is_no_contradiction(tmp_path: Path) -> None:
    lines = "".join(f"The market was visited by {200 + day} people.\n" for day in range(30))
    (tmp_path / "log.txt").write_text(f"Visitors\n\n{lines}")
    assert Investigator(tmp_path).ask("Which statements contradict each other?").conflicts == ()


def test_the_same_sentence_with_another_value_elsewhere_is_shown_and_not_called_a_contradiction(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The service charge for the year was £3,690.\nThe office is in Leeds.\n")
    (tmp_path / "b.txt").write_text("The service charge for the year was £3,960.\nTea is at four.\n")
    answer = Investigator(tmp_path).ask("Do the documents contradict each other?")
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert [quote.place for quote in answer.citations] == ["a.txt:line 1", "b.txt:line 1"]
    assert answer.conflicts == ()


def test_a_conflict_about_something_else_is_not_that_of_the_answer(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The Kestrel bridge has a length of 412 metres. It was opened in 1987.\n")
    (tmp_path / "b.txt").write_text("The Kestrel bridge has a length of 398 metres. It was opened in 1987, in May.\n")
    made = Investigator(tmp_path)
    assert made.ask("When was the Kestrel bridge opened?").conflicts == ()
    assert made.ask("What is the length of the Kestrel bridge?").conflicts != ()


def test_two_letters_that_give_one_thing_two_values_conflict_without_a_common_name(tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text("Lease of flat 9\n\nThe roof is new. The deposit is £7,125.\n")
    (tmp_path / "letter.txt").write_text("Dear Mr Brandt,\n\nThe keys are here. The deposit is £7,500.\n")
    (conflict,) = Investigator(tmp_path).ask("How much is the deposit?").conflicts
    assert {side.value for side in conflict.sides} == {"£7,125", "£7,500"}


def test_papers_about_two_things_do_not_conflict_about_their_counts(tmp_path: Path) -> None:
    for thing, age in (("Zinc", 58), ("Iodine", 31)):
        (tmp_path / f"{thing}.txt").write_text(f"{thing} in adults\nThe mean age was {age} years.")
    assert Investigator(tmp_path).ask("What was the mean age?").conflicts == ()


def test_a_letter_that_amends_a_contract_is_shown_with_it_and_what_was_compared_is_said(tmp_path: Path) -> None:
    (tmp_path / "lease.md").write_text("Lease\n\n3. The annual rent is £38,400. The deposit is £9,600.\n")
    (tmp_path / "letter.md").write_text(
        "Letter\n\nThe annual rent in clause 3 is changed to £42,000 from 1 May 2023.\n"
    )
    made = Investigator(tmp_path)
    answer = made.ask("What is the annual rent?")
    assert answer.status is AnswerStatus.CONFLICTING
    assert {side.value for conflict in answer.conflicts for side in conflict.sides} == {"£38,400", "£42,000"}
    assert made.ask("Do the documents agree on the annual rent?").conflicts
    alone = made.ask("Do the documents agree on the deposit?")
    assert "Only lease.md gives it a value: £9,600 (lease.md:line 3)" in alone.reason
