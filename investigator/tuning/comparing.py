"""Compares two sides: parses their descriptions, asks both the same questions, and compares the results."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from investigator.engines.catalogue import may_be_model
from investigator.errors import SettingsError
from investigator.evaluation.measures import Measure, judging_measure
from investigator.evaluation.questions import Question
from investigator.settings import Settings
from investigator.tuning.bench import FolderBench, Setup
from investigator.tuning.comparison import ComparedSide, Comparison, compared

AS_IT_IS = "default"
"""The name of the side without changes."""

_CHANGE = re.compile(r"(?P<part>\w+)(?:\.\w+)*=.*", re.DOTALL)
_SETTINGS_FILES = (".toml", ".json")


def side_of(text: str, base: Setup) -> Setup:
    """Return a side's setup, applied on top of the setup that both sides share.

    A side is a folder of templates, a settings file (.toml or .json), space-separated changes `part.field=value`, a
    model, or `default` for no change. Raises SettingsError for a missing folder or file.
    """
    path = Path(text).expanduser()
    if text == AS_IT_IS:
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


def compare(
    first: tuple[str, Setup],
    second: tuple[str, Setup],
    questions: Sequence[Question],
    bench: FolderBench,
    *,
    measure: Measure = Measure.RIGHT,
    repeat: int = 1,
    seed: int = 0,
) -> Comparison:
    """Try both named sides on the questions, and compare the outcomes.

    With `repeat` above 1, every question is asked `repeat` times without the cache; the mean is compared, and the
    spread of repetitions is reported. Repeating the call resumes a stopped comparison. Raises the same errors as
    `FolderBench.trials`.
    """
    judging_measure(measure)
    numbers = range(1, repeat + 1) if repeat > 1 else (0,)
    trials = tuple([bench.trials(setup, questions, repetition=n) for n in numbers] for _, setup in (first, second))
    sides = tuple(ComparedSide(name=name, engine=bench.engine_name(setup)) for name, setup in (first, second))
    return compared(questions, (sides[0], sides[1]), (trials[0], trials[1]), measure, seed)
