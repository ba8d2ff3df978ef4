"""The options of a tuning run, its plan with the maximum cost, and its report."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from investigator.asking.contracts import METHOD
from investigator.asking.prompts import nearest
from investigator.errors import SettingsError
from investigator.evaluation.measures import Measure, judging_measure
from investigator.records import Record, Usage
from investigator.settings import Settings, load_settings
from investigator.tuning.bench import Setup
from investigator.tuning.candidates import COMMON, Space
from investigator.tuning.comparison import Tolerance
from investigator.tuning.search import SearchResult


class TuningOptions(Record):
    """The target of the tuning, the sources of candidates, and the ceilings for the total of all processes. If no
    source of candidates is given, each change in `COMMON` is a candidate.
    """

    templates: tuple[str, ...] = Field(default=(), description="templates that may change")
    variants: Path | None = Field(default=None, description="folder of candidates")
    space: dict[str, tuple[str, ...]] = Field(default_factory=dict, description="values to try for each setting")
    search: str = Field(default="", description="proposer of candidates; gepa, or an entry point")
    proposer: str = Field(default="", description="the proposer's model; by default the model of the base")
    measure: Measure = Measure.RIGHT
    seed: int = 0
    tolerance: Tolerance = Tolerance()
    max_calls: int | None = Field(default=None, ge=0)
    max_money: float | None = Field(default=None, ge=0)
    reopen: bool = Field(default=False, description="test again on used data, at a stricter significance level")

    @property
    def changes(self) -> Space:
        """Return the settings that may change, with their values."""
        return self.space or ({} if self.variants or self.search else COMMON)

    def checked(self, base: Setup) -> Settings:
        """Return the baseline's settings. Raises SettingsError if these or the values to try are invalid, a template is
        unknown, or there is nothing to try or change.
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
        for name, values in self.space.items():
            for value in values:
                load_settings(base.settings_file, (*base.overrides, f"{name}={value}"))
        settings = load_settings(base.settings_file, base.overrides)
        if settings.cluster.address:
            raise SettingsError("tuning uses a single index, not shards", hint="Omit cluster.address.")
        return settings


class TuningPlan(Record):
    """The size of a search and its highest cost, if each question costs as much as was forecast for the first one."""

    reflect: int
    select: int
    test: int
    candidates: int | None = Field(description="None if a proposer creates them")
    trials: int = Field(description="number of questions asked")
    expected: Usage
    openings: int = Field(description="number of earlier tests of these templates on this data")


class TuningReport(Record):
    """A tuning run: its plan, its result, its cost across all processes, and the path of the winner."""

    plan: TuningPlan
    result: SearchResult
    usage: Usage = Usage()
    folder: str = Field(default="", description="path of the winner; empty if there is none")
