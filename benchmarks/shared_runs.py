"""Measures the cost of storing each call of a run in PostgreSQL instead of a file.

    python benchmarks/shared_runs.py postgresql+psycopg://USER@HOST/DATABASE [--calls N]

Stores calls with a prompt and a reply of typical size one at a time, as a run does, alternating between the two stores.
Prints the median and the 95th percentile, in milliseconds, for one call (looked up, begun and stored) and for a list of
all runs.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from investigator.records import AskReply, Investigation, Prompt, QuestionVariables, Reply, RunSetup
from investigator.store.database import Database, FileDatabase
from investigator.store.journal import Journal, Runs
from investigator.store.postgres import PostgresDatabase
from investigator.store.schema import RUNS

VARIABLES = QuestionVariables(document_id="a", purpose="b", perspectives="c")
PROMPT = Prompt("query/ask", VARIABLES, "words of a prompt " * 300, AskReply)
REPLY = Reply(text="words of a reply " * 40, input_tokens=1_500, output_tokens=200)


def one_call(journal: Journal, key: str) -> float:
    """Store one call; return the milliseconds."""
    began = time.perf_counter()
    journal.find(key)
    journal.begin(key, "model", 1_500)
    journal.keep(key, PROMPT, "model", REPLY)
    return 1000 * (time.perf_counter() - began)


def main() -> None:
    """Measure both stores, alternating."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args()
    stores: dict[str, Database] = {
        "file": FileDatabase(Path(tempfile.mkdtemp(), "runs.db"), RUNS),
        "PostgreSQL": PostgresDatabase(options.url, f"benchmark-{time.time_ns()}"),
    }
    times: dict[str, list[float]] = {name: [] for name in stores}
    with stores["file"].held("x") as file, stores["PostgreSQL"].held("x") as server:
        journals = {}
        for name, database in (("file", file), ("PostgreSQL", server)):
            blank = Investigation(id="1", question="Q", setup=RunSetup(mission="M", strategy="S", engine="model"))
            run = Runs(database).open("i", "c", blank, datetime.now(UTC).isoformat(), fresh=False)
            journals[name] = Journal(database, run.id, time.monotonic, reuse=True)
        for number in range(options.calls):
            for name, journal in journals.items():
                times[name].append(one_call(journal, f"key {number}"))
    for name, database in stores.items():
        began = time.perf_counter()
        Runs(database).summaries()
        listed = 1000 * (time.perf_counter() - began)
        taken = sorted(times[name])
        p95 = taken[int(0.95 * len(taken))]
        print(f"{name}: call median {statistics.median(taken):.2f} ms, p95 {p95:.2f} ms; list {listed:.2f} ms")
        database.close()


if __name__ == "__main__":
    main()
