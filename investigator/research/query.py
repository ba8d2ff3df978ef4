"""Query: put a sub-question to one document, score the reply, remember it (seed: generative_agents, "Query")."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from investigator.calibration import shipped
from investigator.engines.roles import Role
from investigator.evidence.quotes import Sources
from investigator.model_points import shipped_rules
from investigator.records import SUMMARY, AskReply, AskVariables, Memory, Need, Passage, Quote, Record
from investigator.research.critical_thinking import own_words
from investigator.research.defaults import DEFAULT_MISSION, default_desk, open_library
from investigator.research.desk import Desk, Reading
from investigator.research.fitting import less_to_ask
from investigator.research.memory_stream import MemoryStream
from investigator.retrieval.library import Shelf
from investigator.text.addressed import addresses_model, without_addressed

_log = logging.getLogger(__name__)

Spoken = Sequence[tuple[str, int, int]]
"""Where passages speak to a language model: document ids, and spans of their texts."""


class QuerySettings(Record):
    """How a document is asked."""

    most_quotes: int = Field(default=5, ge=1, le=50, description="quotes of one reply that are looked up")


@dataclass(frozen=True)
class Finding:
    """What a document said: the reply, its point (None: it could not be read), quotes that stand and that do not.

    The fields of a language model's reply that was checked against the search are those of `Memory`.
    """

    reply: str
    point: int | None
    quotes: tuple[Quote, ...] = ()
    failed_quotes: tuple[str, ...] = ()
    model_point: int | None = None
    search_point: int | None = None
    quoted_by_search: bool = False
    addressed: bool = False
    in_part: bool = False


class Query:
    """Asks one document; the document id "summary" asks all of them together.

    `db_dir` is the workspace directory; without `desk` and `library` the document is asked there, by the extractive
    engine.
    """

    def __init__(
        self,
        target_doc_id: str,
        main_question: str,
        memory_stream: MemoryStream,
        db_dir: str | Path,
        *,
        desk: Desk | None = None,
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
        self._desk = desk or default_desk()
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
        return self.remember(sub_question, Finding(reply, point))

    def remember(self, sub_question: str, finding: Finding) -> Memory:
        """Remember what was found."""
        return self.memory_stream.add(
            self.target_doc_id,
            sub_question,
            finding.reply,
            finding.point,
            quotes=finding.quotes,
            failed_quotes=finding.failed_quotes,
            model_point=finding.model_point,
            search_point=finding.search_point,
            quoted_by_search=finding.quoted_by_search,
            addressed=finding.addressed,
            in_part=finding.in_part,
        )

    def examine(self, prompt_template_path: str | Path, sub_question: str) -> Finding:
        """Ask, and prove the quotes; nothing is remembered yet, so steps can be examined side by side."""
        target = None if self.target_doc_id == SUMMARY else self.target_doc_id
        passages = self._library.passages((self.main_question, sub_question), target)
        if not passages:
            return Finding("The document holds no text that could be asked.", 0)
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
        reading = self._desk.ask(
            "query/ask", variables, AskReply, template=template, problem_with=_no_point, smaller=less_to_ask
        )
        spoken = tuple(span for passage in passages for span in _spoken_to_models(passage))
        names = (variables.document_id, variables.document_title, *(passage.heading for passage in passages))
        addressed = bool(spoken) or any(addresses_model(name) for name in dict.fromkeys(names))
        finding = _without(self._read(reading, passages), spoken)
        finding = replace(finding, in_part=reading.in_part, addressed=addressed)
        opinion = self._desk.opinion("query/ask", variables, AskReply)
        return finding if opinion is None else self._checked(finding, opinion, passages, spoken)

    def _read(self, reading: Reading[AskReply], passages: tuple[Passage, ...]) -> Finding:
        if reading.value is None or reading.value.point is None:
            return Finding(reading.raw, None)
        quotes, failed = self._proven(reading.value.quotes[: self._settings.most_quotes], passages)
        return Finding(reading.value.reply, reading.value.point, quotes, failed)

    def _checked(self, finding: Finding, opinion: AskReply, passages: tuple[Passage, ...], spoken: Spoken) -> Finding:
        """A language model's finding with the point that follows from both, and quotes where its own do not stand."""
        search = opinion.point or 0
        finding = replace(finding, search_point=search)
        if finding.point is None:
            return finding
        rule = shipped_rules().of(self._desk.name(Role.ASK), is_small=self._desk.traits(Role.ASK).is_small)
        point = search if finding.addressed else rule.point(finding.point, search, proven=bool(finding.quotes))
        finding = replace(finding, point=point, model_point=finding.point)
        if finding.quotes or search < shipped().threshold:
            return finding
        quotes, _ = self._proven(opinion.quotes, passages)
        own = _without(Finding(opinion.reply, search, quotes), spoken)
        return replace(finding, reply=own.reply, quotes=own.quotes, quoted_by_search=True)

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


def _spoken_to_models(passage: Passage) -> Iterator[tuple[str, int, int]]:
    """Where a passage speaks to a language model: the document, and the span of its text."""
    for start, end in addresses_model(passage.text):
        yield passage.document_id, passage.start + start, passage.start + end


def _without(finding: Finding, spoken: Spoken) -> Finding:
    """The finding without sentences that are meant for a language model; quotes from them count as failed."""
    if not spoken:
        return finding

    def is_meant_for_models(quote: Quote) -> bool:
        return any(quote.document_id == name and quote.start < end and start < quote.end for name, start, end in spoken)

    refused = tuple(quote.text for quote in finding.quotes if is_meant_for_models(quote))
    kept = tuple(quote for quote in finding.quotes if not is_meant_for_models(quote))
    failed = (*finding.failed_quotes, *refused)
    return replace(finding, reply=without_addressed(finding.reply), quotes=kept, failed_quotes=failed)


def _no_point(reply: AskReply) -> str:
    return "" if reply.point is not None else "it holds no point, a whole number from 0 to 100"
