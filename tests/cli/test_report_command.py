"""`report` on the command line, with a chat model on loopback: files, outline, update, exit codes, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import command
from openai_server import Body, OpenAIServer, Response, completion
from power_plants import judged, prompt_in, write_folder
from typer.testing import Result

from investigator.documents.own_results import is_own_result

SUBJECT = "How much power do the plants make"
OUTLINE = {"parts": [{"heading": heading, "questions": []} for heading in ("Output", "Power of each")]}


def writing(body: Body) -> Response:
    """Plan two parts, write a sentence on each quote, and otherwise judge as the reader of the plants does."""
    prompt = prompt_in(body)
    if prompt.startswith("You plan a report"):
        reply: object = OUTLINE if "power" in prompt else {"parts": []}
    elif prompt.startswith("You write one section"):
        heading = prompt.partition("This section: ")[2].partition("\n")[0]
        sentences = [{"text": f"{heading}: 40 MW.", "evidence": ["E2"]}, {"text": "All is well.", "evidence": []}]
        reply = {"paragraphs": [sentences]}
    elif prompt.startswith("You write the summary"):
        reply = {"paragraphs": [[{"text": "A plant makes 40 MW.", "evidence": ["S1"]}]]}
    else:
        reply = judged(prompt)
    return completion(json.dumps(reply))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_folder(tmp_path / "folder")
    return tmp_path


def typed(place: Path, server: OpenAIServer, *words: object, subject: str = SUBJECT) -> Result:
    server.answer(writing)
    chosen = ("--model", "openai:small", "--set", f"chat.base_url={server.url}", "--set", "chat.attempts=1")
    return command("report", place / "folder", subject, "--workspace", place / "w", *chosen, *words)


def test_a_report_is_printed_and_written_in_each_form(place: Path, openai_server: OpenAIServer) -> None:
    files = [place / f"plants{suffix}" for suffix in (".html", ".md", ".json", ".csv", ".docx")]
    shown = typed(place, openai_server, "--verbose", *(word for file in files for word in ("--report", file)))
    assert shown.exit_code == 0, shown.output
    assert "Power of each: 40 MW. [1]" in shown.stdout
    assert "All is well" not in shown.stdout.partition("Withheld")[0]
    assert "investigating parts 2/2" in shown.stderr
    assert "writing sections 2/2" in shown.stderr
    assert '<h2 dir="auto">Power of each</h2>' in files[0].read_text(encoding="utf-8")
    assert "## Power of each" in files[1].read_text(encoding="utf-8")
    run = json.loads(files[2].read_text(encoding="utf-8"))
    assert [section["heading"] for section in run["answer"]["sections"]] == ["Output", "Power of each"]
    repeated = command("verify", "--run", run["id"], "--docs", place / "folder", "--workspace", place / "w")
    assert (repeated.exit_code, f"investigator show {run['id']} " in repeated.stderr) == (2, True)
    assert command("verify", files[2], "--docs", place / "folder").exit_code == 0
    assert all(is_own_result(file.read_bytes()) for file in files)
    assert is_own_result(shown.stdout.encode())
    calls = len(openai_server.bodies)
    again = typed(place, openai_server)
    assert (again.exit_code, len(openai_server.bodies)) == (0, calls)


def test_a_changed_document_marks_its_sections_and_an_update_writes_them_anew(
    place: Path, openai_server: OpenAIServer
) -> None:
    typed(place, openai_server)
    (place / "folder" / "alder.txt").write_text("The Alder plant was opened in 1980. It makes 49 MW of power.")
    shown = command("show", place / "folder", "last", "--workspace", place / "w")
    assert "Changed since this was written: alder.txt." in shown.stdout
    updated = typed(place, openai_server, "--update")
    assert updated.exit_code == 0, updated.output
    assert "Changed since" not in updated.stdout


def test_the_outline_of_a_report_is_written_and_an_edited_one_is_followed(
    place: Path, openai_server: OpenAIServer
) -> None:
    outline = place / "outline.md"
    assert typed(place, openai_server, "--outline", outline).exit_code == 0
    assert outline.read_text() == "## Output\n\n## Power of each\n"
    outline.write_text(outline.read_text().replace("Power of each", "Power of all"))
    written = typed(place, openai_server, "--outline", outline, "--json")
    headings = [section["heading"] for section in json.loads(written.stdout)["answer"]["sections"]]
    assert headings == ["Output", "Power of all"]


def test_a_subject_that_the_folder_does_not_know_is_not_in_the_documents(
    place: Path, openai_server: OpenAIServer
) -> None:
    unknown = typed(place, openai_server, subject="The opera ceiling of Vienna")
    assert unknown.exit_code == 3, unknown.output
    assert "Not in the documents" in unknown.stdout
    assert "read 9 of 9 documents" in unknown.stdout


def test_bad_input_is_refused_before_anything_is_paid_for(place: Path, openai_server: OpenAIServer) -> None:
    nonsense = place / "nonsense.md"
    nonsense.write_text("---\n")
    for words, problem in (
        (("--outline", nonsense), "contains no heading"),
        (("--outline", place / "folder" / "new.md"), "inside the folder of documents"),
        (("--report", place / "a.txt"), "does not end in"),
        (("--update",), "no report on this subject"),
        (("--after", "last"), "applies to a single question"),
    ):
        refused = typed(place, openai_server, *words)
        assert (refused.exit_code, problem in refused.output) == (2, True), refused.output
    assert typed(place, openai_server, subject="?!").exit_code == 2
    assert openai_server.bodies == []
