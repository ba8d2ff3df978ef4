"""The choice of the next step, without engines, documents or a clock."""

from __future__ import annotations

import pytest

from investigator.records import (
    Answer,
    AnswerStatus,
    Claim,
    Coverage,
    DocumentCard,
    Investigation,
    Knowledge,
    KnownInfo,
    Memory,
    Need,
    Plan,
    PlanStep,
    ProposedStep,
    Quote,
    Reflection,
    Round,
    Status,
    StopReason,
)
from investigator.research.asking_policy import AskAll, FewCalls
from investigator.research.planner import Proposal
from investigator.research.state import (
    Bounds,
    State,
    Step,
    how_many_to_ask,
    next_step,
    reason_to_stop,
    what_suffices,
    with_plan,
    with_reflection,
)

DONE, OPEN = Status.DONE, Status.NONE
IDS = ("a.txt", "b.txt", "c.txt")
QUOTE = Quote(document_id="a.txt", page=None, line=1, start=0, end=4, text="RWE.", source_hash="h")
FOUND = Memory(id=1, target_document_id="a.txt", question="?", reply="RWE.", point=90, quotes=(QUOTE,))
NOTHING = Memory(id=1, target_document_id="a.txt", question="?", reply="", point=0)
ALL_KNOWN, A_REST_UNKNOWN = (), ("the owner",)


def a_state(
    last: Step | None,
    *steps: Status,
    memories: tuple[Memory, ...] = (),
    unknown: tuple[str, ...] | None = None,
    learned: bool = True,
    rounds: int = 3,
    **fields: object,
) -> State:
    """Return a state in its first round, whose steps have these statuses; with `unknown` it has been reflected on."""
    plan = Plan(
        steps=tuple(
            PlanStep(plan_id=i, document_id=name, purpose="?", status=status, result_ids=(i,) if status is DONE else ())
            for i, (name, status) in enumerate(zip(IDS, steps, strict=False), 1)
        )
    )
    run = Investigation(id="r", question="Who owns it?", mission="M", strategy="S", engine="e", plan=plan)
    run = run.changed(memories=memories, rounds=(Round(number=1, strategy="S", learned=learned),))
    if unknown is not None:
        run = run.changed(reflections=(Reflection(round=1, knowledge=(Knowledge(term="t", unknown_infos=unknown),)),))
    bounds = Bounds(
        rounds=rounds, threshold=50, worth_asking=0.5, workers=4, policy=AskAll(), thinks_and_plans_at_once=False
    )
    return State(run, bounds, IDS, last=last, **fields)  # type: ignore[arg-type]


def an_answer(*claims: Claim) -> Answer:
    return Answer(
        question="Who owns it?",
        status=AnswerStatus.ANSWERED if claims else AnswerStatus.NOT_FOUND_SO_FAR,
        stop=StopReason.ANSWERED,
        reason="",
        text="",
        claims=claims,
        coverage=Coverage(),
        engine="e",
    )


PROVEN = Claim(text="RWE.", quotes=(QUOTE,))


@pytest.mark.parametrize(
    ("state", "step"),
    [
        pytest.param(a_state(None), Step.THINK, id="a run begins with thinking"),
        pytest.param(a_state(Step.THINK), Step.PLAN, id="what must be known is planned for"),
        pytest.param(a_state(Step.PLAN, OPEN), Step.ASK, id="a plan is asked"),
        pytest.param(a_state(Step.PLAN), Step.REFLECT, id="a plan without steps teaches nothing"),
        pytest.param(a_state(Step.PLAN, DONE), Step.REFLECT, id="nor does one whose steps are all skimmed"),
        pytest.param(a_state(Step.ASK, DONE, DONE), Step.REFLECT, id="a plan that was asked is reflected on"),
        pytest.param(a_state(Step.ASK, DONE, OPEN), Step.ASK, id="a wave without evidence is followed by the rest"),
        pytest.param(
            a_state(Step.ASK, DONE, OPEN, memories=(FOUND,)), Step.REFLECT, id="a wave with evidence is reflected on"
        ),
        pytest.param(
            a_state(Step.ASK, DONE, OPEN, memories=(FOUND.changed(addressed=True),)),
            Step.ASK,
            id="evidence of a document that speaks to the model is none",
        ),
        pytest.param(
            a_state(Step.REFLECT, DONE, OPEN, memories=(FOUND,), unknown=ALL_KNOWN), Step.ANSWER, id="enough is known"
        ),
        pytest.param(
            a_state(Step.REFLECT, DONE, OPEN, memories=(FOUND,), unknown=A_REST_UNKNOWN),
            Step.ASK,
            id="something is unknown and steps are open",
        ),
        pytest.param(
            a_state(Step.REFLECT, DONE, memories=(FOUND,), unknown=A_REST_UNKNOWN),
            Step.PLAN,
            id="something is unknown and the plan is done",
        ),
        pytest.param(
            a_state(Step.REFLECT, DONE, memories=(FOUND,), unknown=A_REST_UNKNOWN, rounds=1),
            Step.ANSWER,
            id="the rounds are used up",
        ),
        pytest.param(
            a_state(Step.REFLECT, DONE, memories=(FOUND,), unknown=A_REST_UNKNOWN, learned=False),
            Step.ANSWER,
            id="a round that taught nothing ends the search",
        ),
        pytest.param(
            a_state(Step.REFLECT, memories=(NOTHING,), unknown=A_REST_UNKNOWN), Step.ANSWER, id="nothing was asked"
        ),
        pytest.param(
            a_state(
                Step.REFLECT,
                DONE,
                memories=(NOTHING,),
                unknown=A_REST_UNKNOWN,
                learned=False,
                cards=(DocumentCard(document_id="b.txt", title="", match=0.9),),
            ),
            Step.PLAN,
            id="nothing is known and a likely document was not asked",
        ),
        pytest.param(
            a_state(Step.ANSWER, DONE, OPEN, memories=(FOUND,), unknown=ALL_KNOWN, answer=an_answer()),
            Step.ASK,
            id="the writer is in doubt and documents are left",
        ),
        pytest.param(
            a_state(Step.ANSWER, DONE, memories=(FOUND,), unknown=ALL_KNOWN, answer=an_answer()),
            None,
            id="the writer is in doubt and none is left",
        ),
        pytest.param(
            a_state(Step.ANSWER, DONE, OPEN, memories=(FOUND,), unknown=ALL_KNOWN, answer=an_answer(PROVEN)),
            None,
            id="the answer stands",
        ),
        pytest.param(
            a_state(
                Step.ANSWER,
                DONE,
                OPEN,
                memories=(FOUND,),
                unknown=ALL_KNOWN,
                answer=an_answer(),
                spent=StopReason.CALLS,
            ),
            None,
            id="doubt is not followed over a ceiling",
        ),
    ],
)
def test_the_next_step_follows_from_where_the_investigation_stands(state: State, step: Step | None) -> None:
    assert next_step(state) is step


@pytest.mark.parametrize("last", [None, Step.THINK, Step.PLAN, Step.ASK, Step.REFLECT])
def test_a_ceiling_leads_from_everywhere_to_the_answer(last: Step | None) -> None:
    state = a_state(last, DONE, OPEN, unknown=ALL_KNOWN, spent=StopReason.MONEY)
    assert next_step(state) is Step.ANSWER
    assert reason_to_stop(state) is StopReason.MONEY


def test_why_the_search_ends_is_named() -> None:
    done = a_state(Step.REFLECT, DONE, memories=(FOUND,), unknown=ALL_KNOWN)
    assert reason_to_stop(done) is StopReason.ANSWERED
    unknown = {"memories": (FOUND,), "unknown": A_REST_UNKNOWN}
    assert reason_to_stop(a_state(Step.REFLECT, DONE, **unknown, learned=False)) is StopReason.SATURATED  # type: ignore[arg-type]
    assert reason_to_stop(a_state(Step.REFLECT, DONE, **unknown, rounds=1)) is StopReason.ROUNDS  # type: ignore[arg-type]
    assert reason_to_stop(a_state(Step.REFLECT, DONE, **unknown)) is None  # type: ignore[arg-type]


def test_of_a_new_plan_the_policy_says_how_many_are_asked_and_after_that_all_that_are_left() -> None:
    few = Bounds(
        rounds=3,
        threshold=50,
        worth_asking=0.5,
        workers=4,
        policy=FewCalls(4, bar=0.5),
        thinks_and_plans_at_once=True,
    )
    cards = (DocumentCard(document_id="a.txt", title="", match=0.9),)
    for last, answer, expected in (
        (Step.PLAN, None, 2),
        (Step.ASK, None, 3),
        (Step.REFLECT, None, 3),
        (Step.ANSWER, an_answer(), 3),
        (Step.PLAN, an_answer(), 3),
    ):
        state = a_state(last, OPEN, OPEN, OPEN, cards=cards, answer=answer)
        state = State(state.run, few, IDS, cards=cards, last=last, answer=answer)
        assert how_many_to_ask(state) == expected


def test_nothing_suffices_once_the_writer_was_in_doubt() -> None:
    state = a_state(Step.ASK, DONE, memories=(FOUND,))
    run = state.run.changed(question="Who is RWE?", needs=(Need(term="RWE"),))
    few = Bounds(
        rounds=3, threshold=50, worth_asking=0.5, workers=4, policy=FewCalls(4, 0.5), thinks_and_plans_at_once=True
    )
    (known,) = what_suffices(State(run, few, IDS, last=Step.ASK)) or ()
    assert known.known_infos == (KnownInfo(info="RWE.", point=90, document_ids=("a.txt",), memory_ids=(1,)),)
    assert what_suffices(State(run, few, IDS, last=Step.ASK, answer=an_answer())) is None


def test_hopeless_steps_of_the_first_plan_are_done_without_a_result_and_later_ones_are_not() -> None:
    few = Bounds(
        rounds=3, threshold=50, worth_asking=0.5, workers=4, policy=FewCalls(4, 0.5), thinks_and_plans_at_once=True
    )
    cards = tuple(
        DocumentCard(document_id=name, title="", match=match) for name, match in zip(IDS, (0.9, 0.1, 0.1), strict=True)
    )
    blank = Investigation(id="r", question="?", mission="M", strategy="S", engine="e")
    proposal = Proposal("S", tuple(ProposedStep(document_id=name, purpose="?") for name in IDS), ("x.txt",))
    first = with_plan(State(blank, few, IDS, cards=cards), proposal)
    assert [step.status for step in first.plan.steps] == [OPEN, DONE, DONE]
    assert first.rounds == (Round(number=1, strategy="S", refused_document_ids=("x.txt",)),)
    again = Proposal("T", (ProposedStep(document_id="b.txt", purpose="Why?"),))
    second = with_plan(State(first, few, IDS, cards=cards), again)
    assert [(step.round, step.status) for step in second.plan.steps][3:] == [(2, OPEN)]


def test_a_round_has_learned_what_was_not_known_at_the_last_reflection() -> None:
    state = a_state(Step.ASK, DONE, memories=(FOUND,), learned=False)
    reflection = Reflection(round=1)
    assert with_reflection(state, reflection).rounds[0].learned
    known = State(state.run, state.bounds, IDS, last=Step.ASK, memories_reflected=1)
    assert not with_reflection(known, reflection).rounds[0].learned
    assert with_reflection(known, reflection).reflections == (reflection,)


def test_asking_again_is_told_by_the_cards_and_comes_last() -> None:
    cards = (DocumentCard(document_id="a.txt", title="", match=0.9), DocumentCard(document_id="b.txt", title=""))
    shown = a_state(Step.REFLECT, DONE, cards=cards).shown_cards
    assert [(card.document_id, card.asked) for card in shown] == [("b.txt", 0), ("a.txt", 1)]
