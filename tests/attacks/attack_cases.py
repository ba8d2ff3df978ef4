"""The attacks in attacks.jsonl, and the variables of each template when they contain an attack."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from investigator.bb3.records import FactsVariables, PersonalFact, ResponseVariables, Speaker, Turn, TurnsVariables
from investigator.language.normalise import one_line
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckedStatement,
    CheckVariables,
    DocumentNote,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    Memory,
    PlanDocument,
    PlanVariables,
    QuestionVariables,
    Quote,
    Record,
    ReflectVariables,
    RepairVariables,
    RowVariables,
    ShownDocument,
    ShownPassage,
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
    found = []
    for line in lines:
        fields = json.loads(line)
        text = fields.pop("text") * fields.pop("repeat", 1)
        where, templates = Place(fields.pop("where")), tuple(fields.pop("templates"))
        found.append(Attack(**fields, where=where, templates=templates, text=text))
    return tuple(found)


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
    return _Filled({**HARMLESS, where: text}).variables(template)


class _Filled:
    def __init__(self, texts: dict[Place, str]) -> None:
        self._texts = texts
        passage, name, title = texts[Place.PASSAGE], texts[Place.FILE_NAME], texts[Place.TITLE]
        heading, said = texts[Place.HEADING], texts[Place.MEMORY]
        self._quote = Quote(document_id=name, page=None, line=1, start=0, end=1, text=passage, source_hash="0" * 64)
        self._memory = Memory(
            id=1, target_document_id=name, question="?", reply=said, point=90, verdict=Verdict.ANSWERS
        )
        self._shown = ShownDocument(
            document_id=name,
            title=title,
            question=said,
            passages=(ShownPassage(text=passage, start=10, heading=heading, page=3),),
        )
        spans = (EvidenceSpan(text=passage), EvidenceSpan(text=passage, id="E1"), EvidenceSpan(text=passage))
        self._evidence = EvidenceDocument(
            document_id=name, title=title, passages=(EvidencePassage(spans=spans, heading=heading, page=3),)
        )
        self._turns = (Turn(speaker=Speaker.PARTNER, text=texts[Place.TURN]),)
        self._facts = (PersonalFact(id=3, speaker=Speaker.PARTNER, text=texts[Place.FACT]),)

    def variables(self, template: str) -> Record:
        owner, _, name = template.partition("/")
        return self._of_module(name) if owner == "bb3" else self._of_method(template)

    def _of_module(self, name: str) -> Record:
        if name in ("sdm", "sgm", "mgm", "ckm", "vrm"):
            return TurnsVariables(turns=self._turns)
        if name in ("mdm", "mkm", "orm"):
            return FactsVariables(turns=self._turns, facts=self._facts)
        return ResponseVariables(turns=self._turns, fact=self._facts[0], knowledge=(self._quote,), entity="Emsland")

    def _of_method(self, template: str) -> Record:
        name, said = self._texts[Place.FILE_NAME], self._texts[Place.MEMORY]
        match template:
            case "planner/plan":
                return self._plan()
            case "query/ask":
                return AskVariables(main_question=QUESTION, mission=MISSION, documents=(self._shown,))
            case "query/row":
                return RowVariables(mission=MISSION, questions=(QUESTION,), document=self._shown)
            case "reflection/reflect":
                return ReflectVariables(question=QUESTION, mission=MISSION, parts=(QUESTION,), memories=(self._memory,))
            case "answer/answer":
                note = DocumentNote(document_id=name, verdict="answers", reply=said)
                return AnswerVariables(
                    question=QUESTION,
                    mission=MISSION,
                    parts=(QUESTION,),
                    documents=(self._evidence,),
                    notes=(note,),
                )
            case "answer/check":
                statement = CheckedStatement(number=1, text=one_line(said), evidence=("E1",))
                return CheckVariables(
                    question=QUESTION, parts=(QUESTION,), statements=(statement,), documents=(self._evidence,)
                )
            case "asking/repair":
                return RepairVariables(prompt="THE PROMPT", reply=said, problem="no JSON")
            case _:
                return QuestionVariables(document_id=name, purpose="How much power?", perspectives=said)

    def _plan(self) -> PlanVariables:
        passage = self._texts[Place.PASSAGE]
        card = PlanDocument(
            document_id=self._texts[Place.FILE_NAME],
            title=self._texts[Place.TITLE],
            opening=one_line(passage),
            passages=(one_line(passage),),
            match=0.5,
        )
        return PlanVariables(
            question=QUESTION,
            mission=MISSION,
            strategy="Ask the likeliest first.",
            documents=(card,),
            document_count=1,
            history=(self._memory,),
            open_parts=(QUESTION,),
            step_limit=6,
        )
