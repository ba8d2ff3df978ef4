"""Detects model output that is not a reply: pieces of the prompt, echoes, loops, truncated sentences. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from investigator.bb3.exchange import ModuleRequest
from investigator.bb3.records import Speaker
from investigator.language.sentences import sentence_spans
from investigator.language.terms import stop_words, words

_MARK = re.compile(
    r"</?\s*(?:text|turns?|facts?|evidence|passages?|documents?|reply|quotes?|point|what you say|words of)\b"
    r"|<\W*/?\W*turn"
)
_TAG = re.compile(r"<\W?/?\W?[\w ]{1,30}(?:>|$)|<\W*$")
_HEADING = re.compile(r"^\w+(?:,? \w+){2,}:", re.MULTILINE)
"""Matches a heading: three or more words and a colon at the beginning of a line of the prompt."""
_LEAST_OF_PROMPT = 5  # minimum number of words for a sentence to be recognised as part of the prompt
_LEAST_OF_TURN = 4
_MOST_REPEATS = 2
_ENDS = re.compile(r"[.!?…。！？؟।။]\W*$")
_GOES_ON = re.compile(r"[,;:(–—-]\s*$")
_LEAST_BROKEN = 6  # minimum number of words in a truncated sentence; fewer words without a full stop may be an answer


def without_prompt(written: str, own: str = "") -> str:
    """Return a model's text up to the first prompt marker that it repeats. `own` is the fixed text of the prompt's
    template: a heading or sentence from it also ends the text.
    """
    text = _MARK.split(written.replace("\u200b", ""), maxsplit=1)[0]
    for heading in _headings(own):
        text = text.partition(heading)[0]
    for start, end in sentence_spans(text):
        said = words(text[start:end])
        if len(said) >= _LEAST_OF_PROMPT and f" {' '.join(said)} " in _run(own):
            text = text[:start]
            break
    return text.strip()


def without_tags(text: str) -> str:
    """Return the text without complete or truncated prompt tags."""
    return _TAG.sub(" ", text).strip()


def whole_sentences(text: str) -> str:
    """Return the text without a truncated last sentence."""
    spans = list(sentence_spans(text))
    if not spans:
        return text
    last, before = text[slice(*spans[-1])].strip(), text[: spans[-1][0]].rstrip()
    if _ENDS.search(last):
        return text
    said = words(last)
    is_long = len(said) >= _LEAST_BROKEN
    breaks_off = is_long and (_GOES_ON.search(last) is not None or said[-1] in stop_words())
    return before if breaks_off or _ENDS.search(before) else text


def stands_in(text: str, said: str) -> bool:
    """Return True if each sentence of the text occurs verbatim in the earlier text."""
    there = " ".join(words(said))
    return all(" ".join(words(text[start:end])) in there for start, end in sentence_spans(text))


def goes_on(reply: str, request: ModuleRequest) -> bool:
    """Return True if a reply continues the conversation: it repeats neither a turn nor itself. A reply with quotes may
    repeat an earlier reply, because the same question gets the same answer.
    """
    plain = [" ".join(words(reply[start:end])) for start, end in sentence_spans(reply)]
    heard = (turn for turn in request.turns if not request.quotes or turn.speaker is Speaker.PARTNER)
    told = {" ".join(words(turn.text)) for turn in heard}
    if not any(plain) or " ".join(words(reply)) in told or _runs_in_circles(words(reply)):
        return False
    return bool(request.quotes or request.memory) or not _takes_over(reply, request)


def _takes_over(reply: str, request: ModuleRequest) -> bool:
    """Return True if a reply repeats, verbatim, a sentence from the last turn or an earlier reply."""
    said = f" {' '.join(words(reply))} "
    heard = [turn.text for turn in request.turns if turn.speaker is Speaker.SELF or turn is request.turns[-1]]
    sentences = [words(text[start:end]) for text in heard for start, end in sentence_spans(text)]
    return any(len(sentence) >= _LEAST_OF_TURN and f" {' '.join(sentence)} " in said for sentence in sentences)


def _runs_in_circles(said: Sequence[str]) -> bool:
    """Return True if a phrase of three words occurs three times, which does not happen in a normal short reply."""
    runs = Counter(zip(said, said[1:], said[2:], strict=False))
    return bool(runs) and max(runs.values()) > _MOST_REPEATS


@lru_cache(maxsize=16)
def _headings(own: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_HEADING.findall(own)))


@lru_cache(maxsize=16)
def _run(own: str) -> str:
    return f" {' '.join(words(own))} "
