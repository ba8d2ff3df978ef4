"""An engine for the role check: a cross-encoder compares each statement with its quotes."""

from __future__ import annotations

from investigator.engines.base import Traits
from investigator.engines.embedding.verifiers import SupportJudge
from investigator.errors import EmbedderError, EngineError
from investigator.records import CheckReply, CheckVariables, Prompt, Reply, StatementCheck, Support


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
