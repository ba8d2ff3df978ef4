"""Research agents that investigate a folder of documents and answer with proven quotes.

    from investigator import Investigator

    answer = Investigator("folder").ask("What was the revenue in 2023?")
    print(answer.status, answer.text)

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from investigator.engines.base import Embedder, Engine
    from investigator.engines.scripted import ScriptedEmbedder, ScriptedEngine
    from investigator.errors import InvestigatorError, RunError, UserError
    from investigator.investigator import Investigator
    from investigator.records import (
        Answer,
        AnswerStatus,
        Claim,
        Coverage,
        Event,
        Investigation,
        Memory,
        Plan,
        PlanStep,
        Quote,
        Reflection,
        Status,
        StopReason,
    )
    from investigator.research.history_selector import HistorySelector
    from investigator.research.memory_stream import MemoryStream
    from investigator.seed import Planner, Query, TacticalPlanning
    from investigator.settings import Settings, load_settings

__all__ = [
    "Answer",
    "AnswerStatus",
    "Claim",
    "Coverage",
    "Embedder",
    "Engine",
    "Event",
    "HistorySelector",
    "Investigation",
    "Investigator",
    "InvestigatorError",
    "Memory",
    "MemoryStream",
    "Plan",
    "PlanStep",
    "Planner",
    "Query",
    "Quote",
    "Reflection",
    "RunError",
    "ScriptedEmbedder",
    "ScriptedEngine",
    "Settings",
    "Status",
    "StopReason",
    "TacticalPlanning",
    "UserError",
    "load_settings",
]

_HOMES = {
    "investigator.investigator": ("Investigator",),
    "investigator.engines.base": ("Embedder", "Engine"),
    "investigator.engines.scripted": ("ScriptedEmbedder", "ScriptedEngine"),
    "investigator.errors": ("InvestigatorError", "RunError", "UserError"),
    "investigator.research.history_selector": ("HistorySelector",),
    "investigator.research.memory_stream": ("MemoryStream",),
    "investigator.seed": ("Planner", "Query", "TacticalPlanning"),
    "investigator.settings": ("Settings", "load_settings"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'investigator' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF.get(name, "investigator.records")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
