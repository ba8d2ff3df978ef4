"""Splits a comparison into sides, by rules: the same self-contained question about each of them."""

from __future__ import annotations

import re

from investigator.language.late_patterns import late
from investigator.questions.constraints import constraints
from investigator.records import Constraint, ConstraintKind, Part

_LONGEST_READ = 2_000  # characters of a question
_SHORTEST = 3  # characters of a side
_COMPARES = r"compares?d? (?:with|to)|differ(?:s|ed)? from|versus|vs\.?|next to|as opposed to|in contrast to"
_COMPARES = rf"(?:{_COMPARES}|relative to|with)"
_NAME = r"[A-ZÀ-ÖØ-Þ0-9][\w.&/-]*(?:\s+(?:(?:of|the|de|von|van)\s+)?[A-ZÀ-ÖØ-Þ0-9(][\w.&)/-]*)*"
_JOINT = r"(?:,?\s+(?:and|or|vs\.?|versus)\s+(?:the\s+|in\s+|of\s+|for\s+)*)"
_MANY = late(rf"(?P<names>{_NAME}(?:['’]s?)?(?:,\s+{_NAME}(?:['’]s?)?)*{_JOINT}{_NAME}(?:['’]s?)?)")
_BETWEEN = late(
    r"(?P<one>.{3,}?)[,;]?\s+(?:and\s+)?(?:how (?:does|do|did) (?:that|this|it|they) )?"
    rf"{_COMPARES}\s+(?:(?P<those>those|that|the one|(?:its|their) (?:showing|performance|results?))\s+"
    r"(?P<link>of|in|from|for|on|after)\s+"
    r"|(?P<its>its|their)\s+)?(?P<other>.{3,})",
    re.IGNORECASE,
)
_REQUEST = late(
    r"^\W*(?:please\s+)?(?:compare|contrast|put|set|show|examine|analy[sz]e)(?:\s+(?:how|the))?\s+"
    r"|^\W*how (?:does|do|did|has|have|is|are|was|were)\s+|^\W*what (?:is|are|was|were) the differences? between\s+",
    re.IGNORECASE,
)
_BOTH = late(r"^\W*(?P<one>.{3,}?)\s+and\s+(?:the\s+)?(?P<other>.{3,}?)\W*$")
_OWNER = late(rf"{_NAME}['’]s?")
_LISTED = late(rf",\s+|{_JOINT}")
_POSSESSIVE = late(r"['’]s?$")


def sides_of(question: str) -> tuple[Part, ...]:
    """Return the question about each side of a comparison, with the side's name; () if the rules find fewer than
    two.
    """
    asked = " ".join(question[:_LONGEST_READ].split())
    between = _BETWEEN.match(_REQUEST.sub("", asked))
    takes_up = between is not None and between["those"]
    named = [] if takes_up and _phrased(asked) else _named(asked)
    return tuple(
        Part(question=text, side=side, constraints=_bound(text, side if named else ""))
        for side, text in named or _phrased(asked)
    )


def _bound(text: str, name: str) -> tuple[Constraint, ...]:
    """Return the constraints of a side, which always include its name."""
    own = constraints(text)
    if not name or any(one.text == name for one in own):
        return own
    return (Constraint(kind=ConstraintKind.ENTITY, text=name), *own)


def _named(asked: str) -> list[tuple[str, str]]:
    """Return joined names: "the operating income of Amazon and Apple", "Apple's and Amazon's buybacks"."""
    for found in _MANY.finditer(_REQUEST.sub("", asked)):
        names = [name.strip(" ,.") for name in _LISTED.split(found["names"]) if name.strip(" ,.")]
        if len(names) < 2 or any(len(name) < 2 for name in names):
            continue
        rest = _REQUEST.sub("", asked)
        before, after = rest[: found.start()], rest[found.end() :]
        plain = [_POSSESSIVE.sub("", name) for name in names]
        return [(name, _sentence(f"{before}{each}{after}")) for name, each in zip(plain, names, strict=True)]
    return []


def _phrased(asked: str) -> list[tuple[str, str]]:
    """Return two phrases separated by a word of comparison: "the cost of A next to that of B"."""
    rest, topic = _REQUEST.sub("", asked), ""
    if (between := _BETWEEN.match(rest)) is not None:
        one, other = between["one"].strip(" ,?.;:"), between["other"].strip(" ,?.;:")
        if between["those"]:
            other = f"{_subject(one)} {between['link']} {other}"
        elif between["its"] and (owner := _OWNER.search(one)) is not None:
            other = f"{owner.group()} {other}"
        elif ": " in other:
            other, _, topic = other.partition(": ")
        return _pair(one, other, topic)
    if rest != asked and (both := _BOTH.match(rest)) is not None and "difference" in asked.casefold():
        return _pair(both["one"], both["other"], "")
    return []


def _pair(one: str, other: str, topic: str) -> list[tuple[str, str]]:
    sides = [" ".join(text.split()) for text in (one, other)]
    about = f": {topic}" if topic else ""
    return [(side, _sentence(f"{side}{about}")) for side in sides] if all(len(s) >= _SHORTEST for s in sides) else []


def _subject(one: str) -> str:
    """Return the compared thing without its owner: "cost per QALY" for "cost per QALY from the ulcer analysis"."""
    if ":" in one:
        return one.partition(":")[0]
    return re.split(r"\s+(?:of|in|from|for|on which|at which)\s+(?=\S+)", one, maxsplit=1)[0]


def _sentence(text: str) -> str:
    return " ".join(text.split()).strip(" ,;:.?")
