"""Measures how many seconds a server takes to answer new questions without a model.

    python -m benchmarks.warm_server FOLDER

Indexes the folder with vectors, starts `investigator serve`, asks a few other questions first, and then asks each
question once: it submits the question, follows its events to the end, and reads the record. The questions are about
data/examples/child-health. The reference, counting to a million in Python, shows how fast the machine was in the
meantime.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.server_load import Server, begin

BEFORE = (
    "What is this about?",
    "How many women were recruited in the iodine trial?",
    "Why did mothers stop breast feeding?",
    "Did the bed nets work?",
    "List the hospitals of the trials.",
    "How many documents mention zinc?",
    "Which documents mention vitamin A?",
    "When was the trial in Pakistan done?",
    "Is fish oil good for children?",
)
QUESTIONS = (
    ("fact", "How many children were randomised in the Gambia trial?"),
    ("fact", "What was the gestational age at trial entry in the iodine group?"),
    ("fact", "Who funded the study of bed nets in Burkina Faso?"),
    ("yes or no", "Does iodine help in pregnancy?"),
    ("yes or no", "Did zinc reduce the incidence of malaria in South Africa?"),
    ("why", "Why did parents refuse to take part in the Italian video study?"),
    ("why", "Why is medicine adherence important in Uganda?"),
    ("list", "List the countries where the trials took place."),
    ("list", "List all outcomes of the newborn resuscitation trial."),
    ("count", "How many documents mention malaria?"),
    ("count", "How many trials used a placebo?"),
    ("which", "Which documents mention malaria?"),
    ("which", "Which documents mention breast feeding but not malaria?"),
    ("not there", "Is it safe to drink coffee during pregnancy?"),
    ("not there", "How many elephants live in Sweden?"),
    ("when", "When did the skin-to-skin trial start?"),
    ("comparison", "Compare the sample sizes of the Gambia trial and the Uganda trial."),
    ("contradiction", "Do the documents disagree about malaria?"),
    ("summary", "Summarise the trial of active lessons in schools."),
)


@contextmanager
def serving(folder: Path, place: Path) -> Iterator[Server]:
    """Index a folder, and serve it until the context ends; everything is kept in `place`."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["XDG_DATA_HOME"] = str(place)
    command, kept = [sys.executable, "-m", "investigator"], ["--workspace", str(place / "workspace")]
    subprocess.run([*command, "index", str(folder), "--vectors", *kept], env=env, check=True, capture_output=True)
    served = [*command, "serve", str(folder), "--no-browser", "--port", "0", *kept]
    with subprocess.Popen(served, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split("/")[2]
            yield Server(process, address, (place / "investigator" / "server.token").read_text().strip())
        finally:
            process.kill()


def ask(server: Server, folder: str, question: str) -> tuple[float, float]:
    """Ask a question; return the seconds until its record is read, and the processor time of the server."""
    used, began = server.processor(), time.perf_counter()
    job = begin(server, folder, question)
    server.events(job, 0, sys.maxsize)
    server.get(f"/v1/investigations/{job}")
    return time.perf_counter() - began, server.processor() - used


def reference() -> float:
    """Return the seconds that it takes to count to a million."""
    began = time.perf_counter()
    for _ in range(1_000_000):
        pass
    return time.perf_counter() - began


def main() -> None:
    """Parse the arguments, start the server, ask the questions and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory() as place, serving(folder, Path(place)) as server:
        for question in BEFORE:
            ask(server, folder.name, question)
        every, speed = list[float](), list[float]()
        for kind, question in QUESTIONS:
            speed.append(reference())
            seconds, used = ask(server, folder.name, question)
            every.append(seconds)
            print(f"{kind:14}{1000 * seconds:6.0f} ms  {1000 * used:6.0f} ms of processor time  {question}", flush=True)
    print(f"median {1000 * median(every):.0f} ms, longest {1000 * max(every):.0f} ms", end="; ")
    print(f"reference {1000 * median(speed):.0f} ms, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
