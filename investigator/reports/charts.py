"""The data for the charts of an investigation: scores of documents, calls over time, and terms with their documents.
Pure. Templates turn the data into inline SVG. Each chart has a text equivalent, so that no information is conveyed by a
picture alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from investigator.engines.roles import Role, role_of
from investigator.records import Investigation, Reflection
from investigator.records.memories import Memory
from investigator.reports.inert import inert_line
from investigator.store.past_calls import PastCall

_MOST_NODES = 14
"""Maximum number of nodes on each side of the graph; the text below the graph lists all of them."""
_TERM, _DOCUMENT = 28, 38  # maximum number of characters in a label
_ROW = 26
_LEAST_WIDTH = 4.0  # minimum width in thousandths of the total time, so that a call of one millisecond is visible


@dataclass(frozen=True)
class ScoreRow:
    """A document that was asked, with the memory id and the score of each reply, best first."""

    document_id: str
    scores: tuple[tuple[int, int], ...]

    @property
    def best(self) -> int:
        """Return the best score."""
        return self.scores[0][1]


@dataclass(frozen=True)
class Span:
    """A stretch of time, in thousandths of the whole timeline, and the lane in which it is drawn."""

    start: float
    width: float
    lane: int = 0


@dataclass(frozen=True)
class TimelineRow:
    """The calls in one step of the method: their times and costs."""

    step: str
    spans: tuple[Span, ...]
    lanes: int
    calls: int
    reused: int
    tokens: int
    seconds: float


@dataclass(frozen=True)
class Timeline:
    """A run's calls over time in seconds, grouped by step; `rounds` are the intervals between reviews."""

    seconds: float
    rounds: tuple[Span, ...]
    rows: tuple[TimelineRow, ...]


@dataclass(frozen=True)
class Node:
    """A term or document in the graph: its full name, its label, and its vertical position."""

    name: str
    label: str
    y: int


@dataclass(frozen=True)
class Edge:
    """A line in the graph between two positions; `weight` is the score of the fact, and `words` describe the
    connection.
    """

    start: int
    end: int
    weight: int
    words: str


@dataclass(frozen=True)
class KnowledgeGraph:
    """Terms on the left, documents on the right; `found` connects a term with a document, and `related` connects two
    terms.
    """

    terms: tuple[Node, ...]
    documents: tuple[Node, ...]
    found: tuple[Edge, ...]
    related: tuple[Edge, ...]
    height: int
    left_out: int


def score_rows(memories: Iterable[Memory]) -> tuple[ScoreRow, ...]:
    """Return the documents that were asked and scored, best first."""
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for memory in memories:
        if memory.point is not None:
            found[memory.target_document_id].append((memory.id, memory.point))
    rows = (ScoreRow(name, tuple(sorted(scores, key=lambda one: -one[1]))) for name, scores in found.items())
    return tuple(sorted(rows, key=lambda row: (-row.best, row.document_id)))


def timeline(investigation: Investigation, calls: Sequence[PastCall]) -> Timeline | None:
    """Return the timeline of a run's calls; None if it has no calls."""
    total = max([investigation.elapsed, *(call.elapsed for call in calls)], default=0.0)
    if not calls or total <= 0:
        return None
    by_role: defaultdict[Role, list[PastCall]] = defaultdict(list)
    for call in calls:
        by_role[role_of(call.template)].append(call)
    reviews = [call.elapsed for call in by_role.get(Role.REFLECT, ())]
    begins = [min(call.elapsed - call.reply.seconds for call in by_role.get(Role.PLAN, calls)), *reviews]
    rounds = (_span(begin, end, total) for begin, end in zip(begins, reviews, strict=False) if end > begin)
    rows = tuple(_timeline_row(role, by_role[role], total) for role in Role if role in by_role)
    return Timeline(total, tuple(rounds), rows)


def knowledge_graph(reflections: Sequence[Reflection]) -> KnowledgeGraph | None:
    """Return the knowledge from the last review as a graph; None if it is empty or has no connections."""
    knowledge = reflections[-1].knowledge if reflections else ()
    scores: dict[tuple[str, str], int] = {}
    for item in knowledge:
        for info in item.known_infos:
            for name in info.document_ids:
                scores[item.term, name] = max(scores.get((item.term, name), 0), info.point)
    related = {tuple(sorted((item.term, to.term))): to.relation for item in knowledge for to in item.relations}
    names = (item.term for item in knowledge if item.known_infos or item.relations)
    every_term = list(dict.fromkeys((*names, *(term for pair in related for term in pair))))
    every_document = list(dict.fromkeys(name for _, name in sorted(scores, key=lambda pair: -scores[pair])))
    if not scores and not related:
        return None
    terms, documents = _nodes(every_term, _TERM), _nodes(every_document, _DOCUMENT)
    return KnowledgeGraph(
        terms=tuple(terms.values()),
        documents=tuple(documents.values()),
        found=tuple(
            Edge(terms[term].y, documents[name].y, score, f"{term} – {name}: score {score}")
            for (term, name), score in scores.items()
            if term in terms and name in documents
        ),
        related=tuple(
            Edge(terms[one].y, terms[other].y, 0, f"{one} – {other}: {words}")
            for (one, other), words in related.items()
            if one in terms and other in terms and one != other
        ),
        height=_ROW * max(len(terms), len(documents)),
        left_out=len(every_term) - len(terms) + len(every_document) - len(documents),
    )


def _nodes(names: Sequence[str], longest: int) -> Mapping[str, Node]:
    shown = enumerate(names[:_MOST_NODES])
    return {name: Node(name, inert_line(name, longest), _ROW * place + _ROW // 2) for place, name in shown}


def _timeline_row(role: Role, calls: Sequence[PastCall], total: float) -> TimelineRow:
    spans: list[Span] = []
    ends: list[float] = []  # end of the last call in each lane
    for call in sorted(calls, key=lambda call: call.elapsed - call.reply.seconds):
        span = _span(call.elapsed - (0.0 if call.reused else call.reply.seconds), call.elapsed, total)
        lane = next((lane for lane, end in enumerate(ends) if end <= span.start), len(ends))
        ends[lane : lane + 1] = [span.start + span.width]
        spans.append(Span(span.start, span.width, lane))
    paid = [call.reply for call in calls if not call.reused]
    return TimelineRow(
        step=role.value,
        spans=tuple(spans),
        lanes=len(ends),
        calls=len(paid),
        reused=len(calls) - len(paid),
        tokens=sum(reply.input_tokens + reply.output_tokens for reply in paid),
        seconds=sum(reply.seconds for reply in paid),
    )


def _span(begin: float, end: float, total: float) -> Span:
    start = 1000 * max(0.0, begin) / total
    width = max(_LEAST_WIDTH, 1000 * end / total - start)
    return Span(round(min(start, 1000 - width), 2), round(width, 2))
