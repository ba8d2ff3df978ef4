"""The words for statuses, costs and engines that all reports share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from investigator.records import (
    Answer,
    AnswerStatus,
    Decision,
    FileRecord,
    FileStatus,
    Investigation,
    Memory,
    PartStatus,
    StopReason,
    Support,
    Trust,
    Unreadable,
    Usage,
    UsedEngine,
    Verdict,
)
from investigator.reports.inert import inert_line
from investigator.research.status import MAY_ANSWER

_EXTRACTIVE = re.compile(r"extractive(?![^\s:])")

UNFINISHED = "Unfinished"
UNREAD = "No language model has read these passages."
NO_READER = f"{UNREAD} To have one read them: --model openai:gpt-4o, or --model ollama:NAME."

HEADLINES: Mapping[AnswerStatus, str] = {
    AnswerStatus.ANSWERED: "Answered",
    AnswerStatus.CONFLICTING: "The documents disagree",
    AnswerStatus.ANSWERED_IN_PART: "Answered in part",
    AnswerStatus.PASSAGES_FOUND: "Passages that may answer",
    AnswerStatus.PREMISE_WRONG: "The documents say otherwise",
    AnswerStatus.NOT_FOUND: "Not in the documents",
    AnswerStatus.NOT_FOUND_SO_FAR: "Not found so far",
}

STOPS: Mapping[StopReason, str] = {
    StopReason.ANSWERED: "no part of the question was open",
    StopReason.SATURATED: "nothing was left to read or to search for",
    StopReason.ROUNDS: "the limit on rounds was reached",
    StopReason.CALLS: "the limit on engine calls was reached",
    StopReason.TOKENS: "the token limit was reached",
    StopReason.MONEY: "the cost limit was reached",
    StopReason.TIME: "the time limit was reached",
}

VERDICTS: Mapping[Verdict, str] = {
    Verdict.ANSWERS: "answers",
    Verdict.IN_PART: "answers in part",
    Verdict.NOT_STATED: "not stated",
    Verdict.PREMISE_WRONG: "says otherwise",
    Verdict.UNREAD: "no usable reply",
}

SUPPORTS: Mapping[Support, str] = {
    **{support: support.value.replace("_", " ") for support in Support},
    Support.UNSUPPORTED: "not supported",
}

DECISIONS: Mapping[Decision, str] = {
    **{decision: decision.value for decision in Decision},
    Decision.UNDECIDED: "not decided",
}

FILE_STATUSES: Mapping[FileStatus, str] = {
    FileStatus.INDEXED: "indexed",
    FileStatus.UNCHANGED: "unchanged",
    FileStatus.EMPTY: "nothing to read",
    FileStatus.HIDDEN: "not read: hidden",
    FileStatus.NEEDS_OCR: "needs OCR",
    FileStatus.ENCRYPTED: "encrypted",
    FileStatus.UNSUPPORTED: "unsupported",
    FileStatus.TOO_LARGE: "too large",
    FileStatus.FAILED: "could not be read",
    FileStatus.TIMED_OUT: "took too long",
}


_TRUSTS: Mapping[Trust, str] = {
    Trust.UNREAD: NO_READER,
    Trust.UNGRADED: "{model} has not been graded. To grade a model: investigator doctor --model NAME",
    Trust.FAILED: "{model} failed its grading, so this is its reading. See: investigator doctor --model NAME",
    Trust.PASSED: "",
}


def file_words(file: FileRecord | Unreadable) -> str:
    """Return the status of a file in words, with the reason if there is one."""
    return ": ".join(filter(None, (FILE_STATUSES[file.status], file.reason)))


def headline(investigation: Investigation) -> str:
    """Return the status in a few words."""
    return HEADLINES[investigation.answer.status] if investigation.answer else UNFINISHED


def is_finder(engine: str) -> bool:
    """Return True if an engine finds passages, and nobody reads them."""
    return _EXTRACTIVE.match(engine) is not None


def verdict_words(memory: Memory, engine: str) -> str:
    """Return what an engine's reply says of its document; a finder only says whether passages are near."""
    if is_finder(engine):
        return "passages found" if memory.verdict.is_evidence else "nothing near"
    return VERDICTS[memory.verdict]


def score_line(memory: Memory, engine: str) -> str:
    """Return the verdict and the score of a reply."""
    score = "no score" if memory.point is None else f"score {memory.point}"
    return f"{verdict_words(memory, engine)}, {score}"


def engine_line(engine: str) -> str:
    """Return the answering engine; without a language model, say how to name one."""
    return NO_READER if is_finder(engine) else f"Answered by {engine}."


def no_reader(answer: Answer) -> str:
    """Return that no language model has read an answer's passages, and what its reason adds, such as missing words."""
    return f"{NO_READER} {answer.reason.removeprefix(MAY_ANSWER).strip()}".strip()


def readers(investigation: Investigation) -> Sequence[str]:
    """Return who answered and checked an investigation; without an answer, who is to answer it."""
    if investigation.answer is None:
        engine = investigation.setup.engine
        return (NO_READER if is_finder(engine) else f"To be answered by {engine}.",)
    return reader_lines(investigation.answer, investigation.setup.engines)


def reader_lines(answer: Answer, engines: Sequence[UsedEngine] = ()) -> Sequence[str]:
    """Return who answered and checked the answer, and how far the engines that answered are trusted."""
    named = dict.fromkeys(used.name for used in engines if used.trust is answer.check.trust) or (answer.run.engine,)
    trusts = (_TRUSTS[answer.check.trust].format(model=name) for name in named)
    return tuple(dict.fromkeys(filter(None, (engine_line(answer.run.engine), support_line(answer), *trusts))))


def distrust_lines(answer: Answer, engines: Sequence[UsedEngine] = ()) -> Sequence[str]:
    """Return why an answer is not to be trusted: nobody read the documents, which passages say of themselves, or a
    line for each engine that answered although it failed its grading.
    """
    if answer.check.trust is Trust.UNREAD:
        return () if answer.status is AnswerStatus.PASSAGES_FOUND else (NO_READER,)
    if answer.check.trust is not Trust.FAILED:
        return ()
    names = dict.fromkeys(used.name for used in engines if used.trust is Trust.FAILED) or (answer.run.engine,)
    return tuple(_TRUSTS[Trust.FAILED].format(model=name) for name in names)


def support_line(answer: Answer) -> str:
    """Return how many statements the check supported, and who checked them; "" if there was nothing to check."""
    judged = (each for each in (*answer.statements, *answer.check.withheld) if not answer.has_lost(each))
    counts = Counter(statement.support for statement in judged)
    listed = ", ".join(f"{counts[support]} {words}" for support, words in SUPPORTS.items() if counts[support])
    return f"Checked by {answer.check.by}: {listed}." if answer.check.by and listed else ""


def open_parts(answer: Answer) -> Sequence[str]:
    """Return the parts of a question of several parts that are not answered in full and that the reason omits."""
    left = [part.question for part in answer.parts if part.status in (PartStatus.IN_PART, PartStatus.NOT_STATED)]
    return tuple(part for part in left if part not in answer.reason) if len(answer.parts) > 1 else ()


def tainted_line(documents: Iterable[str]) -> str:
    """Return a line that names documents that address a language model; "" if there are none."""
    names = ", ".join(documents)
    return f"Contains text addressed to a language model: {names}" if names else ""


def usage_line(usage: Usage, elapsed: float) -> str:
    """Return the cost: calls, input and output tokens, the duration of the run, and money if a model has a price."""
    return ", ".join((*calls_words(usage), duration(elapsed), *_money(usage)))


def expected_line(usage: Usage) -> str:
    """Return the expected cost, except the time, which is unknown."""
    return ", ".join((*calls_words(usage), *_money(usage))) or "no call of a language model"


def calls_words(usage: Usage) -> Sequence[str]:
    """Return the calls and the tokens; nothing if the built-in search, which counts no tokens, answered them all."""
    if not usage.tokens and not usage.unanswered:
        return ()
    calls = plural(usage.calls, "call") + (f" ({usage.unanswered} without a reply)" if usage.unanswered else "")
    return calls, f"{usage.tokens:,} tokens ({usage.input_tokens:,} in, {usage.output_tokens:,} out)"


def _money(usage: Usage) -> Iterator[str]:
    if usage.money:
        yield f"${usage.money:.4f}"
    if usage.unpriced:
        yield f"{plural(usage.unpriced, 'call')} without a known price"


def sentences(*texts: str) -> str:
    """Return texts as sentences: each begins with a capital letter, unless a name such as `a.pdf` begins it, and ends
    with a full stop.
    """
    ended = [text if text.endswith((".", "!", "?")) else f"{text}." for text in map(str.strip, texts) if text]
    return " ".join(f"{text[0].upper()}{text[1:]}" if text.split()[0].isalpha() else text for text in ended)


def plural(number: int, noun: str, many: str = "") -> str:
    """Return the number with its noun: `1 call`, `2 calls`; `many` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def some_names(names: Sequence[str], most: int) -> str:
    """Return the first names on one line, safe to display, and the number of further names."""
    more = [f"and {len(names) - most:,} more"] if len(names) > most else []
    return ", ".join([*map(inert_line, names[:most]), *more])


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
