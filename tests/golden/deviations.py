"""Recorded behaviour from which our code deviates on purpose, by kind of row, with the reasons. Each deviation is also
shown by a separate test.
"""

from __future__ import annotations

import deviations_agents
import deviations_bb3_memory
import deviations_bb3_prompts
import deviations_bb3_turns
import deviations_bb3x
import deviations_metrics
import deviations_tasks
import deviations_teachers
import deviations_worlds
from golden_rows import Deviation

DEVIATIONS: tuple[Deviation, ...] = (
    *deviations_agents.DEVIATIONS,
    *deviations_bb3_memory.DEVIATIONS,
    *deviations_bb3_memory.SEARCH_DEVIATIONS,
    *deviations_bb3_prompts.DEVIATIONS,
    *deviations_bb3_turns.DEVIATIONS,
    *deviations_bb3x.DEVIATIONS,
    *deviations_metrics.DEVIATIONS,
    *deviations_tasks.DEVIATIONS,
    *deviations_teachers.DEVIATIONS,
    *deviations_worlds.DEVIATIONS,
)
