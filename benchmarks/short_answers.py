"""Measures how often a number, date, name or place extracted from an answer is the known one, for each possible gate.

    python -m benchmarks.short_answers SET_DIR [SET_DIR ...] [--questions FILE] [--split dev] [--limit N]

Each SET_DIR contains the folder `docs_SPLIT` and `questions.SPLIT.jsonl`; `--questions` reads other rows, of which
those for each set are asked. Only answers found without a language model are examined: the first statement, and the
things in it that are of the requested kind and not named by the question. A gate is precise enough if it reaches 0.95.
Indexes and runs are kept in --workspaces, as in `benchmarks/folders.py`: a question that was asked there is not asked
again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from investigator import Investigator
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.language.terms import folded
from investigator.questions.answer_types import AnswerType, expected_type, spans
from investigator.records import Answer, AnswerStatus

_OFFERED = (AnswerType.NUMBER, AnswerType.DATE, AnswerType.NAME, AnswerType.PLACE)
_SPLIT_COMMA = re.compile(r"\s+,")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Offered:
    """The possible short answers to one answered question, in order, and the known answers."""

    kind: AnswerType
    things: tuple[str, ...]
    is_cell: bool
    is_one_sentence: bool
    known: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Return True if a known answer contains the first thing."""
        first = _plain(self.things[0])
        return any(f" {first} " in f" {_plain(known)} " for known in self.known)


GATES: Mapping[str, Callable[[Offered], bool]] = {
    "any, the first one": lambda one: True,
    "one or two": lambda one: len(one.things) <= 2,
    "one alone": lambda one: len(one.things) == 1,
    "one alone, in one sentence": lambda one: len(one.things) == 1 and one.is_one_sentence,
    "one alone, a number or a date": lambda one: len(one.things) == 1 and one.kind in _OFFERED[:2],
    "a cell of a table": lambda one: one.is_cell,
}


def offered(question: str, answer: Answer, known: Sequence[str]) -> Offered | None:
    """Return the possible short answers of an answer; None if it contains nothing of the requested kind."""
    kind = expected_type(question)
    if answer.status is not AnswerStatus.ANSWERED or not answer.claims or kind not in _OFFERED:
        return None
    claim = answer.claims[0]
    cell = next((quote.cell for quote in claim.quotes if quote.cell is not None), None)
    text = _SPLIT_COMMA.sub(",", claim.text)
    things = (cell.value,) if cell is not None else tuple(dict.fromkeys(spans(kind, text, question)))
    alone = claim.text.rstrip().count(". ") == 0
    return Offered(kind, things, cell is not None, alone, tuple(known)) if things else None


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(folded(text)))


def looked_at(folder: Path, rows: Sequence[dict[str, object]], arguments: argparse.Namespace) -> Iterator[Offered]:
    """Ask the questions about one folder."""
    workspace = arguments.workspaces / f"folder-{folder.name}"
    documents = folder / f"docs_{arguments.split}"
    investigator = Investigator(documents, workspace=workspace, embedder=SentenceTransformerEmbedder())
    for row in rows[: arguments.limit]:
        known = row["answers"] if row["answerable"] and isinstance(row["answers"], list) else []
        found = offered(str(row["question"]), investigator.ask(str(row["question"])), [str(one) for one in known])
        if found is not None:
            yield found


def table(found: Sequence[Offered]) -> str:
    """Return a Markdown table with a row for each gate."""
    lines = ["| gate | offered | right | precision |", "| --- | --: | --: | --: |"]
    for name, passes in GATES.items():
        own = [one for one in found if passes(one)]
        right = sum(one.is_right for one in own)
        lines.append(f"| {name} | {len(own)} | {right} | {f'{right / len(own):.2f}' if own else '-'} |")
    return "\n".join(lines)


def main() -> None:
    """Parse the arguments, ask the questions and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    arguments = parser.parse_args()
    found: list[Offered] = []
    for folder in (one.resolve() for one in arguments.sets):
        lines = (arguments.questions or folder / f"questions.{arguments.split}.jsonl").read_text("utf-8").splitlines()
        rows = [row for row in map(json.loads, lines) if row.get("set", folder.name) == folder.name]
        found += looked_at(folder, rows, arguments)
    print(table(found))


if __name__ == "__main__":
    main()
