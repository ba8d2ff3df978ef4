"""Continues modules' prompts: with a server of BB3's 30B and 175B models (metaseq's API), or with a local model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from investigator.bb3.forms.prefix_form import CountTokens
from investigator.bb3.forms.text_forms import Prompted, WrittenText
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module
from investigator.bb3.search.client import full_address
from investigator.engines.base import guessed_tokens
from investigator.engines.http import Endpoint, Retries
from investigator.engines.transformers.engine import TransformersEngine, TransformersSettings
from investigator.errors import CredentialError, EngineError, SettingsError
from investigator.records.decoding import OFF, Decoding

_RETRIES = Retries()
_PENALTY = 0.5
_MOST_OCTETS = 16_000_000
_SIDE_BY_SIDE = 4
_SHOWN = 200
_REFUSALS = frozenset({400, 404, 405, 413, 422})

CompletionRequest = Mapping[str, int | float | str | bool | None]
"""The body of a request except the prompt, with the API's field names."""


def _without_nulls(values: object) -> object:
    if values is None:
        return ()
    return [value for value in values if value is not None] if isinstance(values, list | tuple) else values


class Completion(BaseModel):
    """A model's text, with the natural logarithm of each token's probability if available."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    text: str
    token_logprobs: Annotated[tuple[float, ...], BeforeValidator(_without_nulls)] = Field(
        default=(), validation_alias=AliasPath("logprobs", "token_logprobs")
    )


class _Body(BaseModel):
    choices: tuple[Completion, ...] = ()
    error: object = None


def request_of(decoding: Decoding, penalty_end: int = OFF) -> CompletionRequest:
    """Return the request for a decoding; the prompt's tokens from `penalty_end` on may be repeated without penalty."""
    settled = decoding.settled()
    own = _PENALTY if settled.penalize_repetitions else 0.0
    context = _PENALTY if settled.penalize_ctxt_repetitions else 0.0
    end = penalty_end if context and settled.exclude_knowledge_from_ctxt_penalty else OFF
    return {
        **{"min_tokens": settled.beam_min_length, "max_tokens": settled.beam_max_length, "echo": False},
        **{"best_of": settled.beam_size, "top_p": settled.topp, "temperature": settled.temperature},
        **{"stop": settled.stop_token or None, "lambda_decay": settled.lambda_decay},
        **{"omega_bound": settled.omega_bound, "alpha_presence": own, "alpha_frequency": own},
        **{"alpha_presence_src": context, "alpha_frequency_src": context, "alpha_src_penalty_end_idx": end},
    }


def knowledge_start(prompt: str, count: CountTokens) -> int:
    """Return the number of prompt tokens before the knowledge for a response; -1 if there is no knowledge."""
    marks = {f"\n{row.knowledge_prefix}: " for row in TABLE.values() if row.knowledge_prefix}
    examples = prompt.rfind("\n\n") + 1
    places = [place for place in (prompt.rfind(mark, examples) for mark in marks) if place >= 0]
    return count(prompt[: min(places) + 1]) if places else OFF


class CompletionsWriter:
    """Continues prompts through a server. Thread-safe. Temporary failures (no connection, a timeout, a server error,
    invalid JSON) are retried as `retries` specifies; each attempt takes at most `timeout` seconds. Raises SettingsError
    if the address is invalid.
    """

    def __init__(
        self,
        server: str,
        decoding_of: Callable[[Module], Decoding],
        *,
        api_key: str = "",
        timeout: float = 60.0,
        retries: Retries = _RETRIES,
    ) -> None:
        full = full_address(server, "completions server")
        place = urlsplit(full).netloc.rpartition("@")[2]
        key = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        headers = {"Content-Type": "application/json; charset=utf-8", **key}
        self._endpoint = Endpoint(f"{full.rstrip('/')}/completions", place, timeout, _MOST_OCTETS, headers=headers)
        self._decoding_of = decoding_of
        self._retries = retries

    def write(self, prompts: Sequence[Prompted]) -> Sequence[WrittenText]:
        """Return one text for each prompt, in order. Raises CredentialError."""
        with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
            return list(pool.map(self._written, prompts))

    def complete(self, prompt: str, request: CompletionRequest) -> Completion:
        """Return the completion for a prompt. Raises CredentialError, and EngineError if the last attempt fails."""
        return self._retries.call(lambda: self._try(prompt, request))

    def _written(self, prompted: Prompted) -> WrittenText:
        request, prompt = prompted
        decoding = self._decoding_of(request.by)
        try:
            completion = self.complete(prompt, request_of(decoding, knowledge_start(prompt, guessed_tokens)))
        except EngineError as error:
            return WrittenText(text="", failed=True, problem=error.message)
        return WrittenText(text=completion.text, score=sum(completion.token_logprobs))

    def _try(self, prompt: str, request: CompletionRequest) -> Completion:
        place = self._endpoint.place
        status, octets = self._endpoint.post(json.dumps({"prompt": prompt, **request}).encode("ascii"))
        if status in (401, 403):
            raise CredentialError(f"{place} rejected the key ({status})", hint="Use a key that the server accepts.")
        text = octets[:_SHOWN].decode("utf-8", "replace")
        if status == 429:
            raise EngineError(f"{place} accepts no requests for now: {text}", retryable=True)
        try:
            body = _Body.model_validate_json(octets)
        except ValidationError:
            raise EngineError(f"{place} sent an invalid completion (status {status}): {text}", retryable=True) from None
        if body.error is not None:
            raise EngineError(f"API Error: {body.error}", retryable=True)
        if status in _REFUSALS:
            raise EngineError(f"{place} rejected the request ({status}): {text}")
        if status != 200 or not body.choices:
            raise EngineError(f"{place} sent no completion (status {status}): {text}", retryable=True)
        return body.choices[0]


class LocalWriter:
    """Continues prompts unchanged, without a chat template. `model` is a name such as `transformers:FOLDER`. Raises
    SettingsError if `model` names another kind of engine or a folder without a model.
    """

    def __init__(
        self, model: str, decoding_of: Callable[[Module], Decoding], settings: TransformersSettings | None = None
    ) -> None:
        kind, _, folder = model.partition(":")
        if kind != "transformers" or not folder:
            hint = "Use --model transformers:FOLDER or --completions URL, or omit --form."
            raise SettingsError(f"{model} cannot continue a prompt without a chat template", hint=hint)
        self._engine = TransformersEngine(folder, settings)
        self._decoding_of = decoding_of

    def write(self, prompts: Sequence[Prompted]) -> Sequence[WrittenText]:
        """Return one text for each prompt, in order. Raises SettingsError if the model cannot be loaded."""
        return [self._written(text, self._decoding_of(request.by)) for request, text in prompts]

    def _written(self, text: str, decoding: Decoding) -> WrittenText:
        try:
            start = knowledge_start(text, self._engine.count_tokens)
            uncounted = start if decoding.exclude_knowledge_from_ctxt_penalty and start >= 0 else None
            generation = self._engine.write_on(text, decoding, uncounted)
        except EngineError as error:
            return WrittenText(text="", failed=True, problem=error.message)
        return WrittenText(text=generation.text, score=generation.logprob)
