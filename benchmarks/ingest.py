"""Compares ingestion with the pipeline that people build with LangChain, on the same folder in the same run.

    python benchmarks/ingest.py FOLDER --question "..." --langchain-python langchain-venv/bin/python
        [--questions FILE.jsonl] [--rounds N] [--only ours|langchain] [--json FILE]
    python benchmarks/ingest.py FOLDER --memory 100000 [--embedder model|hash] [--json FILE]

LangChain runs in a separate environment; langchain_pipeline.py describes how to create it and what the pipeline does.
It gets the same weights and the same cores. pdf_folder.py creates a folder of 1,000 or more PDF pages. In each round,
the two sides run one after the other, each from scratch; times are measured from the start of a process to its exit
(for LangChain, to the end of the stage). Memory is the resident memory of the whole process tree. Before the first
round, both sides index one small file, and every file is read once, so that neither side pays for a cold disk. Times
are medians over the rounds, and ratios are medians of the rounds' ratios.

First cited answer: for our side, `investigator ask` on the new folder with the built-in engine; for LangChain, the end
of `similarity_search(question, k=4)` after its index is complete. At that point LangChain has no answer yet, because a
language model would have to be called. This call is not counted, so the ratio is a lower bound.

The complete index contains the vectors of all passages. Vectors of sentences, which LangChain does not compute, are
added later and measured separately.

With --questions (rows with question, answerable, doc_ids, evidence; see retrieval_quality.py), the first ten passages
from the whole folder are evaluated, too. With --memory, text for about that many chunks is generated from the words of
FOLDER's text files and indexed, and only memory is measured; `--embedder hash` uses word counts in place of vectors,
and keeps the model in memory without using it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from ingest_runs import (
    LangChainRound,
    OurRound,
    langchain_round,
    our_command,
    our_passages,
    our_python,
    our_round,
)
from ingest_tables import MB, Row, quality_lines, ratios, speed_lines, table
from retrieval_quality import Quality, quality, read_questions

_WARM_UP = "The lighthouse of Alexandria stood on the island of Pharos.\n"
_MEMORY_LOAD = Path(__file__).with_name("memory_load.py")


def main() -> None:
    """Parse the arguments, measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--question", help="question about the new folder")
    parser.add_argument("--questions", type=Path, help="questions with their right documents, to evaluate the search")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", choices=("ours", "langchain"))
    parser.add_argument("--langchain-python", type=Path, help="interpreter of LangChain's environment")
    parser.add_argument("--memory", type=int, metavar="N", help="only measure memory, with about N chunks")
    parser.add_argument("--embedder", choices=("model", "hash"), default="model", help="embedder for --memory")
    parser.add_argument("--json", type=Path, help="also write all numbers to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ingest-") as work:
        if arguments.memory:
            lines, numbers = memory(arguments.folder, arguments.memory, arguments.embedder == "hash", Path(work))
        else:
            if not arguments.question:
                parser.error("--question is required")
            if arguments.only != "ours" and arguments.langchain_python is None:
                parser.error("--langchain-python or --only ours is required")
            lines, numbers = compared(arguments, Path(work))
    print("\n".join(lines))
    if arguments.json:
        arguments.json.write_text(json.dumps(numbers, indent=2) + "\n", "utf-8")


def compared(arguments: argparse.Namespace, work: Path) -> tuple[list[str], dict[str, object]]:
    """Run the rounds of both sides; return lines to print, and numbers."""
    folder: Path = arguments.folder
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    documents = frozenset(file.relative_to(folder).as_posix() for file in files)
    questions = read_questions(arguments.questions, documents) if arguments.questions else ()
    ours: list[OurRound] = []
    theirs: list[LangChainRound] = []

    def run(where: Path, base: Path) -> None:
        if arguments.only != "langchain":
            ours.append(our_round(where, arguments.question, base / "ours"))
        if arguments.only != "ours":
            asked = questions if base.name == str(arguments.rounds) else ()
            theirs.append(
                langchain_round(where, arguments.question, base / "langchain", arguments.langchain_python, asked)
            )

    _warm_up(files, work / "warm-up", run)
    ours.clear()
    theirs.clear()
    for number in range(1, arguments.rounds + 1):
        run(folder, work / str(number))
    judged: dict[str, Quality] = {}
    if questions and ours:
        complete, text = ours[-1].workspace / "complete", ours[-1].workspace / "text"
        judged["ours, complete"] = quality(questions, our_passages(folder, complete, questions))
        judged["ours, before vectors"] = quality(questions, our_passages(folder, text, questions))
    if questions and theirs:
        judged["LangChain"] = quality(questions, theirs[-1].found)
    numbers: dict[str, object] = {
        "folder": str(folder),
        "cores": os.cpu_count(),
        "rounds": {"ours": [_numbers(r) for r in ours], "langchain": [_numbers(r) for r in theirs]},
        "ratios": ratios(ours, theirs),
        "quality": {name: asdict(found) for name, found in judged.items()},
    }
    return [*speed_lines(ours, theirs), *quality_lines(judged)], numbers


def _warm_up(files: Sequence[Path], work: Path, run: Callable[[Path, Path], None]) -> None:
    folder = work / "folder"
    folder.mkdir(parents=True)
    (folder / "one.txt").write_text(_WARM_UP, "utf-8")
    run(folder, work)
    for file in files:
        file.read_bytes()


def _numbers(run: OurRound | LangChainRound) -> dict[str, object]:
    return {name: value for name, value in asdict(run).items() if name not in ("found", "workspace")}


def memory(folder: Path, chunks: int, hash_words: bool, work: Path) -> tuple[list[str], dict[str, object]]:
    """Measure the peak memory of indexing generated text, without and with vectors; return lines and numbers."""
    generated, workspace = work / "generated", work / "workspace"
    our_python(_MEMORY_LOAD, "write", folder, generated, "--chunks", str(chunks))
    if hash_words:
        text = our_python(_MEMORY_LOAD, "index", generated, workspace)
        vectors = our_python(_MEMORY_LOAD, "index", generated, workspace, "--vectors")
    else:
        text = our_command("index", generated, "--workspace", workspace)
        vectors = our_command("index", generated, "--vectors", "--workspace", workspace)
    told = our_command("index", generated, "--dry-run", "--workspace", workspace, "--json").output
    made = sum(json.loads(line)["chunks"] for line in told.splitlines())
    rows: list[Row] = [(f"{made:,} chunks", "seconds", "peak memory, MB")]
    rows += [
        (name, f"{step.seconds:,.1f}", f"{step.peak_memory / MB:,.0f}")
        for name, step in (("text and words", text), ("counted words" if hash_words else "vectors", vectors))
    ]
    numbers: dict[str, object] = {
        "chunks": made,
        "embedder": "hash" if hash_words else "model",
        "text": {"seconds": text.seconds, "peak_memory": text.peak_memory},
        "vectors": {"seconds": vectors.seconds, "peak_memory": vectors.peak_memory},
    }
    return table(rows), numbers


if __name__ == "__main__":
    main()
