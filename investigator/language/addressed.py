"""Where a document speaks to a language model instead of to a reader. Pure.

Such sentences ask a model to ignore what it was told, to give a score, to reply in certain words, to use sources or to
leave them out; or they hold the mark-up that prompts, chats and replies are made of. They may be true quotes of a
document, and are no evidence of anything but that they stand there.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from investigator.language.addressing_languages import LANGUAGES
from investigator.language.addressing_markup import MARKUP
from investigator.language.addressing_rules import ENGLISH, HINTS, Hint, Rule
from investigator.language.sentences import sentence_spans
from investigator.language.undisguised import undisguised

Span = tuple[int, int]

_HINT_DISTANCE = 250
"""Characters between two hints that count together."""
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{32,8000}={0,2}(?![\w+/=-])")
_TAG_CHARACTERS = re.compile("[\U000e0020-\U000e007e]{8,}")
"""Writing that nobody sees. Flags are made of fewer."""
_UNSPACED = "\u1100"
"""From here on in Unicode, blanks do not tell words apart, or particles join them."""
_WORD = re.compile(r"\w+")


def addresses_model(text: str) -> tuple[Span, ...]:
    """The half-open spans of the sentences that speak to a language model, in order and apart from each other.

    Found by rules for English, German, Spanish, French, Portuguese, Italian, Chinese, Japanese, Korean, Russian and
    Arabic, also where invisible or look-alike characters or base64 hide them. What is said in other words than the
    rules know is not found: nothing may rest on this alone. Takes time in proportion to the length of the text.
    """
    folded = undisguised(text)
    hits = [folded.span(*hit) for hit in _hits(folded.text)]
    hits += [*_in_base64(text), *(found.span() for found in _TAG_CHARACTERS.finditer(text))]
    return tuple(_sentences(text, sorted(hits))) if hits else ()


def without_addressed(text: str, mark: str = "[...]") -> str:
    """The text with `mark` in place of every sentence that speaks to a language model."""
    parts, done = [], 0
    for start, end in addresses_model(text):
        parts += [text[done:start], mark]
        done = end
    return "".join((*parts, text[done:]))


def _hits(text: str) -> list[Span]:
    """Where a folded text fulfils a rule that is enough by itself, or two different hints close together."""
    hits: list[Span] = []
    hints: list[tuple[Span, Hint]] = []
    for rule, hit in _fulfilled(text):
        if rule.hint is None:
            hits.append(hit)
        else:
            hints.append((hit, rule.hint))
    for (first, kind), (second, other) in pairwise(sorted(hints)):
        if kind != other and second[0] - first[1] <= _HINT_DISTANCE:
            hits += [first, second]
    return hits


def _fulfilled(text: str) -> Iterator[tuple[Rule, Span]]:
    for place in _places(text):
        for rule in _BY_START[text[slice(*place)]]:
            if found := rule.then.match(text, place[1]):
                yield rule, (place[0], found.end())


def _places(text: str) -> Iterator[Span]:
    """Where a rule may begin: at whole words, and at marks and words of unspaced scripts wherever they stand."""
    for word in _WORD.finditer(text):
        if word.group() in _WORDS:
            yield word.span()
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            yield at, at + len(mark)
            at = text.find(mark, at + 1)


def _in_base64(text: str) -> Iterator[Span]:
    """Where base64 hides such words."""
    for run in _BASE64.finditer(text):
        try:
            hidden = base64.b64decode(run.group().rstrip("=") + "==", altchars=b"-_" if "-" in run.group() else None)
            words = hidden.decode("utf-8")
        except (binascii.Error, ValueError):
            continue
        if _hits(undisguised(words).text):
            yield run.span()


def _sentences(text: str, hits: Sequence[Span]) -> Iterator[Span]:
    """The sentences that the hits, in order, touch."""
    left = iter(hits)
    hit = next(left, None)
    for start, end in sentence_spans(text):
        touched = False
        while hit is not None and hit[0] < end:
            touched = touched or hit[1] > start
            if hit[1] > end:
                break
            hit = next(left, None)
        if touched:
            yield start, end


def _by_start(rules: Sequence[Rule]) -> dict[str, tuple[Rule, ...]]:
    starts = dict.fromkeys(start for rule in rules for start in rule.starts)
    return {start: tuple(rule for rule in rules if start in rule.starts) for start in starts}


_BY_START = _by_start((*ENGLISH, *LANGUAGES, *MARKUP, *HINTS))
_WORDS = frozenset(start for start in _BY_START if start.isalpha() and start < _UNSPACED)
_MARKS = tuple(start for start in _BY_START if start not in _WORDS)
