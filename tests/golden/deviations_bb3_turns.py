"""Turns in which our code deviates on purpose."""

from __future__ import annotations

from typing import Any

from golden_rows import Deviation, Ground, Row

LARGE = "bb3_opt_turns"
SMALL = "bb3_3b_turns"


def conditioned(row: Row, how: str) -> bool:
    return bool(row.input["overrides"].get("knowledge_conditioning") == how)


def steps(row: Row) -> list[Any]:
    return list(row.expected["turns"])


def kinds_of(row: Row) -> int:
    """Return the largest number of kinds of knowledge in one context of the small model."""
    contexts = [call["context"] for step in steps(row) for call in step["calls"]]
    marks = ("__entity__", "__memory__", "__knowledge__")
    return max((sum(mark in text for mark in marks) for text in contexts), default=0)


def ends_early(row: Row) -> bool:
    return any(turn.get("episode_done") for turn in row.input["turns"][:-1])


def cut(row: Row) -> bool:
    """Return True if a prompt for knowledge lacks the best document, or a reply's prompt has lost all its lines."""
    for turn, step in zip(row.input["turns"], steps(row), strict=True):
        found = turn.get("search", row.input["default_search_docs"])
        for call in step["calls"]:
            if call["agent"] == "skm" and found and f"{found[0].get('title', '')} |" not in call["prompt"]:
                return True
            if call["prompt"] == "Person 2:":
                return True
    return False


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        LARGE,
        "conversation",
        "the likeliest of several replies is used; the original uses the least likely one, contrary to its own comment",
        lambda row: conditioned(row, "separate"),
        Ground.ASKED,
    ),
    Deviation(
        LARGE,
        "conversation",
        "knowledge_conditioning=both works; the original stops with an error",
        lambda row: conditioned(row, "both"),
        Ground.CRASH,
    ),
    Deviation(
        LARGE,
        "conversation",
        "examples for raw models are our own texts, as are instructions that were not recorded",
        lambda row: bool(row.input["overrides"].get("include_prompt")),
        Ground.SHIPPED,
    ),
    Deviation(
        LARGE,
        "conversation",
        "a repeated memory does not end the conversation with an error",
        lambda row: any(step.get("error", {}).get("type") == "AssertionError" for step in steps(row)),
        Ground.CRASH,
    ),
    Deviation(
        LARGE,
        "conversation",
        "the last documents of a long prompt are dropped, not the best, and knowledge stays if the history is cut",
        cut,
        Ground.ASKED,
    ),
    Deviation(
        LARGE,
        "batch_of_two",
        "each conversation has its own documents; the original counts them in the order of the searches",
        lambda row: any(not reply.get("search_knowledge_doc_titles") for reply in row.expected["ok"]["replies"]),
        Ground.ASKED,
    ),
    Deviation(
        SMALL,
        "conversation",
        "each kind of knowledge has its own line, as in the README",
        lambda row: kinds_of(row) > 1,
        Ground.ASKED,
    ),
    Deviation(
        SMALL,
        "conversation",
        "a memory that the model made up does not end the conversation with an error",
        lambda row: any(step.get("error", {}).get("type") == "AssertionError" for step in steps(row)),
        Ground.ASKED,
    ),
    Deviation(
        SMALL,
        "conversation",
        "an ended episode leaves no empty turns behind",
        ends_early,
    ),
)
