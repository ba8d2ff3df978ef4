"""A quote that a chat shows as proven is in the file at that moment, whatever the index contains."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from chat_replies import Said, model, output_of_the_plant, plants, quoted, say
from power_plants import index, write_folder

from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.chat_text import reply_text, why_text
from investigator.bb3.chats import open_chat
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.records import Module
from investigator.proof.standing import SOURCE_CHANGED

QUESTION = "How much power does the Cedar plant make?"
TRUE = "It makes 42 MW of power."


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paths of the folder and of its index."""
    at = tmp_path_factory.mktemp("plants")
    index(write_folder(at / "folder"), at / "workspace")
    return at


@pytest.fixture
def place(indexed: Path, tmp_path: Path) -> Path:
    """A copy of both that a test may change."""
    shutil.copytree(indexed, tmp_path / "plants")
    return tmp_path / "plants"


@contextmanager
def opened(place: Path, finds: Said = output_of_the_plant) -> Iterator[FolderChat]:
    made = plants(place / "folder", place / "workspace", model({Module.SKM: finds}))
    with open_chat(made, ChatOptions(search_decision=Decide.ALWAYS)) as chat:
        yield chat


def after(change: Callable[[], object]) -> Said:
    """A model that finds the sentence after the file has been changed, between the search and the proof."""
    happened: list[object] = []

    def finds(prompt: str) -> object:
        if not happened:
            happened.append(change())
        return output_of_the_plant(prompt)

    return finds  # type: ignore[return-value]


def rewrite_unnoticed(file: Path) -> None:
    """Change a file in place, and restore its time, so that a scan sees no difference."""
    before = file.stat()
    with file.open("r+b") as opened_file:
        opened_file.write(file.read_bytes().replace(b"42 MW", b"43 MW"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_file_that_was_changed_unnoticed_proves_nothing_and_asking_again_works(place: Path) -> None:
    with opened(place) as chat:
        session = chat.start("anna")
        assert quoted(say(chat, session, QUESTION)) == [TRUE]
        rewrite_unnoticed(place / "folder" / "cedar.txt")
        reply = say(chat, session, QUESTION)
        assert quoted(reply) == []
        assert "42" not in reply.text
        assert str(reply["source_problem"]).startswith(f"{SOURCE_CHANGED}: cedar.txt has changed")
        assert SOURCE_CHANGED in reply_text(reply).plain
        assert f"Not proven: {SOURCE_CHANGED}" in why_text(reply).plain
        assert quoted(say(chat, session, QUESTION)) == ["It makes 43 MW of power."]


def test_a_file_or_folder_that_is_edited_or_goes_while_the_model_thinks_proves_nothing(place: Path) -> None:
    cedar = place / "folder" / "cedar.txt"
    changes: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: cedar.write_text("The Cedar plant is closed.", encoding="utf-8"), SOURCE_CHANGED),
        (cedar.unlink, "no longer in the folder"),
        (lambda: shutil.rmtree(place / "folder"), SOURCE_CHANGED),
    )
    text = cedar.read_text(encoding="utf-8")
    for change, problem in changes:
        cedar.write_text(text, encoding="utf-8")
        with opened(place, after(change)) as chat:
            reply = say(chat, chat.start("anna"), QUESTION)
        assert (quoted(reply), "42" in reply.text) == ([], False)
        assert problem in str(reply["source_problem"])


def test_a_quote_that_an_edit_moved_is_shown_where_it_stands_now(place: Path) -> None:
    cedar = place / "folder" / "cedar.txt"
    text = cedar.read_text(encoding="utf-8")
    with opened(place, after(lambda: cedar.write_text(f"A new first line.\n{text}", encoding="utf-8"))) as chat:
        reply = say(chat, chat.start("anna"), QUESTION)
    assert "cedar.txt:line 2" in why_text(reply).plain


def test_a_flipped_bit_in_the_index_is_never_quoted(place: Path) -> None:
    for database in (place / "workspace").glob("*.db"):
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.write_bytes(database.read_bytes().replace(b"42 MW", b"43 MW"))
    with opened(place) as chat:
        reply = say(chat, chat.start("anna"), QUESTION)
    assert quoted(reply) in ([TRUE], [])
    assert "43" not in reply.text


def test_users_who_ask_at_once_are_each_shown_what_the_files_say(place: Path) -> None:
    with opened(place) as chat, ThreadPoolExecutor(4) as threads:
        replies = threads.map(lambda user: quoted(say(chat, chat.start(user), QUESTION)), ["a", "b", "c", "d"])
        assert list(replies) == [[TRUE]] * 4
