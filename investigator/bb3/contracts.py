"""The contracts of the chat's templates, and what answers them without a language model."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.asking.contracts import METHOD, Contract
from investigator.bb3.records import (
    DecisionReply,
    FactReply,
    FactsVariables,
    KnowledgeReply,
    Module,
    PassagesVariables,
    PhraseReply,
    ResponseReply,
    ResponseVariables,
    TurnsVariables,
)

_MODULES: Mapping[Module, Contract] = {
    Module.SDM: Contract(TurnsVariables, DecisionReply),
    Module.MDM: Contract(FactsVariables, DecisionReply),
    Module.SGM: Contract(TurnsVariables, PhraseReply),
    Module.MGM: Contract(TurnsVariables, PhraseReply),
    Module.CKM: Contract(TurnsVariables, PhraseReply),
    Module.MKM: Contract(FactsVariables, FactReply),
    Module.SKM: Contract(PassagesVariables, KnowledgeReply),
    Module.CRM: Contract(ResponseVariables, ResponseReply),
    Module.MRM: Contract(ResponseVariables, ResponseReply),
    Module.SRM: Contract(ResponseVariables, ResponseReply),
    Module.VRM: Contract(TurnsVariables, ResponseReply),
    Module.GRM: Contract(ResponseVariables, ResponseReply),
    Module.ORM: Contract(FactsVariables, ResponseReply),
    Module.BRM: Contract(ResponseVariables, ResponseReply),
}
CONTRACTS: Mapping[str, Contract] = {**METHOD, **{module.template: found for module, found in _MODULES.items()}}
"""The contracts of all templates that a chat uses: its own and those of the method."""
