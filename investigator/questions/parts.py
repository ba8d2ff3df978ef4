"""Uses rules to split a question into complete questions with their constraints, and a comparison into its sides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.language.late_patterns import late
from investigator.language.terms import POSSESSIVE, words
from investigator.questions.constraints import constraints
from investigator.questions.cues import patterns
from investigator.questions.kinds import cue
from investigator.questions.order import clause
from investigator.records import Constraint, ConstraintKind, Part, QuestionKind

_MOST_PARTS = 24
_LONGEST_READ = 4_000  # maximum number of characters to analyse; the rest of the question is ignored
_ASKS = (
    r"(?:who|whom|whose|what|when|where|which|why|how|wer|wem|wen|wessen|was|wann|wo|warum|wie"
    r"|qui|quand|quoi|où|pourquoi|comment|quién|qué|cuándo|dónde)"
)
_NEXT = late(
    rf"(?:,?\s+(?:and|und|et|y)\s+|;\s*|,\s*)(?=(?:in|on|at|for|by|to|since|until)?\s*{_ASKS}\b(?!\s+(?:and|or)\b))",
    re.IGNORECASE,
)
_ASKING = late(rf"\b{_ASKS}\b|[?？]", re.IGNORECASE)
_SENTENCE_END = late(r"(?<=[?？])\s+(?=\S)")
_ALONE = late(
    r"^(?P<lead>(?:when|where|why|how|(?:which|what) (?P<thing>(?:[\w-]+ ){1,3}?))\s?)"
    r"(?P<rest>(?:did|does|do|is|was|are|were|has|have|had|will) .+?),?\s+and\s+(?P<word>why|when|where|how)\W*$",
    re.IGNORECASE,
)
"""Matches two questions about one thing: "when did she resign and why?"."""
_WHO_AND = late(r"^\W*(?P<who>who (?P<did>.+?)),?\s+and\s+(?P<word>why|when|where)\W*$", re.IGNORECASE)
_FEWEST_WORDS = 3
_NAMED = r"[A-ZÀ-ÖØ-Þ][\w.'’&-]*(?:\s+(?:(?:of|the|de|von|van|and)\s+)?[A-ZÀ-ÖØ-Þ(][\w.'’&)-]*)*"
_OR = late(rf"^(?P<asked>.*[^,\s]),\s*(?:the\s+)?(?P<one>{_NAMED})\s*,?\s+or\s+(?:the\s+)?(?P<other>{_NAMED})\s*\??$")
_BOTH = late(
    rf"^(?i:are|were|is|do|did|was)\s+(?:both\s+)?(?:the\s+)?(?P<one>{_NAMED})\s+and\s+(?:the\s+)?(?P<other>{_NAMED})"
    r"\s+(?P<asked>[a-z].{2,}?)\??$"
)
_NEXT_THING = late(r"[?:;]|\. |,? and (?:what|how|why|when)\b")
_SQUARES = late(
    r"\bdo(?:es)? (?P<one>.{3,120}?) (?:agree|square|match|tally|add up) with (?P<other>.{3,})", re.IGNORECASE
)
_TIMES = r"(?:quarters?|years?|periods?|months?|weeks?|decades?|filings?|reports?|documents?|10-[kq]s?|time|next)"
_MOVES = late(
    r"^\W*(?:how (?:has|have|had|did|does|do)|track|can any trends be identified in|has there been any \w+ change in"
    r"|are there any \w+ changes in|what is the trend (?:in|of))\s+"
    r"|\b(?:moved?|chang(?:e|ed)|evolv(?:e|ed)|develop(?:s|ed)?|progress(?:ed)?|fluctuated?)\b"
    rf"|\b(?:over|across|through|throughout|for|in|from|between|during) (?:[\w-]+ ){{0,5}}?{_TIMES}\b[^,;:?]*"
    r"|\b(?:quarter|year|month) (?:by|over|on|after) (?:quarter|year|month)\b|\bseparately\b",
    re.IGNORECASE,
)
"""Matches questions about a development, which a single figure cannot describe."""
_ELLIPSIS = late(
    rf"^\W*(?:how (?:much|many)|{_ASKS})\s+(?:for|in|at|on|to|after|before|with|without|by|from|under|during)\b",
    re.IGNORECASE,
)
"""Matches a question without its own noun and verb: "and how much for adults?"."""
_BARE = late(
    r"^(?:(?:in|on|at|for|by) )?(?:how (?:much|many|long|often)|(?:what|which) (?:price|cost|time|date|day|place))\W*$"
    r"|^(?:since|until|from) when\W*$",
    re.IGNORECASE,
)
"""Matches a question without any noun of its own: "and for how much?"."""
_THING = late(
    r"\b(?:the|an?|our|your|its|their|this|that)\s+((?:[a-z][\w'’-]*\s+){0,2}?[a-z][\w'’-]*)"
    r"(?=\s+(?:of|at|on|in|for|to|from|by|with|did|does|do|was|were|is|are|has|have|had|will|would|can)\b|\W*$)"
)
_IT = late(r"\bit\b", re.IGNORECASE)
_THEY = late(r"\b(?:they|them)\b", re.IGNORECASE)
_PERSON = late(r"\b(?:he|his|him|she|her)\b", re.IGNORECASE)
_PRONOUN = late(r"\b(?:it|its|they|their|them|this|that|these|those)\b", re.IGNORECASE)
_WHAT_WAS_IT = late(r"^(?:and )?what (?:was|is|were|will) (?:it|that)(?: be)?\s+(?P<when>\S.*)", re.IGNORECASE)
_NOW = late(r"\s+(?:now|nowadays|today|currently|at present|these days)\b", re.IGNORECASE)
_LONGEST_COMPARED = 2_000  # maximum number of characters in a question that is examined for a comparison
_SHORTEST = 3  # minimum number of characters in a side
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
_AND = late(r"^\W*(?P<one>.{3,}?)\s+and\s+(?:the\s+)?(?P<other>.{3,}?)\W*$")
_OWNER = late(rf"{_NAME}['’]s?")
_LISTED = late(rf",\s+|{_JOINT}")


def taken_apart(question: str) -> tuple[Part, ...]:
    """Return the parts of a question; if there is only one, it is the question itself, verbatim."""
    asked = " ".join(question[:_LONGEST_READ].split())
    pieces = _sides(asked) or _questions(asked)
    if len(pieces) < 2:
        return (Part(question=question.encode(errors="replace").decode(), constraints=constraints(asked)),)
    return tuple(Part(question=piece, constraints=constraints(piece)) for piece in _with_names(pieces))


def parts_of(question: str, kind: QuestionKind) -> tuple[Part, ...]:
    """Return the parts of a question of a given kind. The parts of a comparison are its sides, if the rules find them.

    For a trend, the only part asks for the value itself, not for its change.
    """
    if kind is QuestionKind.COMPARISON and (sides := sides_of(question)):
        return sides
    if kind is QuestionKind.TREND and (subject := _subject_of_trend(question)):
        return (Part(question=subject, constraints=constraints(subject)),)
    if kind is QuestionKind.CONTRADICTION and any(both := subject_of_contradiction(question)):
        on = ", ".join(filter(None, both))
        return (Part(question=on, constraints=constraints(on)),)
    return taken_apart(question)


def subject_of_contradiction(question: str) -> tuple[str, str]:
    """Return the place ("in the lease") and the subject of a possible contradiction; each is "" if not given."""
    asked = " ".join(question[:_LONGEST_READ].split())
    first = _NEXT_THING.split(asked, maxsplit=1)[0]
    if (squares := _SQUARES.search(first)) is not None:
        both = (squares["one"], squares["other"])
    elif (found := cue("agree_on").search(first)) is not None:
        both = (first[: found.start()], first[found.end() :])
    else:
        both = ("", cue("contradiction").sub(" ", first))
    where, what = (" ".join(cue("agree_asks").sub(" ", text).split()).strip(" ,.?") for text in both)
    return where, what


def _subject_of_trend(question: str) -> str:
    """Return the quantity in a question about a change, without the words for the change; "" if it is too short."""
    asked = " ".join(question[:_LONGEST_READ].split())
    first = _NEXT_THING.split(asked, maxsplit=1)[0]
    subject = " ".join(_MOVES.sub(" ", first).split()).strip(" ,")
    return subject if len(subject.split()) >= _FEWEST_WORDS - 1 else ""


def _questions(asked: str) -> list[str]:
    """Return the consecutive questions, or those joined by "and"; a question that is too short stays with the
    previous question.
    """
    if (both := _ALONE.match(asked)) is not None:
        verb, _, rest = both["rest"].partition(" ")
        thing = f"the {both['thing'].strip()} " if both["thing"] else ""
        return [f"{both['lead']}{both['rest']}", f"{both['word']} {verb} {thing}{rest}"]
    if (both := _WHO_AND.match(asked)) is not None:
        return [both["who"], f"{both['word']} did this happen? ({both['did']})"]
    pieces: list[str] = []
    for sentence in _SENTENCE_END.split(asked):
        for piece in _NEXT.split(sentence, maxsplit=_MOST_PARTS - 1):
            if pieces and (
                (len(piece.split()) < _FEWEST_WORDS and not _BARE.match(piece))
                or not _ASKING.search(piece)
                or len(pieces) >= _MOST_PARTS
            ):
                pieces[-1] = f"{pieces[-1]} {piece}"
            else:
                pieces.append(piece)
    return _without_openings(pieces)


def _without_openings(pieces: list[str]) -> list[str]:
    """Join an introduction ("For the trial, ...") to its question."""
    joined: list[str] = []
    for piece in pieces:
        if joined and not _ASKING.search(joined[-1]):
            joined[-1] = f"{joined[-1]}, {piece}"
        else:
            joined.append(piece)
    return joined


def _sides(asked: str) -> list[str]:
    """Return the same question about each side of a comparison such as "who was born later, A or B?" or "are A and B
    both C?".
    """
    for pattern in (_OR, _BOTH):
        if match := pattern.match(asked):
            return [f"{match[side].strip()}: {match['asked'].strip(' ?')}" for side in ("one", "other")]
    return []


def _with_names(pieces: list[str]) -> list[str]:
    """Complete each piece with words from earlier pieces: the name and the thing to which its pronoun refers, or the
    subject of the first question if the piece has no noun and verb.
    """
    name, thing, asked, complete = "", "", "", list[str]()
    for piece in pieces:
        if complete and (again := _WHAT_WAS_IT.match(piece)):
            complete.append(f"{_NOW.sub('', complete[0]).rstrip('? ')} {again['when']}")
            continue
        own = constraints(piece)
        names = [one.text for one in own if one.kind in (ConstraintKind.ENTITY, ConstraintKind.PLACE)]
        is_pointing = _PRONOUN.search(piece) is not None
        is_elliptic = _ELLIPSIS.match(piece) or _BARE.match(piece) or (_asks_only_how_much(own) and not is_pointing)
        left = asked if is_elliptic else thing if is_pointing else ""
        if not (left or name) and _THEY.search(piece):  # as in "Who mows the lawn and what do they charge?"
            left = asked
        is_unnamed = (is_pointing or _PERSON.search(piece)) and not names
        meant = " ".join(filter(None, (left, name if is_unnamed or (_IT.search(piece) and not left) else "")))
        complete.append(f"{piece} ({meant})" if meant else piece)
        name = name or POSSESSIVE.sub("", next(iter(names), ""))
        thing = thing or _subject_of(piece) or (found[1] if (found := _THING.search(piece)) else "")
        asked = asked or "; ".join(one.text for one in own if one.kind is ConstraintKind.ATTRIBUTE)
    return complete


def _asks_only_how_much(own: Sequence[Constraint]) -> bool:
    """Return True if a question names nothing but a kind of figure, as in "and what did we pay?"."""
    named = (ConstraintKind.ATTRIBUTE, ConstraintKind.ENTITY, ConstraintKind.PLACE, ConstraintKind.CONDITION)
    said = [word for one in own if one.kind in named for word in words(one.text)]
    return bool(said) and all(any(kind.fullmatch(word) for kind in patterns("carried").values()) for word in said)


def _subject_of(piece: str) -> str:
    """Return the grammatical subject of a question; "" if it is a name, or uncertain."""
    found = clause(piece)
    subject = " ".join(found.subject) if found is not None else ""
    return subject if subject.islower() else ""


def sides_of(question: str) -> tuple[Part, ...]:
    """Return the question about each side of a comparison, with the side's name; () if the rules find fewer than
    two.
    """
    asked = " ".join(question[:_LONGEST_COMPARED].split())
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
    """Return a question for each of several names: "the operating income of Amazon and Apple", "Apple's and Amazon's
    buybacks".
    """
    for found in _MANY.finditer(_REQUEST.sub("", asked)):
        names = [name.strip(" ,.") for name in _LISTED.split(found["names"]) if name.strip(" ,.")]
        if len(names) < 2 or any(len(name) < 2 for name in names):
            continue
        rest = _REQUEST.sub("", asked)
        before, after = rest[: found.start()], rest[found.end() :]
        plain = [POSSESSIVE.sub("", name) for name in names]
        return [(name, _sentence(f"{before}{each}{after}")) for name, each in zip(plain, names, strict=True)]
    return []


def _phrased(asked: str) -> list[tuple[str, str]]:
    """Return a question for each of two phrases joined by a word of comparison: "the cost of A next to that of B"."""
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
    if rest != asked and (both := _AND.match(rest)) is not None and "difference" in asked.casefold():
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
