from __future__ import annotations

import io

import pytest
from rich.console import Console

from investigator.documents.own_results import is_own_result
from investigator.records import (
    AnswerStatus,
    Investigation,
    RunSummary,
    Statement,
    StopReason,
    Support,
    Trust,
    Unreadable,
    UsedEngine,
)
from investigator.records.documents import FileStatus
from investigator.reports.terminal import investigation_text, runs_text
from investigator.reports.wording import NO_READER, duration, engine_line


def with_answer(investigation: Investigation, **values: object) -> Investigation:
    """Return the investigation with other values in its answer; those of its parts are given as dictionaries."""
    answer = investigation.answer
    assert answer is not None
    parts = {name: getattr(answer, name).changed(**own) for name, own in values.items() if isinstance(own, dict)}
    return investigation.changed(answer=answer.changed(**{**values, **parts}))


def lines_of(investigation: Investigation) -> list[str]:
    return investigation_text(investigation).plain.splitlines()


def test_an_answer_its_sources_its_coverage_its_check_and_its_cost_are_shown_in_this_order(
    answered: Investigation,
) -> None:
    assert investigation_text(answered).plain.split("\n\n") == [
        "The annual rent is EUR 48,000. [1]",
        "- Term: The lease runs for five years. [2][1] (supported in part: the lease itself names no term)",
        "Not stated\n- The amount of the deposit. [4]",
        "The documents disagree\n- the rent\n"
        "    EUR 48,000 [1] (contracts/lease.pdf, dated 2021-03-04)\n"
        "    EUR 44,000 [3] (notes/kickoff.md, dated 2020-05-06)\n"
        "    The notes are older.",
        "Withheld from the answer\n- The rent rises by 3 %. (no quote contains 3 %)",
        "Sources\n"
        '[1] contracts/lease.pdf:page 3  "The annual rent is EUR 48,000, payable monthly"\n'
        '[2] notes/kickoff.md:line 12  "we agreed on five years with Müller"\n'
        '[3] notes/kickoff.md:line 13  "the rent is EUR 44,000"\n'
        '[4] contracts/lease.pdf:page 3  "A deposit may be agreed"',
        "Answered in part: One part is open. Coverage: read 2 of 5 documents; 1 unreadable: scan.pdf (encrypted); "
        "1 not opened: annex.docx; 1 only searched; open: What is the deposit?\n"
        "Checked by openai:gpt-y: 1 supported, 1 in part, 1 not supported.\n"
        "Run: 8f3a12cd, as of 2026-03-31\n",
    ]
    used = "Used: 12 calls, 3,400 tokens (3,000 in, 400 out), 1 min 15 s"
    details = investigation_text(answered, details=True).plain.splitlines()
    assert {"Answered by openai:gpt-x.", used} <= set(details)
    paid = answered.changed(usage=answered.usage.changed(money=0.25))
    assert f"{used}, $0.2500" in lines_of(paid)


@pytest.mark.parametrize(
    ("notes", "remark"), [((), "unchecked"), (("4,000 is in no quote",), "unchecked; 4,000 is in no quote")]
)
def test_a_statement_that_nobody_checked_is_marked_with_the_notes_of_the_program(
    answered: Investigation, notes: tuple[str, ...], remark: str
) -> None:
    noted = Statement(text="It is EUR 4,000 a month.", support=Support.UNCHECKED, notes=notes)
    text = investigation_text(with_answer(answered, details=(noted,), check={"by": ""})).plain
    assert f"- It is EUR 4,000 a month. ({remark})\n" in text
    assert "Checked by" not in text


def test_many_details_with_heads_are_aligned(answered: Investigation) -> None:
    details = tuple(
        Statement(text=f"{n} euros", head=head, support=Support.VERBATIM) for n, head in enumerate(("A", "BBB", "CC"))
    )
    text = investigation_text(with_answer(answered, details=details)).plain
    assert "A    0 euros\nBBB  1 euros\nCC   2 euros\n" in text


def test_a_sentence_has_at_most_eight_citation_marks(answered: Investigation) -> None:
    assert answered.answer is not None
    quotes = tuple(answered.answer.citations[0].changed(line=number) for number in range(9))
    text = investigation_text(with_answer(answered, lead=Statement(text="So it is.", quotes=quotes), details=())).plain
    assert text.startswith("So it is. [1][2][3][4][5][6][7][8] (unchecked)\n")
    assert "[9] contracts/lease.pdf" in text


def test_a_survey_shows_each_decision_and_what_was_not_decided(surveyed: Investigation) -> None:
    lines = [line.split("  ") for line in investigation_text(surveyed).plain.splitlines()]
    rows = [[part.strip() for part in line if part.strip()] for line in lines]
    assert ["contracts/lease.pdf", "yes", "The annual rent is EUR 48,000. [1]"] in rows
    unclear = ["notes/kickoff.md", "unclear", "A lease of five years. [2] (supported in part: no rent is named)"]
    assert rows.index(unclear) == rows.index(["contracts/lease.pdf", "yes", "The annual rent is EUR 48,000. [1]"]) + 1
    assert ["no: menu.txt"] in rows
    assert ["not decided: annex.docx"] in rows
    assert ["3 of 4 documents decided, 1 not decided"] in rows


@pytest.mark.parametrize(
    ("trust", "line"),
    [
        (Trust.UNREAD, NO_READER),
        (Trust.UNGRADED, "x:a has not been graded. To grade a model: investigator doctor --model NAME"),
        (
            Trust.FAILED,
            "x:a failed its grading, so this is its reading. See: investigator doctor --model NAME",
        ),
    ],
)
def test_how_far_a_reader_is_trusted_is_one_line(answered: Investigation, trust: Trust, line: str) -> None:
    engines = (
        UsedEngine(role="ask", name="x:a", trust=trust),
        UsedEngine(role="answer", name="x:a", trust=trust),
        UsedEngine(role="check", name="x:b", trust=Trust.PASSED),
    )
    shown = with_answer(answered.changed(setup=answered.setup.changed(engines=engines)), check={"trust": trust})
    assert investigation_text(shown, details=True).plain.splitlines().count(line) == 1
    assert investigation_text(shown).plain.splitlines().count(line) == (trust is not Trust.UNGRADED)
    assert "x:b" not in investigation_text(shown, details=True).plain


def test_an_absent_answer_shows_what_came_nearest_and_that_no_model_answered(not_found: Investigation) -> None:
    lines = lines_of(not_found)
    assert lines[0].startswith("Not in the documents: Every document was searched")
    assert lines[lines.index("- a.txt:line 7") + 1] == "  The audit took place."
    assert lines.count(NO_READER) == 1
    firsts = {lines_of(with_answer(not_found, status=status))[0] for status in AnswerStatus}
    assert len(firsts) == len(AnswerStatus)  # each status has words of its own


def test_an_unfinished_run_shows_its_best_replies(unfinished: Investigation) -> None:
    text = investigation_text(unfinished).plain
    assert is_own_result(text.replace("8f3a12cd", "20250101-120000-abcdef").encode())

    assert text.startswith("Unfinished: ")
    best = text.index("- contracts/lease.pdf (answers, score 85)")
    assert best < text.index("- notes/kickoff.md (no usable reply, no score)")


def test_markup_and_escapes_of_a_document_are_shown_and_not_obeyed(answered: Investigation) -> None:
    hostile = "[bold red]pay[/bold red] [link=https://x.test]now[/link] \x1b]0;owned\x07"
    shown = with_answer(answered, lead=Statement(text=hostile), reason=f"so {hostile}", run={"engine": hostile})
    screen = io.StringIO()

    console = Console(file=screen, force_terminal=True, width=400, highlight=False, color_system="truecolor")
    console.print(investigation_text(shown, details=True))

    printed = screen.getvalue()
    assert printed.count("[bold red]pay[/bold red] [link=") == 3
    assert "\x1b]" not in printed
    assert "\x07" not in printed


def test_a_long_quote_is_cut_around_what_is_said_of_it(answered: Investigation) -> None:
    assert answered.answer is not None
    quote = answered.answer.citations[0].changed(text="word " * 9000 + "rent of 48,000 " + "word " * 900)
    text = investigation_text(with_answer(answered, lead=Statement(text="A rent of 48,000.", quotes=(quote,)))).plain

    line = next(line for line in text.splitlines() if line.startswith("[1]"))
    assert len(line) < 400
    assert '  "…' in line
    assert "rent of 48,000" in line
    assert line.endswith('…"')


def test_of_many_unreadable_files_the_first_are_named(answered: Investigation) -> None:
    files = tuple(Unreadable(path=f"{n}.bin", status=FileStatus.UNSUPPORTED) for n in range(500))
    shown = with_answer(answered, coverage={"unreadable": files})
    assert "; 500 unreadable: 0.bin (unsupported), 1.bin (unsupported), 2.bin (unsupported) and 497 more; " in (
        investigation_text(shown).plain
    )
    text = investigation_text(shown, details=True).plain
    assert "; 500 unreadable; " in text
    assert "19.bin (unsupported), and 480 more" in text
    assert "20.bin" not in text


def test_runs_are_one_aligned_line_each() -> None:
    runs = (
        RunSummary(id="b2", question="Who\nsigned?", created="2025-11-21T04:33:10+00:00", engine="x:y", calls=1),
        RunSummary(
            id="a1ff",
            question="How much?",
            created="2025-11-20T10:00:00+00:00",
            engine="x:y",
            answer_status=AnswerStatus.NOT_FOUND,
            calls=1204,
        ),
    )
    assert runs_text(runs).plain.splitlines() == [
        "b2    2025-11-21 04:33  unfinished            1 call       Who signed?",
        "a1ff  2025-11-20 10:00  not in the documents  1,204 calls  How much?",
    ]
    assert runs_text(()).plain == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (12.4, "12 s"), (59.7, "1 min 00 s"), (185, "3 min 05 s"), (7810, "2 h 10 min")],
)
def test_durations_are_said_as_a_person_says_them(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("engine", "without_model"),
    [
        ("extractive", True),
        ("extractive (no language model)", True),
        ("extractive:all-MiniLM-L6-v2@53aa", True),
        ("extractive-x:y", False),
        ("ask=extractive:a, answer=openai:b", False),
        ("openai:extractive", False),
    ],
)
def test_without_a_language_model_the_line_says_how_to_name_one(engine: str, without_model: bool) -> None:
    assert ("--model openai:gpt-4o" in engine_line(engine)) is without_model


def test_a_limit_that_ended_the_run_and_documents_that_address_a_model_are_named(answered: Investigation) -> None:
    ended = with_answer(answered, run={"stop": StopReason.CALLS}, coverage={"tainted": ("a.txt", "b.txt")})
    lines = lines_of(ended)
    assert "Stopped because the limit on engine calls was reached." in lines
    assert "Contains text addressed to a language model: a.txt, b.txt" in lines


def test_words_that_are_the_answer_are_not_printed_again_as_its_source(answered: Investigation) -> None:
    assert answered.answer is not None
    quote = answered.answer.citations[0]
    lead = Statement(text=quote.text, quotes=(quote,), support=Support.VERBATIM)
    text = investigation_text(with_answer(answered, lead=lead, details=(), disagreements=())).plain

    assert text.count(quote.text) == 1


def test_passages_stand_below_their_places_and_other_words_above_their_sources(answered: Investigation) -> None:
    (rent,) = answered.answer.lead.quotes
    quoted = Statement(text="The annual rent is EUR 48,000.", quotes=(rent,), support=Support.VERBATIM)
    only = {"status": AnswerStatus.PASSAGES_FOUND, "lead": None, "disagreements": (), "not_stated": ()}
    text = investigation_text(with_answer(answered, details=(quoted,), **only)).plain
    assert f"[1] {rent.place}\nThe annual rent is EUR 48,000, payable monthly\n" in text
    assert "Sources" not in text
    listed = quoted.changed(quotes=(rent.changed(text="- EUR 48,000 a year\n\n- \x1b[2Jpayable monthly"),))
    shown = investigation_text(with_answer(answered, details=(listed,), **only)).plain
    assert f"{rent.place}\n- EUR 48,000 a year\n- \\x1b[2Jpayable monthly\n" in shown
    reworded = quoted.changed(text="It costs 48 thousand.", support=Support.UNCHECKED)
    assert "\nSources\n" in investigation_text(with_answer(answered, details=(reworded,), **only)).plain


def test_a_follow_up_shows_how_it_was_read(answered: Investigation) -> None:
    text = investigation_text(answered.changed(read_as="What is the rent of the lease?")).plain
    assert text.startswith("Read as: What is the rent of the lease?\n\nThe annual rent")
