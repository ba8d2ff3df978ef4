"""The check of statements by a cross-encoder or NLI model, in place of an engine's: it compares each statement with its
quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field, model_validator

from investigator.engines.base import Traits
from investigator.engines.embedding.rerankers import load_cross_encoder
from investigator.errors import EmbedderError, EngineError
from investigator.records import CheckReply, CheckVariables, Prompt, Record, Reply, StatementCheck, Support

_ENTAILS = ("entailment", "entails", "supported", "supports", "consistent", "yes", "true", "label_1")
_HINT = "Choose a sentence-transformers model (cross-encoder or NLI), given by name or folder."


class CheckSettings(Record):
    """Settings for the check of an answer. The strings "off" and "on" stand for the settings that they name."""

    off: bool = Field(default=False, description="show the statements of an answer without a check")
    model: str = Field(
        default="",
        description="sentence-transformers model (cross-encoder or NLI) that checks statements in place of an engine",
    )
    threshold: float = Field(
        default=0.5, ge=0.0, le=1.0, description="lowest score at which a statement counts as supported"
    )

    @model_validator(mode="before")
    @classmethod
    def _switched(cls, value: object) -> object:
        """Accept `check=off` and `check=on` on the command line."""
        return {"off": value == "off"} if value in ("off", "on") else value


class CrossEncoderVerifier:
    """A sentence-transformers model, given by name or folder, that reads evidence and a claim together. Thread-safe.

    If it has a single output, that is the score; if it has several labels, the score is the probability of entailment.
    """

    def __init__(self, model: str) -> None:
        self.name = model

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the model's scores. Raises EmbedderError if it cannot be loaded, fails, or has no entailment label."""
        if not pairs:
            return []
        model = load_cross_encoder(self.name, _HINT)
        label = 0 if model.labels == 1 else next((model.names[name] for name in _ENTAILS if name in model.names), None)
        if label is None or ("label_1" in model.names and model.labels > 2):
            names = sorted(model.names)
            raise EmbedderError(f"the verifier {self.name} has no label for entailment: {names}", hint=_HINT)
        return [row[label] for row in model.scores(pairs)]


@dataclass(frozen=True)
class SupportJudge:
    """A verifier, and the lowest score that counts as support."""

    verifier: CrossEncoderVerifier
    threshold: float

    @property
    def name(self) -> str:
        """Return the name of the verifier."""
        return self.verifier.name

    def check(self) -> None:
        """Load the verifier and try it on an example. Raises EmbedderError."""
        self.supports("The mill burned down.", ("The mill burned down in 1911.",))

    def supports(self, claim: str, texts: Iterable[str]) -> bool:
        """Return True if the texts together support a claim. Raises EmbedderError."""
        return self.verifier.scores([("\n".join(texts), claim)])[0] >= self.threshold


def open_judge(settings: CheckSettings) -> SupportJudge | None:
    """Return the judge that the settings name, or None; its model is loaded when the first statement is judged."""
    if settings.off or not settings.model:
        return None
    return SupportJudge(CrossEncoderVerifier(settings.model), settings.threshold)


class CrossEncoderEngine:
    """Answers `answer/check` with the verdicts of a judge; the whole answer stays unjudged. Thread-safe."""

    def __init__(self, judge: SupportJudge) -> None:
        self._judge = judge

    @property
    def name(self) -> str:
        """Return `cross-encoder:` and the name of the model."""
        return f"cross-encoder:{self._judge.name}"

    @property
    def traits(self) -> Traits:
        """Return the engine's traits: its verdicts depend on the threshold."""
        return Traits(concurrency=1, sampling=f"threshold={self._judge.threshold}")

    def reply(self, prompt: Prompt) -> Reply:
        """Return the verdicts as JSON. Raises EngineError."""
        if not isinstance(prompt.variables, CheckVariables):
            raise EngineError(f"{self.name} cannot answer the template {prompt.template!r}")
        try:
            return Reply(text=self._checked(prompt.variables).model_dump_json())
        except EmbedderError as error:
            raise EngineError(error.message, hint=error.hint) from error

    def _checked(self, variables: CheckVariables) -> CheckReply:
        spans = (span for document in variables.documents for passage in document.passages for span in passage.spans)
        quotes = {span.id: span.text for span in spans if span.id}
        return CheckReply(
            statements=tuple(
                StatementCheck(
                    number=statement.number,
                    support=self._support(
                        statement.text, [quotes[name] for name in statement.evidence if name in quotes]
                    ),
                )
                for statement in variables.statements
            )
        )

    def _support(self, statement: str, quotes: list[str]) -> Support:
        is_supported = bool(quotes) and self._judge.supports(statement, quotes)
        return Support.SUPPORTED if is_supported else Support.UNSUPPORTED
