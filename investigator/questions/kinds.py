"""Finds the kind of answer that a question asks for, using rules that are mostly for English. The kind determines the
plan.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from investigator.language.terms import stem, stop_words, words
from investigator.questions.cues import cues, formats, patterns
from investigator.records import QuestionKind

_LONGEST_READ = 2_000  # maximum number of characters read from a question
_REQUEST = r"^\W*(?:(?:please|can you|could you|would you|i (?:want|need)(?: you)? to)\W+)*"
_NUMBER = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+)"
_OF_THEM = rf"(?:\s+(?:of|all|both))?(?:\s+(?:the|these|those|this|our|my|your))?(?:\s+{_NUMBER})?"
_ADJECTIVES = r"(?:\s+(?!of\b|in\b|that\b|did\b|do\b|does\b|is\b|are\b|was\b|were\b)[\w'’&.-]+){0,3}?\s+"
# so that "how many patents does the firm hold" does not count as a question about documents
_OWN = r"(?! (?:do|does|did) (?!not\b|n['’]t\b))"
ASKS_IF = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)\b", re.IGNORECASE
)
_OWNED = re.compile(r"\b(?:his|her|its|their)\b", re.IGNORECASE)
_NO_SUMMARY = re.compile(r"^\W*(?:who|when|where|which|how many)\b", re.IGNORECASE)
_IN_THIS_ORDER = (QuestionKind.CONTRADICTION, QuestionKind.WHY, QuestionKind.COMPARISON, QuestionKind.TREND)


@lru_cache(maxsize=512)  # called for each statement that may answer
def kind_of(question: str) -> QuestionKind:
    """Return the kind of a question; a fact if no rule applies."""
    asked = " ".join(question[:_LONGEST_READ].split())
    if (cue("summary").search(asked) and not _NO_SUMMARY.match(asked)) or asks_everything(asked):
        return QuestionKind.SUMMARY
    for pattern, kind in _document_forms():
        if pattern.search(asked):
            return kind
    if asked_media_types(asked):
        return QuestionKind.COUNT if cue("how_much").match(asked) else QuestionKind.LIST
    if not cue("how_much").match(asked):
        for kind in _IN_THIS_ORDER:
            if cue(kind).search(asked):
                return kind
    if _lists().match(asked):
        return QuestionKind.LIST
    return QuestionKind.YES_NO if ASKS_IF.match(asked) and not cue("which_of_two").match(asked) else QuestionKind.FACT


def cue(name: str) -> re.Pattern[str]:
    """Return the pattern for the cue words that indicate a property of questions; it matches whole words."""
    return patterns("kinds")[name]


def summarised(question: str) -> str:
    """Return the subject of a summary, without the request."""
    return " ".join(cue("summary").sub(" ", question).split()) or question


def asks_everything(question: str) -> bool:
    """Return True if a question asks what the documents in a folder say, without naming a subject."""
    asks_all = cue("everything").search(question) and cue("whole").search(question)
    is_of_one = any(not found.group().endswith("s") for found in cue("documents").finditer(question))
    if is_of_one or not (asks_all or cue("summary").search(question)):
        return False
    return _names_nothing(cue("documents").sub(" ", summarised(question[:_LONGEST_READ])))


def asked_media_types(question: str) -> re.Pattern[str] | None:
    """Return the media types of the files that a question asks for, unless it asks for their content.

    "How many documents are there?" asks for all types, and "List all emails" asks for some of them.
    """
    asked = question[:_LONGEST_READ]
    if patterns("modality")["past"].search(asked) or _OWNED.search(
        asked
    ):  # as in "e-mails that were sent" or "her e-mails"
        return None
    found = (types for names, types in formats() if names.search(asked) and _names_nothing(names.sub(" ", asked)))
    return next(found, None)


def _names_nothing(text: str) -> bool:
    request = {stem(word) for name in ("words", "requests") for word in cues("empty")[name].split()}
    request |= {stem(word) for word in cues("kinds")["whole_words"].split()}
    return all(word in stop_words() or stem(word) in request for word in words(text))


@cache
def asked_documents() -> re.Pattern[str]:
    """Return the pattern for phrases that ask for documents: "which of the quarterly reports"."""
    every, listed = f"{_joined('documents')}|{_joined('others')}", _joined("listing")
    asks = rf"(?:(?:in|for|by|from) )?(?:which|what|how many|all|every|each|any|{listed})"
    one = rf"\b{asks}{_OF_THEM}{_ADJECTIVES}(?:{every})\b"
    return re.compile(rf"(?:{listed}\s+)?{one}|^\W*(?:{listed})\b", re.IGNORECASE)


@cache
def _lists() -> re.Pattern[str]:
    return re.compile(rf"{_REQUEST}(?:{_joined('listing')})\b", re.IGNORECASE)


@cache
def _document_forms() -> tuple[tuple[re.Pattern[str], QuestionKind], ...]:
    """Return the patterns for questions that ask which documents, or how many, paired with their question kinds."""
    document, other = _joined("documents"), _joined("others")
    every, says, here = rf"{document}|{other}", _joined("mentions"), _joined("folder")
    listed = rf"{_REQUEST}(?:{_joined('listing')})\b(?:\s+(?:all|every|each|any))?"
    forms = (
        (rf"\bhow many{_OF_THEM}{_ADJECTIVES}(?:{every})\b{_OWN}.{{0,40}}?\b(?:{says})\b", QuestionKind.COUNT),
        (rf"\bhow many\s+of\s+(?:the|these|those|our|my){_ADJECTIVES}(?:{every})\b", QuestionKind.COUNT),
        (rf"\bhow many(?:\s+of)?{_ADJECTIVES}(?:documents|files)\b", QuestionKind.COUNT),
        (rf"\bhow many\b.{{0,80}}\b(?:{here})\b", QuestionKind.COUNT),
        (rf"{listed}{_OF_THEM}{_ADJECTIVES}(?:{document})\b", QuestionKind.LIST),
        (rf"{listed}{_OF_THEM}{_ADJECTIVES}(?:{other})\b.{{0,40}}?\b(?:{says}|{here})\b", QuestionKind.LIST),
        (rf"^\W*[\w -]{{3,60}}\b(?:{document})\b and (?:their|its) \w+\W*$", QuestionKind.LIST),
        (rf"\b(?:which|what){_OF_THEM}{_ADJECTIVES}(?:{document})(?<=s)\b(?! (?:is|was) )", QuestionKind.WHICH),
        (rf"\b(?:which|what){_OF_THEM}{_ADJECTIVES}(?:{every})\b(?=.{{0,30}}?\b(?:{says})\b)", QuestionKind.WHICH),
        (rf"\b(?:{document})\b.*\bwhich of (?:them|these|those)\b", QuestionKind.WHICH),
        (
            rf"\b(?:which|what)(?! (?:is|are|was|were|did|does|do|has) )[\w' -]{{2,40}}\b(?:{here})\b",
            QuestionKind.WHICH,
        ),
        (rf"\bfind\s+(?:all|every|any){_OF_THEM}{_ADJECTIVES}(?:{every})\b", QuestionKind.WHICH),
    )
    return tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in forms)


def _joined(name: str) -> str:
    """Return the cue words listed under a name, joined into a single line."""
    return cues("kinds")[name].replace("\n", "")
