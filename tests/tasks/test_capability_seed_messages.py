"""The messages in the seed, as files of the text format and of conversations (seed: parlai_messages)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from investigator.dialogue.messages import Message
from investigator.dialogue.text_format import write_episodes
from investigator.tasks.loading import create_teacher

FILMS = ["Top Hat", "Kitty Foyle", "The Barkleys of Broadway"]
MOVIES = Message(text="what movies are about ginger rogers?", labels=FILMS, episode_done=True)
ANIMALS = ["wolf", "mouse", "cat", "sheep"]
STORY = "Cats are afraid of sheep.\nMice are afraid of cats.\nWinona is a cat.\nWhat is winona afraid of?"
BABI = [
    Message(text=STORY, labels=["sheep"], label_candidates=ANIMALS, episode_done=False),
    Message(text="What is jessica afraid of?", labels=["sheep"], label_candidates=ANIMALS, episode_done=False),
    Message(text="What is emily afraid of?", labels=["mouse"], label_candidates=ANIMALS, episode_done=True),
]


def acts_of(path: Path, task: str = "text", datatype: str = "train:ordered") -> list[dict[str, Any]]:
    return [dict(act) for act in create_teacher({"task": task, "datafile": str(path), "datatype": datatype})]


def written(path: Path, *episodes: list[Message]) -> Path:
    write_episodes(path, episodes)
    return path


def test_an_episode_of_one_exchange_and_one_of_three_come_as_the_seed_shows_them(tmp_path: Path) -> None:
    acts = acts_of(written(tmp_path / "seed.txt", [MOVIES], BABI))
    assert [act["episode_done"] for act in acts] == [True, False, False, True]
    assert [list(act["labels"]) for act in acts] == [FILMS, ["sheep"], ["sheep"], ["mouse"]]
    assert acts[1]["text"] == STORY
    assert all(list(act["label_candidates"]) == ANIMALS for act in acts[1:])


def test_messages_bear_the_name_of_their_task(tmp_path: Path) -> None:
    assert {act["id"] for act in acts_of(written(tmp_path / "seed.txt", [MOVIES]))} == {"text"}


def test_labels_move_where_they_cannot_be_learned_from(tmp_path: Path) -> None:
    path = written(tmp_path / "seed.txt", [MOVIES])
    for datatype in ("valid", "test"):
        (act,) = acts_of(path, datatype=datatype)
        assert "labels" not in act
        assert list(act["eval_labels"]) == FILMS


def test_a_reward_comes_with_the_example_it_stands_at(tmp_path: Path) -> None:
    path = tmp_path / "rewards.txt"
    path.write_text("text:a\tlabels:b\treward:1\ntext:c\tlabels:d\treward:-0.5\ntext:e\tlabels:f\n", encoding="utf-8")
    assert [act.get("reward") for act in acts_of(path)] == [1, -0.5, None]


def test_a_field_of_ones_own_passes_through_as_text(tmp_path: Path) -> None:
    path = written(tmp_path / "own.txt", [Message(MOVIES, answer_starts="12")])
    assert acts_of(path)[0]["answer_starts"] == "12"
