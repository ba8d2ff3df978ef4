"""Evaluates the answers to questions about invented folders of a few short files, without a language model.

    python benchmarks/small_folders.py [--held-back] [--list] [--folder NAME ...]

The folders and their questions are in `small_folders.toml`. For questions with and without an answer, the benchmark
prints how many are answered, answered in part, given passages or not answered, and in how many the first statement
contains the known answer. With --list, it prints each question with its status and first statement. Finally, it prints
how many conflicts between documents and how many lists of things are shown correctly.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from investigator import Investigator
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.language.normalise import one_line
from investigator.records import Answer, AnswerStatus, Record

FILE = Path(__file__).with_suffix(".toml")
SHOWN = (AnswerStatus.ANSWERED, AnswerStatus.ANSWERED_IN_PART, AnswerStatus.PASSAGES_FOUND)


class Asked(Record):
    """A question, and words of its answer; "" if its folder contains no answer.

    `conflict` contains the conflicting values in its documents, and `rows` contains words of each thing to list.
    """

    question: str
    answer: str = ""
    conflict: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


class Folder(Record):
    """Short texts by file name, and the questions about them."""

    name: str
    documents: dict[str, str]
    questions: tuple[Asked, ...]
    held_back: bool = False


class Folders(Record):
    """All folders of the file."""

    folders: tuple[Folder, ...]


def outcomes(folder: Folder, directory: Path, embedder: SentenceTransformerEmbedder) -> Iterator[tuple[Asked, Answer]]:
    """Write the files of a folder and ask its questions as a user would."""
    documents = directory / folder.name
    documents.mkdir()
    for name, text in folder.documents.items():
        (documents / name).write_text(text.lstrip(), "utf-8")
    investigator = Investigator(documents, workspace=directory / f"{folder.name}-workspace", embedder=embedder)
    for asked in folder.questions:
        yield asked, investigator.ask(asked.question)


def is_right(asked: Asked, answer: Answer) -> bool:
    """Return True if the first statement contains the known answer."""
    return bool(answer.claims) and asked.answer in one_line(answer.claims[0].text)


def conflict_outcome(asked: Asked, answer: Answer) -> str:
    """Compare the displayed conflicts with the actual ones."""
    shown = [side.value for conflict in answer.conflicts for side in conflict.sides]
    if asked.conflict:
        all_shown = all(any(value in one for one in shown) for value in asked.conflict)
        return "shown" if all_shown else "missed" if not shown else "other values"
    return "false" if shown else "none"


def list_outcome(asked: Asked, answer: Answer) -> str:
    """Compare the statements with the things to list."""
    stated = [one_line(claim.text) for claim in answer.claims]
    held = [any(row in text for text in stated) for row in asked.rows]
    if not all(held):
        return "incomplete" if any(held) else "missed"
    return "complete" if len(stated) == len(asked.rows) else "too many"


def lines_of_conflicts_and_lists(found: list[tuple[Asked, Answer]]) -> str:
    """Return two lines with the numbers of conflicts and lists that are displayed correctly."""
    conflicts = Counter(conflict_outcome(*pair) for pair in found)
    lists = Counter(list_outcome(*pair) for pair in found if pair[0].rows)
    return f"conflicts: {dict(conflicts)}\nlists: {dict(lists)}"


def table(found: list[tuple[Asked, Answer]]) -> str:
    """Return a Markdown table with a row for questions with an answer, and one for questions without."""
    lines = ["| questions | answered | in part | passages | silent | first statement right |", "| --- |" + " --: |" * 5]
    for name, has_answer in (("with an answer", True), ("without", False)):
        own = [(asked, answer) for asked, answer in found if bool(asked.answer) is has_answer]
        counts = Counter(answer.status for _, answer in own)
        silent = len(own) - sum(counts[status] for status in SHOWN)
        answered = [pair for pair in own if pair[1].status is AnswerStatus.ANSWERED]
        right = (
            f"{sum(is_right(*pair) for pair in own)} ({sum(is_right(*pair) for pair in answered)} of those answered)"
        )
        shown = " | ".join(str(counts[status]) for status in SHOWN)
        lines.append(f"| {len(own)} {name} | {shown} | {silent} | {right if has_answer else '-'} |")
    return "\n".join(lines)


def main() -> None:
    """Parse the arguments, ask the questions and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-back", action="store_true", help="ask the held-out questions")
    parser.add_argument("--list", action="store_true", help="also print each question")
    parser.add_argument("--folder", action="append", default=[], help="ask only about folders of this name")
    arguments = parser.parse_args()
    folders = Folders.model_validate(tomllib.loads(FILE.read_text("utf-8"))).folders
    embedder, found = SentenceTransformerEmbedder(), list[tuple[Asked, Answer]]()
    with tempfile.TemporaryDirectory() as directory:
        for folder in folders:
            if folder.held_back is arguments.held_back and folder.name in (arguments.folder or [folder.name]):
                found += outcomes(folder, Path(directory), embedder)
    if arguments.list:
        for asked, answer in found:
            mark = "right" if is_right(asked, answer) else "wrong" if answer.claims else ""
            first = answer.claims[0].text if answer.claims else answer.reason
            kind = "+" if asked.answer else "-"
            print(f"{kind} {answer.status:<17} {mark:<5} {asked.question} | {one_line(first)[:160]}")
            if (conflict := conflict_outcome(asked, answer)) != "none":
                print("  conflict", conflict, [side.value for one in answer.conflicts for side in one.sides])
            if asked.rows:
                print("  list", list_outcome(asked, answer), [one_line(claim.text)[:60] for claim in answer.claims])
    print(table(found))
    print(lines_of_conflicts_and_lists(found))


if __name__ == "__main__":
    main()
