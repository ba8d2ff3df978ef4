"""The examples in the README and the guides work as shown, and their links lead somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
from operator import attrgetter
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docs.site.commands import commands
from investigator.cli.main import app
from investigator.documents.readers.media_types import SUFFIXES
from investigator.resources import prompts_folder
from investigator.settings import load_settings

ROOT = Path(__file__).parents[1]
FILES = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
ANY_OPTION = {
    "investigator dialogue module": {"--srm-inference"}
}  # options of single modules are made from their names
ALSO_FOUND = (0, 3, 4, 5)  # exit codes of a question that was investigated
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
GUIDES = {name: page for name, page in PAGES.items() if name == "README.md" or name.startswith("docs/guides/")}
EXAMPLES = [
    pytest.param(code, id=f"{name}:{n}")
    for name, page in PAGES.items()
    for n, code in enumerate(re.findall(r"```python\n(.*?)```", page, re.DOTALL), start=1)
]
CODES = [str(example.values[0]) for example in EXAMPLES]
BLOCKS = {name: re.findall(r"```console\n(.*?)\n```", page, re.DOTALL) for name, page in PAGES.items()}
SHOWN = BLOCKS["docs/guides/chat.md"][0]
WITH_OUTPUT = (SHOWN, BLOCKS["docs/guides/asking.md"][-1])  # compared with what is shown, below
RUN = {name: [block for block in blocks if block not in WITH_OUTPUT] for name, blocks in BLOCKS.items()}
COMMANDS = sorted(
    {line for page in PAGES.values() for line in re.findall(r"^ *(?:\$ )?(investigator [a-z].*)", page, re.M)}
)
QUOTED = '"evidence": [{"quote": "It took 24 months."}]'
STATEMENTS = (
    f'{{"id": "1", "statement": "It took 24 months.", {QUOTED}, "true": true}}\n'
    f'{{"id": "2", "statement": "It took 25 months.", {QUOTED}, "true": false}}\n'
)
REPORT = "# Trial\n\nThe follow-up took 24 months and ended in June.\n\n# Funding\n\nThe trial was paid by the state.\n"
TALK = "Person 1: I am a midwife.\nPerson 2: Hello!\nPerson 1: How long was the follow-up?\n"
SOME_STUDIES = ("madagascar-malaria-drugs.docx",)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the folder and the prompts in the examples, and the necessary parts of a checkout."""
    place = tmp_path_factory.mktemp("readme")
    (place / "folder").mkdir()
    (place / "folder" / "report.md").write_text(REPORT, encoding="utf-8")
    (place / "talk.txt").write_text(TALK, encoding="utf-8")
    (place / "claims.jsonl").write_text(STATEMENTS, encoding="utf-8")
    shutil.copytree(prompts_folder(), place / "prompts")
    shutil.copytree(ROOT / "data" / "dialogue", place / "data" / "dialogue")
    shutil.copytree(ROOT / "data" / "dialogue" / "own_task", place / "own_task")
    studies = place / "data" / "examples" / "child-health"
    studies.mkdir(parents=True)
    for name in SOME_STUDIES:
        shutil.copy(ROOT / "data" / "examples" / "child-health" / name, studies)
    shutil.copy(ROOT / "data" / "examples" / "questions.jsonl", studies.parent)
    return place


def type_in(command: str, typed: str = "") -> Result:
    words = shlex.split(re.sub(r"~/\w+", "folder", command), comments=True)
    return CliRunner().invoke(app, words[1:], input=typed)


def test_the_first_example_is_short() -> None:
    assert len(CODES[0].strip().splitlines()) <= 6


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In what is shown, "..." stands for anything that is left out."""
    monkeypatch.chdir(ROOT)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (block,) = re.findall(r"```text\n(.*?)```", PAGES["README.md"], re.DOTALL)
    recorded = "recorded:data/recordings/gambia-randomised.jsonl --set research.whole_tokens=0"
    for part in block.removeprefix("$ ").split("\n$ "):
        command, _, shown = part.partition("\n\n")
        assert f"FACT := {shlex.split(command)[3]}\n" in makefile
        printed = type_in(f"{command.replace('recorded:...', recorded)} --workspace {tmp_path}").stdout
        pattern = re.escape(shown.strip()).replace(re.escape("..."), ".*?")
        assert re.fullmatch(pattern, printed.strip(), re.DOTALL), printed


def test_every_link_to_a_file_leads_to_it() -> None:
    links = [(name, link) for name, page in PAGES.items() for link in re.findall(r"\]\(([^)\s]+)\)", page)]
    inside = [(name, link.partition("#")) for name, link in links if not link.startswith("https://")]
    lost = [(name, path) for name, (path, _, _) in inside if path and not (ROOT / name).parent.joinpath(path).exists()]
    assert lost == []
    headings = {name: set(map(_anchor, re.findall("^#.*", page, re.MULTILINE))) for name, page in PAGES.items()}
    for name, (path, _, anchor) in inside:
        target = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        assert not anchor or anchor in headings[target.relative_to(ROOT).as_posix()], (name, path, anchor)


def test_every_guide_is_reached_from_the_readme() -> None:
    assert [name for name in GUIDES if name != "README.md" and f"({name})" not in PAGES["README.md"]] == []


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lstrip("# ").lower()).replace(" ", "-")


@pytest.mark.parametrize("code", [one for one in EXAMPLES if "evaluate(" not in str(one.values[0])])
def test_an_example_runs(
    code: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    exec(compile(code, "example", "exec"), {})
    asks = re.search(r"\.ask\(|\.say\(|Query\(", code) is not None
    assert ("24 months" in capsys.readouterr().out) == asks


def test_an_investigator_is_examined_on_the_questions_about_the_example_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    (example,) = (one for one in CODES if "evaluate(" in one)
    exec(compile(example, "example", "exec"), {})
    names, figures = (line.split() for line in capsys.readouterr().out.splitlines()[:2])
    assert dict(zip(names, figures, strict=True))["exs"] == "4"
    assert "status_right" in names


def test_the_reader_of_the_guide_is_for_files_that_nothing_else_reads() -> None:
    (suffix,) = re.findall(r'"(\.\w+)" = "toys:', PAGES["docs/guides/extending.md"])
    assert suffix not in SUFFIXES


def test_the_task_of_ones_own_is_the_one_that_is_shipped() -> None:
    (example,) = (one for one in CODES if "DefaultTeacher" in one)
    shipped = (ROOT / "data" / "dialogue" / "own_task" / "riddles.py").read_text(encoding="utf-8")
    yielded = re.search(r"yield .*?, True", example)
    assert yielded is not None
    assert yielded[0] in shipped


def test_the_conversation_goes_as_it_is_shown(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    remember, chat, *shown = SHOWN.splitlines()
    assert type_in(remember.removeprefix("$ ")).exit_code == 0
    said = "".join(f"{line[2:]}\n" for line in shown if line.startswith("> "))
    result = type_in(chat.removeprefix("$ "), said)
    replies = "".join(f"{line}\n" for line in shown if not line.startswith("> "))
    day = r"\d{4}-\d\d-\d\d"  # of the recording in the guide, and of this test
    assert re.sub(day, "DAY", result.stdout) == re.sub(day, "DAY", replies)


@pytest.mark.parametrize("page", [name for name, blocks in RUN.items() if blocks])
def test_the_commands_of_a_page_work(page: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    for line in "\n".join(RUN[page]).splitlines():
        assert line.startswith("$ investigator "), f"a block that is run holds commands of ours alone, not {line!r}"
        result = type_in(line.removeprefix("$ "))
        assert result.exit_code in (ALSO_FOUND if line.startswith("$ investigator ask") else (0,)), result.output
        assert result.output.strip()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_shown_exists_with_its_options(command: str) -> None:
    words = shlex.split(re.sub(r" > \S+$", "", command), comments=True)[1:]
    names = [word for word in words if not word.startswith("-")]
    known = {one.name: one for one in commands()}
    name = next(
        " ".join(["investigator", *names[:n]]) for n in (2, 1) if " ".join(["investigator", *names[:n]]) in known
    )
    options = {form.split()[0].rstrip(",") for form, _ in known[name].options} | set(
        re.findall(r"(?<![\w-])--?[a-z][\w-]*", " ".join(form for form, _ in known[name].options))
    )
    used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert used - options - ANY_OPTION.get(name, set()) == set()


def test_an_answer_is_verified_as_it_is_shown(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    blocks = re.findall(r"```console\n(.*?)```", PAGES["docs/guides/asking.md"], re.DOTALL)
    (shown,) = (block for block in blocks if "verify answer" in block)
    ask, verify, *lines = shown.splitlines()
    asked = type_in(ask.removeprefix("$ ").partition(" > ")[0])
    Path("answer.json").write_text(asked.stdout, encoding="utf-8")
    verified = type_in(verify.removeprefix("$ "))
    assert verified.exit_code == 0
    assert verified.stdout.splitlines() == lines


def test_the_settings_that_are_named_exist() -> None:
    named = re.findall(r"`((?:research|check|budget|chat|retrieval)\.[\w.]+)(?:=(\S+?))?`", "\n".join(GUIDES.values()))
    assert len(named) >= 8
    for name, value in named:
        attrgetter(name)(load_settings(None, [f"{name}={value}"] if value else ()))
