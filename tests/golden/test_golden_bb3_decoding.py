"""Decoding, its options, its requests and its clean-up are as recorded."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from golden_rows import Row, check, each_row, golden_test
from openai_server import OpenAIServer, Response, json_response

from investigator.bb3.decoding.options import module_options
from investigator.bb3.forms.text_forms import cleaned
from investigator.bb3.forms.writers import CompletionRequest, CompletionsWriter, request_of
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.engines.http import Retries
from investigator.engines.transformers.token_rules import Schedule
from investigator.errors import EngineError
from investigator.records.decoding import Decoding


def request_params(given: Any) -> Any:
    module, weights = Module(given["module"]), Weights(given["preset"].removeprefix("gen/"))
    options = module_options({}, weights)[module]
    return {
        "params": request_of(options.decoding),
        "max_prompt_len": options.prompt.max_prompt_len or TABLE[module].max_prompt_len,
        "num_shots": options.prompt.num_shots,
        "include_prompt": options.prompt.include_prompt,
        "inference": options.decoding.inference.value,
    }


def override(given: Any) -> Any:
    options = module_options(given["overrides"], Weights.LARGE)[Module(given["module"])]
    return {"params": request_of(options.decoding)}


def cleanup(given: Any) -> Any:
    last, allow = given.get("generation_take_last_newline", True), given.get("generation_allow_newline", False)
    return {"ok": cleaned(given["raw"], take_last_newline=last, allow_newline=allow)}


def nucleus(given: Any) -> Any:
    """Return a value in single precision with six digits, as recorded."""
    schedule = Schedule(*(np.float32(given[name]) for name in ("p", "lambda_decay", "omega_bound")))
    ends = [token in (".", "?", "!") for token in given["tokens"]]
    found = [schedule.share(ends[:n]) for n in range(len(ends) + 1)]
    return {"p_before_each_token_and_after_last": [round(share, 6) for share in found]}


DECODING = {
    "opt_request_params": request_params,
    "opt_override": override,
    "generation_cleanup": cleanup,
    "factual_nucleus_p": nucleus,
}


def reply_of(server_reply: Any) -> Response:
    return Response(body=server_reply.encode()) if isinstance(server_reply, str) else json_response(server_reply)


test_decoding_is_as_recorded = golden_test("bb3_decoding", DECODING)


UNSET = {
    **{"min_tokens": 0, "max_tokens": 32, "best_of": 1, "top_p": -1, "stop": None, "temperature": 1.0, "echo": False},
    **{"lambda_decay": -1, "omega_bound": 0.3, "alpha_presence": 0.0, "alpha_frequency": 0.0},
    **{"alpha_presence_src": 0.0, "alpha_frequency_src": 0.0, "alpha_src_penalty_end_idx": -1},
}
"""The fields that the rows leave unset; each of our requests sets all of them."""


@each_row("bb3_search", ("completions_api",), other_kinds=True)
def test_completions_are_asked_for_as_recorded(row: Row, openai_server: OpenAIServer) -> None:
    def result_of(writer: CompletionsWriter, prompt: str, request: CompletionRequest) -> Any:
        before = len(openai_server.requests)
        try:
            completion = writer.complete(prompt, request)
        except EngineError as error:
            return {"n_failures": len(openai_server.requests) - before, "first": error.message}
        return {"choices": [{"text": completion.text, "logprobs": {"token_logprobs": completion.token_logprobs}}]}

    def completions(given: Any) -> Any:
        openai_server.answer(*(reply_of(reply) for reply in given["server_replies"]))
        tries = given["max_num_tries"]
        retries = Retries(10 if tries < 0 else tries + 1, delay=0.0)
        address, request = openai_server.url.removesuffix("/v1"), {**UNSET, **given["kwargs"]}
        writer = CompletionsWriter(address, lambda _: Decoding(), api_key="KEY", retries=retries)
        results = [result_of(writer, prompt, request) for prompt in given["prompts"]]
        first = openai_server.requests[0]
        asked = {"path": first.path, "auth": first.headers["authorization"], "body": json.loads(json.dumps(first.body))}
        return {"ok": {"results": results, "n_requests": len(openai_server.requests), "first_request": asked}}

    check(row, {"completions_api": completions})
