"""Model prices, from a small table that can be edited (`data/prices.json`).

The price of a model that is not in the table is reported as unknown, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from investigator.errors import SettingsError
from investigator.records import Record, Usage
from investigator.resources import data_text

_HINT = 'Write it as {"as_of": "2026-01-31", "prices": [{"model": "openai:NAME", "input": 0.25, "output": 2.0}]}'
_DATED = re.compile(r"(?:-(?:latest|\d{8}|\d{4}-\d{2}-\d{2}))?")
_IN_THIS_PROCESS = frozenset({"extractive", "gguf", "scripted"})
_LOOPBACK = re.compile(r"@(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$")


class Price(Record):
    """A model's price, in US dollars per million input and output tokens; `model` is `provider:name`."""

    model: str
    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of the given numbers of tokens in US dollars."""
        return (self.input * input_tokens + self.output * output_tokens) / 1_000_000


def priced(usage: Usage, price: Price | None) -> Usage:
    """Add the cost in money to the usage; if the price is unknown, all calls in the usage count as unpriced."""
    if price is None:
        return usage.changed(unpriced=usage.calls)
    return usage.changed(money=price.of(usage.input_tokens, usage.output_tokens))


class Prices(Record):
    """A table of prices, and the date on which they were looked up."""

    as_of: str
    prices: tuple[Price, ...] = ()

    def price_of(self, engine: str) -> Price | None:
        """Return the price of the engine with this name; None if unknown.

        An engine in this process or behind a loopback address costs nothing, unless the table says otherwise. A model
        whose name ends in a date is priced under the name without the date.
        """
        model = engine.partition("@")[0]
        for price in self.prices:
            if model.startswith(price.model) and _DATED.fullmatch(model, len(price.model)):
                return price
        local = model.partition(":")[0] in _IN_THIS_PROCESS or _LOOPBACK.search(engine)
        return Price(model=model, input=0, output=0) if local else None

    def with_free(self, engines: Iterable[str]) -> Prices:
        """Return the table with a price of 0 for engines that are not paid now, such as replayed recordings."""
        free = (Price(model=engine.partition("@")[0], input=0, output=0) for engine in engines)
        return self.changed(prices=(*free, *self.prices))


@cache
def default_prices() -> Prices:
    """Return the shipped table."""
    return Prices.model_validate_json(data_text("prices.json"))


def read_prices(file: Path) -> Prices:
    """Return a user's own table. Raises SettingsError if the file cannot be read or has the wrong format."""
    try:
        return Prices.model_validate_json(file.expanduser().read_bytes())
    except OSError as error:
        raise SettingsError(f"the prices in {file} cannot be read: {error.strerror}", hint=_HINT) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise SettingsError(f"{file} is not a table of prices ({place}: {first['msg']})", hint=_HINT) from error
