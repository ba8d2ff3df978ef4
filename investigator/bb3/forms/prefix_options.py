"""What can be told about the prompts of 30B and 175B, under BB3's names."""

from __future__ import annotations

from pydantic import Field

from investigator.bb3.records import Speaker
from investigator.records import Record


class PrefixOptions(Record):
    """The form of one module's prompts. `max_prompt_len` is the module's own; None takes that of the module table."""

    include_prompt: bool = Field(default=False, description="begin with an instruction, for models without fine-tuning")
    num_shots: int = Field(default=0, ge=-1, description="worked examples after the instruction; -1: all there are")
    all_vanilla_prompt: bool = Field(default=False, description="every module has the instruction of VRM")
    max_prompt_len: int | None = Field(default=None, ge=1, description="tokens that no prompt without knowledge has")
    max_total_len: int = Field(default=1912, ge=1, description="tokens that no prompt has")
    knowledge_chunk_size: int = Field(default=100, ge=1, description="words of a document, with those of its title")
    memory_decision_use_memories: bool = Field(default=True, description="show memories to the memory decision")
    insert_style: str = Field(default="", description="the style of replies")
    add_speaker_prefixes: bool = Field(default=True, description="say who speaks in each line")
    self_prefix: str = Field(default="Person 2", description="who replies")
    partner_prefix: str = Field(default="Person 1", description="who is replied to")
    self_memory_prefix: str = Field(default="Person 2's Persona", description="begins memories of the one who replies")
    partner_memory_prefix: str = Field(default="Person 1's Persona", description="begins memories of the partner")
    final_prefix: str = Field(default="", description="ends the prompt; empty: as the module does")
    final_prefix_space: bool = Field(default=False, description="a blank behind the final prefix")

    def name_of(self, speaker: Speaker) -> str:
        """How a speaker is called."""
        return self.self_prefix if speaker is Speaker.SELF else self.partner_prefix
