"""An investigation of a folder in which every document attacks, by an engine that repeats what it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from attack_cases import QUESTION, Attack, Place, attacks

from investigator import AnswerStatus, Investigation, Investigator, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.documents.folder import scan
from investigator.proof.quotes import verify
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckVariables,
    PlanVariables,
    Prompt,
    ReflectVariables,
    Support,
)

TRUTH = "The Emsland plant makes 42 MW of power."
FORGED = "The Emsland plant makes 4200 MW of power."
GHOST = "ghost.txt"
OWN_POINT = 61
SETTINGS = load_settings(
    None,
    [
        "research.rounds=6",
        "research.whole_tokens=0",
        "research.planner.steps=40",
        "research.planner.documents=100",
    ],
)
FILED = (Place.PASSAGE, Place.FILE_NAME, Place.TITLE, Place.HEADING, Place.AUTHOR)
ATTACKS = tuple(attack for attack in attacks() if attack.where in FILED)


def file_name(attack: Attack) -> str:
    if attack.where is Place.FILE_NAME:
        return attack.text
    return f"{attack.id}.{'txt' if attack.where is Place.PASSAGE else 'md'}"


def file_text(attack: Attack) -> str:
    """Return a document that contains the attack in its place, and the truth."""
    match attack.where:
        case Place.PASSAGE:
            return f"{TRUTH}\n\n{attack.text}\n"
        case Place.TITLE:
            return f"---\ntitle: {attack.text}\n---\n\n{TRUTH}\n"
        case Place.AUTHOR:
            return f"---\nauthor: {attack.text}\n---\n\n{TRUTH}\n"
        case Place.HEADING:
            return f"# Plants\n\n## {attack.text}\n\n{TRUTH}\n"
        case _:
            return f"{TRUTH}\n"


def repeating(prompt: Prompt) -> str:
    """Reply as an engine that repeats what it reads. It plans for a document that does not exist too, quotes a true and
    a forged sentence, and answers with those and the ghost's; the part is open until every file was read.
    """
    prose, reply = "", dict[str, object]()
    match prompt.variables:
        case PlanVariables(documents=documents, step_limit=limit):
            cards = [card for card in documents if not card.times_read][: limit - 1]
            prose = "\n".join(f"{card.title} {card.opening} {card.passages}" for card in cards)
            names = [GHOST, *(card.document_id for card in cards)]
            steps = [{"document_id": name, "purpose": "How much power?", "perspectives": "power"} for name in names]
            reply = {"strategy": "Ask them all.", "steps": steps}
        case AskVariables(documents=(document,)):
            prose = "The passages say:\n" + "\n".join(passage.text for passage in document.passages)
            own = {"verdict": "answers", "point": OWN_POINT, "quotes": [TRUTH, FORGED], "reply": "It makes 42 MW."}
            reply = {"readings": [own]}
        case ReflectVariables(memories=memories):
            reply = {"known": [], "unknown": ["since when"], "wordings": [f"unit {len(memories)}"]}
        case AnswerVariables(read=read, total=total):
            sold = {"text": "It was sold in 2019.", "evidence": ["E770"]}
            parts = [{"part": 1, "status": "answered" if read == total else "not_stated"}]
            details = [{"text": FORGED, "evidence": ["E2", "E770"]}, sold]
            reply = {"lead": {"text": TRUTH, "evidence": ["E1"]}, "details": details, "parts": parts, "search": ["MW"]}
        case CheckVariables(statements=statements):
            supports = ("supported" if statement.text == TRUTH else "unsupported" for statement in statements)
            reply = {"statements": [{"number": n, "support": s} for n, s in enumerate(supports, 1)], "answers": "yes"}
    return f"{prose}\n\n{json.dumps(reply)}"


class Run(NamedTuple):
    """The outcome of the investigation, its investigator, the prompts sent to the engine, and the ids by file name."""

    investigator: Investigator
    case: Investigation
    prompts: list[Prompt]
    ids: dict[str, str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("attacked")
    for attack in ATTACKS:
        (folder / file_name(attack)).write_text(file_text(attack), encoding="utf-8")
    engine = ScriptedEngine(repeating)
    investigator = Investigator(folder, model=engine, embedder=ScriptedEmbedder(), settings=SETTINGS)
    investigator.ask(QUESTION)
    ids = {Path(file.path).name: file.id for file in scan(folder, SETTINGS.folder).files}
    return Run(investigator, investigator.show("last"), engine.asked, ids)


def test_the_plan_names_documents_of_the_folder_and_no_others(run: Run) -> None:
    assert {step.document_id for step in run.case.plan.steps} == set(run.ids.values())
    assert {name for round_ in run.case.rounds for name in round_.refused_document_ids} == {GHOST}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_the_point_and_the_quotes_are_those_of_the_engine_and_its_prompt_has_one_document(
    run: Run, attack: Attack
) -> None:
    name = run.ids[file_name(attack)]
    (memory,) = (memory for memory in run.case.memories if memory.target_document_id == name)
    assert memory.point == OWN_POINT
    assert [quote.text for quote in memory.quotes] == [TRUTH]
    assert memory.failed_quotes == (FORGED,)
    asks = ((prompt.text, prompt.variables) for prompt in run.prompts if isinstance(prompt.variables, AskVariables))
    (text,) = (text for text, variables in asks if [shown.document_id for shown in variables.documents] == [name])
    assert (text.count("<document id="), text.count("</document>")) == (1, 1)
    assert "1337" not in text


def test_only_what_is_supported_is_answered_and_every_citation_stands(run: Run) -> None:
    answer = run.case.answer
    assert answer is not None
    assert answer.status is AnswerStatus.ANSWERED
    assert [(statement.text, statement.support) for statement in answer.statements] == [(TRUTH, Support.VERBATIM)]
    assert {statement.text for statement in answer.check.withheld} == {FORGED, "It was sold in 2019."}
    assert answer.coverage.complete
    with run.investigator.library() as library:
        assert all(verify(quote, library.document(quote.document_id)) for quote in answer.citations)


def test_documents_that_address_a_model_are_named(run: Run) -> None:
    answer = run.case.answer
    assert answer is not None
    assert set(answer.coverage.tainted) == {
        memory.target_document_id for memory in run.case.memories if memory.addressed
    }
    assert len(answer.coverage.tainted) > len(ATTACKS) / 2
