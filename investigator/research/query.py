"""Puts a sub-question to one document, scores the reply and proves its quotes (seed: generative_agents, "Query")."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path

from pydantic import Field

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_ask
from investigator.asking.repair import ReadReply
from investigator.engines.roles import Role
from investigator.evidence.quotes import AddressedSpan, Find, Sources, addressed_spans, is_addressed, proven
from investigator.language.addressed import addresses_model, without_addressed
from investigator.questions.cues import cues
from investigator.questions.imprints import covered_period
from investigator.questions.kinds import summarised
from investigator.questions.periods import periods
from investigator.records import (
    SUMMARY,
    AskReply,
    AskVariables,
    BearingReply,
    BearingVariables,
    Finding,
    Need,
    Passage,
    QuestionKind,
    Quote,
    Record,
)
from investigator.research.asked_alone import with_met_sentences
from investigator.research.label_lines import with_label_lines
from investigator.research.rows import with_asked_rows
from investigator.research.summaries import is_apart, with_own_summary
from investigator.research.table_cells import met_cells, with_cells
from investigator.retrieval.library import DocumentIndex
from investigator.scoring.calibration import default_calibration
from investigator.scoring.model_points import default_rules

_QUOTES_OF_SUMMARY = 10
_READ_BY_SMALL = 5_000  # characters of a document that a small model reads; this takes a minute on one core

Spans = Sequence[AddressedSpan]
"""Parts of passages that address a language model, given as document ids with spans in the documents' texts."""


class QuerySettings(Record):
    """Settings for querying a document."""

    most_quotes: int = Field(
        default=5, ge=1, le=50, description="maximum number of quotes of one reply that are looked up"
    )


@dataclass(frozen=True)
class DocumentQuery:
    """Asks documents sub-questions of a main question, scores the replies and proves their quotes.

    The document id "summary" asks all documents together. `template` replaces the shipped template; `tainted` lists
    documents known to address a language model. `table_question` is the question that table cells must answer if the
    main question is a rewording of it. `is_alone` is True for a run limited to one document. With `is_read` set to
    False, the built-in engine is used instead of a small model.
    """

    main_question: str
    mission: str
    needs: tuple[Need, ...]
    client: EngineClient
    library: DocumentIndex
    sources: Sources
    most_quotes: int = QuerySettings().most_quotes
    template: Path | None = None
    tainted: frozenset[str] = frozenset()
    kind: QuestionKind = QuestionKind.FACT
    table_question: str = ""
    is_alone: bool = False
    is_read: bool = True

    def examine(self, document_id: str, sub_question: str) -> Finding:
        """Ask one document. Nothing is remembered yet, so documents can be examined concurrently.

        Raises EngineError, TemplateError, StoreError, and the signal BudgetSpent.
        """
        target = None if document_id == SUMMARY else document_id
        passages = self._passages(sub_question, target)
        if not passages:
            return Finding(reply="The document contains no text.", point=0)
        variables = AskVariables(
            main_question=self.main_question,
            mission=self.mission,
            sub_question=sub_question,
            document_id=document_id,
            document_title=self.library.document(target).title if target else "all documents",
            needs=self.needs,
            passages=passages,
        )
        shown, is_small = variables, self.client.traits(Role.ASK).is_small
        if is_small and not self.is_read:
            own = self.client.opinion("query/ask", variables, AskReply)
            if own is not None:
                return self._by_rules(own, variables)
        if is_small:
            shown = variables.changed(passages=_first_of(passages, _READ_BY_SMALL))
        reading = self.client.ask(
            "query/ask", shown, AskReply, template=self.template, problem_with=no_point, smaller=less_to_ask
        )
        return self.judged(variables, reading)

    def judged(self, variables: AskVariables, reading: ReadReply[AskReply]) -> Finding:
        """Evaluate a reply: prove its quotes, and combine its point with the search's.

        If the model is small, its quotes are merely added to the finding of the rules.
        """
        finding = self._trusted(self.read(reading, variables.passages), variables).changed(in_part=reading.in_part)
        opinion = self.client.opinion("query/ask", variables, AskReply)
        if opinion is None:
            return self._with_rules(finding, variables)
        if not self.client.traits(Role.ASK).decides:
            return self._with_quotes(self._by_rules(opinion, variables), finding, variables)
        finding = self._with_opinion(finding, opinion, variables)
        return with_cells(finding, self._cells(_target(variables)), is_read=True)

    def _by_rules(self, own: AskReply, variables: AskVariables) -> Finding:
        """Return the built-in engine's finding."""
        return self._with_rules(self._trusted(self._quoting(own, variables.passages), variables), variables)

    def _with_rules(self, finding: Finding, variables: AskVariables) -> Finding:
        """Return the finding with the sentences and cells that the rules select."""
        target = _target(variables)
        if self.kind is QuestionKind.SUMMARY and target and not self.client.traits(Role.ASK).decides:
            return with_own_summary(finding, self.main_question, self.library.document(target))
        if target:
            question = self.table_question or self.main_question
            finding = with_asked_rows(finding, question, self.library.document(target))
            finding = with_label_lines(finding, question, self.library.document(target))
        finding = with_cells(finding, self._cells(target), is_read=False)
        if not self.is_alone or not target:
            return finding
        return with_met_sentences(finding, self.table_question or self.main_question, self.library.document(target))

    def _with_quotes(self, own: Finding, read: Finding, variables: AskVariables) -> Finding:
        """Return the finding of the rules, with the quotes that a small model adds if they look like an answer."""
        new = tuple(quote for quote in read.quotes if all(is_apart(quote, other) for other in own.quotes))
        is_trusted = not (own.addressed or read.addressed)
        added = tuple(quote for quote in new if is_trusted and self._adds(quote, variables))
        left = (quote.text for quote in new if quote not in added)
        return own.changed(quotes=(*own.quotes, *added), failed_quotes=(*read.failed_quotes, *left))

    def _adds(self, quote: Quote, variables: AskVariables) -> bool:
        bearing = self._bearing((quote,), variables)
        return bearing.bears if self.kind in (QuestionKind.SUMMARY, QuestionKind.WHY) else bearing.covers

    def _trusted(self, finding: Finding, variables: AskVariables) -> Finding:
        """Remove sentences that address a language model from the finding, and record whether any text of the document
        addresses one.
        """
        passages = variables.passages
        spoken = tuple(
            span for passage in passages for span in addressed_spans(passage.document_id, passage.text, passage.start)
        )
        headings = (passage.heading for passage in passages)
        names = (variables.document_id, variables.document_title, *headings, finding.reply)
        tainted = _target(variables) in self.tainted
        addressed = bool(spoken) or tainted or any(map(addresses_model, dict.fromkeys(names)))
        return _without(finding, spoken).changed(addressed=addressed)

    def _cells(self, target: str | None) -> tuple[Quote, ...]:
        """Return the cells of a document's tables that meet every constraint of the question."""
        if not target:
            return ()
        question, document = self.table_question or self.main_question, self.library.document(target)
        found = met_cells(question, document)
        if found or not self.kind.is_side_by_side or periods(question):
            return found
        period = covered_period(document.imprint)  # each report of a series is asked about its own period
        return met_cells(f"{question}, {period}", document) if period else ()

    def _passages(self, sub_question: str, target: str | None) -> tuple[Passage, ...]:
        """Return the passages for the engine; for a summary, passages from all parts of the document."""
        if target is not None and self.kind is QuestionKind.SUMMARY:
            key_points = cues("key_points")["words"]
            return self.library.overview(f"{summarised(self.main_question)} {key_points}", target)
        return self.library.passages((self.main_question, sub_question), target)

    def read(self, reading: ReadReply[AskReply], passages: tuple[Passage, ...]) -> Finding:
        """Return a reply with its quotes proven, before it is evaluated."""
        if reading.value is None or reading.value.point is None:
            return Finding(reply=reading.raw)
        return self._quoting(reading.value, passages)

    def _quoting(self, value: AskReply, passages: tuple[Passage, ...]) -> Finding:
        most = max(self.most_quotes, _QUOTES_OF_SUMMARY) if self.kind is QuestionKind.SUMMARY else self.most_quotes
        quotes, failed = self._proven(value.quotes[:most], passages)
        return Finding(reply=value.reply, point=value.point, quotes=quotes, failed_quotes=failed)

    def _with_opinion(self, finding: Finding, opinion: AskReply, asked: AskVariables) -> Finding:
        """Return a language model's finding with the combined score. If the finding has no proven quotes and the search
        match is good, use quotes from the search.
        """
        search = opinion.point or 0
        finding = finding.changed(search_point=search)
        if finding.point is None:
            return finding
        rule = default_rules().of(self.client.name(Role.ASK))
        model = finding.point
        bearing = self._bearing(finding.quotes, asked) if model > search else BearingReply(bears=True, covers=True)
        if finding.quotes and rule.is_far(model, search) and not bearing.bears:
            failed = (*finding.failed_quotes, *(quote.text for quote in finding.quotes))
            finding = finding.changed(beside=True, quotes=(), failed_quotes=failed)
        point = search if finding.is_doubtful else rule.point(model, search, proven=bool(finding.quotes))
        cap = default_rules().cap
        if cap.applies(point, search) and not bearing.covers:
            point, finding = cap.bounded(point, search), finding.changed(capped=True)
        finding = finding.changed(point=point, model_point=model)
        if finding.quotes or search < default_calibration().threshold:
            return finding
        own = self._trusted(self._quoting(opinion, asked.passages), asked)
        return finding.changed(reply=own.reply, quotes=own.quotes, quoted_by_search=True)

    def _bearing(self, quotes: Sequence[Quote], asked: AskVariables) -> BearingReply:
        """Judge whether the quotes are related to the questions and look like an answer."""
        if not quotes:
            return BearingReply(bears=False)
        variables = BearingVariables(
            questions=(asked.main_question, asked.sub_question.replace(asked.document_id, "")),
            terms=tuple(need.term for need in asked.needs),
            quotes=tuple(quote.text for quote in quotes),
            title=f"{asked.document_title} {asked.document_id}",
        )
        opinion = self.client.opinion("query/ask", variables, BearingReply)
        return opinion or BearingReply(bears=True, covers=True)

    def _proven(self, texts: Sequence[str], passages: tuple[Passage, ...]) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
        spans: dict[str, list[tuple[int, int]]] = {}
        for passage in passages:
            spans.setdefault(passage.document_id, []).append((passage.start, passage.end))
        finds = [self._find(name, tuple(near)) for name, near in spans.items()]
        return proven((text, finds) for text in texts)

    def _find(self, document_id: str, near: Sequence[tuple[int, int]]) -> Find:
        """Return the function that looks up a quote; if a language model gave the quote, the function also adds the
        text that explains a pronoun.
        """
        source = self.sources[document_id]
        return partial(source.named_quote if self.client.traits(Role.ASK).is_model else source.quote, near=near)


def _first_of(passages: tuple[Passage, ...], characters: int) -> tuple[Passage, ...]:
    """Return as many leading passages as fit within `characters`, but at least one."""
    ends = list(accumulate(len(passage.text) for passage in passages))
    return passages[: max(1, bisect_right(ends, characters))]


def _target(variables: AskVariables) -> str | None:
    """Return the id of the document to ask; None if all documents are asked together."""
    return None if variables.document_id == SUMMARY else variables.document_id


def _without(finding: Finding, spoken: Spans) -> Finding:
    """Return the finding without sentences that address a language model; quotes from such sentences count as
    failed.
    """
    refused = tuple(quote.text for quote in finding.quotes if is_addressed(quote, spoken))
    kept = tuple(quote for quote in finding.quotes if not is_addressed(quote, spoken))
    failed = (*finding.failed_quotes, *refused)
    return finding.changed(reply=without_addressed(finding.reply), quotes=kept, failed_quotes=failed)


def no_point(reply: AskReply) -> str:
    """Describe the problem if a reply has no point; return "" for any other reply."""
    return "" if reply.point is not None else "it contains no point, a whole number from 0 to 100"
