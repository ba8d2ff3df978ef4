"""Creates the Markdown tables that `ingest.py` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from ingest_runs import Counts, LangChainRound, OurRound
from retrieval_quality import Quality

MB = 1_000_000
_WHOLE = "{:,.0f}"

Row = tuple[str, ...]

_COUNTED: tuple[tuple[str, Callable[[Counts], float]], ...] = (
    ("files", lambda counts: counts.files),
    ("- not read", lambda counts: len(counts.not_read)),
    ("pages", lambda counts: counts.pages),
    ("chunks", lambda counts: counts.chunks),
)


def ratios(ours: Sequence[OurRound], theirs: Sequence[LangChainRound]) -> dict[str, list[float]]:
    """Return the factor by which LangChain took longer, for each round."""
    pairs = list(zip(ours, theirs, strict=False))
    return {
        "first_cited_answer": [their.first_passages / our.answer.seconds for our, their in pairs],
        "complete_index": [their.complete / our.complete.seconds for our, their in pairs],
    }


def speed_lines(ours: Sequence[OurRound], theirs: Sequence[LangChainRound]) -> list[str]:
    """Return lines with the times, memory and counts of both sides, each of which may have no rounds."""
    faster = ratios(ours, theirs)
    rows: list[Row] = [
        ("", "investigator", "LangChain", "times faster"),
        (
            "first cited answer, s",
            _median([r.answer.seconds for r in ours]),
            _median([r.first_passages for r in theirs], "{:,.1f} (1)"),
            _median(faster["first_cited_answer"]),
        ),
        (
            "complete index, s",
            _median([r.complete.seconds for r in ours]),
            _median([r.complete for r in theirs]),
            _median(faster["complete_index"]),
        ),
        ("- vectors of sentences after that, s", _median([r.sentences.seconds for r in ours]), "", ""),
        ("text and words, s", _median([r.text.seconds for r in ours]), "", ""),
        ("- files a second", _median([r.counts.files / r.text.seconds for r in ours]), "", ""),
        (
            "- pages per second (LangChain: loading)",
            _median([r.counts.pages / r.text.seconds for r in ours]),
            _median([r.counts.pages / r.stages["load"] for r in theirs]),
            "",
        ),
        ("- chunks a second", _median([r.counts.chunks / r.text.seconds for r in ours]), "", ""),
        *(
            (f"LangChain's {stage.replace('_', ' ')}, s", "", _median([r.stages[stage] for r in theirs]), "")
            for stage in (theirs[0].stages if theirs else ())
        ),
        ("peak memory of text and words, MB", _median([r.text.peak_memory / MB for r in ours]), "", ""),
        ("peak memory of the answer, MB", _median([r.answer.peak_memory / MB for r in ours]), "", ""),
        (
            "peak memory of the complete index, MB",
            _median([r.complete.peak_memory / MB for r in ours]),
            _median([r.whole.peak_memory / MB for r in theirs]),
            "",
        ),
        *(
            (name, _median([of(r.counts) for r in ours], _WHOLE), _median([of(r.counts) for r in theirs], _WHOLE), "")
            for name, of in _COUNTED
        ),
    ]
    lines = table([rows[0], *(row for row in rows[1:] if any(row[1:]))])
    if theirs:
        lines += [
            "",
            "(1) the passages for an answer; without a language model, it has no answer, and that time is not counted",
        ]
    if ours:
        lines += ["", f"The answer of investigator: {ours[0].status}, {ours[0].quotes} quotes."]
    return lines


def quality_lines(judged: Mapping[str, Quality]) -> list[str]:
    """Return lines with the search quality of each side; empty if no questions were asked."""
    if not judged:
        return []
    first = next(iter(judged.values()))
    rows: list[Row] = [
        (f"{first.questions} questions", "hit@1", "hit@3", "hit@10", "recall@10", "MRR", "evidence@10", "characters")
    ]
    for name, found in judged.items():
        figures = (found.hit_1, found.hit_3, found.hit_10, found.recall_10, found.mrr, found.evidence_10)
        shown = ("" if figure is None else f"{figure:.3f}" for figure in figures)
        rows.append((name, *shown, f"{found.characters:,.0f}"))
    return ["", *table(rows)]


def _median(values: Sequence[float], form: str = "{:,.1f}") -> str:
    return form.format(median(values)) if values else ""


def table(rows: Sequence[Row]) -> list[str]:
    """Return a Markdown table with numbers aligned right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| "
        + " | ".join(c.ljust(w) if not i else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        + " |"
        for row in rows
    ]
    rule = "| " + " | ".join("-" * w if not i else "-" * (w - 1) + ":" for i, w in enumerate(widths)) + " |"
    return [lines[0], rule, *lines[1:]]
