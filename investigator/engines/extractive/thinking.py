"""Determines what must be known: the names and key terms in a question, weighted by their rarity in the folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from investigator.language.terms import folded, question_body, stop_words, tokens, words
from investigator.questions.constraints import QUOTED
from investigator.questions.kinds import kind_of
from investigator.questions.parts import parts_of
from investigator.records import Need, ThinkReply, ThinkVariables

_MOST_NEEDS = 8
_COMMON_SHARE = 0.5
_PRONOUNS = frozenset({"one", "ones"})  # as in "the one in Gambia"


def think(variables: ThinkVariables) -> ThinkReply:
    """Return the terms in the question, at least one; the rarest have the highest weights."""
    shares = {item.term: item.document_share for item in variables.term_frequencies}
    terms = _once([*QUOTED.findall(variables.question), *_phrases(QUOTED.sub(" ", variables.question), shares)])
    needs = [_need(term, shares) for term in terms] or [Need(term=variables.question.strip(), reason="the question")]
    kept = sorted(needs, key=lambda need: -need.weight)[:_MOST_NEEDS]
    kind, asked = kind_of(variables.question), variables.question
    return ThinkReply(kind=kind, needs=tuple(need for need in needs if need in kept), parts=parts_of(asked, kind))


def _phrases(question: str, shares: Mapping[str, float]) -> list[str]:
    """Return the words of the question without stop words; names, and phrases that occur in the documents, stay
    together.
    """
    phrases: list[list[str]] = []
    joins = False
    body = tokens(question_body(question))
    for before, token, after in zip(["", *body], body, [*body[1:], ""], strict=False):
        stands_in = folded(token) in _PRONOUNS and folded(before) in stop_words() and _is_empty(after)
        if stands_in or _is_empty(token):
            joins = False
            continue
        if joins and _belong_together(phrases[-1][-1], token, shares):
            phrases[-1].append(token)
        else:
            phrases.append([token])
        joins = True
    return [" ".join(phrase) for phrase in phrases]


def _is_empty(token: str) -> bool:
    return not token or folded(token) in stop_words()


def _belong_together(first: str, second: str, shares: Mapping[str, float]) -> bool:
    return (_is_name(first) and _is_name(second)) or f"{folded(first)} {folded(second)}" in shares


def _is_name(token: str) -> bool:
    return token[:1].isupper() or token[:1].isdigit()


def _need(term: str, shares: Mapping[str, float]) -> Need:
    known = [shares[part] for part in (folded(term), *words(term)) if part in shares]
    share = min(known, default=0.0)
    weight = round(max(0.1, 1.0 - share), 2)
    named = "named in the question" if _is_name(term) else "asked about"
    if share == 0.0:
        found = "not mentioned in any document"
    else:
        found = f"in {share:.0%} of the documents{', so it carries little weight' if share > _COMMON_SHARE else ''}"
    return Need(term=term, reason=f"{named}; {found}", weight=weight)


def _once(terms: Iterable[str]) -> list[str]:
    return list({folded(term): term for term in reversed(list(terms))}.values())[::-1]
