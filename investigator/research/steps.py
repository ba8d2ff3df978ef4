"""The steps of the method, each of which asks engines or documents and returns the next state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from investigator.records import (
    AnswerVariables,
    Checked,
    DocumentNote,
    Event,
    Investigation,
    Part,
    PlanDocument,
    Planned,
    PlanVariables,
    ProposedStep,
    Reflected,
    ReflectVariables,
    Round,
    Written,
)
from investigator.research.answer import Draft, written
from investigator.research.check import Checking, check, checked_draft, checked_rows, refusal
from investigator.research.conclusion import sketched
from investigator.research.evidence import Evidence, evidence_documents
from investigator.research.planner import Planner, Proposal, best_matching, continued
from investigator.research.reading import Readers
from investigator.research.reflection import reflect
from investigator.research.shown_documents import plan_document
from investigator.research.state import State, Step
from investigator.research.survey import surveyed_documents, with_details

Moment = tuple[State, Event | None]
"""A state, and the event that led to it."""

_QUICK_DOCUMENTS = 5
_MOST_EARLIER = 4
_MOST_NOTES = 20
_FEW = 3
"""Number of documents of which the planner sees more than one passage."""


@dataclass(frozen=True)
class Steps(Readers):
    """Performs the steps of an investigation over one folder."""

    def performed(self, step: Step, state: State) -> Iterator[Moment]:
        """Yield the states that a step leads to. Raises EngineError, TemplateError, StoreError, and BudgetSpent."""
        match step:
            case Step.PLAN:
                return self._plan(state)
            case Step.ASK:
                return self.read(state)
            case Step.ANSWER:
                return self._answer(state)
            case Step.REFLECT:
                return self._reflect(state)
            case Step.CHECK:
                return self._check(state)

    def _plan(self, state: State) -> Iterator[Moment]:
        queries, number = _queries(state.run), len(state.run.rounds) + 1
        run = state.run.changed(wordings=tuple(dict.fromkeys((*state.run.wordings, *queries[1:]))))
        cards = self.library.cards(queries)
        seen = state.planned_from.union(card.document_id for card in cards[: self.settings.planner.documents])
        state = replace(state, run=run, cards=cards, planned_from=seen)
        proposal = self._quick_proposal(state, queries) if state.is_quick else self._planner(state, queries).propose()
        if number == 1:
            run = run.changed(read_as=proposal.question, parts=proposal.parts, decides=proposal.scope)
        new_round = Round(number=number, strategy=proposal.strategy, refused_document_ids=proposal.refused)
        run = run.changed(
            wordings=tuple(dict.fromkeys((*run.wordings, *proposal.wordings))),
            rounds=(*run.rounds, new_round),
        )
        state = replace(state, run=run)
        if state.searched != queries:  # the new wordings may rank the documents otherwise
            state = replace(state, cards=self.library.cards(state.searched))
        state = self._with_steps(state, proposal.steps, number)
        yield (
            state,
            Planned(
                round=number,
                strategy=proposal.strategy,
                steps=tuple(step for step in state.run.plan.steps if step.round == number),
                refused_document_ids=proposal.refused,
                read_as=run.read_as,
                parts=tuple(part.question for part in run.parts),
                decides=run.decides,
            ),
        )

    def _quick_proposal(self, state: State, queries: Sequence[str]) -> Proposal:
        run, question = state.run, queries[0]  # with the one that it follows, because no planner rewrites it
        steps = best_matching(self._plan_documents(state, queries), question, _QUICK_DOCUMENTS)
        return Proposal(question if run.earlier else "", (Part(question=question),), run.decides, (), "", steps)

    def _planner(self, state: State, queries: Sequence[str]) -> Planner:
        run, documents = state.run, self._plan_documents(state, queries)
        is_first = not run.rounds
        request = PlanVariables(
            question=run.full_question,
            earlier=run.earlier[-_MOST_EARLIER:],
            mission=run.setup.mission,
            strategy=run.setup.strategy,
            documents=documents,
            document_count=len(state.document_ids),
            fits=state.fits,
            history=() if is_first else run.memories,
            open_parts=() if is_first or state.draft is None else _questions(state.draft.open_parts or run.parts),
            unknown=() if is_first else run.reflections[-1].unknown,
            searched=() if is_first else state.searched,
            step_limit=self.settings.planner.steps,
        )
        goal = (run.full_question, run.setup.mission, run.setup.strategy)
        return Planner(*goal, documents, client=self.client, request=request, known=state.document_ids)

    def _plan_documents(self, state: State, queries: Sequence[str]) -> tuple[PlanDocument, ...]:
        """Return the documents that the planner sees: those that match best, and as many others without passages; no
        document that was read whole, and none before every document is read anyway.
        """
        if state.fits and not state.run.rounds:
            return ()
        memories = {memory.target_document_id: memory for memory in state.run.memories}
        times_read = Counter(memory.target_document_id for memory in state.run.memories)
        read_whole = state.read_whole
        cards = [card for card in state.cards if card.document_id not in read_whole]
        most = self.settings.planner.documents
        shown = (
            plan_document(self.library, card, queries, 2 if rank < min(_FEW, most) else int(rank < most))
            for rank, card in enumerate(cards[: 2 * most])
        )
        return tuple(
            document.changed(times_read=times_read[document.document_id], verdict=memory.verdict)
            if (memory := memories.get(document.document_id)) is not None
            else document
            for document in shown
        )

    def _with_steps(self, state: State, steps: Sequence[ProposedStep], number: int) -> State:
        """Add the steps of a round to the plan: those proposed, or every document if all are read or decided."""
        run, undecided = state.run, state.undecided
        if number == 1 and state.fits:
            steps = [ProposedStep(document_id=name, purpose=run.full_question) for name in state.document_ids]
        elif number == 1 and state.surveys:
            ranked = [card.document_id for card in state.cards]
            decided, undecided = surveyed_documents(ranked, self.settings.survey_tokens)
            steps = [ProposedStep(document_id=name, purpose=run.full_question) for name in decided]
        read_whole = state.read_whole
        new = [step for step in steps if step.document_id not in read_whole]
        undecided = tuple(name for name in undecided if not any(step.document_id == name for step in new))
        return replace(state, run=run.changed(plan=continued(run.plan, new, round_number=number)), undecided=undecided)

    def _answer(self, state: State) -> Iterator[Moment]:
        state = replace(sketched(state, self.library), rewritten=bool(state.refused), is_judged=False)
        draft, evidence, parts = state.draft or Draft(), state.evidence, state.run.parts
        # no reader found anything yet that may answer, and another round may find it
        is_early = not state.evidence.supports and not state.surveys and state.may_search_on
        if evidence.quotes and not state.is_quick and not is_early:
            draft = written(self.client, self._answer_variables(state, evidence), evidence, parts) or draft
        if state.surveys:
            rows, details = with_details(state.rows, draft.details)
            state, draft = replace(state, rows=rows), replace(draft, details=details)
        state = replace(state, draft=draft, refused=(), is_written=not is_early)
        lead = draft.lead.text if draft.lead is not None else ""
        yield state, Written(round=len(state.run.rounds), parts=draft.parts, lead=lead)

    def _answer_variables(self, state: State, evidence: Evidence) -> AnswerVariables:
        run = state.run
        shown = [memory for memory in (*state.history, *state.others) if memory.reply]
        decided = len(state.rows) - len(state.undecided) if state.surveys else None
        by_point = sorted(run.memories, key=lambda memory: memory.point or 0)
        points = {memory.target_document_id: memory.point or 0 for memory in by_point}  # of the best readings
        return AnswerVariables(
            question=run.full_question,
            mission=run.setup.mission,
            parts=_questions(run.parts),
            documents=evidence_documents(evidence.quotes, self.library.document, points),
            notes=tuple(
                DocumentNote(document_id=memory.target_document_id, verdict=memory.verdict, reply=memory.reply)
                for memory in dict.fromkeys(shown[:_MOST_NOTES])
            ),
            read=len(state.read),
            total=len(state.document_ids) + len(state.unreadable),
            decided=decided,
            undecided=len(state.undecided),
            refused=state.refused,
        )

    def _reflect(self, state: State) -> Iterator[Moment]:
        run, draft = state.run, state.draft or Draft()
        variables = ReflectVariables(
            question=run.full_question,
            mission=run.setup.mission,
            parts=_questions(draft.open_parts or run.parts),
            memories=tuple(memory for memory in run.memories if memory.reply),
            searched=state.searched,
            proposed=draft.search,
            unread=len(state.document_ids) - len(state.read),
        )
        reflection = reflect(self.client, variables, len(run.rounds))
        run = run.changed(reflections=(*run.reflections, reflection))
        yield replace(state, run=run), Reflected(reflection=reflection)

    def _check(self, state: State) -> Iterator[Moment]:
        draft = state.draft or Draft()
        rows = tuple(row.statement for row in state.rows if row.statement is not None)
        checking = Checking(
            question=state.run.full_question,
            parts=draft.parts,
            not_stated=draft.not_stated,
            read=len(state.read),
            total=len(state.document_ids) + len(state.unreadable),
            sums_up=1 if draft.lead is not None else 0,
        )
        statements = (*draft.statements, *rows)
        outcome = check(self.client, statements, self.library.document, checking)
        judged, refused = checked_draft(draft, outcome), refusal(draft, outcome)
        state = replace(
            state,
            draft=judged,
            rows=checked_rows(state.rows, outcome, len(draft.statements) + 1),
            fit=outcome.fit,
            failure=outcome.failure,
            refused=refused,
            is_judged=not refused or state.rewritten or state.is_quick,  # otherwise it is written once more
        )
        shown = len(judged.statements) + len(rows)
        checked = Checked(shown=shown, withheld=len(judged.withheld), fit=outcome.fit)
        yield state, checked if state.is_judged else None


def _queries(run: Investigation) -> tuple[str, ...]:
    """Return the texts to search for: the question, with the one that it follows until it is rewritten, what the last
    review names, and what was searched for before.
    """
    question = run.full_question
    if run.earlier and not run.read_as:
        question = f"{run.earlier[-1].question} {question}"
    later = (*run.reflections[-1].wordings, *run.wordings) if run.reflections else ()
    return tuple(dict.fromkeys((question, *later)))


def _questions(parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(part.question for part in parts)
