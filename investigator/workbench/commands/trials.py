"""`investigator prompts render | run`: renders a template for a real step, or sends it to a model."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from investigator.asking.contracts import METHOD, example_of
from investigator.asking.prompts import Prompts
from investigator.bb3.records import CONTRACTS
from investigator.cli.ask import CeilingOptions, TraceOptions
from investigator.cli.options import AsJson, CommonOptions, Folder
from investigator.cli.output import is_terminal, note, print_plain, print_record, print_styled, tell
from investigator.cli.progress import display_on
from investigator.engines.base import guessed_tokens, tokens_of, traits_of
from investigator.engines.roles import role_of
from investigator.errors import SettingsError
from investigator.investigator import Investigator
from investigator.reports.schemas import Printed
from investigator.resources import prompts_folder
from investigator.settings import Settings
from investigator.workbench.catalogue import named
from investigator.workbench.commands.folders import Name
from investigator.workbench.records import TemplateTrial
from investigator.workbench.trial import about, judged, trial
from investigator.workbench.uses import FoundUses, UseFinder
from investigator.workbench.wording import trial_text

_WIDTH = 120  # width in columns if the output is a file or a pipe

Question = Annotated[
    str | None, typer.Argument(metavar="QUESTION", help="Question about the folder; or use --run instead.")
]


@dataclass(frozen=True)
class StepOptions:
    """Options that select the step for a template."""

    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Stored run, as listed by `runs`.")] = None
    step: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of the step among those that use the template.")
    ] = 1
    ran_with: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the templates that the run used, if any.")
    ] = None

    def investigator(self, name: str, folder: Path, common: CommonOptions, settings: Settings) -> Investigator:
        """Return the Investigator with the templates of the run. Raises SettingsError for a chat template."""
        if name not in METHOD:
            module = name.partition("/")[2]
            hint = f"To try it: investigator module {module} --prompts DIR (and --show-prompt for the prompt alone)"
            raise SettingsError(f"{name} is a chat template, which no run uses", hint=hint)
        return replace(common, prompts=self.ran_with).investigator(folder, settings)

    @contextmanager
    def found(self, investigator: Investigator, question: str | None) -> Iterator[FoundUses]:
        """Open the run, or simulate a run of the question without a model. Raises SettingsError if neither is given."""
        if bool(question) == bool(self.run):
            raise SettingsError("expected either a question or a run", hint="For example: FOLDER --run RUN")
        finder = UseFinder(investigator)
        with finder.of_run(self.run) if self.run else finder.of_question(question or "") as found:
            yield found


def render(
    name: Name,
    common: CommonOptions,
    which: StepOptions,
    folder: Folder = Path(),
    question: Question = None,
    variables: Annotated[bool, typer.Option("--variables", help="Print the values of the variables as JSON.")] = False,
) -> None:
    """Print the prompt that a template produces for a step, and its token count on standard error; nothing is sent.

    The step comes from a stored run, or is the first step that a question would reach with the built-in engine. Without
    folder, question or run, the variables are examples.
    """
    (only, *_) = named([name])
    own = Prompts(common.prompts, CONTRACTS)
    if question is None and which.run is None:
        values = example_of(CONTRACTS[only].variables)
        engine = None
    else:
        investigator = which.investigator(only, folder, common, common.settings.load())
        with which.found(investigator, question) as found:
            values = found.of(only, which.step).variables
        engine = investigator.engines[role_of(only)] if CONTRACTS[only].reply else None
    text = own.render(own.path(only), values)
    if variables:
        print_record(Printed.TEMPLATE_VARIABLES, values)
    else:
        print_plain(text)
    tell(f"{tokens_of(engine, text) if engine is not None else guessed_tokens(text):,} tokens")


def run_template(
    name: Name,
    common: CommonOptions,
    which: StepOptions,
    ceilings: CeilingOptions,
    tracing: TraceOptions,
    folder: Folder = Path(),
    question: Question = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask again; ignore stored replies.")] = False,
    as_json: AsJson = False,
) -> None:
    """Send your own template to a model for one step, and show the reply next to the earlier reply.

    The earlier reply comes from the stored run; for a question, from the same model with the shipped template. The
    output shows the replies, their parsed content or the parsing error, the proven quotes, and the score. Every call is
    stored: repeating the command costs nothing.
    """
    (only, *_) = named([name])
    settings = common.settings.load(*ceilings.settings(), *tracing.settings())
    investigator = which.investigator(only, folder, common, settings)
    parts, engines = investigator.parts, investigator.engines
    own = parts.with_prompts(common.prompts)
    with which.found(investigator, question) as found, display_on(sys.stderr, time.monotonic) as display:
        parts.watch(display.show_writing)
        use = found.of(only, which.step)
        with trial(found, use, engines, parts, datetime.now(UTC), fresh=fresh) as opened:
            before, load = None, found.library.document
            if use.replies:
                before = judged(use, f"run {found.record.id}", load)
            elif own.prompts.path(only) != parts.prompts.path(only):
                before = judged(opened.put(parts), "shipped template", load)
            after = judged(opened.put(own), _source(own.prompts.path(only)), load)
            tried = TemplateTrial(
                template=only, about=about(use.variables), old=before, new=after, usage=opened.usage()
            )
    if not traits_of(engines[role_of(only)]).is_model:
        note("the built-in engine answers from the variables, regardless of the template; choose a --model")
    for notice in parts.notices():
        note(notice.text)
    if as_json:
        print_record(Printed.TEMPLATE_TRIAL, tried)
    else:
        print_styled(trial_text(tried, Console().width if is_terminal(sys.stdout) else _WIDTH))


def _source(template: Path) -> str:
    return "shipped template" if template.is_relative_to(prompts_folder()) else str(template)
