"""The options of a chat: when to search and to remember, and how to combine knowledge (seed: bb3_agents)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.bb3.records import Module
from investigator.records import Record


class Decide(StrEnum):
    """When to use a kind of knowledge: always, never, or if its module decides to."""

    ALWAYS = "always"
    NEVER = "never"
    COMPUTE = "compute"


class Conditioning(StrEnum):
    """How to reply from several kinds of knowledge. combined: one reply from all of them. separate: one reply from
    each, of which the best is used. both: the best of all these replies.
    """

    COMBINED = "combined"
    SEPARATE = "separate"
    BOTH = "both"


class ChatOptions(Record):
    """The options of a chat, with BB3's names."""

    search_decision: Decide = Field(default=Decide.COMPUTE, description="always, never or compute: search documents")
    memory_decision: Decide = Field(default=Decide.COMPUTE, description="always, never or compute: use memories")
    contextual_knowledge_decision: Decide = Field(
        default=Decide.COMPUTE, description="always, never or compute: take up a topic of the conversation"
    )
    knowledge_conditioning: Conditioning = Field(
        default=Conditioning.COMBINED,
        description="combined, separate or both: how to reply from several kinds of knowledge",
    )
    combined_dialogue_module: Module = Field(default=Module.SRM, description="module that writes combined replies")
    inject_query_string: str = Field(default="", description="added to every search query")
    n_docs: int = Field(default=5, ge=1, le=50, description="number of documents that a search requests")
    memory_decision_use_memories: bool = Field(default=True, description="show memories to the memory decision")
