"""Continues modules' prompts with a completions server or a local model; each module has its own decoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from investigator.bb3.forms.completions import (
    Completion,
    CompletionFailure,
    CompletionsClient,
    knowledge_start,
    request_of,
)
from investigator.bb3.forms.gpt2_tokens import best_count
from investigator.bb3.forms.text_forms import Prompted, WrittenText
from investigator.bb3.records import Module
from investigator.engines.transformers.engine import TransformersEngine, TransformersSettings
from investigator.errors import EngineError, SettingsError
from investigator.records.decoding import Decoding


class CompletionsWriter:
    """Continues prompts through a server. Thread-safe.

    Raises SettingsError, CredentialError. `on_failure` receives the reason for a missing text.
    """

    def __init__(
        self,
        server: str,
        decoding_of: Callable[[Module], Decoding],
        *,
        api_key: str = "",
        on_failure: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._client = CompletionsClient(server, api_key)
        self._decoding_of = decoding_of
        self._count = best_count()
        self._on_failure = on_failure

    def write(self, module: Module, prompts: Sequence[Prompted]) -> Sequence[WrittenText]:
        decoding = self._decoding_of(module)
        asked = [(text, request_of(decoding, knowledge_start(text, self._count))) for _, text in prompts]
        return [self._written(one) for one in self._client.complete_all(asked)]

    def _written(self, one: Completion | CompletionFailure) -> WrittenText:
        if isinstance(one, Completion):
            return WrittenText(text=one.text, score=sum(one.token_logprobs))
        self._on_failure(one.failures[-1])
        return WrittenText(text="", failed=True)


class LocalWriter:
    """Continues prompts unchanged, without a chat template. `model` is a name such as `transformers:FOLDER`;
    `on_failure` receives the reason for a missing text. Raises MissingPackageError, and SettingsError if `model` names
    another kind of engine or a folder without a model.
    """

    def __init__(
        self,
        model: str,
        decoding_of: Callable[[Module], Decoding],
        settings: TransformersSettings | None = None,
        *,
        on_failure: Callable[[str], None] = lambda _: None,
    ) -> None:
        kind, _, folder = model.partition(":")
        if kind != "transformers" or not folder:
            raise SettingsError(
                f"{model} cannot continue a prompt without a chat template",
                hint="Use --model transformers:FOLDER or --completions URL, or omit --form.",
            )
        self._engine = TransformersEngine(folder, settings)
        self._decoding_of = decoding_of
        self._on_failure = on_failure

    def write(self, module: Module, prompts: Sequence[Prompted]) -> Sequence[WrittenText]:
        """Return one text for each prompt, in order. Raises SettingsError if the model cannot be loaded."""
        return [self._written(text, self._decoding_of(module)) for _, text in prompts]

    def _written(self, text: str, decoding: Decoding) -> WrittenText:
        try:
            start = knowledge_start(text, self._engine.count_tokens)
            counted = start if decoding.exclude_knowledge_from_ctxt_penalty and start >= 0 else None
            done = self._engine.write_on(text, decoding, counted)
        except EngineError as error:
            self._on_failure(error.message)
            return WrittenText(text="", failed=True)
        return WrittenText(text=done.text, score=done.logprob)
