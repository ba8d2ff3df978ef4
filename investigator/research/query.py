"""Query: put a sub-question to one document, score the reply, remember it (seed: generative_agents, "Query")."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_ask
from investigator.asking.repair import ReadReply
from investigator.engines.roles import Role
from investigator.evidence.addressed import AddressedSpan, addressed_spans, is_addressed
from investigator.evidence.quotes import Sources
from investigator.language.addressed import addresses_model, without_addressed
from investigator.records import (
    SUMMARY,
    AskReply,
    AskVariables,
    BearingReply,
    BearingVariables,
    Finding,
    Memory,
    Need,
    Passage,
    Quote,
    Record,
)
from investigator.research.critical_thinking import own_words
from investigator.research.defaults import DEFAULT_MISSION, default_client, open_library
from investigator.research.memory_stream import MemoryStream
from investigator.retrieval.library import Shelf
from investigator.scoring.calibration import default_calibration
from investigator.scoring.model_points import default_rules

_log = logging.getLogger(__name__)

Spans = Sequence[AddressedSpan]
"""Where passages speak to a language model: document ids, and spans of their texts."""


class QuerySettings(Record):
    """How a document is asked."""

    most_quotes: int = Field(default=5, ge=1, le=50, description="quotes of one reply that are looked up")


class Query:
    """Asks one document; the document id "summary" asks all of them together.

    `db_dir` is the workspace directory; without `client` and `library` the document is asked there, by the extractive
    engine.
    """

    def __init__(
        self,
        target_doc_id: str,
        main_question: str,
        memory_stream: MemoryStream,
        db_dir: str | Path,
        *,
        client: EngineClient | None = None,
        library: Shelf | None = None,
        sources: Sources | None = None,
        mission: str = DEFAULT_MISSION,
        needs: Sequence[Need] | None = None,
        settings: QuerySettings | None = None,
    ) -> None:
        self.target_doc_id = target_doc_id
        self.main_question = main_question
        self.memory_stream = memory_stream
        self._library = library if library is not None else open_library(Path(db_dir))
        self._sources = sources or Sources(self._library.document)
        self._client = client or default_client()
        self._mission = mission
        self._needs = tuple(needs) if needs is not None else own_words(main_question)
        self._settings = settings or QuerySettings()

    def run(self, prompt_template_path: str | Path, sub_question: str) -> bool:
        """Ask, and remember the reply. False where its point could not be read; it is remembered all the same.

        Raises EngineError, TemplateError, StoreError, and the signal BudgetSpent.
        """
        finding = self.examine(prompt_template_path, sub_question)
        self.remember(sub_question, finding)
        if finding.point is None:
            _log.warning("the reply of %s has no point that can be read: %.200s", self.target_doc_id, finding.reply)
        return finding.point is not None

    def save(self, sub_question: str, reply: str, point: int | None) -> Memory:
        """Remember a reply and its point (0..100, None: it could not be read)."""
        return self.remember(sub_question, Finding(reply=reply, point=point))

    def remember(self, sub_question: str, finding: Finding) -> Memory:
        """Remember what was found."""
        return self.memory_stream.add(self.target_doc_id, sub_question, finding)

    def examine(self, prompt_template_path: str | Path, sub_question: str) -> Finding:
        """Ask, and prove the quotes; nothing is remembered yet, so steps can be examined side by side."""
        target = None if self.target_doc_id == SUMMARY else self.target_doc_id
        passages = self._library.passages((self.main_question, sub_question), target)
        if not passages:
            return Finding(reply="The document holds no text that could be asked.", point=0)
        variables = AskVariables(
            main_question=self.main_question,
            mission=self._mission,
            sub_question=sub_question,
            document_id=self.target_doc_id,
            document_title=self._library.document(target).title if target else "all documents",
            needs=self._needs,
            passages=passages,
        )
        template = Path(prompt_template_path)
        reading = self._client.ask(
            "query/ask", variables, AskReply, template=template, problem_with=_no_point, smaller=less_to_ask
        )
        spoken = tuple(
            span for passage in passages for span in addressed_spans(passage.document_id, passage.text, passage.start)
        )
        names = (variables.document_id, variables.document_title, *(passage.heading for passage in passages))
        addressed = bool(spoken) or any(addresses_model(name) for name in dict.fromkeys(names))
        finding = _without(self._read(reading, passages), spoken)
        finding = _changed(finding, in_part=reading.in_part, addressed=addressed)
        opinion = self._client.opinion("query/ask", variables, AskReply)
        return finding if opinion is None else self._checked(finding, opinion, variables, spoken)

    def _read(self, reading: ReadReply[AskReply], passages: tuple[Passage, ...]) -> Finding:
        if reading.value is None or reading.value.point is None:
            return Finding(reply=reading.raw)
        quotes, failed = self._proven(reading.value.quotes[: self._settings.most_quotes], passages)
        value = reading.value
        return Finding(reply=value.reply, point=value.point, quotes=quotes, failed_quotes=failed)

    def _checked(self, finding: Finding, opinion: AskReply, asked: AskVariables, spoken: Spans) -> Finding:
        """A language model's finding with the point that follows from both, and quotes where its own do not stand."""
        search = opinion.point or 0
        finding = _changed(finding, search_point=search)
        if finding.point is None:
            return finding
        rule = default_rules().of(self._client.name(Role.ASK), is_small=self._client.traits(Role.ASK).is_small)
        model = finding.point
        if model > search and rule.is_far(model, search) and finding.quotes and not self._bears(finding.quotes, asked):
            failed = (*finding.failed_quotes, *(quote.text for quote in finding.quotes))
            finding = _changed(finding, beside=True, quotes=(), failed_quotes=failed)
        doubtful = finding.addressed or finding.beside
        point = search if doubtful else rule.point(model, search, proven=bool(finding.quotes))
        finding = _changed(finding, point=point, model_point=model)
        if finding.quotes or search < default_calibration().threshold:
            return finding
        quotes, _ = self._proven(opinion.quotes, asked.passages)
        own = _without(Finding(reply=opinion.reply, point=search, quotes=quotes), spoken)
        return _changed(finding, reply=own.reply, quotes=own.quotes, quoted_by_search=True)

    def _bears(self, quotes: Sequence[Quote], asked: AskVariables) -> bool:
        """Whether any of the quotes has to do with the question."""
        variables = BearingVariables(
            questions=(asked.main_question, asked.sub_question.replace(asked.document_id, "")),
            terms=tuple(need.term for need in asked.needs),
            quotes=tuple(quote.text for quote in quotes),
        )
        opinion = self._client.opinion("query/ask", variables, BearingReply)
        return opinion is None or opinion.bears

    def _proven(self, texts: Sequence[str], passages: tuple[Passage, ...]) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
        quotes: list[Quote] = []
        failed: list[str] = []
        spans: dict[str, list[tuple[int, int]]] = {}
        for passage in passages:
            spans.setdefault(passage.document_id, []).append((passage.start, passage.end))
        for text in texts:
            found = (self._sources[name].find(text, near=tuple(near)) for name, near in spans.items())
            quote = next((quote for quote in found if quote is not None), None)
            if quote is None:
                failed.append(text)
            elif quote not in quotes:
                quotes.append(quote)
        return tuple(quotes), tuple(failed)


def _changed(finding: Finding, **fields: object) -> Finding:
    return finding.changed(**fields)


def _without(finding: Finding, spoken: Spans) -> Finding:
    """The finding without sentences that are meant for a language model; quotes from them count as failed."""
    if not spoken:
        return finding
    refused = tuple(quote.text for quote in finding.quotes if is_addressed(quote, spoken))
    kept = tuple(quote for quote in finding.quotes if not is_addressed(quote, spoken))
    failed = (*finding.failed_quotes, *refused)
    return _changed(finding, reply=without_addressed(finding.reply), quotes=kept, failed_quotes=failed)


def _no_point(reply: AskReply) -> str:
    return "" if reply.point is not None else "it holds no point, a whole number from 0 to 100"
