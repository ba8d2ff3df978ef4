"""Recorded behaviour of worlds from which our code deviates on purpose, with the reasons."""

from __future__ import annotations

import json

from golden_rows import Deviation, Ground

_FIXED = "batches have a fixed size, because no model is trained here"

DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "worlds",
        "multi_agent",
        "agents without their own episode_done crash the recorded world; ours checks their last acts",
        lambda row: "AttributeError" in json.dumps(row.expected),
        Ground.ASKED,
    ),
    Deviation(
        "worlds",
        "create_task",
        "no world loads in the background: teachers with large data do that themselves",
        lambda row: row.expected.get("ok") == "BackgroundDriverWorld",
        Ground.SHIPPED,
    ),
    *(
        Deviation("worlds", kind, _FIXED, lambda row: "dynamic" in json.dumps(row.input) + row.kind, Ground.SHIPPED)
        for kind in ("create_task", "dynamic_batch_init")
    ),
    Deviation(
        "worlds_legacy",
        "executable_default",
        "an act without an id crashes the recorded world; ours gives it the id of its agent",
        lambda row: "KeyError" in json.dumps(row.expected),
        Ground.CRASH,
    ),
    Deviation(
        "worlds_legacy",
        "executable_batch",
        "the recorded world executes the act of another row; ours executes each row's own act",
        lambda row: True,
    ),
)
