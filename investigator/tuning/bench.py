"""Tries candidates on one folder and stores each trial, so that no trial is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from investigator.asking.budget import Budget
from investigator.engines.base import Embedder, Engine
from investigator.engines.roles import Role
from investigator.evaluation.folder import EvaluationOptions, FolderEvaluation
from investigator.evaluation.questions import Question
from investigator.investigator import Investigator
from investigator.records import Event, Notice, Progressed, Record
from investigator.services.parts import open_embedder
from investigator.settings import load_settings
from investigator.tuning.trials import QuestionTrial, trial_of

_ATTEMPTS = 3  # maximum number of attempts per question if the engine fails; earlier replies are kept

Tell = Callable[[Event], None]


class Setup(Record):
    """The templates, model and settings of one side or candidate, as given on the command line."""

    prompts: Path | None = None
    model: tuple[str, ...] = ()
    settings_file: Path | None = None
    overrides: tuple[str, ...] = ()


class TrialProgress:
    """Reports the progress of consecutive trials; stored trials do not count towards the speed."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._known: dict[Path, int] = {}
        self._kept = 0
        self._done = 0
        self.total = 0

    def count(self, file: Path, finished: int, *, asked: bool) -> None:
        """Update the count to the number of outcomes in a file; `asked` is False before the first question."""
        known = self._known.get(file, 0)
        self._kept += max(0, finished - asked - known)
        self._known[file] = max(finished, known)
        if asked:
            self._done += 1
            about = (f"{self._kept:,} more from earlier runs",) if self._kept else ()
            total = max(self.total - self._kept, self._done)
            self._tell(Progressed(phase="trials", done=self._done, total=total, about=about))


class FolderBench:
    """Tries setups on questions about a folder, one after another, and stores each outcome in the workspace.

    `embedder` and `engine` replace the ones that the settings name. `budget` is a ceiling for the total of all trials.
    Events are passed to `tell`; a `progress` also counts the outcomes.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workspace: Path | None = None,
        embedder: Embedder | None = None,
        engine: Engine | None = None,
        budget: Budget | None = None,
        tell: Tell = lambda _: None,
        progress: TrialProgress | None = None,
    ) -> None:
        self.folder = folder
        self._workspace = workspace
        self._embedder = embedder
        self._embedders: dict[str, Embedder] = {}
        self._engine = engine
        self._budget = budget
        self._tell = tell
        self._progress = progress
        self._opened: dict[str, Mapping[Role, Engine]] = {}
        self._noticed: set[str] = set()

    def evaluation(
        self, setup: Setup, questions: Sequence[Question], *, limit: int | None = None, repetition: int = 0
    ) -> FolderEvaluation:
        """Return the evaluation of a setup on the first `limit` questions. Raises the same errors as
        `FolderEvaluation`.
        """
        settings = load_settings(setup.settings_file, setup.overrides)
        embedder = self._embedder or self._embedders.setdefault(settings.embedder, open_embedder(settings))
        key = "\0".join((*setup.model, settings.model_dump_json(include={"embedder", "chat", "gguf", "transformers"})))
        investigator = Investigator(
            self.folder,
            model=self._opened.get(key) or self._engine or setup.model or None,
            settings=settings,
            workspace=self._workspace,
            embedder=embedder,
            prompts=setup.prompts,
            joint=self._budget,
        )
        options = EvaluationOptions(limit=limit, repetition=repetition, ranked=False)
        evaluation = FolderEvaluation(investigator, questions, options, joint=self._budget)
        self._opened[key] = evaluation.engines  # a model is loaded only once for all candidates that use it
        return evaluation

    def engine_name(self, setup: Setup) -> str:
        """Return the name of a setup's engine."""
        return self.evaluation(setup, ()).engine_name

    def trials(
        self, setup: Setup, questions: Sequence[Question], *, limit: int | None = None, repetition: int = 0
    ) -> Mapping[str, QuestionTrial]:
        """Try a setup on the first `limit` questions, and return the results, keyed by question id.

        A failed question is retried twice. Raises the same errors as `FolderEvaluation.run`.
        """
        evaluation = self.evaluation(setup, questions, limit=limit, repetition=repetition)
        for _ in range(_ATTEMPTS):
            for event in evaluation.run():
                if not isinstance(event, Notice) or event.text not in self._noticed:
                    self._tell(event)
                if isinstance(event, Notice):
                    self._noticed.add(event.text)
                if self._progress is not None and evaluation.file is not None:
                    self._progress.count(evaluation.file, evaluation.finished, asked=_is_question(event))
            if not any(outcome.failure for outcome in evaluation.outcomes.values()):
                break
        asked = questions[:limit]
        return {one.id: trial_of(one, evaluation.outcomes[one.id]) for one in asked if one.id in evaluation.outcomes}


def _is_question(event: Event) -> bool:
    return isinstance(event, Progressed) and event.phase == "questions"
