"""A chat without a model quotes what `ask` finds, and replies from what the user said."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from investigator import Investigator
from investigator.bb3.chats import open_chat
from investigator.bb3.folder_chat import FolderChat
from investigator.dialogue.messages import Message


@pytest.fixture(scope="module")
def investigator(tmp_path_factory: pytest.TempPathFactory) -> Investigator:
    folder = tmp_path_factory.mktemp("harbour") / "docs"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Harbour\n\nThe harbour has a depth of 12 metres. It was dredged in 2019.\n")
    return Investigator(folder)


@pytest.fixture
def chat(investigator: Investigator) -> Iterator[FolderChat]:
    with ExitStack() as opened:
        yield opened.enter_context(open_chat(investigator))


def last_reply(chat: FolderChat, user: str, *texts: str) -> Message:
    session = chat.start(user)
    return [chat.reply([(session, Message(text=text))])[0] for text in texts][-1]


def test_a_chat_quotes_what_is_asked_in_other_words_than_the_document_as_ask_does(
    investigator: Investigator, chat: FolderChat
) -> None:
    question, sentence = "How deep is the harbour?", "The harbour has a depth of 12 metres."
    assert any(sentence in quote.text for quote in investigator.ask(question).citations)
    assert sentence in last_reply(chat, "anna", question).text


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I work as a nurse in Bergen", "Where do I work?"),
        ("I work as a nurse in Bergen", "Do you know where I work?"),
        ("I live alone in Bergen with my dog", "Where do I live?"),
        ("I come from Bergen", "What city am I from?"),
        ("Ich arbeite als Arzt in Bergen", "Wo arbeite ich?"),
    ],
)
def test_where_one_works_lives_or_comes_from_is_answered_from_what_was_told(
    chat: FolderChat, told: str, question: str
) -> None:
    assert last_reply(chat, f"{told} {question}", told, question).text.endswith(f": “{told}”")


def test_what_was_not_told_is_not_denied(chat: FolderChat) -> None:
    assert last_reply(chat, "berta", "I like tea.", "Where do I live?").text == "I have nothing to quote on that."


def test_a_question_about_the_place_where_one_lives_is_one_for_the_documents(chat: FolderChat) -> None:
    assert last_reply(chat, "carl", "Which harbours are near where I live?")["search_decision"] == "search"
