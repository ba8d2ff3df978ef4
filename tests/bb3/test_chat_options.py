"""Invalid options of a chat are reported before anything is read or loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import command

from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.commands.typed import search_switched, server_address
from investigator.errors import SettingsError

NO_ADDRESSES = ["banana", "ftp://x", "http://", "http://host:99999", "127.0.0.1:8080", "http://a b", "", " ", "http:/x"]


@pytest.mark.parametrize("word", NO_ADDRESSES)
def test_what_is_no_address_of_a_search_server_is_told_with_what_one_looks_like(word: str) -> None:
    with pytest.raises(SettingsError, match="is not the address of a search server") as caught:
        server_address(word)
    assert "http://127.0.0.1:8080" in caught.value.hint


def test_an_address_is_taken_as_it_is_typed_and_none_is_none() -> None:
    assert server_address(None) is None
    assert server_address(" HTTP://127.0.0.1:8080 ") == "http://127.0.0.1:8080/"
    assert server_address("https://search.example/bb3?key=1") == "https://search.example/bb3?key=1"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--search-server", "banana"], "'banana' is not the address of a search server"),
        (["--user", ""], "the user name is blank"),
        (["--banana", "1"], "unknown option --banana"),
    ],
)
def test_wrong_options_are_told_before_the_folder_is_looked_at(tmp_path: Path, options: list[str], error: str) -> None:
    result = command("chat", tmp_path / "nowhere", *options, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {error}")
    assert len(result.stderr.splitlines()) == 2


def test_search_alone_tells_how_it_is_and_the_choices() -> None:
    options = ChatOptions(search_decision=Decide.NEVER)
    same, told = search_switched(options, "")
    assert same == options
    assert told == "Search: never. Change it with /search and one of: always, never, compute"
