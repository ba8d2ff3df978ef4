"""Checks claims slot by slot: a claim may state only what a single sentence in one of its quotes states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from investigator.evidence.alignment import is_whole, says, without_connective
from investigator.evidence.contradictions import contradicted_slot
from investigator.evidence.figures import Figures, computed, figures, missing_figure
from investigator.evidence.pronouns import resolved
from investigator.evidence.rewordings import reworded, says_of_it
from investigator.evidence.statements import LONGEST_STATEMENT, StatedKind, StatedSentence, statements
from investigator.language.claim_words import joints, saying
from investigator.language.negation import allows_negation, contradicts, negates
from investigator.language.normalise import normalise, one_line
from investigator.language.terms import words
from investigator.records import ClaimStatus, Quote, Slot

_CITATION = re.compile(r"[\[(]\s*E?\d{1,4}(?:\s*[,;]\s*E?\d{1,4})*\s*\]|\(\s*E\d{1,4}(?:\s*[,;]\s*E\d{1,4})*\s*\)")
_SOURCE = re.compile(r"According to (?:the |this )?([\w. -]{2,60}), ", re.IGNORECASE)
_BETWEEN_CLAUSES = re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+")
_RELATIVE = re.compile(r" ?, (?=(?:which|who|whose|where)\b)")
_LONGEST_CHECKED = 5_000
"""Maximum number of characters in a claim or quote; longer ones are not checked."""
_SHORTEST_CLAUSE = 3
"""Minimum number of words in a clause that is checked separately."""
_MOST_STRANGE = 3
"""Maximum number of a claim's words that a sentence may lack if the two are compared; rewordings may add words."""
_ORDER = (ClaimStatus.WITHHELD, ClaimStatus.REPLACED, ClaimStatus.PROVEN)


@dataclass(frozen=True)
class ClaimCheck:
    """The result of checking a claim: its status and, if it is not proven, the reason, slot and nearest quote."""

    status: ClaimStatus
    reason: str = ""
    slot: Slot | None = None
    quote: Quote | None = None

    @property
    def is_proven(self) -> bool:
        """Return True if the claim says no more than its quotes do."""
        return self.status is ClaimStatus.PROVEN


def prove(claim_text: str, quotes: Sequence[Quote], given: str = "") -> ClaimCheck:
    """Check a claim against its quotes; `given` is the question.

    A claim is proven if each of its sentences is contained in one sentence of one quote, and nothing important is
    missing (`alignment`). The words and their order must be the same, or the rules must accept the wording as
    equivalent (`rewordings`, `language/data/rewordings.toml`). A claim is withheld if its quotes contradict one of its
    slots, or do not mention that slot. Any other unproven claim is replaced by its nearest quote. Numbers and dates
    from the question do not count as contradictions.
    """
    bare = _CITATION.sub(" ", claim_text).strip()
    claim = _without_source(saying().sub("", bare), quotes)
    if not any(char.isalnum() for char in claim):
        return ClaimCheck(ClaimStatus.WITHHELD, "it contains no words", Slot.SUBJECT)
    if len(claim_text) > _LONGEST_CHECKED:
        return ClaimCheck(ClaimStatus.WITHHELD, "it is too long to check")
    if not quotes:
        return ClaimCheck(ClaimStatus.WITHHELD, "no quote supports it")
    if any(_plain(said) in _forms(quote) for said in (claim, claim_text) for quote in quotes):
        return ClaimCheck(ClaimStatus.PROVEN)
    check = _weakest(claim, quotes, given)
    if bare != claim_text.strip() and not check.is_proven:  # the document may contain a mark that looks like a citation
        as_written = _weakest(claim_text, quotes, given)
        return as_written if as_written.is_proven else check
    return check


def unsaid(text: str, said: str) -> str | None:
    """Return the reason to doubt a reply, that is, a number, date or name with digits that `said` does not contain;
    None if `said` contains them all.

    The check is meant for replies that are based on a conversation instead of documents.
    """
    missing = missing_figure(figures(text), figures(said), figures(""))
    return missing.reason if missing is not None else None


def _without_source(claim: str, quotes: Sequence[Quote]) -> str:
    """Return a claim without an initial "According to the lease, " if a quote is from a document with that name."""
    source = _SOURCE.match(claim)
    named = source is not None and any(set(words(source[1])) <= set(words(quote.document_id)) for quote in quotes)
    return claim[source.end() :] if source is not None and named else claim


def _weakest(claim: str, quotes: Sequence[Quote], given: str) -> ClaimCheck:
    checks = [_checked(sentence, quotes, given) for sentence in statements(claim)]
    return min(checks, key=lambda check: _ORDER.index(check.status))


def _checked_text(quote: Quote) -> str:
    return (quote.said if quote.cell is not None else quote.text)[:_LONGEST_CHECKED]


def _sentences(quote: Quote) -> tuple[StatedSentence, ...]:
    return statements(_checked_text(quote))


def _forms(quote: Quote) -> tuple[str, str]:
    """Return the words of a quote in two forms: as written, and on one line with hyphenated words rejoined. For a cell,
    return its statement.
    """
    if quote.cell is not None:
        return _plain(quote.said), _plain(f"{quote.said}.")
    return _plain(quote.text), _plain(one_line(quote.text))


def _plain(text: str) -> str:
    return normalise(text).text.strip(" .\"'")


def _checked(claim: StatedSentence, quotes: Sequence[Quote], given: str) -> ClaimCheck:
    if any(_says(quote, claim, given) for quote in quotes) or _says_each_clause(quotes, claim, given):
        return ClaimCheck(ClaimStatus.PROVEN)
    best, sentence = max(
        ((quote, sentence) for quote in quotes for sentence in _sentences(quote)),
        key=lambda pair: len(claim.content & pair[1].content),
        default=(quotes[0], None),
    )
    if sentence is None:
        return ClaimCheck(ClaimStatus.WITHHELD, "its quotes contain no sentence", Slot.SUBJECT, best)
    return _refused(claim, best, sentence, [_checked_text(quote) for quote in quotes], given)


def _refused(
    claim: StatedSentence, quote: Quote, nearest: StatedSentence, texts: Sequence[str], given: str
) -> ClaimCheck:
    """Return the check of an unproven claim: withheld if its quotes contradict it, otherwise replaced."""
    joined = figures("\n".join(texts))
    missing = missing_figure(figures(claim.text), joined, figures(given))
    sum_of = computed(missing.amount, joined) if missing and missing.amount else ""
    if missing is not None and not sum_of:
        return ClaimCheck(ClaimStatus.WITHHELD, missing.reason, missing.slot, quote)
    if contradicts(claim.text, [_RELATIVE.sub(". ", text) for text in texts]):
        return ClaimCheck(ClaimStatus.WITHHELD, "its quotes deny it", Slot.POLARITY, quote)
    if negates(claim.text) and not any(allows_negation(text, claim.text) for text in texts):
        reason = "it denies something that its quotes do not deny"
        return ClaimCheck(ClaimStatus.WITHHELD, reason, Slot.POLARITY, quote)
    found = contradicted_slot(claim, nearest)
    if found is not None and not _is_given(claim, given):
        return ClaimCheck(ClaimStatus.WITHHELD, found[1], found[0], quote)
    if sum_of:
        return ClaimCheck(ClaimStatus.REPLACED, f"its number can be computed from its quotes: {sum_of}", quote=quote)
    if _is_about_something_else(claim, nearest):
        return ClaimCheck(ClaimStatus.WITHHELD, "its quotes do not mention it", Slot.SUBJECT, quote)
    return ClaimCheck(ClaimStatus.REPLACED, _why_not_checked(claim, nearest), Slot.WORDS, quote)


def _is_about_something_else(claim: StatedSentence, nearest: StatedSentence) -> bool:
    """Return True if two statements have no word in common. Claims that contain only figures or negations are checked
    earlier.
    """
    if claim.content & nearest.content or any(word.kind is not StatedKind.WORD for word in claim.words):
        return False
    return claim.is_english and nearest.is_english and not negates(claim.text)


def _is_given(claim: StatedSentence, given: str) -> bool:
    """Return True if a number in the claim comes from the question. In that case, a sentence with another number may be
    about something else, instead of contradicting the claim.
    """
    asked = figures(given)
    return bool(given) and bool(asked.amounts or asked.dates) and _shares_figure(figures(claim.text), asked)


def _shares_figure(claim: Figures, asked: Figures) -> bool:
    return any(mine.is_said_by(theirs) for mine in claim.amounts for theirs in asked.amounts) or any(
        mine.is_said_by(theirs) for mine in claim.dates for theirs in asked.dates
    )


def _why_not_checked(claim: StatedSentence, nearest: StatedSentence) -> str:
    strange = [word.text for word in claim.words if not word.is_function and word.keys.isdisjoint(nearest.known)]
    if strange:
        return f"its quote does not contain {strange[0]!r}"
    return "its quote has a different word order, or says more"


def _says(quote: Quote, claim: StatedSentence, given: str) -> bool:
    return any(_is_said(sentence, claim, given) for sentence in resolved(_sentences(quote)))


def _is_said(sentence: StatedSentence, claim: StatedSentence, given: str) -> bool:
    if len(sentence.words) > LONGEST_STATEMENT or len(claim.words) > LONGEST_STATEMENT:
        return False
    if is_whole(sentence.words, claim.words):
        return True
    strange = sum(word.keys.isdisjoint(sentence.known) for word in claim.words if not word.is_article)
    if strange > _MOST_STRANGE or not sentence.is_english:
        return False
    claimed = without_connective(claim.words)
    return (
        says(sentence.words, claimed)
        or any(says(sentence.words, other) for other in reworded(claimed, sentence))
        or says_of_it(sentence.words, claimed, given)
    )


def _says_each_clause(quotes: Sequence[Quote], claim: StatedSentence, given: str) -> bool:
    """Return True if a single quote contains each clause of a claim, and each clause names its own subject."""
    clauses = list(_clauses(claim))
    return len(clauses) > 1 and any(all(_says(quote, clause, given) for clause in clauses) for quote in quotes)


def _clauses(claim: StatedSentence) -> Iterator[StatedSentence]:
    parts = _BETWEEN_CLAUSES.split(claim.text)
    found = [statement for part in parts for statement in statements(part)]
    pointing = joints("pronouns") | joints("determiners")
    if all(len(one.words) >= _SHORTEST_CLAUSE and one.words[0].text not in pointing for one in found):
        yield from found
