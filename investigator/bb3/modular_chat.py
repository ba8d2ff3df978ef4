"""Takes a turn of BB3, module by module (seed: bb3_agents): decides, searches, remembers what the partner said, selects
knowledge, replies, and remembers what it said itself. If several conversations take a turn together, each step calls
its module once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chat_options import ChatOptions, Conditioning, Decide
from investigator.bb3.exchange import FAILED, DocumentSearch, ModuleReply, ModuleRequest, Modules, only_asks
from investigator.bb3.module_table import Family
from investigator.bb3.records import Module, Speaker
from investigator.bb3.turn_draft import RESPONSE_OF, LiveConversation, TurnDraft
from investigator.errors import InvestigatorError

_OPENING_TRIES = 3
_NAME = re.compile(r"Person [12](?:['’]s(?: Persona)?)?(?:\s*:\s*)?")
"""Matches a speaker's name, with the suffix that introduces a memory or a turn."""

Inputs = Callable[[TurnDraft], Mapping[str, object]]
"""Returns the inputs of a module beside the turns."""


@dataclass(frozen=True)
class ModularChat:
    """Takes the bot's turns; use a conversation in one thread at a time. Without a `search`, nothing is found."""

    modules: Modules
    family: Family
    options: ChatOptions
    search: DocumentSearch | None = None

    def reply(self, conversations: Sequence[LiveConversation]) -> list[TurnDraft]:
        """Reply to the last turn of each conversation, and add each non-empty reply to its conversation as the next
        turn. Raises EngineError, StoreError, BudgetSpent.
        """
        drafts = [TurnDraft(conversation) for conversation in conversations]
        self._decide(drafts)
        informed = (draft.uses_search or draft.uses_memory or draft.uses_entity for draft in drafts)
        is_plain = self.family.plain_without_knowledge and not all(informed)
        if is_plain:
            for draft, reply in self._ask(Module.VRM, drafts):
                draft.choose(reply, Module.VRM)
        else:
            steps = (self._remember_partner, self._find)
            for step in steps if self.family.memory_first else reversed(steps):
                step(drafts)
            self._know(drafts)
            self._respond(drafts)
        spoken = [draft for draft in drafts if draft.chosen is not None and not draft.chosen.failed]
        for draft in spoken:
            draft.conversation.say(draft.chosen.text if draft.chosen else "")
        if not is_plain:
            self._remember_own(spoken)
        return drafts

    def open(self, conversation: LiveConversation) -> TurnDraft:
        """Open a conversation using memories about the partner."""
        draft = TurnDraft(conversation)
        request = _request(draft, Module.ORM, turns=(), memories=tuple(conversation.memories.texts()))
        for _ in range(_OPENING_TRIES):
            (reply,) = self.modules.ask([request])
            if not _NAME.search(reply.text):
                break
        draft.choose(reply.changed(text=_NAME.sub("", reply.text)), Module.ORM)
        if not reply.failed:
            conversation.say(_NAME.sub("", reply.text))
        return draft

    def _decide(self, drafts: Sequence[TurnDraft]) -> None:
        options = self.options
        for draft in drafts:
            draft.uses_search = options.search_decision is Decide.ALWAYS
            draft.uses_memory = options.memory_decision is Decide.ALWAYS
        if options.search_decision is Decide.COMPUTE:
            for draft, reply in self._ask(Module.SDM, drafts):
                draft.decisions["search_decision"], draft.uses_search = reply.text, bool(reply.needed)
        if options.memory_decision is Decide.COMPUTE:
            known = [draft for draft in drafts if not self.family.few_calls or draft.conversation.memories.texts()]
            for draft, reply in self._ask(Module.MDM, known, self._shown_memories):
                draft.decisions["memory_decision"], draft.uses_memory = reply.text, bool(reply.needed)
        for draft in drafts:
            if draft.uses_memory:
                draft.available = draft.conversation.memories.available(draft.turns[-1].text if draft.turns else "")
                draft.uses_memory = bool(draft.available)
            topics, is_bare = options.contextual_knowledge_decision, not (draft.uses_search or draft.uses_memory)
            draft.uses_entity = topics is Decide.ALWAYS or (topics is Decide.COMPUTE and is_bare)

    def _shown_memories(self, draft: TurnDraft) -> Mapping[str, object]:
        shows = self.options.memory_decision_use_memories
        return {"memories": tuple(draft.conversation.memories.texts()) if shows else ()}

    def _remember_partner(self, drafts: Sequence[TurnDraft]) -> None:
        telling = [draft for draft in drafts if not self.family.few_calls or not only_asks(draft.turns[-1].text)]
        for draft, reply in self._ask(Module.MGM, telling):
            draft.partner_memory = reply.text

    def _find(self, drafts: Sequence[TurnDraft]) -> None:
        """Create queries and fetch documents; a draft for which nothing is found uses the topic instead."""
        for draft, reply in self._ask(Module.SGM, [draft for draft in drafts if draft.uses_search]):
            if reply.failed:
                draft.uses_search = draft.uses_entity = draft.uses_memory = False
                draft.query = reply.text.strip()
                continue
            if reply.text:
                lines = filter(None, map(str.strip, reply.text.splitlines()))
                draft.query = "\n".join(f"{line} {self.options.inject_query_string}".strip() for line in lines)
            if draft.query and self.search is not None:
                try:
                    draft.documents = self.search.search(draft.query, self.options.n_docs)
                except InvestigatorError as error:  # a failed search must not end the conversation
                    draft.problems["search_problem"] = error.message
            if not draft.documents:
                draft.uses_search, draft.uses_entity, draft.problems["search_result_failure"] = False, True, True

    def _know(self, drafts: Sequence[TurnDraft]) -> None:
        for draft, reply in self._ask(Module.CKM, [draft for draft in drafts if draft.uses_entity]):
            draft.entity = "" if reply.failed else reply.text
        searched = [draft for draft in drafts if draft.uses_search]
        for draft, reply in self._ask(
            Module.SKM, searched, lambda draft: {"query": draft.query, "documents": tuple(draft.documents)}
        ):
            draft.knowledge, draft.quotes = ("", ()) if reply.failed else (reply.text, reply.quotes)
            draft.problems["source_problem"] = reply.source_problem
        recalling = [draft for draft in drafts if draft.uses_memory]
        for draft, reply in self._ask(Module.MKM, recalling, lambda draft: {"memories": tuple(draft.available)}):
            draft.memory = "" if reply.failed else reply.text
            draft.memories_used = [memory for memory in draft.available if memory in (reply.memories or (reply.text,))]

    def _respond(self, drafts: Sequence[TurnDraft]) -> None:
        conditioning = self.options.knowledge_conditioning
        if conditioning is not Conditioning.SEPARATE:
            self._respond_combined(drafts)
        if conditioning is not Conditioning.COMBINED:
            self._respond_separately([draft for draft in drafts if draft.kinds or draft.combined is None])
        for draft in drafts:
            draft.choose_best()

    def _respond_combined(self, drafts: Sequence[TurnDraft]) -> None:
        requests = []
        for draft in drafts:
            kinds = draft.kinds
            module = RESPONSE_OF[kinds[0]] if kinds else self._bare(draft)
            alone = self.family.one_voice and len(kinds) < 2
            by = Module.SRM if alone else self.options.combined_dialogue_module if kinds else self._voice(module)
            requests.append(_response(draft, module, by, kinds))
        for draft, request, reply in zip(drafts, requests, self._replies(requests), strict=True):
            draft.combined = reply
            if self.family.one_voice:
                draft.replies[request.module] = reply

    def _respond_separately(self, drafts: Sequence[TurnDraft]) -> None:
        kind_of = {module: kind for kind, module in RESPONSE_OF.items()}
        order = [(module, kind_of[module]) for module in self.family.separate_order]
        groups = [[(draft, module, [kind]) for draft in drafts if kind in draft.kinds] for module, kind in order]
        groups.append([(draft, self._bare(draft), []) for draft in drafts if not draft.kinds])
        for group in groups:
            requests = [_response(draft, module, self._voice(module), kinds) for draft, module, kinds in group]
            for (draft, module, _), reply in zip(group, self._replies(requests), strict=True):
                draft.replies[module] = reply

    def _replies(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        return self.modules.ask(requests) if requests else ()

    def _bare(self, draft: TurnDraft) -> Module:
        """Return the module that replies without knowledge."""
        return self.family.without_knowledge if draft.query else self.family.unasked

    def _voice(self, module: Module) -> Module:
        return Module.SRM if self.family.one_voice else module

    def _remember_own(self, drafts: Sequence[TurnDraft]) -> None:
        """Store the speaker's own memories, then the partner's, in the same order as the original. Replies that quote
        documents or were written by rules create no memories about the speaker. A failure here keeps the replies.
        """
        unquoted = [draft for draft in drafts if draft.chosen and not (draft.chosen.quotes or draft.chosen.is_stock)]
        try:
            for draft, reply in self._ask(Module.MGM, unquoted, lambda draft: {"turns": draft.turns[-1:]}):
                draft.self_memory = reply.text
        except (InvestigatorError, BudgetSpent) as problem:
            for draft in unquoted:
                words = f"stopped({problem})" if isinstance(problem, BudgetSpent) else str(problem)
                draft.problems["memory_problem"] = words
        for draft in drafts:
            for text, speaker in ((draft.self_memory, Speaker.SELF), (draft.partner_memory, Speaker.PARTNER)):
                if text and text != FAILED:
                    draft.conversation.memories.add(text, speaker)

    def _ask(
        self, module: Module, drafts: Sequence[TurnDraft], inputs: Inputs = lambda _: {}
    ) -> Iterable[tuple[TurnDraft, ModuleReply]]:
        """Ask a module once for all drafts; return each draft with its reply."""
        return zip(drafts, self._replies([_request(draft, module, **inputs(draft)) for draft in drafts]), strict=True)


def _request(draft: TurnDraft, module: Module, **given: object) -> ModuleRequest:
    usual = {"module": module, "by": module, "turns": draft.turns, "dates": draft.conversation.memories.dates()}
    return ModuleRequest.model_validate({**usual, **given})


def _response(draft: TurnDraft, module: Module, by: Module, kinds: Iterable[str]) -> ModuleRequest:
    given = {kind: getattr(draft, kind) for kind in kinds}
    return _request(draft, module, by=by, quotes=draft.quotes if "knowledge" in given else (), **given)
