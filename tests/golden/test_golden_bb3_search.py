"""Search servers, the use of their documents, decoding, its options and its requests behave as recorded."""

from __future__ import annotations

import json
from typing import Any

import httpx
import numpy as np
from golden_rows import Row, check, each_row, golden_test
from openai_server import OpenAIServer, Response, json_response

from investigator.bb3.decoding.options import module_options
from investigator.bb3.exchange import SearchDocument
from investigator.bb3.forms.text_forms import cleaned
from investigator.bb3.forms.token_form import passage
from investigator.bb3.forms.writers import CompletionRequest, CompletionsWriter, request_of
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.bb3.search.client import MadeUpSearch, SearchAgent, SearchServer
from investigator.bb3.search.served import nearest
from investigator.dialogue.messages import Message
from investigator.engines.http import Retries
from investigator.engines.transformers.token_rules import Schedule
from investigator.errors import EngineError
from investigator.records.decoding import Decoding


class Wire(httpx.BaseTransport):
    def __init__(self, answer: Any, *, failure: str = "", bad_first: int = 0) -> None:
        self.requests: list[dict[str, str]] = []
        self._answer = answer
        self._failure = failure
        self._bad_first = bad_first

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        shown = {"method": request.method, "url": str(request.url), "body": request.read().decode()}
        self.requests.append({**shown, "content_type": request.headers["Content-Type"]})
        if "timeout" in self._failure.lower():
            raise httpx.ReadTimeout(self._failure)
        if self._failure:
            raise httpx.ConnectError(self._failure)
        if len(self.requests) <= self._bad_first:
            return httpx.Response(500)
        body = self._answer if isinstance(self._answer, str) else json.dumps(self._answer)
        return httpx.Response(200, content=body.encode())


def pages(server: SearchServer, query: str, count: int) -> list[dict[str, object]]:
    pages = server.pages(query, count)
    return [{"content": list(page.lines), "url": page.url, "title": page.title} for page in pages]


def search_server(given: Any) -> Any:
    wire = Wire(given.get("response"), failure=given.get("exc") or "")
    retries = Retries(given.get("opt", {}).get("max_num_retries", 1) + 2, delay=0.0)
    server = SearchServer(given.get("addr", "srv"), retries=retries, transport=wire)
    return {"ok": {"result": [pages(server, given.get("query", "q"), given.get("n", 5))], "requests": wire.requests}}


def search_server_non_200(given: Any) -> Any:
    good = {"response": [{"url": "u", "title": "t", "content": "c"}]}
    wire = Wire(good, bad_first=given["bad_500_replies_before_a_good_one"])
    server = SearchServer("srv", retries=Retries(3, delay=0.0), transport=wire)
    return {"ok": {"result": [pages(server, "q", 5)], "n_requests": len(wire.requests)}}


def chunk_ranker(given: Any) -> Any:
    chunks, count = given["chunks"], given["n"]
    return [chunks[i] for i in nearest(chunks, given["query"])[:count]] if given["ranker"] == "tfidf" else None


def document(given: Any) -> Any:
    made = SearchDocument(title=given["title"], text=given["text"], url=str(given["docid"]))
    return {"passage_str": passage(made), "id": made.url}


def mock_server(given: Any) -> Any:
    documents = MadeUpSearch().search(given["query"], given["n"])
    return [[{"content": each.text, "url": each.url, "title": each.title} for each in documents]]


def search_agent(given: Any) -> Any:
    options = {name: given[name] for name in ("n_docs", "intra_doc_delimiter") if name in given}
    agent = SearchAgent({**options, "server": "test"})
    agent.observe(Message(text=given["query"]))
    act = agent.act()
    return {"text": act["text"], "top_docs": act["top_docs"], "urls": act["urls"]}


ADAPTERS = {
    "search_server": search_server,
    "search_server_non_200": search_server_non_200,
    "chunk_ranker": chunk_ranker,
    "mock_server": mock_server,
    "document": document,
    "search_agent": search_agent,
}


test_searching_behaves_as_recorded = golden_test("bb3_search", ADAPTERS, other_kinds=True)


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
    shares = [schedule.share(ends[:n]) for n in range(len(ends) + 1)]
    return {"p_before_each_token_and_after_last": [round(share, 6) for share in shares]}


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
        shown = {"path": first.path, "auth": first.headers["authorization"], "body": json.loads(json.dumps(first.body))}
        return {"ok": {"results": results, "n_requests": len(openai_server.requests), "first_request": shown}}

    check(row, {"completions_api": completions})
