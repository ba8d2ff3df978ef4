"""The runnable as a step of a chain: it answers, streams, batches, and passes callbacks on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest
from harbour import NOT_THERE, QUESTION, HarbourModel, Watcher

from investigator import Answer, AnswerStatus, Investigator, ScriptedEmbedder
from investigator.engines.chat.engine import ChatEngine
from investigator.errors import QuestionError, WorkspaceLockedError
from investigator.langchain import InvestigatorRetriever, InvestigatorRunnable, Request
from investigator.records import Answered, Remembered, Started

ANEW = Request(question=QUESTION, fresh=True)


@pytest.fixture
def by_chat_model(investigator: Investigator) -> InvestigatorRunnable:
    engine = ChatEngine(HarbourModel())
    return InvestigatorRunnable(Investigator(investigator.folder, model=engine, embedder=ScriptedEmbedder()))


def test_a_question_gives_an_answer_in_each_form_of_asking(investigator: Investigator) -> None:
    runnable = InvestigatorRunnable(investigator)
    for asking in (QUESTION, {"question": QUESTION}, Request(question=QUESTION, mission="Find depths.")):
        answer = runnable.invoke(asking)
        assert isinstance(answer, Answer)
        assert answer.status is AnswerStatus.ANSWERED


def test_the_mission_that_is_given_is_the_runs(investigator: Investigator) -> None:
    InvestigatorRunnable(investigator).invoke({"question": QUESTION, "mission": "Find depths.", "strategy": "Dive."})
    latest = investigator.show(investigator.runs()[0].id)
    assert (latest.setup.mission, latest.setup.strategy) == ("Find depths.", "Dive.")


@pytest.mark.parametrize("asking", [{"query": QUESTION}, {"question": None}, 7, ""])
def test_an_input_that_is_no_question_is_refused(investigator: Investigator, asking: object) -> None:
    with pytest.raises(QuestionError):
        InvestigatorRunnable(investigator).invoke(asking)  # type: ignore[arg-type]


def test_a_stream_is_the_events_and_then_the_answer(investigator: Investigator) -> None:
    *events, last = InvestigatorRunnable(investigator).stream(ANEW)
    kinds = [type(event) for event in events]
    assert kinds.count(Remembered) == 3
    assert (kinds.index(Started) < kinds.index(Remembered), kinds[-1]) == (True, Answered)
    assert isinstance(last, Answer)


def test_the_next_step_of_a_chain_gets_the_answer_however_the_chain_is_run(investigator: Investigator) -> None:
    def shortened(answer: Answer) -> str:
        return answer.text

    chain = InvestigatorRunnable(investigator) | shortened
    wanted = "It is 14 metres deep. [1]"
    assert chain.invoke(QUESTION) == wanted
    assert list(chain.stream(QUESTION)) == [wanted]
    assert asyncio.run(chain.ainvoke(QUESTION)) == wanted
    assert asyncio.run(_all(chain.astream(QUESTION))) == [wanted]


def test_a_batch_is_answered_in_its_order(investigator: Investigator) -> None:
    answers = InvestigatorRunnable(investigator).batch([QUESTION, NOT_THERE, QUESTION])
    assert [answer.status for answer in answers] == [
        AnswerStatus.ANSWERED,
        AnswerStatus.NOT_FOUND,
        AnswerStatus.ANSWERED,
    ]


def test_an_asynchronous_stream_is_the_same(investigator: Investigator) -> None:
    *events, last = asyncio.run(_all(InvestigatorRunnable(investigator).astream(QUESTION)))
    assert type(events[-1]) is Answered
    assert isinstance(last, Answer)


def test_a_stream_that_is_left_lets_the_next_call_in(investigator: Investigator) -> None:
    runnable = InvestigatorRunnable(investigator, longest_wait=20)

    async def first_event() -> object:
        async with aclosing(runnable.astream(ANEW)) as events:
            async for event in events:
                return event
        raise AssertionError("there was no event")

    for _ in runnable.stream(ANEW):
        break
    asyncio.run(first_event())
    assert runnable.invoke(QUESTION).status is AnswerStatus.ANSWERED


def test_a_call_that_would_wait_for_itself_is_refused(investigator: Investigator) -> None:
    retriever = InvestigatorRetriever(investigator=investigator, longest_wait=0.05)
    for _ in InvestigatorRunnable(investigator).stream(ANEW):
        with pytest.raises(WorkspaceLockedError, match="has been using"):
            retriever.invoke(QUESTION)
        break


@pytest.mark.parametrize(
    "run",
    [
        lambda runnable, config: runnable.invoke(ANEW, config),
        lambda runnable, config: list(runnable.stream(ANEW, config)),
        lambda runnable, config: asyncio.run(runnable.ainvoke(ANEW, config)),
        lambda runnable, config: asyncio.run(_all(runnable.astream(ANEW, config))),
    ],
    ids=["invoke", "stream", "ainvoke", "astream"],
)
def test_the_chat_models_calls_are_runs_below_it(
    by_chat_model: InvestigatorRunnable, run: Callable[[InvestigatorRunnable, dict[str, object]], object]
) -> None:
    watcher = Watcher()
    run(by_chat_model, {"callbacks": [watcher]})
    parents = watcher.parents_of("chat model")
    assert len(parents) >= 3
    assert set(parents) == {"InvestigatorRunnable"}
    assert isinstance(watcher.outputs["InvestigatorRunnable"], Answer)


def test_callbacks_hear_of_an_error(investigator: Investigator) -> None:
    watcher = Watcher()
    with pytest.raises(QuestionError):
        InvestigatorRunnable(investigator).invoke("", {"callbacks": [watcher]})
    assert watcher.failed == ["InvestigatorRunnable"]


async def _all(items: object) -> list[object]:
    return [item async for item in items]  # type: ignore[attr-defined]
