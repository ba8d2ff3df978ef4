from __future__ import annotations

from test_html_report import HOSTILE, Page, with_texts

from investigator.records import Investigation, Reflection, Reply
from investigator.records.memories import Knowledge, KnownInfo, Relation
from investigator.reports.charts import knowledge_graph, score_rows, timeline
from investigator.reports.enclosures import Enclosures
from investigator.reports.html import html_report
from investigator.store.past_calls import PastCall


def call(template: str, elapsed: float, seconds: float, *, tokens: int = 0, reused: bool = False) -> PastCall:
    return PastCall(template, "e", Reply(text="", seconds=seconds, input_tokens=tokens), elapsed, reused)


CALLS = (
    call("planner/plan", 2, 1, tokens=100),
    call("query/ask", 5, 3, tokens=30),
    call("query/ask", 6, 3, tokens=20),
    call("query/ask", 6, 0.5, reused=True),
    call("reflection/reflect", 7, 1),
    call("planner/plan", 8, 1),
    call("reflection/reflect", 10, 1),
)


def test_calls_side_by_side_are_drawn_below_each_other_and_reused_ones_cost_nothing(unfinished: Investigation) -> None:
    times = timeline(unfinished.changed(elapsed=10.0), CALLS)

    assert times is not None
    asking = next(row for row in times.rows if row.step == "ask")
    assert (asking.calls, asking.reused, asking.tokens, asking.seconds) == (2, 1, 50, 6.0)
    assert [(span.start, span.width, span.lane) for span in asking.spans[:2]] == [(200, 300, 0), (300, 300, 1)]
    assert [(span.start, span.width) for span in times.rounds] == [(100, 600), (700, 300)]


def test_a_call_without_duration_can_be_seen_and_none_leaves_the_drawing(unfinished: Investigation) -> None:
    times = timeline(unfinished.changed(elapsed=10.0), [call("answer/answer", 10, 0)])

    assert times is not None
    (span,) = times.rows[0].spans
    assert span.width > 0
    assert span.start + span.width <= 1000
    assert timeline(unfinished, ()) is None


def test_documents_stand_in_the_order_of_their_best_scores(answered: Investigation) -> None:
    rows = score_rows(answered.memories)

    assert [row.best for row in rows] == sorted((row.best for row in rows), reverse=True)
    assert all(
        memory.point is not None for row in rows for memory in answered.memories if memory.id in dict(row.scores)
    )


def test_the_graph_connects_terms_with_documents_by_the_best_score_and_terms_once() -> None:
    known = (
        KnownInfo(info="x", point=40, document_ids=("a.txt",)),
        KnownInfo(info="y", point=90, document_ids=("a.txt",)),
    )
    both_ways = (
        Knowledge(term="rent", known_infos=known, relations=(Relation(term="lease", relation="part of"),)),
        Knowledge(term="lease", relations=(Relation(term="rent", relation="part of"),)),
    )
    graph = knowledge_graph([Reflection(round=1, knowledge=both_ways)])

    assert graph is not None
    assert [edge.weight for edge in graph.found] == [90]
    assert len(graph.related) == 1
    assert knowledge_graph([]) is None


def test_a_large_graph_says_how_much_is_not_drawn() -> None:
    known = (KnownInfo(info="x", point=40, document_ids=("a.txt",)),)
    many = tuple(Knowledge(term=f"term {n}", known_infos=known) for n in range(40))
    graph = knowledge_graph([Reflection(round=1, knowledge=many)])

    assert graph is not None
    assert graph.left_out == 40 - len(graph.terms) > 0


def test_charts_hold_hostile_words_as_text(answered: Investigation) -> None:
    calls = Enclosures(calls=CALLS)
    harmless = Page(html_report(answered, calls))
    for text in HOSTILE:
        page = Page(html_report(with_texts(answered, text), calls))
        assert page.open == []
        assert {tag for tag, _ in page.tags} <= {tag for tag, _ in harmless.tags} | {"path", "circle", "text", "title"}
