"""If workers of a real Ray cluster on this machine die, the answer is the same."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.base import Vectors
from investigator.errors import ClusterError
from investigator.records import Answer, Answered, Usage

_MISSING = 'Ray is not installed: pip install "ray"'
pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason=_MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray leaves sockets to the end of the process
    pytest.mark.filterwarnings("ignore::FutureWarning:ray.*"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.*"),
]

QUESTION = "How much power does the Cedar plant make?"


class DyingEmbedder(ScriptedEmbedder):
    """An embedder that kills its process at the first text, once for each mark file."""

    def __init__(self, marks: Path) -> None:
        self.marks = marks

    def embed(self, texts: Sequence[str]) -> Vectors:
        for mark in sorted(self.marks.glob("*")):
            mark.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts)


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    for number, name in enumerate(("alder", "birch", "cedar", "elm")):
        (made / f"{name}.txt").write_text(f"The {name} plant makes {40 + number} MW of power.", encoding="utf-8")
    return made


def on_cluster(folder: Path, marks: Path) -> Investigator:
    changes = ["cluster.address=local", "cluster.shards=2"]
    workspace = folder.parent / "sharded"
    return Investigator(
        folder, embedder=DyingEmbedder(marks), settings=load_settings(None, changes), workspace=workspace
    )


def answer_of(investigator: Investigator) -> Answer:
    *_, last = investigator.investigate(QUESTION)
    assert isinstance(last, Answered)
    assert last.investigation.answer is not None
    answer = last.investigation.answer
    return answer.changed(run=answer.run.changed(id="", elapsed=0.0, usage=Usage()))


def test_workers_and_actors_that_are_killed_change_nothing(folder: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    (marks / "once").touch()
    investigator = on_cluster(folder, marks)
    ray = investigator.parts._crew._ray
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a file of tests
    for _ in investigator.index():
        pass
    known = investigator.progress()
    assert known is not None
    assert (known.finished, [*marks.iterdir()]) == (2, [])  # a worker died, and its shard was built again
    hits = investigator.search(QUESTION)
    holders = investigator.parts._crew._holders
    assert holders is not None
    for actor in holders._actors:
        ray.kill(actor, no_restart=False)
    alone = Investigator(folder, embedder=ScriptedEmbedder(), workspace=tmp_path / "alone")
    assert answer_of(investigator) == answer_of(alone)
    assert hits == alone.search(QUESTION)


def test_a_cluster_that_is_not_there_is_an_error_that_says_so(folder: Path) -> None:
    import ray

    ray.shutdown()
    settings = load_settings(None, ["cluster.address=auto"])
    with pytest.raises(ClusterError, match="the Ray cluster cannot be used"):
        Investigator(folder, embedder=ScriptedEmbedder(), settings=settings).search(QUESTION)
