"""The findings of a diagnosis: about each role, each engine, and the installation."""

from __future__ import annotations

from enum import StrEnum

from investigator.engines.roles import Role
from investigator.records import Record
from investigator.scoring.prices import Price


class RoleState(StrEnum):
    """The outcome of the example that a role was given."""

    WORKS = "works"
    DOUBTFUL = "doubtful"  # the reply could be read, and is not sensible
    FAILED = "failed"
    NOT_ASKED = "not asked"  # a recording holds replies only to its own prompts


class StructuredOutput(StrEnum):
    """Holds replies to the form that is asked for: by the server, by the prompt, or not at all."""

    WORKS = "works"
    JSON_ONLY = "JSON of any form"
    IGNORED = "taken and ignored"
    REFUSED = "refused"
    NOT_OFFERED = "not offered"
    NOT_NEEDED = "not needed"
    UNKNOWN = "unknown"


class RoleFinding(Record):
    """One role: its engine, how the example went, and what it cost.

    `remark` says what went wrong, or how the example was judged; `hint` what to do next. `seconds` are those of the
    last call, None if none was answered. `sends` is what an investigation shows the engine in this role.
    """

    role: Role
    engine: str
    sends: str
    state: RoleState
    remark: str = ""
    hint: str = ""
    seconds: float | None = None
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class EngineFinding(Record):
    """One engine: where it runs, what it can read, what it costs.

    `endpoint` is a URL without path, or the name of the provider if its address is not known; empty for an engine
    in this process. `leaves_machine` is None if the engine could not be opened. `context_tokens` and `price` are
    None if they are not known.
    """

    name: str
    endpoint: str = ""
    leaves_machine: bool | None = None
    is_model: bool = False
    structured_output: StructuredOutput = StructuredOutput.UNKNOWN
    context_tokens: int | None = None
    price: Price | None = None


class Extra(Record):
    """An optional part of the package, and the library that it brings; no `version` if that is not installed."""

    name: str
    library: str
    version: str = ""


class VerifierFinding(Record):
    """The verifier that a run would use: its seconds for one claim, or what is wrong with it and what to do."""

    name: str
    seconds: float | None = None
    problem: str = ""
    hint: str = ""


class Environment(Record):
    """The installed packages. `embedder_problem` is empty if the embedder works.

    `package_warning` says that another project's package of the same name is installed too, and is empty otherwise.
    `weights_checked` says that its weights are the known ones, by their sha256; only those of the default are known.
    `variables` are the names, never the values, of variables that change where calls go or which keys they carry.
    """

    python: str
    package: str
    package_warning: str = ""
    embedder: str
    weights_checked: bool = False
    embedder_problem: str = ""
    embedder_hint: str = ""
    extras: tuple[Extra, ...] = ()
    variables: tuple[str, ...] = ()


class Diagnosis(Record):
    """Everything that was found."""

    roles: tuple[RoleFinding, ...]
    engines: tuple[EngineFinding, ...]
    environment: Environment
    verifier: VerifierFinding | None = None
    notices: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Return True if no role failed, the search has its embedder, and the verifier works if one is set."""
        failed = any(finding.state is RoleState.FAILED for finding in self.roles)
        trouble = self.environment.embedder_problem or (self.verifier is not None and self.verifier.problem)
        return not failed and not trouble

    @property
    def money(self) -> float | None:
        """US dollars that the examples cost; None if a price is not known."""
        prices = {engine.name: engine.price for engine in self.engines}
        total = 0.0
        for finding in self.roles:
            price = prices[finding.engine]
            if finding.calls and price is None:
                return None
            total += price.of(finding.input_tokens, finding.output_tokens) if price is not None else 0.0
        return total
