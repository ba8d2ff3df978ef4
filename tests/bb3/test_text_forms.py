"""BB3's own prompts: a model's output is parsed in the forms of the large and the small models."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import pytest
from openai_server import Body, OpenAIServer, Response, json_response
from talks import Waits

from investigator.asking.prompts import Prompts
from investigator.bb3.agent import BlenderBot3Agent
from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.exchange import FAILED, ModuleRequest
from investigator.bb3.forms.prefix_form import PrefixOptions, prefix_prompt
from investigator.bb3.forms.text_forms import PrefixForm, Prompted, TokenForm, WrittenText
from investigator.bb3.forms.writers import (
    Completion,
    CompletionsWriter,
    knowledge_start,
    request_of,
)
from investigator.bb3.memory.session import MemoryOptions, SessionMemories
from investigator.bb3.memory.text import MemoryForm
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.module_table import LARGE, SMALL, TABLE, Weights
from investigator.bb3.records import CONTRACTS, Module, Speaker, Turn
from investigator.bb3.turn_draft import LiveConversation
from investigator.dialogue.messages import Message
from investigator.dialogue.registry import create_agent
from investigator.engines.http import Retries
from investigator.errors import CredentialError, DialogueError, EngineError, SettingsError
from investigator.records.decoding import Decoding

SAID = (Turn(speaker=Speaker.PARTNER, text="Is the moon far?"),)
MEMORIES = ("Person 1's Persona: I have a dog.", "Person 2's Persona: I am a program.")


class Writer:
    """A writer that returns given texts, and records its prompts."""

    def __init__(self, text: str = "", *, failed: bool = False) -> None:
        self.written = WrittenText(text=text, score=-1.5, failed=failed)
        self.prompts: list[str] = []

    def write(self, prompts: Sequence[Prompted]) -> list[WrittenText]:
        self.prompts.extend(prompt for _, prompt in prompts)
        return [self.written] * len(prompts)


def request(module: Module, by: Module | None = None, **given: object) -> ModuleRequest:
    return ModuleRequest.model_validate({"module": module, "by": by or module, "turns": SAID, **given})


@pytest.mark.parametrize(
    ("text", "needed"),
    [(" search\nPerson 1: and", True), ("do not search", False), ("Yes, I think so", False), ("", False)],
)
def test_only_the_trained_words_of_the_large_models_decide(text: str, needed: bool) -> None:
    (reply,) = PrefixForm(Writer(text)).ask([request(Module.SDM)])
    assert reply.needed is needed


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ({}, "one"),  # without the name of its speaker
        ({"generation_take_last_newline": True}, "two"),
        ({"generation_allow_newline": True}, "a: one\nb: two"),
    ],
)
def test_of_several_lines_those_are_taken_that_the_decoding_tells(lines: dict[str, bool], text: str) -> None:
    form = PrefixForm(Writer(" a: one\nb: two\n"), decoding=lambda _: Decoding(**lines))
    assert form.ask([request(Module.SRM)])[0].text == text


@pytest.mark.parametrize(("written", "text"), [("\n At 10:30, or later. \n", "At 10:30, or later."), ("\n", "")])
def test_a_text_of_one_line_keeps_everything_but_what_surrounds_it(written: str, text: str) -> None:
    assert PrefixForm(Writer(written)).ask([request(Module.SRM)])[0].text == text


@pytest.mark.parametrize(("text", "needed"), [("__do-search__", True), ("__do-not-search__", False), ("search", False)])
def test_only_the_control_tokens_of_the_small_model_decide(text: str, needed: bool) -> None:
    (reply,) = TokenForm(Writer(text)).ask([request(Module.SDM)])
    assert reply.needed is needed


@pytest.mark.parametrize("form", [PrefixForm, TokenForm])
def test_a_writer_that_loses_a_text_is_no_shorter_answer(form: type[PrefixForm | TokenForm]) -> None:
    class Losing(Writer):
        def write(self, prompts: Sequence[Prompted]) -> list[WrittenText]:
            return super().write(prompts)[1:]

    with pytest.raises(ValueError, match="shorter"):
        form(Losing("hi")).ask([request(Module.SRM), request(Module.VRM)])


@pytest.mark.parametrize("form", [PrefixForm, TokenForm])
def test_what_cannot_be_had_has_failed(form: type[PrefixForm | TokenForm]) -> None:
    (reply,) = form(Writer(failed=True)).ask([request(Module.SDM)])
    assert (reply.text, reply.failed, reply.needed) == (FAILED, True, False)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I have a dog.", MEMORIES[0]),
        (MEMORIES[1], MEMORIES[1]),
        ("I have a cat.", ""),
        ("Person 2's Persona: I have a dog.", ""),
    ],
)
def test_a_recalled_memory_is_one_that_there_is(text: str, meant: str) -> None:
    for form in (PrefixForm, TokenForm):
        (reply,) = form(Writer(text)).ask([request(Module.MKM, memories=MEMORIES)])
        assert reply.text == meant


def test_a_memory_of_ones_own_turn_is_made_as_if_the_partner_had_said_it() -> None:
    own = (*SAID, Turn(speaker=Speaker.SELF, text="I like tea."))
    assert prefix_prompt(request(Module.MGM, turns=own), PrefixOptions()) == "Person 1: I like tea.\nMemory:"


def test_the_instruction_for_a_raw_model_stands_in_a_file_and_leads_its_prompt() -> None:
    instruction, *_ = (
        (Prompts(contracts=CONTRACTS).path("bb3/sdm").parent / "prefix" / "sdm.txt")
        .read_text("utf-8")
        .strip()
        .split("\n\n")
    )
    prompt = prefix_prompt(request(Module.SDM), PrefixOptions(include_prompt=True))
    assert prompt.startswith(instruction.splitlines()[-1].strip())
    assert prompt.endswith("Person 1: Is the moon far?\nSearch Decision:")


def chatting(form: PrefixForm | TokenForm, kind: MemoryForm) -> tuple[ModularChat, LiveConversation]:
    options = ChatOptions(search_decision=Decide.NEVER, memory_decision=Decide.NEVER)
    family = SMALL if kind is MemoryForm.TOKENS else LARGE
    memories = SessionMemories(kind, MemoryOptions(), chance=lambda: 1.0)
    return ModularChat(form, family, options), LiveConversation(memories)


def test_an_episode_that_has_ended_leaves_no_empty_turns_behind() -> None:
    writer = Writer("fine")
    chat, talk = chatting(TokenForm(writer), MemoryForm.TOKENS)
    talk.hear("Hello")
    chat.reply([talk])
    talk.turns.clear()
    writer.prompts.clear()
    talk.hear("How are you?")
    chat.reply([talk])
    assert not any(line == "" for context in writer.prompts for line in context.split("\n")[:-1])
    assert all("Hello" not in context for context in writer.prompts)


def test_several_kinds_of_knowledge_stand_on_lines_of_their_own() -> None:
    writer = Writer("far")
    TokenForm(writer).ask([request(Module.SRM, entity="moon", memory=MEMORIES[0], knowledge="It is far.")])
    assert writer.prompts[0].split("\n")[1:] == [
        "__entity__ moon __endentity__",
        f"__memory__ {MEMORIES[0]} __endmemory__",
        "__knowledge__ It is far. __endknowledge__",
    ]


class TextsByModule:
    """Returns given texts, and records the prompts."""

    def __init__(self) -> None:
        self.texts = {Module.SDM: "do not search", Module.MGM: "I like tea.", Module.SRM: "Tea is fine."}
        self.prompts: list[str] = []

    def write(self, prompts: Sequence[Prompted]) -> list[WrittenText]:
        self.prompts.extend(text for _, text in prompts)
        return [WrittenText(text=self.texts.get(request.by, "")) for request, _ in prompts]


def replied(agent: BlenderBot3Agent, text: str, **fields: object) -> Message:
    agent.observe(Message({"text": text, "episode_done": False, **fields}))
    return agent.act()


def completed(body: Body) -> Response:
    ending = str(body["prompt"]).rpartition("\n")[2]
    text = {"Search Decision:": "do not search", "Memory:": "no persona"}.get(ending, "Hello there.")
    return json_response({"choices": [{"text": text}]})


def test_an_agent_is_made_by_name_and_asks_the_server_of_its_options(openai_server: OpenAIServer) -> None:
    openai_server.answer(completed)
    agent = create_agent({"model": "bb3", "completions": openai_server.url, "srm_beam_max_length": 9})
    assert agent.respond("Hello") == "Hello there."
    by_prompt = {str(body["prompt"]).rpartition("\n")[2]: body for body in openai_server.bodies}
    assert by_prompt["Person 2:"]["max_tokens"] == 9


def test_what_is_said_is_remembered_until_the_episode_ends() -> None:
    agent = BlenderBot3Agent(writer=TextsByModule())
    replied(agent, "I drink tea.")
    assert agent.memories.in_session == {"Person 1's Persona: I like tea.", "Person 2's Persona: I like tea."}
    assert replied(agent, "Well?", episode_done=True)["memories"]
    assert agent.memories.texts() == {}


@pytest.mark.parametrize(("form", "name"), [("prefixes", "Person 1's Persona"), ("tokens", "partner's persona")])
def test_memories_in_a_message_open_a_conversation(form: str, name: str) -> None:
    writer = TextsByModule()
    replied(BlenderBot3Agent({"form": form}, writer=writer), "Opening", memories=["I have a dog."])
    assert f"{name}: I have a dog." in writer.prompts[0]


def test_copies_share_the_model_and_not_the_conversation() -> None:
    writer = TextsByModule()
    agent = BlenderBot3Agent(writer=writer)
    replied(agent, "I drink tea.")
    replied(agent.clone(), "Hello")
    assert "I drink tea." not in writer.prompts[-2]


def test_an_agent_without_a_model_or_with_an_unknown_form_is_refused() -> None:
    with pytest.raises(DialogueError, match="needs a model"):
        BlenderBot3Agent({})
    with pytest.raises(DialogueError, match="form cannot be 'words'"):
        BlenderBot3Agent({"form": "words"}, writer=TextsByModule())
    with pytest.raises(SettingsError, match="n_docs"):
        BlenderBot3Agent({"n_docs": 0}, writer=TextsByModule())


GOOD = json_response({"choices": [{"text": " hi", "logprobs": {"token_logprobs": [None, -1.5, -0.5]}}]})
BUSY = json_response({"error": "busy"}, 503)
USUAL = request_of(Decoding())


def decoding_of(module: Module) -> Decoding:
    return TABLE[module].decoding[Weights.LARGE]


def completions(server: OpenAIServer, *, tries: int = 3, waits: Waits | None = None) -> CompletionsWriter:
    retries = Retries(tries, sleep=waits or Waits())
    return CompletionsWriter(server.url, decoding_of, api_key="KEY", timeout=5.0, retries=retries)


def test_a_completion_has_its_text_and_the_probabilities_of_its_tokens(openai_server: OpenAIServer) -> None:
    openai_server.answer(GOOD)
    assert completions(openai_server).complete("p", USUAL) == Completion(text=" hi", token_logprobs=(-1.5, -0.5))
    (request,) = openai_server.requests
    assert request.path == "/v1/completions"
    assert request.headers["authorization"] == "Bearer KEY"
    assert request.body["prompt"] == "p"


@pytest.mark.parametrize(("logprobs", "text"), [(None, "hi"), (0.5, ""), ({}, "")])
def test_probabilities_of_tokens_may_be_null_and_are_otherwise_a_list(
    openai_server: OpenAIServer, logprobs: object, text: str
) -> None:
    openai_server.answer(json_response({"choices": [{"text": "hi", "logprobs": {"token_logprobs": logprobs}}]}))
    (written,) = completions(openai_server, tries=1).write([(request(Module.SRM), "p")])
    assert (written.text, written.failed, bool(written.problem)) == (text, not text, not text)


def test_what_fails_for_now_is_tried_again_after_twice_as_long(openai_server: OpenAIServer) -> None:
    waits = Waits()
    openai_server.answer(BUSY, Response(body=b"<oops"), json_response({}, 429), Response(500), GOOD)
    assert completions(openai_server, tries=5, waits=waits).complete("p", USUAL).text == " hi"
    assert waits.seconds == [0.5, 1.0, 2.0, 4.0]


def test_tries_are_bounded_and_the_last_failure_is_told(openai_server: OpenAIServer) -> None:
    openai_server.answer(BUSY)
    with pytest.raises(EngineError, match="API Error: busy"):
        completions(openai_server, tries=3).complete("p", USUAL)
    assert len(openai_server.requests) == 3


def test_what_is_no_json_is_quoted(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(body=b"<html>" + b"x" * 1000))
    with pytest.raises(EngineError, match="<html>xxx") as refused:
        completions(openai_server, tries=1).complete("p", USUAL)
    assert len(refused.value.message) < 400


def test_a_refused_request_is_not_sent_again(openai_server: OpenAIServer) -> None:
    openai_server.answer(Response(400, b'{"detail": "prompt too long"}'))
    with pytest.raises(EngineError, match="prompt too long"):
        completions(openai_server).complete("p", USUAL)
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_your_mistake(openai_server: OpenAIServer, status: int) -> None:
    openai_server.answer(Response(status, b"{}"))
    with pytest.raises(CredentialError):
        completions(openai_server).complete("p", USUAL)


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
    texts = completions(openai_server).write([(request, str(n)) for n in range(9)])
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
