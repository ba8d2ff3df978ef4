"""Measures the overhead of calls to a chat server, and the gain from concurrent calls.

    python benchmarks/concurrency.py [--json FILE] [--latency 1] [--only NAME ...] [--set PART.FIELD=VALUE]

- overhead: sends a prompt through the client and a chat model, alternating with the same request through httpx alone,
  to a server that answers at once. Target: less than 5 ms per call (medians).
- investigation: runs 32 steps over generated documents with a server that takes one second per call and accepts 16
  calls at a time, compared with one call at a time. Target: less than 1/8 of the time. --set changes the settings.

The server is `chat_server.py`, in a separate process. The benchmark takes about two minutes, most of it waiting.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.asking.budget import BudgetSettings
from investigator.asking.call import CallJournal
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.roles import Role
from investigator.records import (
    Answered,
    AskReply,
    AskVariables,
    Investigation,
    Prompt,
    RunSetup,
    ShownDocument,
    ShownPassage,
)
from investigator.store.in_memory import InMemoryJournal
from investigator.store.journal import Journal, Runs
from investigator.store.workspace import Workspace

_STEPS = 32
_ROOM = 16
_WORDS = "The plant was built by the river and has been run by the same company since it was opened. " * 20


@dataclass(frozen=True)
class Figure:
    """One measurement, with its upper limit, if any."""

    name: str
    value: float
    unit: str
    below: float | None = None

    @property
    def row(self) -> str:
        """Return the measurement as a table row."""
        verdict = "" if self.below is None else f"< {self.below:g}: {'yes' if self.value < self.below else 'NO'}"
        return f"| {self.name} | {self.value:.3f} {self.unit} | {verdict} |"


@contextmanager
def server(latency: float, room: int, retry_after: str = "") -> Iterator[str]:
    """Run a chat server in a separate process; yield its base URL."""
    script = Path(__file__).with_name("chat_server.py")
    options = [f"--latency={latency}", f"--room={room}", f"--retry-after={retry_after}"]
    process = subprocess.Popen([sys.executable, str(script), *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


def counts(base_url: str) -> dict[str, int]:
    """Return the statistics of a server."""
    seen: dict[str, int] = httpx.get(f"{base_url}/counts").json()
    return seen


def overhead(calls: int = 300, to_begin: int = 20) -> list[Figure]:
    """Return the median milliseconds of calls through client and chat model, and through httpx alone, alternating."""
    with (
        server(latency=0, room=_ROOM) as base_url,
        httpx.Client() as client,
        tempfile.TemporaryDirectory() as made,
        Workspace(Path(made), write=True) as workspace,
    ):
        engine = ChatEngine("openai:m", ChatSettings(base_url=base_url))
        in_memory = _client(engine, InMemoryJournal())
        blank = Investigation(id="run", question="How much?", setup=RunSetup(engine=engine.name))
        Runs(workspace.runs).open("run", "documents", blank, "2026-01-01T00:00:00+00:00", fresh=True)
        on_disk = _client(engine, Journal(workspace.runs, "run", time.monotonic, reuse=True))
        texts = [in_memory.prompts.prompt("query/ask", _asking(number)).text for number in range(calls + to_begin)]

        def by_httpx(number: int) -> None:
            body = {"model": "m", "messages": [{"role": "user", "content": texts[number]}]}
            client.post(f"{base_url}/chat/completions", json=body).json()

        def by_engine(number: int) -> None:
            engine.reply(Prompt("query/ask", _asking(number), texts[number], AskReply))

        ways: list[Callable[[int], object]] = [
            by_httpx,
            by_engine,
            lambda number: in_memory.ask("query/ask", _asking(number), AskReply),
            lambda number: on_disk.ask("query/ask", _asking(number), AskReply),
        ]
        taken: list[list[float]] = [[] for _ in ways]
        for number in range(calls + to_begin):
            for way, seconds in zip(ways, taken, strict=True):
                began = time.perf_counter()
                way(number)
                seconds.append(time.perf_counter() - began)
    alone, engines, clients, journals = (1000 * statistics.median(seconds[to_begin:]) for seconds in taken)
    return [
        Figure("a call by httpx alone", alone, "ms"),
        Figure("overhead of the chat model", engines - alone, "ms"),
        Figure("overhead of client and chat model", clients - alone, "ms", below=5.0),
        Figure("overhead of client, chat model and the journal on disk", journals - alone, "ms"),
    ]


def investigation(latency: float, overrides: Sequence[str] = ()) -> list[Figure]:
    """Return the seconds of an investigation with 16 concurrent calls, and with one call at a time."""
    figures, all_seconds = [], []
    for at_once, wait in ((_ROOM, 0.0), (_ROOM, latency), (1, latency)):
        with server(wait, _ROOM) as base_url, tempfile.TemporaryDirectory() as made:
            seconds, case = _investigated(Path(made), base_url, at_once, overrides)
            seen = counts(base_url)
        about = f"{len(case.memories)} steps, {seen['requests']} calls, at most {seen['most_at_once']} at once"
        all_seconds.append(seconds)
        if wait:  # the first run only loads libraries
            figures.append(Figure(f"investigation, {at_once} at once: {about}", seconds, "s"))
    return [*figures, Figure(f"{_ROOM} at once to one at a time", all_seconds[1] / all_seconds[2], "", below=1 / 8)]


def _investigated(made: Path, base_url: str, at_once: int, overrides: Sequence[str]) -> tuple[float, Investigation]:
    """Return the seconds of an investigation with an existing index, and its record."""
    folder = made / "documents"
    folder.mkdir()
    for number in range(_STEPS + 8):
        text = f"Power plant {number}. How much power it makes is not said in this text. {_WORDS}"
        (folder / f"plant_{number:02}.txt").write_text(text, "utf-8")
    options = [f"chat.base_url={base_url}", f"chat.concurrency={at_once}", f"research.concurrency={at_once}"]
    options += ["research.rounds=1", "research.whole_tokens=0"]
    options += [f"research.planner.steps={_STEPS}", f"research.planner.documents={_STEPS}"]
    made_with = load_settings(None, [*options, *overrides])
    investigator = Investigator(
        folder, model="openai:m", settings=made_with, workspace=made / "index", embedder=ScriptedEmbedder()
    )
    for _ in investigator.index(vectors=True):
        pass
    began = time.monotonic()
    last = list(investigator.investigate("How much power do the plants make?"))[-1]
    assert isinstance(last, Answered)
    return time.monotonic() - began, last.investigation


def _asking(number: int) -> AskVariables:
    document = ShownDocument(
        document_id="a.txt",
        title="Plants",
        question=f"What does the text say about plant {number}?",
        passages=(ShownPassage(text=_WORDS, start=0),) * 4,
    )
    return AskVariables(main_question="How much power do the plants make?", mission="Find it.", documents=(document,))


def _client(engine: ChatEngine, journal: CallJournal) -> EngineClient:
    return EngineClient(
        dict.fromkeys(Role, engine), Prompts(), journal, time.monotonic, BudgetSettings(calls=1_000_000)
    )


def table(figures: Sequence[Figure]) -> str:
    """Return the measurements as a Markdown table."""
    return "\n".join(["| what | measured | figure to reach |", "| --- | --- | --- |", *(one.row for one in figures)])


def main() -> None:
    """Parse the arguments, measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the measurements to this file")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds that the server takes per call")
    parser.add_argument("--set", dest="overrides", action="append", default=[], metavar="PART.FIELD=VALUE")
    parser.add_argument("--only", nargs="+", choices=["overhead", "investigation"])
    arguments = parser.parse_args()
    parts: dict[str, Callable[[], list[Figure]]] = {
        "overhead": overhead,
        "investigation": lambda: investigation(arguments.latency, arguments.overrides),
    }
    figures = [figure for name in arguments.only or parts for figure in parts[name]()]
    print(table(figures))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
