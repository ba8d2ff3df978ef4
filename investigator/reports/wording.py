"""The words for statuses, costs and engines that all reports share."""

from __future__ import annotations

import re
from collections.abc import Mapping

from investigator.language.terms import words
from investigator.questions.naming import named
from investigator.records import (
    Answer,
    AnswerStatus,
    Conflict,
    ConstraintMatch,
    FileStatus,
    Investigation,
    Memory,
    NearMiss,
    OpenPart,
    QuestionKind,
    StopReason,
    Usage,
)

_EXTRACTIVE = re.compile(r"extractive(?![^\s:])")

UNFINISHED = "Unfinished"
ALTERED = "changed outside this program"

HEADLINES: Mapping[AnswerStatus, str] = {
    AnswerStatus.ANSWERED: "Answered",
    AnswerStatus.CONFLICTING: "The documents disagree",
    AnswerStatus.ANSWERED_IN_PART: "Answered in part",
    AnswerStatus.PASSAGES_FOUND: "Passages that may answer",
    AnswerStatus.NOT_FOUND: "Not in the documents",
    AnswerStatus.NOT_FOUND_SO_FAR: "Not found so far",
}

STOPS: Mapping[StopReason, str] = {
    StopReason.ANSWERED: "nothing remained unknown",
    StopReason.SATURATED: "the last round found nothing new",
    StopReason.ROUNDS: "the limit on rounds was reached",
    StopReason.CALLS: "the limit on engine calls was reached",
    StopReason.TOKENS: "the token limit was reached",
    StopReason.MONEY: "the cost limit was reached",
    StopReason.TIME: "the time limit was reached",
}

KINDS: Mapping[QuestionKind, str] = {
    QuestionKind.FACT: "a fact",
    QuestionKind.WHICH: "which documents, decided one by one",
    QuestionKind.LIST: "a list, decided document by document",
    QuestionKind.COUNT: "a count, decided document by document",
    QuestionKind.COMPARISON: "a comparison: each side is looked up separately",
    QuestionKind.TREND: "a trend: each period is looked up separately",
    QuestionKind.CONTRADICTION: "whether statements agree",
    QuestionKind.WHY: "a cause",
    QuestionKind.SUMMARY: "a summary",
    QuestionKind.YES_NO: "a yes-or-no question",
}

FILE_STATUSES: Mapping[FileStatus, str] = {
    FileStatus.INDEXED: "indexed",
    FileStatus.UNCHANGED: "unchanged",
    FileStatus.EMPTY: "empty",
    FileStatus.NEEDS_OCR: "needs OCR",
    FileStatus.ENCRYPTED: "encrypted",
    FileStatus.UNSUPPORTED: "unsupported",
    FileStatus.TOO_LARGE: "too large",
    FileStatus.FAILED: "could not be read",
    FileStatus.TIMED_OUT: "took too long",
}


def headline(investigation: Investigation) -> str:
    """Return the status in a few words."""
    return answer_headline(investigation.answer) if investigation.answer else UNFINISHED


def answer_headline(answer: Answer) -> str:
    """Return the status in a few words, with the limit that stopped the run, if any."""
    status = f"{HEADLINES[answer.status]}{f': {answer.decision}' if answer.decision else ''}"
    if not answer.outcome.startswith("stopped"):
        return status
    in_part = answer.status is AnswerStatus.ANSWERED
    return f"Stopped ({answer.stop}), {'answered in part' if in_part else status[0].lower() + status[1:]}"


def near_miss_line(miss: NearMiss) -> str:
    """Return a sentence about the constraints that a near miss does not meet."""
    if miss.says_opposite:
        return "The document says the opposite."
    return f"Not established: {'; '.join(_failing(match) for match in miss.failing)}."


def _failing(match: ConstraintMatch) -> str:
    asked = named(match.constraint)
    is_other = not set(words(match.words)) <= set(words(asked))
    return f"{asked} (it says {match.words})" if is_other else asked


def conflict_line(conflict: Conflict) -> str:
    """Return the conflicting values, with the place and the document date of each."""
    sides = (
        f"{side.value} ({side.quote.place}{f', dated {side.date}' if side.date else ''})" for side in conflict.sides
    )
    return f"{conflict.question} {'; '.join(sides)}"


def open_part_line(part: OpenPart) -> str:
    """Return a line about an unanswered part, with the wordings that were searched for."""
    searched = f" (searched: {'; '.join(part.searched)})" if part.searched else ""
    return f"{part.question}{searched}"


def score_line(memory: Memory) -> str:
    """Return the score of a reply, with the model's and the search's scores if both were used."""
    if memory.point is None:
        return "no score"
    if memory.model_point is None:
        return f"score {memory.point}"
    scores = f"score {memory.point}: model {memory.model_point}, search {memory.search_point}"
    if memory.beside:
        return f"{scores}; its quotes are unrelated to the question, so the score of the search is used"
    if memory.capped:
        return f"{scores}; neither the search nor its quotes support the model, so its score is capped"
    return f"{scores}; it addresses the model, so the score of the search is used" if memory.addressed else scores


def engine_line(engine: str) -> str:
    """Return the answering engine, with a note if it was not a language model."""
    if _EXTRACTIVE.match(engine):
        return "No model specified: answered by the built-in engine, without a language model."
    return f"Answered by {engine}."


def usage_line(usage: Usage, elapsed: float) -> str:
    """Return the cost: calls, input and output tokens, the duration of the run, and money if a model has a price."""
    return ", ".join([*_amounts(usage)[:2], duration(elapsed), *_amounts(usage)[2:]])


def expected_line(usage: Usage) -> str:
    """Return the expected cost, except the time, which is unknown."""
    return ", ".join(_amounts(usage))


def _amounts(usage: Usage) -> list[str]:
    calls = plural(usage.calls, "call") + (f" ({usage.unanswered} without a reply)" if usage.unanswered else "")
    tokens = f"{usage.tokens:,} tokens ({usage.input_tokens:,} in, {usage.output_tokens:,} out)"
    money = [f"${usage.money:.4f}"] if usage.money else []
    if usage.unpriced:
        money.append(f"{plural(usage.unpriced, 'call')} without a known price")
    return [calls, tokens, *money]


def plural(number: int, noun: str, many: str = "") -> str:
    """Return the number with its noun: `1 call`, `2 calls`; `many` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def duration(seconds: float) -> str:
    """Return seconds in words: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
