"""Files are added only to folders that the server made, completely or not at all, and nothing gets lost."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from power_plants import write_folder
from server_clients import browser_of, end_page, read_folder

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.bb3.commands.serve import open_talks
from investigator.bb3.search.client import reached_server
from investigator.bb3.search.server import folder_searches
from investigator.errors import SettingsError
from investigator.server.file_list import MOST_ROWS
from investigator.server.service import Service

MOST = 4_000_000


def open_made(folder: Path) -> Investigator:
    settings = load_settings(None, [f"reader.max_bytes={MOST}"])
    workspace = folder.parents[1] / "workspaces" / folder.name
    return Investigator(folder, settings=settings, workspace=workspace, embedder=ScriptedEmbedder())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def browser(data: Path) -> Iterator[httpx.Client]:
    """A browser at a server without folders of the user's own."""
    server = Service([], open_talks=open_talks, open_made=open_made, directory=data)
    with server as service, browser_of(service) as client:
        yield client


@pytest.fixture
def made(data: Path) -> Path:
    return data / "uploads" / "documents"


def add(client: httpx.Client, path: str, content: bytes = b"The lake is deep.", **more: str) -> httpx.Response:
    return client.put("/f/documents/files", params={"path": path, **more}, content=content)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def drafts_of(folder: Path) -> list[Path]:
    return list((folder.parent / ".incoming").iterdir())


def test_a_server_without_folders_makes_one_whose_files_are_private_and_answer(
    browser: httpx.Client, made: Path
) -> None:
    assert "Drop files or folders here" in browser.get("/").text
    for path in ("lake.txt", "reports/2024/a b.txt"):
        reply = add(browser, path)
        assert (reply.status_code, reply.json()["path"]) == (201, path)
    modes = [stat.S_IMODE((made / path).stat().st_mode) for path in (".", "lake.txt", "reports", "reports/2024")]
    assert modes == [0o700, 0o600, 0o700, 0o700]
    assert drafts_of(made) == []
    assert "lake.txt" in read_folder(browser, "documents").text
    started = browser.post("/f/documents/ask", data={"question": "How is the lake?"}, follow_redirects=False)
    assert "The lake is deep." in end_page(browser, started).text


def test_a_new_folder_gets_the_name_that_was_entered_and_is_served_again_later(
    browser: httpx.Client, data: Path
) -> None:
    page = browser.post("/folders", data={"name": "Contracts 2025"})
    assert page.url.path == "/f/contracts-2025/documents"
    again = browser.post("/folders", data={"name": "Contracts 2025"})
    assert (again.status_code, "exists" in again.text) == (409, True)
    for name in ("../x", "a/b", ".hidden", "aux", "C:x"):
        refused = browser.post("/folders", data={"name": name})
        assert (refused.status_code, 'role="alert"' in refused.text) == (422, True), name
    assert sorted(path.name for path in (data / "uploads").iterdir()) == ["Contracts 2025", "documents"]


def test_a_folder_that_was_made_is_searched_by_chats_like_the_others(data: Path) -> None:
    server = Service([], open_talks=open_talks, open_made=open_made, directory=data, searches_of=folder_searches)
    with server as service, browser_of(service) as client:
        client.post("/folders", data={"name": "notes"})
        (data / "uploads" / "notes" / "lake.txt").write_text("The lake is 40 metres deep.")
        read_folder(client, "notes")
        address = service.searches()[-1]
        (hit, *_) = reached_server(address).search("How deep is the lake?", 3)
        assert "40 metres" in hit.text
        assert httpx.post(f"{address}x", data={"q": "lake"}).status_code == 404


def test_a_folder_that_cannot_be_served_is_not_left_behind(data: Path) -> None:
    def failing(folder: Path) -> Investigator:
        if folder.name == "notes":
            raise SettingsError("the disk is read-only", hint="Choose another disk.")
        return open_made(folder)

    server = Service([], open_talks=open_talks, open_made=failing, directory=data)
    with server as service, browser_of(service) as client:
        page = client.post("/folders", data={"name": "notes"})
        assert (page.status_code, "The disk is read-only." in page.text, 'value="notes"' in page.text) == (
            422,
            True,
            True,
        )
        assert [path.name for path in (data / "uploads").iterdir()] == ["documents"]


def test_the_folders_that_were_made_are_served_by_the_next_server(data: Path) -> None:
    for _ in range(2):
        with Service([], open_talks=open_talks, open_made=open_made, directory=data) as service:
            assert list(service.desk.folders) == ["documents"]


@pytest.mark.parametrize(
    "path",
    [
        *("", "..", "../x.txt", "a/../../x.txt", "/etc/x.txt", "a//b.txt", "C:\\x.txt", "C:x.txt", "a\\b.txt"),
        *("a\x00b.txt", "a\nb.txt", "nul", "CON.txt", "sub/lpt1.pdf", ".bashrc", ".git/config", "x" * 300 + ".txt"),
        *("a/" * 40 + "x.txt", "ä" * 120 + ".txt"),
    ],
)
def test_a_path_that_could_lead_elsewhere_or_that_some_system_lacks_is_refused(
    browser: httpx.Client, made: Path, path: str
) -> None:
    reply = add(browser, path)
    assert (reply.status_code, bool(reply.json()["hint"])) == (422, True), reply.text
    assert files_in(made.parent) == {}


def test_links_in_the_folder_lead_nowhere(browser: httpx.Client, made: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("mine")
    (made / "sub").symlink_to(outside)
    (made / "b.txt").symlink_to(outside / "a.txt")
    assert add(browser, "sub/new.txt").status_code == 409
    assert add(browser, "b.txt").json()["path"] == "b (2).txt"
    assert add(browser, "b.txt", existing="replace").status_code == 201
    assert not (made / "b.txt").is_symlink()
    assert files_in(outside) == {"a.txt": b"mine"}


def test_a_name_that_exists_is_kept_beside_or_replaced_and_a_copy_is_not_stored_twice(
    browser: httpx.Client, made: Path
) -> None:
    stored = [add(browser, "a.txt", text).json()["path"] for text in (b"one", b"two", b"one", b"two", b"three")]
    assert stored == ["a.txt", "a (2).txt", "a.txt", "a (2).txt", "a (3).txt"]
    add(browser, "a.txt", b"four", existing="replace")
    assert files_in(made) == {"a.txt": b"four", "a (2).txt": b"two", "a (3).txt": b"three"}
    add(browser, "a/b.txt", b"in a folder")
    assert add(browser, "a", b"a file", existing="replace").status_code == 409


def test_a_folder_of_the_user_is_never_written_to(tmp_path: Path, data: Path) -> None:
    plants = write_folder(tmp_path / "plants")
    before = files_in(plants)
    server = Service([open_made_at(plants, data)], open_talks=open_talks, open_made=open_made, directory=data)
    with server as service, browser_of(service) as client:
        reply = client.put("/f/plants/files", params={"path": "new.txt"}, content=b"x")
        assert (reply.status_code, "did not make it" in reply.text) == (403, True)
        assert client.post("/f/plants/remove", data={"path": "oak.txt"}).status_code == 403
        assert client.get("/folders").status_code == 200
        refused = client.post("/folders", data={"name": "<b>museum</b>"}).text
        assert "&#39;&lt;b&gt;museum&lt;/b&gt;&#39; cannot be the name" in refused
    assert files_in(plants) == before


def open_made_at(folder: Path, data: Path) -> Investigator:
    return Investigator(folder, workspace=data / "own", embedder=ScriptedEmbedder())


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_file_over_the_limit_is_refused_with_the_limit_and_nothing_is_left(
    browser: httpx.Client, made: Path, is_announced: bool
) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(MOST // 100_000 + 1):
            yield b"x" * 100_000

    content = b"".join(parts()) if is_announced else parts()
    reply = browser.put("/f/documents/files", params={"path": "big.bin"}, content=content)
    assert reply.status_code == 413
    assert "4,000,000 bytes (4 MB)" in reply.json()["detail"]
    assert files_in(made) == {}
    assert drafts_of(made) == [] if (made.parent / ".incoming").exists() else is_announced


def test_two_gigabytes_are_refused_before_they_are_sent(browser: httpx.Client, made: Path) -> None:
    import socket

    host, port = browser.base_url.host, browser.base_url.port
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    head = (
        f"PUT /f/documents/files?path=a.bin HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n"
        f"Origin: {browser.headers['origin']}\r\nContent-Length: 2000000000\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((host, port)) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
    assert files_in(made.parent) == {}


def test_a_transfer_that_breaks_off_leaves_nothing(browser: httpx.Client, made: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"The first half"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        browser.put("/f/documents/files", params={"path": "half.txt"}, content=parts())
    add(browser, "whole.txt", b"whole")
    assert list(files_in(made)) == ["whole.txt"]
    assert drafts_of(made) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_a_full_disk_is_named_and_nothing_is_left(browser: httpx.Client, made: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
    try:
        reply = add(browser, "a.txt", b"x" * 3_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (reply.status_code, reply.json()["detail"]) == (507, f"no space is left on the disk of {made}")
    assert "Free some space" in reply.json()["hint"]
    assert files_in(made.parent) == {}


def test_hundreds_of_files_are_added_and_listed(browser: httpx.Client) -> None:
    for number in range(MOST_ROWS + 1):
        assert add(browser, f"notes/{number}.txt", b"Note %d." % number).status_code == 201
    page = read_folder(browser, "documents").text
    assert page.count('class="name"') == MOST_ROWS
    assert f"1–{MOST_ROWS} of {MOST_ROWS + 1}." in page


def test_a_page_of_another_site_adds_nothing(browser: httpx.Client, made: Path) -> None:
    for headers in ({"Origin": "https://evil.test"}, {"Origin": "", "Cookie": ""}):
        reply = browser.put("/f/documents/files", params={"path": "a.txt"}, content=b"x", headers=headers)
        assert reply.status_code == 403
    browser.cookies.clear()
    assert add(browser, "a.txt").status_code == 401
    assert files_in(made) == {}


def test_an_unreadable_type_is_taken_and_listed_first_with_the_reason(browser: httpx.Client) -> None:
    add(browser, "z.bin", bytes(range(256)))
    add(browser, "a.txt", b"The lake is deep.")
    page = read_folder(browser, "documents").text
    assert 0 < page.index("z.bin") < page.index("a.txt")
    assert "1 file could not be read" in page


def test_a_document_is_removed_after_a_confirmation(browser: httpx.Client, made: Path) -> None:
    add(browser, "notes/a.txt")
    add(browser, "b.txt", b"The hill is high.")
    read_folder(browser, "documents")
    assert "Remove notes/a.txt?" in browser.get("/f/documents/remove", params={"path": "notes/a.txt"}).text
    assert (made / "notes" / "a.txt").exists()
    page = end_page(browser, browser.post("/f/documents/remove", data={"path": "notes/a.txt"}, follow_redirects=False))
    assert "1 file removed" in page.text
    assert files_in(made) == {"b.txt": b"The hill is high."}
    assert not (made / "notes").exists()
    assert browser.post("/f/documents/remove", data={"path": "../server.token"}).status_code == 422
    assert browser.post("/f/documents/remove", data={"path": "gone.txt"}).status_code == 404
