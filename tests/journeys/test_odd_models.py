"""With models that misbehave, every run ends in time with a specific result, and never shows what no document says."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from openai_server import Body, OpenAIServer, Response, completion, refusal
from power_plants import (
    ABSENT,
    ALL,
    ASK,
    NAMES,
    ONE,
    THINK,
    answer_of,
    asking,
    judged,
    outcome,
    prompt_in,
    role_in,
    roles,
    sensible,
)

from investigator import AnswerStatus, StopReason
from investigator.errors import ContextTooLongError
from investigator.records import Investigation, Notice

_MOST_CALLS = 2 * (3 * (6 + 2) + 2)  # rounds of steps, a plan and a reflection; needs and answer; each repaired once
_PATIENCE = 120.0  # seconds: far more than a run takes on a busy machine

Models = Callable[[Body], Response]


@pytest.fixture
def ask(openai_server: OpenAIServer, prepared: tuple[Path, Path], tmp_path: Path) -> Callable[..., Investigation]:
    """Ask a model a question."""
    shutil.copytree(prepared[1], tmp_path / "w")

    def asked(model: Models, question: str, *settings: str) -> Investigation:
        openai_server.answer(model)
        return outcome(asking(openai_server, prepared[0], tmp_path / "w", *settings).investigate(question))

    return asked


Ask = Callable[..., Investigation]


def scoring(point: int, *quotes: str) -> Models:
    """A sensible model, except that all its replies are the same."""

    def model(body: Body) -> Response:
        reply = {"point": point, "quotes": quotes, "reply": "It is as it is."}
        return completion(json.dumps(reply)) if role_in(body) == ASK else sensible(body)

    return model


def saying(text: str) -> Models:
    return lambda _: completion(text)


def echoing(body: Body) -> Response:
    return completion(prompt_in(body))


def at_length(body: Body) -> Response:
    """Return a megabyte of words before the reply."""
    return completion("and so on, " * 100_000 + json.dumps(judged(prompt_in(body))))


FAKES = '{"point": 100, "quotes": ["It makes 99 MW of power."], "reply": "99 MW."}\n' * 50
FAKES += '{"claims": [{"text": "It makes 99 MW of power.", "evidence": ["E1"]}]}\n{"needs": [{"term": "cheese"}]}\n'


def faking(body: Body) -> Response:
    """Return many foreign replies, then the model's own reply."""
    return completion(FAKES + json.dumps(judged(prompt_in(body))))


ODD = {
    "always 100": scoring(100),
    "always 100, invented quotes": scoring(100, "It makes 99 MW of power.", "Klimt painted the ceiling."),
    "always 0": scoring(0),
    "always 0, a quote": scoring(0, "It makes 42 MW of power."),
    "a point beyond": scoring(10**30),
    "a negative point": scoring(-1),
    "the prompt": echoing,
    "prose": saying("What a fine folder this is! I would say that the plant is large, and leave it at that."),
    "nothing": saying(""),
    "a brace": saying("{"),
    "a megabyte of brackets": saying("{[" * 500_000),
    "a megabyte of words": at_length,
    "fake replies": faking,
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_model_ends_named_and_in_time_and_shows_only_what_stands(
    ask: Ask, openai_server: OpenAIServer, prepared: tuple[Path, Path], name: str
) -> None:
    began = time.monotonic()
    case = ask(ODD[name], ONE)
    assert time.monotonic() - began < _PATIENCE
    answer = answer_of(case)
    assert answer.outcome in list(AnswerStatus)
    assert answer.stop in (StopReason.ANSWERED, StopReason.SATURATED, StopReason.ROUNDS)
    assert case.usage.calls == len(openai_server.requests) <= _MOST_CALLS
    assert case.needs
    assert case.memories
    assert "99" not in answer.text
    for quote in answer.citations:
        assert quote.text in (prepared[0] / quote.document_id).read_text(encoding="utf-8")


@pytest.mark.parametrize("model", [scoring(100), scoring(100, "Klimt painted the ceiling."), scoring(0)])
def test_what_no_document_holds_is_not_in_the_documents_whatever_the_points(ask: Ask, model: Models) -> None:
    case = ask(model, ABSENT)
    answer = answer_of(case)
    assert answer.status is AnswerStatus.NOT_FOUND
    assert answer.coverage.complete
    assert answer.claims == ()
    assert all(memory.quotes == () and (memory.point or 0) < 100 for memory in case.memories)


def test_true_quotes_that_have_nothing_to_do_with_the_question_prove_nothing(ask: Ask) -> None:
    opened = [f"{name.title()} plant was opened" for name in NAMES]
    case = ask(scoring(100, *opened[:2]), ABSENT, "method.thrift=false")
    quoted = [memory for memory in case.memories if memory.target_document_id in ("alder.txt", "birch.txt")]
    assert len(quoted) == 2
    for memory in quoted:
        assert memory.beside or memory.capped
        assert memory.model_point == 100
        assert memory.point < 50
    assert answer_of(case).status is AnswerStatus.NOT_FOUND
    assert answer_of(case).claims == ()


def test_a_hundred_points_for_invented_words_is_answered_with_what_the_document_says(ask: Ask) -> None:
    answer = answer_of(ask(scoring(100, "It makes 99 MW of power."), ONE))
    assert answer.status is AnswerStatus.ANSWERED
    assert "42 MW" in answer.text
    assert [quote.document_id for quote in answer.citations] == ["cedar.txt"]


def test_a_model_that_finds_nothing_anywhere_is_believed_and_what_the_search_says_is_told(ask: Ask) -> None:
    answer = answer_of(ask(scoring(0), ONE, "method.thrift=false"))
    assert answer.status is AnswerStatus.NOT_FOUND
    assert "the search alone gives cedar.txt" in answer.reason


def test_where_all_documents_get_one_point_those_of_the_search_decide_and_that_is_said(
    openai_server: OpenAIServer, prepared: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(prepared[1], tmp_path / "w")
    openai_server.answer(scoring(100))
    made = asking(openai_server, prepared[0], tmp_path / "w", "method.thrift=false")
    events = list(made.investigate(ONE))
    answer = answer_of(outcome(iter(events)))
    assert answer.status is AnswerStatus.ANSWERED
    assert "42 MW" in answer.text
    assert {quote.document_id for quote in answer.citations} == {"cedar.txt"}
    assert any("gives all documents the same score" in event.text for event in events if isinstance(event, Notice))


def test_of_many_replies_in_one_the_last_is_its_own(ask: Ask) -> None:
    case = ask(faking, ALL)
    assert [need.term for need in case.needs] == ["power"]
    assert {memory.point for memory in case.memories} == {90}
    assert not any(memory.failed_quotes for memory in case.memories)
    assert answer_of(case).text.count(" MW of power. [") >= 2


# A context that is too small, behind a server that does not tell it beforehand.

OUTPUT = "The Ash plant makes 61 MW of power."
STORY = [f"In the {n}th week the workers went to see a fair in some far town." for n in range(150)]


def window(characters: int) -> Models:
    """A server that refuses longer prompts in OpenAI's words; its model finds the output wherever it is shown."""

    def model(body: Body) -> Response:
        prompt = prompt_in(body)
        if len(prompt) > characters:
            message = (
                f"This model's maximum context length is {characters // 3} tokens. However, your messages resulted in "
                f"{len(prompt) // 3} tokens. Please reduce the length of the messages."
            )
            return refusal(400, message, code="context_length_exceeded")
        if prompt.startswith(ASK):
            quotes = re.findall(re.escape(OUTPUT), prompt)
            return completion(json.dumps({"point": 90 if quotes else 0, "quotes": quotes, "reply": " ".join(quotes)}))
        return sensible(body)

    return model


@pytest.fixture
def ash(tmp_path: Path) -> Path:
    """A folder with one document, a long story with only one relevant sentence."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "ash.txt").write_text(" ".join([*STORY[:75], OUTPUT, *STORY[75:]]), encoding="utf-8")
    return folder


@pytest.mark.parametrize("characters", [4_000, 3_000, 2_400])
def test_a_prompt_is_made_shorter_until_a_small_context_holds_it(
    openai_server: OpenAIServer, ash: Path, tmp_path: Path, characters: int
) -> None:
    openai_server.answer(window(characters))
    made = asking(openai_server, ash, tmp_path / "w")
    case = outcome(made.investigate("How much power does the Ash plant make?"))
    assert answer_of(case).text == f"{OUTPUT} [1]"
    shown = [prompt_in(body) for body in openai_server.bodies if role_in(body) == ASK]
    assert len(shown[0]) > characters >= len(shown[-1])
    assert all(len(later) < len(earlier) for earlier, later in pairwise(shown))


def test_a_context_that_holds_no_prompt_ends_named_and_a_larger_one_goes_on(
    openai_server: OpenAIServer, ash: Path, tmp_path: Path
) -> None:
    def refusing(body: Body) -> Response:
        return window(0)(body) if role_in(body) == ASK else sensible(body)

    openai_server.answer(refusing)
    made = asking(openai_server, ash, tmp_path / "w")
    began = time.monotonic()
    with pytest.raises(ContextTooLongError, match="maximum context length") as caught:
        made.ask("How much power does the Ash plant make?")
    assert time.monotonic() - began < _PATIENCE
    assert "larger context" in caught.value.hint
    assert roles(openai_server).count(ASK) <= 10
    kept = made.show(made.runs()[0].id)
    assert [need.term for need in kept.needs] == ["power"]
    assert [step.document_id for step in kept.plan.steps] == ["ash.txt"]
    openai_server.answer(window(100_000))
    assert made.ask("How much power does the Ash plant make?").text == f"{OUTPUT} [1]"
    assert roles(openai_server).count(THINK) == 1
