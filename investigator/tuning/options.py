"""Options of a tuning run."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from investigator.asking.contracts import METHOD
from investigator.asking.template_check import nearest
from investigator.errors import SettingsError
from investigator.evaluation.measures import Measure, judging_measure
from investigator.records import Record
from investigator.tuning.candidates import COMMON, Space
from investigator.tuning.guards import Tolerance


class TuningOptions(Record):
    """The target of the tuning, the sources of candidates, and the ceilings.

    `templates` lists the templates that may change. Candidates come from a folder of `variants`, from a `space` of
    settings, and from the proposer `search` (the name of an entry point; `gepa` is built in), which uses the model
    `proposer` or, by default, the model of the base. If no source of candidates is given, each change in `COMMON` is a
    candidate. `max_calls` and `max_money` apply to the total of all processes. `reopen` allows another test on data
    that was used before, at a stricter significance level. `tolerance` limits the losses of a winner.
    """

    templates: tuple[str, ...] = ()
    variants: Path | None = None
    space: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    search: str = ""
    proposer: str = ""
    measure: Measure = Measure.RIGHT
    seed: int = 0
    tolerance: Tolerance = Tolerance()
    max_calls: int | None = Field(default=None, ge=0)
    max_money: float | None = Field(default=None, ge=0)
    reopen: bool = False

    @property
    def changes(self) -> Space:
        """Return the settings that may change, with their values."""
        return self.space or ({} if self.variants or self.search else COMMON)

    def check(self) -> None:
        """Raise SettingsError if a template is unknown, there is nothing to try or change, or there is no model that
        can write proposals.
        """
        judging_measure(self.measure)
        for name in self.templates:
            if name not in METHOD:
                near = nearest(name, tuple(METHOD))
                meant = f"Did you mean {near}? " if near else ""
                raise SettingsError(f"unknown template {name}", hint=f"{meant}Templates are: {', '.join(METHOD)}.")
        if self.templates and not (self.variants or self.space or self.search):
            hint = "Add --variants DIR or --search gepa; without a template, common settings are tried."
            raise SettingsError(f"no candidates given for {', '.join(self.templates)}", hint=hint)
        if (self.variants or self.search) and not self.templates:
            hint = "Write it first: investigator tune query/ask --variants DIR ..."
            raise SettingsError("no template given to change", hint=hint)
