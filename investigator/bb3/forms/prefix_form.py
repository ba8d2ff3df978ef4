"""Writes prompts for the 30B and 175B models: lines with prefixes; the model continues the last line (seed:
bb3_agents). Models that were not fine-tuned also get an instruction and worked examples, which are the first paragraph
and the other paragraphs of `prompts/bb3/prefix/<module>.txt`. The instructions are worded like ParlAI's prompts
(ParlAI, MIT licence), as far as these are known; the examples are ours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import Field

from investigator.asking.templates import file_in, source_of
from investigator.bb3.exchange import ModuleRequest
from investigator.bb3.memory.text import OPENING
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module, Speaker, Turn
from investigator.engines.base import guessed_tokens
from investigator.errors import TemplateError
from investigator.records import Record
from investigator.resources import prompts_folder

CountTokens = Callable[[str], int]
"""Counts the tokens of a text."""
_SILENCE = "__SILENCE__"
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")
_WITH_MEMORIES = frozenset({Module.MKM, Module.GRM, Module.BRM, Module.ORM})
_WITH_DOCUMENTS = frozenset({Module.SKM, Module.GRM, Module.BRM})


class PrefixOptions(Record):
    """Options for the format of one module's prompts; without a `max_prompt_len`, that of the module table applies."""

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
        lines = [*self.before, *self.lines, *self.after]
        if not lines or lines[-1].rpartition("\n")[2] != self.ending.rstrip():
            lines.append(self.ending)
        return "\n\n".join((*self.head, "\n".join(lines)))


def prefix_prompt(
    request: ModuleRequest, options: PrefixOptions, count: CountTokens = guessed_tokens, folder: Path | None = None
) -> str:
    """Return the prompt for a request, within the token limit in the options; `folder` may contain custom instructions.
    If the prompt is too long, the oldest turns are dropped first, then the last documents and memories, which are the
    least relevant, and then more turns. The knowledge that a response must use is never dropped. As in BB3's training,
    a speaker's own turn is presented to mgm as the partner's turn. Raises TemplateError.
    """
    module, turns = request.module, request.turns
    if module is Module.MGM:
        turns = tuple(turn.changed(speaker=Speaker.PARTNER) for turn in turns[-1:])
    bare = shortened(
        prompt_parts(module, turns, options, folder), options.max_prompt_len or TABLE[module].max_prompt_len, count
    )
    kinds = ((Module.CRM, request.entity), (Module.MRM, request.memory), (Module.SRM, request.knowledge))
    given = (f"{TABLE[kind].knowledge_prefix}: {_joined_lines(text)}" for kind, text in kinds if text)
    parts = replace(bare, after=(*given, *bare.after))
    memories, documents = request.memories, request.documents

    def with_knowledge(kept: int) -> PromptParts:
        left = request.changed(memories=memories[:kept], documents=documents[: max(0, kept - len(memories))])
        return replace(parts, before=[*_memory_lines(left, options), *_document_lines(left, options)])

    kept = most_that_fit(
        len(memories) + len(documents), lambda kept: count(with_knowledge(kept).text) < options.max_total_len
    )
    return shortened(with_knowledge(kept), options.max_total_len, count).text


def prompt_parts(
    module: Module, turns: Sequence[Turn], options: PrefixOptions, folder: Path | None = None
) -> PromptParts:
    """Return the parts of a module's prompt that do not depend on knowledge. Raises TemplateError."""
    row = TABLE[module]
    head: list[str] = []
    if options.include_prompt:
        head = list(prefix_texts(module, folder)[: None if options.num_shots < 0 else options.num_shots + 1])
        if options.all_vanilla_prompt:
            head[0] = prefix_texts(Module.VRM, folder)[0]
    style = (f"Style: {options.insert_style}",) if options.insert_style and row.is_dialogue else ()
    ending = f"{options.final_prefix or row.final_prefix}:{' ' if options.final_prefix_space else ''}"
    return PromptParts(head=head, lines=_seen_by(module, turns, options), after=style, ending=ending)


def lines_of(turns: Sequence[Turn], options: PrefixOptions) -> list[tuple[str, bool]]:
    """Return the lines of a conversation, oldest first, each with True if it describes a speaker instead of being
    spoken. The partner's text may be a whole conversation: its first lines about a persona are kept; of the other
    lines, the last is the partner's, and the speakers alternate. A reply is always one line. Blank lines, silence and
    the request for an opening are dropped.
    """
    lines: list[tuple[str, bool]] = []
    marks = ("your persona", options.self_memory_prefix, options.partner_memory_prefix)
    for turn in turns:
        texts = [turn.text] if turn.speaker is Speaker.SELF else _BLANK_LINES.sub("", turn.text).split("\n")
        speaker, in_head = turn.speaker, turn.speaker is Speaker.PARTNER
        for number, text in enumerate(texts):
            in_head = in_head and any(mark in text for mark in marks)
            if in_head:
                lines.append((text, True))
                continue
            if turn.speaker is Speaker.PARTNER:
                speaker = Speaker.PARTNER if (len(texts) - number) % 2 else Speaker.SELF
            if text.strip() and text != OPENING and _SILENCE not in text:
                name = options.self_prefix if speaker is Speaker.SELF else options.partner_prefix
                lines.append((f"{name}: {text}" if options.add_speaker_prefixes else text, False))
    return lines


def shortened(parts: PromptParts, limit: int, count: CountTokens) -> PromptParts:
    """Drop the oldest lines until the prompt has fewer tokens than `limit`, or no lines are left; keep knowledge."""

    def newest(kept: int) -> PromptParts:
        return replace(parts, lines=parts.lines[len(parts.lines) - kept :])

    return newest(most_that_fit(len(parts.lines), lambda number: count(newest(number).text) < limit))


def most_that_fit(number: int, fits: Callable[[int], bool]) -> int:
    """Return the largest count, up to `number`, that fits; 0 is assumed to fit, and so is any count below one that
    fits. Small counts are tried first, so that no more than twice the length that fits is ever measured.
    """
    low = 0
    while (high := max(1, 2 * low)) <= number and fits(high):
        low = high
    return low + bisect_left(range(low + 1, min(high, number + 1)), True, key=lambda kept: not fits(kept))


@cache
def prefix_texts(module: Module, folder: Path | None = None) -> tuple[str, ...]:
    """Read the instruction of a module, followed by its worked examples, from a folder of templates, or else from the
    shipped templates. The last line of each example is the output. Raises TemplateError.
    """
    name = f"bb3/prefix/{module}.txt"
    path = (file_in(folder, name) if folder is not None else None) or prompts_folder() / name
    paragraphs = tuple(paragraph.strip() for paragraph in source_of(path).split("\n\n") if paragraph.strip())
    if not paragraphs:
        hint = "Write the instruction as the first paragraph of the file."
        raise TemplateError(f"{path} contains no instruction", hint=hint)
    return paragraphs


def _seen_by(module: Module, turns: Sequence[Turn], options: PrefixOptions) -> list[str]:
    """Return the lines that a module sees: all, or the last one and, for the memory decision, those with memories."""
    lines = lines_of(turns, options)
    if not TABLE[module].one_turn_history:
        return [text for text, _ in lines]
    last = [text for text, is_persona in lines if not is_persona][-1:]
    if module is Module.MDM and options.memory_decision_use_memories:
        fact = f"{TABLE[Module.MKM].final_prefix}:"
        return [text for text, is_persona in lines if is_persona and text.startswith(fact)] + last
    return last


def _document_lines(request: ModuleRequest, options: PrefixOptions) -> list[str]:
    """Return each document as one line with its title, of a limited number of words."""
    if request.module not in _WITH_DOCUMENTS:
        return []
    whole = [f"{document.title} | {_joined_lines(document.text)}" for document in request.documents]
    return [f"External Knowledge: {' '.join(text.split(' ')[: options.knowledge_chunk_size])}" for text in whole]


def _memory_lines(request: ModuleRequest, options: PrefixOptions) -> list[str]:
    """Return each memory as one line; for the memory decision, one line per speaker, starting with the replying one.
    Memories without a prefix belong to the partner.
    """
    if request.module in _WITH_MEMORIES:
        return [_joined_lines(memory) for memory in request.memories]
    if request.module is not Module.MDM or not options.memory_decision_use_memories:
        return []
    prefixes = {Speaker.SELF: options.self_memory_prefix, Speaker.PARTNER: options.partner_memory_prefix}
    texts: dict[Speaker, list[str]] = {speaker: [] for speaker in prefixes}
    for memory in request.memories:
        speaker = Speaker.SELF if memory.startswith(f"{options.self_memory_prefix}:") else Speaker.PARTNER
        texts[speaker].append(_joined_lines(memory.removeprefix(f"{prefixes[speaker]}:")))
    label = TABLE[Module.MKM].final_prefix
    return [f"{label}: {prefixes[who]}: {' '.join(facts)}" for who, facts in texts.items() if facts]


def _joined_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())
