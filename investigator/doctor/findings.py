"""The findings of a diagnosis, which concern the roles, the engines and the installation."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.doctor.near_duplicates import NearDuplicates
from investigator.engines.grades import PASSES
from investigator.engines.roles import Role
from investigator.records import Record, TemplateVersion, Usage
from investigator.scoring.prices import Price


class RoleState(StrEnum):
    """The outcome of a role's example."""

    WORKS = "works"
    DOUBTFUL = "doubtful"  # the reply could be parsed, but is not sensible
    FAILED = "failed"
    NOT_ASKED = "not asked"  # a recording contains only replies to its own prompts


class StructuredOutput(StrEnum):
    """How the reply format is enforced: by the server, by the prompt, or not at all."""

    WORKS = "works"
    TOOL_CALL = "as a tool call"
    IGNORED = "accepted and ignored"
    REFUSED = "refused"
    NOT_OFFERED = "not offered"
    NOT_NEEDED = "not needed"
    UNKNOWN = "unknown"


class RoleFinding(Record):
    """One role: its engine, the result of the example, and its cost."""

    role: Role
    engine: str
    sends: str = Field(description="the data that an investigation sends to the engine in this role")
    state: RoleState
    remark: str = Field(default="", description="the problem, or how the reply was judged")
    hint: str = ""
    seconds: float | None = Field(default=None, description="duration of the call; None if it was not answered")
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class RoleGrade(Record):
    """The grade of an engine in a role: how many of its tasks it solved, its mistakes, and what that used."""

    role: Role
    engine: str
    right: int = 0
    tasks: int = 0
    mistakes: tuple[str, ...] = ()
    usage: Usage = Usage()
    problem: str = Field(default="", description="why there is no grade, if the engine failed")

    @property
    def share(self) -> float:
        """Return the share of the tasks that were solved, 0..1."""
        return self.right / self.tasks if self.tasks else 0.0

    @property
    def passed(self) -> bool:
        """Return True if the engine solved enough of the tasks."""
        return not self.problem and self.share >= PASSES


class EngineFinding(Record):
    """One engine: its location, context and price; what is unknown is None."""

    name: str
    endpoint: str = Field(
        default="", description="URL without path, or the provider at an unknown address; empty in this process"
    )
    leaves_machine: bool | None = Field(default=None, description="None if the engine could not be opened")
    is_model: bool = False
    structured_output: StructuredOutput = StructuredOutput.UNKNOWN
    context_tokens: int | None = None
    price: Price | None = None


class Extra(Record):
    """An optional part of the package, and the library that it installs; without `version`, it is not installed."""

    name: str
    library: str
    version: str = ""


class VerifierFinding(Record):
    """The verifier that a run would use: its seconds per claim, or its problem and advice."""

    name: str
    seconds: float | None = None
    problem: str = ""
    hint: str = ""


class Environment(Record):
    """The installed packages, the embedder, and the variables that change addresses or keys of calls."""

    python: str
    package: str
    package_warning: str = Field(default="", description="another project's package of this name is also installed")
    embedder: str
    weights_checked: bool = Field(default=False, description="the weights match the checksum of the default model")
    dimensions: int = Field(default=0, description="numbers in the vector of a passage")
    passages_per_second: float = Field(default=0, description="passages of 800 characters, measured on this machine")
    embedder_problem: str = ""
    embedder_hint: str = ""
    extras: tuple[Extra, ...] = ()
    variables: tuple[str, ...] = Field(default=(), description="names, never values")


class Diagnosis(Record):
    """All findings of a diagnosis."""

    roles: tuple[RoleFinding, ...]
    grades: tuple[RoleGrade, ...] = Field(default=(), description="grades of language models, by role")
    engines: tuple[EngineFinding, ...]
    templates: tuple[TemplateVersion, ...] = Field(default=(), description="the user's own prompt templates")
    environment: Environment
    verifier: VerifierFinding | None = None
    near_duplicates: tuple[NearDuplicates, ...] | None = Field(
        default=None, description="groups of documents of the folder, if one was named"
    )
    notices: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """Return True if no role failed, the search has its embedder, and the verifier, if one is set, works."""
        failed = any(finding.state is RoleState.FAILED for finding in self.roles)
        trouble = self.environment.embedder_problem or (self.verifier is not None and self.verifier.problem)
        return not failed and not trouble

    @property
    def money(self) -> float | None:
        """Return the cost of the examples and the grades in US dollars; None if a price is unknown."""
        prices = {engine.name: engine.price for engine in self.engines}
        called = [(finding, prices[finding.engine]) for finding in self.roles if finding.calls]
        if any(price is None for _, price in called):
            return None
        examples = (price.of(each.input_tokens, each.output_tokens) for each, price in called if price is not None)
        return sum(examples) + sum(grade.usage.money for grade in self.grades)

    @property
    def calls(self) -> int:
        """Return the number of calls that were made."""
        return sum(finding.calls for finding in self.roles) + sum(grade.usage.calls for grade in self.grades)
