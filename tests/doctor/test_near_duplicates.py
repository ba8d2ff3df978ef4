"""`doctor FOLDER` names the documents that are nearly the same."""

from __future__ import annotations

import random
from pathlib import Path
from unittest.mock import Mock

import pytest
from commands import command

from investigator.doctor import near_duplicates as module
from investigator.doctor.near_duplicates import near_duplicates


def text(seed: int, length: int = 300) -> str:
    chosen = random.Random(seed)
    return " ".join(f"w{chosen.randrange(5_000)}" for _ in range(length))


def test_copies_and_versions_are_a_group_and_other_documents_are_not() -> None:
    draft = text(1)
    version = draft.replace(draft.split()[150], "changed", 1)
    half = " ".join([*draft.split()[:150], *text(2, 150).split()])
    others = {"half.txt": half, "other.txt": text(3), "short.txt": "Hi."}
    folder = {"a.txt": draft, "b.txt": draft, "c.txt": version, **others}
    (group,) = near_duplicates(folder.items())
    assert group.documents == ("a.txt", "b.txt", "c.txt")
    assert 0.9 < group.alike < 1


def test_a_letterhead_joins_nothing_and_many_copies_are_one_group() -> None:
    letters = [(f"{number}.txt", f"{text(0, 60)} {text(number, 200)}") for number in range(1, 100)]
    assert near_duplicates(letters) == ()
    versions = [(f"{number:03}.txt", text(8).replace(" w1", f" x{number}", 1)) for number in range(100)]
    assert [len(group.documents) for group in near_duplicates([*letters, *versions])] == [100]
    copies = [(f"copy{number:03}.txt", text(7)) for number in range(200)]
    (group,) = near_duplicates([*letters, *copies])
    assert (len(group.documents), group.alike) == (200, 1)


def test_few_pairs_are_compared_however_many_documents_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Mock(wraps=module._similarity)
    monkeypatch.setattr(module, "_similarity", compared)
    near_duplicates((f"{number}.txt", text(number)) for number in range(200))
    assert compared.call_count == 0
    near_duplicates((f"{number}.txt", f"{text(0, 60)} {text(number, 200)}") for number in range(1, 200))
    assert 198 <= compared.call_count < 5 * 198  # of 19,701 pairs


def test_unspaced_scripts_are_compared_too() -> None:
    own = "".join(chr(0x4E00 + random.Random(5).randrange(9_000) + number) for number in range(200))
    (group,) = near_duplicates([("a.txt", own), ("b.txt", f"{own[:100]}\u5b57{own[100:]}")])
    assert group.documents == ("a.txt", "b.txt")


def test_doctor_lists_the_near_duplicates_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, seed in {"a.txt": 1, "b.txt": 1, "c.txt": 2}.items():
        (tmp_path / "folder" / name).write_text(text(seed), encoding="utf-8")
    shown = command("doctor", tmp_path / "folder", "--workspace", tmp_path / "w")
    assert shown.exit_code == 0, shown.output
    assert "about 100% alike  a.txt, b.txt" in shown.stdout
    assert "c.txt" not in shown.stdout
    (tmp_path / "folder" / "b.txt").unlink()
    assert "none found" in command("doctor", tmp_path / "folder", "--workspace", tmp_path / "w").stdout
    assert "near-duplicates" not in command("doctor").stdout
