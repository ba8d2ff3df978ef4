"""Finds what is valid now or at the time in question: what has begun or ended, and who has taken over. Pure.

The search ranks by words, and "from 1 September" shares none with "in October". Therefore all statements that give a
time for the thing are read, whatever their score. A superseded statement is not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from investigator.evidence.editions import line_of, may_be_replaced, newer_edition, said_in_newer
from investigator.evidence.quotes import Load
from investigator.evidence.replaced import replaced_documents
from investigator.evidence.stated_values import replaced_values, says_value, stated_value, thing_asked
from investigator.language.late_patterns import late
from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.questions.constraints import constraints
from investigator.questions.cues import patterns
from investigator.questions.periods import periods
from investigator.questions.phases import phases_asked
from investigator.questions.related import root, roots
from investigator.questions.spans import begins_at, moment_asked, moments, now_asked, time_spans
from investigator.questions.succession import asks_holder, held_at, holder_named, people, role_asked, succession
from investigator.records import (
    AnswerStatus,
    Claim,
    Decision,
    Document,
    Memory,
    Part,
    Passage,
    Quote,
)
from investigator.research.disagreement import about_values, date_of, sentences_in, spans_of
from investigator.research.judging import Judging
from investigator.research.verdict import Statements, Verdict, what_proves, with_all_that_meets
from investigator.retrieval.library import DocumentIndex
from investigator.tables.things import lists_things

_TURNOVER = "resigned left retired replaced succeeded former new elected appointed takes over since until"
_WHICH = late(r"\W*(?:which|who)\b", re.IGNORECASE)
_HELD_SINCE = "No language model was asked; not established: who has held the role since."
_BESIDE = 160  # number of characters before and after a sentence that may name the role


def with_all_found(
    parts: Sequence[Part], written: Statements, memories: Sequence[Memory], library: DocumentIndex
) -> Statements:
    """Add missing quotes that meet every constraint of a part, and the sentences that say what is valid at the time in
    question or who holds a role.
    """
    written = with_all_that_meets(parts, written, memories, library.document)
    asked = [one for one in map(_as_who, parts) if asks_time(one.question)]
    if not asked:
        return written
    turnover = (library.passages((f"{role_asked(part.question)} {_TURNOVER}",)) for part in asked if _role(part))
    passages: list[Passage] = [*about_values(asked, library), *(one for found in turnover for one in found)]
    said = sentences_in(spans_of(passages), library.document, in_tables=True)
    claims = {one_line(quote.text): Claim(text=one_line(quote.text), quotes=(quote,)) for quote in said}
    met = {text: one for text, one in claims.items() if any(_says_it(part, one, library.document) for part in asked)}
    known = {claim.text for claim in written.claims}
    every = (*written.claims, *(claim for text, claim in met.items() if text not in known))
    return replace(written, claims=every, timed=said, met=frozenset(claim for claim in every if claim.text in met))


def asks_time(question: str) -> bool:
    """Return True if a question asks what is valid at a time, when a time span begins or ends, or who holds a role."""
    return bool(role_asked(question) or now_asked(question) or moments(question) or phases_asked(question))


def _role(part: Part) -> str:
    return role_asked(part.question)


def _as_who(part: Part) -> Part:
    """Turn a part that asks whether somebody holds a role into a part that asks who holds it."""
    _, who = holder_named(part.question)
    return part.changed(question=who, constraints=constraints(who)) if who else part


def _says_it(part: Part, claim: Claim, document: Load) -> bool:
    """Return True if a sentence alone, without its context, meets every constraint of a part, including the time."""
    quote, question = claim.quotes[0], part.question
    is_timed = bool(time_spans(quote.text)) or any(succession(quote.text)) or bool(now_asked(question))
    if not is_timed or not (_role(part) or phases_asked(question) or _gives_value(question, quote, document)):
        return False
    one = Judging(document).best(part, (claim,))
    return one is not None and one.is_met and one.own_share == 1.0


def _gives_value(question: str, quote: Quote, document: Load) -> bool:
    """Return True if a sentence gives the amount that a question asks for."""
    for one in moments(question):
        question = question.replace(one.text, " ")
    thing = None if _WHICH.match(question) else thing_asked(question)
    about = roots(document(quote.document_id).title)
    return thing is not None and stated_value(thing, quote.text, about) is not None


def not_overtaken(found: Verdict, said: Sequence[Quote], library: DocumentIndex) -> Verdict:
    """Return the verdict without answers that another statement or document supersedes.

    Somebody who has left a role no longer holds it. Of values with different starting days, the one that starts latest,
    but not after the time in question, is in force. A newer edition takes the place of an older one. `said` contains
    the statements that may supersede others. If no answer is left, the statements are shown as passages.
    """
    if found.status is not AnswerStatus.ANSWERED or len(found.parts) != 1:
        return found
    question, document = found.parts[0][0].question, library.document
    name, who = holder_named(question)
    if who and found.decision is Decision.YES:
        leaving = tuple(quote for quote in said if name.split()[-1] in _last_names(_gone(who, (quote,), document)))
        overtaking = tuple(Claim(text=one_line(quote.text), quotes=(quote,)) for quote in leaving[:1])
        kept = (*overtaking, *found.claims)
        left = replace(found, status=AnswerStatus.PASSAGES_FOUND, decision=None, claims=kept, reason=_HELD_SINCE)
        return left if leaving else found
    if asks_holder(question):
        gone = frozenset(_gone(question, said, document))
        kept = tuple(claim for claim in found.claims if not _names_one_of(gone, claim, question))
        if now_asked(question):  # "is now Ann" implies that somebody else held the role before
            kept = tuple(claim for claim in kept if succession(claim.text).taking) or kept
    else:
        kept = _latest(question, found.claims, document)
    if kept:
        found = found if len(kept) == len(found.claims) else replace(found, claims=kept, reason=what_proves(kept))
        found = _newest_first(_without_replaced(found, question, document), question, document)
        return _of_newest_edition(found, question, library)
    return replace(found, status=AnswerStatus.PASSAGES_FOUND, reason=_HELD_SINCE)


def _last_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.split()[-1] for name in names)


def _without_replaced(found: Verdict, question: str, document: Load) -> Verdict:
    """Return the verdict without statements from documents that another cited document replaces as a whole.

    If the question contains a number or asks for a list, it may be about those documents, so nothing is removed. If it
    asks about the past, their statements come after those from newer documents.
    """
    if any(map(str.isdigit, question)) or lists_things(question):
        return found
    cited = {quote.document_id: document(quote.document_id) for claim in found.claims for quote in claim.quotes}
    replaced = replaced_documents(tuple(cited.values()))
    older = [claim for claim in found.claims if any(quote.document_id in replaced for quote in claim.quotes)]
    newer = tuple(claim for claim in found.claims if claim not in older)
    if not older or not newer:
        return found
    kept = (*newer, *older) if patterns("changes")["looks_back"].search(question) else newer
    said = " ".join(f"{new} says that it replaces {old}." for old, new in replaced.items())
    return replace(found, claims=kept, reason=f"{what_proves(kept)} {said}")


def _newest_first(found: Verdict, question: str, document: Load) -> Verdict:
    """If a newer edition of a document gives a different number, or another statement says that a value changes, put
    the statements with the old value last, and mention this in the reason.

    The order is kept for a question with a time, which may ask for the older edition.
    """
    if periods(question) or moments(question):
        return found
    names = dict.fromkeys(quote.document_id for claim in found.claims for quote in claim.quotes)
    cited = [document(name) for name in names]
    given = {
        claim: said_in_newer(claim.quotes[0], document(claim.quotes[0].document_id), cited) for claim in found.claims
    }
    pairs = ((sides[-1].quote.document_id, sides[0].quote.document_id) for sides in given.values() if sides)
    changed = {claim: _changes_to(claim, found.claims) for claim in found.claims}
    said = dict.fromkeys((*(f"{new} is newer than {old}." for new, old in pairs), *filter(None, changed.values())))
    if not said:
        return found
    claims = sorted(found.claims, key=lambda claim: bool(given[claim] or changed[claim]))
    return replace(found, claims=tuple(claims), reason=f"{found.reason} {' '.join(said)}")


def _of_newest_edition(found: Verdict, question: str, library: DocumentIndex) -> Verdict:
    """Return the verdict without statements that a newer edition of their document no longer contains, unless the
    question names a time or is about the past. They decide no yes or no; editions that differ only in a number are
    shown as a conflict instead.
    """
    question = question.strip().removeprefix("May ")  # no month
    if periods(question) or moments(question) or patterns("changes")["looks_back"].search(question):
        return found
    older: dict[Claim, str] = {}
    alike: dict[str, list[Document]] = {}
    for claim in found.claims:
        quote = claim.quotes[0]
        document = library.document(quote.document_id)
        if document.id not in alike and may_be_replaced(document):
            near = dict.fromkeys(passage.document_id for passage in library.passages((line_of(quote, document),)))
            alike[document.id] = [library.document(name) for name in near if name != document.id]
        others = alike.get(document.id, ())
        is_shown = found.decision is not None and bool(said_in_newer(quote, document, others))
        newer = None if is_shown else newer_edition(quote, document, others)
        older |= {claim: f"{newer.id} is newer than {document.id}."} if newer else {}
    kept = tuple(claim for claim in found.claims if claim not in older)
    if not older:
        return found
    said = " ".join(dict.fromkeys(older.values()))
    if kept and found.decision is None:
        return replace(found, claims=kept, reason=f"{what_proves(kept)} {said}")
    reason = f"{said} {'It does not say the same.' if kept else 'Only the older one says this.'}"
    return replace(found, status=AnswerStatus.PASSAGES_FOUND, decision=None, reason=reason)


def _changes_to(claim: Claim, others: Sequence[Claim]) -> str:
    """Return a sentence that says which document changes a value in a statement; "" if none of the others does."""
    for other in others:
        for old, _, new in replaced_values(other.text):
            if other is not claim and says_value(claim.text, old) and not replaced_values(claim.text):
                return f"{other.quotes[0].document_id} changes {old.text.strip(' .')} to {new}."
    return ""


def _gone(question: str, said: Sequence[Quote], document: Load) -> Iterator[str]:
    """Yield the names of those who left the role before the time in question."""
    role = root(role_asked(question).casefold())
    for quote in said:
        text = document(quote.document_id).text
        around = text[max(0, quote.start - _BESIDE) : quote.end + _BESIDE]
        is_later = any(held_at(quote.text, asked) for asked in moments(question))
        if role in roots(around) and not is_later:
            yield from succession(quote.text).leaving


def _names_one_of(gone: frozenset[str], claim: Claim, question: str) -> bool:
    """Return True if the name nearest to the role in a statement is that of somebody who has left the role."""
    if succession(claim.text).taking:
        return False
    role = root(role_asked(question).casefold())
    last = _last_names(gone)
    for line in claim.text.split("; "):
        said = words(line)
        at = [place for place, word in enumerate(said) if root(word) == role]
        named = [
            (min(abs(place - said.index(word)) for place in at), name)
            for name in people(line)
            if (word := words(name)[-1]) in said and at
        ]
        if named and min(named)[1].split()[-1] in last:
            return True
    return False


def _latest(question: str, claims: Sequence[Claim], document: Load) -> tuple[Claim, ...]:
    """Return the statements that no other statement supersedes at the time in question. Table cells are always kept,
    because the table gives their time.
    """
    asked = moment_asked(question)
    if asked is None:
        return tuple(claims)
    begins = {
        claim: begins_at(claim.text, asked, date_of(document(claim.quotes[0].document_id)))
        for claim in claims
        if any(not quote.cell for quote in claim.quotes)
    }
    return tuple(claim for claim in claims if claim not in begins or begins[claim] == max(begins.values()))
