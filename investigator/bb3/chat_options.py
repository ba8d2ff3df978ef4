"""Defines the options of a chat: when to search, when to remember, how to combine knowledge (seed: bb3_agents)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.bb3.records import Module
from investigator.records import Record


class Decide(StrEnum):
    """Controls when a kind of knowledge is used: always, never, or when its module decides to use it."""

    ALWAYS = "always"
    NEVER = "never"
    COMPUTE = "compute"


class Conditioning(StrEnum):
    """How to reply from several kinds of knowledge. combined: one reply from all of them. separate: one reply per kind,
    the best of which is used. both: the best of all these replies.
    """

    COMBINED = "combined"
    SEPARATE = "separate"
    BOTH = "both"


class ChatOptions(Record):
    """The options of a chat, named as in BB3."""

    search_decision: Decide = Field(
        default=Decide.COMPUTE, description="whether to search documents: always, never or compute"
    )
    memory_decision: Decide = Field(
        default=Decide.COMPUTE, description="whether to use memories: always, never or compute"
    )
    contextual_knowledge_decision: Decide = Field(
        default=Decide.COMPUTE, description="whether to refer to a topic of the conversation: always, never or compute"
    )
    knowledge_conditioning: Conditioning = Field(
        default=Conditioning.COMBINED,
        description="how to reply from several kinds of knowledge: combined, separate or both",
    )
    combined_dialogue_module: Module = Field(default=Module.SRM, description="module that writes combined replies")
    inject_query_string: str = Field(default="", description="text added to every search query")
    n_docs: int = Field(default=5, ge=1, le=50, description="number of documents that a search requests")
    memory_decision_use_memories: bool = Field(
        default=True, description="show memories to the module that decides whether to use them"
    )
