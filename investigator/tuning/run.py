"""A tuning run: splits the questions, shows the plan, searches, and writes the winner. A stopped run can be resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from investigator.asking.budget import Budget, BudgetSettings
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import parse_model_options
from investigator.engines.roles import Role
from investigator.errors import EvaluationDataError, SettingsError, StoreError, UserError
from investigator.evaluation.folder import FolderEvaluation
from investigator.evaluation.measures import Measure
from investigator.evaluation.questions import sampled_questions
from investigator.evaluation.rightness import grounds_of
from investigator.files import make_private_folder, write_private
from investigator.records import Event
from investigator.services.parts import Parts
from investigator.settings import Settings, load_settings
from investigator.tuning.arena import FolderArena, templates_of
from investigator.tuning.bench import FolderBench, Setup, TrialProgress
from investigator.tuning.candidates import settings_of_space, single_changes, variants
from investigator.tuning.ledger import TuningLedger
from investigator.tuning.openings import Openings
from investigator.tuning.options import TuningOptions
from investigator.tuning.planning import data_of, planned
from investigator.tuning.proposer_model import ProposerModel
from investigator.tuning.proposers import OWN, proposer_named
from investigator.tuning.proposing import Workshop
from investigator.tuning.records import Ending, SearchResult, TuningPlan, TuningReport
from investigator.tuning.search import TuningSearch
from investigator.tuning.splitting import QuestionSets, drawn_sets
from investigator.tuning.trials import Variant
from investigator.tuning.winner import write_winner

MOST_QUESTIONS = 2_000
"""Maximum number of questions used from a file; a larger file is sampled."""

_BASELINE = "baseline"
_SAME_RUN = {"templates", "space", "search", "proposer", "measure", "seed", "tolerance"}


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
    proposer: Engine | None = None,
    tell: Callable[[Event], None] = lambda _: None,
    on_plan: Callable[[TuningPlan], None] = lambda _: None,
) -> TuningReport:
    """Search for templates or settings that are proven better on the questions, and write the winner into `out`.

    `base` is the user's current setup. `embedder`, `engine` and `proposer` replace the ones that the settings name.
    `on_plan` receives the plan before any paid call. Nothing is adopted unless the test set confirms it; the report
    gives the outcome. Repeating the call resumes a stopped run. Raises SettingsError, TemplateError or
    EvaluationDataError; UserError if `out` contains another run or is in use, or if the data was used before; and the
    errors of `FolderEvaluation`.
    """
    with _alone_in(out):
        run = TuningRun(folder, questions, out, options, base or Setup(), workspace, embedder, engine, proposer, tell)
        on_plan(run.plan)
        return run.report()


@contextmanager
def _alone_in(out: Path) -> Iterator[None]:
    """Lock a run's folder, so that another process cannot spend the rest of its budget.

    Raises UserError if another process holds the lock, and StoreError if the folder cannot be written.
    """
    lock = FileLock(out / "lock")
    try:
        make_private_folder(out)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise UserError(
            f"another process is tuning in {out}", hint="Wait for it, or choose another --out DIR."
        ) from error
    except OSError as error:
        raise StoreError(f"the run cannot be stored in {out}: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()


class TuningRun:
    """One tuning run; see `tune`. Creating an instance reads the folder and the questions, without paid calls."""

    def __init__(
        self,
        folder: Path,
        questions: Path,
        out: Path,
        options: TuningOptions,
        base: Setup,
        workspace: Path | None,
        embedder: Embedder | None,
        engine: Engine | None,
        proposer: Engine | None,
        tell: Callable[[Event], None],
    ) -> None:
        self._options, self._base, self._out = options, base, out
        options.check()
        settings = _of_one_index(_checked_settings(base, options))
        self._parts = Parts(settings, embedder=embedder)
        self._propose = proposer_named(options.search) if options.search else None
        self._proposer = (proposer or engine or self._proposing_engine()) if options.search else None
        self._ledger = TuningLedger(out / "ledger.jsonl", self._parts.prices)
        self._ceiling = BudgetSettings(calls=options.max_calls or None, money=options.max_money or None)
        self._budget = Budget(self._ledger, self._ceiling, self._parts.prices.price_of)
        self._progress = TrialProgress(tell)
        self._bench = FolderBench(
            folder,
            workspace=workspace,
            embedder=embedder,
            engine=engine,
            budget=self._budget,
            progress=self._progress,
        )
        some, total = sampled_questions(questions, MOST_QUESTIONS, options.seed)
        baseline = self._bench.evaluation(base, some, limit=0)
        baseline.check_outside(questions)
        self._check_prices(baseline, settings, embedder)
        for event in baseline.run():
            tell(event)  # this reads the folder, but asks no question
        self._workspace, self.model = baseline.workspace, baseline.engine_name
        self._data = data_of(self._workspace, some)
        self._sets = drawn_sets(some, self._data.twins, options.seed)
        _check_known(self._sets, options.measure)
        self._baseline = Variant(name=_BASELINE, templates=templates_of(base.prompts, options.templates))
        self._identity = _digest(
            self._data.digest,
            self.model,
            base.model_dump_json(),
            self._baseline.key,
            options.model_dump_json(include=_SAME_RUN),
        )
        self._subject = _digest(self._baseline.key, ",".join(sorted(options.changes)))
        self._openings = Openings(self._workspace / "tuning" / "openings.jsonl")
        before = self._check_opened()
        count = None if options.search else sum(1 for _ in self._listed())
        self._note_identity()
        plan = planned(self._sets, baseline, count)
        ceilings = {"max_calls": options.max_calls, "max_money": options.max_money}
        self.plan = plan.changed(openings=before, left_out=total - len(some), **ceilings)
        self._progress.total = plan.trials

    def report(self) -> TuningReport:
        """Run the search, write the result into the run's folder, and return it."""
        arena = FolderArena(
            sets=self._sets,
            bench=self._bench,
            base=self._base,
            names=self._options.templates,
            directory=self._out / "candidates",
            ledger=self._ledger,
            max_calls=self._options.max_calls,
            opened=self._open_test,
        )
        measure, seed = self._options.measure, self._options.seed
        if 0 in (self._options.max_calls, self._options.max_money):
            reason = f"The ceiling does not allow any calls, but the plan needs about {self.plan.calls:,}."
            result = SearchResult(ending=Ending.CEILING, reason=reason, measure=measure, seed=seed)
        else:
            candidates = partial(self._candidates, arena)
            result = TuningSearch(
                self._sets,
                self._baseline,
                candidates,
                arena,
                measure,
                seed,
                self._options.tolerance,
                proposed=bool(self._options.search),
            ).run()
        openings = self.plan.openings + (result.test is not None)
        folder = str(self._out) if result.winner is not None else ""
        report = TuningReport(
            model=self.model,
            data=self._data.digest,
            plan=self.plan,
            result=result,
            usage=self._ledger.usage(),
            openings=openings,
            folder=folder,
        )
        write_winner(self._out, report, self._base.prompts)
        return report

    def _check_prices(self, baseline: FolderEvaluation, settings: Settings, embedder: Embedder | None) -> None:
        """Raise SettingsError if money is limited and an engine that will be called has no price."""
        asked = (*baseline.engines.values(), *((self._proposer,) if self._proposer else ()))
        own = settings.budget.changed(money=self._ceiling.money)  # a changed copy keeps the user's own prices
        Parts(settings.model_copy(update={"budget": own}), embedder=embedder).check_prices(asked)

    def _check_opened(self) -> int:
        """Return how many times other runs used this data. Raises UserError if the data was used and reuse is not
        allowed.
        """
        before = self._openings.before(self._data.digest, self._subject, self._identity)
        if before and not self._options.reopen:
            raise UserError(
                f"the test set of this data was used for the same templates or settings on {before[-1].opened[:10]}",
                hint="A test set that was used before proves less: use new questions, or --reopen for a stricter test.",
            )
        return len(before)

    def _note_identity(self) -> None:
        """Record which run the folder belongs to. Raises UserError if the folder contains another run."""
        file = self._out / "run"
        try:
            kept = file.read_text(encoding="utf-8") if file.exists() else ""
            if kept not in ("", self._identity):
                raise UserError(
                    f"{self._out} contains another tuning run", hint="Choose another folder with --out DIR."
                )
            make_private_folder(self._out)
            write_private(file, self._identity.encode())
        except OSError as error:
            raise StoreError(f"the run cannot be stored in {self._out}: {error.strerror}") from error

    def _open_test(self) -> int:
        self._openings.record(self._data.digest, self._subject, self._identity, datetime.now(UTC))
        return self.plan.openings + 1

    def _listed(self) -> Iterator[Variant]:
        """Yield the given candidates, completed with all templates that may change."""
        texts = {one.name: one for one in self._baseline.templates}
        options = self._options
        for one in variants(options.variants, options.templates) if options.variants is not None else ():
            whole = texts | {template.name: template for template in one.templates}
            yield one.changed(templates=tuple(whole.values()))
        settings = settings_of_space(options.space, options.seed) if options.space else single_changes(options.changes)
        for one in settings:
            yield one.changed(templates=self._baseline.templates)

    def _candidates(self, arena: FolderArena, allowance: int | None) -> Iterable[Variant]:
        yield from self._listed()
        if self._propose is None or self._proposer is None:
            return
        model = ProposerModel(self._proposer, self._ledger, self._budget)
        before = self._ledger.usage().calls
        workshop = Workshop(
            templates=self._baseline.templates,
            questions=self._sets.reflect,
            measure=self._options.measure,
            seed=self._options.seed,
            try_out=arena.try_out,
            refusal=arena.refusal,
            ask=model,
            is_spent=lambda: allowance is not None and self._ledger.usage().calls - before >= allowance,
        )
        yield from self._propose(workshop)

    def _proposing_engine(self) -> Engine:
        """Return the proposer's engine: the one that was named, otherwise the one that is being tuned.

        Raises SettingsError if the built-in proposer would use the built-in engine, which cannot write.
        """
        models = parse_model_options(self._base.model)
        engine = self._parts.engine(self._options.proposer or models.name_for(Role.ASK))
        if self._options.search in OWN and engine is self._parts.extractive:
            raise SettingsError(
                f"the proposer {self._options.search} needs a language model",
                hint="Choose the model that writes templates: --proposer local, or --proposer openai:gpt-5-mini.",
            )
        return engine


def _check_known(sets: QuestionSets, measure: Measure) -> None:
    """Raise EvaluationDataError, before any call, if no question has a known answer."""
    if measure is Measure.RIGHT and not grounds_of((*sets.select, *sets.test)):
        raise EvaluationDataError(
            "no question has a known answer", hint="Add answerable, answers, evidence or doc_ids to the rows."
        )


def _checked_settings(base: Setup, options: TuningOptions) -> Settings:
    """Return the baseline's settings. Raises SettingsError if these settings or any of the values to try are
    invalid.
    """
    for name, values in options.space.items():
        for value in values:
            load_settings(base.settings_file, (*base.overrides, f"{name}={value}"))
    return load_settings(base.settings_file, base.overrides)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _of_one_index(settings: Settings) -> Settings:
    if settings.cluster.address:
        raise SettingsError("tuning uses a single index, not shards", hint="Omit --cluster and cluster.address.")
    return settings
