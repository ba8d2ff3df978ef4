"""In what the families of BB3 differ, beyond the form of their prompts (facts: the running of ParlAI 1.7.2)."""

from __future__ import annotations

from investigator.bb3.records import Module
from investigator.records import Record


class Family(Record):
    """How a family goes about a turn.

    `memory_first`: new memories are made before the search query. `plain_without_knowledge`: where neither documents
    nor memories nor a topic are to be used, VRM replies, and nothing is remembered; in a batch that holds for all once
    it holds for one. `one_voice`: every reply is written by SRM (a combined one by the option's module), whatever the
    knowledge. `separate_order` is the order of separate replies. `without_knowledge` replies where nothing was found;
    `unasked` where nothing was looked for either.
    """

    memory_first: bool
    plain_without_knowledge: bool
    one_voice: bool
    separate_order: tuple[Module, ...]
    without_knowledge: Module
    unasked: Module


SMALL = Family(
    memory_first=False,
    plain_without_knowledge=False,
    one_voice=False,
    separate_order=(Module.SRM, Module.CRM, Module.MRM),
    without_knowledge=Module.SRM,
    unasked=Module.SRM,
)
"""BB3 3B: an encoder-decoder that was trained on control tokens."""

LARGE = Family(
    memory_first=True,
    plain_without_knowledge=True,
    one_voice=True,
    separate_order=(Module.CRM, Module.MRM, Module.SRM),
    without_knowledge=Module.VRM,
    unasked=Module.VRM,
)
"""BB3 30B and 175B: language models that were trained on prefixes."""

CHAT = Family(
    memory_first=True,
    plain_without_knowledge=False,
    one_voice=False,
    separate_order=(Module.CRM, Module.MRM, Module.SRM),
    without_knowledge=Module.SRM,
    unasked=Module.VRM,
)
"""The chat form of today's models: like the large family, but each module replies in its own right."""
