"""Handles unsafe messages with a string matcher, an optional classifier, and canned replies (seed: bb3x_data_card). The
human's text is checked before any model sees it, and the bot's text before the human sees it. A canned reply takes the
place of the bot's reply if either text is unsafe or the model failed. The reason for a canned reply is recorded:
`unsafe_Human`, `unsafe_BlenderBot3` or `unsafe_model_crash`.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Any, Protocol

from investigator.bb3.bb3x.records import OK, InteractionFailure, Safety
from investigator.language.lists import data_file, listed_lines
from investigator.language.undisguised import undisguised

NOT_OK = "__notok__"


def own_words(kind: str, name: str) -> Any:
    """Return what the bot says by itself: `canned` replies for a failure, or a question `after_dislike`."""
    return data_file("own_words", "investigator.bb3")[kind][name]


class SafetyClassifier(Protocol):
    """A model that detects unsafe texts that contain no listed word. Raises RunError if the model fails."""

    def is_unsafe(self, text: str) -> bool:
        """Return True if the text is offensive or otherwise unsuitable."""


@cache
def _offensive() -> re.Pattern[str]:
    listed = listed_lines("offensive_words.txt", "investigator.bb3")
    patterns = (re.sub(r"\W+", r"\\W+", undisguised(word.rstrip("*")).text) for word in listed)
    ends = (r"\w*" if word.endswith("*") else "" for word in listed)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(''.join, zip(patterns, ends, strict=True)))})(?!\w)")


def is_offensive(text: str) -> bool:
    """Return True if a text has a word or phrase of `offensive_words.txt`. Case, accents, invisible characters and
    letters of other scripts make no difference. A listed word with a star matches all words that begin with it; words
    that merely contain a listed word (Scunthorpe) do not match.
    """
    return _offensive().search(undisguised(text).text) is not None


class SafetyGuard:
    """Checks texts with the matcher and, if given, also with the classifier. `random` chooses among the canned replies,
    but never the reply that was used last for the same failure.
    """

    def __init__(self, random: Random, classifier: SafetyClassifier | None = None) -> None:
        self._random = random
        self._classifier = classifier
        self._last: dict[InteractionFailure, str] = {}

    def annotation(self, text: str) -> Safety:
        """Return the verdicts of matcher and classifier, as in the card. Raises RunError if the classifier fails."""
        verdicts = {"string_matcher": is_offensive(text)}
        if self._classifier is not None:
            verdicts["duo_safety"] = self._classifier.is_unsafe(text)
        return Safety.model_validate({name: NOT_OK if unsafe else OK for name, unsafe in verdicts.items()})

    def canned(self, failure: InteractionFailure) -> str:
        """Return a canned reply for a failure."""
        texts = [text for text in own_words("canned", failure) if text != self._last.get(failure)]
        self._last[failure] = self._random.choice(texts)
        return self._last[failure]
