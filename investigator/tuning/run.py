"""A tuning run: splits the questions, shows the plan, searches, and writes the winner. A stopped run can be resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import Field

from investigator.asking.budget import Budget, BudgetSettings, BudgetSpent
from investigator.asking.contracts import METHOD
from investigator.asking.prompts import check_templates, nearest
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import parse_model_options
from investigator.engines.roles import Role
from investigator.errors import DataError, SettingsError, UserError
from investigator.evaluation.answer_text import plain
from investigator.evaluation.folder import UNREAD_TEMPLATES, check_outside, reads_templates
from investigator.evaluation.lines import storing
from investigator.evaluation.measures import Measure, judging_measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question, read_questions
from investigator.evaluation.results import ADD_ANSWERS
from investigator.evaluation.scoring import grounds_of
from investigator.files import make_private_folder, write_private
from investigator.investigator import Investigator
from investigator.records import Event, Notice, Record, StopReason, Usage
from investigator.services.parts import Parts
from investigator.settings import Settings, as_settings_file, load_settings
from investigator.store.corpus import Corpus
from investigator.store.workspace import Workspace
from investigator.tuning.bench import FolderBench, Setup
from investigator.tuning.candidates import (
    COMMON,
    Space,
    Variant,
    digest,
    lay_templates,
    settings_of_space,
    templates_of,
    variants,
)
from investigator.tuning.comparison import Tolerance
from investigator.tuning.proposing import GEPA, Proposer, ProposerModel, TuningLedger, Workshop, proposer_named
from investigator.tuning.search import MOST_CANDIDATES, SearchResult, TuningSearch, race_size
from investigator.tuning.splitting import drawn_sets, leaked

_SAME_RUN = {"templates", "space", "search", "proposer", "measure", "seed", "tolerance"}
_PROPOSED = 16  # assumed number of candidates that a proposer creates


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
        """Return the baseline's settings. Raises SettingsError for invalid options."""
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


def tune(
    folder: Path,
    questions: Path,
    out: Path,
    options: TuningOptions,
    base: Setup | None = None,
    *,
    workspace: Path | None = None,
    embedder: Embedder | None = None,
    engine: Engine | None = None,
    tell: Callable[[Event], None] = lambda _: None,
    on_plan: Callable[[TuningPlan], None] = lambda _: None,
) -> TuningReport:
    """Search for templates or settings that are proven better on the questions, and write the winner into `out`.

    `base` is the user's current setup. `embedder` and `engine` replace the ones that the settings name. `on_plan`
    receives the plan before any paid call. Nothing is adopted unless the test set confirms it; the report gives the
    outcome. Repeating the call resumes a stopped run. Raises SettingsError, TemplateError or DataError;
    UserError if `out` contains another run or is in use, or if the data was used before; and the errors of
    `FolderEvaluation`.
    """
    base = base or Setup()
    with _alone_in(out):
        settings = options.checked(base)
        ceiling = BudgetSettings(
            calls=options.max_calls or None, money=options.max_money or None, prices=settings.budget.prices
        )
        parts = Parts(settings.model_copy(update={"budget": ceiling}), embedder=embedder)
        ledger = TuningLedger(out / "ledger.jsonl", parts.prices)
        budget = Budget(ledger, ceiling, parts.prices.price_of)
        propose: Proposer = proposer_named(options.search) if options.search else lambda _: ()
        writer = (engine or _writer(options, base, parts)) if options.search else parts.extractive
        bench = FolderBench(folder, workspace=workspace, embedder=embedder, engine=engine, budget=budget, tell=tell)
        parts.check_prices((*bench.investigator(base).engines.values(), writer))
        run = TuningRun(questions, out, options, base, bench, ledger)
        on_plan(run.plan)
        return run.report(propose, ProposerModel(writer, ledger, budget))


@contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    """Lock a run's folder, so that no other process spends the rest of its budget. Raises UserError and StoreError."""
    with storing(out):
        make_private_folder(out)
    try:
        lock = FileLock(out / "lock").acquire(timeout=0)
    except Timeout as error:
        hint = "Wait for it, or choose another --out DIR."
        raise UserError(f"another process is tuning in {out}", hint=hint) from error
    with lock:
        yield


def _writer(options: TuningOptions, base: Setup, parts: Parts) -> Engine:
    """Return the proposer's engine: the named one, otherwise the one that is being tuned. Raises SettingsError."""
    engine = parts.engine(options.proposer or parse_model_options(base.model).name_for(Role.ASK))
    if options.search == GEPA and engine is parts.extractive:
        raise SettingsError(
            f"the proposer {options.search} needs a language model",
            hint="Choose the model that writes templates: --proposer local, or --proposer openai:gpt-5-mini.",
        )
    return engine


class TuningRun:
    """One tuning run, and the arena for its search; creating an instance makes no paid calls. See `tune`."""

    def __init__(
        self, questions: Path, out: Path, options: TuningOptions, base: Setup, bench: FolderBench, ledger: TuningLedger
    ) -> None:
        self._options, self._base, self._out, self._bench, self._ledger = options, base, out, bench, ledger
        examined = read_questions(questions, lambda text: bench.show(Notice(text=text)))
        investigator = bench.investigator(base)
        check_outside(questions, investigator)
        drawn_sets(examined, {}, options.seed)  # too few questions are reported before the folder is read
        if options.measure is Measure.RIGHT and not grounds_of(examined):
            raise DataError("no question has a known answer", hint=ADD_ANSWERS)
        if options.templates and not reads_templates(investigator):
            bench.show(UNREAD_TEMPLATES)
        bench.outcomes(base, examined, limit=0)  # this reads the folder, but asks no question
        data, twins = _data_of(investigator, examined)
        self._sets = drawn_sets(examined, twins, options.seed)
        if options.measure is Measure.RIGHT and not grounds_of((*self._sets.select, *self._sets.test)):
            raise DataError("no question that decides has a known answer", hint=ADD_ANSWERS)
        self._baseline = Variant(name="baseline", templates=templates_of(base.prompts, options.templates))
        changes = options.model_dump_json(include=_SAME_RUN)
        self._identity = digest(data, investigator.engine_name, base.model_dump_json(), self._baseline.key, changes)
        self._note_identity()
        # a test set proves less each time it is used: a file for each run that used this one for the same subject
        subject = digest(data, self._baseline.key, ",".join(sorted(options.changes)))
        self._openings = investigator.workspace / "tuning" / subject
        self.plan = self._planned(investigator)

    def report(self, propose: Proposer, ask: Callable[[str], str]) -> TuningReport:
        """Run the search, write the result into the run's folder, and return it."""
        options = self._options
        result = TuningSearch(
            self._sets,
            self._baseline,
            lambda: (*self._listed(), *propose(self._workshop(ask))),
            self,
            options.measure,
            options.seed,
            options.tolerance,
            proposed=bool(options.search),
        ).run()
        winner = result.winner
        folder = str(self._out) if winner is not None else ""
        report = TuningReport(plan=self.plan, result=result, usage=self._ledger.usage(), folder=folder)
        with storing(self._out):
            write_private(self._out / "report.json", report.model_dump_json(indent=2).encode())
            if winner is not None and winner.templates:
                lay_templates(self._out / "prompts", winner.templates, self._base.prompts)
            if winner is not None and winner.settings:
                write_private(self._out / "settings.json", as_settings_file(winner.settings).encode())
        return report

    def outcomes(
        self, candidate: Variant, questions: Sequence[Question], limit: int | None = None
    ) -> Mapping[str, Outcome]:
        """Ask a candidate the first `limit` questions. Raises the errors of `FolderBench.outcomes`."""
        if self._options.max_calls == 0:
            raise BudgetSpent(StopReason.CALLS)
        if self._options.max_money == 0:
            raise BudgetSpent(StopReason.MONEY)
        prompts = self._laid(candidate) if candidate.templates else self._base.prompts
        setup = self._base.changed(prompts=prompts, overrides=(*self._base.overrides, *candidate.settings))
        return self._bench.outcomes(setup, questions, limit=limit)

    def refusal(self, candidate: Variant) -> str:
        """Return the reason to reject a candidate (it breaks a contract, or contains test questions), or ""."""
        if strange := [name for name in candidate.templates if name not in self._options.templates]:
            return f"it changes {', '.join(strange)}, which must not be tuned"
        for name, text in candidate.templates.items():
            if question := leaked(text, (*self._sets.select, *self._sets.test)):
                return f"the template {name} contains words of the question {question}, which is used to test it"
        try:
            load_settings(self._base.settings_file, (*self._base.overrides, *candidate.settings))
        except SettingsError as error:
            return error.message
        problems = check_templates(self._laid(candidate), METHOD).problems if candidate.templates else ()
        return problems[0].problem if problems else ""

    def calls_left(self) -> int | None:
        """Return the number of calls left under the ceiling, or None if there is no ceiling."""
        most = self._options.max_calls
        return None if most is None else max(0, most - self._ledger.usage().calls)

    def open_test(self) -> int:
        """Record the use of the test set, and return how often this data has been used, including this time."""
        with storing(self._openings):
            make_private_folder(self._openings)
            (self._openings / self._identity).touch()
        return self.plan.openings + 1

    def _workshop(self, ask: Callable[[str], str]) -> Workshop:
        """Return the tools of a proposer, which may spend half of the calls under the ceiling."""
        left, spent, reflect = self.calls_left(), self._ledger.usage().calls, self._sets.reflect
        return Workshop(
            templates=self._baseline.templates,
            questions=reflect,
            measure=self._options.measure,
            seed=self._options.seed,
            try_out=lambda candidate, ids: self.outcomes(candidate, [each for each in reflect if each.id in ids]),
            refusal=self.refusal,
            ask=ask,
            is_spent=lambda: left is not None and self._ledger.usage().calls >= spent + left // 2,
        )

    def _planned(self, investigator: Investigator) -> TuningPlan:
        """Return the plan of the search. Raises UserError if the test set was used before, and that is not allowed."""
        with storing(self._openings):
            others = [file for file in self._openings.glob("*") if file.name != self._identity]
            if others and not self._options.reopen:
                day = datetime.fromtimestamp(max(file.stat().st_mtime for file in others), UTC).date()
                problem = f"the test set of this data was used for the same templates or settings on {day}"
                hint = "A test set that was used before proves less: use new questions, or --reopen for a harder test."
                raise UserError(problem, hint=hint)
        sets = self._sets
        count = None if self._options.search else sum(1 for _ in self._listed())
        racing = min(_PROPOSED if count is None else count, MOST_CANDIDATES)
        trials = race_size(racing, len(sets.select)) + 2 * len(sets.test)
        first = investigator.forecast(sets.select[0].wording).expected
        return TuningPlan(
            reflect=len(sets.reflect),
            select=len(sets.select),
            test=len(sets.test),
            candidates=count,
            trials=trials,
            expected=Usage(**{name: type(value)(value * trials) for name, value in first}),
            openings=len(others),
        )

    def _note_identity(self) -> None:
        file = self._out / "run"
        with storing(self._out):
            if file.exists() and file.read_text(encoding="utf-8") != self._identity:
                hint = "Choose another folder with --out DIR."
                raise UserError(f"{self._out} contains another tuning run", hint=hint)
            write_private(file, self._identity.encode())

    def _listed(self) -> Iterator[Variant]:
        options = self._options
        given = variants(options.variants, options.templates) if options.variants is not None else ()
        # the common values are tried one at a time
        spaces = [options.space] if options.space else [{name: values} for name, values in options.changes.items()]
        settings = (candidate for space in spaces for candidate in settings_of_space(space, options.seed))
        for candidate in (*given, *settings):
            yield candidate.changed(templates=self._baseline.templates | candidate.templates)

    def _laid(self, candidate: Variant) -> Path:
        folder = self._out / "candidates" / candidate.key
        if not folder.exists():
            lay_templates(folder, candidate.templates, self._base.prompts)
        return folder


def _data_of(investigator: Investigator, questions: Sequence[Question]) -> tuple[str, Mapping[str, str]]:
    """Return a hash of the questions and documents, and the group of equal texts that each named document is in."""
    named = {name for question in questions for name in question.named_documents}
    with Workspace(investigator.workspace, write=False) as opened:
        corpus = Corpus(opened.index)
        held = sorted(named.intersection(corpus.document_ids()))
        twins = {name: digest(plain(corpus.document(name).text)) for name in held}
        return digest(corpus.fingerprint(), *(question.model_dump_json() for question in questions)), twins
