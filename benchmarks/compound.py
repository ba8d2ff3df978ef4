"""Counts how many compound questions are split correctly. No documents are read.

    python benchmarks/compound.py SET_DIR [SET_DIR ...] [--list]

Each pair of consecutive questions in a set yields two compound questions: one after the other, and joined by "and". The
benchmark prints the share of compounds in which both questions are found as parts and, with --list, the other
compounds. `Answer.unanswered` names each part that no statement meets, so a question that is found as a part is never
ignored.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from investigator.evaluation.questions import read_questions
from investigator.language.terms import is_english, words
from investigator.questions.parts import taken_apart

ASKS = ("who", "what", "when", "where", "which", "why", "how")


def compounds(questions: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield compounds of two questions, each with the two; all questions begin with a question word."""
    asking = [q for q in questions if q.lower().startswith(ASKS)]
    fitting = [q.strip().rstrip("?").strip() for q in asking if is_english(q) and "." not in q]
    for one, other in pairwise(fitting):
        if len(taken_apart(one)) == len(taken_apart(other)) == 1:
            yield f"{one}? {other}?", (one, other)
            yield f"{one} and {other[0].lower()}{other[1:]}?", (one, other)


def is_taken_apart(compound: str, held: tuple[str, str]) -> bool:
    """Return True if the parts of a compound are its two questions, apart from names in place of pronouns."""
    parts = [_own_words(part.question) for part in taken_apart(compound)]
    wanted = [_own_words(question) for question in held]
    return len(parts) == len(wanted) and all(part[: len(own)] == own for part, own in zip(parts, wanted, strict=True))


def _own_words(question: str) -> list[str]:
    return [word for word in words(question) if word != "and"]


def main() -> None:
    """Parse the arguments, split the questions and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="print the questions that are not split correctly")
    arguments = parser.parse_args()
    print("| set | compound questions | both are parts |\n| --- | --: | --: |")
    for directory in arguments.sets:
        questions = [row.question for row in read_questions(directory / "questions.dev.jsonl")]
        found = [(compound, is_taken_apart(compound, held)) for compound, held in compounds(questions)]
        print(f"| {directory.name} | {len(found)} | {sum(right for _, right in found) / max(1, len(found)):.3f} |")
        for compound in (compound for compound, right in found if arguments.list and not right):
            print(f"  {compound} -> {[part.question for part in taken_apart(compound)]}")


if __name__ == "__main__":
    main()
