"""Near misses by rule: questions that a text no longer answers, though they sound almost the same.

What is put in comes, where it can, from the text itself, so that strange words do not give a twin away. `renamed` is the
counterweight: question and text changed alike, so that the answer stays.
"""

# ruff: noqa: E501 - lists are easier to read on one line

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

Rule = Callable[[str, str, Sequence[str], Random], str | None]
"""Takes a question, its text, names of other texts and a source of chance; None if there is nothing to change."""

NAME = re.compile(r"\b[A-Z][\w'’-]+(?:(?: of| de| van| the)? [A-Z][\w'’-]+)*")
_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d\b")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_ASKING = frozenset(
    "who whom whose what which when where why how did does do is are was were in on at the for if has have had can "  # noqa: SIM905
    "could according a an during by from to name".split()
)
_SETS = [
    "director producer writer composer editor", "directed produced wrote composed edited", "born died married buried",
    "population area elevation density", "founder president owner chairman successor", "capital mayor governor",
    "revenue profit cost debt", "revenues expenses assets liabilities", "operating net gross deferred", "age height weight",
    "city country state county", "start end", "begin end", "began ended", "mean median maximum minimum total",
    "primary secondary tertiary", "men women children", "boys girls", "male female", "mother father sister brother",
    "wife husband son daughter", "first second third last", "largest smallest oldest newest", "highest lowest average",
    "most least", "more fewer", "increase decrease", "increased decreased", "rise fall", "rose fell", "higher lower",
    "larger smaller", "longer shorter", "older younger", "before after during", "north south east west",
    "northern southern eastern western", "win lose", "won lost", "winner loser", "buy sell", "bought sold",
    "import export", "advantage disadvantage", "advantages disadvantages", "benefit risk", "benefits risks", "cause prevent",
    "caused prevented", "effect cause", "open close", "opened closed", "left joined", "arrived departed", "published banned",
    "offense defense", "attack defend", "minimum maximum", "early late", "earliest latest", "indoor outdoor", "public private",
    "domestic foreign", "federal local", "acute chronic", "safety efficacy", "mortality incidence", "treatment placebo",
    "symptoms causes", "species genus", "color size price shape", "name age nationality", "teacher student", "employees customers",
    "hours days weeks months years", "million billion", "percent million", "percentage number", "meters feet miles kilometers",
    "song album film book", "king queen", "army navy", "summer winter", "daily weekly monthly annually", "long high deep wide heavy",
    "always never", "all none", "allowed forbidden", "accepted rejected", "agree disagree", "supported opposed", "inside outside",
    "actual planned", "current former", "officially secretly", "temporary permanent", "oldest youngest", "best worst", "good bad",
]  # fmt: skip
_OTHERS = {word: tuple(w for w in line.split() if w != word) for line in _SETS for word in line.split()}
_CHANGEABLE = re.compile(rf"\b({'|'.join(sorted(_OTHERS, key=len, reverse=True))})\b", re.IGNORECASE)
_CONDITIONS = [
    "in children", "for women", "in winter", "at night", "during the war", "in rural areas", "after retirement", "by mistake",
    "in the second study", "outside the country", "on average", "under the old rules", "without treatment", "as a teenager",
    "in the following year", "at the same time", "for the second time", "per month", "in the control group", "online",
]  # fmt: skip
_MODAL = [
    (r"\bdid (\w+(?: \w+){0,3}?) (\w+)\b", r"did \1 refuse to \2"), (r"\b(was|were|is|are)\b", r"\1 never"),
    (r"\b(was|were|is|are)\b", r"\1 not"), (r"\bdid\b", "did not"), (r"\b(was|were|is|are)\b", r"\1 expected to be"),
    (r"\bdoes\b", "does not"), (r"\bcan\b", "cannot"), (r"\bhas\b", "has not"), (r"\bhave\b", "have never"),
]  # fmt: skip
_ASKS = re.compile(r"^(when|where|who|how many|how much|how long|how old)\b", re.IGNORECASE)
_KINDS = {
    "when": ("Why", "How"), "where": ("Why", "How"), "who": ("When", "Why"), "how many": ("What kind of",),
    "how much": ("What kind of",), "how long": ("Why",), "how old": ("How tall", "How heavy"),
}  # fmt: skip


def twins(question: str, text: str, names: Sequence[str], random: Random, most: int) -> list[tuple[str, str]]:
    """Return up to `most` pairs of kind and changed question, of different kinds."""
    found = []
    for kind in random.sample(list(RULES), len(RULES)):
        made = RULES[kind](question, text, names, random)
        if made and made.lower() != question.lower():
            found.append((kind, made))
            if len(found) == most:
                break
    return found


def names_of(text: str) -> list[str]:
    """Return the names in a text, one that begins a sentence only if it is longer than a word."""
    found = []
    for one in NAME.finditer(text):
        begins = (
            not text[: one.start()].rstrip(" \"'“(").strip() or text[: one.start()].rstrip(" \"'“(")[-1] in ".!?:\n"
        )
        if one[0].split()[0].lower() not in _ASKING and (not begins or " " in one[0]):
            found.append(one[0])
    return found


def renamed(question: str, text: str, names: Sequence[str], random: Random) -> tuple[str, str, str, str] | None:
    """Return question and text with a year or name in both replaced alike, and what was replaced by what."""
    shared = [one for one in {*_YEAR.findall(question), *names_of(question)} if one in text]
    if not shared:
        return None
    old = random.choice(sorted(shared))
    new = _near_year(old, random) if _YEAR.fullmatch(old) else (random.choice(names) if names else old)
    if new in text or new in question or old in new:
        return None
    return question.replace(old, new), text.replace(old, new), old, new


def _year(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    found = _YEAR.findall(question)
    if not found:
        return None
    old = random.choice(found)
    there = sorted(set(_YEAR.findall(text)) - set(found))
    return question.replace(old, random.choice(there) if there and random.random() < 0.6 else _near_year(old, random))


def _near_year(year: str, random: Random) -> str:
    return str(int(year) + random.choice((-10, -5, -3, -2, -1, 1, 2, 3, 4, 10)))


def _number(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    found = [one for one in _NUMBER.finditer(question) if not _YEAR.fullmatch(one[0])]
    if not found:
        return None
    old = random.choice(found)
    there = sorted(set(_NUMBER.findall(text)) - {old[0]})
    new = random.choice(there) if there and random.random() < 0.5 else str(random.randint(2, 99))
    return question[: old.start()] + new + question[old.end() :]


def _entity(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    found = names_of(question)
    if not found:
        return None
    old = random.choice(found)
    there = sorted(one for one in set(names_of(text)) if one not in question and old not in one and one not in old)
    pool = there if there and random.random() < 0.6 else list(names)
    return question.replace(old, random.choice(pool)) if pool else None


def _role(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    found = [one for one in dict.fromkeys(names_of(question)) if question.count(one) == 1]
    if len(found) < 2:
        return None
    first, second = random.sample(found, 2)
    if first in second or second in first:
        return None
    return question.replace(first, "\0").replace(second, first).replace("\0", second)


def _attribute(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    found = list(_CHANGEABLE.finditer(question))
    if not found:
        return None
    old = random.choice(found)
    return question[: old.start()] + random.choice(_OTHERS[old[0].lower()]) + question[old.end() :]


def _condition(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    if random.random() < 0.85:
        return None
    added = random.choice(_CONDITIONS)
    return None if added in question else f"{question.rstrip(' ?')} {added}?"


def _modality(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    pattern, put = random.choice(_MODAL)
    made, count = re.subn(pattern, put, question, count=1)
    return made if count and random.random() < 0.35 else None


def _kind(question: str, text: str, names: Sequence[str], random: Random) -> str | None:
    found = _ASKS.match(question)
    if not found or random.random() < 0.7:
        return None
    return random.choice(_KINDS[found[1].lower()]) + question[found.end() :]


RULES: Mapping[str, Rule] = {
    "year": _year, "number": _number, "entity": _entity, "role": _role, "attribute": _attribute,
    "condition": _condition, "modality": _modality, "kind": _kind,
}  # fmt: skip
