"""Compares two templates, models or settings, and searches for one that is proven better.

from investigator.tuning import FolderBench, Setup, TuningOptions, compare, tune

bench = FolderBench(Path("folder"))
compare(("now", Setup()), ("few", Setup(overrides=("research.rounds=1",))), read_questions(file), bench).verdict
tune(Path("folder"), file, Path("tuned"), TuningOptions(space={"research.rounds": ("1", "3")})).result.ending
"""

from __future__ import annotations

from investigator.tuning.bench import FolderBench, Setup
from investigator.tuning.comparison import Comparison, compare
from investigator.tuning.run import TuningOptions, TuningReport, tune
from investigator.tuning.search import Ending

__all__ = ["Comparison", "Ending", "FolderBench", "Setup", "TuningOptions", "TuningReport", "compare", "tune"]
