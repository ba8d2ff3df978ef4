"""`watch` on the command line: differences, exit codes, a command for changes, and the end by Ctrl-C."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import command
from typer.testing import Result

from investigator.cli.watch import _shown
from investigator.records import Notice

RENT, ABSENT = "What is the monthly rent?", "Who painted the ceiling?"
LEASE = "The monthly rent of the flat is {} euros.\n"
OWN = ("--set", "embedder=all-MiniLM-L6-v2", "--set", "research.planner.documents=1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of documents, and a file of questions beside it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "lease.txt").write_text(LEASE.format(900))
    (tmp_path / "folder" / "menu.txt").write_text("Soup of the day: leek and potato.\n")
    (tmp_path / "questions.txt").write_text(f"{RENT}\n{ABSENT}\n")
    return tmp_path


def words(place: Path, *more: str) -> list[str]:
    questions, workspace = str(place / "questions.txt"), str(place / "workspace")
    return ["watch", str(place / "folder"), "--questions", questions, "--workspace", workspace, *OWN, *more]


def once(place: Path, *more: str) -> Result:
    return command(*words(place, "--once", *more))


def test_one_pass_says_by_its_exit_code_and_its_output_what_changed(place: Path) -> None:
    first = once(place)
    assert (first.exit_code, RENT in first.stdout, "900 euros" in first.stdout) == (6, True, True)
    same = once(place)
    assert (same.exit_code, same.stdout) == (0, "")
    assert "2 answers stand; " in same.stderr
    (place / "folder" / "lease.txt").write_text(LEASE.format(950))
    changed = once(place)
    assert changed.exit_code == 6
    assert changed.stdout.index("900 euros") < changed.stdout.index("Now, ") < changed.stdout.index("950 euros")
    assert "because of lease.txt" in changed.stdout
    assert ABSENT not in changed.stdout
    assert "1 document changed: lease.txt; 1 question asked, 1 answer stands" in changed.stderr
    (place / "folder" / "lease.txt").write_text("\n" + LEASE.format(950))
    assert "The quotes are the same: " in once(place).stdout


def test_a_command_gets_the_change_as_json_and_its_failure_is_reported(place: Path) -> None:
    seen = place / "seen.jsonl"
    program = f"import sys; open({str(seen)!r}, 'a').write(sys.stdin.read()); print('sent'); sys.exit(3)"
    run = ("--exec", shlex.join([sys.executable, "-c", program]))
    first = once(place, "--json", *run)
    assert first.exit_code == 6
    assert seen.read_text() == first.stdout
    update = json.loads(first.stdout)
    assert update["schema"] == "investigator/standing_update/1"
    assert [each["question"] for each in update["asked"]] == [RENT, ABSENT]
    assert "sent\n" in first.stderr
    assert "failed with exit code 3" in first.stderr
    assert once(place, "--json", *run).stdout == ""
    assert seen.read_text() == first.stdout  # nothing changed


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--exec", "no-such-program {}"), "no-such-program of --exec was not found"),
        (("--exec", "cat 'x"), "is not a command"),
        (("--poll", "0"), "must be at least 0.1"),
        (("--max-calls", "0"), "budget.calls"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_read(place: Path, more: tuple[str, ...], why: str) -> None:
    refused = once(place, *more)
    assert (refused.exit_code, why in refused.output) == (2, True), refused.output
    assert not (place / "workspace").exists()


def test_a_notice_is_shown_once_and_one_with_another_number_too(capsys: pytest.CaptureFixture[str]) -> None:
    noted: set[str] = set()
    for number in (1, 2):
        events = [Notice(text="The embedder has changed."), Notice(text=f"The page {number} was not read.")]
        assert list(_shown(iter(events), lambda _: None, noted)) == []
    shown = capsys.readouterr().err
    assert [shown.count(text) for text in ("The embedder", "The page 1 ", "The page 2 ")] == [1, 1, 1]


@pytest.mark.parametrize(("text", "why"), [("", "contains no question"), ("?\n", "contains no question")])
def test_a_file_without_questions_is_refused(place: Path, text: str, why: str) -> None:
    (place / "questions.txt").write_text(text)
    refused = once(place)
    assert (refused.exit_code, why in refused.output) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are sent otherwise")
def test_a_running_watch_answers_a_change_and_ends_by_an_interrupt(place: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "investigator", *words(place, "--json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # may be ignored in the background
    ) as process:
        assert process.stdout is not None
        assert [each["question"] for each in json.loads(process.stdout.readline())["asked"]] == [RENT, ABSENT]
        refused = command(*words(place))
        assert (refused.exit_code, "is already watching" in refused.stderr) == (2, True)
        draft = place / "draft.txt"
        draft.write_text(LEASE.format(950))
        draft.replace(place / "folder" / "lease.txt")
        (asked,) = json.loads(process.stdout.readline())["asked"]
        assert "950 euros" in asked["answer"]["text"]
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[1].rstrip().endswith("run the same command again to go on.")
        assert process.returncode == 130
