"""Writes prompts for the 30B and 175B models: lines with prefixes; the model continues the last line (seed:
bb3_agents). Models that were not fine-tuned also get an instruction and worked examples, which are the first paragraph
and the other paragraphs of `prompts/bb3/prefix/<module>.txt`. The instructions are worded like ParlAI's prompts
(ParlAI, MIT licence), as far as these are known; the examples are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from investigator.asking.templates import file_in, source_of
from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.forms.gpt2_tokens import CountTokens
from investigator.bb3.forms.prefix_history import (
    PrefixOptions,
    PromptParts,
    lines_of,
    most_that_fit,
    seen_by,
    shortened,
)
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module, Speaker, Turn
from investigator.errors import TemplateError
from investigator.records import Record
from investigator.resources import prompts_folder

_FOLDER = "bb3/prefix"
_WITH_MEMORIES = frozenset({Module.MKM, Module.GRM, Module.BRM, Module.ORM})
_WITH_DOCUMENTS = frozenset({Module.SKM, Module.GRM, Module.BRM})


def prefix_prompt(
    request: ModuleRequest, options: PrefixOptions, count: CountTokens, folder: Path | None = None
) -> str:
    """Return the prompt for a request, within the token limit in the options; `folder` may contain custom instructions.
    If the prompt is too long, the oldest turns are dropped first, then the last documents and memories, which are the
    least relevant, and then more turns. The knowledge that a response must use is never dropped. Raises TemplateError.
    """
    module = request.module
    limit = options.max_prompt_len or TABLE[module].max_prompt_len
    bare = shortened(prompt_parts(module, request.turns, options, folder), limit, count)
    parts = replace(bare, after=(*_conditions(request), *bare.after))

    def with_knowledge(kept: int) -> PromptParts:
        memories = request.memories[:kept]
        documents = request.documents[: max(0, kept - len(request.memories))]
        return replace(parts, before=_above(module, memories, documents, options))

    def fits(kept: int) -> bool:
        return count(with_knowledge(kept).text) < options.max_total_len

    kept = most_that_fit(len(request.memories) + len(request.documents), fits)
    return shortened(with_knowledge(kept), options.max_total_len, count).text


def prompt_parts(
    module: Module, turns: Sequence[Turn], options: PrefixOptions, folder: Path | None = None
) -> PromptParts:
    """Return the parts of a module's prompt that do not depend on knowledge. Raises TemplateError."""
    row = TABLE[module]
    head: tuple[str, ...] = ()
    if options.include_prompt:
        texts = prefix_texts(module, folder)
        if options.all_vanilla_prompt:
            texts = texts.changed(instruction=prefix_texts(Module.VRM, folder).instruction)
        head = texts.head(options.num_shots)
    style = (f"Style: {options.insert_style}",) if options.insert_style and row.is_dialogue else ()
    ending = f"{options.final_prefix or row.final_prefix}:{' ' if options.final_prefix_space else ''}"
    lines = seen_by(module, lines_of(turns, options), options)
    return PromptParts(head=head, lines=lines, after=style, ending=ending)


class PrefixTexts(Record):
    """The text at the top of a module's prompt. The last line of each example is the output."""

    instruction: str
    shots: tuple[str, ...] = ()

    def head(self, num_shots: int) -> tuple[str, ...]:
        """Return the instruction and the first `num_shots` examples; -1 means all."""
        return (self.instruction, *(self.shots if num_shots < 0 else self.shots[:num_shots]))


@cache
def prefix_texts(module: Module, folder: Path | None = None) -> PrefixTexts:
    """Read a module's texts from a folder of templates, or else from the shipped templates. Raises TemplateError."""
    name = f"{_FOLDER}/{module}.txt"
    path = (file_in(folder, name) if folder is not None else None) or prompts_folder() / name
    text = source_of(path)
    paragraphs = [paragraph.strip() for paragraph in text.split("\n\n") if paragraph.strip()]
    if not paragraphs:
        raise TemplateError(
            f"{path} contains no instruction", hint="Write the instruction as the first paragraph of the file."
        )
    return PrefixTexts(instruction=paragraphs[0], shots=tuple(paragraphs[1:]))


def document_line(document: SearchDocument, words: int) -> str:
    """Return a document as one line of at most `words` words, including its title."""
    text = " ".join(line.strip() for line in document.text.splitlines() if line.strip())
    return f"External Knowledge: {' '.join(f'{document.title} | {text}'.split(' ')[:words])}"


def _conditions(request: ModuleRequest) -> tuple[str, ...]:
    """Return a line for each kind of knowledge for a response, in BB3's order."""
    kinds = ((Module.CRM, request.entity), (Module.MRM, request.memory), (Module.SRM, request.knowledge))
    return tuple(f"{TABLE[module].knowledge_prefix}: {_joined_lines(text)}" for module, text in kinds if text)


def _above(
    module: Module, memories: Sequence[str], documents: Sequence[SearchDocument], options: PrefixOptions
) -> tuple[str, ...]:
    if module is Module.MDM:
        return _grouped(memories, options) if options.memory_decision_use_memories else ()
    told = [_joined_lines(memory) for memory in memories] if module in _WITH_MEMORIES else []
    found = [document_line(document, options.knowledge_chunk_size) for document in documents]
    return (*told, *(found if module in _WITH_DOCUMENTS else ()))


def _grouped(memories: Sequence[str], options: PrefixOptions) -> tuple[str, ...]:
    """Return one line of memories per speaker, starting with the replying speaker; memories without a prefix belong to
    the partner.
    """
    prefixes = {Speaker.SELF: options.self_memory_prefix, Speaker.PARTNER: options.partner_memory_prefix}
    texts: dict[Speaker, list[str]] = {speaker: [] for speaker in prefixes}
    for memory in memories:
        speaker = Speaker.SELF if memory.startswith(f"{options.self_memory_prefix}:") else Speaker.PARTNER
        texts[speaker].append(_joined_lines(memory.removeprefix(f"{prefixes[speaker]}:")))
    label = TABLE[Module.MKM].final_prefix
    return tuple(f"{label}: {prefixes[who]}: {' '.join(said)}" for who, said in texts.items() if said)


def _joined_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())
