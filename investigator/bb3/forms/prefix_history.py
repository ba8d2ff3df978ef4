"""Writes a conversation as lines of `Person 1: …` and `Person 2: …`, and shortens prompts (seed: bb3_agents)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from investigator.bb3.forms.gpt2_tokens import CountTokens
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module, Speaker, Turn
from investigator.records import Record

SILENCE = "__SILENCE__"
OPENING = "Opening"
_PERSONA = "your persona"
_MEMORY = "Personal Fact:"
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


class PrefixOptions(Record):
    """Options for the format of one module's prompts. If `max_prompt_len` is None, the limit in the module table
    applies.
    """

    include_prompt: bool = Field(
        default=False, description="begin the prompt with an instruction, for models without fine-tuning"
    )
    num_shots: int = Field(default=0, ge=-1, description="number of worked examples after the instruction; -1: all")
    all_vanilla_prompt: bool = Field(default=False, description="use VRM's instruction for every module")
    max_prompt_len: int | None = Field(
        default=None, ge=1, description="maximum number of tokens in a prompt without knowledge"
    )
    max_total_len: int = Field(default=1912, ge=1, description="maximum number of tokens in a prompt")
    knowledge_chunk_size: int = Field(
        default=100, ge=1, description="maximum number of words in a document, including its title"
    )
    memory_decision_use_memories: bool = Field(
        default=True, description="show memories to the module that decides whether to use them"
    )
    insert_style: str = Field(default="", description="the style of replies")
    add_speaker_prefixes: bool = Field(default=True, description="name the speaker in each line")
    self_prefix: str = Field(default="Person 2", description="who replies")
    partner_prefix: str = Field(default="Person 1", description="name of the partner")
    self_memory_prefix: str = Field(
        default="Person 2's Persona", description="prefix of the replying speaker's memories"
    )
    partner_memory_prefix: str = Field(default="Person 1's Persona", description="prefix of the partner's memories")
    final_prefix: str = Field(
        default="", description="text that ends the prompt; if empty, the module's default ending is used"
    )
    final_prefix_space: bool = Field(default=False, description="add a space after the final prefix")

    def name_of(self, speaker: Speaker) -> str:
        """Return the name of a speaker."""
        return self.self_prefix if speaker is Speaker.SELF else self.partner_prefix


@dataclass(frozen=True)
class PromptLine:
    """One line of a conversation; `is_persona` is True if it describes a speaker instead of being spoken."""

    text: str
    is_persona: bool = False


@dataclass(frozen=True)
class PromptParts:
    """The parts of a prompt, from top to bottom; each sequence may be empty. `head` contains the instruction and the
    worked examples, and `before` and `after` contain the knowledge above and below the conversation.
    """

    head: Sequence[str] = ()
    before: Sequence[str] = ()
    lines: Sequence[str] = ()
    after: Sequence[str] = ()
    ending: str = ""

    @property
    def text(self) -> str:
        """Return the prompt. The ending is not repeated if the last line already has it."""
        body = "\n".join((*self.before, *self.lines, *self.after))
        if not body:
            body = self.ending
        elif body.rpartition("\n")[2] != self.ending.rstrip():
            body = f"{body}\n{self.ending}"
        return "\n\n".join((*self.head, body))


def lines_of(turns: Sequence[Turn], options: PrefixOptions) -> list[PromptLine]:
    """Return the lines of a conversation, oldest first. The partner's text may be a whole conversation: its first lines
    about a persona are kept; of the other lines, the last is the partner's, and the speakers alternate. A reply is
    always one line. Blank lines, silence and the request for an opening are dropped.
    """
    found: list[PromptLine] = []
    for turn in turns:
        if turn.speaker is Speaker.SELF:
            found.extend(_said(turn.text, Speaker.SELF, options))
            continue
        texts = _BLANK_LINES.sub("", turn.text).split("\n")
        personas = next((n for n, text in enumerate(texts) if not _is_persona(text, options)), len(texts))
        found.extend(PromptLine(text, is_persona=True) for text in texts[:personas])
        rest = texts[personas:]
        for n, text in enumerate(rest):
            speaker = Speaker.PARTNER if (len(rest) - n) % 2 else Speaker.SELF
            found.extend(_said(text, speaker, options))
    return found


def seen_by(module: Module, lines: Sequence[PromptLine], options: PrefixOptions) -> list[str]:
    """Return the lines that a module sees: all of them, or the last one; the memory decision also sees lines with
    memories.
    """
    if not TABLE[module].one_turn_history:
        return [line.text for line in lines]
    last = [line.text for line in lines if not line.is_persona][-1:]
    if module is Module.MDM and options.memory_decision_use_memories:
        return [line.text for line in lines if line.is_persona and line.text.startswith(_MEMORY)] + last
    return last


def shortened(parts: PromptParts, limit: int, count: CountTokens) -> PromptParts:
    """Drop the oldest lines of a prompt until it has fewer tokens than `limit`. Knowledge is kept, so the prompt may
    exceed the limit even if no lines are left.
    """

    def newest(kept: int) -> PromptParts:
        return replace(parts, lines=parts.lines[len(parts.lines) - kept :])

    kept = most_that_fit(len(parts.lines), lambda number: count(newest(number).text) < limit)
    return newest(kept)


def most_that_fit(number: int, fits: Callable[[int], bool]) -> int:
    """Return the largest count, up to `number`, that fits; 0 is assumed to fit, and so is any count below one that
    fits. Small counts are tried first, so that no more than twice the length that fits is ever measured.
    """
    low, high = 0, 1
    while high <= number and fits(high):
        low, high = high, 2 * high
    high = min(high, number + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _is_persona(text: str, options: PrefixOptions) -> bool:
    return any(mark in text for mark in (_PERSONA, options.self_memory_prefix, options.partner_memory_prefix))


def _said(text: str, speaker: Speaker, options: PrefixOptions) -> list[PromptLine]:
    if not text.strip() or text == OPENING or SILENCE in text:
        return []
    return [PromptLine(f"{options.name_of(speaker)}: {text}" if options.add_speaker_prefixes else text)]
