"""Tries the engine of each role, and looks at what is installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from investigator.bb3.extractive.modules import chat_answers
from investigator.bb3.records import CONTRACTS
from investigator.doctor.environment import environment
from investigator.doctor.examination import Examination
from investigator.doctor.findings import Diagnosis
from investigator.engines.base import Embedder
from investigator.engines.catalogue import parse_model_options
from investigator.engines.roles import Role
from investigator.services.parts import Parts
from investigator.settings import Settings, load_settings


def diagnose(
    model: str | Sequence[str] = (),
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    on_call: Callable[[str], None] = lambda _: None,
    variables: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Diagnosis:
    """Try the engine of every role with a tiny example, and look at what is installed.

    `model` and `embedder` are what `Investigator` takes; without a model the embedded default is tried, which needs no
    network. An engine that serves several roles is opened once; if a call to it fails it is not asked again, and
    calls are not repeated. `on_call` is called before a language model is asked; `variables` are by default those of
    this process. Raises SettingsError for settings or roles that have no meaning; whatever is wrong with an engine is a
    finding.
    """
    models = parse_model_options([model] if isinstance(model, str) else model)
    notices: list[str] = []
    parts = Parts(settings or load_settings(), embedder=embedder, on_notice=notices.append)
    parts = parts.with_templates(CONTRACTS, chat_answers)
    here = environment(parts.embedder, variables)  # first, so that no example waits for the embedder to be loaded
    examined: dict[str, Examination] = {}
    for name in dict.fromkeys(models.name_for(role) for role in Role):
        examined[name] = Examination(name, partial(parts.engine, name, attempts=1), parts.prompts, on_call, clock)
    roles = tuple(examined[models.name_for(role)].in_role(role) for role in Role)
    engines = {found.name: found for found in (examination.finding(parts.prices) for examination in examined.values())}
    return Diagnosis(roles=roles, engines=tuple(engines.values()), environment=here, notices=tuple(notices))
