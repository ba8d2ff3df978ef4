"""Whole chats with the built-in engine, with a server, and with a local model."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from chat_replies import at_a_server, quoted, say
from openai_server import Body, OpenAIServer, Response
from power_plants import NAMES, index, prompt_in, running, write_folder

from investigator import Investigator
from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.chats import open_chat, talk_with
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.records import Module
from investigator.dialogue.messages import Message

GGUF = os.environ.get("TEST_GGUF", "")
LEASE = (
    "The lease of the mill begins on 1 March 2024 and ends on 28 February 2029. "
    "The annual rent is EUR 48,000, payable in advance. The tenant must not keep dogs."
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    index(write_folder(tmp_path / "folder"), tmp_path / "workspace")
    return tmp_path


@contextmanager
def at_server(server: OpenAIServer, place: Path, *settings: str) -> Iterator[FolderChat]:
    investigator = running(server.url, place / "folder", place / "workspace", *settings)
    with open_chat(investigator, ChatOptions(search_decision=Decide.ALWAYS)) as chat:
        yield chat


def test_the_embedded_engine_talks_remembers_quotes_and_knows_when_it_has_nothing(tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text(LEASE, encoding="utf-8")
    (tmp_path / "letter.txt").write_text("Dear Anna, the weather was fine on our walk.", encoding="utf-8")
    with open_chat(Investigator(tmp_path)) as chat:
        talk = talk_with(chat, "ida")
        hello = talk.say("Hello!")
        talk.say("I have a dog called Bubbles.")
        rent = talk.say("What is the annual rent of the mill?")
        dogs = talk.say("May the tenant keep dogs?")
        unknown = talk.say("Who painted the ceiling of the opera house in Vienna?")
        me = talk.say("What do you know about me?")
        thanks = talk.say("Thank you!")
    assert not quoted(hello)
    assert "EUR 48,000" in rent.text
    assert all(text in LEASE for text in quoted(rent) + quoted(dogs))
    assert "must not keep dogs" in dogs.text
    assert not quoted(unknown)
    assert "nothing" in unknown.text
    assert "Bubbles" in me.text
    assert not quoted(thanks)
    decisions = [message.get("search_decision") for message in (hello, rent, dogs, unknown, me, thanks)]
    assert decisions == ["do not search", "search", "search", "search", "search", "do not search"]


def test_a_batch_of_sessions_is_one_concurrent_batch_of_calls(openai_server: OpenAIServer, place: Path) -> None:
    together = threading.Barrier(len(NAMES), timeout=30)
    answer = at_a_server()

    def waits_for_all(body: Body) -> Response:
        together.wait()  # where they were put one after the other, this would break
        return answer(body)

    openai_server.answer(waits_for_all)
    with at_server(openai_server, place, "chat.concurrency=6") as chat:
        questions = [Message(text=f"How much power does the {name.title()} plant make?") for name in NAMES]
        replies = chat.reply([(chat.start(name), question) for name, question in zip(NAMES, questions, strict=True)])
    assert [reply.text for reply in replies] == [f"It makes {40 + number} MW of power." for number in range(6)]
    assert together.broken is False
    assert len(openai_server.requests) == 3 * len(NAMES)


def test_no_more_calls_go_out_at_once_than_the_server_is_said_to_take(openai_server: OpenAIServer, place: Path) -> None:
    under_way, most, lock, answer = [0], [0], threading.Lock(), at_a_server()

    def counts(body: Body) -> Response:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        threading.Event().wait(0.02)
        with lock:
            under_way[0] -= 1
        return answer(body)

    openai_server.answer(counts)
    with at_server(openai_server, place, "chat.concurrency=2") as chat:
        chat.reply([(chat.start(name), Message(text=f"Tell me of the {name} plant.")) for name in NAMES])
    assert most[0] == 2


def test_a_server_that_is_slow_costs_one_reply_and_not_the_chat(openai_server: OpenAIServer, place: Path) -> None:
    openai_server.answer(Response(200, b"{}", delay=60), at_a_server())
    with at_server(openai_server, place, "chat.timeout=4") as chat:
        talk = talk_with(chat, "ida")
        slow = talk.say("How much power does the Oak plant make?")
        quick = talk.say("How much power does the Elm plant make?")
    assert slow["failure"] == "unsafe_model_crash"
    assert "did not" in str(slow["problem"])
    assert quick.text == "It makes 43 MW of power."
    later = [prompt_in(body) for body in openai_server.bodies if "the Elm plant make?" in prompt_in(body)]
    assert len(later) == 3
    assert not any("the Oak plant make?" in prompt for prompt in later)  # what was never replied to is not gone on from


@pytest.mark.parametrize("babble", ["", '{"point": "a"', "Sure! The plant makes 900 MW."])
def test_a_model_that_only_babbles_leaves_the_rules_to_reply(
    openai_server: OpenAIServer, place: Path, babble: str
) -> None:
    openai_server.answer(at_a_server(dict.fromkeys(Module, babble)))
    with at_server(openai_server, place) as chat:
        talk = talk_with(chat, "ida")
        reply = talk.say("How much power does the Cedar plant make?")
    assert "failure" not in reply
    assert reply.text
    assert "900" not in reply.text


@pytest.mark.skipif(not GGUF, reason="TEST_GGUF names no model file")
def test_a_small_local_model_says_nothing_of_documents_that_is_not_in_them(place: Path) -> None:
    investigator = Investigator(place / "folder", model=f"gguf:{GGUF}", workspace=place / "workspace")
    texts = "\n".join(file.read_text("utf-8") for file in (place / "folder").glob("*.txt"))
    with open_chat(investigator, ChatOptions(search_decision=Decide.ALWAYS)) as chat:
        session = chat.start("ida")
        for text in ("How much power does the Cedar plant make?", "When was the Oak plant opened?"):
            reply = say(chat, session, text)
            assert reply.text
            assert all(quote in texts for quote in quoted(reply))
