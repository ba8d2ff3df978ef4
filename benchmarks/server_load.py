"""Tests a server under load, with readers and investigations, and kills it while it is working.

    python -m benchmarks.server_load [--readers 50] [--views 20] [--pause 1.0] [--folders 4]

Starts `investigator serve` for generated folders, with a chat model on loopback (`chat_server.py`). Readers open pages,
each on a new connection, with a pause between two views. Clients follow every investigation, and reconnect in the
middle of it. Prints the latencies of the page views, lost and duplicate events, memory before and after, the startup
time, and the state of five runs after SIGKILL.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

QUESTION = "How much power does each plant make?"
DOCUMENTS = 40
MOST_SECONDS = 240


@dataclass(frozen=True)
class Server:
    """A server process, its address and the header of its token."""

    process: subprocess.Popen[str]
    address: str
    token: str

    def get(self, path: str, body: object = None) -> dict[str, object]:
        """Return the JSON at a path; with a body, send a POST request."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://{self.address}{path}", data, {"Authorization": f"Bearer {self.token}"}
        )
        if data is not None:
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=MOST_SECONDS) as reply:
            return dict(json.load(reply))

    def events(self, job: str, after: int, most: int) -> list[int]:
        """Return the numbers of up to `most` events of a job after the given one, in order of arrival."""
        headers = {"Authorization": f"Bearer {self.token}", "Last-Event-ID": str(after)}
        request = urllib.request.Request(f"http://{self.address}/v1/investigations/{job}/events", headers=headers)
        found: list[int] = []
        with urllib.request.urlopen(request, timeout=MOST_SECONDS) as reply:
            for line in reply:
                if line.startswith(b"id: "):
                    found.append(int(line[4:]))
                    if len(found) == most:
                        break
        return found

    def memory(self) -> float:
        """Return the resident memory in MB."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize() / 1e6

    def processor(self) -> float:
        """Return the processor time so far, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def write_folder(folder: Path) -> Path:
    """Write short documents, each about a plant."""
    folder.mkdir()
    for number in range(DOCUMENTS):
        text = f"The plant of site {number} was opened in {1980 + number}. It makes {40 + number} MW of power.\n" * 3
        (folder / f"site{number}.txt").write_text(text)
    return folder


@contextmanager
def model(latency: float) -> Iterator[str]:
    """Start the chat model, and yield its address."""
    command = [sys.executable, "benchmarks/chat_server.py", "--latency", str(latency), "--room", "64"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().split()[-1]}"
        finally:
            process.kill()


@contextmanager
def serving(folders: list[Path], data: Path, url: str) -> Iterator[Server]:
    """Start a server, and print the time until its link appears and until the first byte of a page."""
    command = [sys.executable, "-m", "investigator", "serve", *map(str, folders), "--no-browser", "--port", "0"]
    command += ["--model", "openai:m", "--set", f"chat.base_url={url}/v1"]
    env = {**os.environ, "XDG_DATA_HOME": str(data), "OPENAI_API_KEY": "k" * 30}
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as process:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        started = time.monotonic() - began
        address = link.split("/")[2]
        server = Server(process, address, (data / "investigator" / "server.token").read_text().strip())
        cost, began = server.processor(), time.monotonic()
        asyncio.run(view(server, "/"))
        first = time.monotonic() - began
        print(f"start {started:.2f} s ({cost:.2f} s of processor time), first byte of a page {1000 * first:.0f} ms")
        try:
            yield server
        finally:
            process.kill()


async def view(server: Server, path: str) -> float:
    """Return the seconds until a page is complete."""
    host, _, port = server.address.partition(":")
    began = time.monotonic()
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"GET {path} HTTP/1.1\r\nHost: {server.address}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
    writer.write(head.encode())
    reply = await reader.read(-1)
    writer.close()
    assert reply.startswith((b"HTTP/1.1 200", b"HTTP/1.1 303")), reply[:200]
    return time.monotonic() - began


async def read_pages(server: Server, pages: list[str], readers: int, views: int, pause: float) -> list[float]:
    """Let readers open pages, with a pause of that many seconds on average between two views."""

    async def one(seed: int) -> list[float]:
        choice, found = random.Random(seed), list[float]()
        for _ in range(views):
            await asyncio.sleep(pause * 2 * choice.random())
            found.append(await view(server, choice.choice(pages)))
        return found

    return [seconds for own in await asyncio.gather(*map(one, range(readers))) for seconds in own]


def followed(server: Server, job: str) -> str:
    """Follow a job, reconnect in the middle, and return a description of lost or duplicate events."""
    first = server.events(job, 0, 7)
    seen = first + server.events(job, first[-1], sys.maxsize)
    return "" if seen == list(range(1, len(seen) + 1)) else f"{job}: {seen}"


def begin(server: Server, folder: str, question: str = QUESTION) -> str:
    """Start an investigation, and return its id."""
    return str(server.get("/v1/investigations", {"folder": folder, "question": question})["id"])


def load(folders: list[Path], data: Path, arguments: argparse.Namespace) -> None:
    """Measure page views while investigations run, and then without."""
    with model(0.5) as url, serving(folders, data, url) as server:
        name = folders[0].name
        job = begin(server, name, "How much power does site 3 make?")
        followed(server, job)
        outcome = server.get(f"/v1/investigations/{job}")["job"]
        assert isinstance(outcome, dict)
        places = ("", "documents", "documents?q=site3&sort=date", "matrix", f"runs/{outcome['run_id']}")
        pages = ["/folders", *(f"/f/{name}/{place}" for place in places)]
        pages.append(f"/f/{name}/document?id=site3.txt&start=0&end=30")
        with ThreadPoolExecutor(64) as pool:
            jobs = [begin(server, folder.name) for folder in folders]
            following = [pool.submit(followed, server, job) for job in jobs for _ in range(3)]
            report("with investigations", server, pages, arguments)
            wrong = [told for one in following if (told := one.result())]
        print(
            f"{len(jobs)} investigations followed by {len(following)} clients: {len(wrong)} with lost or double events"
        )
        report("without investigations", server, pages, arguments)
        report("again", server, pages, arguments)


def report(what: str, server: Server, pages: list[str], arguments: argparse.Namespace) -> None:
    """Print the latencies of page views and the memory."""
    before, cost = server.memory(), server.processor()
    seconds = asyncio.run(read_pages(server, pages, arguments.readers, arguments.views, arguments.pause))
    cuts = statistics.quantiles(seconds, n=100)
    own = 1000 * (server.processor() - cost) / len(seconds)
    print(
        f"{what}: {len(seconds)} views, p50 {1000 * cuts[49]:.0f} ms, p95 {1000 * cuts[94]:.0f} ms, "
        f"p99 {1000 * cuts[98]:.0f} ms, {own:.1f} ms of processor time each, including concurrent work, "
        f"memory {before:.0f} -> {server.memory():.0f} MB, load {os.getloadavg()[0]:.1f}"
    )


def killed(folders: list[Path], data: Path) -> None:
    """Kill a server in the middle of its runs, start another one, and count the calls."""
    with model(1.0) as url:
        with serving(folders, data, url) as server:
            jobs = [begin(server, folder.name) for folder in folders]
            while counted(url)["requests"] < 6:
                time.sleep(0.05)
        in_flight = counted(url)["at_once"]
        with serving(folders, data, url) as server:
            seen = [server.events(job, 0, sys.maxsize) for job in jobs]
            outcomes = [server.get(f"/v1/investigations/{job}") for job in jobs]
        states = [dict(one["job"])["state"] for one in outcomes]  # type: ignore[call-overload]
        calls = sum(dict(dict(one["investigation"])["usage"])["calls"] for one in outcomes)  # type: ignore[call-overload]
        whole = all(own == list(range(1, len(own) + 1)) for own in seen)
        print(f"{len(jobs)} runs killed: then {states}; events whole: {whole}")
        sent = counted(url)["requests"]
        print(f"calls counted {calls}, received by the model {sent}, {in_flight} under way at the kill")


def counted(url: str) -> dict[str, int]:
    """Return the statistics of the model."""
    with urllib.request.urlopen(f"{url}/counts", timeout=10) as reply:
        return dict(json.load(reply))


def main() -> None:
    """Parse the arguments and run all tests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--views", type=int, default=20)
    parser.add_argument("--pause", type=float, default=1.0)
    parser.add_argument("--folders", type=int, default=4)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folders = [write_folder(Path(place) / f"plants{number}") for number in range(5)]
        load(folders[: arguments.folders], Path(place) / "data", arguments)
        killed(folders, Path(place) / "other")


if __name__ == "__main__":
    main()
