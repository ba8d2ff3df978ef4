"""The options of a tuning run, its plan with the maximum cost (made without paid calls), and its report."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from investigator.asking.contracts import METHOD
from investigator.asking.template_check import nearest
from investigator.engines.base import traits_of
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.evaluation.measures import Measure, judging_measure
from investigator.evaluation.scoring import JudgedRows, grounds_of
from investigator.investigator import Investigator
from investigator.records import Record, Usage
from investigator.settings import Settings, load_settings
from investigator.store.past_calls import usual_seconds
from investigator.store.workspace import Workspace
from investigator.tuning.bench import Setup
from investigator.tuning.candidates import COMMON, Space
from investigator.tuning.guards import Tolerance
from investigator.tuning.search import MOST_CANDIDATES, SearchResult, race_size
from investigator.tuning.splitting import QuestionSets
from investigator.tuning.statistics import detectable

_PROPOSED = 16  # assumed number of candidates that a proposer creates


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
            raise SettingsError("tuning uses a single index, not shards", hint="Omit --cluster and cluster.address.")
        return settings


class TuningPlan(Record):
    """The size of a search and its highest cost, if each question costs as much as was forecast for the first one."""

    reflect: int
    select: int
    test: int
    left_out: int = Field(description="number of questions that are not used, because the file exceeds the limit")
    judged: tuple[JudgedRows, ...] = Field(description="number of questions judged by each kind of known fact")
    candidates: int | None = Field(description="None if a proposer creates them")
    trials: int = Field(description="number of questions asked")
    expected: Usage
    minutes: float | None = Field(description="None if the speed is unknown")
    shows: float = Field(description="smallest difference (0..1) that the test set can detect")
    openings: int = Field(description="number of earlier tests of these templates on this data")
    max_calls: int | None
    max_money: float | None


class TuningReport(Record):
    """A tuning run: its plan, its result, its cost across all processes, and the path of the winner."""

    model: str
    data: str = Field(description="hash of questions and documents")
    plan: TuningPlan
    result: SearchResult
    usage: Usage = Usage()
    openings: int = Field(default=0, description="number of tests on this data, including this one")
    folder: str = Field(default="", description="path of the winner; empty if there is none")


def planned(
    sets: QuestionSets,
    baseline: Investigator,
    options: TuningOptions,
    candidates: int | None,
    *,
    left_out: int,
    openings: int,
) -> TuningPlan:
    """Return the plan for a search among the given number of candidates; None means that a proposer creates them. The
    cost of a question is forecast with the built-in engine, and its time taken from earlier calls to the same model.
    """
    most = min(_PROPOSED if candidates is None else candidates, MOST_CANDIDATES)
    trials = race_size(most, len(sets.select)) + 2 * len(sets.test)
    first = baseline.forecast(sets.select[0].asked).expected
    expected = Usage(**{name: type(value)(value * trials) for name, value in first})
    engine = baseline.engines[Role.ASK]
    seconds = None
    if traits_of(engine).is_model:
        with Workspace(baseline.workspace, write=False, store=baseline.parts.settings.store) as workspace:
            seconds = usual_seconds(workspace.runs, engine.name)
    return TuningPlan(
        reflect=len(sets.reflect),
        select=len(sets.select),
        test=len(sets.test),
        left_out=left_out,
        judged=grounds_of((*sets.select, *sets.test)),
        candidates=candidates,
        trials=trials,
        expected=expected,
        minutes=None if seconds is None else expected.calls * seconds / 60,
        shows=detectable(len(sets.test)),
        openings=openings,
        max_calls=options.max_calls,
        max_money=options.max_money,
    )
