import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from power_plant import claims, knowledge, plan_of, said

from investigator import (
    Answer,
    AnswerStatus,
    Investigation,
    Investigator,
    ScriptedEngine,
    Settings,
    Status,
    StopReason,
    load_settings,
)
from investigator.errors import EngineError
from investigator.records import Answered, Event, PointStatus, Started

Make = Callable[..., tuple[Investigator, ScriptedEngine]]
QUESTION = "How much power does the plant make?"


def outcome(events: list[Event]) -> Investigation:
    last = events[-1]
    assert isinstance(last, Answered)
    return last.investigation


def answer_of(case: Investigation) -> Answer:
    assert case.answer is not None
    return case.answer


def test_a_question_is_answered_with_a_quote_from_its_place(investigator: Make) -> None:
    answer = investigator()[0].ask(QUESTION)
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.stop is StopReason.ANSWERED
    assert answer.text == "It makes 42 MW of power. [1]"
    quote = answer.citations[0]
    assert (quote.document_id, quote.line, quote.text) == ("plant.txt", 1, "It makes 42 MW of power.")


def test_the_steps_come_in_the_order_of_the_method(investigator: Make) -> None:
    events = list(investigator()[0].investigate(QUESTION))
    names = [type(event).__name__ for event in events]
    assert names == [
        *["FileRead"] * 3,
        *["Embedded", "Started", "Thought", "Planned", "Remembered", "Remembered", "Reflected", "Answered"],
    ]


def test_memories_stand_in_plan_order_and_the_plan_knows_them(investigator: Make) -> None:
    case = outcome(list(investigator()[0].investigate(QUESTION)))
    assert [(m.id, m.target_document_id, m.point) for m in case.memories] == [
        (1, "plant.txt", 95),
        (2, "letter.txt", 0),
    ]
    assert [(s.plan_id, s.result_ids, s.status) for s in case.plan.steps] == [
        (1, (1,), Status.DONE),
        (2, (2,), Status.DONE),
    ]


def test_an_invented_document_is_refused_and_recorded(investigator: Make) -> None:
    case = outcome(list(investigator(planner__plan=plan_of("plant.txt", "secret.pdf"))[0].investigate(QUESTION)))
    assert case.rounds[0].refused_document_ids == ("secret.pdf",)
    assert [step.document_id for step in case.plan.steps] == ["plant.txt"]


def test_a_planner_that_only_invents_is_replaced_by_the_best_matches(investigator: Make) -> None:
    case = outcome(list(investigator(planner__plan=plan_of("no.pdf", "none.pdf"))[0].investigate(QUESTION)))
    assert case.rounds[0].refused_document_ids == ("no.pdf", "none.pdf")
    assert case.plan.steps[0].document_id == "plant.txt"
    assert answer_of(case).status is AnswerStatus.ANSWERED


def test_what_is_unknown_drives_the_next_plan_which_knows_past_strategies(investigator: Make) -> None:
    plans = [plan_of("letter.txt", strategy="First."), plan_of("plant.txt", strategy="Second.")]
    made, engine = investigator(
        planner__plan=plans,
        query__ask=lambda prompt: (
            said(90, "It makes 42 MW of power.")
            if prompt.variables.document_id == "plant.txt"
            else said(60, "We walked along the river.")
        ),
        reflection__reflect=[knowledge("the owner"), knowledge()],
    )
    case = outcome(list(made.investigate(QUESTION)))
    second = [prompt for prompt in engine.asked if prompt.template == "planner/plan"][1].variables
    assert second.unknown_infos == ("the owner",)
    assert second.past_strategies == ("First.",)
    assert [m.target_document_id for m in second.history] == ["letter.txt"]
    assert [step.round for step in case.plan.steps] == [1, 2]
    assert [step.plan_id for step in case.plan.steps] == [1, 2]
    assert answer_of(case).stop is StopReason.ANSWERED


def test_a_round_that_teaches_nothing_more_ends_the_search(investigator: Make) -> None:
    made, _ = investigator(
        planner__plan=[plan_of("plant.txt"), plan_of("letter.txt"), plan_of("prices.txt")],
        reflection__reflect=knowledge("the owner"),
    )
    case = outcome(list(made.investigate(QUESTION)))
    assert answer_of(case).stop is StopReason.SATURATED
    assert [past.learned for past in case.rounds] == [True, False]


def test_not_in_the_documents_says_what_was_searched(investigator: Make) -> None:
    settings = load_settings(None, ["method.worth_asking=1.0"])
    made, engine = investigator(settings, query__ask=said(0))
    answer = made.ask("Who won the cup?")
    assert answer.status is AnswerStatus.NOT_FOUND
    assert answer.claims == ()
    assert answer.coverage.complete
    assert answer.coverage.read == ("letter.txt", "plant.txt")
    assert answer.coverage.skimmed == ("prices.txt",)
    assert answer.nearest
    assert answer.searched
    assert not [prompt for prompt in engine.asked if prompt.template.startswith(("reflection", "answer"))]


def test_an_unreadable_file_makes_it_not_found_so_far(investigator: Make, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    settings = load_settings(None, ["method.worth_asking=1.0"])
    for only in ((), ("broken.pdf",)):
        answer = investigator(settings, query__ask=said(0))[0].ask("Who won the cup?", only=only)
        assert answer.status is AnswerStatus.NOT_FOUND_SO_FAR
        assert [file.path for file in answer.coverage.unreadable] == ["broken.pdf"]


def test_a_quote_that_does_not_stand_in_the_document_proves_nothing(investigator: Make) -> None:
    case = outcome(list(investigator(query__ask=said(95, "It makes 43 MW of power."))[0].investigate(QUESTION)))
    assert case.memories[0].quotes == ()
    assert case.memories[0].failed_quotes == ("It makes 43 MW of power.",)
    assert answer_of(case).claims == ()


def test_a_claim_with_a_number_that_its_quote_lacks_is_listed_as_unproven(investigator: Make) -> None:
    reply = claims(("It makes 42 MW of power.", "E1"), ("It makes 50 MW in winter.", "E1"), ("RWE owns it.", "E9"))
    answer = investigator(answer__answer=reply)[0].ask(QUESTION)
    assert [claim.text for claim in answer.claims] == ["It makes 42 MW of power."]
    assert [claim.text for claim in answer.unproven] == ["It makes 50 MW in winter.", "RWE owns it."]


def test_claims_that_are_all_unproven_give_way_to_the_quotes_themselves(investigator: Make) -> None:
    answer = investigator(answer__answer=claims(("It makes 50 MW.", "E1")))[0].ask(QUESTION)
    assert answer.text == "It makes 42 MW of power. [1]"
    assert [claim.text for claim in answer.unproven] == ["It makes 50 MW."]


def test_a_reply_without_a_point_is_asked_for_once_more(investigator: Make) -> None:
    replies = ["It makes 42 MW of power, I think.", said(95, "It makes 42 MW of power.")]
    made, engine = investigator(planner__plan=plan_of("plant.txt"), query__ask=replies)
    case = outcome(list(made.investigate(QUESTION)))
    asked = [prompt.text for prompt in engine.asked if prompt.template == "query/ask"]
    assert len(asked) == 2
    assert "could not be parsed" in asked[1]
    assert case.memories[0].point == 95


def test_a_reply_that_stays_without_a_point_is_kept_as_unparsed(investigator: Make) -> None:
    made, _ = investigator(planner__plan=plan_of("plant.txt"), query__ask="Who knows?")
    case = outcome(list(made.investigate(QUESTION)))
    assert case.memories[0].status is PointStatus.UNPARSED
    assert case.memories[0].point is None
    assert "Who knows?" in case.memories[0].reply


def test_fresh_asks_everything_again(investigator: Make) -> None:
    investigator()[0].ask(QUESTION)
    made, engine = investigator()
    made.ask(QUESTION, fresh=True)
    assert len(engine.asked) == 6
    assert len(made.runs()) == 2


def test_a_changed_document_is_a_new_run_that_pays_only_for_what_changed(investigator: Make, folder: Path) -> None:
    investigator()[0].ask(QUESTION)
    (folder / "letter.txt").write_text("Dear Anna, it rained all week.", encoding="utf-8")
    made, engine = investigator()
    made.ask(QUESTION)
    assert [p.variables.document_id for p in engine.asked if p.template == "query/ask"] == ["letter.txt"]


def test_a_failed_engine_keeps_what_was_learned_and_the_run_goes_on(investigator: Make) -> None:
    def broken(_: Any) -> str:
        raise EngineError("the server is gone")

    made, _ = investigator(reflection__reflect=broken)
    with pytest.raises(EngineError, match="gone"):
        made.ask(QUESTION)
    assert [memory.point for memory in made.show(made.runs()[0].id).memories] == [95, 0]
    again, engine = investigator()
    events = list(again.investigate(QUESTION))
    assert [event.resumed for event in events if isinstance(event, Started)] == [True]
    assert [prompt.template for prompt in engine.asked] == ["reflection/reflect", "answer/answer"]


def test_mission_and_strategy_reach_every_template_that_has_them(investigator: Make) -> None:
    made, engine = investigator()
    made.ask(QUESTION, mission="Save the plant.", strategy="Letters first.")
    texts = {prompt.template: prompt.text for prompt in engine.asked}
    assert all("Save the plant." in text for text in texts.values())
    assert "Letters first." in texts["critical_thinking/think"]
    assert "Letters first." in texts["planner/plan"]


def test_the_document_id_summary_asks_all_documents(investigator: Make) -> None:
    made, engine = investigator(planner__plan=plan_of("summary"), query__ask=said(80, "It makes 42 MW of power."))
    case = outcome(list(made.investigate(QUESTION)))
    variables = next(prompt.variables for prompt in engine.asked if prompt.template == "query/ask")
    assert {passage.document_id for passage in variables.passages} >= {"plant.txt", "prices.txt"}
    assert case.memories[0].target_document_id == "summary"
    assert case.memories[0].quotes[0].document_id == "plant.txt"


def test_knowledge_that_rests_on_nothing_shown_is_dropped(investigator: Make) -> None:
    invented = [{"info": "It is haunted.", "point": 100, "document_ids": ["ghost.txt"], "memory_ids": [99]}]
    reply = json.dumps({"knowledge": [{"term": "power", "known_infos": invented, "unknown_infos": []}]})
    case = outcome(list(investigator(reflection__reflect=reply)[0].investigate(QUESTION)))
    assert case.reflections[0].knowledge[0].known_infos == ()


def test_settings_are_part_of_what_makes_a_run(investigator: Make) -> None:
    investigator()[0].ask(QUESTION)
    made, _ = investigator(Settings(mission="Another mission."))
    made.ask(QUESTION)
    assert len(made.runs()) == 2
