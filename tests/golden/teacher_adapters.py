"""Shared parts of the rows about teachers: acts, episodes and files, in the form of the rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from investigator.dialogue.metrics.values import Metric
from investigator.dialogue.teachers import FixedDialogTeacher, Teacher


@contextmanager
def data_file(content: str) -> Iterator[str]:
    """Create a file with this content, and return its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_bytes(content.encode())
        yield str(path)


def plain(value: Any) -> Any:
    """Return a value in the form of the rows: a set is sorted, under its name."""
    if isinstance(value, set | frozenset):
        return {"__set__": sorted(value)}
    return {key: plain(part) for key, part in value.items()} if isinstance(value, Mapping) else value


def acts(teacher: Teacher, count: int) -> list[Any]:
    """Return the given number of acts of a teacher, each with True if its data has ended."""
    return [{"act": plain(teacher.act()), "epoch_done": teacher.epoch_done()} for _ in range(count)]


def episodes(teacher: FixedDialogTeacher) -> Any:
    """Return all examples of a teacher, with the counts."""
    whole = []
    for number in range(teacher.num_episodes()):
        episode = [plain(teacher.get(number, 0))]
        while not episode[-1]["episode_done"]:
            episode.append(plain(teacher.get(number, len(episode))))
        whole.append(episode)
    return {"num_examples": teacher.num_examples(), "num_episodes": teacher.num_episodes(), "episodes": whole}


def figures(report: Mapping[str, Metric]) -> dict[str, float]:
    """Return the metrics of a report as numbers."""
    return {name: metric.value() for name, metric in report.items()}


def graded(teacher: Teacher, replies: list[Any]) -> Any:
    """Return the questions of a teacher, and its grades for these replies."""
    steps = []
    for reply in replies:
        act = teacher.act()
        seen = teacher.observe(reply)
        steps.append({"act_text": act.get("text"), "observed_metrics": figures(seen.get("metrics", {}))})
    return {"steps": steps, "report": figures(teacher.report())}
