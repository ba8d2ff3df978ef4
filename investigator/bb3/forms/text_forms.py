"""Asks models that were trained on BB3's own prompts, which use control tokens or prefixes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from investigator.bb3.exchange import FAILED, ModuleReply, ModuleRequest
from investigator.bb3.forms.prefix_form import PrefixOptions, prefix_prompt
from investigator.bb3.forms.token_form import token_prompt, token_text
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module
from investigator.records import Record
from investigator.records.decoding import Decoding

Prompted = tuple[ModuleRequest, str]
"""A request with its prompt."""


class WrittenText(Record):
    """A model's text and the logarithm of its probability; `problem` is the reason of a failure, if known."""

    text: str
    score: float = 0.0
    failed: bool = False
    problem: str = ""


class Writer(Protocol):
    """Continues prompts, with the settings of the module that each request is `by`."""

    def write(self, prompts: Sequence[Prompted]) -> Sequence[WrittenText]:
        """Return one text for each prompt, in order. Failures are returned as failed texts, not raised."""


@dataclass(frozen=True)
class PrefixForm:
    """Asks modules with the prompts of the 30B and 175B models. `options` returns the prompt options of a module, and
    `decoding` its decoding, which determines how lines are cleaned up. `instructions` is a folder of templates.
    """

    writer: Writer
    options: Callable[[Module], PrefixOptions] = lambda _: PrefixOptions()
    decoding: Callable[[Module], Decoding] = lambda _: Decoding()
    instructions: Path | None = None

    def ask(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        """Return one reply for each request. Raises TemplateError for custom instructions."""
        prompts = [
            (each, prefix_prompt(each, self.options(each.module), folder=self.instructions)) for each in requests
        ]
        replies = []
        for request, written in zip(requests, self.writer.write(prompts), strict=True):
            decoding = self.decoding(request.module)
            last, several = decoding.generation_take_last_newline, decoding.generation_allow_newline
            (text,) = cleaned([written.text], take_last_newline=last, allow_newline=several)
            replies.append(_reply(request, written.changed(text=text), TABLE[request.module].yes))
        return replies


@dataclass(frozen=True)
class TokenForm:
    """Asks modules with the prompts of the 3B model, which reads each document separately from the request. With
    `in_one_text` the documents come before the context, for models that read a single string.
    """

    writer: Writer
    decide_with_memories: bool = True
    in_one_text: bool = False

    def ask(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        prompt, decides = token_text if self.in_one_text else token_prompt, self.decide_with_memories
        texts = self.writer.write([(each, prompt(each, decide_with_memories=decides)) for each in requests])
        pairs = zip(requests, texts, strict=True)
        return [_reply(request, text, TABLE[request.module].small_yes) for request, text in pairs]


def _reply(request: ModuleRequest, written: WrittenText, yes: str) -> ModuleReply:
    if written.failed:
        return ModuleReply(text=FAILED, score=written.score, needed=False, failed=True, problem=written.problem)
    text = written.text
    if yes:
        return ModuleReply(text=text, score=written.score, needed=text.startswith(yes))
    if request.module is Module.MKM:  # a memory that the model made up, with or without a prefix, is not used
        bare = {memory.partition(":")[2].strip(): memory for memory in reversed(request.memories)}
        text = text.strip() if text.strip() in request.memories else bare.get(text.strip(), "")
    return ModuleReply(text=text, score=written.score)


def cleaned(texts: Sequence[str], *, take_last_newline: bool = False, allow_newline: bool = False) -> list[str]:
    """Return the useful parts of generated texts. Leading and trailing whitespace is removed. If any text still has
    several lines, each text is reduced to its first line (its last line with `take_last_newline`), and then to the part
    after the last colon; with `allow_newline` texts are unchanged. The result for each text depends on all texts in the
    call, so pass independent texts in separate calls.
    """
    texts = [text.strip("\n") for text in texts]
    if not allow_newline and any("\n" in text for text in texts):
        chosen = -1 if take_last_newline else 0
        texts = [text.split("\n")[chosen].rpartition(":")[2] for text in texts]
    return [text.strip() for text in texts]
