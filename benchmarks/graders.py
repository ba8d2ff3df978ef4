"""Measures how well the measures of `eval folder` agree with people, on texts that annotators have judged.

    python benchmarks/graders.py SET_DIR [SET_DIR ...] [--split dev] [--others 20] [--json]

Sentences: for each question with evidence, the sentences of its right documents. A sentence counts as right if it
contains a span that the annotators marked, or if at least half of it is inside such a span; it counts as wrong if it is
outside all of them. All right sentences are used, and --others of the wrong ones, drawn at random with a fixed seed.
Each is graded as an answer that consists of this sentence and quotes it. Answers: for each question with answers from
several people, each answer is graded by the others and counts as right; the answer to the next question serves as a
wrong one.

For each measure, the benchmark prints the share of right texts graded as right, the share of wrong texts graded as
right, Cohen's kappa at 0.5, and the area under the ROC curve of its values, with intervals from resampling questions.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from investigator import Investigator
from investigator.cli.progress import shown
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question, read_questions
from investigator.evaluation.scoring import scores
from investigator.language.normalise import normalise
from investigator.language.sentences import sentence_spans
from investigator.records import AnswerStatus, Document, Quote

GRADED = (
    Measure.CITED_HIT,
    *(Measure.EVIDENCE_HIT, Measure.EVIDENCE_WHOLE, Measure.EVIDENCE_RECALL, Measure.RIGHT),
    *(Measure.ANSWER_F1, Measure.ANSWER_EXACT, Measure.ANSWER_CONTAINS),
)
"""The measures that grade what is said or quoted, and that some set has judgements for."""
_FEWEST_CHARACTERS = 25  # a shorter piece is a heading or the number of a list


@dataclass(frozen=True)
class Judged:
    """A person's judgement of a text, and its grades; `question` is the number of the question in its set."""

    question: int
    right: bool
    grades: dict[Measure, float]


def sentences(questions: Sequence[Question], document: Callable[[str], Document], others: int) -> Iterator[Judged]:
    """Yield sentences of right documents, judged by the evidence that annotators marked."""
    draw = random.Random(0)
    for number, question in enumerate(questions):
        if not question.answerable or not question.evidence:
            continue
        wrong: list[Quote] = []
        for name in sorted(question.documents):
            held = document(name)
            marked = list(_marked(held.text, question.evidence))
            for start, end in sentence_spans(held.text):
                quote = _quote(held, start, end)
                if len(quote.text) < _FEWEST_CHARACTERS:
                    continue
                inside = sum(max(0, min(end, last) - max(start, first)) for first, last in marked)
                if 2 * inside >= end - start or any(start <= first and last <= end for first, last in marked):
                    yield Judged(number, True, _graded(question, quote.text, quote))
                elif not inside and marked:
                    wrong.append(quote)
        for quote in draw.sample(wrong, min(others, len(wrong))):
            yield Judged(number, False, _graded(question, quote.text, quote))


def answers(questions: Sequence[Question]) -> Iterator[Judged]:
    """Yield people's answers, each judged as right for its own question and as wrong for the previous question."""
    several = [question for question in questions if len(set(question.answers or ())) > 1]
    for number, (question, following) in enumerate(pairwise([*several, *several[:1]])):
        for answer in question.answers or ():
            known = question.changed(answers=tuple(one for one in question.answers or () if one != answer))
            yield Judged(number, True, _graded(known, answer))
        yield Judged(number, False, _graded(question, (following.answers or ("",))[0]))


def agreement(judged: Sequence[Judged], measure: Measure) -> dict[str, Estimate] | None:
    """Return the figures of one measure; None if it does not apply to any text."""
    by_question: dict[int, list[tuple[bool, float]]] = {}
    for one in judged:
        if measure in one.grades:
            by_question.setdefault(one.question, []).append((one.right, one.grades[measure]))
    groups = list(by_question.values())

    def of(figure: Callable[[np.ndarray, np.ndarray], float | None]) -> Estimate | None:
        def resampled(rows: Iterable[int]) -> float | None:
            pairs = [pair for row in rows for pair in groups[row]]
            return figure(np.array([right for right, _ in pairs]), np.array([grade for _, grade in pairs]))

        value, draw = resampled(range(len(groups))), np.random.default_rng(0)
        values = [resampled(draw.integers(len(groups), size=len(groups))) for _ in range(1000)]
        if value is None:
            return None
        low, high = np.percentile([known for known in values if known is not None], (2.5, 97.5))
        return Estimate(value=value, low=float(low), high=float(high), questions=len(groups))

    figures = {
        "right graded as right": of(lambda right, grade: _share(grade[right])),
        "wrong graded as right": of(lambda right, grade: _share(grade[~right])),
        "kappa": of(_kappa),
        "area": of(lambda right, grade: float(roc_auc_score(right, grade)) if len(set(right)) == 2 else None),
    }
    return {name: figure for name, figure in figures.items() if figure is not None} if groups else None


def _graded(question: Question, answer: str, *quotes: Quote) -> dict[Measure, float]:
    outcome = Outcome(id=question.id, status=AnswerStatus.ANSWERED, answer=answer, citations=quotes)
    found = scores(question, outcome)
    wanted = GRADED if quotes else GRADED[-3:]
    return {measure: found[measure] for measure in wanted if measure in found}


def _marked(text: str, evidence: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of all occurrences of pieces of evidence in a text."""
    normalised = normalise(text)
    for piece in evidence:
        words = normalise(piece).text.strip()
        for found in re.finditer(re.escape(words), normalised.text) if words else ():
            yield normalised.span(*found.span())


def _quote(document: Document, start: int, end: int) -> Quote:
    text = document.text[start:end]
    return Quote(
        document_id=document.id, page=None, line=1, start=start, end=end, text=text, source_hash=document.content_hash
    )


def _share(grades: np.ndarray) -> float | None:
    return float((grades >= 0.5).mean()) if len(grades) else None


def _kappa(right: np.ndarray, grade: np.ndarray) -> float | None:
    said = grade >= 0.5
    chance = right.mean() * said.mean() + (1 - right.mean()) * (1 - said.mean())
    return float(((right == said).mean() - chance) / (1 - chance)) if chance < 1 else None


def main() -> None:
    """Parse the arguments, and evaluate the measures on each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET_DIR")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--others", type=int, default=20, help="number of wrong sentences for each question")
    parser.add_argument("--workspaces", type=Path, default=Path("workspaces"))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows: list[dict[str, object]] = []
    for folder in given.sets:
        questions = read_questions(folder / f"questions.{given.split}.jsonl")
        workspace = given.workspaces / f"folder-{folder.name}"
        investigator = Investigator(folder / f"docs_{given.split}", workspace=workspace)
        for _ in shown(investigator.index(), sys.stderr):
            pass
        with investigator.library() as library:
            kinds = {
                "sentences": list(sentences(questions, library.document, given.others)),
                "answers": list(answers(questions)),
            }
        for kind, judged in kinds.items():
            for measure in GRADED:
                if found := agreement(judged, measure):
                    counts = {"right": sum(one.right for one in judged), "wrong": sum(not one.right for one in judged)}
                    rows.append({"set": folder.name, "judged": kind, **counts, "measure": measure.label, **found})
    print(json.dumps(rows, default=lambda one: one.model_dump(), indent=2) if given.json else table(rows))


def table(rows: Sequence[dict[str, object]]) -> str:
    """Return the figures as a Markdown table."""
    heading = tuple(dict.fromkeys(name for row in rows for name in row))
    lines = [heading, tuple("---" for _ in heading)]
    lines += [tuple(_cell(row.get(name)) for name in heading) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, Estimate):
        return f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"
    return "-" if value is None else str(value)


if __name__ == "__main__":
    main()
