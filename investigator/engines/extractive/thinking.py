"""What must be known: the named things and key terms of a question, weighed by how rare they are in the folder."""

from __future__ import annotations

import re
from collections.abc import Iterable

from investigator.records import Need, TermFrequency, ThinkReply, ThinkVariables
from investigator.text.terms import folded, stop_words, words

_QUOTED = re.compile(r"[\"“”«»„]([^\"“”«»„]{2,80})[\"“”«»„]")
_TOKEN = re.compile(r"[^\W_]+(?:[-'’.&/][^\W_]+)*", re.UNICODE)
_MOST_NEEDS = 8
_COMMON_SHARE = 0.5


def think(variables: ThinkVariables) -> ThinkReply:
    """The terms of the question, the rarest weighing most. At least one, whatever the question."""
    shares = {item.term: item.document_share for item in variables.term_frequencies}
    terms = _once([*_QUOTED.findall(variables.question), *_phrases(variables.question)])
    needs = [_need(term, shares) for term in terms] or [Need(term=variables.question.strip(), reason="the question")]
    kept = sorted(needs, key=lambda need: -need.weight)[:_MOST_NEEDS]
    return ThinkReply(needs=tuple(need for need in needs if need in kept))


def _phrases(question: str) -> list[str]:
    """Runs of words between stop words; a name stays together, other words stand alone or in pairs."""
    phrases: list[str] = []
    run: list[str] = []
    for token in (*_TOKEN.findall(question), ""):
        starts_name = token[:1].isupper() or token[:1].isdigit()
        if run and (not token or _is_stop(token) or starts_name != _is_name(run[-1]) or len(run) == 3):
            phrases.append(" ".join(run))
            run = []
        if token and not _is_stop(token):
            run.append(token)
    return phrases


def _is_stop(token: str) -> bool:
    return folded(token) in stop_words()


def _is_name(token: str) -> bool:
    return token[:1].isupper() or token[:1].isdigit()


def _need(term: str, shares: dict[str, float]) -> Need:
    known = [shares[word] for word in words(term) if word in shares]
    share = min(known, default=0.0)
    weight = round(max(0.1, 1.0 - share), 2)
    named = "named in the question" if _is_name(term) else "asked about"
    if share == 0.0:
        found = "in no document by this word"
    else:
        found = f"in {share:.0%} of the documents{', so it tells little' if share > _COMMON_SHARE else ''}"
    return Need(term=term, reason=f"{named}; {found}", weight=weight)


def _once(terms: Iterable[str]) -> list[str]:
    return list({folded(term): term for term in reversed(list(terms))}.values())[::-1]
