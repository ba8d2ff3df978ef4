"""AbstractImageTeacher and the image modes."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from investigator.dialogue.teachers import AbstractImageTeacher
from investigator.dialogue.teachers.dialog import COLUMNS, ImageMode, load_image
from investigator.errors import DataError, DialogueError

Image = pytest.importorskip("PIL.Image", reason="images need the package pillow")


class Pictures(AbstractImageTeacher):
    """A teacher whose images are next to the data."""

    def image_id_to_image_path(self, image_id: str) -> str:
        return str(Path(self.opt.text("datafile")).parent / f"{image_id}.png")


@pytest.fixture
def teacher(tmp_path: Path) -> Callable[..., Pictures]:
    half = Image.new("L", (40, 20), 0)
    half.paste(255, (20, 0, 40, 20))
    half.save(tmp_path / "half.png")
    items = [{"image_id": "half", "text": "Which side is light?", "labels": "right", "source": "us"}]
    (tmp_path / "data.json").write_text(json.dumps(items), encoding="utf-8")
    options = {"datafile": str(tmp_path / "data.json"), "datatype": "valid"}
    return lambda **more: Pictures({**options, **more})


def test_an_image_comes_as_rgb_pixels(teacher: Callable[..., Pictures]) -> None:
    act = teacher().act()

    image = act["image"]
    assert (image.mode, image.size) == ("RGB", (40, 20))  # type: ignore[attr-defined]
    assert [image.getpixel((x, 5)) for x in (0, 39)] == [(0, 0, 0), (255, 255, 255)]  # type: ignore[attr-defined]
    assert act["eval_labels"] == ("right",)
    assert (act.text, act["source"], act["episode_done"]) == ("Which side is light?", "us", True)


def test_an_image_comes_as_characters_dark_ones_for_dark_pixels(teacher: Callable[..., Pictures]) -> None:
    lines = str(teacher(image_mode="ascii").act()["image"]).split("\n")

    assert len(lines) == 10
    assert {(line[:18], line[22:]) for line in lines} == {("@" * 18, " " * 18)}


def test_a_large_image_has_a_bounded_width_in_characters(tmp_path: Path) -> None:
    Image.new("RGB", (3000, 1)).save(tmp_path / "wide.png")

    assert load_image(str(tmp_path / "wide.png"), ImageMode.ASCII) == "@" * COLUMNS


def test_without_an_image_model_no_image_is_opened(teacher: Callable[..., Pictures], tmp_path: Path) -> None:
    (tmp_path / "half.png").unlink()

    act = teacher(image_mode="no_image_model").act()

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
    teacher: Callable[..., Pictures], tmp_path: Path
) -> None:
    whole = (tmp_path / "half.png").read_bytes()
    (tmp_path / "half.png").write_bytes(bomb())
    with pytest.raises(DialogueError, match=r"half\.png is too large: 10000 by 6000"):
        teacher().act()
    (tmp_path / "half.png").write_bytes(whole[:60])
    with pytest.raises(DialogueError, match=r"half\.png cannot be read"):
        teacher().act()
    (tmp_path / "half.png").unlink()
    with pytest.raises(DialogueError, match=r"half\.png cannot be read"):
        teacher().act()


def test_copies_load_the_data_once(teacher: Callable[..., Pictures], tmp_path: Path) -> None:
    first = teacher(image_mode="no_image_model")
    (tmp_path / "data.json").unlink()

    assert first.clone().act().text == "Which side is light?"
    assert len(list(first)) == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [("{", "Invalid JSON"), ('{"image_id": 1}', "should be a valid array"), ('[{"text": "q"}]', "item 0 of .* has no")],
)
def test_data_that_is_no_list_of_images_is_an_error(
    teacher: Callable[..., Pictures], tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "data.json").write_text(content, encoding="utf-8")

    with pytest.raises(DataError, match=problem):
        teacher().act()
