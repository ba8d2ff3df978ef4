"""Describes the fourteen modules of BlenderBot 3 in one table, and BlenderBot 3's model families (presets r2c2_bb3,
opt_bb3 and opt_pt).

Seed: bb3_agents. The behaviour of ParlAI 1.7.2 was verified by running it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files

from investigator.bb3.records import Module
from investigator.records import Record
from investigator.records.decoding import Decoding


class Weights(StrEnum):
    """The supported models, by preset of BB3: 3B, 30B and 175B, and language models without fine-tuning."""

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
    in tokens, for 30B and 175B. `step` tells a waiting user what the module is doing.
    """

    name: str
    step: str = "thinking"
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


class Family(Record):
    """Describes how a family of models takes a turn. With `memory_first`, memories are created before the query. With
    `plain_without_knowledge`, VRM replies in all conversations of a batch if one of them uses no documents, memories or
    topic, and nothing is remembered. With `one_voice`, SRM writes all replies but combined ones, whose module the
    options name. With `few_calls`, MDM is not called without memories, nor MGM for a turn of questions alone.
    `separate_order` is that of separate replies; `without_knowledge` replies if a search found nothing, and `unasked`
    if there was no search.
    """

    memory_first: bool
    plain_without_knowledge: bool
    one_voice: bool
    separate_order: tuple[Module, ...]
    without_knowledge: Module
    unasked: Module
    few_calls: bool = False


_READ = tomllib.loads(files("investigator.bb3").joinpath("module_table.toml").read_text(encoding="utf-8"))
TABLE: Mapping[Module, ModuleRow] = {
    Module(name): ModuleRow.model_validate({**row, "decoding": {**_READ["replies"], **row["decoding"]}})
    for name, row in _READ["modules"].items()
}
"""The traits of every module, from `module_table.toml`. BRM has no settings for the 3B model, which was not trained for
it.
"""
SMALL, LARGE, CHAT = (Family.model_validate(_READ["families"][name]) for name in ("small", "large", "chat"))
"""BB3 3B; BB3 30B and 175B; and chat models, prompted with templates: like the large family, but each module writes its
own reply.
"""
