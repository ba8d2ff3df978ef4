"""The attacks in attacks.jsonl, and the variables of each template when they contain an attack."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from investigator.bb3.records import FactsVariables, PersonalFact, ResponseVariables, Speaker, Turn, TurnsVariables
from investigator.language.normalise import one_line
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckedStatement,
    CheckVariables,
    CitableStatement,
    Column,
    DocumentNote,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    ExtractVariables,
    ListedSection,
    Memory,
    OutlineVariables,
    PlanDocument,
    PlanVariables,
    QuestionVariables,
    Quote,
    Record,
    ReflectVariables,
    RepairVariables,
    RowVariables,
    SectionVariables,
    ShownDocument,
    ShownPassage,
    SummaryVariables,
    Verdict,
)


class Place(StrEnum):
    """The place where an attack occurs."""

    PASSAGE = "passage"
    FILE_NAME = "file_name"
    TITLE = "title"
    HEADING = "heading"
    AUTHOR = "author"
    MEMORY = "memory"
    TURN = "turn"
    FACT = "fact"


@dataclass(frozen=True)
class Attack:
    """Words that address a model: their place, the templates that they reach, and their aim."""

    id: str
    kind: str
    language: str
    where: Place
    aim: str
    templates: tuple[str, ...]
    text: str


def attacks() -> tuple[Attack, ...]:
    """Return all attacks, with floods expanded."""
    lines = Path(__file__).with_name("attacks.jsonl").read_text(encoding="utf-8").splitlines()
    records = map(json.loads, lines)
    return tuple(
        Attack(
            **{name: record[name] for name in ("id", "kind", "language", "aim")},
            where=Place(record["where"]),
            templates=tuple(record["templates"]),
            text=record["text"] * record.get("repeat", 1),
        )
        for record in records
    )


QUESTION = "How much power does the Emsland plant make?"
MISSION = "Find figures."
HARMLESS: dict[Place, str] = {
    Place.PASSAGE: "The Emsland plant makes 42 MW of power.",
    Place.FILE_NAME: "plant.txt",
    Place.TITLE: "The Emsland plant",
    Place.HEADING: "Output",
    Place.AUTHOR: "Anna Roth",
    Place.MEMORY: "The plant makes 42 MW.",
    Place.TURN: "How much does it make?",
    Place.FACT: "I like tea.",
}


def variables_for(template: str, where: Place, text: str) -> Record:
    """Return the variables of a template, harmless except for the text in one place."""
    texts = {**HARMLESS, where: text}
    if template.startswith("bb3/"):
        return _variables_of_a_module(template.removeprefix("bb3/"), texts)
    passage, name, title = texts[Place.PASSAGE], texts[Place.FILE_NAME], texts[Place.TITLE]
    heading, reply = texts[Place.HEADING], texts[Place.MEMORY]
    memory = Memory(id=1, target_document_id=name, question="?", reply=reply, point=90, verdict=Verdict.ANSWERS)
    seen = ShownPassage(text=passage, start=10, heading=heading, page=3)
    shown = ShownDocument(document_id=name, title=title, question=reply, passages=(seen,))
    spans = (EvidenceSpan(text=passage), EvidenceSpan(text=passage, id="E1"), EvidenceSpan(text=passage))
    cited = EvidencePassage(spans=spans, heading=heading, page=3)
    evidence = (EvidenceDocument(document_id=name, title=title, passages=(cited,)),)
    aim: dict[str, Any] = {"question": QUESTION, "mission": MISSION}
    parts = (QUESTION,)
    if template.startswith("report/"):
        return _variables_of_a_report(template, texts, evidence)
    match template:
        case "planner/plan":
            line = one_line(passage)
            card = PlanDocument(document_id=name, title=title, opening=line, passages=(line,), match=0.5)
            known: dict[str, Any] = {"history": (memory,), "open_parts": parts, "step_limit": 6}
            return PlanVariables(**aim, strategy="Ask it.", documents=(card,), document_count=1, **known)
        case "query/ask":
            return AskVariables(main_question=QUESTION, mission=MISSION, documents=(shown,))
        case "query/row" | "query/extract":
            return _variables_of_a_row(template, shown)
        case "reflection/reflect":
            return ReflectVariables(**aim, parts=parts, memories=(memory,))
        case "answer/answer":
            note = DocumentNote(document_id=name, verdict="answers", reply=reply)
            return AnswerVariables(**aim, parts=parts, documents=evidence, notes=(note,))
        case "answer/check":
            statement = CheckedStatement(number=1, text=one_line(reply), evidence=("E1",))
            return CheckVariables(question=QUESTION, parts=parts, statements=(statement,), documents=evidence)
        case "asking/repair":
            return RepairVariables(prompt="THE PROMPT", reply=reply, problem="no JSON")
    return QuestionVariables(document_id=name, purpose="How much power?", perspectives=reply)


def _variables_of_a_row(template: str, shown: ShownDocument) -> Record:
    if template == "query/row":
        return RowVariables(mission=MISSION, questions=(QUESTION,), document=shown)
    columns = (Column(name="output", question=QUESTION),)
    return ExtractVariables(mission=MISSION, columns=columns, document=shown)


def _variables_of_a_report(template: str, texts: dict[Place, str], evidence: tuple[EvidenceDocument, ...]) -> Record:
    aim: dict[str, Any] = {"subject": QUESTION, "mission": MISSION}
    if template == "report/outline":
        name, title, line = texts[Place.FILE_NAME], texts[Place.TITLE], one_line(texts[Place.PASSAGE])
        card = PlanDocument(document_id=name, title=title, opening=line, passages=(line,), match=0.5)
        return OutlineVariables(**aim, documents=(card,), document_count=1, most_parts=8)
    statements = (CitableStatement(text=one_line(texts[Place.MEMORY]), evidence=("E1",)),)
    if template == "report/summary":
        gaps = (statements[0].changed(evidence=("G1",)),)
        return SummaryVariables(**aim, sections=(ListedSection(heading="Power", statements=statements),), gaps=gaps)
    return SectionVariables(**aim, heading="Power", statements=statements, documents=evidence)


def _variables_of_a_module(name: str, texts: dict[Place, str]) -> Record:
    turns = (Turn(speaker=Speaker.PARTNER, text=texts[Place.TURN]),)
    facts = (PersonalFact(id=3, speaker=Speaker.PARTNER, text=texts[Place.FACT]),)
    if name in ("sdm", "sgm", "mgm", "ckm", "vrm"):
        return TurnsVariables(turns=turns)
    if name in ("mdm", "mkm", "orm"):
        return FactsVariables(turns=turns, facts=facts)
    passage, document = texts[Place.PASSAGE], texts[Place.FILE_NAME]
    quote = Quote(document_id=document, page=None, line=1, start=0, end=1, text=passage, source_hash="0" * 64)
    return ResponseVariables(turns=turns, fact=facts[0], knowledge=(quote,), entity="Emsland")
