"""Matches a sentence against the times named in a question, and the end of a time span if it asks for one. Pure."""

from __future__ import annotations

from functools import lru_cache

from investigator.language.labels import label_line
from investigator.language.late_patterns import late
from investigator.language.sentences import is_row, statement_spans
from investigator.language.terms import content_words, folded, words
from investigator.questions.imprints import covered, with_fiscal
from investigator.questions.labelled import says_label
from investigator.questions.measured import are_like
from investigator.questions.periods import Period, agree, longer, periods, spelled, without_compared
from investigator.questions.phases import phases_named, phases_said, shows_phase
from investigator.questions.related import root, roots
from investigator.questions.spans import in_span, is_over, moments, now_asked, time_spans
from investigator.questions.succession import held_at, role_asked
from investigator.questions.surroundings import Surroundings
from investigator.records import Constraint, ConstraintMatch, Imprint, MatchState

_DAY = late(r"(\d{4})-(\d\d)")
_JUST_AFTER = 3  # up to this month, "the fourth quarter" usually means the previous year's


def matched(asked: Constraint, state: MatchState, words_of: str = "") -> ConstraintMatch:
    """Return the match of a constraint; the words that show it are joined on one line."""
    return ConstraintMatch(constraint=asked, state=state, words=" ".join(words_of.split()))


def period_match(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    """Match a period with the times that a sentence names or covers, then with those in the surrounding text."""
    if asked.text in now_asked(question):
        return matched(asked, MatchState.NOT_MET if is_over(evidence.sentence) else MatchState.MET)
    wanted = periods(asked.text)
    meant = [one for one in moments(question) if asked.text in folded(one.text)]
    held = in_span(meant[0], evidence.sentence, _year_of_title(evidence.names)) if meant else None
    if held is None and meant and role_asked(question) and held_at(evidence.sentence, meant[0]):
        held = True
    if held is not None:
        return matched(asked, MatchState.MET if held else MatchState.CONTRADICTED, _spans_of(evidence.sentence))
    own = _of_year(periods(without_compared(evidence.sentence)), wanted, evidence)
    span = longer(evidence.sentence) if all(one.quarter or one.month for one in wanted) else ""
    if span and not agree(wanted, (one for one in own if one.quarter or one.month)):
        return matched(asked, MatchState.CONTRADICTED, span)
    if agree(wanted, _dated(wanted, with_fiscal(own, evidence.imprint))):
        return matched(asked, MatchState.MET, asked.text)
    if _comparable(wanted, own):
        return matched(asked, MatchState.CONTRADICTED, _spelled(own))
    if (said := _period_before(wanted, question, evidence)) is not None:
        return matched(asked, *said)
    around = periods(without_compared(evidence.about)) | covered(evidence.imprint)
    near = periods(without_compared(evidence.near))
    if agree(wanted, with_fiscal(near, evidence.imprint)) or agree(wanted, around):
        is_of_another_figure = not agree(wanted, covered(evidence.imprint)) and _has_its_own(wanted, evidence)
        return matched(asked, MatchState.NOT_MET if is_of_another_figure else MatchState.MET, asked.text)
    if _comparable(wanted, around):
        return matched(asked, MatchState.CONTRADICTED, _spelled(covered(evidence.imprint) or around))
    return matched(asked, MatchState.NOT_MET)


def _of_year(own: frozenset[Period], wanted: frozenset[Period], evidence: Surroundings) -> frozenset[Period]:
    """Add the year in which a document was written to the quarters and months in a sentence. Do not add it if a
    question asks for the previous year and the document was written at the beginning of a year.
    """
    written = _written(evidence.imprint)
    if written is None or any(one.year for one in own) or not any(one.year for one in wanted):
        return own
    year, month = written
    if any(one.year == year - 1 for one in wanted) and month <= _JUST_AFTER:
        return own
    return frozenset(one._replace(year=year) for one in own)


def _written(imprint: Imprint) -> tuple[int, int] | None:
    """Return the year and month in which a document was written, if its first page says so."""
    match = _DAY.match(imprint.dated or "")
    return (int(match[1]), int(match[2])) if match else None


@lru_cache(maxsize=1024)
def _years_of_title(names: str) -> frozenset[Period]:
    """Return the years that a document covers according to its names; empty if they name a shorter period."""
    found = periods(names)
    return found if all(one.year and not (one.quarter or one.month) for one in found) else frozenset()


def _year_of_title(names: str) -> int | None:
    """Return the only year in a document's names."""
    years = {one.year for one in _years_of_title(names)}
    return years.pop() if len(years) == 1 else None


def _spans_of(sentence: str) -> str:
    return ", ".join(span.text for span in time_spans(sentence))


def _dated(wanted: frozenset[Period], own: frozenset[Period]) -> frozenset[Period]:
    """Return the periods in `own`, without the quarters if all requested periods are months and `own` also contains a
    month.
    """
    months = frozenset(period for period in own if period.month or not period.quarter)
    return months if any(period.month for period in months) and all(period.month for period in wanted) else own


def _period_before(wanted: frozenset[Period], question: str, evidence: Surroundings) -> tuple[MatchState, str] | None:
    """Match a period with the previous sentence, then with the title of the document; return None if neither
    decides.
    """
    leading, told = _told_before(evidence)
    if _comparable(wanted, told) and not agree(wanted, told):
        return MatchState.CONTRADICTED, _spelled(told)
    about = {root(word) for word in content_words(question) if not word.isdigit()}
    if agree(wanted, told) and about.isdisjoint(roots(leading)):  # otherwise, the year may belong to another figure
        return MatchState.MET, _spelled(told)
    titled = _years_of_title(evidence.names)
    if titled and _comparable(wanted, titled) and not agree(wanted, titled | periods(evidence.before)):
        return MatchState.CONTRADICTED, _spelled(titled)
    return None


def _told_before(evidence: Surroundings) -> tuple[str, frozenset[Period]]:
    """Return the day over the text or, failing that, the nearest previous sentence in the paragraph that names a
    period; each with its periods. Return nothing if the sentence names a quarter or a month, or if the evidence is a
    table row or label line.
    """
    if evidence.day:
        return evidence.day, periods(evidence.day)
    if not (is_row(evidence.sentence) or label_line(evidence.sentence)):
        paragraph = without_compared(evidence.before.rpartition("\n\n")[2])
        for sentence, own in _sentences_with_periods(paragraph)[-1:]:
            if all(one.year and not (one.quarter or one.month) for one in own):
                return sentence, own
    return "", frozenset()


def _has_its_own(wanted: frozenset[Period], evidence: Surroundings) -> bool:
    """Return True if another sentence gives a figure of the same kind for the requested period."""
    others = (*_sentences_with_periods(evidence.near), *_sentences_with_periods(evidence.about))
    return any(
        agree(wanted, own) and evidence.sentence not in other and are_like(evidence.sentence, other)
        for other, own in others
    )


@lru_cache(maxsize=1024)
def _sentences_with_periods(text: str) -> tuple[tuple[str, frozenset[Period]], ...]:
    found = ((text[start:end], periods(text[start:end])) for start, end in statement_spans(text))
    return tuple((sentence, own) for sentence, own in found if own)


def _comparable(wanted: frozenset[Period], own: frozenset[Period]) -> bool:
    """Return True if the periods can be compared with the requested ones: both groups contain a year, or both contain a
    quarter. Otherwise, a difference between them means nothing.
    """
    both = (own, wanted)
    return all(any(one.year for one in each) for each in both) or all(any(one.quarter for one in each) for each in both)


def _spelled(own: frozenset[Period]) -> str:
    known = (one for one in own if one.year or one.quarter)
    return ", ".join(spelled(period) for period in sorted(known, key=lambda one: one.order)[:3])


def day_state(asked: Constraint, question: str, evidence: Surroundings) -> tuple[MatchState, str] | None:
    """Match a day ("7 april") with a time span in a sentence; None if it is not a day, or if the sentence has no
    span.
    """
    days = [day for day in moments(question) if day.day and set(words(asked.text)) <= set(words(day.text))]
    held = in_span(days[0], evidence.sentence, _year_of_title(evidence.names)) if days else None
    return None if held is None else (MatchState.MET if held else MatchState.CONTRADICTED, days[0].text)


def phase_match(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    """Match the end of a time span that a question asks for."""
    line = label_line(evidence.sentence)
    is_labelled = line is not None and says_label(question, line.label)
    is_shown = shows_phase(asked.text, question, evidence.sentence) or (
        is_labelled and phases_named(asked.text) <= phases_said(evidence.sentence)
    )
    return matched(asked, MatchState.MET if is_shown else MatchState.NOT_MET)
