"""Finds the search terms in a question that asks which documents, or how many, contain or lack something.

A name must occur verbatim. Other words may occur in any inflection, in American or British spelling and, if the
question asks for more than a mention, as a synonym.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from investigator.language.late_patterns import late
from investigator.language.terms import POSSESSIVE, folded, stop_words, words
from investigator.questions.cues import cues, names_nothing, request_words
from investigator.questions.kinds import asked_documents, cue
from investigator.questions.related import related, root

_LONGEST_READ = 2_000  # maximum number of characters read from a question
_REST = late(
    r"[?;]|[.:](?=\s|$)|,?\s+and (?:its|their|how|what|which|(?:does|do)(?! not|n['’]t)|who|where|when|why)\b"
    r"|,\s*(?:of any|counting|if any)\b"
    r"|\bin (?:some|any) (?:way|form)\b"
)
_AND_THE = late(r",?\s+and the\b", re.IGNORECASE)
"""Matches the beginning of a second request, unless it joins two mentioned things."""
_JOINT = late(
    r"[,;]?\s+(?P<turn>but|yet|though|although|while|whereas)\s+|,?\s+and\s+|,\s+"
    r"|\s+(?=(?:without|nor|neither|except|rather than|instead of)\b)",
    re.IGNORECASE,
)
_NOT = late(
    r"(?<![-\w])(?:(?:do|does|did|is|are|was|were|has|have)n['’]t|not|never|no|without|nor|neither|except|rather than"
    r"|instead of|lacks?|lacking|omits?|leaves? out)(?![-\w])",
    re.IGNORECASE,
)
_DENIES = late(rf"^\W*(?:(?:do|does|did|is|are|has|have|that|which) )*{_NOT.pattern}|{_NOT.pattern}\W*$", re.IGNORECASE)
_QUOTED = late(r"[\"“”«»„][^\"“”«»„]*[\"“”«»„]")
_CONTENT = late(
    r"\b(?:say|said|stat|claim|show|f(?:i|ou)nd|provid|conclud|argu|confirm|mention)\w*\s+(?:that|whether|how|why|when|if)\b",
    re.IGNORECASE,
)
"""Matches the beginning of a statement that a document makes; "not" and "and" after it belong to the statement."""
_NO_MENTION = late(r"\b(?:any |no |a )*(?:mention|reference)s?(?: of| to)?\b", re.IGNORECASE)
_OF_THEM = late(r"\b(?:for |in |by )?which of (?:them|these|those)\b", re.IGNORECASE)
_THING = late(
    r"^\W*(?:(?:which|what|list|name|find)(?: all| every)?(?: the)? (?:[\w'-]+ ){1,3}?"
    r"(?=in |of |from |on |that |which |were |was |are |is |have )"
    r"|(?:several|some|many|most) of (?:the|these) .{3,60}?(?= (?:for|in) which|$)|.{3,60}?\. )",
    re.IGNORECASE,
)
_TOKEN = late(r"[\"“”«»„][^\"“”«»„]{2,80}[\"“”«»„]|[^\W_](?:[\w'’&/-]|[.,](?=\w))*|[,()]")
_NUMBERED = late(r"^([^\W\d_]{4,})-?\d+$")
_AMERICAN = late(r"iz(e|es|ed|ing|ation|ations)$")
_BRITISH = late(r"is(e|es|ed|ing|ation|ations)$")
_JOINING = frozenset(["of", "the", "de", "la", "van", "von", "and", "for"])
_QUOTES = '"“”«»„'
_OR = "or"
_SHORT_FORM, _LONG_NAME = 2, 3  # number of words in a short form; minimum number of words in a name that has one
_REACH = 4  # maximum number of other words between two words of a phrase
_SHORT_NAME = 2  # a name this short joins the words before it, as D does in "vitamin D"
_MOST_TERMS = 12
_MOST_RELATED = 8


@lru_cache(maxsize=50_000)
def spelled_root(word: str) -> str:
    """Return the root of a folded word, the same for British and American spelling: `randomised` and `randomized`.

    Quantifiers have no root: "several" is not a form of "severance".
    """
    if cue("light").fullmatch(word):
        return ""
    return root(word)


def spelled_roots(text: str) -> tuple[str, ...]:
    """Return the roots of the words in the text, in order."""
    return tuple(spelled_root(word) for word in words(text))


@dataclass(frozen=True)
class Term:
    """A term that a document must contain, in one of several wordings. The words of a name must be adjacent; other
    words must be near each other. `of_whom` marks the name of somebody whose documents are meant, and `is_thing` marks
    a kind of thing that a document may express in other words.
    """

    text: str
    wordings: tuple[str, ...]
    is_name: bool = False
    of_whom: bool = False
    is_thing: bool = False

    @cached_property
    def roots(self) -> tuple[tuple[str, ...], ...]:
        """Return the roots of each wording."""
        return tuple(spelled_roots(wording) for wording in self.wordings)

    @cached_property
    def others(self) -> tuple[str, ...]:
        """Return the synonyms of the term, if it is one word and not a name."""
        own = words(self.text)
        return related(own[0])[:_MOST_RELATED] if len(own) == 1 and not self.is_name else ()

    @cached_property
    def other_roots(self) -> frozenset[str]:
        """Return the roots of the synonyms."""
        return frozenset(spelled_root(other) for other in self.others)

    @cached_property
    def short(self) -> str:
        """Return the short form of a long name, its last two words; "" for other terms."""
        own = self.text.split()
        return " ".join(own[-_SHORT_FORM:]) if self.is_name and len(own) >= _LONG_NAME else ""

    @property
    def searched(self) -> tuple[tuple[str, ...], ...]:
        """Return the index terms to look up; all must be present, each in one of its wordings."""
        if self.is_name:
            return (tuple(dict.fromkeys(" ".join(words(one)) for one in (*self.wordings, self.short) if one)),)
        if len(self.wordings) > 1 or len(words(self.text)) == 1:
            own = (" ".join(words(one)) for one in self.wordings)
            return (tuple(dict.fromkeys(form for one in (*own, *self.others) for form in _spellings(one))),)
        return tuple(_spellings(word) for word in words(self.text) if word not in stop_words())

    def stands_in(self, roots: Sequence[str]) -> bool:
        """Return True if the roots contain a wording of the term, with its words adjacent for a name and otherwise
        close together.
        """
        return any(_in_one_piece(own, roots) if self.is_name else _near(own, roots) for own in self.roots)

    def stands_short(self, text: str, whole: str) -> bool:
        """Return True if the text uses the short form of a long name whose words are all in the `whole` text. After a
        different capitalised word the short form is part of another name, such as "English Civil War" instead of
        "American Civil War".
        """
        if not self.short:
            return False
        rest = self.text.split()[:-_SHORT_FORM]
        found = re.finditer(rf"(?:(\w+)\s+)?{re.escape(self.short)}(?!\w)", text)
        alone = any(not one.group(1) or one.group(1).islower() or one.group(1) == "The" for one in found)
        return alone and all(re.search(rf"(?<!\w){re.escape(word)}", whole) for word in rest)


def _spellings(word: str) -> tuple[str, ...]:
    """Return the British and American spellings of a word."""
    british, american = _AMERICAN.sub(r"is\1", word), _BRITISH.sub(r"iz\1", word)
    return tuple(dict.fromkeys((word, british, american)))


def _in_one_piece(own: Sequence[str], roots: Sequence[str]) -> bool:
    size = len(own)
    return any(tuple(roots[i : i + size]) == tuple(own) for i in range(len(roots) - size + 1)) if size else False


def _near(own: Sequence[str], roots: Sequence[str]) -> bool:
    """Return True if the given words are all close together, in any order."""
    wanted = set(own)
    if len(wanted) < 2:
        return not wanted.isdisjoint(roots)
    reach = len(own) + _REACH
    places = [i for i, one in enumerate(roots) if one in wanted]
    return any(wanted <= set(roots[i : i + reach]) for i in places)


@dataclass(frozen=True)
class Topic:
    """Terms that must occur together in each document. With `is_mention`, a mention is enough; with `is_setting`, the
    terms must name the place where the reported work was done; with `is_excluded`, the document must lack them.
    """

    text: str
    terms: tuple[Term, ...]
    is_mention: bool
    is_setting: bool = False
    is_excluded: bool = False

    @property
    def searched(self) -> tuple[tuple[str, ...], ...]:
        """Return the index terms for the topic's terms; each must be present in one of its wordings."""
        return tuple(one for term in self.terms for one in term.searched)


@lru_cache(maxsize=64)
def topics_of(question: str) -> tuple[Topic, ...]:
    """Return the topics of a question, at least one: all content words if it has no terms.

    Several things that a document must mention are separate topics, and so are those that it must not mention: "which
    letters mention the boiler and the roof, but not the lift". Each topic may occur anywhere in a document.
    """
    asked = " ".join(question[:_LONGEST_READ].split())
    clause = _clause(asked)
    verb = cue("mentions").search(clause)
    if verb is None and (_CONTENT.search(clause) or not denied().search(clause)):
        topic = _topic(_AND_THE.split(clause, maxsplit=1)[0], is_mention=False)
        return (topic,) if topic.terms else (_of_terms(_terms(asked, 0, near=False), is_mention=False),)
    pieces = [(clause, False)] if _CONTENT.search(clause) else _pieces(clause)
    found = (
        replace(_topic(_NOT.sub(" ", text) if is_denied else text, is_mention=True), is_excluded=is_denied)
        for text, is_denied in pieces
    )
    topics = tuple({(topic.text.casefold(), topic.is_excluded): topic for topic in found if topic.terms}.values())
    return topics[:_MOST_TERMS] or (_of_terms(_terms(asked, 0, near=False), is_mention=verb is not None),)


def _pieces(clause: str) -> Iterator[tuple[str, bool]]:
    """Yield each piece of a clause that names something to be mentioned, and True if documents must not mention it.

    After "and" or a comma the previous flag still applies until a verb or a "not" changes it.
    """
    is_denied = False
    for text, is_turn in _joined(clause):
        pattern = denied().search(text)
        verb = cue("mentions").search(text)
        if (
            verb is not None and pattern is not None and verb.end() <= pattern.start()
        ):  # "those about X do not mention Y"
            yield text[: pattern.start()], False
            text = text[pattern.start() :]
        is_denying = pattern is not None or _DENIES.search(text) is not None
        is_denied = is_denying or (is_denied and not is_turn and verb is None)
        yield text, is_denied


def _joined(clause: str) -> Iterator[tuple[str, bool]]:
    """Split a clause at conjunctions and commas outside quotation marks, and yield the pieces, with True for a piece
    after "but".
    """
    quoted = [found.span() for found in _QUOTED.finditer(clause)]
    start, is_turn = 0, False
    for joint in _JOINT.finditer(clause):
        if not any(low < joint.start() < high for low, high in quoted):
            yield clause[start : joint.start()], is_turn
            # a capital letter after this space marks a name
            start, is_turn = joint.end() - 1, joint["turn"] is not None
    yield clause[start:], is_turn


def _topic(text: str, *, is_mention: bool) -> Topic:
    verb = cue("mentions").search(text)
    whose = verb.start() if verb is not None and not cue("comes_up").match(verb.group()) else 0
    terms = _terms(_blanked(text, is_mention=is_mention), whose, near=is_mention)
    thing = _THING.match(text)
    if thing is not None and any(term.text not in thing.group() for term in terms):
        terms = [replace(term, is_thing=term.text in thing.group()) for term in terms]
    topic = _of_terms(terms, is_mention=is_mention)
    return replace(topic, is_setting=not is_mention and cue("carried_out").search(text) is not None)


def _of_terms(terms: Sequence[Term], *, is_mention: bool) -> Topic:
    return Topic(" ".join(term.text for term in terms), tuple(terms[:_MOST_TERMS]), is_mention)


@cache
def denied() -> re.Pattern[str]:
    """Return the pattern for words that deny a mention: "do not mention", "without any reference to", "have no"."""
    says = rf"(?:{cue('mentions').pattern}|have|has|having)"
    return re.compile(
        rf"(?:\bnot|n['’]t|\bnever)\s+(?:\w+\s+)?{says}(?!\w)|\b(?:without|no)\s+(?:any\s+)?(?:mention|reference)\b"
        r"|\b(?:have|has|having|with)\s+no\b(?!-)",
        re.IGNORECASE,
    )


def _clause(asked: str) -> str:
    """Return the part of a question that asks for documents."""
    them = _OF_THEM.search(asked)
    # as in "Several are about songs. For which of them is ... given, and ...?"
    if them and cue("documents").search(asked[: them.start()]):
        rest = _REST.split(asked[them.end() :], maxsplit=1)[0]
        return f"{asked[: them.start()].rstrip(' .')}. {rest}"
    return next((piece for piece in _REST.split(asked) if piece.strip()), asked)


def _blanked(clause: str, *, is_mention: bool) -> str:
    """Blank out the words of the request in a clause: the words for documents, for what the documents must do, and for
    where they are. Things to be mentioned are kept, even if they are documents, such as invoices.
    """
    verb = cue("mentions").search(clause) or denied().search(clause)
    named = asked_documents().search(clause)
    end = len(clause) if not is_mention else verb.end() if verb else named.end() if named else 0
    request, rest = clause[:end], clause[end:]
    kinds = (asked_documents(), cue("documents")) if not (is_mention and named) else (asked_documents(),)
    for pattern in (_NO_MENTION, *kinds, cue("mentions")):
        request = pattern.sub(_spaces, request)
    return cue("folder").sub(_spaces, request + _NO_MENTION.sub(_spaces, rest))


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())


class _Word(NamedTuple):
    """A word in a clause: its text and position, whether it belongs to a name, and whether it ends a term."""

    text: str
    start: int
    is_name: bool
    ends: bool


def _terms(clause: str, whose: int, *, near: bool) -> list[Term]:
    """Return one term for each name, and one for each run of other words if `near` is True, otherwise one for each
    other word. "or" joins two terms into one.
    """
    found: list[Term] = []
    is_other = False
    for run in _runs(clause):
        if not run:
            continue
        if run[0].text == _OR:
            is_other = bool(found)
            continue
        made = _made(run, near=near, of_whom=run[0].is_name and run[0].start < whose)
        if is_other:
            text = " ".join(word.text for word in run)
            found[-1] = replace(found[-1], wordings=(*found[-1].wordings, *_wordings(text)))
        else:
            found += made
        is_other = False
    return list({term.text.casefold(): term for term in found}.values())


def _runs(clause: str) -> Iterator[list[_Word]]:
    """Yield runs of words that belong together; an "or" between two runs is yielded as a separate run."""
    run: list[_Word] = []
    for token in _TOKEN.finditer(clause):
        word = _word(token, is_first=token.start() == 0)
        if word is None:
            if run and run[0].is_name and token.group() in _JOINING:
                run.append(_Word(token.group(), token.start(), True, False))
                continue
            yield run
            run = []
            if token.group().lower() == _OR:
                yield [_Word(_OR, token.start(), False, False)]
            continue
        if run and word.is_name != run[0].is_name and (run[0].is_name or len(word.text) > _SHORT_NAME):
            yield run
            run = []
        run.append(word)
        if word.ends:
            yield run
            run = []
    yield run


def _word(token: re.Match[str], *, is_first: bool) -> _Word | None:
    """Convert a token to a word of a term; return None if the token means nothing by itself."""
    text = POSSESSIVE.sub("", token.group().strip('"“”«»„'))
    plain = folded(text)
    if text != token.group() and token.group()[0] in _QUOTES:
        return _Word(text, token.start(), True, True)
    is_plain = (is_first and text[1:].islower()) or plain in request_words()
    if any(char.isdigit() for char in text) or (text[:1].isupper() and not is_plain):
        return _Word(text, token.start(), True, text != token.group())
    if cue("light").fullmatch(plain) or all(map(names_nothing, words(text))):
        return None
    return _Word(text, token.start(), False, text != token.group())


def _made(run: Sequence[_Word], *, near: bool, of_whom: bool) -> list[Term]:
    if run[0].is_name or near:
        while run[-1].text in _JOINING:
            run = run[:-1]
        text = " ".join(word.text for word in run)
        return [Term(text, tuple(_wordings(text)), run[0].is_name, of_whom)]
    return [Term(word.text, tuple(_wordings(word.text))) for word in run]


def _wordings(text: str) -> Iterator[str]:
    """Yield the wordings of a term: as given, as one word, or without its number; the countries of a continent; and the
    country for its adjective, or vice versa.
    """
    yield text
    for pair in cues("nationalities")["of"].replace("\n", "").split("|"):
        if text in pair.split():
            yield from (word for word in pair.split() if word != text)
    yield from filter(None, cues("places").get(folded(text), "").replace("\n", " ").split(" | "))
    if "-" in text:
        yield text.replace("-", "")
        yield text.replace("-", " ")
    if numbered := _NUMBERED.match(text):
        yield numbered.group(1)
