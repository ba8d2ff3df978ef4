"""The chat on the page is the same as on the command line: its quotes are proven, and each turn can be watched and
stopped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import httpx
import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.serve import open_talks
from investigator.secrets import register
from investigator.server.chats import Begin, Chats, Say, Watch
from investigator.server.folders import ServedFolder, served_folders
from investigator.server.problems import ServerError
from investigator.server.records import Chat, ChatTurn, SpokenReply, TurnState

QUESTION = "How much power does the Cedar plant make?"


def test_a_reply_comes_with_proven_quotes_that_open_in_their_document(browser: httpx.Client) -> None:
    started = browser.post("/f/plants/chats", data={"said": QUESTION}, follow_redirects=False)
    place = started.headers["location"].partition("#")[0]
    with browser.stream("GET", f"{place}/progress") as stream:
        assert "event: ended" in list(stream.iter_lines())
    page = browser.get(place).text
    assert "42 MW" in page
    assert page.count("No language model has read these passages.") == 1
    (link,) = [unescape(address) for address in re.findall(r'class="opens" href="([^"]+)"', page)]
    marked = "".join(re.findall(r"<mark>(.*?)</mark>", browser.get(link).text, re.DOTALL))
    assert f"“{marked}”" in re.findall(r'<p class="spoken"[^>]*>(.*?)</p>', page)[0]
    assert "<blockquote" not in page, "the reply has the words of its quote"
    assert "Basis of this reply" in page
    again = browser.post(place, data={"said": "When was it opened?"})
    assert again.status_code == 200
    assert 'href="/f/plants/chats/' in browser.get("/f/plants/chats").text


def test_a_program_talks_and_follows_the_reply(program: httpx.Client) -> None:
    begun = program.post("/v1/chats", json={"folder": "plants"})
    assert begun.status_code == 201
    place = begun.headers["location"]
    assert program.post(f"{place}/turns", json={"text": QUESTION}).status_code == 202
    with program.stream("GET", f"{place}/events") as stream:
        data = [line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data")]
    turn = json.loads(data[-1])
    assert turn["state"] == "done"
    assert "42 MW" in turn["reply"]["text"]
    (quote,) = turn["reply"]["quotes"]
    assert quote["document_id"] == "cedar.txt"
    assert Chat.model_validate(program.get(place).json()).turns[0].state is TurnState.DONE
    assert place.rpartition("/")[2] in [c["id"] for c in program.get("/v1/chats?folder=plants").json()["items"]]


@pytest.mark.parametrize("message", ["", "  \n", "x" * 20_001])
def test_what_is_no_turn_is_refused(browser: httpx.Client, program: httpx.Client, message: str) -> None:
    assert browser.post("/f/plants/chats", data={"said": message}).status_code == 422
    place = program.post("/v1/chats", json={"folder": "plants"}).headers["location"]
    refused = program.post(f"{place}/turns", json={"text": message})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert program.get("/v1/chats/nowhere").status_code == 404


@pytest.fixture
def folder(plants: Path, tmp_path: Path) -> Iterator[ServedFolder]:
    (served,) = served_folders([Investigator(plants, embedder=ScriptedEmbedder())], tmp_path / "data").values()
    yield served
    served.close()


def chats_of(folder: ServedFolder, say: Say, histories: list[Sequence[ChatTurn]] | None = None) -> Chats:
    """The chats of a server whose replies are those of a function; `histories` gets what each chat is begun after."""

    @contextmanager
    def opened(_: Investigator) -> Iterator[Begin]:
        def begin(_: str, before: Sequence[ChatTurn]) -> Say:
            (histories if histories is not None else []).append(before)
            return say

        yield begin

    return Chats({folder.name: folder}, opened)


def test_a_reply_is_stopped_at_its_next_step_or_fails_and_the_chat_goes_on(folder: ServedFolder) -> None:
    reached, go_on = Event(), Event()

    def say(text: str, watch: Watch) -> SpokenReply:
        if text == "quick":
            return SpokenReply(text="Yes.")
        if text == "boom":
            raise RuntimeError(text)
        watch.writing("The words so")
        reached.set()
        go_on.wait(10)
        watch.doing("replying")
        raise AssertionError("it was not stopped")

    chats = chats_of(folder, say)
    chat = chats.begin(folder)
    chats.say(chat.id, "slow")
    assert reached.wait(10)
    with pytest.raises(ServerError, match="in progress"):
        chats.say(chat.id, "more")
    chats.stop(chat.id)
    go_on.set()
    wait_for(chats, chat.id)
    assert [(turn.state, turn.reply) for turn in chats.chat(chat.id).turns] == [(TurnState.STOPPED, None)]
    chats.say(chat.id, "quick")
    wait_for(chats, chat.id)
    assert chats.chat(chat.id).turns[-1].reply == SpokenReply(text="Yes.")
    chats.say(chat.id, "boom")
    wait_for(chats, chat.id)
    failed = chats.chat(chat.id).turns[-1]
    assert failed.state is TurnState.FAILED
    assert "boom" in str(failed.problem)
    chats.close()


def test_a_chat_goes_on_in_the_next_server_and_is_kept_until_it_is_deleted(folder: ServedFolder) -> None:
    register("sk-secret-of-the-reader")
    slow, ended = Event(), Event()

    def say(text: str, watch: Watch) -> SpokenReply:
        if text == "slow":
            slow.set()
            ended.wait(10)
        return SpokenReply(text=f"You said {text}.")

    first = chats_of(folder, say)
    chat = first.begin(folder, "my key is sk-secret-of-the-reader")
    wait_for(first, chat.id)
    first.say(chat.id, "slow")
    assert slow.wait(10)
    before: list[Sequence[ChatTurn]] = []
    second = chats_of(folder, say, before)  # the first was killed: it has ended nothing
    first_turn, left = second.chat(chat.id).turns
    assert (first_turn.said, first_turn.reply) == ("my key is ***", SpokenReply(text="You said my key is ***."))
    assert (left.state, left.problem and left.problem.hint) == (TurnState.STOPPED, "Send the message again.")
    assert [event.kind for event in second.changes(chat.id, 1)] == ["ended"]
    second.say(chat.id, "quick")
    wait_for(second, chat.id)
    assert [[turn.said for turn in turns] for turns in before] == [["my key is ***", "slow"]]
    (summary,) = folder.chats.summaries()
    assert (summary.said, summary.turns) == ("my key is ***", 3)
    second.forget(chat.id)
    with pytest.raises(ServerError, match="unknown chat"):
        second.chat(chat.id)
    assert folder.chats.summaries() == ()
    for number in range(201):  # one more than are kept
        folder.chats.add(f"chat{number}", "2026-01-01")
    assert (folder.chats.turns("chat0"), folder.chats.turns("chat1")) == (None, ())
    ended.set()
    first.close()
    second.close()


def test_a_chat_that_goes_on_knows_what_was_said_before(plants: Path) -> None:
    investigator = Investigator(plants, embedder=ScriptedEmbedder())
    reply = SpokenReply(text="The Cedar plant makes 42 MW of power.")
    before = ChatTurn(number=1, said=QUESTION, state=TurnState.DONE, reply=reply)
    with open_talks(investigator) as begin:
        after, anew = (begin("one", turns)("When was it opened?", Mock(spec=Watch)) for turns in ((before,), ()))
    assert {quote.document_id for quote in after.quotes} == {"cedar.txt"}
    assert {quote.document_id for quote in anew.quotes} != {"cedar.txt"}


def wait_for(chats: Chats, chat_id: str) -> None:
    thread = chats._held[chat_id].thread
    assert thread is not None
    thread.join(10)
    assert not chats.chat(chat_id).is_busy
