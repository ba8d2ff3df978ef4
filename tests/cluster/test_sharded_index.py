"""The sharded index of a folder: the same answers, each file in one shard, and every loss reported."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from shards import CrewHere

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.cluster.building import build
from investigator.cluster.shard_files import shard_of
from investigator.errors import ClusterError, SettingsError, ShardLostError
from investigator.records import Answer, Answered, Investigation
from investigator.settings import Settings

TEXTS = {
    f"{name}.txt": f"The {name} plant was opened in {1980 + number}. It makes {40 + number} MW of power. "
    f"Its chimney is {90 + number} metres high.\n"
    for number, name in enumerate(("alder", "birch", "cedar", "elm", "hazel", "oak"))
}
QUESTION = "How much power does the Cedar plant make?"
ABSENT = "Who painted the ceiling?"
COUNT = 2


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index in shards."""
    made = tmp_path_factory.mktemp("built") / "folder"
    made.mkdir()
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    (made / "poison.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    indexed(sharded(made, CrewHere()))
    return made


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """The same folder with the same index, for a single test."""
    copy = tmp_path / "folder"
    shutil.copytree(built, copy, copy_function=os.link)  # the same files, so that no stamp is another
    shutil.copytree(built.parent / "sharded", tmp_path / "sharded")
    return copy


@pytest.fixture(scope="module")
def alone(built: Path) -> Mapping[str, Investigation]:
    """Return the answers of one machine, by question."""
    investigator = Investigator(built, embedder=ScriptedEmbedder(), workspace=built.parent / "alone")
    assert investigator.progress() is None
    return {question: record_of(investigator, question) for question in (QUESTION, ABSENT)}


@pytest.fixture
def crew() -> CrewHere:
    return CrewHere()


def settings(*changes: str) -> Settings:
    return load_settings(None, ["cluster.address=local", f"cluster.shards={COUNT}", *changes])


def sharded(folder: Path, crew: CrewHere, *changes: str) -> Investigator:
    made = Investigator(
        folder, embedder=ScriptedEmbedder(), settings=settings(*changes), workspace=folder.parent / "sharded"
    )
    made.parts._crew = crew  # type: ignore[assignment]
    return made


def record_of(investigator: Investigator, question: str = QUESTION) -> Investigation:
    *_, last = investigator.investigate(question)
    assert isinstance(last, Answered)
    return last.investigation


def comparable(record: Investigation) -> Investigation:
    usage = record.usage.changed(seconds=0.0)
    assert record.answer is not None
    answer = record.answer.changed(run=record.answer.run.changed(id="", elapsed=0.0, usage=usage))
    return record.changed(id="", elapsed=0.0, usage=usage, answer=answer)


def indexed(investigator: Investigator) -> None:
    for _ in investigator.index():
        pass


def written(folder: Path) -> dict[str, float]:
    return {path.name: path.stat().st_mtime_ns for path in (folder.parent / "sharded" / "shards").glob("*.db")}


def test_plan_memories_and_answer_are_those_of_one_machine(
    folder: Path, crew: CrewHere, alone: Mapping[str, Investigation]
) -> None:
    for question, record in alone.items():
        assert comparable(record_of(sharded(folder, crew), question)) == comparable(record)


def test_a_shard_that_is_up_to_date_is_not_built_again(folder: Path, crew: CrewHere) -> None:
    before = written(folder)
    indexed(sharded(folder, crew))
    assert (written(folder), crew.built, len(before)) == (before, [], COUNT)


def test_a_file_added_later_goes_to_one_shard(folder: Path, crew: CrewHere) -> None:
    before = written(folder)
    (folder / "yew.txt").write_text("The yew plant makes 50 MW of power.", encoding="utf-8")
    assert "50 MW" in answer_of(sharded(folder, crew), "How much power does the Yew plant make?").text
    assert crew.built == [shard_of("yew.txt", COUNT)]
    assert len(written(folder).keys() & before.keys()) == COUNT - 1


def test_a_poison_file_costs_itself_only(folder: Path, crew: CrewHere) -> None:
    status = sharded(folder, crew).status()
    assert [file.path for file in status.files if not file.characters] == ["poison.pdf"]
    assert status.documents == len(TEXTS)


def answer_of(investigator: Investigator, question: str = QUESTION) -> Answer:
    answer = record_of(investigator, question).answer
    assert answer is not None
    return answer


def test_a_shard_that_falls_silent_is_asked_again_and_the_answer_is_the_same(
    folder: Path, crew: CrewHere, alone: Mapping[str, Investigation]
) -> None:
    indexed(sharded(folder, crew))
    crew.searches_left = 2
    assert comparable(record_of(sharded(folder, crew))) == comparable(alone[QUESTION])
    assert crew.searches_left is None


def test_a_shard_that_stays_silent_is_an_error_and_the_same_command_completes_when_it_is_back(
    folder: Path, crew: CrewHere, alone: Mapping[str, Investigation]
) -> None:
    crew.searches_left, crew.stays_silent = 2, True
    with pytest.raises(ShardLostError) as caught:
        record_of(sharded(folder, crew))
    assert "Run the same command again" in caught.value.hint
    crew.searches_left = None
    assert comparable(record_of(sharded(folder, crew))) == comparable(alone[QUESTION])


def test_the_largest_shard_is_built_first_so_that_no_worker_ends_alone(folder: Path, crew: CrewHere) -> None:
    (folder / "long.txt").write_text("The plant makes power. " * 500, encoding="utf-8")
    indexed(sharded(folder, crew, "chunks.target=300"))
    assert crew.built[0] == shard_of("long.txt", COUNT)
    assert len(crew.built) == COUNT


def test_a_damaged_shard_is_built_again(folder: Path, crew: CrewHere, alone: Mapping[str, Investigation]) -> None:
    path = next((folder.parent / "sharded" / "shards").glob("0000-*.db"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert comparable(record_of(sharded(folder, crew))) == comparable(alone[QUESTION])
    assert crew.built == [0]


def test_shards_without_a_record_or_of_other_settings_are_not_used(folder: Path, crew: CrewHere) -> None:
    indexed(sharded(folder, crew, "chunks.target=300"))
    assert sorted(crew.built) == list(range(COUNT))
    record = folder.parent / "sharded" / "shards" / f"0001-of-{COUNT:04d}.json"
    record.write_bytes(record.read_bytes()[:40])
    crew.built = []
    indexed(sharded(folder, crew, "chunks.target=300"))
    assert crew.built == [1]


def test_progress_counts_finished_shards(folder: Path, crew: CrewHere) -> None:
    (folder.parent / "sharded" / "shards" / f"0001-of-{COUNT:04d}.json").unlink()
    progress = sharded(folder, crew).progress()
    assert progress is not None
    assert progress.line == f"1 of {COUNT} shards can be searched"


def test_the_number_of_shards_is_kept_until_another_is_named(folder: Path, crew: CrewHere) -> None:
    indexed(sharded(folder, crew, "cluster.shards=3"))
    crew.built = []
    indexed(sharded(folder, crew, "cluster.shards=0"))
    assert (crew.built, len(written(folder))) == ([], 3)


def test_workers_that_differ_are_refused_by_what_differs(folder: Path, crew: CrewHere) -> None:
    crew.only_notes = True
    for _ in sharded(folder, crew).index(retry=True):
        pass
    task = crew.noted[0]
    with pytest.raises(ClusterError, match=r"has document-investigator .*, but this command has 0\.0\.1"):
        build(replace(task, version="0.0.1"))
    with pytest.raises(ClusterError, match="cannot read the documents"):
        build(replace(task, folder=task.folder / "elsewhere"))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"must be local, auto or ray://HOST:PORT"):
        load_settings(None, ["cluster.address=ray.example.org"])
