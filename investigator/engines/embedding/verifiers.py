"""The check of statements by a cross-encoder or NLI model, which judges how well text supports a statement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from pydantic import Field, model_validator

from investigator.engines.embedding.rerankers import load_cross_encoder
from investigator.errors import EmbedderError
from investigator.records import Record

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

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


class Verifier(Protocol):
    """Judges how well texts support claims. Thread-safe."""

    @property
    def name(self) -> str:
        """Return the name of the model that judges."""
        ...

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return a score in 0..1 for each pair of text and claim. Raises EmbedderError."""
        ...


@dataclass(frozen=True)
class SupportJudge:
    """A verifier, and the lowest score that counts as support."""

    verifier: Verifier
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
        return self.verifier.scores([(as_one(texts), claim)])[0] >= self.threshold


def as_one(texts: Iterable[str]) -> str:
    """Return a claim's quotes as one text for a verifier."""
    return "\n".join(texts)


def open_judge(settings: CheckSettings) -> SupportJudge | None:
    """Return the judge that the settings name, or None; its model is loaded when the first statement is judged."""
    if settings.off or not settings.model:
        return None
    return SupportJudge(CrossEncoderVerifier(settings.model), settings.threshold)


class CrossEncoderVerifier:
    """A sentence-transformers model, given by name or folder, that reads evidence and a claim together.

    If it has a single output, that is the score; if it has several labels, the score is the probability of entailment.
    """

    def __init__(self, model: str) -> None:
        self.name = model
        self._lock = Lock()

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the model's scores. Raises EmbedderError if it cannot be loaded, fails, or has no entailment label."""
        if not pairs:
            return []
        with self._lock:
            model = load_cross_encoder(self.name, _HINT)
            return self._predicted(model, pairs)

    def _predicted(self, model: CrossEncoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
        from torch.nn import Sigmoid, Softmax

        labels: dict[int, str] = model.model.config.id2label
        try:
            if model.model.config.num_labels == 1:
                return [
                    float(score) for score in model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)
                ]
            chances = model.predict(pairs, activation_fn=Softmax(dim=-1), show_progress_bar=False)
            return [float(row[self._entailment(labels)]) for row in chances]
        except (RuntimeError, ValueError) as error:
            raise EmbedderError(f"the verifier {self.name} failed: {error}", hint="Choose another verifier.") from error

    def _entailment(self, labels: dict[int, str]) -> int:
        named = {label.lower(): place for place, label in labels.items()}
        found = next((named[name] for name in _ENTAILS if name in named), None)
        if found is None or ("label_1" in named and len(named) > 2):
            raise EmbedderError(f"the verifier {self.name} has no label for entailment: {sorted(named)}", hint=_HINT)
        return found
