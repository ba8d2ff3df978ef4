"""A replay repeats a run from its journal, without any model, and reports whether it is still valid."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import command
from openai_server import OpenAIServer, completion
from power_plants import (
    ALL,
    ALL_CALLS,
    ASK,
    ONE,
    answer_of,
    asking,
    index,
    judged,
    outcome,
    role_in,
    roles,
    sensible,
    write_folder,
)
from printed import printed

from investigator import Investigator, ScriptedEmbedder
from investigator.errors import ContextTooLongError, EngineError, NotFoundError, ReplayError
from investigator.records import Investigation, Prompt, Remembered, Replayed, Reply, Traits
from investigator.reports.terminal import replayed_text
from investigator.resources import prompts_folder


@dataclass(frozen=True)
class Past:
    """A finished run whose server is gone: its folder, its workspace, its record."""

    folder: Path
    workspace: Path
    case: Investigation

    def replayed(self, prompts: Path | None = None) -> Replayed:
        """Return the result of a replay by an investigator that does not know the model."""
        made = Investigator(self.folder, workspace=self.workspace, prompts=prompts, embedder=ScriptedEmbedder())
        return made.replay(self.case.id)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A run over all plants, of which every test gets a copy."""
    at = tmp_path_factory.mktemp("past")
    folder = write_folder(at / "folder")
    server = OpenAIServer()
    server.answer(sensible)
    try:
        case = outcome(asking(server, folder, index(folder, at / "workspace")).investigate(ALL))
    finally:
        server.close()
    return Past(folder, at / "workspace", case)


@pytest.fixture
def past(run: Past, tmp_path: Path) -> Past:
    """A copy of the run that may be changed."""
    shutil.copytree(run.folder, tmp_path / "folder")
    shutil.copytree(run.workspace, tmp_path / "workspace")
    return Past(tmp_path / "folder", tmp_path / "workspace", run.case)


def test_without_its_server_a_run_comes_out_as_it_was_and_nothing_is_written(past: Past) -> None:
    made = Investigator(past.folder, workspace=past.workspace, embedder=ScriptedEmbedder())
    before = made.runs()
    replayed = past.replayed()
    assert (made.runs(), made.show(past.case.id)) == (before, past.case)
    assert replayed.same, replayed.differences
    assert replayed.investigation == past.case
    assert replayed.calls == ALL_CALLS
    assert replayed.quotes == len(answer_of(past.case).citations) == 6


def test_a_quote_that_no_longer_stands_or_whose_document_is_gone_is_named_with_its_place(past: Past) -> None:
    cedar = past.folder / "cedar.txt"
    cedar.write_text(cedar.read_text(encoding="utf-8").replace("42 MW", "43 MW"), encoding="utf-8")
    replayed = past.replayed()
    assert not replayed.same
    assert [(quote.document_id, quote.text) for quote in replayed.failed_quotes] == [
        ("cedar.txt", "It makes 42 MW of power.")
    ]
    assert "no longer found: cedar.txt" in replayed_text(replayed).plain
    assert "Quotes verified in the current documents: 5 of 6" in replayed_text(replayed).plain
    (past.folder / "oak.txt").unlink()
    replayed = past.replayed()
    assert [quote.document_id for quote in replayed.failed_quotes] == ["cedar.txt", "oak.txt"]
    assert replayed.differences


def test_a_changed_template_is_told_and_the_quotes_still_stand(past: Past, tmp_path: Path) -> None:
    changed = tmp_path / "prompts" / "query" / "ask.j2"
    changed.parent.mkdir(parents=True)
    shipped = (prompts_folder() / "query" / "ask.j2").read_text(encoding="utf-8")
    changed.write_text(shipped.replace("for an investigation", "for an enquiry"), encoding="utf-8")
    replayed = past.replayed(tmp_path / "prompts")
    assert not replayed.same
    assert not replayed.failed_quotes
    assert "query/ask" in replayed.differences[0]
    assert past.replayed().same


def test_a_run_that_went_on_in_a_second_process_comes_out_as_it_was(
    past: Past, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    openai_server.answer(sensible)
    made = asking(openai_server, past.folder, past.workspace)
    events = made.investigate("How much power do both the Oak plant and the Elm plant make?")
    next(event for event in events if isinstance(event, Remembered))
    events.close()  # type: ignore[attr-defined]
    case = outcome(made.investigate("How much power do both the Oak plant and the Elm plant make?"))
    assert made.replay(case.id).same


def test_replies_that_had_to_be_asked_for_twice_are_replayed_too(past: Past, openai_server: OpenAIServer) -> None:
    openai_server.answer(
        lambda body: (
            sensible(body)
            if "could not be parsed" in json.dumps(body) or role_in(body) != ASK
            else completion("The Cedar plant? Let me think about that.")
        )
    )
    made = asking(openai_server, past.folder, past.workspace)
    case = outcome(made.investigate(ONE))
    assert max(memory.point or 0 for memory in case.memories) == 90
    replayed = made.replay(case.id)
    assert replayed.same
    by_command = sum(role == ASK for role in roles(openai_server))
    assert by_command == 2 * len(case.memories)
    assert replayed.calls == len(openai_server.requests)


def test_a_run_without_an_end_is_refused_with_what_to_do(past: Past, openai_server: OpenAIServer) -> None:
    openai_server.close()
    made = asking(openai_server, past.folder, past.workspace)
    with pytest.raises(EngineError):
        made.ask(ONE)
    unfinished = made.runs()[0].id
    with pytest.raises(NotFoundError, match="is not finished") as caught:
        made.replay(unfinished)
    assert "again" in caught.value.hint


class OwnTokens:
    """A sensible model that counts each character as a token, unlike other models. It reads at most `room` of them, and
    reveals this only by refusing if it is `silent`.
    """

    def __init__(self, room: int, *, silent: bool = False) -> None:
        self.name = "own:tokens"
        self.traits = Traits(is_model=True, context_tokens=None if silent else round(room / 0.95))
        self.counted: list[str] = []
        self.read: list[str] = []
        self.refused: list[str] = []
        self._room = room

    def count_tokens(self, text: str) -> int:
        self.counted.append(text)
        return len(text)

    def reply(self, prompt: Prompt) -> Reply:
        if len(prompt.text) > self._room:
            self.refused.append(prompt.text)
            raise ContextTooLongError("too long for me")
        self.read.append(prompt.text)
        return Reply(text=json.dumps(judged(prompt.text)))


@pytest.mark.parametrize("silent", [False, True])
def test_prompts_that_were_cut_are_cut_alike_in_a_replay(tmp_path: Path, silent: bool) -> None:
    folder = write_folder(tmp_path / "folder")
    whole = OwnTokens(room=10**6)
    Investigator(folder, model=whole, workspace=tmp_path / "first", embedder=ScriptedEmbedder()).ask(ALL)
    engine = OwnTokens(room=max(map(len, whole.read)) - 20, silent=silent)
    made = Investigator(folder, model=engine, workspace=tmp_path / "second", embedder=ScriptedEmbedder())
    case = outcome(made.investigate(ALL))
    assert bool(engine.refused) is silent
    assert set(engine.read) != set(whole.read)
    replayed = Investigator(folder, workspace=tmp_path / "second", embedder=ScriptedEmbedder()).replay(case.id)
    assert replayed.same, replayed.differences
    assert replayed.calls == len(engine.read)


def test_a_run_that_goes_on_counts_nothing_again(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    whole = OwnTokens(room=10**6)
    Investigator(folder, model=whole, workspace=tmp_path / "first", embedder=ScriptedEmbedder()).ask(ALL)
    engine, again = (OwnTokens(room=max(map(len, whole.read)) - 20) for _ in range(2))
    made = Investigator(folder, model=engine, workspace=tmp_path / "second", embedder=ScriptedEmbedder())
    events = made.investigate(ALL)
    next(event for event in events if isinstance(event, Remembered))
    events.close()  # type: ignore[attr-defined]
    Investigator(folder, model=again, workspace=tmp_path / "second", embedder=ScriptedEmbedder()).ask(ALL)
    assert again.read
    assert not set(engine.counted) & set(again.counted)


def test_a_run_of_another_version_is_refused_by_name(past: Past) -> None:
    database = sqlite3.connect(past.workspace / "runs.db")
    with database:
        database.execute("UPDATE runs SET record = json_set(record, '$.setup.made_with', '{\"magic\": 1}')")
    database.close()
    with pytest.raises(ReplayError, match="another version"):
        past.replayed()


# By the command line, with the embedder that ships: what was indexed with another one is indexed anew.


@pytest.fixture(scope="module")
def by_command(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A run made by the command line."""
    at = tmp_path_factory.mktemp("asked")
    folder = write_folder(at / "folder")
    server = OpenAIServer()
    server.answer(sensible)
    try:
        words = ("--workspace", at / "workspace", "--model", "openai:small", "--set", f"chat.base_url={server.url}")
        done = command("ask", folder, ONE, "--json", *words)
    finally:
        server.close()
    assert done.exit_code == 0, done.output
    return Past(folder, at / "workspace", printed(Investigation, done.stdout))


def test_the_command_replays_by_the_beginning_of_the_id(by_command: Past) -> None:
    done = command(
        "verify", "--run", by_command.case.id[:12], "--docs", by_command.folder, "--workspace", by_command.workspace
    )
    assert done.exit_code == 0, done.output
    assert answer_of(by_command.case).text in done.stdout
    assert "Plan, memories and answer are the same as before." in done.stdout
    as_json = command(
        "verify",
        "--run",
        by_command.case.id,
        "--docs",
        by_command.folder,
        "--workspace",
        by_command.workspace,
        "--json",
    )
    assert as_json.exit_code == 0
    assert printed(Replayed, as_json.stdout).investigation == by_command.case


def test_the_command_exits_with_1_where_something_no_longer_holds(by_command: Past, tmp_path: Path) -> None:
    shutil.copytree(by_command.folder, tmp_path / "folder")
    shutil.copytree(by_command.workspace, tmp_path / "workspace")
    (tmp_path / "folder" / "cedar.txt").write_text("The Cedar plant was pulled down.", encoding="utf-8")
    kept = ("--workspace", tmp_path / "workspace")
    done = command("verify", "--run", by_command.case.id, "--docs", tmp_path / "folder", *kept)
    assert done.exit_code == 1
    assert "no longer found: cedar.txt:line 1" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("run", "hint"), [("nosuchrun", "List the investigations with"), ("", "For example: ")])
def test_the_command_refuses_a_run_that_is_not_there(by_command: Past, run: str, hint: str) -> None:
    done = command("verify", "--run", run, "--docs", by_command.folder, "--workspace", by_command.workspace)
    assert done.exit_code == 2
    assert f"hint: {hint}" in done.stderr
