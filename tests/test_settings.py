"""Settings: later sources take precedence, and errors are described in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator.errors import SettingsError
from investigator.settings import load_settings


def refused(*overrides: str, file: Path | None = None) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load_settings(file, overrides)
    told = f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint
    assert not any(
        word in told.lower() for word in ("input should", "pydantic", "tuple", "extra inputs", "value error")
    )
    return caught.value


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[retrieval]\npassages = 2\nreranker = 'a'\npassage_characters = 210\n", encoding="utf-8")
    monkeypatch.setenv("INVESTIGATOR_RETRIEVAL__RERANKER", "b")
    monkeypatch.setenv("INVESTIGATOR_RETRIEVAL__PASSAGE_CHARACTERS", "220")
    found = load_settings(file, ["retrieval.passage_characters=230"]).retrieval
    assert (found.passages, found.reranker, found.passage_characters) == (2, "b", 230)


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("retrieval.passages=900", "retrieval.passages must be a whole number between 1 and 50, not 900"),
        ("retrieval.passages=many", 'a whole number between 1 and 50, not "many"'),
        ("budget.calls=0", "budget.calls must be a whole number of at least 1, not 0"),
        ("reader.max_seconds=0", "reader.max_seconds must be a number above 0"),
        ("reader.ocr=perhaps", 'reader.ocr must be true or false, not "perhaps"'),
        ("folder.include=*.pdf", 'folder.include must be a list of strings, such as ["*.md", "drafts"], not "*.pdf"'),
        ("folder.exclude=[1]", "folder.exclude must be a list of strings"),
        ("mission=", "mission must be text that is not empty"),
        ("embedder=3", "embedder must be text, not 3"),
        ("retrieval=5", "retrieval is not a setting but a group"),
        ("chunks=", "chunks is not a setting but a group"),
        ("retrieval..depth=3", "is not of the form part.field=value"),
        ("reader.hidden=foo", "omit or mark"),
    ],
)
def test_what_a_setting_takes_is_said_in_words(override: str, told: str) -> None:
    assert told in refused(override).message


@pytest.mark.parametrize(
    "override",
    ["reader.workers=99999999", "reader.max_seconds=Infinity", f"reader.max_memory={10**30}", "reader.ocr_languages=+"],
)
def test_nonsense_is_refused_before_anything_starts(override: str) -> None:
    assert override.partition("=")[0] in refused(override).message


@pytest.mark.parametrize(
    ("override", "near"),
    [
        ("retrieval.pasages=3", "retrieval.passages"),
        ("passage_characters=3", "retrieval.passage_characters"),
        ("research.planner.stps=3", "research.planner.steps"),
        ("misson=x", "mission"),
    ],
)
def test_an_unknown_setting_names_the_nearest_one(override: str, near: str) -> None:
    assert refused(override).message.endswith(f"; did you mean {near}?")


def test_an_unknown_setting_like_no_other_names_those_of_its_part() -> None:
    error = refused("retrieval.zigzag=red")
    assert error.message == "unknown setting retrieval.zigzag"
    assert error.hint.startswith("The settings of retrieval are: passages, ")


def test_a_key_is_never_repeated() -> None:
    error = refused('chat.api_key=["secret-word"]')
    assert "secret-word" not in error.message + error.hint


def test_a_number_of_thousands_of_digits_is_wrong_use(tmp_path: Path) -> None:
    refused("budget.calls=" + "9" * 6000)
    file = tmp_path / "settings.json"
    file.write_text('{"budget": {"calls": ' + "9" * 6000 + "}}", encoding="utf-8")
    assert "is not valid" in refused(file=file).message


def test_a_variable_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INVESTIGATOR_FOLDER__INCLUDE", "*.pdf")
    assert "INVESTIGATOR_FOLDER" in refused().message


def test_what_was_set_is_known_also_where_it_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().budget.model_fields_set == set()
    assert load_settings(None, ["budget.calls=200"]).budget.model_fields_set == {"calls"}
    monkeypatch.setenv("INVESTIGATOR_BUDGET__CALLS", "200")
    assert load_settings().budget.model_fields_set == {"calls"}
    assert load_settings().budget.beyond_one_question().calls == 200


_SWITCHES = ("check=off", "check.model=off", "check=OFF", "check.model=Off", "check=on", "check=On")


def test_the_check_is_switched_off_by_a_word_or_by_its_field() -> None:
    assert [load_settings(None, [change]).check.off for change in _SWITCHES] == [True, True, True, True, False, False]
    assert "check is not a setting but a group" in refused("check=perhaps").message
