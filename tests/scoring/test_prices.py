"""The prices of models: the table, the names in it, and models without a price."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from investigator.errors import SettingsError
from investigator.scoring.prices import Price, Prices, default_prices, read_prices

TABLE = Prices(
    as_of="2026-01-31",
    prices=(
        Price(model="openai:small", input=1.0, output=10.0),
        Price(model="openai:small-mini", input=0.1, output=0.4),
        Price(model="gguf:rented.gguf", input=0.5, output=0.5),
    ),
)


def test_money_is_counted_for_a_million_tokens_of_input_and_of_output() -> None:
    price = Price(model="m", input=2.0, output=8.0)
    assert price.of(1_000_000, 0) == 2.0
    assert price.of(0, 1_000_000) == 8.0
    assert price.of(500, 250) == pytest.approx(0.003)


@pytest.mark.parametrize(
    ("entry", "engines"),
    [
        (
            "openai:small",
            "openai:small openai:small-2025-08-06 openai:small-20250806 openai:small-latest openai:small@example.org"
            " openai:small-2025-08-06@api.example.org:8443 openai:small@localhost:8000",
        ),
        ("openai:small-mini", "openai:small-mini openai:small-mini-2025-08-06"),
        ("gguf:rented.gguf", "gguf:rented.gguf@98362432"),  # a table that names a local model is believed
    ],
)
def test_a_model_has_the_price_of_its_name_with_or_without_a_date(entry: str, engines: str) -> None:
    for engine in engines.split():
        price = TABLE.price_of(engine)
        assert price is not None, engine
        assert price.model == entry


UNKNOWN = """openai:small-pro openai:smaller openai:small-2025 openai:small-latest-preview azure:openai:small
    openai:smal OpenAI:large ollama:llama3 openai:large@api.example.org openai:large@localhost.example.org
    openai:large@10.0.0.1:8000 openai:large@example.org:127"""


def test_a_model_that_the_table_does_not_name_has_no_known_price() -> None:
    assert {TABLE.price_of(engine) for engine in ("", *UNKNOWN.split())} == {None}


LOCAL = """extractive scripted scripted:replies.json gguf:model.gguf@98362432 openai:large@localhost:8000
    openai:large@127.0.0.1 openai:large@127.0.1.1:11434 openai:large@[::1]:8000"""


def test_what_runs_on_this_machine_costs_nothing() -> None:
    prices = [TABLE.price_of(engine) for engine in LOCAL.split()]
    assert {price and price.of(10**9, 10**9) for price in prices} == {0.0}


def test_what_ships_names_each_model_once_by_its_provider_and_costs_something() -> None:
    table = default_prices()
    names = [price.model for price in table.prices]
    assert len(names) == len(set(names))
    assert all(provider and model for provider, _, model in (name.partition(":") for name in names))
    assert all(0 < price.input < price.output for price in table.prices)
    assert [table.price_of(name) for name in names] == list(table.prices)


def test_a_table_of_ones_own_is_read(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text('{"as_of": "2026-01-31", "prices": [{"model": "openai:x", "input": 3, "output": 4}]}', "utf-8")
    price = read_prices(file).price_of("openai:x-latest")
    assert price == Price(model="openai:x", input=3.0, output=4.0)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("no table", "Invalid JSON"),
        ("[]", ""),
        ('{"prices": []}', "as_of"),
        ('{"as_of": "2026", "prices": [{"model": "m", "input": -1, "output": 1}]}', "prices.0.input"),
        ('{"as_of": "2026", "prices": [{"model": "m", "input": 1}]}', "prices.0.output"),
        ('{"as_of": "2026", "prices": [], "currency": "EUR"}', "currency"),
        ("\xff\xfe", ""),
    ],
)
def test_a_file_that_is_no_table_is_told_with_the_place_and_the_form(tmp_path: Path, content: str, place: str) -> None:
    file = tmp_path / "prices.json"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(SettingsError, match="is not a table of prices") as caught:
        read_prices(file)
    assert place in caught.value.message
    form = caught.value.hint.removeprefix("Write it as ")
    assert Prices.model_validate(json.loads(form)).prices


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_prices(tmp_path / name)
