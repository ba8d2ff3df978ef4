"""Seconds a question takes without a model, by its kind: in a folder of real documents, and over many small ones.

    python benchmarks/question_times.py SETS_DIR [--split dev] [--documents 100] [--small 1000] [--workspaces DIR]

The folder of real documents holds as many of each set as of the others, in the order of their names; the small ones are
made by rule. Both are indexed first, with vectors. Prints for each kind the processor time of one question, the less of
two, and the seconds of the first and of the second time that it is asked.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import time
from collections.abc import Sequence
from itertools import chain, zip_longest
from pathlib import Path

from investigator import Investigator

OF_REAL = (
    ("fact", "Who wrote the song?"),
    ("look-up", "What were Apple's total net sales in the quarter ended July 1, 2023?"),
    ("difference", "How much did Amazon's net sales grow from Q3 2022 to Q3 2023?"),
    ("which", "Which documents mention share repurchases?"),
    ("count", "How many documents mention malaria?"),
    ("comparison", "Compare the operating income of Amazon and Apple."),
    ("trend", "How did AWS sales move from quarter to quarter?"),
    ("why", "Why did Services net sales increase?"),
    ("summary", "Summarise Amazon's third quarter of 2023 in five bullets."),
    ("yes or no", "Did AWS sales increase in Q3 2023?"),
    ("contradiction", "Do the reports disagree about net sales?"),
    ("any contradiction", "Which statements contradict each other?"),
    ("not there", "How many elephants live in Sweden?"),
)
OF_SMALL = (
    ("which", "Which notes mention the harbour?"),
    ("list", "List all notes about the ferry."),
    ("count", "How many notes mention the mill?"),
    ("contradiction", "Which statements contradict each other?"),
)
_PLACES = ("harbour", "mill", "ferry", "market", "library", "bridge", "school", "theatre")


def real_folder(sets: Path, split: str, count: int, folder: Path) -> Path:
    """Copy documents of all sets, in turn, until there are so many."""
    if not folder.exists():
        folder.mkdir(parents=True)
        every = [sorted((one / f"docs_{split}").glob("*")) for one in sorted(sets.iterdir()) if one.is_dir()]
        chosen = [path for path in chain.from_iterable(zip_longest(*every)) if path is not None and path.is_file()]
        for path in chosen[:count]:
            shutil.copy(path, folder / path.name)
    return folder


def small_folder(count: int, folder: Path) -> Path:
    """Write short notes, each about one place."""
    if not folder.exists():
        folder.mkdir(parents=True)
        for number in range(count):
            place = _PLACES[number % len(_PLACES)]
            text = f"Note {number} of the town\n\nThe {place} was visited by {200 + number} people on day {number}.\n"
            (folder / f"note-{number:05}.txt").write_text(f"{text}The weather was fair, and nothing was repaired.\n")
    return folder


def timed(folder: Path, workspace: Path, questions: Sequence[tuple[str, str]]) -> list[tuple[str, float, float, float]]:
    """Ask each question twice; return its kind with the less of two processor times, and the seconds of both."""
    investigator = Investigator(folder, workspace=workspace)
    for _ in investigator.index(vectors=True):
        pass
    investigator.ask("What is this about?", fresh=True)
    found = []
    for kind, question in questions:
        runs: list[tuple[float, float]] = []
        for _ in range(2):
            began, before = time.perf_counter(), _processor_time()
            investigator.ask(question, fresh=True)
            runs.append((_processor_time() - before, time.perf_counter() - began))
        (used, first), (used_again, second) = runs
        found.append((kind, min(used, used_again), first, second))
    return found


def _processor_time() -> float:
    return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    """Read the arguments, make the folders, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    arguments = parser.parse_args()
    made = arguments.workspaces
    small = small_folder(arguments.small, made / f"small-{arguments.small}")
    real = real_folder(arguments.sets, arguments.split, arguments.documents, made / f"real-{arguments.documents}")
    print("| folder | kind | processor time, s | first, s | second, s |\n| --- | --- | --: | --: | --: |")
    for folder, questions in ((small, OF_SMALL), (real, OF_REAL)):
        for kind, used, first, second in timed(folder, made / f"index-{folder.name}", questions):
            print(f"| {folder.name} | {kind} | {used:.2f} | {first:.2f} | {second:.2f} |", flush=True)


if __name__ == "__main__":
    main()
