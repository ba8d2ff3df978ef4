"""`investigator prompts show`: a template is tried on a real step, like any other call."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import command

from investigator.resources import prompts_folder

QUESTION = "What is the annual rent?"
RENT = "The annual rent is EUR 48,000."


def reading(quote: str, point: int) -> str:
    """Return the reply of a reader that gives a quote."""
    entry = {"document": "lease.txt", "verdict": "answers", "point": point, "quotes": [quote], "reply": quote}
    return json.dumps({"readings": [entry]})


GOOD = reading(RENT, 90)
MADE_UP = reading("The annual rent is EUR 84,000.", 95)
SCRIPT = {
    "planner/plan": '{"parts": [], "wordings": [], "strategy": "Ask.", "steps": [{"document_id": "lease.txt",'
    ' "purpose": "What is the rent?"}]}',
    "query/ask": GOOD,
    "query/row": '{"answers": [{"question": 1, "verdict": "answers", "quotes": ["' + RENT + '"], "answer": "48,000"}]}',
    "reflection/reflect": '{"known": [], "unknown": [], "wordings": []}',
    "answer/answer": '{"lead": {"text": "The annual rent is EUR 48,000.", "evidence": ["E1"]}, "details":'
    ' [{"text": "The rent is EUR 51,000.", "evidence": ["E7"]}], "parts": [{"part": 1, "status": "answered"}]}',
    "answer/check": '{"statements": [{"number": 1, "support": "in_part", "reason": "no year"}], "answers": "yes"}',
}


def scripted(file: Path, **replies: str | list[str]) -> tuple[str, str]:
    """Return the options that name a model with these replies; `__` stands for the slash in a name."""
    file.write_text(json.dumps({**SCRIPT, **{n.replace("__", "/"): r for n, r in replies.items()}}), encoding="utf-8")
    return "--model", f"scripted:{file}"


class Place(NamedTuple):
    """A folder with one finished run of a scripted model, and a changed template."""

    root: Path
    run: str

    @property
    def kept(self) -> tuple[Path, str, Path]:
        return self.root / "folder", "--workspace", self.root / "workspace"

    @property
    def own(self) -> Path:
        return self.root / "own"

    def tried(self, *words: str | Path) -> dict[str, Any]:
        """Return the record of a trial for the step of the run."""
        done = command("prompts", "show", *words, *self.kept, "--run", self.run, "--json")
        assert done.exit_code == 0, done.stderr
        return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Place:
    root = tmp_path_factory.mktemp("bench")
    (root / "folder").mkdir()
    (root / "folder" / "lease.txt").write_text("The annual rent is EUR 48,000.\n\nIt ends in 2031.\n", encoding="utf-8")
    place = Place(root, "")
    script = scripted(root / "first.json", query__ask=["The rent is 48,000.", GOOD])
    assert command("ask", *place.kept[:1], QUESTION, *place.kept[1:], *script).exit_code in (0, 5)
    (run,) = json.loads(command("show", *place.kept, "--json").stdout)["runs"]
    template = root / "own" / "query" / "ask.j2"
    template.parent.mkdir(parents=True)
    shipped = (prompts_folder() / "query" / "ask.j2").read_text(encoding="utf-8")
    template.write_text(shipped.replace("You read", "You study"), encoding="utf-8")
    return Place(root, run["id"])


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Place:
    """A copy of it that may be changed."""
    shutil.copytree(made.root, tmp_path / "bench")
    return Place(tmp_path / "bench", made.run)


def test_a_template_is_rendered_for_the_step_of_a_run(place: Place) -> None:
    done = command("prompts", "show", "query/ask", *place.kept, "--run", place.run, "--prompts", place.own)
    assert done.stdout.startswith("You study a document")
    assert "The annual rent is EUR 48,000." in done.stdout
    assert re.fullmatch(r"about \d+ tokens\n", done.stderr)
    variables = command("prompts", "show", "query/ask", *place.kept, "--run", place.run, "--json")
    assert json.loads(variables.stdout)["documents"][0]["document_id"] == "lease.txt"


@pytest.mark.parametrize("name", ["planner/plan", "tactical_planning/question", "answer/answer"])
def test_a_template_is_rendered_for_the_first_step_of_a_question_and_nothing_is_sent(place: Place, name: str) -> None:
    words = (*place.kept[:1], "When does the lease end?", *place.kept[1:])
    done = command("prompts", "show", name, *words)
    assert done.exit_code == 0, done.stderr
    assert "lease" in done.stdout


def test_without_a_folder_a_template_is_rendered_with_examples(place: Place) -> None:
    for name in ("query/ask", "bb3/srm", "asking/repair"):
        assert command("prompts", "show", name).exit_code == 0
    assert "The plant makes 42 MW." in command("prompts", "show", "query/ask", "--prompts", place.own).stdout


def test_a_request_for_repair_is_rendered_for_the_reply_that_could_not_be_read(place: Place) -> None:
    done = command("prompts", "show", "asking/repair", *place.kept, "--run", place.run)
    assert "It began: The rent is 48,000." in done.stdout


def test_the_new_reply_stands_beside_that_of_the_run_and_its_quotes_are_looked_up(place: Place) -> None:
    model = scripted(place.root / "second.json", query__ask=MADE_UP)
    tried = place.tried("query/ask", "--prompts", place.own, *model)
    old, new = tried["old"], tried["new"]
    assert (old["reply"], old["repaired"], old["point"]) == ("The rent is 48,000.", True, 90)
    assert old["problem"]
    assert [quote["place"] for quote in old["quotes"]] == ["lease.txt:line 1"]
    assert new["source"].endswith("ask.j2")
    assert new["prompt"].startswith("You study")
    assert new["point"] == 95
    assert [(quote["text"], bool(quote["place"])) for quote in new["quotes"]] == [
        ("The annual rent is EUR 84,000.", False)
    ]
    assert tried["usage"]["calls"] == 1


def test_a_row_of_a_matrix_is_tried_like_a_reading(place: Place) -> None:
    script = scripted(place.root / "first.json")
    made = command("matrix", place.kept[0], "--question", QUESTION, *place.kept[1:], *script, "--json")
    assert made.exit_code == 0, made.stderr
    other = Place(place.root, json.loads(made.stdout)["id"])
    tried = other.tried("query/row", *scripted(place.root / "second.json"))
    assert tried["about"] == QUESTION
    assert [quote["place"] for quote in tried["new"]["quotes"]] == ["lease.txt:line 1"]


def test_the_same_trial_is_paid_once_and_asked_again_only_if_fresh(place: Place) -> None:
    model = scripted(place.root / "second.json", query__ask=[GOOD, MADE_UP])
    words = ("query/ask", "--prompts", place.own, *model)
    assert place.tried(*words)["usage"]["calls"] == 1
    scripted(place.root / "second.json", query__ask=MADE_UP)
    assert place.tried(*words)["new"]["reply"] == GOOD
    assert place.tried(*words, "--fresh")["new"]["reply"] == MADE_UP


def test_a_trial_is_no_investigation(place: Place) -> None:
    place.tried("query/ask", *scripted(place.root / "second.json"))
    assert [run["id"] for run in json.loads(command("show", *place.kept, "--json").stdout)["runs"]] == [place.run]


def test_for_a_question_the_shipped_template_is_asked_too_within_one_limit(place: Place) -> None:
    model = scripted(place.root / "second.json", query__ask=[GOOD, MADE_UP])
    words = ("prompts", "show", "query/ask", *place.kept[:1], "When does it end?", *place.kept[1:])
    refused = command(*words, "--prompts", place.own, *model, "--max-calls", "1")
    assert refused.exit_code == 1, refused.stderr
    assert "limit" in refused.stderr
    done = command(*words, "--prompts", place.own, *scripted(place.root / "third.json", query__ask=[GOOD, MADE_UP]))
    assert done.exit_code == 0, done.stderr
    for words_shown in (
        "shipped template",
        "✓ The annual rent is EUR 48,000.",
        "✗ The annual rent",
    ):
        assert words_shown.replace(" ", "") in "".join(done.stdout.split())


def test_a_run_keeps_which_templates_it_was_made_with_and_needs_them_again(place: Place) -> None:
    script = scripted(place.root / "second.json")
    answered = command("ask", *place.kept[:1], QUESTION, *place.kept[1:], "--prompts", place.own, *script, "--json")
    run = json.loads(answered.stdout)
    assert [(template["name"], len(template["sha256"])) for template in run["setup"]["templates"]] == [
        ("query/ask", 64)
    ]
    words = ("prompts", "show", "query/ask", *place.kept, "--run", run["id"])
    refused = command(*words)
    assert refused.exit_code == 2
    assert "its own templates (query/ask)" in refused.stderr
    done = command(*words, "--ran-with", place.own)
    assert done.stdout.startswith("You read a document")


def test_what_cannot_be_tried_says_so(place: Place) -> None:
    kept = (*place.kept, "--run", place.run)
    model = scripted(place.root / "second.json")
    for words, problem in (
        (("tactical_planning/question", *kept, *model), "not sent to an engine separately"),
        (("bb3/srm", *kept, *model), "is a chat template"),
        (("query/ask", *kept, *model, "--step", 9), "was used 1 times"),
        (("query/ask", *place.kept, *model), "expected either a question or a run"),
        (("query/ask", *place.kept, "--run", "nowhere"), "no run begins with"),
        (("query/ask", *kept, "--fresh"), "a prompt that is only shown needs no calls"),
    ):
        refused = command("prompts", "show", *map(str, words))
        assert refused.exit_code == 2
        assert problem in refused.stderr
