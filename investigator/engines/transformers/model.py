"""A causal language model loaded with transformers in this process: continues texts and counts tokens."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from investigator.engines.base import Hear
from investigator.engines.loading import ControlTokens, without_progress_bars
from investigator.engines.transformers import token_rules
from investigator.errors import ContextTooLongError, EngineError, SettingsError
from investigator.records import FinishReason, Reply
from investigator.records.decoding import OFF, SEED, Decoding, Inference

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteria
    from transformers.generation.streamers import BaseStreamer

_STOP_WINDOW = 16  # number of most recent tokens that are searched for the stop text


class Generation(Reply):
    """The generated text without the stop text, and the natural log of its probability including the stop text."""

    logprob: float


class TransformersModel:
    """A loaded model, which writes one text at a time; other threads wait. Tokens can be counted in the meantime.

    Raises SettingsError if the folder's model cannot be loaded.
    """

    def __init__(self, path: Path, device: str = "cpu") -> None:
        self._name = path.name
        self._tokenizer, self._model = _load(path, device)
        self._context = getattr(self._model.config, "max_position_embeddings", None)
        self._control = ControlTokens(map(str, self._tokenizer.all_special_tokens))
        ends = self._model.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset(ends if isinstance(ends, list) else () if ends is None else (ends,))
        self._turn = Lock()
        self._tokenizing = Lock()
        self._with = cache(lambda stop: [token for token in range(len(self._tokenizer)) if stop in self._text([token])])
        self._ends_sentence = cache(lambda token: token_rules.ends_sentence(self._text([token])))

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in the text."""
        with self._tokenizing:
            return len(self._tokenizer(self._control.defused(text), add_special_tokens=False)["input_ids"])

    def generate(
        self,
        text: str,
        decoding: Decoding,
        *,
        as_chat: bool = False,
        context_tokens: int | None = None,
        hear: Hear | None = None,
    ) -> Generation:
        """Continue the text or, with `as_chat` and if the model has a chat template, reply to it. Control tokens in the
        text are broken up, so that the text cannot end its turn. Penalties for repetition count its first
        `context_tokens` tokens, or all tokens if that is None. `hear` receives the output token by token, unless the
        best of several outputs is chosen. Raises ContextTooLongError, and EngineError if nothing can be generated.
        """
        ids = self._ids(text, as_chat)
        decoding = decoding.settled()
        if not ids:
            raise EngineError(f"{self._name} cannot continue an empty prompt", hint="Write a prompt that is not empty.")
        if self._context is not None and len(ids) + decoding.beam_max_length > self._context:
            both = f"the prompt of {len(ids)} tokens and a reply of up to {decoding.beam_max_length}"
            raise ContextTooLongError(f"{both} do not fit into the context of {self._context} tokens")
        rules = self._rules(decoding, len(ids), len(ids) if context_tokens is None else context_tokens)
        with self._turn:
            started = time.monotonic()
            try:
                written, logprob = self._best(ids, decoding, rules, hear)
            except (RuntimeError, ValueError, IndexError) as error:
                raise EngineError(f"{self._name} wrote nothing: {error}") from error
            seconds = time.monotonic() - started
        whole, stop = self._text(written), decoding.stop_token
        has_ended = bool(self._ends & set(written[-1:])) or bool(stop and stop in whole)
        is_cut = len(written) >= decoding.beam_max_length and not has_ended
        reply = whole.partition(stop)[0] if stop else whole
        if decoding.generation_take_last_newline and not decoding.generation_allow_newline:
            reply = reply.strip("\n").rpartition("\n")[2]
        return Generation(
            text=reply,
            logprob=logprob,
            input_tokens=len(ids),
            output_tokens=len(written),
            finish_reason=FinishReason.LENGTH if is_cut else FinishReason.STOP,
            seconds=seconds,
        )

    def _ids(self, text: str, as_chat: bool) -> list[int]:
        """Return the tokens of a prompt; outside a chat, the model's start token is added, but no end token."""
        text = self._control.defused(text)
        is_chat = as_chat and bool(getattr(self._tokenizer, "chat_template", None))
        with self._tokenizing:
            if is_chat:
                messages = [{"role": "user", "content": text}]
                text = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            ids = list(self._tokenizer(text, add_special_tokens=not is_chat)["input_ids"])
        return ids[:-1] if len(ids) > 1 and ids[-1] in self._ends and not is_chat else ids

    def _text(self, ids: Sequence[int]) -> str:
        with self._tokenizing:
            return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def _rules(self, decoding: Decoding, prompt: int, context: int) -> LogitsProcessorList:
        """Return the constraints on the next token that transformers has no option for; the arguments count tokens."""
        from transformers import LogitsProcessorList, MinNewTokensLengthLogitsProcessor

        rules = LogitsProcessorList()
        if decoding.stop_token and decoding.beam_min_length > 1:
            held, device = self._with(decoding.stop_token), self._model.device
            rules.append(MinNewTokensLengthLogitsProcessor(prompt, decoding.beam_min_length, held, device=device))
        if decoding.penalize_repetitions or decoding.penalize_ctxt_repetitions:
            counted = min(context, prompt) if decoding.penalize_ctxt_repetitions else 0
            rules.append(token_rules.penalties(prompt if decoding.penalize_repetitions else 10**9, counted))
        if decoding.beam_block_ngram > 0:
            rules.append(token_rules.reply_ngram_block(decoding.beam_block_ngram, prompt))
        if decoding.inference is Inference.FACTUAL_NUCLEUS:
            numbers = decoding.topp, decoding.lambda_decay, decoding.omega_bound, decoding.p_reset
            schedule, ends = token_rules.Schedule(*numbers), self._ends_sentence
            rule = token_rules.factual_nucleus(
                prompt, decoding.temperature, lambda ids: schedule.share(list(map(ends, ids)))
            )
            rules.append(rule)
        return rules

    def _best(
        self, ids: list[int], decoding: Decoding, rules: LogitsProcessorList, hear: Hear | None
    ) -> tuple[list[int], float]:
        """Return the most probable of the generated texts, as tokens, with the logarithm of its probability."""
        import torch
        from transformers import StoppingCriteriaList

        given = torch.tensor([ids], device=self._model.device)
        stops = StoppingCriteriaList([self._stop(decoding.stop_token, len(ids))] if decoding.stop_token else [])
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(SEED)
            rows = self._model.generate(
                given,
                attention_mask=torch.ones_like(given),
                generation_config=self._config(decoding),
                logits_processor=rules,
                stopping_criteria=stops,
                streamer=self._streamer(hear, decoding) if hear is not None else None,
            )
            texts = [self._written(row[len(ids) :].tolist(), decoding.stop_token) for row in rows]
            return max(((written, self._logprob(ids, written)) for written in texts), key=lambda pair: pair[1])

    def _streamer(self, hear: Hear, decoding: Decoding) -> BaseStreamer | None:
        """Return a streamer that skips the prompt; None if several texts are generated at once."""
        from transformers.generation.streamers import BaseStreamer

        if decoding.inference in (Inference.BEAM, Inference.SAMPLE_AND_RANK):
            return None
        text_of, stop = self._text, decoding.stop_token

        class Streamer(BaseStreamer):  # type: ignore[misc]
            written: list[int] | None = None

            def put(self, value: Tensor) -> None:
                if self.written is None:
                    self.written = []
                    return
                self.written += value.flatten().tolist()
                text = text_of(self.written)
                hear(text.partition(stop)[0] if stop else text)

            def end(self) -> None:
                """Do nothing, because no text is buffered."""

        return Streamer()

    def _config(self, decoding: Decoding) -> GenerationConfig:
        from transformers import GenerationConfig

        pad, method = self._tokenizer.pad_token_id, decoding.inference
        samples = method not in (Inference.GREEDY, Inference.BEAM)
        beams = decoding.beam_size if method is Inference.BEAM else 1
        config: dict[str, Any] = {
            "max_new_tokens": decoding.beam_max_length,
            "min_new_tokens": min(decoding.beam_min_length, decoding.beam_max_length),
            "eos_token_id": sorted(self._ends) or None,
            "pad_token_id": min(self._ends, default=0) if pad is None else pad,
            "no_repeat_ngram_size": max(0, decoding.beam_context_block_ngram),
            "num_beams": beams,
            "do_sample": samples,
        }
        if samples:
            is_scheduled = method is Inference.FACTUAL_NUCLEUS  # whose rule applies temperature and share
            config |= {
                "temperature": 1.0 if is_scheduled else float(decoding.temperature),
                "top_k": decoding.topk if method is Inference.TOPK else 0,
                "top_p": 1.0 if is_scheduled or decoding.topp == OFF else decoding.topp,
                "num_return_sequences": decoding.beam_size if method is Inference.SAMPLE_AND_RANK else 1,
            }
        return GenerationConfig(**config)

    def _stop(self, stop: str, prompt: int) -> StoppingCriteria:
        import torch
        from transformers import StoppingCriteria

        def hit(ids: Tensor) -> bool:
            return stop in self._text(ids[max(prompt, len(ids) - _STOP_WINDOW) :].tolist())

        class Stop(StoppingCriteria):  # type: ignore[misc]
            def __call__(self, input_ids: Tensor, scores: Tensor, **kwargs: object) -> Tensor:
                return torch.tensor([hit(row) for row in input_ids], dtype=torch.bool, device=input_ids.device)

        return Stop()

    def _written(self, ids: list[int], stop: str) -> list[int]:
        """Return the tokens up to the first end token; the rest is padding."""
        for n, token in enumerate(ids, 1):
            if token in self._ends or (stop and stop in self._text(ids[max(0, n - _STOP_WINDOW) : n])):
                return ids[:n]
        return ids

    def _logprob(self, ids: list[int], written: list[int]) -> float:
        """Return the log probability that the model itself assigns to the output."""
        import torch

        whole = torch.tensor([[*ids, *written]], device=self._model.device)
        logits = self._model(whole).logits[0, len(ids) - 1 : -1]
        return float(logits.float().log_softmax(-1).gather(1, whole[0, len(ids) :].unsqueeze(1)).sum())


def _load(path: Path, device: str) -> tuple[Any, Any]:
    """Load the tokenizer and the model of a folder, using only its files. Raises SettingsError."""
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        with without_progress_bars():
            tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(path, local_files_only=True).eval().to(device)
    except (OSError, ValueError, RuntimeError, KeyError, ImportError, SafetensorError) as error:
        gist = str(error).partition("\n")[0]
        raise SettingsError(
            f"the model in {path} cannot be loaded: {gist}",
            hint="The folder must contain a causal language model that needs no custom code.",
        ) from error
    return tokenizer, model
