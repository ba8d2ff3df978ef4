"""Rules for the next token, implemented as logits processors for transformers. Each rule takes the tokens so far, of
shape (sequences, tokens), and the scores for the next token, of shape (sequences, vocabulary), and returns scores of
the same shape; a forbidden token has the score -inf.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import prod
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from torch import Tensor

Rule: TypeAlias = "Callable[[Tensor, Tensor], Tensor]"

_PENALTY = 0.5
_ENDS = (".", "?", "!", "。", "？", "！")


def factual_nucleus(prompt_tokens: int, temperature: float, share: Callable[[Sequence[int]], float]) -> Rule:
    """Keep the smallest set of tokens with the probability mass that `share` returns for the tokens so far, after the
    scores were divided by the temperature.
    """
    import torch
    from transformers import TopPLogitsWarper

    def rule(input_ids: Tensor, scores: Tensor) -> Tensor:
        shares = [share(written) for written in input_ids[:, prompt_tokens:].tolist()]
        rows = zip(shares, input_ids.split(1), (scores / temperature).split(1), strict=True)
        return torch.cat([TopPLogitsWarper(mass)(ids, row) for mass, ids, row in rows])

    return rule


def penalties(prompt_tokens: int, context_tokens: int) -> Rule:
    """Subtract 0.5 from the score of each token that has been written, and 0.5 more for each occurrence. In the prompt,
    only the first `context_tokens` tokens count.
    """

    def rule(input_ids: Tensor, scores: Tensor) -> Tensor:
        held = scores.clone()
        for row, ids in zip(held, input_ids, strict=True):
            written = ids.new_tensor([*ids[:context_tokens].tolist(), *ids[prompt_tokens:].tolist()])
            tokens, times = written.unique(return_counts=True)
            row[tokens] -= _PENALTY + _PENALTY * times.to(row.dtype)
        return held

    return rule


def reply_ngram_block(length: int, prompt_tokens: int) -> Rule:
    """Forbid repeated sequences of `length` tokens in the reply."""
    from transformers import NoRepeatNGramLogitsProcessor

    block = NoRepeatNGramLogitsProcessor(length)
    return lambda input_ids, scores: block(input_ids[:, prompt_tokens:], scores)


@dataclass(frozen=True)
class Schedule:
    """A nucleus mass that decays within each sentence (Lee et al., 2022, arXiv 2206.04624). It starts at `p`, is
    multiplied by `decay` with each token, and never falls below `bound`; with `reset` it starts over after each
    sentence.
    """

    p: float
    decay: float
    bound: float
    reset: bool = True

    def share(self, ends: Sequence[bool]) -> float:
        """Return the probability mass for the next token; `ends` says for each token so far whether it ends a sentence.
        The first two tokens of the text or of a sentence use the full `p`.
        """
        if not ends:
            return self.p
        since = len(ends)
        if self.reset:
            since = next((n for n, is_end in enumerate(reversed(ends)) if is_end), since)
        return float(max(self.bound, prod((self.p, *repeat(self.decay, since - 1)))))


def ends_sentence(token: str) -> bool:
    """Return True if a token ends with a mark that ends a sentence, such as a full stop."""
    return token.strip().endswith(_ENDS)
