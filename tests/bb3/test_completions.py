"""The client of the completions API: its requests, and its handling of server failures."""

from __future__ import annotations

import socket

import pytest
from openai_server import OpenAIServer, Response, json_response
from talks import Waits

from investigator.bb3.exchange import ModuleRequest
from investigator.bb3.forms.writers import (
    Completion,
    CompletionsWriter,
    knowledge_start,
    request_of,
)
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.engines.http import Retries
from investigator.errors import CredentialError, EngineError, SettingsError
from investigator.records.decoding import Decoding

GOOD = json_response({"choices": [{"text": " hi", "logprobs": {"token_logprobs": [None, -1.5, -0.5]}}]})
BUSY = json_response({"error": "busy"}, 503)
USUAL = request_of(Decoding())


def decoding_of(module: Module) -> Decoding:
    return TABLE[module].decoding[Weights.LARGE]


def client(server: OpenAIServer, *, tries: int = 3, waits: Waits | None = None) -> CompletionsWriter:
    retries = Retries(tries, delay=0.5)
    return CompletionsWriter(
        server.url, decoding_of, api_key="KEY", timeout=5.0, retries=retries, sleep=waits or Waits()
    )


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
    assert client(openai_server, tries=5, waits=waits).complete("p", USUAL).text == " hi"
    assert waits.seconds == [0.5, 1.0, 2.0, 4.0]


def test_tries_are_bounded_and_the_last_failure_is_told(openai_server: OpenAIServer) -> None:
    openai_server.answer(BUSY)
    with pytest.raises(EngineError, match="API Error: busy"):
        client(openai_server, tries=3).complete("p", USUAL)
    assert len(openai_server.requests) == 3


def test_what_is_no_json_is_quoted(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(body=b"<html>" + b"x" * 1000))
    with pytest.raises(EngineError, match="<html>xxx") as refused:
        client(openai_server, tries=1).complete("p", USUAL)
    assert len(refused.value.message) < 400


def test_a_refused_request_is_not_sent_again(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(400, b'{"detail": "prompt too long"}'))
    with pytest.raises(EngineError, match="prompt too long"):
        client(openai_server).complete("p", USUAL)
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
    request = ModuleRequest(module=Module.SRM, by=Module.SRM)
    (text,) = CompletionsWriter(place, decoding_of, retries=Retries(1)).write([(request, "p")])
    assert text.failed
    assert place in text.problem


def test_several_prompts_are_answered_in_their_order(openai_server: OpenAIServer) -> None:
    openai_server.answer(lambda body: json_response({"choices": [{"text": f"{body['prompt']}!"}]}))
    request = ModuleRequest(module=Module.SRM, by=Module.SRM)
    texts = client(openai_server).write([(request, str(n)) for n in range(9)])
    assert [text.text for text in texts] == [f"{n}!" for n in range(9)]
    assert {body["max_tokens"] for body in openai_server.bodies} == {128}


@pytest.mark.parametrize("address", ["", "ftp://host", "http://"])
def test_an_address_without_meaning_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address of a completions server"):
        CompletionsWriter(address, decoding_of)


def words(text: str) -> int:
    return len(text.split())


def test_what_a_reply_rests_on_may_be_repeated_and_what_stands_before_it_may_not() -> None:
    prompt = "Person 1: how long is it\nPrevious Topic: rivers\nInteresting Fact: It is long.\nPerson 2:"
    start = knowledge_start(prompt, words)
    assert start == words("Person 1: how long is it")
    srm = TABLE[Module.SRM].decoding[Weights.LARGE]
    assert request_of(srm, start)["alpha_src_penalty_end_idx"] == start
    assert request_of(srm, start)["alpha_presence_src"] == 0.5
    vrm = TABLE[Module.VRM].decoding[Weights.LARGE]
    assert request_of(vrm, start)["alpha_src_penalty_end_idx"] == -1


def test_the_knowledge_of_examples_is_not_that_of_the_reply() -> None:
    example = "Person 1: a\nInteresting Fact: b\nPerson 2: c"
    assert knowledge_start(f"{example}\n\nPerson 1: d\nPerson 2:", words) == -1
    assert knowledge_start("Person 1: d\nPerson 2:", words) == -1
