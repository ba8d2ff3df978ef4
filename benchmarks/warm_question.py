"""Measures the processor time and the seconds of a question on an index with all vectors, and the cost of starting.

    python benchmarks/warm_question.py FOLDER [--against CHECKOUT] [--rounds N] [--busy N] [--json FILE]

Each round runs the commands in turn with the code of this checkout and, if given, of another one (with a separate copy
of the folder, indexed with --vectors beforehand), so that other work on the machine affects both alike. For processor
time (including child processes), the minimum over the rounds is reported; for seconds, the median. The reference, which
only imports libraries, shows how fast the machine was in the meantime. Bytecode is kept, as in an installed package.
For a question, the processor time up to the first line of progress is also reported (Linux). With --busy, the question
is asked again while that many processes compute at the same time; its seconds are compared with the fair share: its
processor time, multiplied by the number of busy processes including itself, and divided by the number of cores.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parents[1]
QUESTIONS = ("How many children were given zinc in the trial?", "Does iodine help in pregnancy?")
Row = dict[str, str | float]


class Checkout:
    """The code of one checkout, with a separate workspace and copy of the folder."""

    def __init__(self, root: Path, folder: Path, place: Path) -> None:
        self.root = root
        self._folder = Path(shutil.copytree(folder, place / "documents"))
        self._workspace = place / "workspace"
        self.index_seconds = self.run("-m", "investigator", "index", self._folder, "--vectors", *self._kept)[0]

    @property
    def _kept(self) -> tuple[str, str]:
        return "--workspace", str(self._workspace)

    def commands(self) -> dict[str, Sequence[str | Path]]:
        """Return the measured commands by name, as arguments of `python`."""
        asked = {
            question: ("-m", "investigator", "ask", self._folder, question, "--fresh", *self._kept)
            for question in QUESTIONS
        }
        return {
            "reference": ("-c", "import jinja2, pydantic_settings, sqlalchemy, typer"),
            "import investigator": ("-c", "import investigator"),
            "--help": ("-m", "investigator", "--help"),
            **asked,
        }

    def run(self, *words: str | Path) -> tuple[float, float]:
        """Run Python with these arguments; return the processor time and the wall time in seconds."""
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(  # runs in the checkout, because `python -m` searches it first
            [sys.executable, *map(str, words)], cwd=self.root, env=self._environment, capture_output=True, text=True
        )
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 3, 4, 5):
            raise SystemExit(done.stderr)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds

    def first_line(self, *words: str | Path) -> tuple[float, float]:
        """Like `run`, but measure only up to the first line on standard error."""
        began, command = time.perf_counter(), [sys.executable, *map(str, words)]
        with subprocess.Popen(
            command, cwd=self.root, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as process:
            assert process.stderr is not None
            process.stderr.readline()
            seconds = time.perf_counter() - began
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            process.communicate()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), seconds

    @property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**kept, "PYTHONPATH": str(self.root), "HF_HUB_OFFLINE": "1"}


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep the given number of processes busy."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measured(checkouts: Sequence[Checkout], rounds: int) -> list[Row]:
    """Return a row for each command and checkout."""
    seen: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for checkout in checkouts:
            for name, words in checkout.commands().items():
                seen.setdefault((name, str(checkout.root)), []).append(checkout.run(*words))
                if name in QUESTIONS:
                    line = seen.setdefault((f"first line: {name}", str(checkout.root)), [])
                    line.append(checkout.first_line(*words))
    return [
        {
            "command": name,
            "code": root,
            "processor seconds": round(min(cpu for cpu, _ in runs), 3),
            "seconds": round(median(wall for _, wall in runs), 3),
        }
        for (name, root), runs in seen.items()
    ]


def main() -> None:
    """Parse the arguments, measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    roots = [HERE, *([options.against.resolve()] if options.against else [])]
    with tempfile.TemporaryDirectory() as place:
        checkouts = []
        for number, root in enumerate(roots):
            (Path(place) / str(number)).mkdir()
            checkouts.append(Checkout(root, options.folder, Path(place) / str(number)))
        found = measured(checkouts, options.rounds)
        found += [
            {
                "command": "index --vectors",
                "code": str(checkout.root),
                "processor seconds": round(checkout.index_seconds, 3),
            }
            for checkout in checkouts
        ]
        if options.busy:
            share = (options.busy + 1) / (os.cpu_count() or 1)
            with busy(options.busy):
                for row in measured(checkouts, options.rounds):
                    fair = float(row["processor seconds"]) * max(1.0, share)
                    found.append({**row, "busy": options.busy, "of fair share": round(float(row["seconds"]) / fair, 2)})
    for row in found:
        sys.stdout.write("  ".join(f"{name} {value}" for name, value in row.items()) + "\n")
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
