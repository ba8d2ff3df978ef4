"""What the rows about teachers have in common: acts, episodes and files, in the form of the rows."""

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
    """The path of a file with this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        path.write_bytes(content.encode())
        yield str(path)


def plain(value: Any) -> Any:
    """A value as rows have it: a set sorted, under its name."""
    if isinstance(value, set | frozenset):
        return {"__set__": sorted(value)}
    return {key: plain(part) for key, part in value.items()} if isinstance(value, Mapping) else value


def acts(teacher: Teacher, count: int) -> list[Any]:
    """What a teacher asks, so many times, each with whether its data has ended."""
    return [{"act": plain(teacher.act()), "epoch_done": teacher.epoch_done()} for _ in range(count)]


def episodes(teacher: FixedDialogTeacher) -> Any:
    """All that a teacher has, with the counts."""
    found = []
    for number in range(teacher.num_episodes()):
        episode = [plain(teacher.get(number, 0))]
        while not episode[-1]["episode_done"]:
            episode.append(plain(teacher.get(number, len(episode))))
        found.append(episode)
    return {"num_examples": teacher.num_examples(), "num_episodes": teacher.num_episodes(), "episodes": found}


def figures(report: Mapping[str, Metric]) -> dict[str, float]:
    """The metrics of a report as numbers."""
    return {name: metric.value() for name, metric in report.items()}


def graded(teacher: Teacher, replies: list[Any]) -> Any:
    """What a teacher asks, and how it grades each of these replies."""
    steps = []
    for reply in replies:
        act = teacher.act()
        seen = teacher.observe(reply)
        steps.append({"act_text": act.get("text"), "observed_metrics": figures(seen.get("metrics", {}))})
    return {"steps": steps, "report": figures(teacher.report())}
