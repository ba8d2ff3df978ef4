"""Measures how well the rules and a verifier tell supported claims from unsupported ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import Field, StrictBool, StrictStr

from investigator.engines.embedding.verifiers import Verifier, as_one
from investigator.evaluation.lines import RowWithId, by_id, rows_of
from investigator.evidence.claims import prove
from investigator.records import ClaimStatus, Quote, Record

_AT_ONCE = 64
"""Number of pairs passed to a verifier at once."""


class ClaimRow(RowWithId):
    """A claim, its quotes, and a label, which is True if the quotes support the claim."""

    claim: StrictStr = Field(min_length=1)
    quotes: tuple[StrictStr, ...]
    label: StrictBool
    kind: str = ""


class JudgeReport(Record):
    """How well one judge (the rules or a verifier) decided: the share of true claims that it accepted, and the share of
    false claims that it rejected. A share is None if there are no such claims. True claims that the rules do not accept
    are either withheld or replaced by their quotes; `true_withheld` is the share of true claims that are withheld.
    """

    name: str
    claims: int
    true_accepted: float | None
    false_refused: float | None
    true_withheld: float | None = None
    milliseconds: float

    @property
    def balanced_accuracy(self) -> float | None:
        """Return the mean of both shares; None if one is missing. Guessing scores 0.5."""
        if self.true_accepted is None or self.false_refused is None:
            return None
        return (self.true_accepted + self.false_refused) / 2


class ClaimsReport(Record):
    """The results for the rules and for the verifier, if one was used: across all claims, and for each kind."""

    rules: JudgeReport
    verifier: JudgeReport | None = None
    by_kind: tuple[tuple[str, JudgeReport, JudgeReport | None], ...] = ()

    @property
    def better(self) -> str:
        """Return the name of the judge with the higher balanced accuracy; in a tie, the name of the rules."""
        ours = self.rules.balanced_accuracy
        other = self.verifier.balanced_accuracy if self.verifier is not None else None
        wins = ours is not None and other is not None and other > ours
        return self.verifier.name if self.verifier is not None and wins else self.rules.name


def read_claims(file: Path) -> tuple[ClaimRow, ...]:
    """Read the claims in a JSONL file. Raises EvaluationDataError."""
    return tuple(by_id(file, "claims", rows_of(file, ClaimRow)).values())


def measure_claims(
    rows: Sequence[ClaimRow],
    verifier: Verifier | None,
    threshold: float,
    clock: Callable[[], float] = time.perf_counter,
) -> ClaimsReport:
    """Measure the rules and, if given, a verifier on claims; the verifier accepts scores of at least `threshold`.
    Raises EmbedderError.
    """
    began = clock()
    statuses = [prove(row.claim, _quotes(row)).status for row in rows]
    ruled = clock()
    scores = list(_scores(rows, verifier)) if verifier is not None else []
    seconds = (ruled - began, clock() - ruled)

    def reports(places: Sequence[int]) -> tuple[JudgeReport, JudgeReport | None]:
        labels = [rows[place].label for place in places]
        chosen = [statuses[place] for place in places]
        proven = [status is ClaimStatus.PROVEN for status in chosen]
        withheld = [status is ClaimStatus.WITHHELD for status in chosen]
        ours = _report("rules", labels, proven, 1000 * seconds[0] / len(rows))
        ours = ours.changed(true_withheld=_share(withheld, labels, of=True))
        if verifier is None:
            return ours, None
        accepted = [scores[place] >= threshold for place in places]
        return ours, _report(verifier.name, labels, accepted, 1000 * seconds[1] / len(rows))

    rules, other = reports(range(len(rows)))
    kinds = dict.fromkeys(row.kind for row in rows if row.kind)
    by_kind = tuple((kind, *reports([k for k, row in enumerate(rows) if row.kind == kind])) for kind in kinds)
    return ClaimsReport(rules=rules, verifier=other, by_kind=by_kind)


def _report(name: str, labels: Sequence[bool], accepted: Sequence[bool], milliseconds: float) -> JudgeReport:
    refused = _share(accepted, labels, of=False)
    return JudgeReport(
        name=name,
        claims=len(labels),
        true_accepted=_share(accepted, labels, of=True),
        false_refused=None if refused is None else 1 - refused,
        milliseconds=round(milliseconds, 3),
    )


def _share(marked: Sequence[bool], labels: Sequence[bool], *, of: bool) -> float | None:
    """Return the fraction of the claims labelled `of` that are marked; None if no claim has that label."""
    chosen = [mark for mark, label in zip(marked, labels, strict=True) if label is of]
    return sum(chosen) / len(chosen) if chosen else None


def _scores(rows: Sequence[ClaimRow], verifier: Verifier) -> Iterator[float]:
    pairs = [(as_one(row.quotes), row.claim) for row in rows]
    for start in range(0, len(pairs), _AT_ONCE):
        yield from verifier.scores(pairs[start : start + _AT_ONCE])


def _quotes(row: ClaimRow) -> tuple[Quote, ...]:
    return tuple(
        Quote(document_id=row.id, page=None, line=1, start=0, end=len(text), text=text, source_hash="")
        for text in row.quotes
    )
