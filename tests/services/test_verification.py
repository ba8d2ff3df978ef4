"""A report verified by someone who has only the report and the files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from commands import command
from power_plants import ALL, read, write_folder
from printed import printed
from typer.testing import Result

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.records import QuoteState, VerifiedReport


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, and the reports of an answer that quotes six of its files."""
    at = tmp_path_factory.mktemp("made")
    engine = ScriptedEngine(read)
    investigator = Investigator(
        write_folder(at / "folder"), model=engine, workspace=at / "workspace", embedder=ScriptedEmbedder()
    )
    answer = investigator.ask(ALL)
    assert len(answer.citations) == 6
    (at / "answer.json").write_text(answer.model_dump_json(), encoding="utf-8")
    run = investigator.runs()[0].id
    (at / "run.json").write_text(investigator.show(run).model_dump_json(indent=2), encoding="utf-8")
    (at / "replayed.json").write_text(investigator.replay(run).model_dump_json(), encoding="utf-8")
    (at / "lines.jsonl").write_text(f"{answer.model_dump_json()}\n{answer.model_dump_json()}\n", encoding="utf-8")
    return at


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "folder", tmp_path / "folder"))


def verify(report: Path, folder: Path, *more: str) -> Result:
    return command("verify", report, "--docs", folder, *more)


def states(report: Path, folder: Path) -> dict[str, QuoteState]:
    done = verify(report, folder, "--json")
    verified = printed(VerifiedReport, done.stdout)
    assert done.exit_code == (0 if verified.all_stand else 1)
    return {entry.quote.document_id: entry.state for entry in verified.quotes}


@pytest.mark.parametrize("report", ["answer.json", "run.json", "replayed.json", "lines.jsonl"])
def test_every_form_of_a_report_is_verified_and_nothing_is_written(made: Path, folder: Path, report: str) -> None:
    before = {file: file.stat().st_mtime_ns for file in [folder, *folder.iterdir()]}
    done = verify(made / report, folder)
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("Quotes in place: 6 of 6.\n")
    assert {file: file.stat().st_mtime_ns for file in [folder, *folder.iterdir()]} == before


def test_what_became_of_each_quote_is_named(made: Path, folder: Path) -> None:
    for name, change in {
        "alder.txt": lambda text: text.replace("40 MW", "41 MW"),
        "birch.txt": lambda text: f"A new line.\n{text}",
        "cedar.txt": lambda text: f"{text} It was painted in 2001.",
        "elm.txt": lambda text: "",
    }.items():
        (folder / name).write_text(change((folder / name).read_text(encoding="utf-8")), encoding="utf-8")
    (folder / "hazel.txt").unlink()
    assert states(made / "answer.json", folder) == {
        "alder.txt": QuoteState.CHANGED,
        "birch.txt": QuoteState.MOVED,
        "cedar.txt": QuoteState.FILE_CHANGED,
        "elm.txt": QuoteState.UNREADABLE,
        "hazel.txt": QuoteState.MISSING,
        "oak.txt": QuoteState.STANDS,
    }
    shown = verify(made / "answer.json", folder).stdout
    assert "changed: alder.txt:line 1\n  The file has changed since the report.\n" in shown
    assert '  report: "It makes 40 MW of power."\n' in shown
    assert '  file:   "It makes 41 MW of power."' in shown
    assert "moved: birch.txt:line 1 -> birch.txt:line 2" in shown
    assert "file missing: hazel.txt:line 1" in shown
    assert "Quotes in place: 2 of 6." in shown


def test_a_digit_changed_in_the_report_is_found(made: Path, folder: Path, tmp_path: Path) -> None:
    forged = (made / "run.json").read_text(encoding="utf-8").replace("42 MW", "47 MW")
    (tmp_path / "forged.json").write_text(forged, encoding="utf-8")
    assert states(tmp_path / "forged.json", folder)["cedar.txt"] is QuoteState.NOT_IN_FILE
    shown = verify(tmp_path / "forged.json", folder).stdout
    assert "not in the file: cedar.txt:line 1\n  The file is unchanged, but the quote is not in it" in shown


def test_a_place_changed_in_the_report_is_found(made: Path, folder: Path, tmp_path: Path) -> None:
    forged = json.loads((made / "answer.json").read_text(encoding="utf-8"))
    forged["details"][-1]["quotes"][0]["line"] = 3
    (tmp_path / "forged.json").write_text(json.dumps(forged), encoding="utf-8")
    assert QuoteState.MOVED in states(tmp_path / "forged.json", folder).values()


def test_a_hostile_report_opens_nothing_outside_the_folder(made: Path, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("It makes 40 MW of power.", encoding="utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    quote = json.loads((made / "answer.json").read_text(encoding="utf-8"))["lead"]["quotes"][0]
    ids = ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "alder.txt/../../secret.txt", "\x1b]0;x\x07")
    (tmp_path / "report.json").write_text(
        json.dumps([{**quote, "document_id": name} for name in ids]), encoding="utf-8"
    )
    assert set(states(tmp_path / "report.json", folder).values()) <= {QuoteState.MISSING, QuoteState.UNREADABLE}
    assert "\x1b" not in verify(tmp_path / "report.json", folder).stdout
    (tmp_path / "report.json").write_text(json.dumps([{**quote, "start": -24, "end": 10**30}]), encoding="utf-8")
    assert states(tmp_path / "report.json", folder) == {quote["document_id"]: QuoteState.MOVED}


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"[" * 200_000, "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "is not JSON"),
        (b"{}", "it contains no quotes"),
        (b'{"document_id": 1, "text": [], "source_hash": ""}', "quote 1 of"),
    ],
)
def test_what_is_no_report_is_refused_with_what_to_do(folder: Path, tmp_path: Path, data: bytes, shown: str) -> None:
    (tmp_path / "report.json").write_bytes(data)
    done = verify(tmp_path / "report.json", folder)
    assert done.exit_code == 2
    assert shown in done.stderr
    assert "hint: Pass the JSON that ask" in done.stderr


def test_a_pipe_and_a_missing_report_are_refused_at_once(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert verify(tmp_path / "pipe", folder).exit_code == 2
    assert verify(tmp_path / "none.json", folder).exit_code == 2
    assert verify(tmp_path / "pipe", tmp_path / "nowhere").exit_code == 2


def test_a_report_that_quotes_nothing_has_nothing_that_does_not_stand(folder: Path, tmp_path: Path) -> None:
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    absent = investigator.ask("Who painted the ceiling of the opera house in Vienna?")
    (tmp_path / "report.json").write_text(
        absent.changed(lead=None, details=(), text="").model_dump_json(), encoding="utf-8"
    )
    done = verify(tmp_path / "report.json", folder)
    assert done.exit_code == 0
    assert done.stdout == "The report contains no quotes.\n"
