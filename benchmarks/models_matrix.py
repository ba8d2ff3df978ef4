"""Fills a matrix of trials, each with a question that only it answers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from models_rows import SetQuestion, drawn, keep_row, near_miss_pairs
from models_sides import Setup
from models_tables import markdown, share

from investigator.evaluation.answer_text import overlaps, says
from investigator.records import CellStatus, Matrix, MatrixCell, Record
from investigator.services.run_records import RunOptions

_SET = "trials"


class FilledMatrix(Record):
    """A matrix, and the questions in the order of its columns."""

    questions: tuple[SetQuestion, ...]
    matrix: Matrix

    @property
    def cells(self) -> list[tuple[SetQuestion, MatrixCell]]:
        """Return each cell with its question."""
        return [(self.questions[cell.question - 1], cell) for cell in self.matrix.cells]


def filled_matrix(setup: Setup, arguments: argparse.Namespace) -> FilledMatrix:
    """Ask each drawn trial the questions about all of them, and store the matrix with the rows."""
    sets, split = arguments.sets, arguments.split
    by_document: dict[str, SetQuestion] = {}
    every = [first for first, _ in near_miss_pairs(sets, split) if first.set == _SET]
    for question in drawn(every, len(every), arguments.seed):
        if len(question.documents) == 1:
            by_document.setdefault(min(question.documents), question)
    chosen = dict(list(by_document.items())[: arguments.matrix])
    investigator = setup.investigator(sets / _SET / f"docs_{split}")
    for _ in investigator.index(vectors=True):
        pass
    questions = [question.wording for question in chosen.values()]
    matrix = investigator.matrix(questions, RunOptions(only=tuple(chosen), fresh=True))
    filled = FilledMatrix(questions=tuple(chosen.values()), matrix=matrix)
    keep_row(arguments.rows.with_suffix(".matrix.jsonl"), filled)
    return filled


def matrix_table(filled: FilledMatrix) -> str:
    """Return the cells by status: those whose document answers, and the others."""
    own = [(question, cell) for question, cell in filled.cells if cell.document_id in question.documents]
    others = [(question, cell) for question, cell in filled.cells if cell.document_id not in question.documents]
    stated = [pair for pair in own if pair[1].status is CellStatus.STATED]
    usage = filled.matrix.usage
    lines = [
        ["matrix", "cells whose document answers", "other cells"],
        *([status, _share(status, own), _share(status, others)] for status in CellStatus),
        ["stated and right", share(sum(_is_right(*pair) for pair in stated), len(stated)), "-"],
        ["calls, tokens", f"{usage.calls}, {usage.tokens:,}", "-"],
    ]
    return markdown(lines)


def _share(status: CellStatus, pairs: Sequence[tuple[SetQuestion, MatrixCell]]) -> str:
    return share(sum(cell.status is status for _, cell in pairs), len(pairs))


def _is_right(question: SetQuestion, cell: MatrixCell) -> bool:
    """Return True if a cell gives a known answer, or quotes known evidence."""
    quoted = any(overlaps(quote.text, piece) for quote in cell.quotes for piece in question.evidence or ())
    return quoted or any(says(cell.text, answer) for answer in question.answers or ())
