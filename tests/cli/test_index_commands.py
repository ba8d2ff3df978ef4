"""The commands that read a folder without calling a model: index, status, search."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from pathlib import Path

import pytest
from commands import command
from typer.testing import Result

from investigator.records import Passage, SearchHit
from investigator.reports.folder import hits_text
from investigator.store.locations import default_workspace

LEASE = "The annual rent is EUR 48,000.\n\nThe tenant pays for heating.\n"
FIELDS = ["schema", "path", "status", "reason", "pages", "characters", "chunks", "seconds"]


def rows(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def statuses(result: Result) -> dict[object, object]:
    return {row["path"]: row["status"] for row in rows(result)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "lease.txt").write_text(
        "The annual rent is EUR 48,000.\n\nThe tenant pays for heating.\n", encoding="utf-8"
    )
    (made / "mill.md").write_text("# The mill\n\nThe mill burned down in 1911.\n", encoding="utf-8")
    (made / "noise.bin").write_bytes(bytes(range(256)) * 4)
    (made / "empty.txt").touch()
    return made


def test_index_tells_what_became_of_each_file(folder: Path) -> None:
    first = command("index", folder, "--json")
    assert first.exit_code == 0
    assert [list(row) for row in rows(first)] == [FIELDS] * 4
    assert statuses(first) == {
        "empty.txt": "empty",
        "lease.txt": "indexed",
        "mill.md": "indexed",
        "noise.bin": "unsupported",
    }
    by_path = {row["path"]: row for row in rows(first)}
    assert by_path["lease.txt"]["characters"] == len((folder / "lease.txt").read_text(encoding="utf-8"))
    assert by_path["lease.txt"]["chunks"] == 1
    assert by_path["noise.bin"]["reason"]
    assert first.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Tesseract is a shell script")
@pytest.mark.parametrize(("languages", "told"), [("eng", ""), ("klingon", "klingon"), ("eng+deu", "")])
def test_a_chosen_language_that_tesseract_does_not_know_is_told_at_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, languages: str, told: str
) -> None:
    (tmp_path / "tesseract").write_text("#!/bin/sh\necho 'Languages in /here (2):'\necho deu\necho eng\n")
    (tmp_path / "tesseract").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = command("index", folder, "--set", f"reader.ocr_languages={languages}")
    assert result.exit_code == 0
    notes = [line for line in result.stderr.splitlines() if line.startswith("note: pictures")]
    assert [("lacks the language klingon" in line, line.endswith("it has deu, eng")) for line in notes] == (
        [(True, True)] if told else []
    )


def test_index_again_reads_only_what_changed(folder: Path) -> None:
    command("index", folder)
    (folder / "mill.md").write_text("# The mill\n\nIt was built again in 1913.\n", encoding="utf-8")
    (folder / "new.txt").write_text("The ferry ran until 1950.", encoding="utf-8")
    (folder / "lease.txt").rename(folder / "lease-2020.txt")
    again = command("index", folder, "--json")
    assert statuses(again) == {
        "empty.txt": "empty",
        "lease-2020.txt": "unchanged",
        "mill.md": "indexed",
        "new.txt": "indexed",
        "noise.bin": "unsupported",
    }
    assert "renamed from lease.txt" in again.stdout


def test_the_table_has_a_line_for_each_status_and_names_what_gave_no_text(folder: Path) -> None:
    table = command("index", folder).stdout
    assert table.splitlines()[0].split() == ["status", "files", "pages", "characters", "passages", "seconds"]
    counts = {line.split("  ")[0]: line.split()[-5] for line in table.splitlines()[1:5]}
    assert counts == {"indexed": "2", "empty": "1", "unsupported": "1", "all": "4"}
    assert "noise.bin (unsupported: " in table
    assert "2 documents can be asked about; 0 of 2 passages have vectors" in table


def test_the_counts_add_up_where_files_hold_files(folder: Path) -> None:
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("in.txt", "The ferry ran until 1950.")
        archive.writestr("noise.bin", bytes(range(256)) * 4)
    (folder / "letter.eml").write_bytes(b"From: a@b.example\nMIME-Version: 1.0\nSubject: Mill\n\nThe mill burned.")
    (folder / "cafe.txt").write_bytes("Cafés, cafés, cafés ".encode() + b"\xff")
    for command_line in (("index", folder), ("index", folder, "--dry-run")):
        table, _, shown = command(*command_line).stdout.partition("\n\n")
        counts = {" ".join(line.split()[:-5]): int(line.split()[-5]) for line in table.splitlines()[1:]}
        assert counts == {"indexed": 5, "empty": 1, "unsupported": 2, "only contain other files": 1, "all": 9}
        assert "5 documents can be asked about, from 7 files in the folder and 2 inside them; 0 of 5 passages" in shown
        assert "cafe.txt/(the rest) (empty: 1 damaged character" in shown


def test_vectors_are_made_when_asked_for(folder: Path) -> None:
    assert "2 of 2 passages have vectors" in command("index", folder, "--vectors").stdout


def test_verify_finds_what_kept_its_size_and_time(folder: Path) -> None:
    command("index", folder)
    path = folder / "lease.txt"
    stamp = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("48", "51"), encoding="utf-8")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert statuses(command("index", folder, "--json"))["lease.txt"] == "unchanged"
    assert statuses(command("index", folder, "--json", "--verify"))["lease.txt"] == "indexed"
    assert "51,000" in command("search", folder, "annual rent").stdout


def test_a_changed_limit_tries_the_file_again(folder: Path) -> None:
    small = ("--set", "reader.max_bytes=40")
    assert statuses(command("index", folder, "--json", *small))["lease.txt"] == "too_large"
    assert statuses(command("index", folder, "--json", *small))["lease.txt"] == "too_large"
    assert statuses(command("index", folder, "--json"))["lease.txt"] == "indexed"


def test_status_shows_the_index_and_what_has_changed_since_and_does_nothing(folder: Path) -> None:
    command("index", folder)
    assert command("index", folder, "--dry-run").stderr == ""
    (folder / "new.txt").write_text("x", encoding="utf-8")
    (folder / "mill.md").unlink()
    shown = command("index", folder, "--dry-run", "--json")
    assert set(statuses(shown)) == {"empty.txt", "lease.txt", "mill.md", "noise.bin"}
    assert "1 new, 1 gone" in shown.stderr
    assert set(statuses(command("index", folder, "--dry-run", "--json"))) == {
        "empty.txt",
        "lease.txt",
        "mill.md",
        "noise.bin",
    }


def test_a_dry_run_in_a_new_folder_lists_what_would_be_read_and_what_would_not(folder: Path) -> None:
    (folder / ".investigatorignore").write_text("old.txt\n", encoding="utf-8")
    (folder / "old.txt").write_text("old", encoding="utf-8")
    result = command("index", folder, "--dry-run", "--set", "reader.max_bytes=3000")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert [".txt", "2", "0.1"] in lines
    assert "left out by .investigatorignore: old.txt" in result.stdout
    assert "investigator index" in result.stderr
    listed = [json.loads(line) for line in command("index", folder, "--dry-run", "--json").stdout.splitlines()]
    files = {file["path"]: (file["kind"], file["size"]) for file in listed if "kind" in file}
    assert files.keys() == {"empty.txt", "lease.txt", "noise.bin", "mill.md"} & {name.name for name in folder.iterdir()}
    assert files["lease.txt"] == (".txt", (folder / "lease.txt").stat().st_size)
    assert [item["left_out"]["names"] for item in listed if "left_out" in item] == [["old.txt"]]
    assert not default_workspace(folder).exists()
    (folder / "lease.txt").write_text("x" * 3001, encoding="utf-8")
    assert (
        "lease.txt: larger than reader.max_bytes (3,000)"
        in command("index", folder, "--dry-run", "--set", "reader.max_bytes=3000").stdout
    )


def test_a_search_that_finds_nothing_says_so_with_an_exit_code_of_its_own(folder: Path) -> None:
    nothing = command("search", folder, "xyzzyplugh")
    assert (nothing.exit_code, nothing.stdout) == (3, "")
    assert nothing.stderr.splitlines()[-1].startswith("nothing found: ")
    assert command("search", folder, "xyzzyplugh", "--json").exit_code == 3
    assert command("search", folder, "unicorn", "--mentions").exit_code == 3
    assert command("search", folder, "a fire that destroyed the windmill").exit_code == 0


def test_search_shows_the_best_passage_first_with_both_scores(folder: Path) -> None:
    assert command("search", folder, "When did the mill burn down?").stdout.startswith("1. mill.md:line 1 - The mill\n")
    shown = command("search", folder, "When did the mill burn down?", "-v")
    assert "   score 0." in shown.stdout
    assert "words: BM25" in shown.stdout
    assert "vectors: cosine" in shown.stdout
    (best, *_) = rows(command("search", folder, "When did the mill burn down?", "--json", "--limit", "1"))
    assert best["passage"]["document_id"] == "mill.md"
    assert best["bm25"] > 0
    assert best["similarity"] > 0


def test_search_in_one_document_stays_in_it(folder: Path) -> None:
    found = rows(command("search", folder, "the rent of the mill", "--document", "lease.txt", "--json"))
    assert {hit["passage"]["document_id"] for hit in found} == {"lease.txt"}
    missing = command("search", folder, "mill", "--document", "leese.txt")
    assert missing.exit_code == 2
    assert "leese.txt" in missing.stderr


def test_an_empty_folder_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    for words in (("index", tmp_path), ("search", tmp_path, "x"), ("ask", tmp_path, "x?")):
        result = command(*words)
        assert result.exit_code == 2
        assert "contains no documents" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_words_that_stand_everywhere_say_why_they_count_for_nothing() -> None:
    hits = [SearchHit(passage=Passage(document_id="a.txt", start=0, end=1, text="t"), bm25=n) for n in (1e-6, 2.5)]
    shown = hits_text(hits, "t", details=True).plain
    assert "below 0.01, because most passages contain these words" in shown
    assert "BM25 2.50" in shown


def test_a_damaged_index_is_rebuilt_by_the_command_that_finds_it(folder: Path, tmp_path: Path) -> None:
    kept = ("--workspace", tmp_path / "w")
    assert command("index", folder, *kept).exit_code == 0
    database = tmp_path / "w" / "index.db"
    with sqlite3.connect(database) as connection:
        (page,) = connection.execute("select rootpage from sqlite_master where name = 'chunk_words_config'").fetchone()
    data = bytearray(database.read_bytes())
    data[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    database.write_bytes(data)
    result = command("search", folder, "rent", *kept)
    assert result.exit_code == 0, result.stderr
    assert "lease.txt" in result.stdout
    assert "index.db is damaged" in result.stderr
