"""Reviews a round after which a part is open: what is known, what is unknown, where to look (seed: "Reflection")."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_reflect
from investigator.language.normalise import one_line
from investigator.records import Reflection, ReflectReply, ReflectVariables


def reflect(client: EngineClient, variables: ReflectVariables, round_number: int) -> Reflection:
    """Return the review of a round; a wording that was already searched is dropped.

    If the reply cannot be read, the wordings that the answer proposed are searched. Raises EngineError, TemplateError,
    StoreError, and the signal BudgetSpent.
    """
    reading = client.ask("reflection/reflect", variables, ReflectReply, smaller=less_to_reflect)
    reply = reading.value or ReflectReply()
    done = {text.casefold() for text in variables.searched}
    proposed = _lines((*reply.wordings, *variables.proposed))
    return Reflection(
        round=round_number,
        known=_lines(reply.known),
        unknown=_lines(reply.unknown),
        wordings=tuple(text for text in proposed if text.casefold() not in done),
    )


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for text in texts if (line := one_line(text))))
