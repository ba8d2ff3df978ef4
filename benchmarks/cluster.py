"""Measures an index in shards on Ray: its speed, and whether results change if processes are killed.

    python benchmarks/cluster.py workers [--files N]      index time with 1 and 2 workers, and whether the indexes agree
    python benchmarks/cluster.py search [--chunks N]      shards compared with one index: search time and equality
    python benchmarks/cluster.py kills [--kills N]        kills workers, actors and drivers at random moments
    python benchmarks/cluster.py split FOLDER [--splits N]  random shardings of a folder compared with one index

`search` uses vectors derived from a checksum of the text; the other measurements use the bundled model. `--shards` sets
the number of shards for all of them. With `--only-shards`, nothing is compared.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np

from investigator import Investigator, load_settings
from investigator.cluster import ray_crew
from investigator.engines.base import Vectors
from investigator.records import Answered
from investigator.retrieval import folder_index
from investigator.settings import Settings

DIMENSIONS = 384
QUESTIONS = ("How many pumps did station 7 report in 1990?", "Which station saw w12 and w1944?", "w3 w77 of the delta")


class ChecksumEmbedder:
    """Computes the vector of a text from its checksum, to take as little time as possible."""

    name = "checksum"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 384)."""
        made = [np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSIONS) for text in texts]
        rows = np.array(made, dtype=np.float32).reshape(len(texts), DIMENSIONS)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def written(folder: Path, files: int, chunks: int) -> Path:
    """Write a folder of text files, each with `chunks` passages of about 120 words."""
    folder.mkdir(parents=True)
    words = [f"w{number}" for number in range(20_000)]
    weights = [*accumulate(1 / (rank + 10) for rank in range(len(words)))]
    for number in range(files):
        rng = random.Random(number)
        paragraphs = (
            f"Station {number} reported {rng.randint(2, 900)} pumps in {rng.randint(1950, 2020)}. "
            + " ".join(rng.choices(words, cum_weights=weights, k=118))
            + "."
            for _ in range(chunks)
        )
        (folder / f"station-{number:06d}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    return folder


def on_cluster(shards: int, workers: int = 0) -> Settings:
    """Return the settings of an index in shards on this machine."""
    ray_crew._WAIT, folder_index.EXACT_UP_TO = 300.0, 10_000_000
    if workers:
        ray_crew.cpus = lambda: workers
    return load_settings(None, ["cluster.address=local", f"cluster.shards={shards}"])


def drained(events: object) -> None:
    """Consume all events."""
    for _ in events:  # type: ignore[attr-defined]
        pass


def record_of(investigator: Investigator, question: str) -> dict[str, object]:
    """Return the record of an investigation without values that differ in every run: id, times, interrupted calls."""
    *_, last = investigator.investigate(question)
    assert isinstance(last, Answered)
    found: dict[str, object] = json.loads(last.investigation.changed(id="", elapsed=0.0).model_dump_json())
    answer = found["answer"]
    assert isinstance(answer, dict)
    found["answer"] = {name: value for name, value in answer.items() if name != "run"}
    return {name: value for name, value in found.items() if name not in ("usage", "setup")}


def differing(first: object, second: object, place: str = "") -> list[str]:
    """Return the places in which two records differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        names = sorted({*first, *second})
        return [at for name in names for at in differing(first.get(name), second.get(name), f"{place}.{name}")]
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [
            at for n, pair in enumerate(zip(first, second, strict=True)) for at in differing(*pair, f"{place}[{n}]")
        ]
    return [] if first == second else [f"{place}: {str(first)[:60]} / {str(second)[:60]}"]


def workers(place: Path, options: argparse.Namespace) -> None:
    """Index the same folder with 1 and with 2 workers, in separate processes."""
    folder = written(place / "folder", options.files, 12)
    for turn in range(options.rounds):
        for many in (1, 2):
            code = (
                "import sys, time; sys.path.insert(0, 'benchmarks'); from cluster import *\n"
                f"one = Investigator({str(folder)!r}, settings=on_cluster({options.shards}, {many}), "
                f"workspace={str(place / f'{turn}-{many}')!r})\n"
                "one.parts._crew._ray; began = time.monotonic(); drained(one.index())\n"
                "print(round(time.monotonic() - began, 2))"
            )
            said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            print(f"round {turn + 1}, {many} worker(s): {said.split()[-1]} s", flush=True)


def search(place: Path, options: argparse.Namespace) -> None:
    """Index a folder as one index and in shards; compare their results and their times."""
    embedder, files = ChecksumEmbedder(), max(1, options.chunks // 50)
    folder = written(place / "folder", files, 50)
    found: dict[str, list[object]] = {}
    folder_index._SENTENCES_UP_TO = 0
    sides = {"one index": load_settings(), f"{options.shards} shards": on_cluster(options.shards)}
    for name, settings in list(sides.items())[options.only_shards :]:
        investigator = Investigator(folder, settings=settings, embedder=embedder, workspace=place / name)
        began = time.monotonic()
        drained(investigator.index(vectors=True))
        print(
            f"{name}: {investigator.status(compare=False).chunks:,} chunks indexed in {time.monotonic() - began:.1f} s"
        )
        began = time.monotonic()
        with investigator.library() as library:
            print(f"  opened in {time.monotonic() - began:.1f} s")
            found[name], times = [], []
            for turn in range(options.rounds):
                for number, question in enumerate(QUESTIONS):
                    query, began = f"{question} {turn}", time.perf_counter()
                    hits = library.hits(query, 10)
                    times.append(1000 * (time.perf_counter() - began))
                    found[name].append([hit.model_dump_json() for hit in hits])
                    if number == 0 and turn == 0:
                        found[name].append([card.model_dump_json() for card in library.cards((question,))])
            times.sort()
            p50, p95 = statistics.median(times), times[int(0.95 * len(times))]
            print(f"  search: first {times[-1]:.0f}, p50 {p50:.1f}, p95 {p95:.1f} ms")
            for pid, called in workers_below(os.getpid()).items():
                print(f"  {called}: {resident(pid):.0f} MB")
        print(f"  this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB at most", flush=True)
    if not options.only_shards:
        first, second = found.values()
        print("equal" if first == second else "DIFFERENT")


def workers_below(root: int) -> dict[int, str]:
    """Return Ray's workers below a process, with their process titles (Linux)."""
    parents: dict[int, int] = {}
    named: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
                )
                named[int(entry.name)] = (entry / "cmdline").read_text("utf-8", "replace").partition("\0")[0]
            except OSError:  # it has ended in the meantime
                continue
    below, found = {root}, dict[int, str]()
    for pid in sorted(parents):
        if parents[pid] in below:
            below.add(pid)
            if named.get(pid, "").startswith("ray::") and not named[pid].endswith("Agent"):
                found[pid] = named[pid]
    return found


def resident(pid: int) -> float:
    """Return the memory of a process in MB."""
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def kills(place: Path, options: argparse.Namespace) -> None:
    """Kill workers, actors and drivers at random moments of indexing and asking; the result must not change."""
    folder, rng = written(place / "folder", 60, 6), random.Random(options.seed)
    alone = Investigator(folder, workspace=place / "alone")
    drained(alone.index(vectors=True))
    wanted = [record_of(alone, question) for question in QUESTIONS]
    code = (
        "import sys; sys.path.insert(0, 'benchmarks'); from cluster import *\n"
        f"one = Investigator({str(folder)!r}, settings=on_cluster({options.shards}, 2), workspace=sys.argv[1])\n"
        "print(json.dumps([record_of(one, question) for question in QUESTIONS]))"
    )
    killed, longest = 0, 0.0
    while killed < options.kills:
        workspace, began = place / f"killed-{killed}", time.monotonic()
        while True:
            victim = rng.choice(("driver", "worker"))
            process = subprocess.Popen(
                [sys.executable, "-c", code, str(workspace)],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for _ in range(rng.randint(1, 3)):
                while victim == "worker" and process.poll() is None and not workers_below(process.pid):
                    time.sleep(0.2)  # starting takes long on a busy machine
                time.sleep(rng.uniform(0, 20))
                if process.poll() is not None or killed >= options.kills:
                    break
                below = workers_below(process.pid)
                target = process.pid if victim == "driver" or not below else rng.choice(sorted(below))
                os.kill(target, signal.SIGKILL)
                killed += 1
                print(f"kill {killed}: {below.get(target, 'driver')}", flush=True)
            said, _ = process.communicate(timeout=600)
            if process.returncode == 0:
                break
        longest = max(longest, time.monotonic() - began)
        differences = differing(wanted, json.loads(said.splitlines()[-1]))
        print(f"after {killed} kills: {differences[:5] or 'equal'}", flush=True)
        shutil.rmtree(workspace)
    print(f"longest {longest:.0f} s")


def split(place: Path, options: argparse.Namespace) -> None:
    """Ask an undivided index and random numbers of shards the same questions; print the differences."""
    rng = random.Random(options.seed)
    alone = Investigator(options.folder, workspace=place / "alone")
    drained(alone.index(vectors=True))
    questions = options.question or QUESTIONS
    wanted = [record_of(alone, question) for question in questions]
    for turn in range(options.splits):
        shards = rng.randint(2, 9)
        one = Investigator(options.folder, settings=on_cluster(shards), workspace=place / f"{turn}")
        same = [record_of(one, question) == record for question, record in zip(questions, wanted, strict=True)]
        print(f"{shards} shards: {sum(same)} of {len(same)} equal", flush=True)


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["workers", "search", "kills", "split"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--only-shards", action="store_true")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--question", action="append")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        {"workers": workers, "search": search, "kills": kills, "split": split}[options.what](Path(place), options)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
