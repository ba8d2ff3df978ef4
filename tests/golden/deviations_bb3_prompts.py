"""Prompts and decoding of the BB3 modules that deviate from the recordings, with the reasons."""

from __future__ import annotations

from golden_rows import Deviation, Ground, Row

_OWN_TEXTS = "examples for models without fine-tuning are our own texts, as are instructions that were not recorded"
_KEPT = "knowledge is kept even if there is no turn, or no room for one"
_WORDS = "a failure is reported in our own words, with the address and the server's response"
_WITH_KNOWLEDGE = frozenset({"skm", "mkm", "crm", "mrm", "srm", "grm", "brm"})


def _lost_knowledge(row: Row) -> bool:
    """Return True if the recorded prompt has no turns, and therefore no knowledge."""
    prompt = row.expected["prompt"] if "prompt" in row.expected else row.expected.get("ok", {}).get("prompt", "")
    substitutes = row.input.get("include_substitution_tokens", True)
    return row.input["module"] in _WITH_KNOWLEDGE and substitutes and "__REPLACE_ME_" not in prompt


def _failed_in_other_words(row: Row) -> bool:
    return any(str(result.get("first", "")).startswith("Got a bad") for result in row.expected["ok"]["results"])


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation("bb3_opt_prompts", "module_instruction", _OWN_TEXTS, lambda row: True, Ground.SHIPPED),
    Deviation("bb3_opt_prompts", "shots_meta", _OWN_TEXTS, lambda row: True, Ground.SHIPPED),
    Deviation(
        "bb3_opt_prompts", "variant", _OWN_TEXTS, lambda row: bool(row.input.get("include_prompt")), Ground.SHIPPED
    ),
    Deviation(
        "bb3_opt_prompts",
        "shots_layout",
        "each of our examples is a decision; one recorded example is labelled in the middle",
        lambda row: row.input["module"] == "mdm" and row.input["num_shots"] == -1,
        Ground.SHIPPED,
    ),
    Deviation("bb3_opt_prompts", "empty_history", _KEPT, _lost_knowledge, Ground.ASKED),
    Deviation("bb3_opt_prompts", "variant", _KEPT, _lost_knowledge, Ground.ASKED),
    Deviation("bb3_search", "completions_api", _WORDS, _failed_in_other_words),
)
