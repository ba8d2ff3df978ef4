"""Reflection: determines what is known and unknown about each term (not defined in the seed).

What is still unknown determines the next plan.
"""

from __future__ import annotations

from collections.abc import Sequence

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_reflect
from investigator.records import Knowledge, KnownInfo, Memory, Need, ReflectReply, ReflectVariables


def reflect(client: EngineClient, request: ReflectVariables) -> tuple[Knowledge, ...]:
    """Return the knowledge about each term from the memories; without memories, everything is unknown and no engine is
    called.

    Knowledge that no memory supports is dropped, because an engine must not claim more than the documents say. Raises
    EngineError, and the signal BudgetSpent.
    """
    reading = (
        client.ask("reflection/reflect", request, ReflectReply, smaller=less_to_reflect) if request.memories else None
    )
    if reading is None or reading.value is None:
        return all_unknown(request.needs)
    return tuple(grounded(item, request.memories) for item in reading.value.knowledge)


def all_unknown(needs: Sequence[Need]) -> tuple[Knowledge, ...]:
    """Return knowledge that marks every need as unknown."""
    return tuple(
        Knowledge(term=need.term, unknown_infos=(f"what the documents say about {need.term}",)) for need in needs
    )


def grounded(knowledge: Knowledge, history: Sequence[Memory]) -> Knowledge:
    """Return the knowledge without facts that no memory supports; the remaining facts cite existing memories and
    documents.
    """
    by_id = {memory.id: memory for memory in history}
    infos = []
    for info in knowledge.known_infos:
        cited = [by_id[i] for i in info.memory_ids if i in by_id]
        cited = cited or [m for m in history if m.target_document_id in info.document_ids]
        if cited:
            infos.append(_resting_on(info, cited))
    return knowledge.changed(known_infos=tuple(infos))


def _resting_on(info: KnownInfo, memories: Sequence[Memory]) -> KnownInfo:
    """Limit the point of a known fact to that of the best memory that supports it."""
    highest = max(memory.point or 0 for memory in memories)
    return info.changed(
        point=min(info.point, highest),
        memory_ids=tuple(memory.id for memory in memories),
        document_ids=tuple(dict.fromkeys(memory.target_document_id for memory in memories)),
    )
