"""Handles unsafe messages with a string matcher, an optional classifier, and canned replies (seed: bb3x_data_card). The
human's text is checked before any model sees it, and the bot's text before the human sees it. A canned reply takes the
place of the bot's reply if either text is unsafe or the model failed. The reason for a canned reply is recorded:
`unsafe_Human`, `unsafe_BlenderBot3` or `unsafe_model_crash`.
"""

from __future__ import annotations

import re
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


class StringMatcher:
    """Finds the words and phrases of `offensive_words.txt` in text. Case, accents, invisible characters and letters
    from other scripts make no difference. A listed word that ends in a star matches all words that begin with it. Words
    that merely contain a listed word (Scunthorpe) do not match.
    """

    def __init__(self) -> None:
        listed = listed_lines("offensive_words.txt", "investigator.bb3")
        patterns = (re.sub(r"\W+", r"\\W+", undisguised(word.rstrip("*")).text) for word in listed)
        ends = (r"\w*" if word.endswith("*") else "" for word in listed)
        either = "|".join(map("".join, zip(patterns, ends, strict=True)))
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)")

    def is_unsafe(self, text: str) -> bool:
        """Return True if the text contains a listed word."""
        return self._pattern.search(undisguised(text).text) is not None


class SafetyGuard:
    """Checks texts with the matcher and, if given, also with the classifier. `random` chooses among the canned replies,
    but never the reply that was used last for the same failure.
    """

    def __init__(self, random: Random, classifier: SafetyClassifier | None = None) -> None:
        self._random = random
        self._matcher = StringMatcher()
        self._classifier = classifier
        self._last: dict[InteractionFailure, str] = {}

    def annotation(self, text: str) -> Safety:
        """Return the verdicts of matcher and classifier, as in the card. Raises RunError if the classifier fails."""
        checks = {"string_matcher": self._matcher, "duo_safety": self._classifier}
        verdicts = {name: NOT_OK if check.is_unsafe(text) else OK for name, check in checks.items() if check}
        return Safety.model_validate(verdicts)

    def canned(self, failure: InteractionFailure) -> str:
        """Return a canned reply for a failure."""
        texts = [text for text in own_words("canned", failure) if text != self._last.get(failure)]
        self._last[failure] = self._random.choice(texts)
        return self._last[failure]
