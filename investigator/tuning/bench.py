"""Asks setups (templates, model and settings) questions about one folder; no outcome is paid for twice."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from investigator.asking.budget import Budget
from investigator.engines.base import Embedder, Engine
from investigator.engines.catalogue import may_be_model
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.evaluation.folder import FolderEvaluation
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.investigator import Investigator
from investigator.records import Event, Notice, Record
from investigator.settings import Settings, load_settings

_ATTEMPTS = 3  # maximum number of attempts per question if the engine fails; earlier replies are kept
_UNCHANGED = "default"  # the side without changes
_CHANGE = re.compile(r"(?P<part>\w+)(?:\.\w+)*=.*", re.DOTALL)
_SETTINGS_FILES = (".toml", ".json")


class Setup(Record):
    """The templates, model and settings of one side or candidate, as given on the command line."""

    prompts: Path | None = None
    model: tuple[str, ...] = ()
    settings_file: Path | None = None
    overrides: tuple[str, ...] = ()


def side_of(text: str, base: Setup) -> Setup:
    """Return a side's setup, applied on top of the setup that both sides share.

    A side is a folder of templates, a settings file (.toml or .json), space-separated changes `part.field=value`, a
    model, or `default` for no change. Raises SettingsError for a missing folder or file.
    """
    path = Path(text).expanduser()
    if text == _UNCHANGED:
        return base
    if path.is_dir():
        return base.changed(prompts=path)
    if path.suffix.lower() in _SETTINGS_FILES and path.is_file():
        return base.changed(settings_file=path)
    named = _CHANGE.fullmatch(text)
    if named is not None and named["part"] in Settings.model_fields:
        return base.changed(overrides=(*base.overrides, *shlex.split(text)))
    if not may_be_model(text):
        raise SettingsError(
            f"{text!r} cannot be compared: it is not a folder, a settings file, a setting or a model",
            hint="Use a folder of templates, a settings file, changes like research.rounds=2, a model, or default.",
        )
    return base.changed(model=(text,))


@dataclass
class FolderBench:
    """Evaluates setups on questions about a folder, one after another.

    `embedder` and `engine` replace the ones that the settings name. `budget` is a ceiling for the total of all
    evaluations, whose events are passed to `tell`.
    """

    folder: Path
    _: KW_ONLY
    workspace: Path | None = None
    embedder: Embedder | None = None
    engine: Engine | None = None
    budget: Budget | None = None
    tell: Callable[[Event], None] = lambda _: None
    _opened: dict[str, Mapping[Role, Engine]] = field(default_factory=dict, init=False)
    _notices: list[Notice] = field(default_factory=list, init=False)

    def show(self, event: Event) -> None:
        """Pass an event on, but each notice only once."""
        if isinstance(event, Notice):
            if event in self._notices:
                return
            self._notices.append(event)
        self.tell(event)

    def investigator(self, setup: Setup) -> Investigator:
        """Return the Investigator of a setup; a model is loaded only once. Raises the errors of `Investigator`."""
        settings = load_settings(setup.settings_file, setup.overrides)
        key = "\0".join((*setup.model, settings.model_dump_json(include={"embedder", "chat", "transformers"})))
        investigator = Investigator(
            self.folder,
            model=self._opened.get(key) or self.engine or setup.model or None,
            settings=settings,
            workspace=self.workspace,
            embedder=self.embedder,
            prompts=setup.prompts,
            joint=self.budget,
        )
        self._opened[key] = investigator.engines
        return investigator

    def outcomes(
        self, setup: Setup, questions: Sequence[Question], *, limit: int | None = None, repetition: int = 0
    ) -> Mapping[str, Outcome]:
        """Ask a setup the first `limit` questions, failed ones twice more, and return the outcomes, keyed by question
        id. Raises the errors of `FolderEvaluation.run`.
        """
        evaluation = FolderEvaluation(
            self.investigator(setup), questions, limit=limit, repetition=repetition, joint=self.budget
        )
        for _ in range(_ATTEMPTS):
            for event in evaluation.run():
                self.show(event)
            if not any(outcome.failure for outcome in evaluation.outcomes.values()):
                break
        return evaluation.outcomes
