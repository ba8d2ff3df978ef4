"""The agent of BlenderBot 3's own models: by name, with its own memories, and one conversation for each copy."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from openai_server import Body, OpenAIServer, Response, json_response

from investigator.bb3.agent import BlenderBot3Agent
from investigator.bb3.forms.text_forms import Prompted, WrittenText
from investigator.bb3.records import Module
from investigator.dialogue.messages import Message
from investigator.dialogue.registry import create_agent
from investigator.errors import DialogueError, SettingsError


class Writer:
    """Returns given texts, and records the prompts."""

    def __init__(self) -> None:
        self.texts = {Module.SDM: "do not search", Module.MGM: "I like tea.", Module.SRM: "Tea is fine."}
        self.prompts: list[str] = []

    def write(self, prompts: Sequence[Prompted]) -> list[WrittenText]:
        self.prompts.extend(text for _, text in prompts)
        return [WrittenText(text=self.texts.get(request.by, "")) for request, _ in prompts]


def reply(agent: BlenderBot3Agent, text: str, **fields: object) -> Message:
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
    agent = BlenderBot3Agent(writer=Writer())
    reply(agent, "I drink tea.")
    assert agent.memories.in_session == {"Person 1's Persona: I like tea.", "Person 2's Persona: I like tea."}
    assert reply(agent, "Well?", episode_done=True)["memories"]
    assert agent.memories.texts() == {}


@pytest.mark.parametrize(("form", "name"), [("prefixes", "Person 1's Persona"), ("tokens", "partner's persona")])
def test_memories_in_a_message_open_a_conversation(form: str, name: str) -> None:
    writer = Writer()
    reply(BlenderBot3Agent({"form": form}, writer=writer), "Opening", memories=["I have a dog."])
    assert f"{name}: I have a dog." in writer.prompts[0]


def test_copies_share_the_model_and_not_the_conversation() -> None:
    writer = Writer()
    agent = BlenderBot3Agent(writer=writer)
    reply(agent, "I drink tea.")
    reply(agent.clone(), "Hello")
    assert "I drink tea." not in writer.prompts[-2]


def test_an_agent_without_a_model_or_with_an_unknown_form_is_refused() -> None:
    with pytest.raises(DialogueError, match="needs a model"):
        BlenderBot3Agent({})
    with pytest.raises(DialogueError, match="form cannot be 'words'"):
        BlenderBot3Agent({"form": "words"}, writer=Writer())
    with pytest.raises(SettingsError, match="n_docs"):
        BlenderBot3Agent({"n_docs": 0}, writer=Writer())
