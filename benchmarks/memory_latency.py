"""Measures how long a chat waits for the memory of a user with many facts: generated memories in a SQLite workspace.

    python benchmarks/memory_latency.py [--sizes 100 1000 10000 100000] [--turns 50] [--json FILE]

Prints a table with the median and the 95th percentile, in milliseconds, of each operation of a turn: `texts` (the input
of the memory decision), `available` (the memories that a reply may use, also for a word that half of them contain),
`add` for something new and for a repetition, `end of turn`; and of `search` and `list` (the first 50) of the command.
Half of the queries contain a word that occurs in every tenth memory.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import insert

from investigator.bb3.folder_chat import UserMemories
from investigator.bb3.memory.long_term import LongTermMemory
from investigator.bb3.records import Speaker
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.store.database import FileDatabase
from investigator.store.schema import RUNS, personal_facts

_USER = "ann"
_FRAMES = ("I have a {} in {}.", "My {} likes {}.", "I don't like {} or {}.", "I used to collect {} near {}.")
_COMMON = ("dog", "garden", "sister", "piano", "bicycle", "teacher", "soup", "boat", "chess", "snow")
_SYLLABLES = ("ba", "do", "ki", "lu", "me", "no", "ra", "si", "tu", "ve", "wo", "za")

Figures = dict[str, tuple[float, float]]
"""Median and 95th percentile in milliseconds, by operation."""


def memories(count: int, draw: random.Random) -> list[str]:
    """Return different memories; each contains one of ten common words and a rare word."""
    return [
        f"{draw.choice(_FRAMES).format(draw.choice(_COMMON), _rare(draw))[:-1]}, since {number}."
        for number in range(count)
    ]


def _rare(draw: random.Random) -> str:
    return "".join(draw.choices(_SYLLABLES, k=3))


def measure(memory: LongTermMemory, turns: int, draw: random.Random) -> Figures:
    """Return the waiting times of the given number of turns."""
    chat = UserMemories(memory, _USER, "measured")
    seconds: dict[str, list[float]] = {}
    old = [fact.text for fact in memory.latest(_USER, turns)]
    for turn in range(turns):
        word = draw.choice(_COMMON) if turn % 2 else _rare(draw)
        said = f"What do you know about my {word} and {_rare(draw)}?"
        new, repeated = f"I bought a {_rare(draw)} on day {turn} of {len(old)}.", old[turn % len(old)]
        operations: dict[str, Callable[[], object]] = {
            "texts": chat.texts,
            "available": lambda said=said: chat.available(said),
            "available, for a word of half": lambda: chat.available("What do I like?"),
            "add, new": lambda new=new: chat.add(new, Speaker.PARTNER),
            "add, repeated": lambda repeated=repeated: chat.add(f"{repeated}!", Speaker.PARTNER),
            "end of turn": lambda: chat.end_turn([]),
            "search": lambda word=word: memory.search(_USER, word),
            "list": lambda: memory.latest(_USER, 50),
        }
        for name, operation in operations.items():
            began = time.perf_counter()
            operation()
            seconds.setdefault(name, []).append(time.perf_counter() - began)
    return {name: _figures(values) for name, values in seconds.items()}


def _figures(seconds: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(seconds)
    last = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return round(1000 * statistics.median(ordered), 2), round(1000 * last, 2)


def _fill(database: FileDatabase, texts: Sequence[str]) -> None:
    """Store memories in one transaction, without vectors."""
    same = {"user": _USER, "speaker": Speaker.PARTNER.value, "claim": "", "chat_id": "", "used_at": 0, "uses": 0}
    now = datetime.now(UTC).isoformat()
    with database.alone() as connection:
        connection.execute(insert(personal_facts), [{**same, "text": text, "created": now} for text in texts])


def main() -> None:
    """Fill a workspace in steps, and measure at each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    told = memories(max(given.sizes), draw)
    results: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory() as place:
        database = FileDatabase(Path(place) / "index.db", RUNS)
        memory = LongTermMemory(database, SentenceTransformerEmbedder())
        written = 0
        for size in sorted(given.sizes):
            began = time.perf_counter()
            _fill(database, told[written:size])
            while len(memory.nearest(_USER, "embed the memories that have no vector yet", 20_000)) < min(size, 20_000):
                pass
            each = 1000 * (time.perf_counter() - began) / max(1, size - written)
            written = size
            results[size] = {
                "written at once, each": (round(each, 2), round(each, 2)),
                **measure(memory, given.turns, draw),
            }
            print(f"{size:,} memories: " + ", ".join(f"{n} {a:g} ({b:g})" for n, (a, b) in results[size].items()))
        database.close()
    print("\n| ms, median (95th percentile) | " + " | ".join(f"{size:,}" for size in results) + " |")
    print("|---|" + "---:|" * len(results))
    for name in next(iter(results.values())):
        print(f"| {name} | " + " | ".join("{:g} ({:g})".format(*figures[name]) for figures in results.values()) + " |")
    if given.json is not None:
        rows = [{"memories": size, "milliseconds": figures} for size, figures in results.items()]
        given.json.write_text(json.dumps({"turns": given.turns, "seed": given.seed, "sizes": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
