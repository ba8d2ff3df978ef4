"""Tries the engine of each role, and checks the installed packages and the environment variables that redirect
calls.
"""

from __future__ import annotations

import os
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from investigator.asking.contracts import METHOD
from investigator.bb3.extractive import chat_answers
from investigator.bb3.records import CONTRACTS
from investigator.doctor.examination import Examination
from investigator.doctor.findings import Diagnosis, Environment, Extra, RoleGrade, VerifierFinding
from investigator.engines.base import Embedder
from investigator.engines.catalogue import parse_model_options
from investigator.engines.chat.models import KEY_VARIABLES
from investigator.engines.embedding.embedders import DEFAULT_MODEL
from investigator.engines.embedding.verifiers import CrossEncoderEngine
from investigator.engines.grades import Grades
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.resources.distribution import DISTRIBUTION, installed_version, namesake_warning
from investigator.services.parts import Parts
from investigator.settings import Settings, load_settings

_EXTRAS = {
    "local": "xllamacpp",
    "mcp": "mcp",
    "tune": "gepa",
    "eval": "ir-measures",
    "postgres": "psycopg",
    "objects": "obstore",
    "parquet": "pyarrow",
    "otel": "opentelemetry-sdk",
}
_WAYS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "ANTHROPIC_BASE_URL", "OLLAMA_HOST")
_OURS = "INVESTIGATOR_"
_PASSAGES = tuple(f"Passage {number}: " + "the deposit of the lease is due in March; " * 19 for number in range(16))
"""Passages of about 800 characters, the usual length."""


def diagnose(
    model: str | Sequence[str] = (),
    *,
    settings: Settings | None = None,
    prompts: Path | None = None,
    embedder: Embedder | None = None,
    grade: bool = True,
    grades: Grades | None = None,
    on_call: Callable[[str], None] = lambda _: None,
    variables: Mapping[str, str] | None = None,
) -> Diagnosis:
    """Try the engine of every role with a tiny example, and check the installation. `model`, `prompts` and `embedder`
    are as for `Investigator`; without a model the built-in engine is tried, which needs no network. An engine that
    serves several roles is opened once, and is not called again after a failed call.

    With `grade`, a language model that works is also graded with some thirty short tasks, and its grades are stored in
    `grades` (by default in the user's data directory), unless your own templates were used. `on_call` is called before
    each call to a language model, and with the foreseen cost of grading; `variables` defaults to the environment of
    this process. Raises SettingsError for invalid settings or roles, TemplateError for an invalid template, and
    StoreError if grades cannot be stored; a problem with an engine is reported as a finding.
    """
    models = parse_model_options([model] if isinstance(model, str) else model)
    notices: list[str] = []
    parts = Parts(settings or load_settings(), embedder=embedder, prompts=prompts, on_notice=notices.append)
    parts = parts.with_templates(CONTRACTS, chat_answers)
    # the embedder is loaded first, so that no example has to wait for it
    here = _environment(parts.embedder, os.environ if variables is None else variables)
    roles_of = defaultdict[str, list[Role]](list)
    for role in Role:
        roles_of[models.name_for(role)].append(role)
    examination = Examination(parts, on_call)
    for name, roles in roles_of.items():
        examination.examine(name, roles, grade=grade)
    _keep(examination.grades, parts, grades or Grades())
    verifier = parts.judge()
    return Diagnosis(
        roles=tuple(examination.roles[role] for role in Role),
        grades=tuple(examination.grades),
        engines=tuple(examination.engines.values()),
        templates=parts.prompts.own(),
        environment=here,
        verifier=timed(verifier) if verifier is not None else None,
        notices=tuple(notices),
    )


def _keep(given: Iterable[RoleGrade], parts: Parts, grades: Grades) -> None:
    shares = defaultdict[str, dict[Role, float]](dict)
    for grade in given:
        if not grade.problem:
            shares[grade.engine][grade.role] = round(grade.share, 3)
    if shares and not METHOD.keys().isdisjoint(version.name for version in parts.prompts.own()):
        parts.notify("The grades are not stored, because they were given with your own templates.")
        return
    for engine, own in shares.items():
        grades.keep(engine, own)


def timed(verifier: CrossEncoderEngine, clock: Callable[[], float] = time.monotonic) -> VerifierFinding:
    """Return the time that a loaded verifier takes for one claim, or the problem with the verifier."""
    try:
        verifier.check()  # loaded before the time is measured
        began = clock()
        verifier.check()
    except EngineError as error:
        return VerifierFinding(name=verifier.model, problem=error.message, hint=error.hint)
    return VerifierFinding(name=verifier.model, seconds=round(clock() - began, 3))


def _environment(
    embedder: Embedder, variables: Mapping[str, str], clock: Callable[[], float] = time.monotonic
) -> Environment:
    problem = hint = ""
    dimensions, speed = 0, 0.0
    try:
        embedder.embed(_PASSAGES)  # loads the model, and verifies the weights of the bundled one
        began = clock()
        dimensions = int(embedder.embed(_PASSAGES).shape[1])
        speed = len(_PASSAGES) / max(clock() - began, 1e-6)
    except EngineError as error:
        problem, hint = error.message, error.hint
    known = {*_ADDRESSES, *KEY_VARIABLES.values()}
    matter = (name for name in variables if name.upper() in _WAYS or name in known or name.startswith(_OURS))
    return Environment(
        python=platform.python_version(),
        package=f"{DISTRIBUTION} {installed_version() or '(run from source)'}",
        package_warning=namesake_warning(),
        embedder=embedder.name,
        weights_checked=not problem and embedder.name.startswith(f"{DEFAULT_MODEL}@"),
        dimensions=dimensions,
        passages_per_second=round(speed, 1),
        embedder_problem=problem,
        embedder_hint=hint,
        extras=tuple(
            Extra(name=name, library=library, version=installed_version(library)) for name, library in _EXTRAS.items()
        ),
        variables=tuple(sorted(name for name in matter if variables[name])),
    )
