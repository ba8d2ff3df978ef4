"""The decoding settings for a generation, named like BB3's options (seed: bb3_agents)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record

OFF = -1
"""The value that disables a numeric option."""


class Inference(StrEnum):
    """The method of choosing tokens. greedy: the most probable token. beam: the most probable of several parallel
    sequences. topk: sampled from the k most probable tokens. nucleus: sampled from the smallest set with probability
    mass p (Holtzman et al., 2020). factual_nucleus: the same with a p that decays within each sentence (Lee et al.,
    2022). sample_and_rank: the most probable of several nucleus samples.
    """

    GREEDY = "greedy"
    BEAM = "beam"
    TOPK = "topk"
    NUCLEUS = "nucleus"
    FACTUAL_NUCLEUS = "factual_nucleus"
    SAMPLE_AND_RANK = "sample_and_rank"


_SAMPLING = frozenset({Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK})


class Decoding(Record):
    """The decoding settings for one module. `settled` returns the final values once the method is known."""

    inference: Inference = Field(default=Inference.GREEDY, description="greedy, beam, topk, nucleus, factual_nucleus")
    beam_size: int = Field(default=1, ge=1, description="number of parallel sequences or samples")
    beam_min_length: int = Field(default=1, ge=0, description="fewest tokens")
    beam_max_length: int = Field(default=128, ge=1, description="most tokens")
    topk: int = Field(default=10, ge=1, description="number of tokens from which topk samples")
    topp: float = Field(default=0.9, ge=OFF, le=1, description="probability mass from which nucleus samples; -1: off")
    temperature: float = Field(
        default=1.0, gt=0, le=10, description="a value above 1 flattens the distribution, one below 1 sharpens it"
    )
    lambda_decay: float = Field(default=0.9, ge=OFF, le=1, description="factor applied to p with each token; -1: off")
    omega_bound: float = Field(default=0.3, ge=0, le=1, description="lowest p of factual_nucleus")
    p_reset: bool = Field(default=True, description="reset p after each sentence")
    beam_block_ngram: int = Field(default=OFF, ge=OFF, description="length of sequences that must not repeat; -1: off")
    beam_context_block_ngram: int = Field(
        default=OFF, ge=OFF, description="length of sequences that must not be copied from the prompt"
    )
    beam_block_full_context: bool = Field(
        default=False, description="prevent copying from the whole prompt, including parts that are cut off"
    )
    penalize_repetitions: bool = Field(default=False, description="make generated tokens less likely")
    penalize_ctxt_repetitions: bool = Field(default=False, description="make tokens of the prompt less likely")
    exclude_knowledge_from_ctxt_penalty: bool = Field(
        default=False, description="do not penalise tokens of the knowledge line"
    )
    generation_take_last_newline: bool = Field(default=False, description="use only the last of several lines")
    generation_allow_newline: bool = Field(default=False, description="keep several lines")
    stop_token: str = Field(default="\n", description="the text that ends a generation; empty: none")

    def settled(self) -> Decoding:
        """Return the effective settings: greedy follows one sequence, and only methods that sample by p have a p."""
        changes: dict[str, int] = {}
        if self.inference is Inference.GREEDY:
            changes["beam_size"] = 1
        if self.inference not in _SAMPLING:
            changes["topp"] = OFF
        if self.inference is not Inference.FACTUAL_NUCLEUS:
            changes["lambda_decay"] = OFF
        return self.changed(**changes)


SEED = 0
"""The seed with which models on this machine generate each text."""
