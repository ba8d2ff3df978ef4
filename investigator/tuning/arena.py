"""The arena for a search over one folder: it checks candidates, writes their templates into folders, and asks the
questions.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from investigator.asking.contracts import METHOD
from investigator.asking.prompts import Prompts
from investigator.asking.template_check import SUFFIX, check_templates
from investigator.asking.templates import source_of
from investigator.engines.base import traits_of
from investigator.errors import SettingsError, StoreError
from investigator.evaluation.questions import Question
from investigator.files import make_private_folder, write_private
from investigator.settings import load_settings
from investigator.tuning.bench import FolderBench, Setup
from investigator.tuning.ledger import TuningLedger
from investigator.tuning.splitting import QuestionSets, SetName, leaked
from investigator.tuning.trials import QuestionTrial, TemplateText, Variant


@dataclass
class FolderArena:
    """Tries candidates on the question sets of one folder, on top of the user's own templates and settings.

    Each candidate gets its own folder below `directory`; `names` lists the templates that may change. `opened` records
    the use of the test set. See `Arena`.
    """

    sets: QuestionSets
    bench: FolderBench
    base: Setup
    names: tuple[str, ...]
    directory: Path
    ledger: TuningLedger
    max_calls: int | None
    opened: Callable[[], int]

    @property
    def varies(self) -> bool:
        """Return True if a language model answers the questions."""
        engines = self.bench.evaluation(self.base, ()).engines
        return any(traits_of(engine).is_model for engine in engines.values())

    def trials(self, candidate: Variant, name: SetName, limit: int, repetition: int = 0) -> Mapping[str, QuestionTrial]:
        """Try a candidate on the first questions in a set. Raises the same errors as `FolderBench.trials`."""
        return self.bench.trials(self.setup(candidate), self.sets.of(name), limit=limit, repetition=repetition)

    def try_out(self, candidate: Variant, ids: Sequence[str]) -> Mapping[str, QuestionTrial]:
        """Try a candidate on some of the reflection questions."""
        wanted = frozenset(ids)
        return self.bench.trials(self.setup(candidate), [one for one in self.sets.reflect if one.id in wanted])

    def refusal(self, candidate: Variant) -> str:
        """Return the reason to reject a candidate (it breaks a contract, or contains test questions), or ""."""
        strange = [one.name for one in candidate.templates if one.name not in self.names]
        if strange:
            return f"it changes {', '.join(strange)}, which must not be tuned"
        for one in candidate.templates:
            if name := leaked(one.text, self._judging()):
                return f"the template {one.name} contains words of the question {name}, which is used to test it"
        try:
            load_settings(self.base.settings_file, (*self.base.overrides, *candidate.settings))
        except SettingsError as error:
            return error.message
        problems = check_templates(self._laid(candidate), METHOD).problems if candidate.templates else ()
        return problems[0].problem if problems else ""

    def calls_left(self) -> int | None:
        """Return the number of calls left under the ceiling, or None if there is no ceiling."""
        return None if self.max_calls is None else max(0, self.max_calls - self.ledger.usage().calls)

    def open_test(self) -> int:
        """Record the use of the test set, and return how often this data has been used, including this time."""
        return self.opened()

    def setup(self, candidate: Variant) -> Setup:
        """Return the user's own templates and settings, overridden by a candidate's."""
        prompts = self._laid(candidate) if candidate.templates else self.base.prompts
        return self.base.changed(prompts=prompts, overrides=(*self.base.overrides, *candidate.settings))

    def _judging(self) -> tuple[Question, ...]:
        return (*self.sets.select, *self.sets.test)

    def _laid(self, candidate: Variant) -> Path:
        """Return the folder with a candidate's templates, completed with those from the user's folder."""
        folder = self.directory / candidate.key
        if not folder.exists():
            lay_templates(folder, candidate.templates, self.base.prompts)
        return folder


def lay_templates(folder: Path, templates: Sequence[TemplateText], base: Path | None) -> None:
    """Write templates into a folder, along with the remaining templates from the `base` folder. Raises StoreError."""
    draft = folder.with_name(f".{folder.name}.draft")
    texts = {one.name: one.text for one in (*_own(base), *templates)}
    try:
        shutil.rmtree(draft, ignore_errors=True)
        for name, text in texts.items():
            file = draft / f"{name}{SUFFIX}"
            make_private_folder(file.parent)
            write_private(file, text.encode("utf-8", "surrogatepass"))
        shutil.rmtree(folder, ignore_errors=True)
        draft.replace(folder)
    except OSError as error:
        raise StoreError(f"the templates cannot be written to {folder}: {error.strerror}") from error


def templates_of(folder: Path | None, names: Sequence[str]) -> tuple[TemplateText, ...]:
    """Return the templates that are used with a folder: its own, otherwise the shipped ones. Raises TemplateError."""
    prompts = Prompts(folder)
    return tuple(TemplateText(name=name, text=source_of(prompts.path(name))) for name in names)


def _own(folder: Path | None) -> tuple[TemplateText, ...]:
    return () if folder is None else templates_of(folder, [n for n in METHOD if (folder / f"{n}{SUFFIX}").exists()])
