"""DialogTeacher, its data, its entries as examples, and its images."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import AbstractImageTeacher, DialogData, DialogTeacher, StreamDialogData
from investigator.dialogue.teachers.dialog import COLUMNS, ImageMode, load_image, message_of
from investigator.errors import DataError, DialogueError

Image = pytest.importorskip("PIL.Image", reason="images need the package pillow")


class Sums(DialogTeacher):
    """Reads lines such as `1+2=3`; a line of dashes begins an episode."""

    reads = 0

    def setup_data(self, datafile: str) -> Iterator[tuple[Any, bool]]:
        type(self).reads += 1
        for episode in Path(datafile).read_text(encoding="utf-8").split("---\n"):
            for number, line in enumerate(episode.splitlines()):
                question, _, answer = line.partition("=")
                yield (question, answer), number == 0


@pytest.fixture
def sums(tmp_path: Path) -> Callable[..., Sums]:
    path = tmp_path / "sums"
    path.write_text("1+2=3\n2+2=4\n---\n5+5=10\n", encoding="utf-8")
    Sums.reads = 0
    return lambda datatype, **options: Sums({"datafile": str(path), "datatype": datatype, **options})


def unseen(path: str) -> object:
    raise AssertionError(path)


def test_a_stream_asks_the_same_as_data_in_memory(sums: Callable[..., Sums]) -> None:
    held, streamed = sums("valid"), sums("valid:stream")
    acts = [(held.act(), held.epoch_done(), streamed.act(), streamed.epoch_done()) for _ in range(5)]
    assert [text for text, *_ in acts] == [text for *_, text, _ in acts]
    assert [done for _, done, *_ in acts] == [done for *_, done in acts] == [False, False, True, True, True]
    assert (held.num_examples(), held.num_episodes()) == (streamed.num_examples(), streamed.num_episodes()) == (3, 2)


def test_a_stream_in_training_goes_on_and_an_ordered_one_ends(sums: Callable[..., Sums]) -> None:
    cycling, ordered = sums("train:stream"), sums("train:ordered:stream")
    acts = [(cycling.act().text, cycling.epoch_done()) for _ in range(4)]
    assert acts == [("1+2", False), ("2+2", False), ("5+5", False), ("1+2", False)]
    assert [ordered.act().is_padding() for _ in range(4)] == [False, False, False, True]


def test_copies_of_a_stream_take_whole_episodes_in_turn(sums: Callable[..., Sums]) -> None:
    first = sums("valid:stream")
    second = first.clone()
    assert [first.act().text, second.act().text, first.act().text] == ["1+2", "5+5", "2+2"]
    assert second.act().is_padding()


def test_a_stream_holds_one_episode_and_one_ahead() -> None:
    taken = 0

    def load() -> Iterator[tuple[Any, bool]]:
        nonlocal taken
        for number in range(1_000_000):
            taken += 1
            yield (str(number), "y"), True

    episodes = StreamDialogData(load, restarts=False).episodes()
    for number in range(5):
        assert next(episodes) == ([(str(number), "y")], False)
    assert taken <= 7


@pytest.mark.parametrize("datatype", ["train", "train:stream", "train:ordered", "valid:stream"])
def test_a_file_without_examples_ends_at_once(tmp_path: Path, datatype: str) -> None:
    (tmp_path / "none").touch()
    teacher = Sums({"datafile": str(tmp_path / "none"), "datatype": datatype})
    assert teacher.act().is_padding()
    assert teacher.epoch_done()


def test_iterating_reads_a_stream_from_its_beginning_and_data_in_memory_never_again(sums: Callable[..., Sums]) -> None:
    streamed, held = sums("train:ordered:stream"), sums("train:ordered")
    streamed.act()
    held.act()
    reads = Sums.reads
    assert [act.text for act in streamed] == [act.text for act in held] == ["1+2", "2+2", "5+5"]
    assert streamed.act().text == held.act().text == "2+2"
    assert Sums.reads == reads + 1


@pytest.mark.parametrize("datatype", ["valid", "valid:stream"])
def test_a_reset_begins_anew(sums: Callable[..., Sums], datatype: str) -> None:
    teacher = sums(datatype)
    teacher.act()
    teacher.observe(Message(text="3"))
    teacher.reset()
    assert teacher.act().text == "1+2"
    assert teacher.report() == {}


def test_data_is_found_by_episode_and_entry_with_the_end_marked() -> None:
    entries = [(("a", "1"), True), (("b", "2"), False), (("c", "3"), True)]
    data = DialogData(entries, lambda entry: message_of(entry, None, unseen))
    assert data.get(0) == {"text": "a", "labels": ("1",), "episode_done": False}
    assert data.get(0, 1) == {"text": "b", "labels": ("2",), "episode_done": True}
    assert data.get(1) == {"text": "c", "labels": ("3",), "episode_done": True}
    assert (data.num_episodes(), data.num_examples()) == (2, 3)


def test_the_parts_of_an_entry_are_the_fields_of_a_message() -> None:
    made = message_of(("q", ["a", "b"], 2.0, ["a", "b", "c"], "cat.png"), None, lambda path: f"pixels of {path}")
    assert made == {
        "text": "q",
        "labels": ["a", "b"],
        "reward": 2.0,
        "label_candidates": ["a", "b", "c"],
        "image": "pixels of cat.png",
    }
    assert message_of(("q", None, None, None, "cat.png"), None, lambda path: None) == {"text": "q"}
    assert message_of((None, "a"), None, unseen) == {"labels": ("a",)}
    entry = {"text": "q", "label": "yes", "answer_starts": [515]}
    assert message_of(entry, None, unseen) == {"text": "q", "labels": ("yes",), "answer_starts": [515]}
    assert entry == {"text": "q", "label": "yes", "answer_starts": [515]}


def test_the_candidates_of_a_task_have_the_label_of_the_example_for_that_example_only() -> None:
    everywhere = frozenset({"yes", "no"})
    assert message_of(("q", "maybe"), everywhere, unseen)["label_candidates"] == {"yes", "no", "maybe"}
    assert message_of(("q", "yes"), everywhere, unseen)["label_candidates"] == {"yes", "no"}


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"text": "q", "eval_labels": ["a"]}, "must not set eval_labels"),
        ({"text": "q", "episode_done": True}, "must not set episode_done"),
        (("q", ["z"], None, ["a", "b"]), "'z' is missing from the label candidates"),
        ("just a text", "must be a tuple or a mapping of fields"),
        (7, "must be a tuple or a mapping of fields"),
    ],
)
def test_an_entry_that_cannot_be_asked_is_an_error_that_says_why(entry: object, problem: str) -> None:
    with pytest.raises(DialogueError, match=problem):
        message_of(entry, None, unseen)


def test_setup_data_must_say_where_episodes_begin() -> None:
    class Forgetful(DialogTeacher):
        def setup_data(self, datafile: str) -> Iterator[Any]:
            yield "a question without a mark"

    with pytest.raises(DialogueError, match="setup_data yielded a question"):
        Forgetful({"datafile": "x", "datatype": "valid"})


def test_what_is_missing_is_named(sums: Callable[..., Sums]) -> None:
    with pytest.raises(DialogueError, match="Sums has no data file"):
        Sums({"datatype": "valid"})
    with pytest.raises(DialogueError, match='"setup_data" must be overridden'):
        DialogTeacher({"datatype": "valid", "datafile": "x"})
    with pytest.raises(DialogueError, match="image_mode cannot be 'resnet'"):
        sums("valid", image_mode="resnet")
    with pytest.raises(DialogueError, match="stream"):
        sums("valid:stream").get(0)


class Pictures(AbstractImageTeacher):
    """A teacher whose images are next to the data."""

    def image_id_to_image_path(self, image_id: str) -> str:
        return str(Path(self.opt.text("datafile")).parent / f"{image_id}.png")


@pytest.fixture
def pictures(tmp_path: Path) -> Callable[..., Pictures]:
    half = Image.new("L", (40, 20), 0)
    half.paste(255, (20, 0, 40, 20))
    half.save(tmp_path / "half.png")
    items = [{"image_id": "half", "text": "Which side is light?", "labels": "right", "source": "us"}]
    (tmp_path / "data.json").write_text(json.dumps(items), encoding="utf-8")
    options = {"datafile": str(tmp_path / "data.json"), "datatype": "valid"}
    return lambda **more: Pictures({**options, **more})


def test_an_image_comes_as_rgb_pixels(pictures: Callable[..., Pictures]) -> None:
    act = pictures().act()
    image: Any = act["image"]
    assert (image.mode, image.size) == ("RGB", (40, 20))
    assert [image.getpixel((x, 5)) for x in (0, 39)] == [(0, 0, 0), (255, 255, 255)]
    assert act["eval_labels"] == ("right",)
    assert (act.text, act["source"], act["episode_done"]) == ("Which side is light?", "us", True)


def test_an_image_comes_as_characters_dark_ones_for_dark_pixels(
    pictures: Callable[..., Pictures], tmp_path: Path
) -> None:
    lines = str(pictures(image_mode="ascii").act()["image"]).split("\n")
    assert len(lines) == 10
    assert {(line[:18], line[22:]) for line in lines} == {("@" * 18, " " * 18)}
    Image.new("RGB", (3000, 1)).save(tmp_path / "wide.png")
    assert load_image(str(tmp_path / "wide.png"), ImageMode.ASCII) == "@" * COLUMNS


def test_without_an_image_model_no_image_is_opened(pictures: Callable[..., Pictures], tmp_path: Path) -> None:
    (tmp_path / "half.png").unlink()
    act = pictures(image_mode="no_image_model").act()
    assert "image" not in act
    assert act["image_id"] == "half"


def bomb() -> bytes:
    """Return a small PNG file that claims to have 60 million pixels."""
    header = struct.pack(">IIBBBBB", 10_000, 6_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_an_image_that_is_missing_broken_or_a_bomb_is_an_error_that_names_it(
    pictures: Callable[..., Pictures], tmp_path: Path
) -> None:
    whole = (tmp_path / "half.png").read_bytes()
    for content, problem in ((bomb(), "is too large: 10000 by 6000"), (whole[:60], "cannot be read")):
        (tmp_path / "half.png").write_bytes(content)
        with pytest.raises(DialogueError, match=rf"half\.png {problem}"):
            pictures().act()
    (tmp_path / "half.png").unlink()
    with pytest.raises(DialogueError, match=r"half\.png cannot be read"):
        pictures().act()


@pytest.mark.parametrize(
    ("content", "problem"),
    [("{", "Invalid JSON"), ('{"image_id": 1}', "should be a valid array"), ('[{"text": "q"}]', "item 0 of .* has no")],
)
def test_data_that_is_no_list_of_images_is_an_error(
    pictures: Callable[..., Pictures], tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "data.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        pictures().act()
