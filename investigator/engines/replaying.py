"""Stands in for an engine whose replies are all in a journal."""

from __future__ import annotations

from investigator.errors import ReplayError
from investigator.records import Prompt, Reply, Traits


class AbsentEngine:
    """Has the name and the traits of another engine and gives no replies: whatever was asked must be kept already."""

    def __init__(self, name: str, traits: Traits) -> None:
        self._name = name
        self._traits = traits

    @property
    def name(self) -> str:
        """The name of the other engine."""
        return self._name

    @property
    def traits(self) -> Traits:
        """Those of the other engine."""
        return self._traits

    def count_tokens(self, text: str) -> int:
        """0: the journal knows which prompts did not fit."""
        return 0

    def reply(self, prompt: Prompt) -> Reply:
        """Raises ReplayError, always."""
        raise ReplayError(
            f"the run did not ask {self._name} this ({prompt.template})",
            hint="The documents, the templates or the program have changed since: ask again to investigate anew.",
        )
