"""Decides what is known about each part of the question, from the statement that meets every constraint or comes
closest. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from investigator.evidence.editions import said_in_newer
from investigator.evidence.quoted_mail import is_quoted
from investigator.evidence.quotes import Load
from investigator.language.normalise import one_line
from investigator.questions.kinds import kind_of
from investigator.questions.missing import is_all_missing
from investigator.questions.naming import named
from investigator.questions.parts import taken_apart
from investigator.questions.periods import Age, age_asked, periods
from investigator.records import (
    AnswerStatus,
    Caution,
    Claim,
    ClaimStatus,
    Decision,
    DocumentCard,
    Memory,
    MissingEdition,
    NearMiss,
    OpenPart,
    Part,
    QuestionKind,
    Quote,
    UnprovenClaim,
)
from investigator.research.judging import Judged, Judging, answering, best_of, best_of_each
from investigator.research.near_misses import (
    any_says,
    lacks_only_own_case,
    lacks_only_verbs,
    nearest_cells,
    nearest_quotes,
)
from investigator.research.table_cells import is_listed
from investigator.scoring.calibration import default_calibration
from investigator.tables.operands import asked_computation
from investigator.tables.things import lists_things
from investigator.tables.times import asked_times

_NAMED = 4
_NOT_COMPUTED = "Each of these figures is for a single time; the requested result was not computed from them."
_MAY_BE_MORE = " The list may be incomplete: things named in other words are missing."


@dataclass(frozen=True)
class Statements:
    """The statements written from the evidence, both proven and unproven.

    `are_stand_ins` is True if they are verbatim quotes in place of a model's statements; `by_model` is True if a
    language model wrote some of them. `readings` are a small model's readings of quotes, shown next to them. `timed`
    contains the sentences that may say what is valid at the time in question, and `met` contains the claims that meet
    every constraint of a part at that time.
    """

    claims: tuple[Claim, ...] = ()
    unproven: tuple[UnprovenClaim, ...] = ()
    are_stand_ins: bool = False
    by_model: bool = False
    readings: tuple[Claim, ...] = ()
    timed: tuple[Quote, ...] = ()
    met: frozenset[Claim] = frozenset()


@dataclass(frozen=True)
class Verdict:
    """The verdict on the question: the status, the statements in order, and each part with its best statements."""

    status: AnswerStatus
    claims: tuple[Claim, ...] = ()
    unproven: tuple[UnprovenClaim, ...] = ()
    parts: tuple[tuple[Part, Judged | None], ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    reason: str = ""
    missing: tuple[MissingEdition, ...] = ()
    decision: Decision | None = None

    def unanswered(self, wordings: Sequence[str]) -> tuple[OpenPart, ...]:
        """Return the unanswered parts, if the question has several; `wordings` are the other wordings that were
        searched for.
        """
        if len(self.parts) < 2:
            return ()
        left = (part.question for part, one in self.parts if one is None or not one.is_met)
        return tuple(OpenPart(question=question, searched=(question, *wordings)) for question in left)


def verdict_of(
    parts: Sequence[Part], written: Statements, memories: Sequence[Memory], load: Load, *, is_read: bool
) -> Verdict:
    """Return the verdict on each part of the question, based on the statements.

    `is_read` is True if a language model wrote the statements. Four kinds of statements are shown but do not count as
    answers: quotes in place of a model's statements, quotes that replace unverifiable statements, statements that only
    a verifier supports, and verbatim quotes that no model has read and whose reply scores below the calibrated
    threshold.
    """
    read = is_read and not written.are_stand_ins
    judging = Judging(load, established_by(written, memories, read=read), read)
    judged = [tuple(judging.each(part, written.claims)) for part in parts]
    strictly: Sequence[Iterable[Judged]] = judged
    if read:
        strictly = [replace(judging, read=False).each(part, written.claims) for part in parts]
    decided = [_deciding(part, each, load) for part, each in zip(parts, strictly, strict=True)]
    best = [_undecided(best_of(each), read) for each in judged]
    found = tuple((part, said[0] if said else one) for part, said, one in zip(parts, decided, best, strict=True))
    unproven = Verdict(AnswerStatus.NOT_FOUND, unproven=written.unproven, parts=found)
    if not read and not any(one.is_met or _says_all(part, one) for part, one in found if one is not None):
        cells = nearest_cells(parts, memories, load)
        is_open = bool(cells) and (lacks_only_verbs(cells[0]) or lacks_only_own_case(cells[0]))
        if cells and not is_open and not any_says(parts, memories, load):
            return replace(unproven, near_misses=cells)
    if not written.claims:
        return replace(unproven, near_misses=nearest_quotes(parts, memories, load))
    concluded = _concluded(found, written, read, () if read else _all_met(found, judged))
    return _with_decision(concluded, decided) if all(map(_is_yes_or_no, parts)) else concluded


def _is_yes_or_no(part: Part) -> bool:
    return kind_of(part.question) is QuestionKind.YES_NO


def _says_all(part: Part, one: Judged) -> bool:
    """Return True if a statement has all words of a yes-or-no question, even if it does not decide the question."""
    return _is_yes_or_no(part) and not one.failing


def _deciding(part: Part, judged: Iterable[Judged], load: Load) -> tuple[Judged, ...]:
    """Return the proven statements that decide a yes-or-no question; return none if they disagree.

    Reported speech counts only if nothing else decides.
    """
    if not _is_yes_or_no(part):
        return ()
    found = [one for one in judged if one.is_met and one.said.claim.status is ClaimStatus.PROVEN]
    held = _of_newest([one for one in found if not one.is_reported] or found, load)
    return held if len({one.decision for one in held}) == 1 else ()


def _of_newest(met: Sequence[Judged], load: Load) -> tuple[Judged, ...]:
    """Omit statements from documents that have a newer edition with a different number."""
    cited = {one.said.quote.document_id: load(one.said.quote.document_id) for one in met}
    return tuple(one for one in met if not said_in_newer(one.said.quote, one.said.document, cited.values()))


def _undecided(one: Judged | None, read: bool) -> Judged | None:
    """Return a statement, marked as unmet if it could answer only by deciding a yes-or-no question."""
    return one if one is None or read or one.decision is None else replace(one, is_met=False)


def _with_decision(found: Verdict, decided: Sequence[tuple[Judged, ...]]) -> Verdict:
    """Add the decision to the verdict on a yes-or-no question: yes if every part is affirmed, no if any part is denied.

    The statements that decide come first.
    """
    denied = [one for said in decided for one in said if one.decision is Decision.NO]
    if not denied and not all(decided):
        return found
    deciding = denied or [one for said in decided for one in said]
    others = found.claims if found.status is AnswerStatus.ANSWERED and not denied else ()
    claims = tuple({claim.text: claim for claim in (*map(answering, deciding), *others)}.values())
    reason = f"A proven statement {'denies' if denied else 'confirms'} what is asked."
    decision = Decision.NO if denied else Decision.YES
    return replace(found, status=AnswerStatus.ANSWERED, claims=claims, near_misses=(), reason=reason, decision=decision)


def established_by(written: Statements, memories: Sequence[Memory], *, read: bool) -> Callable[[Claim, bool], bool]:
    """Return the function that decides whether a statement that meets every constraint is an answer."""
    points = {memory.id: memory.point or 0 for memory in memories}
    known = default_calibration()

    def sure(claim: Claim, says_all: bool) -> bool:
        if written.are_stand_ins or claim.status not in (ClaimStatus.PROVEN, ClaimStatus.COMPUTED):
            return False
        if any(_differs(claim, other) for other in written.claims):
            return False
        bar = known.threshold if says_all else known.answered_from
        return read or claim in written.met or max((points.get(i, 0) for i in claim.memory_ids), default=0) >= bar

    return sure


def _differs(one: Claim, other: Claim) -> bool:
    """Return True if two documents give different results for the same operation, for example for two depots."""
    if one.computation is None or other.computation is None or one.computation.operation != other.computation.operation:
        return False
    is_elsewhere = one.quotes[0].document_id != other.quotes[0].document_id
    return is_elsewhere and one.computation.formula != other.computation.formula


def _all_met(found: Sequence[tuple[Part, Judged | None]], judged: Sequence[Sequence[Judged]]) -> tuple[Claim, ...]:
    """Return the verbatim statements that meet every constraint of a part, best first, each trimmed to the sentences
    that are needed.

    Older text quoted in a message counts only if no other statement does.
    """
    each = (one for of_part in judged for one in best_of_each(of_part))
    met = [one for one in (*(one for _, one in found), *each) if one is not None and one.is_met]
    with_list = {one.part.question for one in met if one.is_list}
    met = [one for one in met if one.is_list or one.part.question not in with_list]
    answers = [answering(one) for one in [one for one in met if not one.is_reported] or met]
    different = tuple({claim.text: claim for claim in reversed(answers)}.values())[::-1]  # without duplicates
    return tuple(one for at, one in enumerate(different) if not any(_is_inside(one, other) for other in different[:at]))


def _is_inside(claim: Claim, other: Claim) -> bool:
    """Return True if a verbatim statement is part of another one, such as a clause without its number, or is the row of
    a quoted cell.
    """
    if any(len(one.quotes) != 1 or one.computation for one in (claim, other)):
        return False
    (own,), (others,) = claim.quotes, other.quotes
    if own.cell is not None:
        return False
    if others.cell is not None:
        return "\n" not in own.text and _contains(own, others)
    return _contains(others, own)


def _contains(whole: Quote, part: Quote) -> bool:
    return part.document_id == whole.document_id and whole.start <= part.start and part.end <= whole.end


def answering_quotes(question: str, quotes: Sequence[Quote], load: Load) -> tuple[Quote, ...]:
    """Return the quotes that meet every constraint of a question, trimmed to the sentences and rows that do."""
    claims, parts = tuple(Claim(text=one_line(quote.text), quotes=(quote,)) for quote in quotes), taken_apart(question)
    judged = [tuple(Judging(load).each(part, claims)) for part in parts]
    met = _all_met([(part, best_of(each)) for part, each in zip(parts, judged, strict=True)], judged)
    return tuple(quote for claim in met for quote in claim.quotes)


def with_all_that_meets(
    parts: Sequence[Part], written: Statements, memories: Sequence[Memory], load: Load
) -> Statements:
    """Add quotes that meet every constraint of a part but are missing from the statements, whatever their score."""
    known = {quote for claim in written.claims for quote in claim.quotes}
    others = {
        quote: Claim(text=quote.said, quotes=(quote,), memory_ids=(memory.id,))
        for memory in sorted(memories, key=lambda one: one.point or 0)
        if not memory.addressed
        for quote in memory.quotes
        if quote not in known
        and (quote.cell is None or any(is_listed(part.question, quote, load(quote.document_id)) for part in parts))
    }
    met = (claim for claim in others.values() if any(_may_answer(part, claim, load) for part in parts))
    return replace(written, claims=(*written.claims, *met))


def _may_answer(part: Part, claim: Claim, load: Load) -> bool:
    one = Judging(load).best(part, (claim,))
    return one is not None and (one.is_met or (_says_all(part, one) and one.own_share == 1.0))


def _concluded(
    found: Sequence[tuple[Part, Judged | None]], written: Statements, read: bool, answers: Sequence[Claim]
) -> Verdict:
    verdicts = [one for _, one in found if one is not None]
    met = [one for one in verdicts if one.is_met]
    misses = tuple(miss for one in verdicts if not one.is_met and (miss := one.near_miss()) is not None)
    claims = best_first(written.claims, verdicts)
    open_parts = [part.question for part, one in found if one is None or not one.is_met]
    common = Verdict(AnswerStatus.ANSWERED, claims, written.unproven, tuple(found), misses)
    if answers:  # once an answer is found, weaker matches are not shown
        common = replace(common, claims=tuple(answers))
    if not open_parts:
        if not read and len(found) == 1 and not any(_has_result(found[0][0], claim) for claim in common.claims):
            return replace(common, status=AnswerStatus.PASSAGES_FOUND, reason=_NOT_COMPUTED)
        are_listed = any(lists_things(part.question) for part, _ in found) and len(common.claims) > 1
        return replace(common, reason=f"{what_proves(common.claims)}{_MAY_BE_MORE if are_listed else ''}")
    if met:
        reason = f"{len(met)} of {number_of(len(found), 'part')} answered; not answered: {'; '.join(open_parts)}"
        return replace(common, status=AnswerStatus.ANSWERED_IN_PART, reason=reason)
    if verdicts and all(one.is_near_miss for one in verdicts) and not (read or any(map(lacks_only_own_case, misses))):
        return replace(common, status=AnswerStatus.NOT_FOUND, claims=())
    return replace(common, status=AnswerStatus.PASSAGES_FOUND, reason=_why_not(verdicts, written, read))


def _has_result(part: Part, claim: Claim) -> bool:
    """Return False if a question asks for a computation from figures for several times, but a claim gives only one of
    these figures.
    """
    asked = asked_computation(part.question)
    if asked is None or not asked.are_times or claim.computation is not None:
        return True
    years, said = ([time.year or 0 for time in asked_times(text)] for text in (part.question, claim.text))
    return {min(years), max(years)} <= {*said}


def with_older_text_marked(found: Verdict, load: Load) -> Verdict:
    """Add a caution to each statement that comes from an older message quoted in a newer one."""

    def is_older(quote: Quote) -> bool:
        return any(is_quoted(load(quote.document_id), place) for place in (quote.start, quote.end - 1))

    marked = (
        claim.changed(cautions=(Caution.QUOTED,)) if any(map(is_older, claim.quotes)) else claim
        for claim in found.claims
    )
    return replace(found, claims=tuple(marked))


def chosen_sentences(found: Verdict, *, by_model: bool) -> Verdict:
    """Return the verdict for an extract that serves as a summary."""
    if not found.claims:
        return found
    kind = "quote" if any(quote.cell for claim in found.claims for quote in claim.quotes) else "sentence"
    chosen = f"{number_of(len(found.claims), kind)} chosen to represent the text"
    reason = f"{chosen}." if by_model else f"{chosen}; no language model was asked."
    return Verdict(AnswerStatus.PASSAGES_FOUND, found.claims, found.unproven, reason=reason)


def what_proves(claims: Sequence[Claim]) -> str:
    """Return a sentence that states the number of statements and the number of documents that prove them."""
    proven = [claim for claim in claims if not claim.supported_by]
    documents = {quote.document_id for claim in proven for quote in claim.quotes}
    reason = f"{number_of(len(proven), 'statement')} proven by quotes from {number_of(len(documents), 'document')}"
    return f"{reason}; {_supported(claims)}." if len(proven) < len(claims) else f"{reason}."


def _supported(claims: Sequence[Claim]) -> str:
    """Return a sentence that states how many statements only a verifier supports."""
    names = [claim.supported_by for claim in claims if claim.supported_by]
    return f"{number_of(len(names), 'statement')} supported by {', '.join(dict.fromkeys(names))}, not proven"


def _why_not(verdicts: Sequence[Judged], written: Statements, read: bool) -> str:
    """Explain why statements are shown although they do not count as an answer."""
    failing = list(dict.fromkeys(named(match.constraint) for one in verdicts for match in one.failing))[:_NAMED]
    if read or written.by_model:
        left = f" {'; '.join(failing)}" if failing else " that they answer the question"
        unproven = any(claim.supported_by for claim in written.claims)
        known = _supported(written.claims) if unproven else "The statements are proven, but"
        return f"{known}{';' if unproven else ''} nothing establishes{left}."
    if written.are_stand_ins and written.unproven:
        return "What the model said is not proven; these are the best verbatim quotes."
    asked = "These are the best verbatim quotes" if written.are_stand_ins else "No language model was asked"
    left = f"not established: {'; '.join(failing)}" if failing else "the quotes may not answer the question"
    return f"{asked}; {left}."


def without_missing(found: Verdict, missing: Sequence[MissingEdition], *, is_all: bool) -> Verdict:
    """Add to the verdict which requested reports are missing from the folder.

    `is_all` is True if all of them are missing; the answer is then "not found", without statements from other reports.
    """
    if not missing:
        return found
    said = " ".join(_not_there(one) for one in missing)
    if not is_all:
        return replace(found, reason=f"{found.reason} {said}" if found.reason else "", missing=tuple(missing))
    return replace(found, status=AnswerStatus.NOT_FOUND, claims=(), reason=said, missing=tuple(missing))


def of_asked_editions(
    found: Verdict, question: str, missing: Sequence[MissingEdition], cards: Sequence[DocumentCard]
) -> Verdict:
    """Put the statements of the requested report first, and add the missing reports to the verdict.

    `cards` describes the documents, most promising first. Statements keep their order if the question names no period
    and asks for neither the newest nor the oldest document.
    """
    if cards and (age_asked(question) is not Age.ANY or periods(question)):
        meant = cards[0].document_id
        claims = sorted(found.claims, key=lambda claim: all(quote.document_id != meant for quote in claim.quotes))
        found = replace(found, claims=tuple(claims))
    return without_missing(found, missing, is_all=is_all_missing(question, missing))


def _not_there(one: MissingEdition) -> str:
    nearest = f" Nearest: {', '.join(one.nearest)}." if one.nearest else ""
    return f"{'The' if one.nearest else 'No'} {one.asked} is {'not ' if one.nearest else ''}in the folder.{nearest}"


def number_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 statement`, `2 statements`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def best_first(claims: Iterable[Claim], verdicts: Sequence[Judged | None]) -> tuple[Claim, ...]:
    """Return the statements, starting with those that meet every constraint of a part."""
    first = [one.said.claim for one in verdicts if one is not None and (one.is_met or not one.failing)]
    return tuple(dict.fromkeys((*first, *claims)))
