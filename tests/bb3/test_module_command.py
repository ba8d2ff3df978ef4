"""`investigator dialogue module` runs a single module."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_replies import at_a_server, module_of, readings
from commands import command
from openai_server import OpenAIServer, Response, json_response, refusal
from power_plants import prompt_in
from tiny_model import write_tiny_model
from typer.testing import Result

from investigator.bb3.decoding.options import module_options
from investigator.bb3.module_table import Weights
from investigator.bb3.records import Module
from investigator.engines.transformers.engine import TransformersEngine

TALK = "Person 1: I like the moon.\nPerson 2: So do I.\nPerson 1: Is it far?\n"


def module(name: str, *options: str | Path, stdin: str | bytes = TALK) -> Result:
    return command("dialogue", "module", name, *options, stdin=stdin)


def at(server: OpenAIServer) -> list[str]:
    return ["--model", "openai:small", "--set", f"chat.base_url={server.url}", "--set", "chat.attempts=1"]


def completed(text: str) -> Response:
    return json_response({"choices": [{"text": text, "logprobs": {"token_logprobs": [-0.5]}}]})


@pytest.mark.parametrize("name", Module)
@pytest.mark.parametrize("form", ["chat", "tokens", "prefixes"])
def test_every_module_shows_its_prompt_in_every_form(name: str, form: str) -> None:
    result = module(name, "--form", form, "--show-prompt")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Is it far?" in result.stdout


def test_the_exact_prompt_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8-sig")
    shown = module("SGM", "--context", file, "--form", "prefixes", "--show-prompt", stdin="")
    assert shown.stdout == f"{TALK}Query:\n"
    shown = module("sgm", "--context", "-", "--form", "tokens", "--show-prompt")
    assert shown.stdout == "I like the moon.\nSo do I.\nIs it far? __generate-query__\n"


def test_options_of_the_prompt_are_followed() -> None:
    shown = module("sgm", "--form", "prefixes", "--show-prompt", "--sgm-partner-prefix", "Human")
    assert shown.stdout == "Human: I like the moon.\nPerson 2: So do I.\nHuman: Is it far?\nQuery:\n"


def test_what_the_small_model_reads_apart_is_told() -> None:
    shown = module("mkm", "--form", "tokens", "--show-prompt", stdin="partner's persona: I sing.\nHello\n")
    assert shown.stdout == "Hello __access-memory__\n"
    assert "partner's persona: I sing. // Hello __access-memory__" in shown.stderr


def test_the_extractive_engine_answers_where_no_model_is_named() -> None:
    result = module("sgm", stdin="Where is the moon?\n")
    assert (result.exit_code, result.stdout) == (0, "Where is the moon?\n")


def test_a_model_answers(openai_server: OpenAIServer) -> None:
    openai_server.answer(at_a_server())
    result = module("sdm", *at(openai_server))
    assert (result.exit_code, result.stdout) == (0, "search\n")
    assert [module_of(prompt_in(body)) for body in openai_server.bodies] == [Module.SDM]
    assert module("sdm", "--model", f"chat={at(openai_server)[1]}", *at(openai_server)[2:]).stdout == "search\n"


def test_what_is_given_is_answered_with_and_quoted(openai_server: OpenAIServer) -> None:
    openai_server.answer(at_a_server())
    result = module("srm", *at(openai_server), stdin=f"{TALK}Interesting Fact: It is 384,400 km away.\nPerson 2:\n")
    assert result.stdout == "It is 384,400 km away.\n"
    assert result.stderr == "quote: It is 384,400 km away. (context:line 4)\n"


def test_knowledge_is_proven_in_the_documents_of_the_context(openai_server: OpenAIServer) -> None:
    openai_server.answer(at_a_server({Module.SKM: readings("It is 384,400 km away.", "Far!")}))
    result = module("skm", *at(openai_server), stdin=f"External Knowledge: Moon | It is 384,400 km away.\n{TALK}")
    assert result.stdout == "It is 384,400 km away.\n"


def test_a_decision_that_cannot_be_read_is_told_as_none(openai_server: OpenAIServer) -> None:
    openai_server.answer(at_a_server({Module.SDM: "Yes, I think so"}))
    result = module("sdm", *at(openai_server))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no usable reply; it said 'Yes, I think so'" in result.stderr


def test_an_engine_of_the_module_goes_before_the_model(openai_server: OpenAIServer) -> None:
    openai_server.answer(at_a_server())
    result = module("sgm", *at(openai_server), "--sgm-model", "extractive", stdin="Where is the moon?\n")
    assert (result.stdout, openai_server.requests) == ("Where is the moon?\n", [])


def test_what_cannot_be_followed_is_said(openai_server: OpenAIServer) -> None:
    openai_server.answer(at_a_server())
    result = module(
        "sdm", *at(openai_server), "--sdm-inference", "beam", "--srm-topp", "0.5", "--include-prompt", "true"
    )
    told = result.stderr.splitlines()
    assert len(told) == 2
    assert "include_prompt" in told[0]
    assert "sdm_inference beam" in told[1]
    assert "srm" not in result.stderr


def test_a_completions_server_writes_for_the_other_forms(openai_server: OpenAIServer) -> None:
    openai_server.answer(completed(" search\nPerson 1: more"))
    words = ["--form", "prefixes", "--completions", openai_server.url, "--sdm-beam-max-length", "7"]
    result = module("sdm", *words, "--set", "chat.api_key=secret")
    assert (result.exit_code, result.stdout) == (0, "search\n")
    (request,) = openai_server.requests
    assert request.body["prompt"] == "Person 1: Is it far?\nSearch Decision:"
    assert request.body["max_tokens"] == 7
    assert request.headers["authorization"] == "Bearer secret"
    openai_server.answer(completed("__do-not-search__"))
    words[1] = "tokens"
    assert module("sdm", *words).stdout == "__do-not-search__\n"


@pytest.mark.parametrize(
    ("form", "options", "left"),
    [
        ("prefixes", ["--topp", "0.8", "--generation-take-last-newline", "true"], ""),
        ("prefixes", ["--srm-beam-block-ngram", "3", "--beam-block-full-context", "true"], "beam_block_ngram 3"),
        ("prefixes", ["--inference", "beam"], "inference beam"),
        ("tokens", ["--generation-allow-newline", "true"], "generation_allow_newline True"),
    ],
)
def test_what_a_completions_server_cannot_be_told_is_said(
    openai_server: OpenAIServer, form: str, options: list[str], left: str
) -> None:
    openai_server.answer(json_response({"choices": [{"text": "It is."}]}))
    result = module("srm", "--form", form, "--completions", openai_server.url, *options)
    assert result.exit_code == 0
    assert ("the completions server does not support these options" in result.stderr) is bool(left)
    assert left in result.stderr


def test_a_completions_server_that_refuses_is_told(openai_server: OpenAIServer) -> None:
    openai_server.answer(refusal(400, "the prompt is too long"))
    result = module("sdm", "--form", "prefixes", "--completions", openai_server.url)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the prompt is too long" in result.stderr
    openai_server.answer(refusal(401, "who are you"))
    assert module("sdm", "--form", "prefixes", "--completions", openai_server.url).exit_code == 2


def test_without_a_server_the_prompt_is_shown_with_a_note() -> None:
    result = module("sdm", "--form", "prefixes")
    assert (result.exit_code, result.stdout) == (0, "Person 1: Is it far?\nSearch Decision:\n")
    choice = "choose one with --model transformers:FOLDER or --completions URL"
    assert result.stderr == f"note: no model was given: {choice}\n"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "contains nothing"),
        (b"\xff\xfe\x00\x01", "cannot be read"),
        (b"%PDF-1.7\x00\x00", "contains no text"),
        (b"x" * 20_001, "a turn in the context has 20,001 characters; the limit is 20,000"),
        (b"External Knowledge: Moon | It is far.\nPerson 1's Persona: I sing.\n", "the context has none"),
    ],
)
def test_a_context_that_is_none_is_wrong_use(tmp_path: Path, content: bytes, error: str) -> None:
    file = tmp_path / "talk.txt"
    file.write_bytes(content)
    for result in (module("sdm", "--context", file, "--show-prompt"), module("sdm", "--show-prompt", stdin=content)):
        assert (result.exit_code, result.stdout) == (2, "")
        assert error in result.stderr


def test_a_long_document_is_no_turn() -> None:
    text = "External Knowledge: Moon | " + "It is far. " * 5_000
    assert module("sdm", "--show-prompt", stdin=f"{text}\nIs it?\n").exit_code == 0


def test_a_module_that_opens_a_conversation_needs_no_turn() -> None:
    result = module("orm", stdin="Person 1's Persona: I sing.\n")
    assert result.exit_code == 0
    assert "I sing." in result.stdout


def test_names_that_look_misspelled_are_told_with_their_line() -> None:
    talk = "Previus Topic: Moon\nPerson 1: Note: all is well\nperson 2: Yes\nPersn 1: No?\nPartner: Eh?"
    result = module("sdm", "--show-prompt", stdin=talk)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "note: line 1 of the input is read as a turn; did you mean Previous Topic: instead of Previus Topic:?",
        "note: line 4 of the input is read as a turn; did you mean Person 1: instead of Persn 1:?",
    ]


def test_a_module_may_be_named_in_any_case_and_says_when_it_has_nothing_to_say() -> None:
    result = module("SkM", stdin="Where is the moon?\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "\n", "note: the module returned an empty reply\n")


def test_a_context_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere.txt"):
        assert module("sdm", "--context", path).exit_code == 2


def test_a_module_that_there_is_not_is_wrong_use() -> None:
    result = module("xdm")
    assert result.exit_code == 2
    assert "The modules are sdm, mdm" in result.stderr
    assert "expected the module, found --sdm-topp" in module("--sdm-topp", "0.8", "sdm").stderr


@pytest.fixture(scope="module")
def local_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"), 1024)


@pytest.mark.parametrize(
    ("form", "weights", "sent"),
    [
        ("prefixes", Weights.LARGE, "External Knowledge: a | b c\nPerson 1: d e\nInteresting Fact:"),
        ("tokens", Weights.SMALL, "a / b c // d e __generate-knowledge__"),
    ],
)
def test_a_local_model_is_sent_the_text_of_the_form_and_the_documents(
    local_model: Path, form: str, weights: Weights, sent: str
) -> None:
    options = ["--form", form, "--model", f"transformers:{local_model}", "--skm-beam-max-length", "12"]
    result = module("skm", *options, stdin="External Knowledge: a | b c\nd e\n")
    decoding = module_options({"skm_beam_max_length": 12}, weights)[Module.SKM].decoding
    written = TransformersEngine(local_model).write_on(sent, decoding).text
    assert (result.exit_code, result.stdout) == (0, f"{written}\n")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--model", "openai:small"], "openai:small cannot continue a prompt without a chat template"),
        (["--sdm-model", "gguf:x.gguf"], "gguf:x.gguf cannot continue a prompt without a chat template"),
        (["--model", "transformers:x", "--completions", "http://127.0.0.1:9"], "two models were given"),
    ],
)
def test_a_model_that_the_forms_of_bb3_cannot_use_is_refused(options: list[str], told: str) -> None:
    result = module("sdm", "--form", "tokens", *options)
    assert result.exit_code == 2
    assert told in result.stderr
