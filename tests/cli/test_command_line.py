from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from commands import command
from typer.testing import CliRunner, Result

from investigator.cli.ask import EXIT_CODES
from investigator.cli.lazy_command import guarded
from investigator.cli.main import app
from investigator.cli.streams import waited
from investigator.errors import EngineError, FolderError, WorkspaceLockedError
from investigator.records import AnswerStatus

HEAVY = (
    "sqlalchemy",
    "chromadb",
    "torch",
    "langchain",
    "langchain_core",
    "sentence_transformers",
    "kreuzberg",
    "numpy",
    "jinja2",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one small document."""
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "lease.txt").write_text("The annual rent is EUR 48,000.\n", encoding="utf-8")
    return documents


def test_the_command_starts_without_the_heavy_libraries() -> None:
    code = "import sys, investigator.cli.main; print(*(name for name in sys.argv[1:] if name in sys.modules))"

    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.split() == []


def test_help_names_the_commands_and_every_option_of_ask() -> None:
    assert {"ask", "show", "verify"} <= set(command("--help").stdout.split())
    shown = command("ask", "--help").stdout
    for option in (
        *("--model", "--fresh", "--json", "--report", "--workspace", "--prompts", "--set", "--effort", "--quiet"),
    ):
        assert option in shown


def test_the_version_is_the_installed_one() -> None:
    result = command("--version")

    assert result.exit_code == 0
    assert re.match(r"document-investigator \d+\.", result.stdout)


@pytest.mark.parametrize("words", [["nonsense"], ["ask"], ["ask", "folder"], ["show", "--nonsense"]])
def test_wrong_words_are_wrong_use(words: list[str]) -> None:
    result = command(*words)

    assert result.exit_code == 2
    assert result.stdout == ""


def test_the_help_begins_with_the_commands_of_daily_use() -> None:
    daily = command("--help").stdout.partition("Daily use:\n")[2].partition("\n\n")[0]
    assert {"ask", "show", "verify"} < {line.split()[0] for line in daily.splitlines()}
    assert command("-V").stdout == command("--version").stdout


def test_there_are_at_most_twenty_two_commands() -> None:
    commands = typer.main.get_command(app).commands.values()  # type: ignore[attr-defined]
    assert sum(len(getattr(each, "commands", ("itself",))) for each in commands) <= 22


@pytest.mark.parametrize(
    ("words", "present"),
    [
        (["runs", "."], "investigator show FOLDER"),
        (["prompts", "run", "query/ask"], "investigator prompts show NAME FOLDER QUESTION --model MODEL"),
        (["eval", "claims", "c.jsonl"], "investigator eval --claims FILE"),
        (["eval", "task", "squad"], "investigator dialogue tasks TASK --agent NAME"),
        (["memory", "."], "investigator dialogue memory"),
    ],
)
def test_a_former_name_of_a_command_is_answered_with_the_present_one(words: list[str], present: str) -> None:
    refused = command(*words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"is now: {present}" in refused.stderr


def test_a_run_of_the_current_folder_is_shown_by_its_name_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    command("ask", ".", "What is the rent?")
    shown = command("show", "last").stdout
    assert shown.startswith("Question: What is the rent?")
    assert command("show", ".", "last").stdout == command("show", "last", ".").stdout == shown
    assert "What is the rent?" in command("show").stdout.splitlines()[0]
    assert "--report needs a run" in command("show", ".", "--report", "a.html").stderr


def test_a_question_without_quotes_is_told_to_have_some(folder: Path) -> None:
    result = command("ask", folder, "What", "is", "the", "rent?")
    assert result.exit_code == 2
    assert "in quotes" in result.stderr


def test_a_word_too_many_gets_a_hint_that_fits(folder: Path) -> None:
    assert "takes no file or folder" in command("settings", "chat", folder).stderr
    assert "Value error" not in command("model", "nosuch").stderr
    assert (
        "cannot be compared" in command(*("compare", "default", "nosuch", "--docs", folder, "--questions", "q")).stderr
    )


def test_a_question_before_its_folder_is_told_the_right_order(folder: Path) -> None:
    for name in ("ask", "search"):
        result = command(name, "What is the rent?", folder)
        assert result.exit_code == 2
        assert f'investigator {name} {folder} "What is the rent?"' in result.stderr


def test_a_value_that_is_no_number_is_named_in_plain_words(folder: Path) -> None:
    result = command("ask", folder, "What is the rent?", "--max-calls", "abc")
    assert result.exit_code == 2
    assert "Invalid value for '--max-calls': must be a whole number, not 'abc'" in result.stderr
    assert "at least 1, not '0'" in command("search", folder, "rent", "--limit", "0").stderr


@pytest.mark.parametrize("day", ["yesterday", "2024-13-01", "1.2.2024"])
def test_a_day_that_is_no_date_is_wrong_use(folder: Path, day: str) -> None:
    result = command("ask", folder, "What is the rent?", "--set", f"as_of={day}")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: the setting as_of must be a day, such as 2024-05-31")
    assert "hint: " in result.stderr


def test_an_unknown_effort_is_wrong_use(folder: Path) -> None:
    result = command("ask", folder, "What is the rent?", "--effort", "none")
    assert (result.exit_code, "quick" in result.stderr) == (2, True)


def test_each_status_has_an_exit_code_and_a_wrong_premise_counts_as_silent() -> None:
    assert set(EXIT_CODES) == set(AnswerStatus)
    assert EXIT_CODES[AnswerStatus.PREMISE_WRONG] == EXIT_CODES[AnswerStatus.NOT_FOUND] == 3
    assert [status for status, code in EXIT_CODES.items() if code == 0] == [AnswerStatus.ANSWERED]


def test_a_question_without_words_is_wrong_use(folder: Path) -> None:
    result = command("ask", folder, "?")
    assert (result.exit_code, "no words" in result.stderr) == (2, True)


def test_a_dry_run_needs_no_key(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ("ask", folder, "What is the rent?", "--model", "openai:gpt-4o", "--workspace", tmp_path / "w")
    assert command(*words, "--dry-run").exit_code == 0
    assert "OPENAI_API_KEY" in command(*words).stderr


def test_a_command_waits_for_the_one_that_holds_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    held = [True]

    def run() -> None:
        if held:
            raise WorkspaceLockedError("process 7 is writing to the workspace w")

    waited(run, sleep=lambda _: held.clear())
    assert capsys.readouterr().err == "note: process 7 is writing to the workspace w; waiting for it to end\n"


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_wrong_use(folder: Path, question: str) -> None:
    typed = command("ask", folder, question)
    piped = command("ask", folder, "-", stdin=question)

    for result in (typed, piped):
        assert result.exit_code == 2
        assert result.stderr.startswith("error: the question is empty\nhint: ")


def test_a_question_that_is_not_text_is_wrong_use(folder: Path) -> None:
    result = command("ask", folder, "-", stdin=b"\xff\xfe\x00")

    assert result.exit_code == 2
    assert "not UTF-8" in result.stderr


def test_words_that_did_not_come_as_utf8_are_wrong_use(folder: Path) -> None:
    result = command("ask", folder, "Caf\udce9?")

    assert result.exit_code == 2
    assert "UTF-8" in result.stderr
    assert "hint: Set the terminal to UTF-8" in result.stderr
    assert command("ask", folder, "Rent?", "--set", "mission=Caf\udce9").exit_code == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("absent/report.html", "no folder"),
        ("lease.txt", "does not end in .html"),
        ("folder.html", "is a folder"),
        ("/proc/report.html", "cannot be written to /proc"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_before_the_run(
    folder: Path, tmp_path: Path, name: str, told: str
) -> None:
    if name.startswith("/proc") and not Path("/proc/self").exists():
        pytest.skip("only Linux has a /proc that nobody can write to")
    (tmp_path / "folder.html").mkdir()

    result = command("ask", folder, "What is the rent?", "--report", tmp_path / name)

    assert result.exit_code == 2
    assert told in result.stderr
    assert "hint: " in result.stderr
    assert list(folder.iterdir()) == [folder / "lease.txt"]


def shell(error: BaseException) -> Result:
    """Return the exit code of a command that ends with this error."""
    wrapped = typer.Typer()

    def fails() -> None:
        raise error

    wrapped.command()(guarded(fails))
    return CliRunner().invoke(wrapped, [])


def test_an_error_is_one_message_one_hint_and_its_exit_code() -> None:
    wrong, failed = shell(FolderError("no such folder: \x1b[2Jx", hint="Look.")), shell(EngineError("no reply"))

    assert (wrong.exit_code, failed.exit_code) == (2, 1)
    assert wrong.stderr == "error: no such folder: \\x1b[2Jx\nhint: Look.\n"
    assert failed.stderr.startswith("error: no reply\nhint: ")
    assert wrong.stdout == failed.stdout == ""


def test_an_interrupted_command_ends_with_130() -> None:
    assert shell(KeyboardInterrupt()).exit_code == 130


@pytest.mark.parametrize("module", ["investigator.cli.main", "pydantic._internal._config", "investigator.cli.index"])
def test_an_interrupt_while_the_command_line_is_imported_ends_with_130(module: str, tmp_path: Path) -> None:
    code = f"""
import signal, sys
class Interrupts:
    def find_spec(self, name, *rest):
        if name == "{module}":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupts())
sys.argv = ["investigator", "index", {str(tmp_path)!r}]
from investigator.__main__ import run; run()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_reader_that_went_away_is_no_error() -> None:
    assert shell(BrokenPipeError(32, "Broken pipe")).output == ""


def test_an_unexpected_error_shows_its_traceback_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INVESTIGATOR_DEBUG", raising=False)
    quiet = shell(ZeroDivisionError("by zero"))
    monkeypatch.setenv("INVESTIGATOR_DEBUG", "1")
    loud = shell(ZeroDivisionError("by zero"))

    assert (quiet.exit_code, loud.exit_code) == (1, 1)
    assert quiet.stderr.splitlines()[0] == "unexpected error: ZeroDivisionError: by zero"
    assert "INVESTIGATOR_DEBUG=1" in quiet.stderr
    assert "Traceback" not in quiet.stderr
    assert "Traceback" in loud.stderr


# From here on the commands reach the whole product.


def replies(tmp_path: Path, *, found: bool) -> Path:
    """Return a script for the scripted engine: one document is asked, and it answers or does not."""
    reading: dict[str, object] = {"document": "lease.txt", "verdict": "not_stated", "point": 0}
    answer: dict[str, object] = {"parts": [{"part": 1, "status": "not_stated"}]}
    if found:
        rent = "The annual rent is EUR 48,000."
        reading |= {"verdict": "answers", "point": 95, "reply": "EUR 48,000", "quotes": [rent]}
        lead = {"text": "The rent is EUR 48,000 a year.", "evidence": ["E1"]}
        answer = {"lead": lead, "parts": [{"part": 1, "status": "answered"}]}
    script = {
        "planner/plan": [{"parts": ["What is the rent?"]}],
        "query/ask": [{"readings": [reading]}],
        "reflection/reflect": [{"unknown": ["the rent"]}],
        "answer/answer": [answer],
        "answer/check": [{"statements": [{"number": 1, "support": "supported"}], "answers": "yes"}],
    }
    file = tmp_path / "script.json"
    written = {name: [json.dumps(reply) for reply in each] * 9 for name, each in script.items()}
    file.write_text(json.dumps(written), encoding="utf-8")
    return file


def test_a_folder_that_is_missing_is_wrong_use(tmp_path: Path) -> None:
    result = command("ask", tmp_path / "absent", "What is the rent?")

    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert "hint: " in result.stderr


def test_an_unknown_run_is_wrong_use(folder: Path, tmp_path: Path) -> None:
    result = command("show", "nosuchrun", folder, "--workspace", tmp_path / "w")

    assert result.exit_code == 2
    assert "hint: " in result.stderr


def test_an_answer_is_printed_reported_listed_and_shown_again(folder: Path, tmp_path: Path) -> None:
    kept = ("--workspace", tmp_path / "w")
    model = ("--model", f"scripted:{replies(tmp_path, found=True)}")
    files = ("--report", tmp_path / "a.html", "--report", tmp_path / "answer.md")

    asked = command("ask", folder, "What is the rent?", *model, *kept, *files)

    assert asked.exit_code == 0, asked.output
    assert asked.stdout.startswith("The rent is EUR 48,000 a year. [1]\n\nSources\n[1] lease.txt:line 1  ")
    assert "\nAnswered; read 1 of 1 document\n" in asked.stdout
    assert "Checked by scripted:script.json: 1 supported.\nRun: " in asked.stdout
    assert "The annual rent is EUR 48,000." in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "The rent is EUR 48,000 a year. [1]" in (tmp_path / "answer.md").read_text(encoding="utf-8")
    listed = json.loads(command("show", folder, *kept, "--json").stdout)["runs"]
    assert [run["answer_status"] for run in listed] == ["answered"]
    run_id = listed[0]["id"]
    assert command("show", folder, *kept).stdout.startswith(run_id)
    again = command("show", run_id[:6], folder, *kept)
    assert again.exit_code == 0
    assert again.stdout == f"Question: What is the rent?\n\n{asked.stdout}"
    assert json.loads(command("show", run_id, folder, *kept, "--json").stdout)["id"] == run_id
    assert command("show", folder, run_id, *kept).stdout == again.stdout
    assert command("show", "last", folder, *kept).stdout == again.stdout


def test_quietly_the_answer_is_printed_alone(folder: Path, tmp_path: Path) -> None:
    kept = ("--workspace", tmp_path / "w")
    model = ("--model", f"scripted:{replies(tmp_path, found=True)}")
    asked = command("ask", folder, "What is the rent?", *model, *kept, "--quiet")
    assert (asked.exit_code, asked.stdout, asked.stderr) == (0, "The rent is EUR 48,000 a year. [1]\n", "")
    failed = command("show", "nosuch", folder, "-q", *kept)
    assert failed.stderr.startswith("error: no run begins with")
    assert command("show", folder, "-q", "-v", *kept).exit_code == 2


def test_each_step_is_told_only_if_it_is_wanted(folder: Path, tmp_path: Path) -> None:
    asked = ("ask", folder, "What is the rent?", "--model", f"scripted:{replies(tmp_path, found=True)}")
    assert "1 document to read" not in command(*asked, "--workspace", tmp_path / "w").stderr
    assert "1 document to read" in command(*asked, "--workspace", tmp_path / "v", "--verbose").stderr


def test_what_is_not_in_the_documents_exits_with_3_and_json_is_all_that_is_printed(
    folder: Path, tmp_path: Path
) -> None:
    result = command(
        *("ask", folder, "-", "--json", "--workspace", tmp_path / "w"),
        *("--model", f"scripted:{replies(tmp_path, found=False)}"),
        stdin="Who is the auditor?\n",
    )

    assert result.exit_code == 3, result.output
    investigation = json.loads(result.stdout)
    assert investigation["question"] == "Who is the auditor?"
    assert investigation["answer"]["status"] == "not_found"


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="file names are always Unicode there")
def test_a_name_that_is_not_utf8_can_be_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "investigator", "ask", b"absent-caf\xe9", "What is the rent?"],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert b"absent-caf\\udce9" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_note_that_names_a_run_or_quotes_a_cost_is_evidence(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "run.txt").write_text("The annual rent is EUR 1,200.\nRun: 20250101-120000-abcdef\n")
    (folder / "read.txt").write_text("The annual rent was EUR 900; read 1 of 2 documents\n")
    wire = json.loads(
        command("ask", folder, "What is the annual rent?", "--workspace", tmp_path / "w", "--json").stdout
    )
    assert set(wire["answer"]["coverage"]["searched"]) == {"read.txt", "run.txt"}


def test_a_result_of_ours_among_the_documents_is_no_evidence(folder: Path, tmp_path: Path) -> None:
    kept, question = ("--workspace", tmp_path / "w"), "What is the annual rent?"
    exports = [word for name in ("answer.md", "evidence.csv") for word in ("--report", tmp_path / name)]
    asked = command("ask", folder, question, *kept, "--report", folder / "a.html", *exports)
    (folder / "a.txt").write_text(asked.stdout, encoding="utf-8")
    (folder / "a.json").write_text(command("show", "last", folder, *kept, "--json").stdout, encoding="utf-8")
    for name in ("answer.md", "evidence.csv"):
        (folder / name).write_bytes((tmp_path / name).read_bytes())
    tables = [word for suffix in (".csv", ".xlsx") for word in ("--report", tmp_path / f"matrix{suffix}")]
    matrix = command("matrix", folder, "--question", question, *tables, *kept)
    for suffix in (".csv", ".xlsx"):
        (folder / f"matrix{suffix}").write_bytes((tmp_path / f"matrix{suffix}").read_bytes())
    (folder / "matrix.txt").write_text(matrix.stdout, encoding="utf-8")
    (folder / "lease.txt").write_text("The tenant pays monthly.", encoding="utf-8")
    again = json.loads(command("ask", folder, question, *kept, "--json").stdout)
    cited = [quote for said in again["answer"]["details"] for quote in said["quotes"]]
    assert {quote["document_id"] for quote in (*cited, *again["answer"]["nearest"])} <= {"lease.txt"}
    left = {file["path"]: file["reason"] for file in again["answer"]["coverage"]["unreadable"]}
    assert set(left.values()) == {"a result of this program is not evidence"}
    assert len(left) == 8
