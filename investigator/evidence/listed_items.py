"""Finds the items that a question asks for in bulleted or numbered lists, or in lists inside a sentence. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.labels import SIGNATURE
from investigator.language.late_patterns import late
from investigator.language.negation import negates
from investigator.language.normalise import one_line
from investigator.language.terms import BRACKETS, content_words
from investigator.questions.cues import cue_roots, cue_words, names_nothing
from investigator.questions.related import is_irregular, root, roots, stands
from investigator.records import Document, Quote
from investigator.tables.things import WHO

ASKS_FOR_THINGS = re.compile(r"^\W*(?:what|which|who|list|name|show|find|give)\b", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*(?P<mark>[-*•‣◦–]|\(?\d{1,3}[.)])[ \t]+(?=\S)", re.MULTILINE)
_GOES_ON = re.compile(r"\n(?![ \t]*(?:[-*•‣◦–#]|\(?\d{1,3}[.)])[ \t])[ \t]+\S[^\n]*")
_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)?")
_LONGEST_INTRODUCTION, _MOST_LISTED = 200, 200
_IS = late(r"^\W*(?:what|who|which(?: \w+)?) (?:is|are|was|were)\b", re.IGNORECASE)
_INSIDE = late(r"^\W*what (?:is|are|was|were) (?:in|inside)\b", re.IGNORECASE)
_PRONOUN = late(r"\W*(?:it|they|these|this)\b", re.IGNORECASE)
_COPULA = late(r"\b(?:are|were|is|was)\b", re.IGNORECASE)
_WORD = late(r"[^\W_]+")
_FILLER = late(r"^(?:\s|:|\b(?:are|is|were|was|of|the following|as follows|both)\b)+", re.IGNORECASE)
_COMMA = late(r"[,;]\s+(?:(?:and|or|und|oder)\b)?\s*")
_LAST = late(r"\s(?:and|or|und|oder|&)\s(?!.*\s(?:and|or|und|oder|&)\s)")
_CLAUSE = late(
    r"^(?:which|who|whose|that|because|if|when|where|but|while|as|since|so|then|it|he|she|they|we|to|not|there)\b"
    r"|\b(?:is|are|was|were|has|have|had|will)\b",
    re.IGNORECASE,
)
_LONGEST_ITEM = 8  # maximum number of words in an item
_FEWEST, _INTRODUCED = 3, 2  # minimum number of items in a list, and in a list introduced by a word such as "includes"


def listed_items(question: str, document: Document) -> tuple[Quote, ...]:
    """Return the items of the lists that a question asks for; () if it asks for no list, or if no list matches. A list
    matches if the line above it ends with a colon or is a heading, contains a content word of the question, and,
    together with the title, contains all content words of the question.
    """
    if not ASKS_FOR_THINGS.match(question):
        return ()
    asked = frozenset(map(root, asked_words(question)))
    if not asked:
        return ()
    title = roots(document.title)
    introduced = ((roots(over), spans) for over, spans in _lists(document.text))
    found = (span for said, spans in introduced if asked & said and asked <= said | title for span in spans)
    quotes = (quote_at(document, start, end) for start, end in found)
    return tuple(quote for quote in quotes if not addresses_model(quote.text))[:_MOST_LISTED]


def asked_words(question: str) -> tuple[str, ...]:
    """Return the words in a question that the text around a list has to contain."""
    light = cue_words("lists", "light")
    return tuple(word for word in content_words(question) if word not in light and not names_nothing(word))


def _lists(text: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield the introduction of each list with the spans of its items, which exclude bullets and numbers."""
    over, spans = "", list[tuple[int, int]]()
    for mark in _BULLET.finditer(text):
        if not spans or not _GAP.fullmatch(text, spans[-1][1], mark.start()):
            if spans:
                yield over, spans
            over, spans = _introduction(text, mark), []
        spans.append((mark.end(), _end(text, mark.end())))
    if spans:
        yield over, spans


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while goes_on := _GOES_ON.match(text, end):
        end = goes_on.end()
    return start + len(text[start:end].rstrip())


def _introduction(text: str, mark: re.Match[str]) -> str:
    """Return the line above a list if it introduces the list; a heading introduces only items without numbers."""
    line = text[max(0, mark.start() - _LONGEST_INTRODUCTION) : mark.start()].rstrip().rpartition("\n")[2].strip()
    is_heading = (line.startswith("#") or line.isupper()) and not mark["mark"].strip("().").isdigit()
    return line if line.endswith(":") or is_heading else ""


def enumerated(question: str, sentence: str, before: str = "") -> tuple[str, ...]:
    """Return all items in the list that a sentence gives for a question; () if it gives none.

    The words around the list must contain everything that the question asks for, and must not contain a negation unless
    the question does. A pronoun at the beginning refers to the text `before` the sentence.
    """
    asked = asked_words(question)
    if not asked or not ASKS_FOR_THINGS.match(question):
        return ()
    inside = [word for word in asked if root(word) in cue_roots("lists", "contains")]
    needs = [word for word in asked if word not in inside]
    plain = one_line(sentence).rstrip(" .!?")
    for introduction, listed, least in _divisions(question, plain, needs):
        said = roots(introduction) | (roots(before) if _PRONOUN.match(introduction) else frozenset())
        if not all(stands(word, said) for word in needs) or negates(introduction) != negates(question):
            continue
        if (inside or _INSIDE.match(question)) and said.isdisjoint(cue_roots("lists", "contains")):
            continue
        items = _items(listed)
        if WHO.match(question) and not all(any(map(str.isupper, item)) for item in items):
            continue  # a "who" question asks for names, and these are not names
        if len(items) >= least:
            return items
    return ()


def _divisions(question: str, sentence: str, needs: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield each possible split of a sentence into a list and the words around it, with the minimum number of items in
    such a list.
    """
    label, colon, listed = sentence.partition(":")
    if colon:
        signed = SIGNATURE.match(sentence)
        if not (signed and signed["verb"]):
            yield label, listed, _INTRODUCED
        return
    is_done = not _IS.match(question) or any(word.endswith("ed") or is_irregular(word) for word in needs)
    first = _COMMA.search(sentence) or _LAST.search(sentence)
    for word in _WORD.finditer(sentence, 0, first.start() if first else 0):
        is_containing = root(word.group().casefold()) in cue_roots("lists", "contains")
        if is_containing or (is_done and any(stands(own, roots(word.group())) for own in needs)):
            yield sentence[: word.end()], sentence[word.end() :], _INTRODUCED if is_containing else _FEWEST
        elif _COPULA.fullmatch(word.group()):
            yield sentence[: word.start()], sentence[word.end() :], _FEWEST
            break
    if copula := _COPULA.search(sentence, first.end() if first else len(sentence)):
        yield sentence[copula.start() :], sentence[: copula.start()], _FEWEST


def _items(listed: str) -> tuple[str, ...]:
    """Return the items of a list; () if an item is a clause or only a figure."""
    hidden = BRACKETS.sub(lambda found: "x" * len(found.group()), listed)
    ends = [(found.start(), found.end()) for found in _COMMA.finditer(hidden)]
    if last := _LAST.search(hidden, ends[-1][1] if ends else 0):
        ends.append((last.start(), last.end()))
    starts = [0, *(end for _, end in ends)]
    pieces = [listed[start:end] for start, (end, _) in zip(starts, [*ends, (len(listed), 0)], strict=True)]
    items = tuple(_FILLER.sub("", piece).strip() for piece in pieces)
    return items if all(map(_is_thing, items)) else ()


def _is_thing(item: str) -> bool:
    plain = BRACKETS.sub(" ", item)
    is_word = any(word.isalpha() and len(word) > 1 for word in _WORD.findall(plain))
    return is_word and len(plain.split()) <= _LONGEST_ITEM and not _CLAUSE.search(plain)
