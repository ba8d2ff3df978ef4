"""The models that a question can be asked with: those that the server was started with, the built-in search, and the
models that were pulled onto this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from threading import Lock
from urllib.parse import urlsplit

from investigator.engines.base import Engine
from investigator.engines.catalogue import EXTRACTIVE, OWN
from investigator.engines.http import LOOPBACK
from investigator.errors import InvestigatorError
from investigator.investigator import Investigator
from investigator.records import Record
from investigator.reports.wording import is_finder
from investigator.scoring.prices import Price
from investigator.server.problems import ServerError

_BUILT_IN = "Built-in search"
_HERE = OWN - {"chat"}
"""The providers whose engines run on this machine."""


class OfferedModel(Record):
    """A model that can be chosen: its name (empty for the one that the server was started with), its name on the page,
    what it costs, and where the text goes; or why it cannot be used.
    """

    name: str
    title: str
    cost: str = ""
    destination: str = ""
    problem: str = ""

    @property
    def line(self) -> str:
        """Return what it costs and where the text goes, or why it cannot be used."""
        return self.problem or ", ".join((self.cost, self.destination))


class Models:
    """Opens the offered models, each once for a folder. `given` are the models that the server was started with, as for
    `Investigator`, keyed by name; the first one is that of the folders' investigators. Thread-safe.
    """

    def __init__(self, given: Mapping[str, Sequence[str]] | None = None) -> None:
        self._first, *_ = given or ("",)
        self._given = dict(list((given or {}).items())[1:])
        self._opened: dict[tuple[str, str], Investigator] = {}
        self._lock = Lock()

    def investigator(self, folder: str, own: Investigator, name: str) -> Investigator:
        """Return the investigator of a folder with an offered model; `own` has the first one. Raises ServerError if the
        model is not offered, and the errors of `Investigator`.
        """
        if not name:
            return own
        if name not in self._names(own):
            hint = f"Choose one of these: {', '.join(self._names(own))}"
            raise ServerError(
                HTTPStatus.UNPROCESSABLE_ENTITY, f"this server does not offer the model {name[:80]!r}", hint
            )
        with self._lock:
            if (folder, name) not in self._opened:
                self._opened[folder, name] = own.with_model(self._given.get(name, (name,)))
            return self._opened[folder, name]

    def offered(self, folder: str, own: Investigator) -> tuple[OfferedModel, ...]:
        """Return the models that can be chosen for a folder; the default is first."""
        first = _described("", self._first, own)
        return (first, *(self._offer(folder, own, name) for name in self._names(own)))

    def of_engine(self, folder: str, own: Investigator, engine: str) -> str:
        """Return the name of the offered model with this engine, or "" if no model has it."""
        for model in self.offered(folder, own)[1:]:
            if not model.problem and self.investigator(folder, own, model.name).engine_name == engine:
                return model.name
        return ""

    def _offer(self, folder: str, own: Investigator, name: str) -> OfferedModel:
        try:
            return _described(name, name, self.investigator(folder, own, name))
        except InvestigatorError as error:
            return OfferedModel(name=name, title=name, problem=f"{error.message}. {error.hint}".strip())

    def _names(self, own: Investigator) -> tuple[str, ...]:
        from investigator.engines.gguf.pulled import pulled_models  # not needed before the first page

        built_in = () if is_finder(own.engine_name) else (EXTRACTIVE,)
        pulled = (model.name for model in pulled_models() if model.name != self._first)
        return tuple(dict.fromkeys((*built_in, *self._given, *pulled)))


def _described(name: str, given: str, investigator: Investigator) -> OfferedModel:
    """Return what is known of a model, from its engines; `given` is the name with which it was given."""
    engines = {engine.name: engine for engine in investigator.engines.values()}
    prices = [investigator.parts.prices.price_of(engine) for engine in engines]
    provider = given.partition(":")[0]
    title = _BUILT_IN if all(map(is_finder, engines)) else given or investigator.engine_name
    places = dict.fromkeys(_place(engine, provider) for engine in engines.values())
    return OfferedModel(
        name=name,
        title=title,
        cost="free" if provider == "recorded" else "; ".join(dict.fromkeys(map(_cost, prices))),
        destination=" and ".join(places),
    )


def _cost(price: Price | None) -> str:
    if price is None:
        return "price unknown"
    if not price.input and not price.output:
        return "free"
    return f"{_dollars(price.input)} in and {_dollars(price.output)} out per million tokens"


def _dollars(amount: float) -> str:
    return f"${amount:.2f}" if round(amount, 2) == amount else f"${amount:g}"


def _place(engine: Engine, provider: str) -> str:
    """Return where an engine's text goes; of an engine from another package, nothing is known."""
    endpoint = str(getattr(engine, "endpoint", ""))
    if endpoint:
        host = urlsplit(endpoint).hostname or endpoint
        return "on this machine" if host in LOOPBACK else f"text is sent to {host}"
    own = {provider, engine.name.partition(":")[0], engine.name.partition(" ")[0]}
    return "on this machine" if own & _HERE else "destination of the text unknown"
