"""Renders many questions as a single self-contained HTML page with the same design and safeguards as a report on one
question.
"""

from __future__ import annotations

from collections import Counter

from investigator.records import AskedQuestions, Matrix, QuestionOutcome
from investigator.reports.answer_view import answer_view
from investigator.reports.html import pages_environment
from investigator.reports.matrix import CELL_WORDS, counts_line, in_short, readers_line, size_line, support_words
from investigator.reports.wording import headline, plural, reader_lines, usage_line
from investigator.secrets import redacted

FAILED = "Failed"


def matrix_page(matrix: Matrix) -> str:
    """Return the matrix as a single self-contained HTML page, with known secrets redacted."""
    page = (
        pages_environment()
        .get_template("matrix.html.j2")
        .render(
            matrix=matrix,
            size=size_line(matrix),
            counts=counts_line(matrix),
            words=CELL_WORDS,
            in_short=in_short,
            support_words=support_words,
            engine=readers_line(matrix),
            usage=usage_line(matrix.usage, matrix.seconds),
        )
    )
    return redacted(page)


def questions_page(answered: AskedQuestions) -> str:
    """Return the answers to many questions as a single self-contained HTML page, with known secrets redacted."""
    page = (
        pages_environment()
        .get_template("questions.html.j2")
        .render(
            answered=answered,
            size=plural(len(answered.outcomes), "question"),
            counts=outcomes_line(answered),
            headline=outcome_headline,
            answer_view=answer_view,
            reader_lines=reader_lines,
            usage=usage_line(answered.usage, answered.seconds),
        )
    )
    return redacted(page)


def outcome_headline(outcome: QuestionOutcome) -> str:
    """Return the status of a question's answer in a few words."""
    return headline(outcome.investigation) if outcome.investigation is not None else FAILED


def outcomes_line(answered: AskedQuestions) -> str:
    """Return the number of questions with each outcome, the most frequent first."""
    counted = Counter(outcome_headline(outcome).lower() for outcome in answered.outcomes)
    return ", ".join(f"{words} {count:,}" for words, count in counted.most_common())
