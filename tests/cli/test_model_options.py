"""The options of `investigator ask` for language models, with a real server on loopback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import command
from openai_server import OpenAIServer
from power_plants import ALL, ONE, sensible, write_folder
from printed import printed
from typer.testing import Result

from investigator.records import Forecast, Investigation, StopReason


class Terminal:
    """A folder, a workspace and a server, with the command that asks."""

    def __init__(self, server: OpenAIServer, folder: Path, at: Path) -> None:
        self.server = server
        self.folder = folder
        self._at = at
        server.answer(sensible)

    def words(self, *options: str | Path, question: str = ALL) -> list[str]:
        """Return the words of the command."""
        model = ("--model", "openai:small", "--set", f"chat.base_url={self.server.url}")
        one_by_one = ("--set", "chat.concurrency=1", "--workspace", self._at / "w")
        return [str(word) for word in ("ask", self.folder, question, *model, *one_by_one, *options)]

    def ask(self, *options: str | Path, question: str = ALL) -> Result:
        """Run the command in this process."""
        return command(*self.words(*options, question=question))

    def prices(self, model: str = "openai:small") -> tuple[str, str]:
        """Return the option for a price table in which a token of that model costs a tenth of a cent."""
        file = self._at / "prices.json"
        table = {"as_of": "2026-01-31", "prices": [{"model": model, "input": 1_000, "output": 1_000}]}
        file.write_text(json.dumps(table), encoding="utf-8")
        return "--set", f"budget.prices={file}"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paths of the folder and of its index."""
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    done = command("index", "--vectors", folder, "--workspace", at / "w")
    assert done.exit_code == 0, done.output
    return at


@pytest.fixture
def terminal(openai_server: OpenAIServer, indexed: Path, tmp_path: Path) -> Terminal:
    shutil.copytree(indexed / "w", tmp_path / "w")
    return Terminal(openai_server, indexed / "folder", tmp_path)


def test_a_ceiling_of_calls_is_an_option_and_a_higher_one_goes_on(terminal: Terminal) -> None:
    stopped = terminal.ask("--max-calls", "2", "-v")
    assert stopped.exit_code in (4, 5), stopped.output
    assert "Stopped because the limit on engine calls was reached." in stopped.stdout
    assert "Used: 2 calls, " in stopped.stdout
    assert len(terminal.server.requests) == 2
    assert terminal.ask("--max-calls", "2", "-v").stdout == stopped.stdout
    assert len(terminal.server.requests) == 2
    whole = terminal.ask("--max-calls", "50", "-v")
    assert whole.exit_code == 0
    assert "\nAnswered; " in whole.stdout
    assert "Used: 4 calls, " in whole.stdout
    assert len(terminal.server.requests) == 4


def test_a_ceiling_that_left_nothing_found_exits_with_4(terminal: Terminal) -> None:
    stopped = terminal.ask("--max-calls", "1")
    assert stopped.exit_code == 4
    assert stopped.stdout.startswith("Not found so far: ")


def test_tokens_money_and_rounds_have_ceilings(terminal: Terminal) -> None:
    tokens = terminal.ask("--set", "budget.tokens=2000", "--json")
    case = printed(Investigation, tokens.stdout)
    assert case.answer is not None
    assert case.answer.run.stop is StopReason.TOKENS
    assert case.usage.tokens <= 2000
    money = terminal.ask("--fresh", "--set", "budget.money=2", *terminal.prices())
    assert "Stopped because the cost limit was reached." in money.stdout
    used = next(line for line in money.stdout.splitlines() if line.startswith("Used: "))
    assert 1 < float(used.rpartition("$")[2]) <= 2
    rounds = terminal.ask("--fresh", "--set", "research.rounds=1", "--json")
    assert len(printed(Investigation, rounds.stdout).rounds) == 1


def test_time_has_a_ceiling(terminal: Terminal) -> None:
    stopped = terminal.ask("--set", "budget.seconds=0.000001")
    assert stopped.exit_code == 4
    assert stopped.stdout.startswith("Not found so far: ")
    assert "Stopped because the time limit was reached." in stopped.stdout
    assert not terminal.server.requests


def test_a_limit_of_money_without_a_price_is_wrong_use(terminal: Terminal) -> None:
    refused = terminal.ask("--set", "budget.money=1", "--model", "ask=openai:unheard-of", "--set", "chat.base_url=null")
    assert refused.exit_code == 2
    assert "needs a key" in refused.stderr
    keyed = ("--set", "chat.base_url=null", "--set", "chat.api_key=k")
    refused = terminal.ask("--set", "budget.money=1", *terminal.prices(), "--model", "ask=openai:unheard-of", *keyed)
    assert refused.exit_code == 2
    assert "error: no price is known for openai:unheard-of" in refused.stderr
    assert "hint: Write the price into a file" in refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize(
    "option",
    [("--max-calls", "0"), *(("--set", f"budget.{change}") for change in ("tokens=-1", "money=0", "seconds=0"))],
)
def test_a_ceiling_of_nothing_is_wrong_use(terminal: Terminal, option: tuple[str, str]) -> None:
    refused = terminal.ask(*option)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: the setting budget.")
    assert not terminal.server.requests


def test_a_dry_run_prints_plan_and_cost_and_asks_nothing(terminal: Terminal) -> None:
    dry = terminal.ask("--dry-run", question=ONE)
    assert dry.exit_code == 0, dry.output
    assert not terminal.server.requests
    assert "- cedar.txt: " in dry.stdout
    assert "Expected with openai:small" in dry.stdout
    as_json = terminal.ask("--dry-run", "--json", question=ONE)
    forecast = printed(Forecast, as_json.stdout)
    assert f"{forecast.expected.calls} calls, {forecast.expected.tokens:,} tokens" in dry.stdout
    assert "no investigations yet" in command("show", terminal.folder, *terminal.words()[-2:]).stderr
    assert not terminal.server.requests


def test_another_run_asks_nothing_anew_unless_it_starts_over(terminal: Terminal) -> None:
    other_run = ("--set", "research.answer.evidence=59")
    assert terminal.ask(question=ONE).exit_code == 0
    paid = len(terminal.server.requests)
    assert terminal.ask(*other_run, question=ONE).exit_code == 0
    assert len(terminal.server.requests) == paid
    assert terminal.ask(*other_run, "--fresh", question=ONE).exit_code == 0
    assert len(terminal.server.requests) == 2 * paid
