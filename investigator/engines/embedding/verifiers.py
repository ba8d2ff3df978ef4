"""The check of statements by a cross-encoder or NLI model, in place of an engine's: it compares each statement with its
quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import Field, model_validator

from investigator.engines.embedding.rerankers import load_cross_encoder
from investigator.errors import EngineError
from investigator.records import CheckReply, CheckVariables, Prompt, Record, Reply, StatementCheck, Support, Traits

_ENTAILS = ("entailment", "entails", "supported", "supports", "consistent", "yes", "true", "label_1")
_HINT = "Choose a sentence-transformers model (cross-encoder or NLI), given by name or folder."


class CheckSettings(Record):
    """Settings for the check of an answer."""

    model: str = Field(
        default="",
        description=(
            "sentence-transformers model (cross-encoder or NLI) that checks statements in place of an engine; "
            "off: show statements without a check"
        ),
    )

    @property
    def off(self) -> bool:
        """Return True if statements are shown without a check."""
        return self.model.lower() == "off"

    @model_validator(mode="before")
    @classmethod
    def _switched(cls, value: object) -> object:
        """Accept `check=off` and `check=on` on the command line."""
        word = value.lower() if isinstance(value, str) else ""
        return {"model": "off" if word == "off" else ""} if word in ("off", "on") else value


def entailment(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the scores that a sentence-transformers model, given by name or folder, gives to pairs of evidence and
    claim: its single output or, if it has several labels, the probability of entailment.

    Raises EngineError if the model cannot be loaded, fails, or has no label for entailment.
    """
    loaded = load_cross_encoder(model, _HINT)
    label = 0 if loaded.labels == 1 else next((loaded.names[name] for name in _ENTAILS if name in loaded.names), None)
    if label is None or ("label_1" in loaded.names and loaded.labels > 2):
        names = sorted(loaded.names)
        raise EngineError(f"the verifier {model} has no label for entailment: {names}", hint=_HINT)
    return [row[label] for row in loaded.scores(pairs)]


class CrossEncoderEngine:
    """Answers `answer/check` with the verdicts of a cross-encoder; the whole answer stays unjudged. Thread-safe.

    `scores` scores pairs of evidence and claim with a model; from `threshold` on, the evidence supports the claim.
    """

    def __init__(
        self,
        model: str,
        threshold: float = 0.5,
        scores: Callable[[str, Sequence[tuple[str, str]]], list[float]] = entailment,
    ) -> None:
        self.model = model
        self.name = f"cross-encoder:{model}"
        self.traits = Traits(concurrency=1, sampling=f"threshold={threshold}")
        self._threshold = threshold
        self._scores = scores

    def check(self) -> None:
        """Load the model and try it on an example. Raises EngineError."""
        self.supports("The mill burned down.", ("The mill burned down in 1911.",))

    def supports(self, claim: str, texts: Sequence[str]) -> bool:
        """Return True if the texts together support a claim. Raises EngineError."""
        return bool(texts) and self._scores(self.model, [("\n".join(texts), claim)])[0] >= self._threshold

    def reply(self, prompt: Prompt) -> Reply:
        """Return the verdicts as JSON. Raises EngineError."""
        if not isinstance(prompt.variables, CheckVariables):
            raise EngineError(f"{self.name} cannot answer the template {prompt.template!r}")
        try:
            return Reply(text=self._checked(prompt.variables).model_dump_json())
        except EngineError as error:
            raise EngineError(error.message, hint=error.hint) from error

    def _checked(self, variables: CheckVariables) -> CheckReply:
        spans = (span for document in variables.documents for passage in document.passages for span in passage.spans)
        quotes = {span.id: span.text for span in spans if span.id}
        checks = []
        for statement in variables.statements:
            evidence = [quotes[name] for name in statement.evidence if name in quotes]
            support = Support.SUPPORTED if self.supports(statement.text, evidence) else Support.UNSUPPORTED
            checks.append(StatementCheck(number=statement.number, support=support))
        return CheckReply(statements=tuple(checks))


def open_verifier(settings: CheckSettings) -> CrossEncoderEngine | None:
    """Return the engine that the settings name, or None; its model is loaded when the first statement is judged."""
    return CrossEncoderEngine(settings.model) if settings.model and not settings.off else None
