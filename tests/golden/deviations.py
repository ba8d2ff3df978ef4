"""The rows to which each deliberate deviation from ParlAI applies. A deviation is a row of the table in
`DEVIATIONS.md`, and is named here by the beginning of its reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from golden_rows import BARE, Row

KNOWN_FIELDS = {"text", "id", "labels", "eval_labels", "label_candidates", "text_candidates", "reward", "episode_done"}
OUR_ESCAPES = re.compile(r"\\\\|\\u000d|\\_(?=_PIPE)")
NEEDS_OUR_ESCAPES = re.compile(r"[\\\r]|__PIPE(?:__|_?\|)")
NAMES_OF_OURS = {"exs", "precision", "recall", "rouge_1", "rouge_2", "rouge_L", "mrr"}
NAMES_OF_OURS |= {f"hits@{k}" for k in (1, 5, 10, 100)}
IRREGULAR = re.findall(
    r"(\w+):(\w+)",
    """children:child feet:foot teeth:tooth said:say told:tell found:find went:go gone:go knew:know
        known:know made:make came:come took:take taken:take given:give gave:give bought:buy brought:bring thought:think
        wrote:write written:write spoke:speak were:be been:be done:do felt:feel kept:keep sent:send sold:sell held:hold
        stood:stand lost:lose paid:pay built:build began:begin""",
)
KNOWN_TAGS = frozenset({"squad", "babi1k", "babi10k"})
"""Ids of tasks, folded, that the adapter's list has under the names that ParlAI gives them."""
BRINGS_WORLD = {"interactive", "self_chat", "blended_skill_talk", "wizard_of_wikipedia"}
WITH_KNOWLEDGE = frozenset({"skm", "mkm", "crm", "mrm", "srm", "grm", "brm"})
CARD = {"Chatbot": "bot", "Human": "human"}
"""The data card's words for the senders."""


def always(row: Row) -> bool:
    return True


def succeeds(row: Row) -> bool:
    return "ok" in row.expected


def expects(*words: str) -> Callable[[Row], bool]:
    """Return a test of whether the recorded result contains one of the words."""
    return lambda row: any(word in json.dumps(row.expected) for word in words)


def fails_with(*types: str) -> Callable[[Row], bool]:
    return expects(*(f'"type": "{name}"' for name in types))


fails = expects('"error": {')


def is_unnamed(row: Row) -> bool:
    """Return True if the row expects an error that the original did not raise on purpose."""
    return not {"RuntimeError"}.issuperset(re.findall('"error": {"type": "(\\w+)"', json.dumps(row.expected)))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def lines(row: Row) -> list[str]:
    content = row.input.get("content", row.input.get("line", ""))
    return [line for line in content.split("\n") if line.strip()]


def fields(row: Row) -> list[tuple[str, str, str]]:
    return [field.partition(":") for line in lines(row) for field in line.split("\t") if field]


def says_false(row: Row) -> bool:
    """Return True if a line states explicitly that it does not end an episode."""
    considered = [row.expected["ok"]["line"]] if row.kind == "roundtrip" and succeeds(row) else lines(row)
    ends = re.findall(
        r"(?m)(?:^|\t)episode_done:([^\t\n]*)", "\n".join(considered[: -1 if "content" in row.input else None])
    )
    return succeeds(row) and any(end.strip().lower() in ("false", "0", "no") for end in ends)


def has_escapes(row: Row) -> bool:
    written = texts(list(row.input.get("message", {}).values()))
    return succeeds(row) and any((*map(OUR_ESCAPES.search, lines(row)), *map(NEEDS_OUR_ESCAPES.search, written)))


def escapes_other_fields(row: Row) -> bool:
    read = [value for name, _, value in fields(row) if name not in KNOWN_FIELDS]
    written = [str(value) for name, value in row.input.get("message", {}).items() if name not in KNOWN_FIELDS]
    return succeeds(row) and any(
        (*(re.search(r"\\n|\\t|__PIPE__", value) for value in read), *(re.search("[\t\n|]", text) for text in written))
    )


def labels_of_nobody(row: Row) -> bool:
    speakers = ("secondspeaker", "firstspeaker", "both")
    return succeeds(row) and row.input.get("label_turns", "secondspeaker") not in speakers


def has_odd_text(row: Row) -> bool:
    parts = [part for line in lines(row) for part in json.loads(line)["dialog"]] if succeeds(row) else []
    turns = [turn for part in parts for turn in (part if isinstance(part, list) else [part])]
    return any(not isinstance(turn.get("text", ""), str | None) for turn in turns)


def irregular_forms_meet(row: Row) -> bool:
    """Return True if the guess or the only answer has an irregular form, and the other one its base."""
    answers = row.input["answers"]
    guess, answer = (set(re.findall("[a-z]+", text.lower())) for text in (row.input["guess"], " ".join(answers)))
    own, other = guess - answer, answer - guess
    pairs = [pair for form, base in IRREGULAR for pair in ((form, base), (base, form))]
    return len(answers) == 1 and any(mine in own and theirs in other for mine, theirs in pairs)


def in_a_turn(applies: Callable[[Any], object]) -> Callable[[Row], bool]:
    return lambda row: any(applies(turn) for turn in row.input["turns"])


def task_of(row: Row) -> str:
    return str(row.input.get("task", row.input.get("arg", "")) or "")


def names_unlisted_tag(row: Row) -> bool:
    tags = [task[1:].lower().replace("-", "") for task in task_of(row).split(",") if task.startswith("#")]
    return row.kind == "tag_counts" or (succeeds(row) and any(tag not in KNOWN_TAGS for tag in tags))


def weighs_nothing(row: Row) -> bool:
    return succeeds(row) and bool(re.search(r"(^|,)\s*(-|\+?inf|nan)", task_of(row).lower()))


def hides_world(row: Row) -> bool:
    task, further, _ = task_of(row).partition(":")
    return bool(further) and task in BRINGS_WORLD and str(row.expected.get("ok", "")).startswith("parlai.core.")


def conditioned(how: str) -> Callable[[Row], bool]:
    return lambda row: row.input["overrides"].get("knowledge_conditioning") == how


def lost_knowledge(row: Row) -> bool:
    """Return True if the recorded prompt has no turns, and therefore no knowledge."""
    prompt = row.expected.get("ok", row.expected).get("prompt", "")
    substitutes = row.input.get("include_substitution_tokens", True)
    return row.input["module"] in WITH_KNOWLEDGE and substitutes and "__REPLACE_ME_" not in prompt


def needs_examples(row: Row) -> bool:
    options = row.input.get("overrides", row.input)
    return row.kind in ("module_instruction", "shots_meta") or bool(options.get("include_prompt"))


def joins_kinds(row: Row) -> bool:
    """Return True if one context of the small model contains several kinds of knowledge."""
    contexts = [call["context"] for step in row.expected["turns"] for call in step["calls"]]
    return any(sum(mark in text for mark in ("__entity__", "__memory__", "__knowledge__")) > 1 for text in contexts)


def is_cut(row: Row) -> bool:
    """Return True if a prompt for knowledge lacks the best document, or a reply's prompt has lost all its lines."""
    for turn, step in zip(row.input["turns"], row.expected["turns"], strict=True):
        best = (turn.get("search", row.input["default_search_docs"]) or [None])[0]
        for call in step["calls"]:
            if call["prompt"] == "Person 2:":
                return True
            if call["agent"] == "skm" and best and f"{best.get('title', '')} |" not in call["prompt"]:
                return True
    return False


def names_no_persona(row: Row) -> bool:
    memory = str(row.input["new_memory"])
    return memory != "no persona" and memory.strip(" .!").lower() == "no persona" and row.expected.get("ok") is True


def sender(message: Any) -> str:
    return CARD.get(message["sender"], message["sender"])


def fails_without_safety(row: Row) -> bool:
    messages = row.input["conversation"]["message_history"]
    return fails(row) and any(sender(message) == "human" and not message.get("safety") for message in messages)


def labels_in_the_card_s_words(row: Row) -> bool:
    """Return True if a message whose sender has the card's name would become a label."""
    messages, teacher = row.input["conversation"]["message_history"], row.input["teacher"]
    unsafe = any(
        sender(message) == "human" and any(value != "__ok__" for value in (message.get("safety") or {}).values())
        for message in messages
    )
    return not (teacher == "filter_adversarial" and unsafe) and any(
        message["sender"] in CARD
        and sender(message) == row.input["label_agent"]
        and (teacher != "crowdworkers" or message.get("mturk") is not None)
        for message in messages[1:]
    )


APPLIES: Mapping[str, Callable[[Row], bool]] = {
    "wrong use that raises": is_unnamed,
    "a Python error becomes": fails_with(*BARE),
    # messages, the text format, conversations
    "the values False, 0 and no": says_false,
    "a backslash is written": has_escapes,
    "other fields are unescaped": escapes_other_fields,
    "a field without a name": lambda row: (
        succeeds(row) and any(not colon or not name for name, colon, _ in fields(row))
    ),
    "a line that contains only spaces": lambda row: (
        fails_with("ValueError")(row) and any(line and not line.strip() for line in row.input["content"].split("\n"))
    ),
    "Windows line ends": lambda row: (
        "\r\n" in row.input["content"] and any(t.endswith("\r") for t in texts(row.expected))
    ),
    "a missing value is not written": lambda row: (
        succeeds(row)
        and any(value is None or (isinstance(value, list) and None in value) for value in row.input["message"].values())
    ),
    "a field whose name could not": lambda row: (
        succeeds(row) and any(not name or set(name) & set(":\t\n\r") for name in row.input["message"])
    ),
    "an unknown value of label_turns": labels_of_nobody,
    "a text of the wrong type": has_odd_text,
    # metrics
    "irregular forms count": irregular_forms_meet,
    "without labels, no reply": in_a_turn(
        lambda turn: not turn.get("labels") and {"text", "text_candidates"} & set(turn["response"])
    ),
    "the evaluator also computes MRR": in_a_turn(lambda turn: turn["response"].get("text_candidates") is not None),
    "a reply's own metric": in_a_turn(lambda turn: NAMES_OF_OURS & set(turn["response"].get("metrics") or {})),
    "spaces around names": lambda row: any(name != name.strip() or not name for name in row.input["arg"].split(",")),
    # teachers, task strings, worlds
    "training without data ends": fails_with("ZeroDivisionError"),
    "data that starts over never ends": lambda row: (
        succeeds(row)
        and row.input["datatype"] == "train:stream"
        and any(act["epoch_done"] for act in row.expected["ok"])
    ),
    "padding after the end": lambda row: (
        succeeds(row) and any(act["padding"] and act["id"] is not None for act in row.expected["ok"]["acts"])
    ),
    "the text after a second =": lambda row: any(part.count("=") > 1 for part in task_of(row).split(":")),
    "a tag selects the tasks": names_unlisted_tag,
    "an unknown task or teacher": fails_with("AttributeError", "ModuleNotFoundError", "ImportError"),
    "an empty teacher name": fails_with("IndexError"),
    "a weight below 0": weighs_nothing,
    "a task's own world is used": hides_world,
    "agents without their own episode_done": fails_with("AttributeError"),
    "no world loads in the background": expects("BackgroundDriverWorld"),
    "batches have a fixed size": lambda row: "dynamic" in json.dumps(row.input) + row.kind,
    "an act without an id": fails_with("KeyError"),
    "the recorded world executes": always,
    # BB3
    "examples for": needs_examples,
    "each of our examples": lambda row: row.input["module"] == "mdm" and row.input["num_shots"] == -1,
    "knowledge is kept": lost_knowledge,
    "a failure is reported in our own words": expects('"first": "Got a bad'),
    "the likeliest of several replies": conditioned("separate"),
    "knowledge_conditioning=both works": conditioned("both"),
    "a repeated memory": fails_with("AssertionError"),
    "the last documents of a long prompt": is_cut,
    "each conversation has its own documents": lambda row: any(
        not reply.get("search_knowledge_doc_titles") for reply in row.expected["ok"]["replies"]
    ),
    "each kind of knowledge": joins_kinds,
    "a memory that the model made up": fails_with("AssertionError"),
    "an ended episode leaves": lambda row: any(turn.get("episode_done") for turn in row.input["turns"][:-1]),
    "the U of U.S.": lambda row: "u.s." in row.input["text"].lower(),
    "a memory without an owner": fails,
    "No persona.": names_no_persona,
    "Personally, I": lambda row: (
        row.input["model_type"] == "OPT" and bool(re.match(r"Person(?! [12])", row.input["memory"]))
    ),
    "a memory that a model made up": fails,
    "a memory that is already stored": fails,
    "words are not joined": lambda row: bool(re.search(r"\S (You|Partner): \S", row.input["text"])),
    "an empty query": lambda row: not row.input.get("query", "q").strip(),
    "a silent server": lambda row: bool(row.input.get("exc")),
    "a page without content": fails_with("KeyError"),
    "an invalid response": fails,
    "a server that keeps failing": lambda row: row.input["bad_500_replies_before_a_good_one"] >= 3,
    "a long text is cut": lambda row: row.input["ranker"] == "woi_chunk_retrieved_docs",
    "a document has no texts": always,
    "a message without a safety": fails_without_safety,
    "the data card's words": labels_in_the_card_s_words,
}
