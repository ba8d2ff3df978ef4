"""Replays a finished investigation from its journal and re-verifies its results."""

from __future__ import annotations

from investigator.asking.budget import BudgetSettings
from investigator.errors import ReplayError
from investigator.proof.standing import Reread, quote_standing
from investigator.records import Answer, Answered, Investigation, Replayed, StopReason, Usage
from investigator.research.loop import Research
from investigator.store.past_calls import PastCalls


def replay(
    kept: Investigation, blank: Investigation, research: Research, journal: PastCalls, reread: Reread
) -> Replayed:
    """Replay a run, compare it with the stored record, and look up its quotes in the files. `research` has the run's
    own settings, and engines that can only reply from the journal. Raises TemplateError and StoreError.
    """
    differences: tuple[str, ...] = ()
    again: Investigation | None = None
    try:
        for event in research.events(blank):
            if isinstance(event, Answered):
                again = event.investigation
    except ReplayError as error:
        differences = (f"after {len(journal.used)} calls: {error.message}",)
    if again is not None:
        differences = tuple(_different(kept, again))
    quotes = kept.answer.citations if kept.answer else ()
    fresh = reread(dict.fromkeys(quote.document_id for quote in quotes))
    return Replayed(
        investigation=kept,
        calls=len(journal.used),
        quotes=len(quotes),
        differences=differences,
        failed_quotes=tuple(each for each in quotes if quote_standing(each, fresh[each.document_id]) != each),
    )


def spent_at(stop: StopReason) -> tuple[BudgetSettings, Usage, float]:
    """Return a budget with the given ceiling, and a usage and a duration that exceed it; they replay a run that was
    ended by this ceiling.
    """
    usage = Usage(calls=2, input_tokens=2, money=2.0)
    budgets = {
        StopReason.CALLS: BudgetSettings(calls=1),
        StopReason.TOKENS: BudgetSettings(calls=None, tokens=1),
        StopReason.MONEY: BudgetSettings(calls=None, money=1.0),
        StopReason.TIME: BudgetSettings(calls=None, seconds=1.0),
    }
    return budgets.get(stop, BudgetSettings(calls=None)), usage, 2.0


def _different(kept: Investigation, again: Investigation) -> list[str]:
    """Describe the differences in words."""
    parts = {
        "the parts of the question": kept.parts == again.parts,
        "the plan": kept.plan == again.plan,
        "the rounds": kept.rounds == again.rounds,
        "the memories": kept.memories == again.memories,
        "the reflections": kept.reflections == again.reflections,
        "the answer": _comparable(kept.answer) == _comparable(again.answer),
    }
    return [f"{part} differs" for part, same in parts.items() if not same]


def _comparable(answer: Answer | None) -> Answer | None:
    """Return an answer without its cost and without the excluded files, which may have changed since."""
    coverage = answer and answer.coverage.changed(left_out=())
    run = answer and answer.run.changed(usage=Usage(), elapsed=0.0)
    return answer and answer.changed(coverage=coverage, reason="", run=run)
