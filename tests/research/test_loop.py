"""Whole investigations of three documents, with an engine that follows a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from power_plant import GOOD, MADE, answer, by_document, check, plan_of, reading, readings

from investigator import (
    Answer,
    AnswerStatus,
    Investigation,
    Investigator,
    RunOptions,
    ScriptedEmbedder,
    ScriptedEngine,
    load_settings,
)
from investigator.records import (
    Answered,
    EarlierQuestion,
    PartStatus,
    Prompt,
    Reflection,
    Round,
    RunSetup,
    Scope,
    Statement,
    StopReason,
    Support,
    Traits,
    Verdict,
)
from investigator.research.answer import Draft
from investigator.research.research_settings import ResearchSettings
from investigator.research.state import State, Step, next_step

Make = Callable[..., tuple[Investigator, ScriptedEngine]]
QUESTION = "How much power does the plant make?"
ROUND = Round(number=1, strategy="")
OPEN = answer(None, status="not_stated", search=["megawatts of the plant"])


def outcome(made: Investigator, question: str = QUESTION) -> Investigation:
    events = list(made.investigate(question))
    assert isinstance(events[-1], Answered)
    return events[-1].investigation


def answer_of(case: Investigation) -> Answer:
    assert case.answer is not None
    return case.answer


def templates(engine: ScriptedEngine) -> list[str]:
    return [prompt.template for prompt in engine.asked]


def prompts(engine: ScriptedEngine, template: str) -> list[Prompt]:
    return [prompt for prompt in engine.asked if prompt.template == template]


def test_a_paraphrase_with_a_quote_that_stands_is_answered_and_says_who_checked_it(investigator: Make) -> None:
    made, _ = investigator()
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.ANSWERED
    assert found.text == "The plant produces 42 megawatts. [1]"
    assert found.lead is not None
    assert found.lead.support is Support.SUPPORTED
    assert found.check.by == "scripted"
    quote = found.citations[0]
    assert (quote.document_id, quote.line, quote.text) == ("plant.txt", 1, "It makes 42 MW of power.")


def test_a_fact_costs_four_calls_in_sequence(investigator: Make) -> None:
    made, engine = investigator(planner__plan=plan_of("plant.txt"))
    made.ask(QUESTION)
    assert templates(engine) == ["planner/plan", "query/ask", "answer/answer", "answer/check"]


def test_events_come_in_the_order_of_the_method(investigator: Make) -> None:
    made, _ = investigator()
    names = [type(event).__name__ for event in made.investigate(QUESTION)]
    start = names.index("Started")
    assert names[start:] == ["Started", "Planned", "Remembered", "Remembered", "Written", "Checked", "Answered"]


def test_an_open_part_leads_to_a_second_plan_that_closes_it(investigator: Make) -> None:
    made, engine = investigator(
        planner__plan=[plan_of("letter.txt"), plan_of("plant.txt")],
        reflection__reflect=json.dumps({"known": [], "unknown": [], "wordings": ["megawatts of the plant"]}),
        answer__answer=[answer("The plant produces 42 megawatts.", "E1")],
        query__ask=by_document(plant=MADE, letter=reading("We walked along the river.", verdict="not_stated")),
    )
    case = outcome(made)
    assert answer_of(case).status is AnswerStatus.ANSWERED
    assert [step.round for step in case.plan.steps] == [1, 2]
    second = prompts(engine, "planner/plan")[1].text
    assert "letter.txt (not_stated)" in second
    assert "megawatts of the plant" in second
    assert templates(engine).count("reflection/reflect") == 1
    assert len(engine.asked) == 7


def test_a_writer_that_lacks_something_says_what_to_search_for_next(investigator: Make) -> None:
    made, engine = investigator(
        planner__plan=[plan_of("letter.txt"), plan_of("plant.txt")],
        answer__answer=[OPEN, answer("The plant produces 42 megawatts.", "E1")],
        query__ask=by_document(plant=MADE, letter=reading("We walked along the river.", verdict="in_part", point=60)),
    )
    assert made.ask(QUESTION).status is AnswerStatus.ANSWERED
    assert "megawatts of the plant" in prompts(engine, "planner/plan")[1].text
    assert len(engine.asked) == 8


def test_silence_of_every_reader_and_the_writer_needs_no_check(investigator: Make) -> None:
    nearest = by_document(letter=reading("We walked along the river.", verdict="not_stated", point=10))
    made, engine = investigator("research.rounds=1", query__ask=nearest, answer__answer=OPEN)
    assert made.ask("Who swam in the river?").status is AnswerStatus.NOT_FOUND
    assert "answer/check" not in templates(engine)


def test_nothing_is_planned_again_once_every_part_is_answered(investigator: Make) -> None:
    made, engine = investigator()
    case = outcome(made)
    assert len(case.rounds) == 1
    assert "reflection/reflect" not in templates(engine)
    assert answer_of(case).run.stop is StopReason.ANSWERED


def test_a_near_miss_is_silent_and_shows_what_is_nearest(investigator: Make) -> None:
    nearest = [{"text": "the price of power at night; nearest is the general price", "evidence": ["N1"]}]
    made, _ = investigator(
        "research.rounds=1",
        planner__plan=plan_of("prices.txt"),
        query__ask=by_document(prices=reading("Power is sold at 12 cents.", verdict="not_stated", point=70)),
        answer__answer=answer(None, status="not_stated", not_stated=nearest),
        answer__check=check(answers="rightly_not_stated"),
    )
    found = made.ask("What does power cost at night?")
    assert found.status is AnswerStatus.NOT_FOUND
    assert found.lead is None
    assert [quote.text for quote in found.not_stated[0].quotes] == ["Power is sold at 12 cents."]
    assert found.coverage.searched == ("letter.txt", "plant.txt")


def test_a_correction_of_the_question_is_the_lead(investigator: Make) -> None:
    owner = reading("Its owner is RWE.", verdict="premise_wrong", reply="The owner is RWE, not the town.")
    made, _ = investigator(
        query__ask=by_document(plant=owner),
        answer__answer=answer("The plant belongs to RWE, not to the town.", "E1", status="premise_wrong"),
        answer__check=check("supported", answers="corrects_the_question"),
    )
    found = made.ask("When did the town buy the plant?")
    assert found.status is AnswerStatus.PREMISE_WRONG
    assert found.lead is not None


def test_a_lead_that_the_check_refuses_is_written_once_more_with_the_reason(investigator: Make) -> None:
    made, engine = investigator(
        answer__answer=[answer("The plant produces 99 MW.", "E1"), answer("The plant produces 42 MW.", "E1")],
        answer__check=[check("unsupported", answers="no", reasons=["the quote says 42"]), check("supported")],
    )
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.ANSWERED
    assert found.text == "The plant produces 42 MW. [1]"
    assert "the quote says 42" in prompts(engine, "answer/answer")[1].text


def test_a_lead_refused_twice_is_withheld_and_nothing_is_called_answered(investigator: Make) -> None:
    made, _ = investigator(
        answer__answer=answer("The plant produces 99 MW.", "E1"),
        answer__check=check("unsupported", answers="in_part", reasons=["the quote says 42"]),
    )
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.PASSAGES_FOUND
    assert found.lead is None
    assert [(one.text, one.reason) for one in found.check.withheld] == [
        ("The plant produces 99 MW.", "the quote says 42")
    ]


def test_a_check_that_finds_similar_things_only_ends_in_silence(investigator: Make) -> None:
    made, _ = investigator("research.rounds=1", answer__check=check("supported", answers="no", open_parts=[1]))
    found = made.ask("How much heat does the plant make?")
    assert found.status is AnswerStatus.NOT_FOUND
    assert found.lead is None
    assert found.not_stated[0].quotes


def test_a_check_that_opens_a_part_leads_to_another_round(investigator: Make) -> None:
    made, engine = investigator(
        planner__plan=[plan_of("letter.txt"), plan_of("plant.txt")],
        query__ask=by_document(plant=MADE, letter=reading("We walked along the river.", reply="They walked.")),
        answer__answer=[answer("They walked.", "E1"), answer("The plant produces 42 MW.", "E1")],
        answer__check=[check("supported", answers="no", open_parts=[1]), check("supported")],
    )
    assert made.ask(QUESTION).status is AnswerStatus.ANSWERED
    assert templates(engine).count("planner/plan") == 2


def test_of_a_statement_supported_in_part_only_what_the_check_keeps_is_shown(investigator: Make) -> None:
    made, engine = investigator(
        answer__answer=answer("The plant produces 42 MW and sells most of it.", "E1"),
        answer__check=check("in_part", reasons=["nothing on sales"], corrected="The plant produces 42 MW."),
    )
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.ANSWERED
    assert found.lead is not None
    assert (found.lead.text, found.lead.support) == ("The plant produces 42 MW.", Support.SUPPORTED)
    (cut,) = found.check.withheld
    assert (cut.text, cut.reason) == ("The plant produces 42 MW and sells most of it.", "nothing on sales")
    assert templates(engine).count("answer/answer") == 1


def test_a_correction_with_a_figure_of_its_own_is_not_taken(investigator: Make) -> None:
    made, _ = investigator(
        answer__answer=answer("The plant produces 42 MW and sells most of it.", "E1"),
        answer__check=check("in_part", corrected="The plant produces 99 MW."),
    )
    found = made.ask(QUESTION)
    assert "99" not in found.text
    assert found.lead is not None
    assert (found.lead.support, found.status) == (Support.IN_PART, AnswerStatus.ANSWERED_IN_PART)


def test_a_check_that_fails_leaves_the_statements_unchecked_and_says_so(investigator: Make) -> None:
    made, _ = investigator(answer__check=[])
    found = made.ask(QUESTION)
    assert found.lead is not None
    assert found.lead.support is Support.UNCHECKED
    assert found.check.by == ""
    assert "The check failed" in found.reason


def test_nothing_is_answered_if_the_check_fails_or_judges_nothing(investigator: Make) -> None:
    for reply in ([], json.dumps({"statements": [], "answers": "yes"})):
        made, _ = investigator(answer__check=reply)
        shown = made.ask(QUESTION, fresh=True)
        assert shown.status is AnswerStatus.ANSWERED_IN_PART
        assert "The check failed" in shown.reason


def test_a_refused_lead_is_not_shown_if_a_ceiling_stops_its_rewriting(investigator: Make) -> None:
    made, engine = investigator(
        "budget.calls=4",
        planner__plan=plan_of("plant.txt"),
        answer__answer=answer("The plant produces 99 MW.", "E1"),
        answer__check=check("unsupported", answers="no", reasons=["the quote says 42"]),
    )
    found = made.ask(QUESTION)
    assert len(engine.asked) == 4
    assert "99" not in found.text
    assert [one.text for one in found.check.withheld] == ["The plant produces 99 MW."]


def test_what_the_readers_found_is_shown_if_a_ceiling_stops_the_writer(investigator: Make) -> None:
    made, _ = investigator(
        "budget.calls=5",
        planner__plan=[plan_of("letter.txt"), plan_of("plant.txt")],
        reflection__reflect=json.dumps({"known": [], "unknown": [], "wordings": ["megawatts of the plant"]}),
        query__ask=by_document(plant=MADE, letter=reading("We walked along the river.", verdict="not_stated")),
    )
    found = made.ask(QUESTION)
    assert found.run.stop is StopReason.CALLS
    assert found.lead is not None
    assert found.lead.quotes[0].text == "It makes 42 MW of power."


def test_a_doubtful_reading_alone_is_near_and_another_round_looks_for_more(investigator: Make) -> None:
    doubtful = reading("It makes 42 MW of power.", verdict="in_part", point=40)
    made, engine = investigator(
        planner__plan=[plan_of("plant.txt"), plan_of("letter.txt")],
        reflection__reflect=json.dumps({"known": [], "unknown": [], "wordings": ["megawatts"]}),
        query__ask=by_document(plant=doubtful),
        answer__answer=answer(None, status="not_stated"),
    )
    assert made.ask(QUESTION).status is AnswerStatus.NOT_FOUND
    assert templates(engine).count("planner/plan") == 2
    assert "It makes 42 MW of power." in prompts(engine, "answer/answer")[0].text


def test_a_doubtful_reading_makes_no_answer_without_a_writer(investigator: Make) -> None:
    doubtful = reading("It makes 42 MW of power.", verdict="in_part", point=40)
    made, _ = investigator("research.effort=quick", query__ask=by_document(plant=doubtful))
    assert made.ask(QUESTION).status is AnswerStatus.NOT_FOUND


def test_an_answer_that_does_not_fit_is_withheld_whole(investigator: Make) -> None:
    made, _ = investigator(
        "research.rounds=1",
        answer__answer=answer(
            "The plant produces 42 MW.",
            "E1",
            status="in_part",
            details=[{"head": "owner", "text": "RWE has it.", "evidence": ["E1"]}],
        ),
        answer__check=check("supported", "supported", answers="no"),
    )
    found = made.ask("How much heat does the plant make?")
    assert found.status is AnswerStatus.NOT_FOUND
    assert [one.text for one in found.check.withheld] == ["RWE has it."]


def test_a_later_round_searches_for_all_wordings(investigator: Make) -> None:
    made, engine = investigator(
        "research.planner.documents=1",
        planner__plan=[plan_of("plant.txt", wordings=["a walk along the river"]), plan_of("letter.txt")],
        reflection__reflect=json.dumps({"known": [], "unknown": [], "wordings": ["a stroll"]}),
        query__ask=by_document(letter=reading("We walked along the river.", reply="They walked.")),
        answer__answer=answer("They walked.", "E1"),
    )
    case = outcome(made, "What makes 42 MW of power?")
    assert case.rounds[1].refused_document_ids == ()
    assert [step.document_id for step in case.plan.steps] == ["plant.txt", "letter.txt"]
    assert 'id="letter.txt"' in prompts(engine, "planner/plan")[1].text


def test_a_plan_may_name_a_document_that_it_was_not_shown(investigator: Make) -> None:
    made, engine = investigator("research.planner.documents=1", planner__plan=plan_of("letter.txt", "plant.txt"))
    case = outcome(made)
    assert 'id="letter.txt"' not in prompts(engine, "planner/plan")[0].text
    assert case.rounds[0].refused_document_ids == ()
    assert {step.document_id for step in case.plan.steps} == {"letter.txt", "plant.txt"}


@pytest.mark.parametrize(
    ("seen", "status"), [(1, AnswerStatus.NOT_FOUND_SO_FAR), (7, AnswerStatus.NOT_FOUND)], ids=["one", "all"]
)
def test_nothing_is_absent_that_may_stand_in_a_likely_document_nobody_saw(
    investigator: Make, seen: int, status: AnswerStatus
) -> None:
    made, _ = investigator(
        f"research.planner.documents={seen}",
        "research.rounds=1",
        planner__plan=plan_of("plant.txt", wordings=["a walk along the river"]),
        query__ask=by_document(plant=reading("It makes 42 MW of power.", verdict="not_stated", point=30)),
        answer__answer=answer(None, status="not_stated"),
    )
    assert made.ask(QUESTION).status is status


def test_of_documents_asked_together_one_that_answers_outweighs_one_that_does_not(investigator: Make) -> None:
    replies = by_document(
        plant={**MADE, "point": 60}, prices=reading("Power is sold at 12 cents.", verdict="not_stated", point=70)
    )
    made, _ = investigator(planner__plan=plan_of("summary"), query__ask=replies)
    case = outcome(made)
    assert (case.memories[0].verdict, case.memories[0].point) == (Verdict.ANSWERS, 60)


@pytest.mark.parametrize(("context", "is_whole"), [(100_000, True), (1_500, False)])
def test_a_document_that_was_cut_for_a_small_context_does_not_count_as_read_whole(
    folder: Path, context: int, *, is_whole: bool
) -> None:
    (folder / "plant.txt").write_text("It makes 42 MW of power. " * 200, encoding="utf-8")
    script = {**GOOD, "planner/plan": plan_of("plant.txt")}
    engine = ScriptedEngine(script, traits=Traits(is_model=True, context_tokens=context))
    chosen = load_settings(None, ["research.whole_tokens=0"])
    made = Investigator(folder, model=engine, embedder=ScriptedEmbedder(), settings=chosen)
    assert outcome(made).memories[0].whole is is_whole


def test_an_answer_that_is_judged_is_not_checked_again() -> None:
    statement = Statement(text="It makes 42 MW.", quotes=())
    run = Investigation(
        id="1", question="?", setup=RunSetup(engine="e"), reflections=(Reflection(round=1),), rounds=(ROUND,)
    )
    state = State(run, ResearchSettings(), ("a.txt",), draft=Draft(lead=statement), last=Step.REFLECT, is_written=True)
    assert next_step(state) is Step.CHECK
    assert next_step(replace(state, is_judged=True)) is None


def test_check_off_shows_statements_as_unchecked(investigator: Make) -> None:
    made, engine = investigator("check=off")
    found = made.ask(QUESTION)
    assert found.lead is not None
    assert found.lead.support is Support.UNCHECKED
    assert "answer/check" not in templates(engine)
    assert "(unchecked)" in found.text


def test_a_statement_in_the_words_of_its_quote_is_verbatim_but_still_judged_against_the_question(
    investigator: Make,
) -> None:
    made, engine = investigator(
        "research.rounds=1",
        answer__answer=answer("It makes 42 MW of power.", "E1"),
        answer__check=check("unsupported", answers="no"),
    )
    found = made.ask(QUESTION)
    assert "answer/check" in templates(engine)
    assert found.check.withheld == ()
    assert found.status is AnswerStatus.NOT_FOUND


def test_a_figure_that_no_quote_contains_is_noted_for_the_check_and_withholds_nothing(investigator: Make) -> None:
    made, engine = investigator(answer__answer=answer("The plant produces 0.042 GW.", "E1"))
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.ANSWERED
    assert found.lead is not None
    assert found.lead.notes
    assert found.lead.notes[0] in prompts(engine, "answer/check")[0].text


def test_quick_effort_costs_one_reading_and_a_check(investigator: Make) -> None:
    made, engine = investigator("research.effort=quick")
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.ANSWERED
    assert found.text == "The plant has an output of 42 megawatts. [1]"
    assert templates(engine) == ["query/ask", "answer/check"]


def test_a_folder_that_fits_is_read_whole_in_one_call(investigator: Make) -> None:
    made, engine = investigator("research.whole_tokens=30000")
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.ANSWERED
    assert found.coverage.read == ("letter.txt", "plant.txt", "prices.txt")
    assert templates(engine) == ["planner/plan", "query/ask", "answer/answer", "answer/check"]
    text = prompts(engine, "query/ask")[0].text
    assert text.index('id="letter.txt"') < text.index('id="plant.txt"') < text.index(QUESTION)


def test_a_list_is_decided_for_every_document_and_shown_as_a_table(investigator: Make) -> None:
    replies = by_document(
        plant=reading("It makes 42 MW of power.", reply="It is about a plant's power."),
        prices=reading("Power is sold at 12 cents.", verdict="in_part", point=60, reply="Only the price of power."),
    )
    made, engine = investigator(
        planner__plan=plan_of(scope="every"),
        query__ask=replies,
        answer__answer=answer("One document of three is about power.", "E1"),
        answer__check=check("supported", "supported", "supported"),
    )
    found = made.ask("Which documents are about power?")
    assert [(row.document_id, row.decision) for row in found.table] == [
        ("plant.txt", "yes"),
        ("prices.txt", "unclear"),
        ("letter.txt", "no"),
    ]
    assert templates(engine).count("query/ask") == 1
    assert found.coverage.read == ("letter.txt", "plant.txt", "prices.txt")


def test_a_follow_up_is_rewritten_from_the_earlier_turns(investigator: Make) -> None:
    made, engine = investigator(
        planner__plan=[plan_of("plant.txt"), plan_of("plant.txt", question="Who owns the Emsland plant?")],
        query__ask=[
            readings(MADE),
            readings(reading("Its owner is RWE.", reply="RWE owns it.")),
        ],
        answer__answer=[answer("It produces 42 MW.", "E1"), answer("RWE owns it.", "E1")],
    )
    made.ask(QUESTION)
    *_, last = made.investigate("And who owns it?", RunOptions(after="last"))
    assert isinstance(last, Answered)
    assert last.investigation.full_question == "Who owns the Emsland plant?"
    assert last.investigation.question == "And who owns it?"
    assert last.investigation.earlier == (EarlierQuestion(question=QUESTION, answer="It produces 42 MW. [1]"),)
    assert "Main question: Who owns the Emsland plant?" in prompts(engine, "query/ask")[1].text


def test_passages_that_no_trusted_reader_judged_lead_no_answer(of_texts: Callable[..., Investigator]) -> None:
    texts = {f"{name}.md": f"The budget was {size} euro for the year." for name, size in (("a", 500), ("b", 600))}
    made = of_texts(texts, settings=load_settings(None, ["research.effort=quick"]))
    shown = made.ask("How large was the budget?")
    assert shown.status is AnswerStatus.PASSAGES_FOUND
    assert shown.lead is None
    assert len(shown.details) == 2


def test_a_quick_follow_up_is_read_with_the_question_that_it_follows(investigator: Make) -> None:
    made, engine = investigator("research.effort=quick")
    made.ask(QUESTION)
    made.ask("And who owns it?", after="last")
    assert f"{QUESTION} And who owns it?" in prompts(engine, "query/ask")[1].text


def test_prompts_end_with_the_day_and_kept_replies_do_not_depend_on_it(investigator: Make) -> None:
    made, engine = investigator()
    list(made.investigate(QUESTION, RunOptions(as_of="2025-03-01")))
    assert engine.asked[0].text.endswith("Today is 2025-03-01.")
    calls = len(engine.asked)
    list(made.investigate(QUESTION, RunOptions(as_of="2025-03-02")))
    assert len(engine.asked) == calls


def test_parts_are_the_planners_and_an_unanswered_one_is_named(investigator: Make) -> None:
    parts = ["How much power does the plant make?", "How much heat does it make?"]
    written = json.dumps(
        {
            "lead": {"text": "It produces 42 MW.", "evidence": ["E1"]},
            "parts": [{"part": 1, "status": "answered"}, {"part": 2, "status": "not stated"}],
        }
    )
    made, _ = investigator("research.rounds=1", planner__plan=plan_of("plant.txt", parts=parts), answer__answer=written)
    found = made.ask("How much power and heat does the plant make?")
    assert found.status is AnswerStatus.ANSWERED_IN_PART
    assert [part.status for part in found.parts] == [PartStatus.ANSWERED, PartStatus.NOT_STATED]
    assert parts[1] in found.reason


def test_documents_that_give_different_values_conflict_with_both_sides(investigator: Make) -> None:
    sides = [{"text": "42 MW", "evidence": ["E1"]}, {"text": "12 cents", "evidence": ["E2"]}]
    made, _ = investigator(
        planner__plan=plan_of("plant.txt", "prices.txt"),
        query__ask=by_document(plant=MADE, prices=reading("Power is sold at 12 cents.", reply="12 cents.")),
        answer__answer=answer(
            "The documents differ.",
            "E1",
            disagreements=[{"about": "power", "sides": sides, "explanation": "One is a price."}],
        ),
    )
    found = made.ask(QUESTION)
    assert found.status is AnswerStatus.CONFLICTING
    assert [len(side.quotes) for side in found.disagreements[0].sides] == [1, 1]


@pytest.mark.parametrize(
    "reply",
    ["I cannot help with that.", "", "<think>Is it 42?", json.dumps({"readings": []}), '{"readings": [{"document": '],
    ids=["refusal", "empty", "reasoning only", "empty list", "cut off"],
)
def test_a_reading_that_cannot_be_used_leaves_its_document_unread(investigator: Make, reply: str) -> None:
    made, _ = investigator("research.rounds=1", planner__plan=plan_of("plant.txt"), query__ask=reply)
    case = outcome(made)
    assert case.memories[0].verdict is Verdict.UNREAD
    found = answer_of(case)
    assert found.status is AnswerStatus.NOT_FOUND_SO_FAR
    assert found.coverage.not_opened == ("plant.txt",)


def test_quotes_that_do_not_stand_are_not_evidence(investigator: Make) -> None:
    invented = reading("It makes 99 GW of heat every day.", reply="99 GW.")
    made, _ = investigator("research.rounds=1", planner__plan=plan_of("plant.txt"), query__ask=readings(invented))
    case = outcome(made)
    assert case.memories[0].failed_quotes == ("It makes 99 GW of heat every day.",)
    assert answer_of(case).status is AnswerStatus.NOT_FOUND
    assert answer_of(case).citations == ()


def test_invented_evidence_ids_are_dropped_and_a_statement_without_any_is_withheld(investigator: Make) -> None:
    details = [{"head": "heat", "text": "It makes 99 GW of heat.", "evidence": ["E9"]}]
    made, _ = investigator(answer__answer=answer("It produces 42 MW.", "E1", "E7", details=details))
    found = made.ask(QUESTION)
    assert len(found.citations) == 1
    assert [one.text for one in found.check.withheld] == ["It makes 99 GW of heat."]


def test_an_answer_that_cannot_be_read_is_made_of_the_readers_replies(investigator: Make) -> None:
    made, _ = investigator(answer__answer="I would rather not.")
    found = made.ask(QUESTION)
    assert found.lead is not None
    assert found.lead.text == "The plant has an output of 42 megawatts."


def test_a_plan_that_cannot_be_read_reads_the_best_matches(investigator: Make) -> None:
    made, _ = investigator(planner__plan="no plan")
    case = outcome(made)
    assert case.plan.steps[0].document_id == "plant.txt"
    assert answer_of(case).status is AnswerStatus.ANSWERED


def test_invented_documents_are_refused_and_recorded(investigator: Make) -> None:
    case = outcome(investigator(planner__plan=plan_of("plant.txt", "secret.pdf"))[0])
    assert case.rounds[0].refused_document_ids == ("secret.pdf",)
    assert [step.document_id for step in case.plan.steps] == ["plant.txt"]


def test_a_question_of_twenty_parts_keeps_them_all(investigator: Make) -> None:
    parts = [f"What is value {number}?" for number in range(1, 21)]
    statuses = [{"part": number, "status": "answered"} for number in range(1, 21)]
    made, _ = investigator(
        planner__plan=plan_of("plant.txt", parts=parts),
        answer__answer=json.dumps({"lead": {"text": "All are 42.", "evidence": ["E1"]}, "parts": statuses}),
    )
    found = made.ask(" ".join(parts))
    assert len(found.parts) == 20
    assert found.status is AnswerStatus.ANSWERED


def test_a_model_that_gives_no_quotes_answers_nothing(investigator: Make) -> None:
    made, engine = investigator("research.rounds=1", query__ask=readings(reading(reply="It makes 42 MW.")))
    assert made.ask(QUESTION).status in (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR)
    assert "answer/answer" not in templates(engine)


def test_a_scope_of_some_reads_only_the_planned_documents(investigator: Make) -> None:
    case = outcome(investigator(planner__plan=plan_of("plant.txt"))[0])
    assert case.decides is Scope.SOME
    assert [memory.target_document_id for memory in case.memories] == ["plant.txt"]
