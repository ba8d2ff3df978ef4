"""A report is one run: each part is investigated and becomes a section, and nothing uncited or repeated is in it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from investigator import Investigator, RunOptions, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.engines.base import Traits
from investigator.engines.recorded import RecordedEngine
from investigator.errors import EngineError, NotFoundError, QuestionError
from investigator.records import Answer, Answered, AnswerStatus, Notice, OutlinePart, Progressed, Prompt, StopReason
from investigator.reports.answer_view import answer_view
from investigator.reports.export import exported
from investigator.reports.html import html_report
from investigator.reports.terminal import answer_text, investigation_text
from investigator.resources import prompts_folder
from investigator.services.outlines import outline_in, outline_of, outline_text, read_outline

SUBJECT = "The plants"
NAMES = ("alder", "birch", "cedar")
FEW = "research.planner.documents=1"
"""Or else each document is one that the planner of each part would see."""
MODEL = Traits(is_model=True, concurrency=4)
Reply = dict[str, Any]


def write_plants(folder: Path) -> Path:
    """Write a document for each plant, long enough to be no part of another's evidence."""
    folder.mkdir()
    for number, name in enumerate(NAMES):
        text = f"The {name} plant opened in {1980 + number}. The {name} plant makes {40 + number} MW of power.\n"
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


class Reader:
    """Reads as a model would: what is asked of a plant is answered by the sentence on its power. `changes` replace the
    replies of templates; `dies_at` is the number of the call at which the process ends.
    """

    def __init__(self, changes: Mapping[str, Callable[[Any], Reply]] | None = None, dies_at: int = 0) -> None:
        self.changes, self.dies_at, self.calls = changes or {}, dies_at, 0

    def __call__(self, prompt: Prompt) -> str:
        self.calls += 1
        if self.calls == self.dies_at:
            raise KeyboardInterrupt
        own = getattr(self, f"_{prompt.template.rpartition('/')[2]}")
        return json.dumps(self.changes.get(prompt.template, own)(prompt.variables))

    def _outline(self, _: Any) -> Reply:
        return {"parts": [{"heading": name.title(), "questions": [f"What does {name} make?"]} for name in NAMES]}

    def _plan(self, variables: Any) -> Reply:
        steps = [{"document_id": card.document_id, "purpose": "power"} for card in variables.documents]
        return {"parts": [variables.question], "wordings": ["megawatts"], "steps": steps}

    def _ask(self, variables: Any) -> Reply:
        readings = []
        for document in variables.documents:
            name = document.document_id.removesuffix(".txt")
            last = document.passages[0].text.split(". ")[-1].strip()
            if name in variables.main_question.lower():
                told = {"verdict": "answers", "point": 90, "quotes": [last], "reply": last}
            else:
                told = {"verdict": "not_stated", "point": 0, "reply": "It does not say."}
            readings.append({"document": document.document_id, **told})
        return {"readings": readings}

    def _answer(self, variables: Any) -> Reply:
        quotes = [span for d in variables.documents for p in d.passages for span in p.spans if span.id.startswith("E")]
        if not quotes:
            return {"lead": None, "parts": [{"part": 1, "status": "not_stated"}]}
        lead = {"text": f"Stated: {quotes[0].text}", "evidence": [quotes[0].id]}
        return {"lead": lead, "parts": [{"part": 1, "status": "answered"}]}

    def _reflect(self, _: Any) -> Reply:
        return {"known": [], "unknown": [], "wordings": []}

    def _check(self, variables: Any) -> Reply:
        judged = [{"number": each.number, "support": "supported"} for each in variables.statements]
        return {"statements": judged, "answers": "yes"}

    def _section(self, variables: Any) -> Reply:
        written = [
            {"text": f"{variables.heading} is so: {each.text}", "evidence": each.evidence}
            for each in variables.statements
        ]
        return {"paragraphs": [written]}

    def _summary(self, variables: Any) -> Reply:
        cited = [each.evidence[0] for section in variables.sections for each in section.statements]
        return {"paragraphs": [[{"text": "All make power.", "evidence": cited}]]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_plants(tmp_path / "folder")


def opened(
    folder: Path, reader: Reader | None = None, *settings: str, workspace: str = "workspace"
) -> tuple[Investigator, ScriptedEngine]:
    engine = ScriptedEngine(reader or Reader(), traits=MODEL)
    chosen = load_settings(None, ["research.whole_tokens=0", "research.concurrency=1", *settings])
    place = folder.parent / workspace
    return Investigator(folder, model=engine, settings=chosen, workspace=place, embedder=ScriptedEmbedder()), engine


def calls(engine: ScriptedEngine) -> Counter[str]:
    return Counter(prompt.template for prompt in engine.asked)


def test_each_part_becomes_a_section_of_cited_and_checked_statements(folder: Path) -> None:
    investigator, engine = opened(folder)
    answer = investigator.report(SUBJECT)
    assert answer.status is AnswerStatus.ANSWERED
    assert [section.heading for section in answer.sections] == ["Alder", "Birch", "Cedar"]
    for section, name in zip(answer.sections, NAMES, strict=True):
        assert {quote.document_id for each in section.statements for quote in each.quotes} == {f"{name}.txt"}
    assert answer.lead is not None
    assert {quote.document_id for quote in answer.lead.quotes} == {f"{name}.txt" for name in NAMES}
    assert all(each.quotes and each.support in ("supported", "verbatim") for each in answer.statements)
    assert answer.check.by == engine.name
    assert answer.coverage.read == tuple(f"{name}.txt" for name in NAMES)
    assert calls(engine)["report/section"] == 3
    assert "## Alder" in answer.text


def test_a_sentence_that_cites_nothing_or_is_not_supported_is_left_out(folder: Path) -> None:
    def section(variables: Any) -> Reply:
        cited = [{"text": f"{variables.heading} {word}.", "evidence": ["E1"]} for word in ("stands", "is wrong")]
        return {"paragraphs": [[*cited, {"text": "It is well known.", "evidence": []}]]}

    def check(variables: Any) -> Reply:
        support = {True: "unsupported", False: "supported"}
        judged = [{"number": each.number, "support": support["wrong" in each.text]} for each in variables.statements]
        return {"statements": judged, "answers": "yes"}

    investigator, _ = opened(folder, Reader({"report/section": section, "answer/check": check}))
    answer = investigator.report(SUBJECT)
    assert [each.text for each in answer.sections[0].statements] == ["Alder stands."]
    assert {each.text for each in answer.check.withheld if each.head == "Alder"} == {
        "Alder is wrong.",
        "It is well known.",
    }


def test_a_section_whose_sentences_all_fall_keeps_the_checked_statements_of_its_answer(folder: Path) -> None:
    investigator, _ = opened(folder, Reader({"report/section": lambda _: {"paragraphs": []}}))
    answer = investigator.report(SUBJECT)
    assert [each.text for each in answer.sections[1].statements] == ["Stated: The birch plant makes 41 MW of power."]


def test_a_statement_that_an_earlier_section_makes_is_removed_and_referred_to(folder: Path) -> None:
    outline = [OutlinePart(heading=heading) for heading in ("Alder power", "Output of alder")]
    same = {"paragraphs": [[{"text": "It makes 40 MW.", "evidence": ["E1"]}]]}
    investigator, engine = opened(folder, Reader({"report/section": lambda _: same}))
    first, second = investigator.report(SUBJECT, outline=outline).sections
    assert [each.text for each in first.statements] == ["It makes 40 MW."]
    assert (second.statements, second.repeats) == ((), ("Alder power",))
    later = [prompt for prompt in engine.asked if prompt.template == "report/section"][1]
    assert "Alder power: Stated: The alder plant makes 40 MW of power." in later.text


def test_a_comparison_becomes_a_table_and_a_dispute_stays_cited(folder: Path) -> None:
    def section(variables: Any) -> Reply:
        rows = [{"head": head, "cells": ["40 MW", "1980"], "evidence": ["E1"]} for head in ("old", "new")]
        return {"columns": ["Plant", "Power", "Since"], "rows": rows}

    def answer(variables: Any) -> Reply:
        sides = [{"head": "a", "text": "40 MW", "evidence": ["E1"]}, {"head": "b", "text": "41 MW", "evidence": ["E1"]}]
        dispute = {"about": "output", "sides": sides, "explanation": "The later one holds."}
        lead = {"text": "It makes 40 MW.", "evidence": ["E1"]}
        return {"lead": lead, "parts": [{"part": 1, "status": "answered"}], "disagreements": [dispute]}

    investigator, _ = opened(folder, Reader({"report/section": section, "answer/answer": answer}))
    report = investigator.report(SUBJECT, outline=[OutlinePart(heading="Alder")])
    assert [(row.head, row.text) for row in report.sections[0].rows] == [
        ("old", "Power: 40 MW; Since: 1980"),
        ("new", "Power: 40 MW; Since: 1980"),
    ]
    run = investigator.show(report.run.id)
    assert (
        "| Plant | Power | Since |\n| --- | --- | --- |\n| **old** | 40 MW | 1980 [1](#source-1) |"
        in exported(run, ".md").decode()
    )
    assert '<th scope="row" dir="auto">old</th><td dir="auto">40 MW</td><td dir="auto"><span class="claim">1980' in (
        html_report(run)
    )
    table = "Plant  Power  Since\nold    40 MW  1980 [1]"
    assert table in investigation_text(run).plain
    assert table in answer_text(report).plain
    (dispute,) = report.disagreements
    assert report.status is AnswerStatus.CONFLICTING
    assert dispute.sides[-1].text == "The later one holds."
    assert all(side.quotes for side in dispute.sides)
    assert dispute.explanation == ""


def test_what_the_documents_do_not_say_is_listed_and_a_subject_that_they_do_not_know_is_not_found(folder: Path) -> None:
    investigator, _ = opened(folder, Reader({"report/outline": lambda _: {"parts": []}}))
    unknown = investigator.report("The opera ceiling")
    assert unknown.status is AnswerStatus.NOT_FOUND
    assert (unknown.lead, unknown.statements) == (None, ())
    assert [section.heading for section in unknown.sections] == ["The opera ceiling"]
    assert unknown.coverage.read == tuple(f"{name}.txt" for name in NAMES)
    parts = [OutlinePart(heading="Alder"), OutlinePart(heading="Painters")]
    some = investigator.report(SUBJECT, outline=parts)
    assert some.status is AnswerStatus.ANSWERED_IN_PART
    assert some.not_stated[0].text.startswith("Painters: ")


def test_a_row_that_the_check_corrects_stands_whole_below_no_columns(folder: Path) -> None:
    def section(variables: Any) -> Reply:
        rows = [{"head": head, "cells": ["40 MW", "1980"], "evidence": ["E1"]} for head in ("old", "new")]
        return {"columns": ["Plant", "Power", "Since"], "rows": rows}

    def check(variables: Any) -> Reply:
        judged = [{"number": each.number, "support": "supported"} for each in variables.statements]
        judged[0] = {"number": 1, "support": "in_part", "corrected": "Power: 40 MW", "reason": "no year"}
        return {"statements": judged, "answers": "yes"}

    investigator, _ = opened(folder, Reader({"report/section": section, "answer/check": check}))
    report = investigator.report(SUBJECT, outline=[OutlinePart(heading="Alder")])
    assert [row.cells for row in report.sections[0].rows] == [(), ("40 MW", "1980")]
    markdown = exported(investigator.show(report.run.id), ".md").decode()
    assert "| **old** | Power: 40 MW [1](#source-1) |" in markdown
    assert "| **new** | Power: 40 MW; Since: 1980 [1](#source-1) |" in markdown
    for rows in (report.sections[0].rows[:1], ()):
        section = report.sections[0].changed(columns=("Plant",), rows=rows)
        assert answer_view(report.changed(sections=(section,))).sections[0].columns == ()


def test_what_several_parts_do_not_find_is_listed_once_and_nothing_is_lost(folder: Path) -> None:
    def summary(variables: Any) -> Reply:
        cited = [each.evidence[0] for section in variables.sections for each in section.statements]
        assert [gap.text.split(":")[0] for gap in variables.gaps] == ["Painters", "Painting", "Cooks"]
        gaps = [{"text": "Who painted the plants", "evidence": ["G2", "G1"]}, {"text": "Made up", "evidence": ["G9"]}]
        return {"paragraphs": [[{"text": "Both make power.", "evidence": cited}]], "gaps": gaps}

    parts = [OutlinePart(heading=heading) for heading in ("Alder", "Birch", "Painters", "Painting", "Cooks")]
    answer = opened(folder, Reader({"report/summary": summary}))[0].report(SUBJECT, outline=parts)
    assert [gap.text.split(":")[0] for gap in answer.not_stated] == ["Who painted the plants", "Cooks"]
    assert answer.reason == "Nothing found on: Painters; Painting; Cooks."


def test_a_report_that_answers_in_part_says_where_the_rest_is_named(folder: Path) -> None:
    def answer(variables: Any) -> Reply:
        lead = {"text": "It makes 40 MW.", "evidence": ["E1"]}
        return {"lead": lead, "parts": [{"part": 1, "status": "in_part"}], "not_stated": [{"text": "Its owner"}]}

    report = opened(folder, Reader({"answer/answer": answer}))[0].report(SUBJECT)
    assert report.status is AnswerStatus.ANSWERED_IN_PART
    assert report.reason == "What the documents do not say is listed at the end."
    assert [gap.text for gap in report.not_stated] == ["Its owner"]


def test_a_report_that_is_killed_goes_on_and_pays_nothing_twice(folder: Path) -> None:
    whole, engine = opened(folder)
    whole.report(SUBJECT)
    for dies_at in range(1, len(engine.asked) + 1, 4):
        first, before = opened(folder, Reader(dies_at=dies_at), workspace=f"killed {dies_at}")
        with pytest.raises(KeyboardInterrupt):
            first.report(SUBJECT)
        second, after = opened(folder, workspace=f"killed {dies_at}")
        answer = second.report(SUBJECT)
        texts = [prompt.text for prompt in (*before.asked[:-1], *after.asked)]
        assert len(texts) == len(set(texts)) == len(engine.asked)
        assert answer.status is AnswerStatus.ANSWERED
        third, idle = opened(folder, workspace=f"killed {dies_at}")
        assert third.report(SUBJECT) == answer
        assert idle.asked == []


def test_a_limit_gives_the_finished_sections_and_names_what_is_missing(folder: Path) -> None:
    limited, engine = opened(folder, None, "budget.calls=9")
    answer = limited.report(SUBJECT)
    assert len(engine.asked) == 9
    assert (answer.status, answer.run.stop) == (AnswerStatus.ANSWERED_IN_PART, StopReason.CALLS)
    assert answer.sections[0].status is AnswerStatus.ANSWERED
    assert answer.sections[0].statements
    assert "Not finished: " in answer.reason
    assert "Cedar" in answer.reason
    assert answer.sections[2].reason.startswith("Not finished")
    again, idle = opened(folder, None, "budget.calls=9")
    assert again.report(SUBJECT).sections == answer.sections
    assert idle.asked == []
    more, further = opened(folder)
    assert more.report(SUBJECT).status is AnswerStatus.ANSWERED
    assert not {prompt.text for prompt in further.asked} & {prompt.text for prompt in engine.asked}


def test_a_limit_applies_to_the_whole_report_and_leaves_enough_to_write_what_was_investigated(folder: Path) -> None:
    limited, engine = opened(folder, None, "budget.calls=18")
    answer = limited.report(SUBJECT)
    assert len(engine.asked) == 18
    assert [section.status for section in answer.sections] == ["answered", "answered", None]
    assert [each.text.partition(":")[0] for section in answer.sections for each in section.statements] == [
        "Alder is so",
        "Birch is so",
    ]
    by_default, asked = opened(folder, workspace="by default")
    outline = [OutlinePart(heading=f"Alder {number}") for number in range(30)]
    assert by_default.report(SUBJECT, outline=outline).run.stop is StopReason.CALLS
    assert len(asked.asked) == 200


def test_an_update_writes_only_the_sections_that_cite_changed_documents(folder: Path) -> None:
    first, _ = opened(folder, None, FEW)
    with pytest.raises(NotFoundError, match="no report on this subject") as none:
        list(first.write_report(SUBJECT, is_update=True))
    assert none.value.advice == "Write it first."  # which also holds on a page
    before = first.report(SUBJECT)
    idle, nothing = opened(folder, None, FEW)
    assert idle.report(SUBJECT, is_update=True) == before
    assert nothing.asked == []
    (folder / "birch.txt").write_text("The birch plant opened in 1981. The birch plant makes 99 MW of power.\n")
    marked = idle.current(idle.show("last")).answer
    assert marked is not None
    assert [section.stale for section in marked.sections] == [(), ("birch.txt",), ()]
    second, engine = opened(folder, None, FEW)
    after = second.report(SUBJECT, is_update=True)
    assert [prompt.variables.heading for prompt in engine.asked if prompt.template == "report/section"] == ["Birch"]
    assert calls(engine)["report/outline"] == 0
    assert calls(engine)["planner/plan"] == 1
    assert after.sections[0].statements == before.sections[0].statements
    assert "99 MW" in after.sections[1].statements[0].text
    assert "99 MW" in after.lead.quotes[1].text if after.lead else False
    again, idle_engine = opened(folder, None, FEW)
    assert again.report(SUBJECT, is_update=True) == after
    assert idle_engine.asked == []


def test_an_update_writes_a_section_anew_for_which_a_new_document_would_be_read(folder: Path) -> None:
    first, _ = opened(folder, None, FEW)
    first.report(SUBJECT)
    (folder / "cedar 2.txt").write_text("Cedar: what does the cedar plant make now? The cedar plant makes 97 MW.\n")
    second, _ = opened(folder, None, FEW)
    after = second.report(SUBJECT, is_update=True)
    assert [section.run.startswith(f"part-of-{after.run.id}") for section in after.sections] == [False, False, True]
    assert "cedar 2.txt" in after.coverage.read
    cited = after.sections[2].statements[0].quotes[0].document_id
    (folder / cited).unlink()
    third, _ = opened(folder, None, FEW)
    assert set(third.report(SUBJECT, is_update=True).coverage.read) == {*after.coverage.read} - {cited}


def test_an_update_of_a_report_on_some_documents_notices_new_ones_and_those_that_are_gone(folder: Path) -> None:
    some = RunOptions(only=["*e*.txt"])
    first, _ = opened(folder, None, FEW)
    first.report(SUBJECT, some)
    (folder / "alder.txt").unlink()
    (folder / "cedar 2.txt").write_text("Cedar: what does the cedar plant make now? The cedar plant makes 97 MW.\n")
    (folder / "birch.txt").write_text("The birch plant is gone.\n")
    second, _ = opened(folder, None, FEW)
    after = second.report(SUBJECT, some, is_update=True)
    assert [section.run.startswith(f"part-of-{after.run.id}") for section in after.sections] == [True, True, True]
    assert (*after.coverage.read, *after.coverage.searched) == ("cedar 2.txt", "cedar.txt")


def test_an_update_keeps_what_repeats_a_section_that_is_kept_before_it(folder: Path) -> None:
    same = {"paragraphs": [[{"text": "It makes 40 MW.", "evidence": ["E1"]}]]}
    reader = Reader({"report/section": lambda _: same})
    outline = [OutlinePart(heading=heading) for heading in ("Alder power", "Output of alder", "Cedar")]
    first, _ = opened(folder, reader, FEW)
    first.report(SUBJECT, outline=outline)
    (folder / "cedar.txt").write_text("The cedar plant opened in 1982. The cedar plant makes 99 MW of power.\n")
    second, engine = opened(folder, reader, FEW)
    after = second.report(SUBJECT, is_update=True)
    assert [section.repeats for section in after.sections] == [(), ("Alder power",), ()]
    assert after.not_stated == ()
    assert calls(engine)["report/section"] == 1
    third, _ = opened(folder, reader, FEW)
    turned = third.report(SUBJECT, outline=outline[1::-1], is_update=True)
    assert [bool(section.statements) for section in turned.sections] == [True, False]


def test_an_update_reads_what_nobody_has_read_and_names_each_model_that_wrote(folder: Path) -> None:
    outline = [OutlinePart(heading="Alder"), OutlinePart(heading="Cedar")]
    place, settings = folder.parent / "workspace", load_settings(None, ["research.whole_tokens=0", FEW])
    parts = {"settings": settings, "workspace": place, "embedder": ScriptedEmbedder()}
    Investigator(folder, **parts).report(SUBJECT, outline=outline)
    for name in ("first", "second"):
        engine = ScriptedEngine(Reader(), name=name, traits=MODEL)
        report = Investigator(folder, model=engine, **parts).report(SUBJECT, is_update=True)
        assert [each.support for section in report.sections for each in section.statements] == ["supported"] * 2
        (folder / "cedar.txt").write_text("The cedar plant opened in 1982. The cedar plant makes 99 MW of power.\n")
    assert calls(engine)["report/section"] == 1
    assert (report.run.engine, report.check.by) == ("first and second", "first and second")
    (folder / "cedar.txt").write_text("The cedar plant opened in 1982. The cedar plant makes 98 MW of power.\n")
    unread = Investigator(folder, **parts).report(SUBJECT, is_update=True)
    assert [section.status for section in unread.sections] == ["answered", "passages_found"]
    assert (unread.run.engine.startswith("first and extractive"), unread.check.by) == (True, "first")


def test_each_outline_is_a_report_of_its_own_and_the_planned_one_is_that_of_the_plan(folder: Path) -> None:
    parts = [{"heading": "Alder\n- Elm", "questions": questions} for questions in (["Is\nit?", "?"], ["# Who?"])]
    investigator, engine = opened(folder, Reader({"report/outline": lambda _: {"parts": [*parts, {"heading": "-"}]}}))
    planned = investigator.report(SUBJECT)
    given = [OutlinePart(heading=heading) for heading in ("Birch", "Alder")]
    own = investigator.report(SUBJECT, outline=given)
    assert own.run.id != planned.run.id
    assert [investigator.show(each.run.id).answer for each in (planned, own)] == [planned, own]
    asked = len(engine.asked)
    assert investigator.report(SUBJECT, outline=given) == own
    same = outline_in(outline_text(outline_of(investigator.show(planned.run.id))))
    assert same == (OutlinePart(heading="Alder - Elm", questions=("Is it?", "# Who?")),)
    assert investigator.report(SUBJECT, outline=same) == investigator.report(SUBJECT) == planned
    assert len(engine.asked) == asked


def test_an_update_asks_again_what_nothing_answered(folder: Path) -> None:
    outline = [OutlinePart(heading="Alder"), OutlinePart(heading="Elm")]
    first, _ = opened(folder)
    assert first.report(SUBJECT, outline=outline).sections[1].statements == ()
    (folder / "elm.txt").write_text("The elm plant opened in 1999. The elm plant makes 50 MW of power.\n")
    second, engine = opened(folder)
    after = second.report(SUBJECT, is_update=True)
    assert after.status is AnswerStatus.ANSWERED
    assert [prompt.variables.heading for prompt in engine.asked if prompt.template == "report/section"] == ["Elm"]
    assert "elm.txt" in after.coverage.read


def test_a_deleted_document_marks_its_section_and_a_report_of_some_documents_is_another_one(folder: Path) -> None:
    investigator, _ = opened(folder)
    investigator.report(SUBJECT)
    (folder / "cedar.txt").unlink()
    marked = investigator.current(investigator.show("last")).answer
    assert marked is not None
    assert [section.stale for section in marked.sections] == [(), (), ("cedar.txt",)]
    with pytest.raises(NotFoundError, match="no report on this subject"):
        investigator.report(SUBJECT, RunOptions(only=["alder.txt"]), is_update=True)
    updated = investigator.report(SUBJECT, is_update=True)
    assert updated.sections[2].statements == ()


def test_a_recorded_report_is_written_again_without_its_model_even_if_reworded_and_in_another_order(
    folder: Path,
) -> None:
    file, prompts = folder.parent / "report.jsonl", folder.parent / "prompts" / "report"
    first, engine = opened(folder)
    recorded = RecordedEngine(file, engine, fixture=True)
    settings = first.parts.settings
    parts = {"settings": settings, "embedder": ScriptedEmbedder()}
    before = Investigator(folder, model=recorded, workspace=folder.parent / "r1", **parts).report(SUBJECT)
    prompts.mkdir(parents=True)
    own = (prompts_folder() / "report" / "section.j2").read_text(encoding="utf-8")
    (prompts / "section.j2").write_text(f"Write well. {own}", encoding="utf-8")
    again = Investigator(
        folder, model=RecordedEngine(file), workspace=folder.parent / "r2", prompts=prompts.parent, **parts
    )
    turned = [OutlinePart(heading=each.heading, questions=each.questions) for each in reversed(before.sections)]
    after = again.report(SUBJECT, outline=turned)
    assert [each.paragraphs for each in after.sections] == [each.paragraphs for each in reversed(before.sections)]


def test_an_update_with_an_edited_outline_writes_the_new_parts(folder: Path) -> None:
    first, _ = opened(folder)
    before = first.report(SUBJECT)
    parts = [OutlinePart(heading=s.heading, questions=s.questions) for s in before.sections[:2]]
    second, engine = opened(folder)
    after = second.report(SUBJECT, outline=[*parts, OutlinePart(heading="Cedar again")], is_update=True)
    assert [section.heading for section in after.sections] == ["Alder", "Birch", "Cedar again"]
    assert calls(engine)["report/section"] == 1


def test_thirty_parts_are_written_with_progress(folder: Path) -> None:
    investigator, _ = opened(folder, None, "budget.calls=400")
    outline = [OutlinePart(heading=f"Alder {number}") for number in range(30)]
    events = list(investigator.write_report(SUBJECT, outline=outline))
    counted = [(each.phase, each.done, each.total) for each in events if isinstance(each, Progressed)]
    assert [entry for entry in counted if entry[0] == "investigating parts"] == [
        ("investigating parts", n, 30) for n in range(1, 31)
    ]
    assert [entry for entry in counted if entry[0] == "writing sections"] == [
        ("writing sections", n, 30) for n in range(1, 31)
    ]
    assert isinstance(events[-1], Answered)


def test_without_a_model_the_sections_are_passages(folder: Path) -> None:
    place = folder.parent / "finder"
    investigator = Investigator(folder, workspace=place, embedder=ScriptedEmbedder())
    answer = investigator.report("How much power does the cedar plant make?")
    assert answer.status in (AnswerStatus.PASSAGES_FOUND, AnswerStatus.NOT_FOUND_SO_FAR)
    assert answer.lead is None
    assert all(each.support == "verbatim" for each in answer.statements)


def test_a_part_that_fails_leaves_the_others(folder: Path) -> None:
    def plan(variables: Any) -> Reply:
        if "Birch" in variables.question:
            raise EngineError("the server is gone")
        return Reader()._plan(variables)

    investigator, _ = opened(folder, Reader({"planner/plan": plan}))
    events = list(investigator.write_report(SUBJECT))
    answer = events[-1].investigation.answer if isinstance(events[-1], Answered) else None
    assert isinstance(answer, Answer)
    assert [bool(section.statements) for section in answer.sections] == [True, False, True]
    assert "Not finished: Birch" in answer.reason
    assert any(isinstance(each, Notice) and "the server is gone" in each.text for each in events)


def test_a_report_is_listed_and_shown_as_one_run_and_deleted_with_its_parts(folder: Path) -> None:
    investigator, engine = opened(folder)
    answer = investigator.report(SUBJECT, RunOptions())
    assert investigator.show("last").answer == answer
    assert answer.run.id.startswith("report-")
    assert [(run.id, run.calls) for run in investigator.runs()] == [(answer.run.id, len(engine.asked))]
    assert [run.id for run in investigator.history("", 0, 9).runs] == [answer.run.id]
    parts = [section.run for section in answer.sections]
    assert [investigator.show(part).answer is not None for part in parts] == [True, True, True]
    with pytest.raises(NotFoundError, match="not repeated"):
        investigator.replay(answer.run.id)
    investigator.forget(answer.run.id)
    for part in parts:
        with pytest.raises(NotFoundError):
            investigator.show(part)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("# A\n- one?\n- two?\n\n## B\n", [("A", ("one?", "two?")), ("B", ())]),
        ("Costs\n  How much?\nDates\n", [("Costs", ("How much?",)), ("Dates", ())]),
        ("1. Costs\n   - How much?\n2. Dates\n---\n", [("Costs", ("How much?",)), ("Dates", ())]),
        ("A\nA\n## B\n", [("A", ()), ("B", ())]),
        ("# A\n- one?\n# B\n# A\n- two?\n- one?\n", [("A", ("one?", "two?")), ("B", ())]),
        (
            "A\n  1.5 million, for what?\n- 2.5 too?\n  ## B\n  1. one?",
            [("A", ("1.5 million, for what?", "2.5 too?")), ("B", ("one?",))],
        ),
    ],
)
def test_an_outline_is_read_as_people_write_it(tmp_path: Path, text: str, parts: list[tuple[str, tuple[str]]]) -> None:
    file = tmp_path / "outline.md"
    file.write_text(text, encoding="utf-8")
    read = read_outline(file)
    assert [(part.heading, part.questions) for part in read] == parts
    file.write_text(outline_text(read), encoding="utf-8")
    assert read_outline(file) == read


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "contains no heading"),
        (b"---\n***\n", "contains no heading"),
        (b"\xff\xfe\x00bad", "not UTF-8"),
        (b"x" * 20_000, "characters"),
        ("\n".join(f"# part {n}" for n in range(100)).encode(), "100 headings"),
    ],
)
def test_an_outline_of_nonsense_is_refused_before_anything_is_paid_for(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "outline.md"
    file.write_bytes(content)
    with pytest.raises(QuestionError, match=problem):
        read_outline(file)
