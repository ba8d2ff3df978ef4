"""`investigator search-server`: it says where it is, answers the client of the chat, and ends when told to."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from investigator.bb3.search.server_search import ServerSearch
from investigator.cli.main import app
from investigator.errors import EngineUnreachableError

COMMAND = [sys.executable, "-m", "investigator", "search-server"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "mill.md").write_text("# The mill\n\nThe mill burned down in 1911.\n", encoding="utf-8")
    (made / "lease.txt").write_text("The annual rent is EUR 48,000.\n", encoding="utf-8")
    return made


@contextmanager
def served(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The server as a process of its own."""
    command = [*COMMAND, str(folder), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_it_is_found_answers_and_ends_with_ctrl_c(folder: Path) -> None:
    with served(folder) as process:
        address = address_of(process)
        search = ServerSearch.reached(address)
        first = search.search("When did the mill burn down?", 3)
        (folder / "tower.txt").write_text("The tower was built in 1920.", encoding="utf-8")
        second = search.search("When was the tower built?", 3)
        process.send_signal(signal.SIGINT)
        rest, told = process.communicate(timeout=20)
        with pytest.raises(EngineUnreachableError):
            ServerSearch.reached(address)
    assert "burned down in 1911" in first[0].text
    assert (second[0].url, second[0].text) == ("tower.txt#line=1", "The tower was built in 1920.")
    assert (process.returncode, rest) == (0, "")
    assert "Ctrl-C ends it" in told
    assert "mill burn" not in told
    assert "anyone who can reach" not in told


def test_what_keeps_it_from_serving_is_told_at_the_start(folder: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["search-server", str(folder), "--port", port])
    assert result.exit_code == 2
    assert f"cannot listen at 127.0.0.1:{port}" in result.stderr
    assert "hint: Choose another port" in result.stderr
    of_no_machine = "192.0.2.1"
    result = CliRunner().invoke(app, ["search-server", str(folder), "--host", of_no_machine, "--port", "0"])
    assert result.exit_code == 2
    assert "anyone who can reach 192.0.2.1 can read the documents" in result.stderr
    assert "cannot listen at 192.0.2.1:0" in result.stderr
    result = CliRunner().invoke(app, ["search-server", str(folder), "--host", " "])
    assert (result.exit_code, result.stderr.splitlines()[0]) == (2, "error: the listen address is blank")
    for port in ("99999", "-1", "x"):
        result = CliRunner().invoke(app, ["search-server", str(folder), "--port", port])
        assert result.exit_code == 2
        assert "Invalid value for '--port'" in result.stderr
    (tmp_path / "empty").mkdir()
    result = CliRunner().invoke(app, ["search-server", str(tmp_path / "empty")])
    assert result.exit_code == 2
    assert "holds no documents" in result.stderr


def test_a_folder_that_goes_is_told_to_who_asks_and_at_the_terminal_and_is_served_again_when_it_is_back(
    folder: Path, tmp_path: Path
) -> None:
    command = [*COMMAND, str(folder), "--port", "0", "--workspace", str(tmp_path / "w")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = address_of(process)
            search, port = ServerSearch(address), int(address.rpartition(":")[2])
            folder.rename(tmp_path / "elsewhere")
            with pytest.raises(EngineUnreachableError, match="status 500: there is no folder"):
                search.search("When did the mill burn down?", 3)
            (tmp_path / "elsewhere").rename(folder)
            assert "1911" in search.search("When did the mill burn down?", 3)[0].text
            with socket.create_connection(("127.0.0.1", port), timeout=5) as slow:
                slow.sendall(b"POST / HTTP/1.1\r\n")
                process.send_signal(signal.SIGINT)
                _, told = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0
    assert "note: a search failed: there is no folder" in told
    assert "Traceback" not in told
