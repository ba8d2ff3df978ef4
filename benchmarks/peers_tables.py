"""Evaluates the quality and cost of both sides of `peers.py` with the same functions, and formats the tables. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median

from peers_cases import SetQuestion
from peers_sides import Said

from investigator.evaluation.answer_text import Overlap, word_overlap
from investigator.evaluation.estimates import Estimate, mean_of
from investigator.evaluation.outcomes import SILENT
from investigator.records import AnswerStatus


@dataclass(frozen=True)
class Asked:
    """One question with the outcome of each side, by name."""

    folder: int
    question: SetQuestion
    said: Mapping[str, Said]

    def cites_right(self, side: str) -> float | None:
        """Return 1 if a right document is cited, 0 if not; None if no document contains the answer."""
        right = self.question.documents
        return float(not right.isdisjoint(self.said[side].cited)) if right else None

    def answer_f1(self, side: str) -> float | None:
        """Return token F1 with the most similar known answer, 0 without an answer; None if none is known."""
        known = self.question.answers
        return word_overlap(self.said[side].answer, known).f1 if known else None


def lines_of(asked: Sequence[Asked], sides: Sequence[str]) -> list[str]:
    """Return Markdown tables of all questions together, and of each question."""
    return [*_table(_summary(asked, sides)), "", *_table(_questions(asked, sides))]


def numbers_of(asked: Sequence[Asked], sides: Sequence[str]) -> dict[str, object]:
    """Return the same figures as values for JSON."""
    rows = [
        {
            "folder": one.folder,
            "id": one.question.id,
            "question": one.question.wording,
            "answerable": one.question.answerable,
            "about": one.question.about,
            **{
                side: {
                    **asdict(one.said[side]),
                    "cites_right": one.cites_right(side),
                    "answer_f1": one.answer_f1(side),
                }
                for side in sides
            },
        }
        for one in asked
    ]
    totals = {
        side: {
            "calls": sum(one.said[side].spent.calls for one in asked),
            "tokens": sum(one.said[side].spent.tokens for one in asked),
            "seconds": sum(one.said[side].seconds for one in asked),
            "cites_right": _value(_over(asked, side, Asked.cites_right)),
            "answer_f1": _value(_over(asked, side, Asked.answer_f1)),
            "no_answer": asdict(counts) if (counts := _silence(asked, side)) else None,
        }
        for side in sides
    }
    return {"totals": totals, "questions": rows}


def _summary(asked: Sequence[Asked], sides: Sequence[str]) -> list[tuple[str, ...]]:
    costs: tuple[tuple[str, Callable[[Said], float], str], ...] = (
        ("model calls", lambda said: said.spent.calls, "{:,.1f}"),
        ("- refused", lambda said: said.spent.refused, "{:,.1f}"),
        ("prompt tokens", lambda said: said.spent.input_tokens, "{:,.0f}"),
        ("reply tokens", lambda said: said.spent.output_tokens, "{:,.0f}"),
        ("seconds", lambda said: said.seconds, "{:,.1f}"),
        ("- of these in the model", lambda said: said.spent.seconds, "{:,.1f}"),
    )
    rows: list[tuple[str, ...]] = [(f"{len(asked)} questions, mean per question (median, maximum)", *sides)]
    rows += [
        (label, *(_spread([of(one.said[side]) for one in asked], form) for side in sides)) for label, of, form in costs
    ]
    rows.append(("right document cited", *(_shown(_over(asked, side, Asked.cites_right)) for side in sides)))
    rows.append(("answer, token F1", *(_shown(_over(asked, side, Asked.answer_f1)) for side in sides)))
    both = [_silence(asked, side) for side in sides]
    rows.append(("no answer: F1", *("-" if one is None else f"{one.f1:.3f}" for one in both)))
    return rows


def _questions(asked: Sequence[Asked], sides: Sequence[str]) -> list[tuple[str, ...]]:
    heading = [f"{side}: {what}" for side in sides for what in ("calls", "tokens", "seconds", "result")]
    rows: list[tuple[str, ...]] = [("question", *heading)]
    for one in asked:
        cells = [one.question.wording if one.question.answerable else f"{one.question.wording} (no answer)"]
        for side in sides:
            said = one.said[side]
            cells += [f"{said.spent.calls}", f"{said.spent.tokens:,}", f"{said.seconds:,.1f}", _worth(one, side)]
        rows.append(tuple(cells))
    return rows


def _worth(one: Asked, side: str) -> str:
    said = one.said[side]
    if said.status in (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR):
        return "none"
    f1, right = one.answer_f1(side), one.cites_right(side)
    parts = [said.status.replace("_", " "), *([] if f1 is None else [f"F1 {f1:.2f}"])]
    parts += [] if right is None else ["right document" if right else "not the right document"]
    return ", ".join(parts)


def _over(asked: Sequence[Asked], side: str, measure: Callable[[Asked, str], float | None]) -> Estimate | None:
    return mean_of([value for one in asked if (value := measure(one, side)) is not None])


def _silence(asked: Sequence[Asked], side: str) -> Overlap | None:
    judged = [one for one in asked if one.question.answerable is not None]
    unanswerable = [one for one in judged if not one.question.answerable]
    silent, both = (sum(one.said[side].status in SILENT for one in ones) for ones in (judged, unanswerable))
    return Overlap.of(both, silent, len(unanswerable)) if unanswerable else None


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _shown(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.value:.3f} ({estimate.low:.2f} to {estimate.high:.2f})"


def _spread(values: Sequence[float], form: str) -> str:
    return "{} ({}, {})".format(*(form.format(value) for value in (mean(values), median(values), max(values))))


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], f"| --- |{' --: |' * (len(rows[0]) - 1)}", *lines[1:]]
