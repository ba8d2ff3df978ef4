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
    ANSWER,
    ASK,
    ONE,
    PLAN,
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
from investigator.errors import ContextTooLongError, EngineError
from investigator.records import Investigation

_MOST_CALLS = 2 * (2 * (8 + 3) + 2)  # rounds of steps, a plan, a reflection and an answer; two checks; all repaired
_PATIENCE = 120.0  # seconds: far more than a run takes on a busy machine

Models = Callable[[Body], Response]


@pytest.fixture
def ask(openai_server: OpenAIServer, prepared: tuple[Path, Path], tmp_path: Path) -> Callable[..., Investigation]:
    """Ask a model a question."""
    shutil.copytree(prepared[1], tmp_path / "w")

    def investigated(model: Models, question: str, *settings: str) -> Investigation:
        openai_server.answer(model)
        return outcome(asking(openai_server, prepared[0], tmp_path / "w", *settings).investigate(question))

    return investigated


Ask = Callable[..., Investigation]


def reading(point: int, *quotes: str, verdict: str = "answers") -> Models:
    """A sensible model, except that all its readings are the same."""

    def model(body: Body) -> Response:
        reply = {"verdict": verdict, "point": point, "quotes": quotes, "reply": "It is as it is."}
        return completion(json.dumps({"readings": [reply]})) if role_in(body) == ASK else sensible(body)

    return model


def saying(text: str) -> Models:
    return lambda _: completion(text)


def echoing(body: Body) -> Response:
    return completion(prompt_in(body))


def at_length(body: Body) -> Response:
    """Return a megabyte of words before the reply."""
    return completion("and so on, " * 100_000 + json.dumps(judged(prompt_in(body))))


FAKE = {"verdict": "answers", "point": 100, "quotes": ["It makes 99 MW of power."], "reply": "99 MW."}
FAKES = f"{json.dumps({'readings': [FAKE]})}\n" * 50
FAKES += f"{json.dumps({'lead': {'text': 'It makes 99 MW of power.', 'evidence': ['E1']}})}\n"
FAKES += f"{json.dumps({'parts': ['How much cheese?'], 'steps': []})}\n"


def faking(body: Body) -> Response:
    """Return many foreign replies, then the model's own reply."""
    return completion(FAKES + json.dumps(judged(prompt_in(body))))


ODD = {
    "always 100": reading(100),
    "always 100, invented quotes": reading(100, "It makes 99 MW of power.", "Klimt painted the ceiling."),
    "always 0": reading(0),
    "always 0, a quote": reading(0, "It makes 42 MW of power."),
    "a point beyond": reading(10**30),
    "a negative point": reading(-1),
    "a verdict of its own": reading(90, "It makes 42 MW of power.", verdict="probably"),
    "the prompt": echoing,
    "prose": saying("What a fine folder this is! I would say that the plant is large, and leave it at that."),
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
    assert answer.run.stop in (StopReason.ANSWERED, StopReason.SATURATED, StopReason.ROUNDS)
    assert case.usage.calls == len(openai_server.requests) <= _MOST_CALLS
    assert case.parts
    assert case.memories
    assert "99" not in answer.text
    for statement in answer.statements:
        assert statement.quotes
    for quote in answer.citations:
        assert quote.text in (prepared[0] / quote.document_id).read_text(encoding="utf-8")


def test_a_model_that_writes_nothing_ends_the_run_with_the_likely_cause(ask: Ask, openai_server: OpenAIServer) -> None:
    with pytest.raises(EngineError, match="ended without writing a reply"):
        ask(saying(""), ONE)
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize(
    "model", [reading(100), reading(100, "Klimt painted the ceiling."), reading(0, verdict="not_stated")]
)
def test_what_no_document_holds_is_not_in_the_documents_whatever_the_points(ask: Ask, model: Models) -> None:
    case = ask(model, ABSENT)
    answer = answer_of(case)
    assert answer.status is AnswerStatus.NOT_FOUND
    assert answer.coverage.complete
    assert answer.statements == ()
    assert all(memory.quotes == () for memory in case.memories)


def test_a_check_of_ones_own_withholds_what_the_quotes_do_not_say(ask: Ask) -> None:
    """The readers quote what has nothing to do with the question, and the writer makes an answer of it."""

    def model(body: Body) -> Response:
        prompt = prompt_in(body)
        if role_in(body) == ASK:
            (opened,) = re.findall(r"The \w+ plant was opened in \d+\.", prompt) or [""]
            return reading(100, opened, verdict="answers" if opened else "not_stated")(body)
        if role_in(body) == ANSWER:
            lead = {"text": "Marc Chagall painted it when he was 77.", "evidence": ["E1"]}
            return completion(json.dumps({"lead": lead, "parts": [{"part": 1, "status": "answered"}]}))
        return sensible(body)

    answer = answer_of(ask(model, ABSENT))
    assert answer.status is not AnswerStatus.ANSWERED
    assert answer.statements == ()
    assert [statement.text for statement in answer.check.withheld] == ["Marc Chagall painted it when he was 77."]


def test_of_many_replies_in_one_the_last_is_its_own(ask: Ask) -> None:
    case = ask(faking, ALL)
    assert [part.question for part in case.parts] == [ALL]
    assert {memory.point for memory in case.memories} == {90}
    assert not any(memory.failed_quotes for memory in case.memories)
    assert all(f"The output is {output} MW. [" in answer_of(case).text for output in range(40, 46))


# A context that is too small, behind a server that does not tell it beforehand.

OUTPUT = "It makes 61 MW of power."
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
            verdict = "answers" if quotes else "not_stated"
            reply = {"verdict": verdict, "point": 90, "quotes": quotes, "reply": " ".join(quotes)}
            return completion(json.dumps({"readings": [reply]}))
        return sensible(body)

    return model


@pytest.fixture
def ash(tmp_path: Path) -> Path:
    """A folder with one document, a long story with only one relevant sentence."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "ash.txt").write_text(" ".join([*STORY[:75], OUTPUT, *STORY[75:]]), encoding="utf-8")
    return folder


@pytest.mark.parametrize("characters", [4_000, 3_000])
def test_a_prompt_is_made_shorter_until_a_small_context_holds_it(
    openai_server: OpenAIServer, ash: Path, tmp_path: Path, characters: int
) -> None:
    openai_server.answer(window(characters))
    made = asking(openai_server, ash, tmp_path / "w")
    case = outcome(made.investigate("How much power does the Ash plant make?"))
    assert answer_of(case).text == "It produces 61 MW. [1]"
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
    assert kept.wordings == ("output in MW",)
    assert [step.document_id for step in kept.plan.steps] == ["ash.txt"]
    openai_server.answer(window(100_000))
    assert made.ask("How much power does the Ash plant make?").text == "It produces 61 MW. [1]"
    assert roles(openai_server).count(PLAN) == 1
