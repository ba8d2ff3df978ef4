"""Forms small folders with questions from a question set, by a fixed rule."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from investigator.evaluation.lines import ForeignRow
from investigator.evaluation.questions import Question
from investigator.files.text_lines import json_rows

_SUFFIX = ".txt"  # both sides read plain text the same way


class SetMeta(ForeignRow):
    """The metadata of an unanswerable question: the document that comes closest to an answer."""

    near_miss_doc: str | None = None


class SetQuestion(Question):
    """A question of a set."""

    meta: SetMeta | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """Return the documents that answer the question or, if none does, the closest one."""
        nearest = self.meta.near_miss_doc if self.meta else None
        return tuple(sorted(self.documents)) or ((nearest,) if nearest else ())


@dataclass(frozen=True)
class Case:
    """A folder's documents (paths inside the set's folder) and the questions to ask of it."""

    documents: tuple[str, ...]
    questions: tuple[SetQuestion, ...]


def dealt(set_directory: Path, split: str, documents: int, questions: int) -> tuple[Case, ...]:
    """Return folders of `documents` documents with `questions` questions in total, in the order of the question file.

    Questions about text files are taken in order. Their documents are added to a folder until those of the next
    question do not fit, which start a new folder. If the last folder is not full, text files are added to it by name.
    The folders do not depend on the number of questions. Raises DataError.
    """
    folder = set_directory / f"docs_{split}"
    rows = [row for _, row in json_rows(set_directory / f"questions.{split}.jsonl", SetQuestion)]
    there = sorted(file.relative_to(folder).as_posix() for file in folder.rglob(f"*{_SUFFIX}"))
    usable = [row for row in rows if row.about and set(row.about) <= set(there) and len(row.about) <= documents]
    found, left = [], questions
    for case in _packed(usable, documents):
        if left <= 0:
            break
        spare = [name for name in there if name not in case.documents][: documents - len(case.documents)]
        found.append(Case((*case.documents, *spare), case.questions[:left]))
        left -= len(case.questions)
    return tuple(found)


def copied(case: Case, source: Path, target: Path) -> None:
    """Create the folder of a case."""
    for name in case.documents:
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, file)


def _packed(rows: Sequence[SetQuestion], documents: int) -> Iterator[Case]:
    held: dict[str, None] = {}
    asked: list[SetQuestion] = []
    for row in rows:
        if len(held.keys() | set(row.about)) > documents:
            yield Case(tuple(held), tuple(asked))
            held, asked = {}, []
        held |= dict.fromkeys(row.about)
        asked.append(row)
    if asked:
        yield Case(tuple(held), tuple(asked))
