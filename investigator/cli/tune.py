"""`investigator tune`: searches for better templates or settings, and adopts only those proven to be better."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.compare import RESUMED, Documents, Judged, Questions, Seed, setup_of
from investigator.cli.options import AsJson, CommonOptions, Model
from investigator.cli.output import print_result, resumable, tell
from investigator.cli.progress import display_on
from investigator.errors import SettingsError
from investigator.evaluation.measures import Measure, judging_measure
from investigator.reports.schemas import Printed
from investigator.tuning.candidates import read_space
from investigator.tuning.comparison import Tolerance
from investigator.tuning.run import TuningOptions, TuningPlan
from investigator.tuning.run import tune as tuned
from investigator.tuning.search import Ending
from investigator.tuning.tables import plan_lines, tuning_text


@dataclass(frozen=True)
class CandidateOptions:
    """Sources of candidates."""

    variants: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Candidates: folders of templates, or versions of one template.")
    ] = None
    settings_space: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="File of settings, each with a list of values to try.")
    ] = None
    vary: Annotated[
        list[str] | None, typer.Option(metavar="PART.FIELD=A,B,C", help="Values to try for a setting; repeatable.")
    ] = None
    search: Annotated[
        str, typer.Option(metavar="NAME", help="Let a proposer write candidates: gepa, or one from another package.")
    ] = ""
    proposer: Annotated[
        str, typer.Option(metavar="PROVIDER:NAME", help="The proposer's model; by default the model being tuned.")
    ] = ""


@dataclass(frozen=True)
class TuningCeilings:
    """Ceilings for a tuning run, across all its processes."""

    max_calls: Annotated[int | None, typer.Option(metavar="N", min=0, help="Maximum number of engine calls.")] = None
    max_money: Annotated[float | None, typer.Option(metavar="USD", min=0, help="Maximum cost in US dollars.")] = None
    more_calls: Annotated[
        float,
        typer.Option(metavar="FACTOR", min=0, help="Calls that a winner may make, as a multiple of the baseline's."),
    ] = Tolerance().more_calls
    more_false_answers: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0, max=1, help="How much a winner may raise the share of false answers."),
    ] = Tolerance().more_false_answers

    def check(self, model: Model) -> None:
        """Raise SettingsError if a language model is used without a limit."""
        if model and self.max_calls is None and self.max_money is None:
            hint = "Set one with --max-calls N or --max-money USD."
            raise SettingsError("tuning with a language model needs a limit", hint=hint)


def tune(
    docs: Documents,
    questions: Questions,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Directory for the run and the winner.")],
    common: CommonOptions,
    candidates: CandidateOptions,
    ceilings: TuningCeilings,
    templates: Annotated[
        list[str] | None, typer.Argument(metavar="TEMPLATE", help="Templates that may change, such as query/ask.")
    ] = None,
    measure: Judged = Measure.RIGHT.value,
    seed: Seed = 0,
    reopen: Annotated[
        bool, typer.Option("--reopen", help="Test again on data that was used before, with a stricter test.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search for better templates or settings, and prove the gain on held-out questions.

    The questions are split at random into three sets that share no document. Candidates race on the second; the best
    one is tested once on the third. It is adopted only if an exact paired test and its interval agree and no guard
    (quote validity, readable replies, false answers, calls) gets worse. Otherwise nothing changes. The exit code is 0
    whether or not it is adopted, or 1 if no candidate could be tried because all break their contract or change
    nothing. Without candidates, common values of a few settings are tried, one at a time. The plan is shown before the
    first call. To resume a stopped run, run the same command again.
    """
    options = TuningOptions(
        templates=tuple(name.removesuffix(".j2") for name in templates or ()),
        variants=candidates.variants,
        space=read_space(candidates.settings_space, candidates.vary or ()),
        search=candidates.search or ("gepa" if candidates.proposer else ""),
        proposer=candidates.proposer,
        measure=judging_measure(measure),
        seed=seed,
        max_calls=ceilings.max_calls,
        max_money=ceilings.max_money,
        tolerance=Tolerance(more_calls=ceilings.more_calls, more_false_answers=ceilings.more_false_answers),
        reopen=reopen,
    )
    ceilings.check(common.model)
    setup = setup_of(common)
    with resumable(RESUMED), display_on(sys.stderr) as display:
        report = tuned(
            docs, questions, out, options, setup, workspace=common.workspace, tell=display.show, on_plan=_show_plan
        )
    print_result(Printed.TUNING, report, tuning_text, as_json=as_json)
    if report.result.ending is Ending.NONE_TRIED:
        raise typer.Exit(1)


def _show_plan(plan: TuningPlan) -> None:
    for line in plan_lines(plan):
        tell(f"plan: {line}")
