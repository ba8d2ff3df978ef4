"""`investigator settings` lists every setting with the source of its value."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import command
from printed import printed

from investigator.cli.settings import SettingsList
from investigator.settings import SettingSource


def test_each_setting_is_listed_with_the_source_that_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[chat]\nattempts = 2\nconcurrency = 3\n[research]\nrounds = 4\n", encoding="utf-8")
    monkeypatch.setenv("INVESTIGATOR_CHAT__CONCURRENCY", "5")
    shown = command("settings", "--set", file, "--set", "research.rounds=6", "--json")
    settings = {setting.name: setting for setting in printed(SettingsList, shown.stdout).settings}
    values = {name: (settings[name].value, settings[name].source) for name in ("chat.attempts", "chat.concurrency")}
    assert values == {"chat.attempts": ("2", SettingSource.FILE), "chat.concurrency": ("5", SettingSource.ENVIRONMENT)}
    rounds = settings["research.rounds"]
    assert (rounds.value, rounds.default, rounds.source) == ("6", "2", SettingSource.OPTION)
    assert settings["chat.timeout"].source is SettingSource.DEFAULT
    assert all(setting.description for setting in settings.values())


def test_a_part_is_listed_alone_without_its_secrets() -> None:
    shown = command("settings", "chat", "--set", "chat.api_key=not-for-print-at-all")
    names = [line.split()[0] for line in shown.stdout.splitlines()[1:]]
    assert names
    assert all(name.startswith("chat.") for name in names)
    assert "not-for-print" not in shown.output
    unknown = command("settings", "chats")
    assert (unknown.exit_code, "no setting is named 'chats'" in unknown.stderr) == (2, True)


def test_there_are_at_most_fifty_settings() -> None:
    settings = printed(SettingsList, command("settings", "--json").stdout).settings
    assert len(settings) <= 50


def test_a_variable_that_names_no_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INVESTIGATOR_CHAT", '{"attempts": 2}')
    monkeypatch.setenv("INVESTIGATOR_DEBUG", "1")
    monkeypatch.setenv("INVESTIGATOR_FOLDR__INCLUDE", "[]")
    note = command("settings", "budget").stderr
    assert "INVESTIGATOR_FOLDR__INCLUDE" in note
    assert "INVESTIGATOR_DEBUG" not in note
    assert "INVESTIGATOR_CHAT" not in note
    monkeypatch.setenv("INVESTIGATOR_CHAT__TIMEOUTS", "5")
    assert "did you mean chat.timeout?" in command("settings").stderr
