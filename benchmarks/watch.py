"""Measures how long `watch` takes from a change in one of many files to the updated answer, without a model, and that a
change that concerns no question costs no call.

    python benchmarks/watch.py [--files N] [--rounds N] [--json FILE]

The folder is made of random words, with a lease among them whose rent changes in each round; the time from the change
of the file to the line of the answer includes the wait until the file is complete. In between, another file changes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[1]
QUESTIONS = "What is the monthly rent of the flat in Alder Street?\nWho painted the ceiling of the opera?\n"
LEASE = "Lease of the flat in Alder Street\n\nThe monthly rent is {} euros. The deposit is 1,800 euros.\n"


def write_folder(folder: Path, files: int) -> None:
    """Write a lease, and files of random words."""
    folder.mkdir()
    chosen = random.Random(3)
    words = ["".join(chosen.choice("bdfglmnprst") + chosen.choice("aeiou") for _ in range(3)) for _ in range(3_000)]
    for number in range(files - 1):
        text = " ".join(chosen.choice(words) for _ in range(120))
        (folder / f"note{number:05}.txt").write_text(f"Report of site {number}\n\n{text}.\n")
    (folder / "lease.txt").write_text(LEASE.format(900))


def measured(place: Path, rounds: int) -> dict[str, float | list[float]]:
    """Return the seconds from each change to its answer, and the calls that other changes cost."""
    folder, kept = place / "folder", ["--workspace", str(place / "workspace")]
    (place / "questions.txt").write_text(QUESTIONS)
    command = [sys.executable, "-m", "investigator"]
    subprocess.run([*command, "index", str(folder), "--vectors", "--quiet", *kept], cwd=HERE, check=True)
    watch = [*command, "watch", str(folder), "--questions", str(place / "questions.txt"), "--json", *kept]
    answers: list[float] = []
    calls = 0
    with subprocess.Popen(watch, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for number in range(rounds):
            began = time.perf_counter()
            (folder / "lease.txt").write_text(LEASE.format(901 + number))
            update = json.loads(process.stdout.readline())
            answers.append(round(time.perf_counter() - began, 2))
            answer = next(asked for asked in update["asked"] if "rent" in asked["question"])
            assert re.search(rf"\b{901 + number} euros", json.dumps(answer["answer"])), answer
            (folder / f"note{number:05}.txt").write_text(f"Report of another site {number}\n\nnothing of interest.\n")
            update = json.loads(process.stdout.readline())
            assert len(update["kept"]) == 2, update
            calls += update["usage"]["calls"]
        process.terminate()
    return {"seconds": answers, "median": median(answers), "most": max(answers), "calls of other changes": calls}


def main() -> None:
    """Parse the arguments, measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        write_folder(Path(place) / "folder", options.files)
        row = {"files": options.files, **measured(Path(place), options.rounds)}
    sys.stdout.write("\n".join(f"{name}: {value}" for name, value in row.items()) + "\n")
    if options.json is not None:
        options.json.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
