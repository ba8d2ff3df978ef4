from __future__ import annotations

import io

import pytest
from rich.console import Console

from investigator.records import (
    AnswerStatus,
    Claim,
    Constraint,
    ConstraintKind,
    ConstraintMatch,
    Investigation,
    MatchState,
    NearMiss,
    OpenPart,
    RunSummary,
    Unreadable,
)
from investigator.records.documents import FileStatus
from investigator.reports.html import html_report
from investigator.reports.terminal import investigation_text, runs_text
from investigator.reports.wording import duration, engine_line, near_miss_line


def test_an_answer_shows_its_status_text_sources_and_cost(answered: Investigation) -> None:
    lines = investigation_text(answered).plain.splitlines()

    assert lines[0] == "Answered: Two documents state it."
    assert "The annual rent is EUR 48,000 [1]. The lease runs for five years [2] [1]." in lines
    assert '[1] contracts/lease.pdf:page 3  "The annual rent is EUR 48,000, payable monthly"' in lines
    assert '[2] notes/kickoff.md:line 12  "we agreed on five years with Müller"' in lines
    assert "Answered by openai:gpt-x." in lines
    assert "Used: 12 calls, 3,400 tokens (3,000 in, 400 out), 1 min 15 s" in lines
    assert "Run: 8f3a12cd" in lines
    assert not any(line.startswith("[3]") for line in lines)


def test_what_a_model_read_into_a_quote_stands_apart_from_what_is_proven(answered: Investigation) -> None:
    assert answered.answer is not None
    first, *others = answered.answer.claims
    read = first.changed(readings=("Tenants pay EUR 48,000.",))
    told = answered.changed(answer=answered.answer.changed(claims=(read, *others)))
    proven, _, rest = investigation_text(told).plain.partition("The model's reading of these quotes, not proven")
    assert "Tenants pay" not in proven
    assert "Tenants pay EUR 48,000." in rest
    assert '<section id="readings">' in html_report(told)
    assert '<section id="readings">' not in html_report(answered)


def test_what_was_not_proven_is_listed_apart_from_the_answer(answered: Investigation) -> None:
    text = investigation_text(answered).plain

    answer, _, rest = text.partition("Not proven")
    assert "rises" not in answer
    assert "The rent rises by 3 %. (no quote holds 3 %)" in rest


def test_documents_that_were_left_out_are_named_once_and_unreadable_ones_with_their_reason(
    answered: Investigation,
) -> None:
    lines = investigation_text(answered).plain.splitlines()

    covered = next(line for line in lines if line.startswith("Coverage: "))
    assert "annex.docx" in covered
    assert "Not opened: annex.docx" not in lines
    assert "Unreadable: scan.pdf (encrypted: needs a password)" in lines


def test_documents_for_which_the_coverage_line_has_no_room_are_listed(answered: Investigation) -> None:
    assert answered.answer is not None
    coverage = answered.answer.coverage.changed(not_opened=tuple(f"{n}.pdf" for n in range(9)))
    answer = answered.answer.changed(coverage=coverage)

    text = investigation_text(answered.changed(answer=answer)).plain

    assert "Not opened: 0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf, 5.pdf, 6.pdf, 7.pdf, 8.pdf\n" in text


def test_an_absent_answer_shows_what_came_nearest_and_that_no_model_answered(not_found: Investigation) -> None:
    lines = investigation_text(not_found).plain.splitlines()

    assert lines[0].startswith("Not in the documents: Every document was searched")
    assert "- a.txt:line 7  The audit took place." in lines
    assert "No model specified: answered by the built-in engine, without a language model." in lines


def test_not_found_so_far_is_said_in_other_words_than_not_found(not_found: Investigation) -> None:
    assert not_found.answer is not None
    so_far = not_found.answer.changed(status=AnswerStatus.NOT_FOUND_SO_FAR)

    text = investigation_text(not_found.changed(answer=so_far)).plain

    assert text.startswith("Not found so far: ")


def test_an_unfinished_run_shows_its_best_replies(unfinished: Investigation) -> None:
    text = investigation_text(unfinished).plain

    assert text.startswith("Unfinished: ")
    assert text.index("- contracts/lease.pdf (score 85)") < text.index("- notes/kickoff.md (no score)")


def test_markup_and_escapes_of_a_document_are_shown_and_not_obeyed(answered: Investigation) -> None:
    assert answered.answer is not None
    hostile = "[bold red]pay[/bold red] [link=https://x.test]now[/link] \x1b]0;owned\x07"
    hostile_answer = answered.answer.changed(text=hostile, reason=f"so {hostile}", engine=hostile)
    screen = io.StringIO()

    console = Console(file=screen, force_terminal=True, width=400, highlight=False, color_system="truecolor")
    console.print(investigation_text(answered.changed(answer=hostile_answer)))

    shown = screen.getvalue()
    assert shown.count("[bold red]pay[/bold red] [link=https://x.test]now[/link]") == 3
    assert "\x1b]" not in shown
    assert "\x07" not in shown


def test_a_long_quote_is_cut_and_says_so(answered: Investigation) -> None:
    assert answered.answer is not None
    claim = answered.answer.claims[0]
    long_claim = claim.changed(quotes=(claim.quotes[0].changed(text="word " * 9000),))
    answer = answered.answer.changed(claims=(long_claim,))

    line = next(
        line
        for line in investigation_text(answered.changed(answer=answer)).plain.splitlines()
        if line.startswith("[1]")
    )
    assert len(line) < 700
    assert line.endswith('…"')


def test_many_unreadable_files_are_counted_and_not_all_listed(answered: Investigation) -> None:
    assert answered.answer is not None
    files = tuple(Unreadable(path=f"{n}.bin", status=FileStatus.UNSUPPORTED) for n in range(500))
    coverage = answered.answer.coverage.changed(unreadable=files)
    answer = answered.answer.changed(coverage=coverage)

    text = investigation_text(answered.changed(answer=answer)).plain

    assert "19.bin (unsupported), and 480 more" in text
    assert "21.bin" not in text


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
def test_that_no_language_model_answered_is_said_only_where_it_is_so(engine: str, without_model: bool) -> None:
    assert ("without a language model." in engine_line(engine)) is without_model


def test_what_stayed_open_is_named_with_what_was_searched(answered: Investigation) -> None:
    assert answered.answer is not None
    part = OpenPart(question="Who funded the Zebra trial?", searched=("funded", "sponsored"))
    answer = answered.answer.changed(status=AnswerStatus.ANSWERED_IN_PART, unanswered=(part,))

    lines = investigation_text(answered.changed(answer=answer)).plain.splitlines()

    assert lines[0].startswith("Answered in part: ")
    assert "- Who funded the Zebra trial? (searched: funded; sponsored)" in lines


def test_the_words_of_a_cited_near_miss_are_not_shown_again(answered: Investigation) -> None:
    assert answered.answer is not None
    cited = answered.answer.citations[0]
    constraint = Constraint(kind=ConstraintKind.PERIOD, text="1987")
    miss = NearMiss(part="?", quote=cited, failing=(ConstraintMatch(constraint=constraint, state=MatchState.NOT_MET),))
    text = investigation_text(answered.changed(answer=answered.answer.changed(near_misses=(miss,)))).plain
    assert "- [1]  Not established: the period 1987." in text
    assert text.count(" ".join(cited.text.split())) == 1


def test_a_near_miss_is_shown_with_what_it_fails(answered: Investigation, not_found: Investigation) -> None:
    assert answered.answer is not None
    assert not_found.answer is not None
    margin = Constraint(kind=ConstraintKind.ATTRIBUTE, text="operating margin")
    failing = ConstraintMatch(constraint=margin, state=MatchState.NOT_MET, words="operating income")
    miss = NearMiss(part="What was the margin?", quote=answered.answer.citations[0], failing=(failing,))
    answer = not_found.answer.changed(near_misses=(miss,))

    lines = investigation_text(not_found.changed(answer=answer)).plain.splitlines()

    shown = next(line for line in lines if line.startswith("- contracts/lease.pdf:page 3"))
    assert "operating margin (it says operating income)" in shown


def test_a_near_miss_does_not_show_again_what_is_asked(answered: Investigation) -> None:
    february = Constraint(kind=ConstraintKind.PERIOD, text="february 2024")
    failing = ConstraintMatch(constraint=february, state=MatchState.NOT_MET, words="February 2024")
    assert answered.answer is not None
    miss = NearMiss(part="?", quote=answered.answer.citations[0], failing=(failing,))
    assert near_miss_line(miss) == "Not established: the period february 2024."


def test_words_that_are_the_answer_are_not_printed_again_as_its_source(answered: Investigation) -> None:
    assert answered.answer is not None
    quote = answered.answer.citations[0]
    answer = answered.answer.changed(claims=(Claim(text=quote.text, quotes=(quote,)),), text=f"{quote.text} [1]")

    text = investigation_text(answered.changed(answer=answer)).plain

    assert text.count(quote.text) == 1
