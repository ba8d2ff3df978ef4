"""Describes the fourteen modules of BlenderBot 3 in one table, and BlenderBot 3's model families (presets r2c2_bb3,
opt_bb3 and opt_pt).

Seed: bb3_agents. The behaviour of ParlAI 1.7.2 was verified by running it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from investigator.bb3.records import Module
from investigator.records import Record
from investigator.records.decoding import Decoding, Inference


class Weights(StrEnum):
    """The supported models: 3B, 30B and 175B, and language models without fine-tuning; each value is the name of the
    preset in BB3.
    """

    SMALL = "r2c2_bb3"
    LARGE = "opt_bb3"
    RAW = "opt_pt"


class ModuleRow(Record):
    """The traits of one module. `control_token` ends the module's context in 3B, and `wrapping` surrounds the module's
    output in the context of a response. `history_size` is the number of lines that the module sees, counted from the
    newest; -1, the default, means all. `final_prefix` ends the module's prompt in 30B and 175B; `has_pre_context` is
    True if memories or documents come before the turns in that prompt, and `knowledge_prefix` introduces the knowledge
    of a response after the turns. `retrieves` is True if the module receives documents or memories in 3B. `yes` and
    `no` are the words for a decision in 30B and 175B; `small_yes` and `small_no` are those in 3B. `max_prompt_len` is
    in tokens, for 30B and 175B.
    """

    name: str
    control_token: str = ""
    wrapping: tuple[str, str] | None = None
    history_size: int | None = None
    one_turn_history: bool = False
    retrieves: bool = False
    final_prefix: str = "Person 2"
    has_pre_context: bool = False
    knowledge_prefix: str = ""
    yes: str = ""
    no: str = ""
    small_yes: str = ""
    small_no: str = ""
    max_prompt_len: int = 1912
    decoding: Mapping[Weights, Decoding]

    @property
    def is_dialogue(self) -> bool:
        """Return True if the module writes responses; these modules have no control token."""
        return not self.control_token


def _short(least: int, most: int, *, penalized: bool = False) -> Decoding:
    """Return greedy decoding for a decision, a query or a piece of knowledge."""
    return Decoding(
        inference=Inference.GREEDY, beam_min_length=least, beam_max_length=most, penalize_repetitions=penalized
    )


def _reply(least: int = 20, *, penalized: bool = True, context: bool = False, excluded: bool = False) -> Decoding:
    """Return factual nucleus decoding for a reply; with `excluded`, repeating the knowledge is not penalised."""
    return Decoding(
        inference=Inference.FACTUAL_NUCLEUS,
        beam_min_length=least,
        beam_max_length=128,
        penalize_repetitions=penalized,
        penalize_ctxt_repetitions=context,
        exclude_knowledge_from_ctxt_penalty=excluded,
    )


def _beam(size: int, least: int, *, context: int | None = None, inference: Inference = Inference.BEAM) -> Decoding:
    """Return beam search for the 3B model; except in decisions and queries, no sequence of three tokens may occur
    twice.
    """
    told = {} if context is None else {"beam_context_block_ngram": context}
    ngram = 3 if size > 1 else -1
    return Decoding(inference=inference, beam_size=size, beam_min_length=least, beam_block_ngram=ngram, **told)


_SMALL_REPLY = _beam(10, 20, context=3).changed(beam_block_full_context=True)
_RAW_REPLY = Decoding(inference=Inference.NUCLEUS, beam_min_length=1, beam_max_length=32)


def _of(large: Decoding, *, small: Decoding = _SMALL_REPLY, raw: Decoding = _RAW_REPLY) -> Mapping[Weights, Decoding]:
    return {Weights.SMALL: small, Weights.LARGE: large, Weights.RAW: raw}


_DECISION = _of(_short(1, 10), small=_beam(1, 1, inference=Inference.GREEDY), raw=_short(1, 10))

TABLE: Mapping[Module, ModuleRow] = {
    Module.SDM: ModuleRow(
        name="search_decision",
        control_token="__is-search-required__",
        history_size=1,
        one_turn_history=True,
        final_prefix="Search Decision",
        yes="search",
        no="do not search",
        small_yes="__do-search__",
        small_no="__do-not-search__",
        decoding=_DECISION,
    ),
    Module.MDM: ModuleRow(
        name="memory_decision",
        control_token="__is-memory-required__",
        history_size=-1,
        one_turn_history=True,
        final_prefix="Memory Decision",
        yes="access memory",
        no="do not access memory",
        small_yes="__do-access-memory__",
        small_no="__do-not-access-memory__",
        decoding=_DECISION,
    ),
    Module.SGM: ModuleRow(
        name="search_query",
        control_token="__generate-query__",
        final_prefix="Query",
        decoding=_of(_short(1, 32), small=_beam(1, 2), raw=_short(2, 32)),
    ),
    Module.MGM: ModuleRow(
        name="memory_generator",
        control_token="__generate-memory__",
        history_size=1,
        one_turn_history=True,
        final_prefix="Memory",
        decoding=_of(_short(1, 32), small=_beam(3, 10), raw=_short(10, 32)),
    ),
    Module.CKM: ModuleRow(
        name="contextual_knowledge",
        control_token="__extract-entity__",
        wrapping=("__entity__", "__endentity__"),
        final_prefix="Previous Topic",
        max_prompt_len=1812,
        decoding=_of(_short(1, 32, penalized=True), small=_beam(3, 1, context=3), raw=_short(1, 32)),
    ),
    Module.MKM: ModuleRow(
        name="memory_knowledge",
        control_token="__access-memory__",
        wrapping=("__memory__", "__endmemory__"),
        retrieves=True,
        final_prefix="Personal Fact",
        has_pre_context=True,
        max_prompt_len=1412,
        decoding=_of(_short(1, 32, penalized=True), small=_beam(3, 5, context=-1), raw=_short(5, 32)),
    ),
    Module.SKM: ModuleRow(
        name="search_knowledge",
        control_token="__generate-knowledge__",
        wrapping=("__knowledge__", "__endknowledge__"),
        retrieves=True,
        final_prefix="Interesting Fact",
        has_pre_context=True,
        max_prompt_len=1412,
        decoding=_of(_short(1, 64, penalized=True), small=_beam(3, 10, context=3), raw=_short(10, 32)),
    ),
    Module.CRM: ModuleRow(
        name="contextual_dialogue",
        knowledge_prefix="Previous Topic",
        max_prompt_len=1880,
        decoding=_of(_reply(excluded=True)),
    ),
    Module.MRM: ModuleRow(
        name="memory_dialogue",
        knowledge_prefix="Personal Fact",
        max_prompt_len=1848,
        decoding=_of(_reply(excluded=True)),
    ),
    Module.SRM: ModuleRow(
        name="search_dialogue",
        knowledge_prefix="Interesting Fact",
        max_prompt_len=1784,
        decoding=_of(_reply(context=True, excluded=True)),
    ),
    Module.VRM: ModuleRow(name="vanilla_dialogue", decoding=_of(_reply())),
    Module.GRM: ModuleRow(
        name="grounded_dialogue",
        has_pre_context=True,
        max_prompt_len=1880,
        decoding=_of(_reply()),
    ),
    Module.ORM: ModuleRow(
        name="opening_dialogue",
        final_prefix="Opening",
        max_prompt_len=1412,
        decoding=_of(_reply(1, penalized=False)),
    ),
    Module.BRM: ModuleRow(
        name="background_dialogue",
        has_pre_context=True,
        decoding=_of(_reply(), small=Decoding()),
    ),
}
"""The traits of every module. BRM has no settings for the 3B model, which was not trained for it."""


class Family(Record):
    """Describes how a family of models takes a turn.

    With `memory_first`, new memories are created before the search query. With `plain_without_knowledge`, VRM replies
    if no documents, memories or topic are used, and nothing is remembered; if this applies to one conversation in a
    batch, VRM replies in all of them. With `one_voice`, SRM writes the replies for every kind of knowledge, except
    combined replies, which are written by the module that the options name. With `few_calls`, no module is called
    whose result is known: MDM without memories, and MGM for a turn that contains only questions. `separate_order` is
    the order of separate replies. `without_knowledge` replies if a search found nothing, and `unasked` if there was no
    search.
    """

    memory_first: bool
    plain_without_knowledge: bool
    one_voice: bool
    separate_order: tuple[Module, ...]
    without_knowledge: Module
    unasked: Module
    few_calls: bool = False


SMALL = Family(
    memory_first=False,
    plain_without_knowledge=False,
    one_voice=False,
    separate_order=(Module.SRM, Module.CRM, Module.MRM),
    without_knowledge=Module.SRM,
    unasked=Module.SRM,
)
"""BB3 3B: an encoder-decoder trained with control tokens."""

LARGE = Family(
    memory_first=True,
    plain_without_knowledge=True,
    one_voice=True,
    separate_order=(Module.CRM, Module.MRM, Module.SRM),
    without_knowledge=Module.VRM,
    unasked=Module.VRM,
)
"""BB3 30B and 175B: language models trained with prefixes."""

CHAT = LARGE.changed(plain_without_knowledge=False, one_voice=False, without_knowledge=Module.SRM, few_calls=True)
"""Chat models, prompted with templates: like the large family, but each module writes its own reply."""
