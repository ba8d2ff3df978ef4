"""Only the user is admitted: not under another name, from another page, with an old link, too slowly or with too much
data.
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from server_clients import program_of, serving

from investigator.bb3.search.client import reached_server
from investigator.errors import ForeignFileError, SettingsError
from investigator.server.guard import MOST_OCTETS, Access, allowed_hosts
from investigator.server.service import Service, token_of

ORIGINS = ("https://files.example", "https://other.example")
PAGES = ("/", "/f/plants/", "/f/plants/documents", "/f/plants/document?id=cedar.txt", "/v1/folders", "/v1/openapi.json")


def test_a_link_opens_the_page_once(service: Service) -> None:
    link = service.link()
    with httpx.Client() as first, httpx.Client() as second:
        opened = first.get(link)
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        cookie = opened.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert str(urlsplit(link).port) in cookie
        assert first.get(f"{service.address}/", follow_redirects=True).status_code == 200
        assert second.get(link).status_code == 401
        assert first.get(link).status_code == 303  # it has the cookie already
        assert second.get(f"{service.address}/").status_code == 401


def test_only_the_newest_links_and_the_cookie_of_the_same_port_work() -> None:
    access = Access("t" * 20, 1)
    links = [access.new_link() for _ in range(11)]
    assert not access.opened_by(links[0])
    assert access.opened_by(links[-1])
    assert not access.opened_by(links[-1])
    cookie, other = access.cookie().partition(";")[0], Access("t" * 20, 2)
    assert access.has_cookie({"cookie": cookie})
    assert not any(other.has_cookie({"cookie": pair}) for pair in (cookie, cookie.replace("-1=", "-2=")))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic dTpw"},
        {"Cookie": "investigator=x"},
        {"Cookie": "=;;;"},
    ],
)
def test_without_the_token_or_the_cookie_nothing_is_served(service: Service, headers: dict[str, str]) -> None:
    for page in PAGES:
        refused = httpx.get(service.address + page, headers=headers)
        assert refused.status_code == 401
        assert "plants" not in refused.text
        assert "cedar" not in refused.text


@pytest.mark.parametrize("host", ["evil.test", "evil.test:80", "", "127.0.0.1", "127.0.0.1.evil.test:{port}"])
def test_a_foreign_name_that_leads_here_is_not_served(program: httpx.Client, host: str) -> None:
    named = host.format(port=program.base_url.port)
    assert program.get("/v1/folders", headers={"Host": named}).status_code == 421


def test_the_key_of_searches_opens_the_search_alone(service: Service) -> None:
    (address,) = service.searches()
    (hit, *_) = reached_server(address).search("How much power does the Cedar plant make?", 3)
    assert (hit.url, "42 MW" in hit.text) == ("cedar.txt#line=1", True)
    path, key, _ = address.rsplit("/", 2)
    form = {"q": "power"}
    assert httpx.post(f"{path}/{key[::-1]}/plants", data=form).status_code == 401
    assert httpx.post(address, data=form, headers={"Origin": "http://evil.example"}).status_code == 403
    assert httpx.post(f"{path}/{key}/../../v1/folders", data=form).status_code in (401, 404)
    bearer = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{service.address}/v1/folders", headers=bearer).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_page_cannot_ask_with_the_readers_cookie(browser: httpx.Client, headers: dict[str, str]) -> None:
    del browser.headers["Origin"]
    reply = browser.post("/f/plants/ask", data={"question": "Who?"}, headers=headers)
    assert reply.status_code == 403
    assert browser.get("/v1/folders", headers=headers).status_code == 403


def test_a_form_is_taken_only_if_it_is_shown_to_come_from_the_page(browser: httpx.Client) -> None:
    """A browser that is told to send no referrer sends the Origin `null` with a form."""
    del browser.headers["Origin"]
    form = {"question": "Who?\r\nX-Made-Up: 1"}
    assert browser.post("/f/plants/ask", data=form).status_code == 403
    assert browser.get("/f/plants/").status_code == 200
    own = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    reply = browser.post("/f/plants/ask", data=form, headers=own, follow_redirects=False)
    assert reply.status_code == 303
    assert "x-made-up" not in reply.headers


def test_every_reply_says_what_a_browser_may_do_with_it(browser: httpx.Client, program: httpx.Client) -> None:
    for reply in (
        browser.get("/f/plants/"),
        browser.get("/nothing"),
        program.get("/v1/folders"),
        httpx.get(program.base_url),
    ):
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/static/../service.py", "/static/%2e%2e/service.py", "/static//etc/passwd", "/%00"]
)
def test_no_path_leads_to_a_file(program: httpx.Client, path: str) -> None:
    with socket.create_connection((program.base_url.host, program.base_url.port or 0)) as line:
        host = f"{program.base_url.host}:{program.base_url.port}"
        auth = program.headers["Authorization"]
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {auth}\r\n\r\n".encode())
        reply = b"".join(iter(lambda: line.recv(65_536), b""))
    assert reply.startswith(b"HTTP/1.1 404")
    assert b"root:" not in reply
    assert b"class Service" not in reply


def test_what_is_too_long_or_names_a_path_is_refused(program: httpx.Client) -> None:
    refused = program.post("/v1/investigations", content=b"x" * (MOST_OCTETS + 1))
    assert (refused.status_code, refused.headers["content-type"]) == (413, "application/problem+json")
    assert program.get("/v1/folders", params={"q": "x" * 9_000}).status_code == 414
    for name in ("../../../etc/passwd", "/etc/passwd", "cedar.txt\0", ""):
        assert program.get("/v1/folders/plants/text", params={"document": name}).status_code in (404, 422)


@pytest.mark.parametrize(
    ("sent", "reply"),
    [
        (b"GET / HTTP/1.1\r\nHost: x", b""),
        (b"POST /v1/investigations HTTP/1.1\r\n{own}Content-Length: 9\r\n\r\n{", b"HTTP/1.1 408"),
    ],
)
def test_a_client_that_sends_slowly_is_turned_away(plants: Path, tmp_path: Path, sent: bytes, reply: bytes) -> None:
    with serving(plants, tmp_path / "data", patience=0.3) as service:
        place = urlsplit(service.address)
        token = service.token_file.read_text().strip()
        own = f"Host: {place.netloc}\r\nAuthorization: Bearer {token}\r\n".encode()
        with socket.create_connection((place.hostname or "", place.port or 0), timeout=10) as line:
            line.sendall(sent.replace(b"{own}", own))
            assert line.recv(1_000)[:12] == reply


def test_the_token_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "token"
    token = token_of(path)
    assert (len(token) > 30, path.stat().st_mode & 0o777, token_of(path) == token) == (True, 0o600, True)
    path.write_text("short")
    with pytest.raises(SettingsError, match="fewer than 20"):
        token_of(path)
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(ForeignFileError, match="is a link"):
        token_of(link)


def test_a_token_is_in_nothing_that_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    notes: list[str] = []
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "a.txt").write_text("The lake is deep.")
    with serving(tmp_path / "f", tmp_path / "d", on_problem=notes.append) as service:
        token = service.token_file.read_text().strip()
        folder = next(iter(service.desk.folders.values()))
        folder.investigator.__dict__["status"] = lambda compare: {}[token]
        with program_of(service) as client:
            failed = [client.get(path) for path in ("/v1/folders/f", f"/v1/folders/{token}", f"/v1/folders/f/{token}")]
        place = urlsplit(service.address)
        with socket.create_connection((place.hostname, place.port), timeout=5) as hangs_up:
            hangs_up.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets it
            hangs_up.sendall(f"POST / HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 9\r\n\r\nq=".encode())
    assert [reply.status_code for reply in failed] == [500, 404, 404]
    output = capfd.readouterr()
    assert len(notes) == 1
    assert token not in "".join((*notes, output.out, output.err, *(reply.text for reply in failed)))


def test_a_server_on_every_network_can_be_opened_here_and_under_its_names(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "a.txt").write_text("The lake is deep.")
    with serving(tmp_path / "f", tmp_path / "d", host="0.0.0.0", names=("files.example",)) as service:
        own, (named,) = service.link(), service.named_links()
        ports = {f"{name}:80" for name in ("127.0.0.1", "localhost", "[::1]", "files.example")}
        assert allowed_hosts("0.0.0.0", 80, ("files.example",)) == {*ports, "files.example"}
        assert urlsplit(own).hostname == "127.0.0.1"
        assert urlsplit(named).netloc == f"files.example:{urlsplit(own).port}"
        proxied = {"Host": "files.example", "Cookie": httpx.get(own).headers["set-cookie"].partition(";")[0]}
        with httpx.Client(base_url=service.address, headers=proxied) as proxy:
            assert proxy.get("/f/f/").status_code == 200
            sent = {origin: proxy.post("/f/f/ask", headers={"Origin": origin}) for origin in ORIGINS}
        assert [reply.status_code == 403 for reply in sent.values()] == [False, True]
