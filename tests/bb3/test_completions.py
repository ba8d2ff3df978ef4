"""The client of the completions API: its requests, and its handling of server failures."""

from __future__ import annotations

import socket

import pytest
from openai_server import OpenAIServer, Response, json_response
from talks import Waits

from investigator.bb3.forms.completions import (
    Completion,
    CompletionFailure,
    CompletionRequest,
    CompletionsClient,
    knowledge_start,
    request_of,
)
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.engines.http import Retries
from investigator.errors import CredentialError, SettingsError

GOOD = json_response({"choices": [{"text": " hi", "logprobs": {"token_logprobs": [None, -1.5, -0.5]}}]})
BUSY = json_response({"error": "busy"}, 503)
USUAL = CompletionRequest()


def client(
    server: OpenAIServer, *, tries: int = 3, timeout: float = 5.0, key: str = "KEY", waits: Waits | None = None
) -> CompletionsClient:
    retries = Retries(tries, delay=0.5)
    return CompletionsClient(server.url, key, timeout=timeout, retries=retries, sleep=waits or Waits())


def test_a_completion_has_its_text_and_the_probabilities_of_its_tokens(openai_server: OpenAIServer) -> None:
    openai_server.answer(GOOD)
    assert client(openai_server).complete("p", USUAL) == Completion(text=" hi", token_logprobs=(-1.5, -0.5))
    (request,) = openai_server.requests
    assert request.path == "/v1/completions"
    assert request.headers["authorization"] == "Bearer KEY"
    assert request.body["prompt"] == "p"


def test_what_fails_for_now_is_tried_again_after_twice_as_long(openai_server: OpenAIServer) -> None:
    waits = Waits()
    openai_server.answer(BUSY, Response(body=b"<oops"), json_response({}, 429), Response(500), GOOD)
    found = client(openai_server, tries=5, waits=waits).complete("p", USUAL)
    assert isinstance(found, Completion)
    assert waits.seconds == [0.5, 1.0, 2.0, 4.0]


def test_tries_are_bounded_and_each_failure_is_told(openai_server: OpenAIServer) -> None:
    openai_server.answer(BUSY)
    found = client(openai_server, tries=3).complete("p", USUAL)
    assert found == CompletionFailure(failures=("API Error: busy",) * 3)
    assert len(openai_server.requests) == 3


def test_what_is_no_json_is_quoted(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(body=b"<html>" + b"x" * 1000))
    found = client(openai_server, tries=1).complete("p", USUAL)
    assert isinstance(found, CompletionFailure)
    assert "<html>xxx" in found.failures[0]
    assert len(found.failures[0]) < 400


def test_a_refused_request_is_not_sent_again(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(400, b'{"detail": "prompt too long"}'))
    found = client(openai_server).complete("p", USUAL)
    assert isinstance(found, CompletionFailure)
    assert "prompt too long" in found.failures[0]
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_your_mistake(openai_server: OpenAIServer, status: int) -> None:
    openai_server.answer(Response(status, b"{}"))
    with pytest.raises(CredentialError):
        client(openai_server).complete("p", USUAL)


def test_a_server_that_is_down_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{unused.getsockname()[1]}"
    found = CompletionsClient(place, retries=Retries(1)).complete("p", USUAL)
    assert isinstance(found, CompletionFailure)
    assert place in found.failures[0]


def test_several_prompts_are_answered_in_their_order(openai_server: OpenAIServer) -> None:
    openai_server.answer(lambda body: json_response({"choices": [{"text": f"{body['prompt']}!"}]}))
    found = client(openai_server).complete_all([(str(n), USUAL) for n in range(9)])
    assert [one.text for one in found if isinstance(one, Completion)] == [f"{n}!" for n in range(9)]
    assert client(openai_server).complete_all([]) == []


@pytest.mark.parametrize("address", ["", "ftp://host", "http://"])
def test_an_address_without_meaning_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address of a completions server"):
        CompletionsClient(address)


def words(text: str) -> int:
    return len(text.split())


def test_what_a_reply_rests_on_may_be_repeated_and_what_stands_before_it_may_not() -> None:
    prompt = "Person 1: how long is it\nPrevious Topic: rivers\nInteresting Fact: It is long.\nPerson 2:"
    start = knowledge_start(prompt, words)
    assert start == words("Person 1: how long is it")
    srm = TABLE[Module.SRM].decoding[Weights.LARGE]
    assert request_of(srm, start).alpha_src_penalty_end_idx == start
    assert request_of(srm, start).alpha_presence_src == 0.5
    vrm = TABLE[Module.VRM].decoding[Weights.LARGE]
    assert request_of(vrm, start).alpha_src_penalty_end_idx == -1


def test_the_knowledge_of_examples_is_not_that_of_the_reply() -> None:
    example = "Person 1: a\nInteresting Fact: b\nPerson 2: c"
    assert knowledge_start(f"{example}\n\nPerson 1: d\nPerson 2:", words) == -1
    assert knowledge_start("Person 1: d\nPerson 2:", words) == -1
