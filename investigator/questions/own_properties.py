"""Recognises a question about a property of a document itself: its date, its author, its title. Pure. For English
text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from investigator.questions.cues import cues

_LONGEST = 200  # maximum number of characters read from a question
_ASKS = r"(?:(?:what|which|who)(?:['’]s| is| was| are| were) (?:the )?|the )?"
_MARKS = " \t\n?.!:\"'“”‘’"


class OwnProperty(StrEnum):
    """A property that a document may state about itself."""

    DATE = "date"
    AUTHOR = "author"
    ISSUER = "issuer"
    SENDER = "sender"
    RECIPIENT = "recipient"
    TITLE = "title"
    VERSION = "version"
    PAGES = "pages"


def asked_property(question: str, *, alone: bool = False) -> OwnProperty | None:
    """Return the property of "this document" that a question asks for. With `alone`, a question that only names a
    property also counts: "Author?".

    A question about something in the document does not count: who wrote the minutes of 7 April, when the contract was
    signed.
    """
    asked = " ".join(question[:_LONGEST].split()).strip(_MARKS)
    return next((one for one, forms in _forms().items() if forms[alone].fullmatch(asked)), None)


@cache
def _forms() -> dict[OwnProperty, tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return, for each property, the pattern for questions that name a document and the pattern for other questions."""
    said = {name: words.replace("\n", "") for name, words in cues("own_properties").items()}
    documents = f"{cues('kinds')['documents']}|{cues('kinds')['others']}".replace("\n", "")
    this = rf"(?:(?:this|the present)(?: \w+)? (?:{documents})|the (?:document|file|paper|text)|this)"
    found = {}
    for one in OwnProperty:
        whole = _form(said, one, this)
        bare = rf"{_ASKS}(?:(?:document|file) )?(?:{said[one]})|{_form(said, one, f'(?:{this}|the (?:{documents}))')}"
        found[one] = (re.compile(whole, re.IGNORECASE), re.compile(bare, re.IGNORECASE))
    return found


def _form(said: Mapping[str, str], one: OwnProperty, it: str) -> str:
    asks, nouns = rf"{_ASKS}(?:{said[one]}) (?:of|on|in|for) {it}", f"(?:{said[one]})"
    return rf"{asks}|(?:who|what)(?: is| was| are) {it}['’]s {nouns}|{said[f'{one}_asked'].replace('IT', it)}"
