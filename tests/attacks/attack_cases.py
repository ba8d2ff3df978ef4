"""The attacks in attacks.jsonl, and the variables of each template when they contain an attack."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from investigator.bb3.records import (
    FactsVariables,
    PassagesVariables,
    PersonalFact,
    ResponseVariables,
    Speaker,
    Turn,
    TurnsVariables,
)
from investigator.records import (
    AnswerVariables,
    AskVariables,
    DocumentCard,
    Evidence,
    Memory,
    Need,
    Passage,
    PlanVariables,
    QuestionVariables,
    Quote,
    Record,
    ReflectVariables,
    RepairVariables,
    TermFrequency,
    ThinkVariables,
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
        passage, name = texts[Place.PASSAGE], texts[Place.FILE_NAME]
        heading = texts[Place.HEADING]
        self._passage = Passage(document_id=name, start=0, end=len(passage), text=passage, page=3, heading=heading)
        self._quote = Quote(document_id=name, page=None, line=1, start=0, end=1, text=passage, source_hash="0" * 64)
        self._memory = Memory(
            id=1, target_document_id=name, question="?", reply=texts[Place.MEMORY], point=90, quotes=(self._quote,)
        )
        self._card = DocumentCard(
            document_id=name,
            title=texts[Place.TITLE],
            authors=(texts[Place.AUTHOR],),
            headings=(heading,),
            snippet=passage,
            match=0.5,
        )
        self._turns = (Turn(speaker=Speaker.PARTNER, text=texts[Place.TURN]),)
        self._facts = (PersonalFact(id=3, speaker=Speaker.PARTNER, text=texts[Place.FACT]),)
        self._needs = (Need(term="power", reason="the figure asked for"),)

    def variables(self, template: str) -> Record:
        owner, _, name = template.partition("/")
        return self._of_module(name) if owner == "bb3" else self._of_method(template)

    def _of_module(self, name: str) -> Record:
        if name in ("sdm", "sgm", "mgm", "ckm", "vrm"):
            return TurnsVariables(turns=self._turns)
        if name in ("mdm", "mkm", "orm"):
            return FactsVariables(turns=self._turns, facts=self._facts)
        if name == "skm":
            return PassagesVariables(turns=self._turns, passages=(self._passage,))
        return ResponseVariables(turns=self._turns, fact=self._facts[0], knowledge=(self._quote,), entity="Emsland")

    def _of_method(self, template: str) -> Record:
        name = self._texts[Place.FILE_NAME]
        match template:
            case "critical_thinking/think":
                return ThinkVariables(
                    question=QUESTION,
                    mission="Find figures.",
                    strategy="Ask the likeliest first.",
                    documents=(self._card,),
                    document_count=1,
                    term_frequencies=(TermFrequency(term="power", document_share=0.5),),
                )
            case "planner/plan":
                return PlanVariables(
                    question=QUESTION,
                    mission="Find figures.",
                    strategy="Ask the likeliest first.",
                    needs=self._needs,
                    documents=(self._card,),
                    history=(self._memory,),
                    unknown_infos=(),
                    past_strategies=(),
                    step_limit=6,
                )
            case "query/ask":
                return AskVariables(
                    main_question=QUESTION,
                    mission="Find figures.",
                    sub_question=f"How much power? (in {name})",
                    document_id=name,
                    document_title=self._texts[Place.TITLE],
                    needs=self._needs,
                    passages=(self._passage,),
                )
            case "reflection/reflect":
                return ReflectVariables(
                    question=QUESTION, mission="Find figures.", needs=self._needs, memories=(self._memory,)
                )
            case "answer/answer":
                evidence = Evidence(
                    id="E1",
                    text=self._quote.text,
                    document_id=name,
                    place=self._quote.place,
                    point=90,
                )
                return AnswerVariables(
                    question=QUESTION, mission="Find figures.", evidence=(evidence,), unknown_infos=()
                )
            case "asking/repair":
                return RepairVariables(prompt="THE PROMPT", reply=self._texts[Place.MEMORY], problem="no JSON")
            case _:
                return QuestionVariables(document_id=name, purpose="How much power?", perspectives="power")
