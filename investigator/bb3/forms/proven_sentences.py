"""A reply that is said while it is being written: sentence by sentence, each as soon as it is proven."""

from __future__ import annotations

from investigator.asking.replies import unfinished_text
from investigator.bb3.exchange import ModuleRequest
from investigator.bb3.forms.echoes import without_prompt
from investigator.bb3.forms.proven_replies import proven_beginning
from investigator.engines.base import Hear
from investigator.language.sentences import sentence_spans


class ProvenSentences:
    """Says of a model's reply, in JSON, what is proven of it so far; what was said once is said again at the beginning.

    The sentence that is being written is not said: it may go on to say something else. Nor is what comes after a
    piece of the prompt, whose `own` words are given.
    """

    def __init__(self, request: ModuleRequest, say: Hear, own: str = "") -> None:
        self._request = request
        self._own = own
        self._say = say
        self._looked_at = ""
        self.said = ""
        """What was said so far."""

    def hear(self, written: str) -> None:
        """All that the model has written so far."""
        reply = without_prompt(unfinished_text(written, "reply"), self._own)
        starts = [start for start, _ in sentence_spans(reply)]
        finished = reply[: starts[-1]].rstrip() if starts else ""
        if finished == self._looked_at:
            return
        self._looked_at = finished
        proven = proven_beginning(finished, self._request)
        if len(proven) > len(self.said) and proven.startswith(self.said):
            self.said = proven
            self._say(proven)
