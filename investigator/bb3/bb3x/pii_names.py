"""Finds the names that people give when they introduce themselves or somebody close to them, in a few languages. A name
is recognised by the words before it, not by a list of names; the caller handles famous names (`famous_names.txt`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from investigator.bb3.bb3x.pii import Pii, PiiSpan
from investigator.bb3.courtesies import ends_with_greeting
from investigator.language.lists import listed, listed_by_section, listed_lines
from investigator.language.terms import folded, stop_words

_RELATIONS = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|kid|baby|brother|sister|mother|father|mom|mum|"
    r"dad|cousin|aunt|uncle|niece|nephew|grandma|grandpa|grandmother|grandfather|friend|best friend|boss|colleague|"
    r"coworker|roommate|flatmate|neighbou?r|teacher|doctor|landlord|landlady|ex)"
)
_SAYS_NAME = re.compile(
    r"\b(?:my (?:(?:full|first|last|middle|real|given|family|maiden|legal|birth) )?name(?:['’]?s| is| was|:)|"
    rf"my {_RELATIONS}['’]?s? name(?:['’]s| is| was)|the name(?:['’]s| is)|(?:his|her|their) name(?:['’]s| is)|"
    r"mein(?: \w+)? name (?:ist|lautet)|ich hei(?:ß|ss)e|mon (?:nom|prénom)(?: complet)? (?:est|:)|je m['’]appelle|"
    r"me llamo|mi nombre es|mi chiamo|il mio nome è|mijn naam is|ik heet|meu nome é|(?:eu )?me chamo|nazywam się|"
    r"jag heter|jeg heter)\s+",
    re.IGNORECASE,
)
"""Matches words that introduce a name, which may be in lower case."""

_CALLS = re.compile(
    r"\b(?i:call(?:s|ed)? me|nickname is|(?:man )?nennt? mich|nenn mich|appelle[- ]moi|appelez[- ]moi|moi,? c['’]est|"
    r"this is|hier ist|hier spricht|"
    rf"my {_RELATIONS}(?:,| is called| is named| named| called)?|(?:her|his) name is|"
    r"(?:mein(?:e)?|unser(?:e)?) (?:frau|mann|sohn|tochter|bruder|schwester|freund|freundin|chef|chefin|nachbar|"
    r"nachbarin)(?: heißt)?|"
    r"(?:ma|mon) (?:femme|mari|fils|fille|frère|sœur|ami|amie|voisin|voisine|patron)(?: s['’]appelle)?)\s+"
)
"""Matches words that introduce a capitalised name."""

_I_AM = re.compile(r"\b(?i:i['’]m|i am)\s+")
_AFTER_I_AM = re.compile(r"\s*(?:$|[,.!?;)]|(?:and|from|by|here|speaking|but|nice|pleased|aged)\b)", re.IGNORECASE)
_AFTER_THIS_IS = re.compile(r"\s+(?:speaking|here|calling from|from|on the phone)\b", re.IGNORECASE)
_OPENS_TALK = re.compile(r"(?:^|\b(?:hi|hello|hey|hiya|good (?:morning|evening|afternoon)))\W*$", re.IGNORECASE)
_ENDS_SAYING = re.compile(r"\s*(?:$|[.,!;])")
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mister|Dr|Doctor|Prof|Professor|Herr|Herrn|Frau|Monsieur|Madame|Mademoiselle|Mme|Mlle|Señor|Señora|"
    r"Signor|Signora|Sir)\b\.?\s+"
)
_CLOSING = re.compile(
    r"\b(?:regards|sincerely|cheers|yours|yours truly|best wishes|love|grüße|grüßen|gruß|cordialement|saludos),?\s+"
    r"(?=[^\d.!?]{2,40}\W*$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’\u2010-][^\W\d_]+)*")
_GAP = re.compile(r"\s|\. (?=\w)")
_PARTICLES = frozenset(
    {
        *("van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "el", "al"),
        *("bin", "ibn", "ben", "ter", "ten", "zu", "zur", "af", "av", "mac", "o", "y", "e"),
    }
)
_MOST_WORDS = 4


def names_in(text: str) -> Iterator[PiiSpan]:
    """Yield the names that follow words such as "my name is"."""
    for found in _SAYS_NAME.finditer(text):
        yield from _name_at(text, found.end(), _said_name_end(text, found.end()))
    for pattern in (_TITLE, _CALLS, _CLOSING):
        for found in pattern.finditer(text):
            end = _capital_end(text, found.end())
            if pattern is _CALLS and not _is_introduced(text, found, end):
                continue
            if pattern is _TITLE and folded(text[found.start() : end]) in famous_names():
                continue
            yield from _name_at(text, found.end(), end)
    for found in _I_AM.finditer(text):
        end = _capital_end(text, found.end())
        if ends_with_greeting(text[max(0, found.start() - 30) : found.start()]) or _AFTER_I_AM.match(text, end):
            yield from _name_at(text, found.end(), end)


def _is_introduced(text: str, said: re.Match[str], end: int) -> bool:
    """Return True if the words introduce a person; "this is" does so only in a call or at the start of a message."""
    if not said.group().lower().startswith("this is") or _AFTER_THIS_IS.match(text, end):
        return True
    opens = _OPENS_TALK.search(text[max(0, said.start() - 30) : said.start()]) if said.start() else True
    return bool(opens) and _ENDS_SAYING.match(text, end) is not None


def occurrences(text: str, names: Iterable[str]) -> Iterator[PiiSpan]:
    """Yield the spans of words that belong to a known name, ignoring case; an ordinary word in lower case does not
    count.
    """
    known = {word for name in names for word in _name_words(name)}
    if not known:
        return
    forms = {form for word in known for form in (word, word.capitalize(), word.upper())}
    forms |= {word.lower() for word in known if folded(word) not in no_names()}
    either = "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))
    for found in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text):
        yield PiiSpan(*found.span(), Pii.NAME)


def words_of(text: str, finding: PiiSpan) -> Iterator[PiiSpan]:
    """Yield each word of a name separately, so that a first name is also recognised by itself."""
    for found in _WORD.finditer(text, finding.start, finding.end):
        yield PiiSpan(*found.span(), Pii.NAME)


@cache
def famous_names() -> frozenset[str]:
    """Return famous names, folded."""
    return frozenset(folded(line) for line in listed_lines("famous_names.txt", "investigator.bb3.bb3x"))


@cache
def no_names() -> frozenset[str]:
    """Return folded words that are not names although they occur where a name is expected."""
    own = (word for line in listed_lines("not_names.txt", "investigator.bb3.bb3x") for word in line.split())
    # only English months, because those of other languages, such as Jan and Juli, are also names
    months = {names.split("|")[0] for names in listed("months")["en"]} - {"may"}
    greetings = (word for words in listed_by_section("courtesies")["greeting"].values() for word in words)
    return stop_words() | {folded(word) for word in (*own, *greetings, *months)}


def _name_words(name: str) -> list[str]:
    """Return the words that identify a name, without initials and particles."""
    found = (word.group() for word in _WORD.finditer(name))
    return [word for word in found if len(word) > 2 and folded(word) not in _PARTICLES]


def _name_at(text: str, start: int, end: int) -> Iterator[PiiSpan]:
    if end > start:
        yield PiiSpan(start, end, Pii.NAME)


def _said_name_end(text: str, start: int) -> int:
    """Return the end of the name that begins at `start`, or `start` itself if no name begins there. The name may be in
    lower case.
    """
    first = _WORD.match(text, start)
    if first is None:
        return start
    word = first.group()
    if word[0].isupper() and not (word.isupper() and len(word) > 1):
        return _capital_end(text, start, sure=True)
    if folded(word) in no_names():
        return start
    end = first.end()
    second = _next_word(text, end)
    while (
        second is not None and folded(second.group()) not in no_names() and second.group().isupper() == word.isupper()
    ):
        after = _next_word(text, second.end())
        if not (after is None or folded(after.group()) in no_names() or word.isupper()):
            break
        end = second.end()
        second = after
    return end


def _capital_end(text: str, start: int, sure: bool = False) -> int:
    """Return the end of a capitalised name, including inner particles; with `sure`, the first word may be any word."""
    end, place = start, start
    for number in range(_MOST_WORDS):
        word = _WORD.match(text, place) if number == 0 else _next_word(text, place)
        if word is None:
            break
        plain = folded(word.group())
        if number and plain in _PARTICLES:
            place = word.end()
            continue
        if not word.group()[0].isupper() or (plain in no_names() and not (sure and number == 0)):
            break
        end = place = word.end()
    return end


def _next_word(text: str, place: int) -> re.Match[str] | None:
    """Return the next word if only a space, or the dot of an initial and a space, precedes it."""
    gap = _GAP.match(text, place)
    if gap is None or (gap.group() != " " and not text[place - 1 : place].isupper()):
        return None
    return _WORD.match(text, gap.end())
