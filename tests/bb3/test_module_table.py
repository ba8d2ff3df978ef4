"""The table of modules agrees with the seed."""

from __future__ import annotations

import pytest

from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.records.decoding import Decoding, Inference

CONTROL_TOKENS = {
    "sdm": "__is-search-required__",
    "mdm": "__is-memory-required__",
    "sgm": "__generate-query__",
    "mgm": "__generate-memory__",
    "ckm": "__extract-entity__",
    "mkm": "__access-memory__",
    "skm": "__generate-knowledge__",
}
FINAL_PREFIXES = {
    "sdm": "Search Decision",
    "mdm": "Memory Decision",
    "sgm": "Query",
    "mgm": "Memory",
    "ckm": "Previous Topic",
    "mkm": "Personal Fact",
    "skm": "Interesting Fact",
    "orm": "Opening",
}


def test_every_module_has_a_row_with_decodings_for_all_weights() -> None:
    assert set(TABLE) == set(Module)
    assert len(TABLE) == 14
    assert all(set(row.decoding) == set(Weights) for row in TABLE.values())
    assert len({row.name for row in TABLE.values()}) == 14


def test_control_tokens_and_final_prefixes_are_those_of_the_seed() -> None:
    assert {module: row.control_token for module, row in TABLE.items() if row.control_token} == CONTROL_TOKENS
    assert {
        module: row.final_prefix for module, row in TABLE.items() if row.final_prefix != "Person 2"
    } == FINAL_PREFIXES


def test_only_decisions_and_new_memories_look_at_the_last_turn_alone() -> None:
    assert {module for module, row in TABLE.items() if row.one_turn_history} == {"sdm", "mdm", "mgm"}


@pytest.mark.parametrize(
    ("module", "small", "large"),
    [
        (Module.SDM, Inference.GREEDY, Inference.GREEDY),
        (Module.MDM, Inference.GREEDY, Inference.GREEDY),
        (Module.MGM, Inference.BEAM, Inference.GREEDY),
        (Module.CKM, Inference.BEAM, Inference.GREEDY),
        (Module.MKM, Inference.BEAM, Inference.GREEDY),
        (Module.SKM, Inference.BEAM, Inference.GREEDY),
        *((module, Inference.BEAM, Inference.FACTUAL_NUCLEUS) for module in ("crm", "mrm", "srm", "vrm")),
    ],
)
def test_the_default_method_is_the_one_that_the_seed_names(module: str, small: Inference, large: Inference) -> None:
    decoding = TABLE[Module(module)].decoding
    assert (decoding[Weights.SMALL].inference, decoding[Weights.LARGE].inference) == (small, large)


@pytest.mark.parametrize(
    ("inference", "expected"),
    [
        (Inference.GREEDY, (1, -1, -1)),
        (Inference.BEAM, (4, -1, -1)),
        (Inference.TOPK, (4, -1, -1)),
        (Inference.NUCLEUS, (4, 0.8, -1)),
        (Inference.SAMPLE_AND_RANK, (4, 0.8, -1)),
        (Inference.FACTUAL_NUCLEUS, (4, 0.8, 0.5)),
    ],
)
def test_a_method_switches_off_what_has_no_part_in_it(inference: Inference, expected: tuple[float, ...]) -> None:
    settled = Decoding(inference=inference, beam_size=4, topp=0.8, lambda_decay=0.5).settled()
    assert (settled.beam_size, settled.topp, settled.lambda_decay) == expected
