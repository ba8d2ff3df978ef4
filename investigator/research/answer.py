"""Writes statements that are proven by quotes, or reports that the documents do not contain the answer."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field

from investigator.asking.budget import CEILINGS
from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_answer
from investigator.engines.embedding.verifiers import SupportJudge
from investigator.engines.roles import Role
from investigator.evidence.cautions import cautions_of, shown, unquoted
from investigator.evidence.claims import ClaimCheck, prove
from investigator.evidence.quotes import Load
from investigator.evidence.taint import tainted_documents
from investigator.language.normalise import one_line
from investigator.records import (
    Answer,
    AnswerReply,
    AnswerStatus,
    AnswerVariables,
    Claim,
    ClaimStatus,
    Coverage,
    Evidence,
    Investigation,
    Memory,
    Passage,
    ProposedClaim,
    Quote,
    Record,
    StopReason,
    UnprovenClaim,
)
from investigator.research.computed_claims import computed_claims
from investigator.research.summaries import is_apart
from investigator.research.table_cells import met_claims
from investigator.research.verdict import Statements, Verdict, number_of
from investigator.scoring.calibration import default_calibration


class Precedence(StrEnum):
    """The document that takes precedence if documents give different values: none, or the newest."""

    NONE = "none"
    NEWER = "newer"


class AnswerSettings(Record):
    """Settings for writing the answer."""

    most_evidence: int = Field(
        default=20, ge=1, le=200, description="maximum number of quotes from which the answer is written"
    )
    most_verbatim: int = Field(
        default=5, ge=1, le=50, description="maximum number of quotes shown verbatim if no claim is proven"
    )
    precedence: Precedence = Field(
        default=Precedence.NONE, description="which document takes precedence if values differ: none, or the newest"
    )


class AnswerWriter:
    """Writes claims from the evidence and keeps those that are proven by their quotes or supported by the judge."""

    def __init__(
        self,
        client: EngineClient,
        load: Load,
        settings: AnswerSettings | None = None,
        judge: SupportJudge | None = None,
    ) -> None:
        self._client = client
        self._load = load
        self._settings = settings or AnswerSettings()
        self._judge = judge

    def write(self, question: str, mission: str, history: Sequence[Memory], unknown_infos: Sequence[str]) -> Statements:
        """Return the proven and the unproven claims.

        If an engine finds the evidence insufficient, no claims are returned. If the engine's reply cannot be read, or
        all claims in it are unproven, the best quotes replace them, without counting as an established answer. The
        claims of a small model are added to those of the built-in engine. Computed figures, and cells that meet every
        constraint, are always kept. Without evidence, no engine is called. Raises EngineError, EmbedderError, and the
        signal BudgetSpent.
        """
        sources = _sources(history, self._settings.most_evidence)
        if not sources:
            return Statements()
        variables = AnswerVariables(
            question=question,
            mission=mission,
            evidence=tuple(_evidence(name, *source) for name, source in sources.items()),
            unknown_infos=tuple(unknown_infos),
        )
        pairs, answering = list(sources.values()), self._client.traits(Role.ANSWER)
        computed = computed_claims(question, pairs, self._load)
        cells = _besides(met_claims(question, pairs), computed) if answering.decides else ()
        reading = self._client.ask("answer/answer", variables, AnswerReply, smaller=less_to_answer)
        if reading.value is not None and not reading.value.claims and answering.decides:
            return Statements((*computed, *cells))
        proposed = reading.value.claims if reading.value else ()
        claims, unproven = sorted_by_proof(proposed, sources, question, self._judge)
        own = self._client.opinion("answer/answer", variables, AnswerReply) if not answering.decides else None
        readings = tuple(claim for claim in claims if own is not None and claim.status is ClaimStatus.REPLACED)
        if own is not None:
            stated = tuple(claim for claim in claims if claim not in readings)
            claims = (*stated, *_unstated(sorted_by_proof(own.claims, sources, question)[0], stated))
        figures = (*computed, *_unstated(cells, claims))
        claims = (*figures, *_besides(claims, figures))
        if claims:
            return Statements(claims, unproven, by_model=answering.is_model, readings=readings)
        return Statements(self._verbatim(sources), unproven, are_stand_ins=True)

    def verbatim(self, history: Sequence[Memory]) -> Statements:
        """Return the best quotes verbatim, without calling an engine."""
        return Statements(self._verbatim(_sources(history, self._settings.most_evidence)), are_stand_ins=True)

    def _verbatim(self, sources: dict[str, tuple[Memory, Quote]]) -> tuple[Claim, ...]:
        best = list(sources.values())[: self._settings.most_verbatim]
        return tuple(Claim(text=quote.said, quotes=(quote,), memory_ids=(memory.id,)) for memory, quote in best)


def _unstated(quoted: Sequence[Claim], claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the verbatim claims with quotes that do not support any proven claim."""
    used = {quote for claim in claims if claim.status is ClaimStatus.PROVEN for quote in claim.quotes}
    return tuple(one for one in quoted if used.isdisjoint(one.quotes))


def _besides(claims: Sequence[Claim], figures: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims with at least one quote that is not already cited for a figure."""
    used = {quote for claim in figures for quote in claim.quotes}
    return tuple(claim for claim in claims if not used.issuperset(claim.quotes))


def sorted_by_proof(
    proposed: Sequence[ProposedClaim],
    sources: dict[str, tuple[Memory, Quote]],
    question: str,
    judge: SupportJudge | None = None,
) -> tuple[tuple[Claim, ...], tuple[UnprovenClaim, ...]]:
    """Sort proposed claims into proven and unproven; unknown evidence ids are ignored.

    A claim that can be neither proven nor refuted is kept if the judge supports it; otherwise it is replaced by its
    quote. Raises EmbedderError.
    """
    claims: list[Claim] = []
    unproven: list[UnprovenClaim] = []
    for claim in dict.fromkeys(proposed):  # small models repeat themselves
        cited = [sources[name] for name in dict.fromkeys(claim.evidence) if name in sources]
        quotes = tuple(dict.fromkeys(quote for _, quote in cited))
        memory_ids = tuple(dict.fromkeys(memory.id for memory, _ in cited))
        check = prove(claim.text, quotes, given=question)
        if caution := unquoted(claim.text, quotes):
            unproven.append(UnprovenClaim(text=claim.text, reason=caution, quotes=quotes))
        elif check.is_proven:
            claims.append(Claim(text=claim.text.strip(), quotes=quotes, memory_ids=memory_ids))
        elif judge is not None and is_supported(claim.text, quotes, check, judge):
            text = claim.text.strip()
            claims.append(Claim(text=text, quotes=quotes, memory_ids=memory_ids, supported_by=judge.name))
        elif check.status is ClaimStatus.REPLACED and check.quote is not None:
            _replace(claims, claim.text.strip(), check.quote, memory_ids)
        else:
            unproven.append(UnprovenClaim(text=claim.text, reason=check.reason, slot=check.slot, quotes=quotes))
    return tuple(claims), tuple(unproven)


def is_supported(text: str, quotes: Sequence[Quote], check: ClaimCheck, judge: SupportJudge) -> bool:
    """Return True if, according to the judge, quotes support a claim that the rules can neither prove nor refute."""
    return check.status is ClaimStatus.REPLACED and judge.supports(text, [quote.text for quote in quotes])


def _replace(claims: list[Claim], reading: str, quote: Quote, memory_ids: tuple[int, ...]) -> None:
    """Add a quote as a claim that replaces a statement. If that claim already exists, add the statement to its
    readings.
    """
    text = quote.said
    for place, claim in enumerate(claims):
        if claim.text == text:
            if claim.readings:
                claims[place] = claim.changed(readings=(*claim.readings, reading))
            return
    claims.append(Claim(text=text, quotes=(quote,), memory_ids=memory_ids, readings=(reading,)))


def cited_text(claims: Sequence[Claim]) -> str:
    """Return the claims, one per line, with the numbers of their quotes. Quotes are numbered from 1 in order of use."""
    numbers: dict[Quote, int] = {}
    lines = []
    for claim in claims:
        marks = [f"[{numbers.setdefault(quote, len(numbers) + 1)}]" for quote in claim.quotes]
        lines.append(f"{shown(claim)} {''.join(marks)}")
    return "\n".join(lines)


def concluded(
    run: Investigation,
    stop: StopReason,
    found: Verdict,
    coverage: Coverage,
    *,
    readings: Sequence[Claim] = (),
    threshold: int,
    reworded: bool,
    nearest: tuple[Passage, ...],
) -> Answer:
    """Return the answer record, with the status derived from the verdict, the coverage and the ceilings.

    A small model's `readings` of quotes are shown only if the quotes answer the question. Nothing is reported as absent
    until other wordings have been searched for; `reworded` is True if that was done, or if no word of the question
    occurs in the folder.
    """
    memories = run.memories
    claims = tuple(claim.changed(cautions=(*claim.cautions, *cautions_of(claim.text))) for claim in found.claims)
    if found.status is AnswerStatus.ANSWERED:  # a small model usually misreads quotes that do not answer the question
        claims = tuple(_with_reading(claim, readings) for claim in claims)
    judged = all(memory.point is not None and not memory.in_part for memory in memories)
    status = found.status
    if status is AnswerStatus.NOT_FOUND:
        searched = coverage.complete and judged and reworded and stop not in CEILINGS
        complete = searched or (bool(found.missing) and not coverage.unreadable)
        status = AnswerStatus.NOT_FOUND if complete else AnswerStatus.NOT_FOUND_SO_FAR
        stop = StopReason.SATURATED if stop is StopReason.ANSWERED else stop
    reason = found.reason or _reason(status, stop, coverage, threshold, memories, reworded=reworded)
    return Answer(
        question=run.question,
        status=status,
        stop=stop,
        outcome=f"stopped({stop})" if stop in CEILINGS else status,
        reason=_with_left_out(status, reason, coverage),
        text=cited_text(claims),
        claims=claims,
        unproven=found.unproven,
        coverage=coverage,
        unanswered=found.unanswered(run.wordings),
        near_misses=found.near_misses,
        missing=found.missing,
        wordings=run.wordings,
        asked_as=_asked_as(run, claims),
        nearest=() if found.claims else nearest,
        searched=tuple(dict.fromkeys(memory.question for memory in memories)),
        engine=run.engine,
        tainted=tainted_documents(memories),
    )


def _with_reading(claim: Claim, readings: Sequence[Claim]) -> Claim:
    """Return a verbatim claim, completed with a small model's readings of its quote."""
    quote = claim.quotes[0]
    if len(claim.quotes) > 1 or quote.cell is not None or one_line(claim.text) != one_line(quote.text):
        return claim
    own = (one for one in readings if not is_apart(one.quotes[0], quote))
    return claim.changed(readings=(*claim.readings, *(text for one in own for text in one.readings)))


def without_changed_sources(answer: Answer, gone: tuple[str, ...]) -> Answer:
    """Add to an answer the names of the documents that no longer contain its quotes. The status "not found" becomes
    "not found so far", because the changed documents may contain the answer.
    """
    if not gone:
        return answer
    named = ", ".join(gone)
    reason = f"{answer.reason} The words quoted from {named} are no longer there: ask again."
    if answer.status is not AnswerStatus.NOT_FOUND:
        return answer.changed(source_changed=gone, reason=reason)
    status = AnswerStatus.NOT_FOUND_SO_FAR
    return answer.changed(source_changed=gone, reason=reason, status=status, outcome=status)


def _asked_as(run: Investigation, claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return the other wordings that produced the statements; () if any statement came from the original wording."""
    asked = {memory_id: step.purpose for step in run.plan.steps for memory_id in step.result_ids}
    found = [asked.get(memory_id, "") for claim in claims for memory_id in claim.memory_ids]
    return tuple(dict.fromkeys(found)) if found and all(text in run.wordings for text in found) else ()


def _with_left_out(status: AnswerStatus, reason: str, coverage: Coverage) -> str:
    """Add the excluded files to the reason if only passages were found, because those files may contain the answer."""
    excluded = _ignored(coverage) if status is AnswerStatus.PASSAGES_FOUND else []
    return f"{reason.rstrip('.')}; {', '.join(excluded)}." if excluded else reason


def _reason(
    status: AnswerStatus,
    stop: StopReason,
    coverage: Coverage,
    threshold: int,
    memories: Sequence[Memory],
    *,
    reworded: bool,
) -> str:
    """Return the reason why nothing was found."""
    best = max((memory.point or 0 for memory in memories), default=0)
    tried = "No passage that was read answers the question"
    if best < threshold:
        tried += f" (the nearest one scores {best} of 100; the minimum is {threshold})" if best else ""
    disputed = max((m for m in memories if m.search_point is not None), key=_search_point, default=None)
    if disputed is not None and _search_point(disputed) >= max(threshold, default_calibration().threshold):
        tried += f" (the search alone gives {disputed.target_document_id} a score of {disputed.search_point})"
    if status is AnswerStatus.NOT_FOUND:
        searched = number_of(coverage.total - len(coverage.unreadable), "document")
        none = [] if coverage.left_out else ["none left out"]
        return f"{tried}; {', '.join([f'{searched} searched', *none, *_ignored(coverage)])}."
    unread, in_part = sum(m.point is None for m in memories), sum(m.in_part for m in memories)
    left = [
        "a limit was reached" if stop in CEILINGS else "",
        f"{number_of(len(coverage.not_opened), 'promising document')} not opened" if coverage.not_opened else "",
        f"{len(coverage.unreadable)} unreadable" if coverage.unreadable else "",
        *_ignored(coverage),
        "" if reworded else "no other wording of the question was found to search for",
        f"{number_of(unread, 'reply', 'replies')} could not be read" if unread else "",
        f"{number_of(in_part, 'document')} shown only in part, as the model's context is small" if in_part else "",
    ]
    return f"{tried}; the search is not complete: {', '.join(filter(None, left))}."


def _ignored(coverage: Coverage) -> list[str]:
    """Return the files that the folder's own ignore file excludes; whoever sent the folder may have added that file."""
    return [item.line for item in coverage.left_out if item.by_folder]


def _search_point(memory: Memory) -> int:
    return memory.search_point or 0


def _sources(history: Sequence[Memory], most: int) -> dict[str, tuple[Memory, Quote]]:
    """Return the quotes, keyed by citation id and without duplicates, starting with those from the document whose
    replies have the highest score.

    If a document was asked several times, the best quote of each reply comes first, in the order of asking: a reply to
    a narrower question has a higher score, but says less about the original question.
    """
    best: dict[str, int] = {}
    for memory in history:
        for quote in memory.quotes:
            best[quote.document_id] = max(best.get(quote.document_id, 0), memory.point or 0)
    place = {name: at for at, name in enumerate(sorted(best, key=lambda name: -best[name]))}
    pairs: dict[Quote, Memory] = {}
    told = ((turn, memory, quote) for memory in history for turn, quote in enumerate(memory.quotes))
    for _, memory, quote in sorted(told, key=lambda one: (place[one[2].document_id], one[0])):
        pairs.setdefault(quote, memory)
    return {f"E{i}": (memory, quote) for i, (quote, memory) in enumerate(list(pairs.items())[:most], start=1)}


def _evidence(name: str, memory: Memory, quote: Quote) -> Evidence:
    return Evidence(
        id=name,
        text=quote.said if quote.cell else quote.text,
        document_id=quote.document_id,
        place=quote.place,
        point=memory.point or 0,
    )
