"""The calls of the source document, as written there, on a real folder with the bundled embedder."""

from pathlib import Path

import pytest

from investigator import HistorySelector, Investigator, MemoryStream, Plan, Planner, PlanStep, Query, TacticalPlanning
from investigator.asking.prompts import Prompts
from investigator.errors import SettingsError

EXAMPLE = Path(__file__).parents[2] / "data" / "examples" / "child-health"
QUESTION = "Why did African countries stop treating malaria with chloroquine?"


@pytest.fixture(scope="module")
def db_dir(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The workspace of a small folder that was indexed once."""
    folder = tmp_path_factory.mktemp("folder")
    for name in ("madagascar-malaria-drugs.docx", "newborn-resuscitation.md"):
        (folder / name).write_bytes((EXAMPLE / name).read_bytes())
    workspace = tmp_path_factory.mktemp("workspace")
    with Investigator(folder, workspace=workspace).library() as library:
        assert library.document_ids() == ("madagascar-malaria-drugs.docx", "newborn-resuscitation.md")
    return str(workspace)


def test_plan_questions_queries_and_history_as_in_the_seed(db_dir: str) -> None:
    prompts = Prompts()
    summary, question = (str(prompts.path(f"tactical_planning/{name}")) for name in ("summary", "question"))
    ask = str(prompts.path("query/ask"))
    steps = tuple(
        PlanStep(plan_id=i, document_id=name, purpose=QUESTION, perspectives="resistance")
        for i, name in enumerate(("madagascar-malaria-drugs.docx", "newborn-resuscitation.md", "summary"), 1)
    )
    tactical_planning = TacticalPlanning(Plan(steps=steps), db_dir, summary)
    memory_stream = MemoryStream()
    while (task := tactical_planning.generate_question(question)) is not None:
        plan_id, document_id, sub_question = task
        query = Query(document_id, QUESTION, memory_stream, db_dir)
        assert query.run(ask, sub_question) is True
        tactical_planning.finish(plan_id, len(memory_stream))
    malaria, newborn, together = memory_stream
    assert malaria.point is not None
    assert newborn.point is not None
    assert malaria.point >= 50 > newborn.point
    assert "chloroquine" in malaria.reply
    assert {quote.document_id for quote in together.quotes} == {"madagascar-malaria-drugs.docx"}
    selector = HistorySelector(memory_stream)
    selector.select(malaria.point - 20)
    assert [memory.target_document_id for memory in selector.get_history()] == [
        "madagascar-malaria-drugs.docx",
        "summary",
    ]
    query.save("What else?", "Nothing.", 3)
    assert [memory.point for memory in memory_stream][-1] == 3


def test_the_planner_takes_what_the_seed_names() -> None:
    documents = ["malaria.docx", "newborns.md"]
    plan = Planner(QUESTION, "Find the reason.", "Malaria first.", documents, ()).generate_plan()
    assert [step.plan_id for step in plan.steps] == [1, 2]
    assert {step.document_id for step in plan.steps} == set(documents)
    assert [step.purpose for step in plan.steps] == [QUESTION, QUESTION]


def test_a_workspace_that_was_never_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no workspace found"):
        Query("a.txt", QUESTION, MemoryStream(), str(tmp_path))
