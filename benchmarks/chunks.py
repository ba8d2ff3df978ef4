"""Measures the memory that a ChunkTeacher needs for generated data of different sizes, each in a separate process.

    python benchmarks/chunks.py [--megabytes 10 100 1000] [--buffer 1000] [--json FILE]

Each sample is a text of 5,000 characters, and each chunk has 2,000 samples (10 MB). `in order` reads the samples one by
one; `shuffled` keeps one chunk at a time in memory and draws its samples in random order. Prints a table with the peak
resident memory above that before the first sample, and the number of samples read per second.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import ChunkTeacher

_CHARACTERS = 5_000
_PER_CHUNK = 2_000
_DATATYPES = {"in order": "valid", "shuffled": "train"}


class Generated(ChunkTeacher[str]):
    """Generates its samples on demand."""

    def get_num_samples(self, opt: Opt) -> tuple[int, int]:
        """Return the number in the option `samples`; each sample is an episode."""
        samples = opt.number("samples", 0)
        return samples, samples

    def get_fold_chunks(self, opt: Opt) -> list[int]:
        """Return enough chunks for all samples."""
        return list(range(-(-opt.number("samples", 0) // _PER_CHUNK)))

    def load_from_chunk(self, chunk_idx: int) -> Iterator[str]:
        """Yield different texts."""
        return (f"{chunk_idx} {number} ".ljust(_CHARACTERS, "x") for number in range(_PER_CHUNK))

    def create_message(self, queue_output: str, entry_idx: int = 0) -> Message:
        """Return the text as a question."""
        return Message(text=queue_output, labels=["y"], episode_done=True)

    def get_buffersize(self) -> int:
        """Return the number in the option `buffer`."""
        return self.opt.number("buffer", 1)


def read(name: str, megabytes: int, buffer: int) -> dict[str, object]:
    """Read the given number of megabytes of samples in this process, and return the measurements."""
    samples = megabytes * 1_000_000 // _CHARACTERS
    teacher = Generated({"datatype": _DATATYPES[name], "samples": samples, "buffer": buffer, "task": "generated"})
    before, began, characters = _peak(), time.perf_counter(), 0
    for _ in range(samples):
        characters += len(teacher.act().text)
    seconds = time.perf_counter() - began
    teacher.shutdown()
    peak = (_peak() - before) / 1e6
    return {"megabytes": characters / 1e6, "peak_mb": round(peak, 1), "samples_per_second": round(samples / seconds)}


def _peak() -> int:
    """Return the peak resident memory of this process in bytes (Linux reports it in kilobytes)."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Measure each order at each size, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100, 1_000])
    parser.add_argument("--buffer", type=int, default=1_000, help="number of samples loaded in advance")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--read", nargs=2, metavar=("ORDER", "MEGABYTES"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read is not None:
        print(json.dumps(read(given.read[0], int(given.read[1]), given.buffer)))
        return
    rows = []
    print("| order | data, MB | peak above the start, MB | samples/s |\n|---|---:|---:|---:|")
    for name in _DATATYPES:
        for megabytes in given.megabytes:
            command = [sys.executable, __file__, "--buffer", str(given.buffer), "--read", name, str(megabytes)]
            row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            rows.append({"order": name, **row})
            print(f"| {name} | {row['megabytes']:,.0f} | {row['peak_mb']:,.1f} | {row['samples_per_second']:,} |")
    if given.json is not None:
        given.json.write_text(json.dumps({"buffer": given.buffer, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
