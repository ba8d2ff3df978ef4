"""Questions whose answer is a table (which documents, how many, comparisons), with and without a model."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from investigator import Answer, Investigator, ScriptedEngine
from investigator.engines.base import Traits
from investigator.evidence.quotes import quote_at
from investigator.records import (
    Answered,
    AnswerStatus,
    AskVariables,
    Document,
    DocumentCard,
    Imprint,
    Investigation,
    Memory,
    Part,
    Prompt,
    QuestionKind,
    RowVerdict,
    Surveyed,
    TableRow,
)
from investigator.research.asking_policy import AskAll
from investigator.research.comparing import at_newest, series, series_plan, side_by_side
from investigator.research.state import Bounds, State, Step, next_step

OfTexts = Callable[..., Investigator]

TEXTS = {
    "bakery.txt": "The bakery rents the shop. The bakery paid a deposit of 900 euros in 2021.",
    "bank.txt": "The bank rents the first floor. Its deposits amount to 5,000 euros.",
    "school.txt": "The school owns its building and pays no rent at all.",
}


@pytest.fixture(scope="module")
def investigator(of_texts: OfTexts) -> Investigator:
    return of_texts(TEXTS)


def verdicts(answer: Answer) -> dict[str, RowVerdict]:
    assert answer.table is not None
    return {row.label: row.verdict for row in answer.table.rows}


@pytest.mark.parametrize("question", ["How many documents are there?", "What files do you have?"])
def test_documents_that_are_asked_for_as_such_are_all_there(investigator: Investigator, question: str) -> None:
    answer = investigator.ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert verdicts(answer) == dict.fromkeys(TEXTS, RowVerdict.YES)


def test_files_that_are_asked_for_by_their_format_are_told_from_others(of_texts: OfTexts) -> None:
    texts = {"rents.csv": "Month,Rent\nMay,900\n", "note.txt": "The spreadsheet is kept by the bank."}
    investigator = of_texts(texts)
    found = verdicts(investigator.ask("How many spreadsheets are there?"))
    assert found == {"rents.csv": RowVerdict.YES, "note.txt": RowVerdict.NO}


def test_documents_of_a_year_are_told_by_their_own_date(of_texts: OfTexts) -> None:
    texts = {
        "minutes.txt": "Minutes of the meeting, 6 February 2023\n\nThe fee for 2024 was fixed.\n",
        "fees-2024.txt": "Fees\n\nThese fees replace those of 2023.\n",
        "years.csv": "Item,2022,2023\nRent,40,50\n",
        "note.txt": "The lamp was bought in 2023.\n",
    }
    investigator = of_texts(texts)
    assert verdicts(investigator.ask("Which documents are from 2023?")) == {
        "minutes.txt": RowVerdict.YES,
        "fees-2024.txt": RowVerdict.NO,
        "years.csv": RowVerdict.UNCLEAR,
        "note.txt": RowVerdict.UNCLEAR,
    }


def test_work_was_done_where_a_document_says_so_of_itself(of_texts: OfTexts) -> None:
    background = "Malaria is a disease that is common in Africa and in other warm parts of the world. " * 3
    texts = {
        "nets.txt": f"Nets for infants\n\n{background}\n\nThe study was conducted in a district of Burkina Faso.",
        "pills.txt": f"Pills for adults\n\n{background}\n\nPatients were recruited in two hospitals of Norway.",
    }
    answer = of_texts(texts).ask("List the studies carried out in Africa.")
    assert verdicts(answer)["nets.txt"] is RowVerdict.YES
    assert verdicts(answer)["pills.txt"] is not RowVerdict.YES
    assert answer.citations[0].text == "The study was conducted in a district of Burkina Faso."


def test_every_document_is_decided_and_each_yes_has_its_quote(investigator: Investigator) -> None:
    *_, last = events = list(investigator.investigate("Which documents mention a deposit?"))
    assert isinstance(last, Answered)
    answer = last.investigation.answer
    assert answer is not None
    assert last.investigation.kind is QuestionKind.WHICH
    assert verdicts(answer) == {"bakery.txt": "yes", "bank.txt": "yes", "school.txt": "no"}
    assert answer.status is AnswerStatus.ANSWERED
    assert {quote.document_id for quote in answer.citations} == {"bakery.txt", "bank.txt"}
    assert all("deposit" in quote.text for quote in answer.citations)
    assert [event.yes for event in events if isinstance(event, Surveyed)] == [2]


def test_none_is_an_answer_to_a_count_and_not_to_which(investigator: Investigator) -> None:
    count = investigator.ask("How many documents mention a swimming pool?")
    assert (count.status, count.claims) == (AnswerStatus.ANSWERED, ())
    assert count.reason.startswith("None of 3 documents")
    assert investigator.ask("Which documents mention a swimming pool?").status is AnswerStatus.NOT_FOUND


def test_a_count_of_none_is_no_answer_if_a_file_could_not_be_read(of_texts: OfTexts) -> None:
    answer = of_texts({**TEXTS, "broken.pdf": "%PDF-1.4 nothing"}).ask("How many documents mention a swimming pool?")
    assert answer.status is AnswerStatus.NOT_FOUND_SO_FAR
    assert "1 unreadable" in answer.reason


@pytest.mark.parametrize("question", ["Which documents do not mention rent?", "Which documents never mention a rent?"])
def test_what_no_document_mentions_is_answered_by_the_others(investigator: Investigator, question: str) -> None:
    answer = investigator.ask(question.replace("rent", "deposit"))
    assert verdicts(answer)["school.txt"] is RowVerdict.YES
    assert verdicts(answer)["bakery.txt"] is RowVerdict.NO
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.reason.startswith(
        "1 of 3 documents, in which nothing of the kind was found; the whole folder was searched"
    )


def test_a_side_of_which_nothing_is_found_is_named(investigator: Investigator) -> None:
    answer = investigator.ask("Compare the deposit of the Bakery and the Observatory.")
    assert answer.status is not AnswerStatus.ANSWERED
    assert answer.table is None or "Observatory" in answer.reason


def test_a_row_whose_file_has_changed_is_not_shown_again(of_texts: OfTexts) -> None:
    investigator = of_texts(TEXTS)
    investigator.ask("Which documents mention a deposit?")
    (investigator.folder / "bank.txt").write_text("The bank has moved.", encoding="utf-8")
    assert verdicts(investigator.ask("Which documents mention a deposit?"))["bank.txt"] is RowVerdict.NO


def test_a_model_reads_what_the_index_cannot_decide(of_texts: OfTexts) -> None:
    def ask(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, AskVariables)
        holds = prompt.variables.document_id == "school.txt"
        reply = {"point": 90, "quotes": [TEXTS["school.txt"]], "reply": TEXTS["school.txt"]}
        return json.dumps(reply if holds else {"point": 0, "quotes": [], "reply": "No."})

    thought = {"kind": "which_documents", "needs": [{"term": "rent", "reason": "r"}]}
    engine = ScriptedEngine({"critical_thinking/think": json.dumps(thought), "query/ask": ask})
    answer = of_texts(TEXTS, model=engine).ask("Which of the documents say that somebody pays no monthly rent?")
    read = {p.variables.document_id for p in engine.asked if isinstance(p.variables, AskVariables)}
    assert "school.txt" in read
    assert verdicts(answer)["school.txt"] is RowVerdict.YES
    assert {name for name, verdict in verdicts(answer).items() if verdict is RowVerdict.YES} == {"school.txt"}


def report(name: str, end: str, match: float = 0.9, issuer: str = "") -> DocumentCard:
    imprint = Imprint(issuer=issuer, period_end=end, fiscal_quarter=1)
    return DocumentCard(document_id=name, title=name, match=match, imprint=imprint)


def test_a_series_is_of_the_firm_that_the_question_names() -> None:
    firms = (("a.pdf", "Bolt Inc.", "03-31"), ("b.pdf", "Nut plc", "03-31"), ("c.pdf", "Bolt Inc.", "06-30"))
    cards = tuple(report(name, f"2023-{end}", issuer=issuer) for name, issuer, end in firms)
    assert [card.document_id for card in series("How have Bolt's sales moved?", cards, 0.05)] == ["a.pdf", "c.pdf"]


def test_a_series_is_asked_in_the_order_of_the_periods() -> None:
    cards = (report("b.pdf", "2023-06-30"), report("a.pdf", "2023-03-31"), report("other.pdf", "2023-03-31", match=0.1))
    documents = series("net sales", cards, 0.05)
    assert [card.document_id for card in documents] == ["a.pdf", "b.pdf"]
    plan = series_plan("net sales", documents)
    assert [(step.document_id, step.purpose) for step in plan.steps] == [("a.pdf", "net sales"), ("b.pdf", "net sales")]


def test_a_side_without_a_time_is_asked_for_its_newest_period_and_says_so() -> None:
    part = at_newest(
        Part(question="net sales of Bolt", side="Bolt"), (report("a.pdf", "2023-03-31"), report("b.pdf", "2023-06-30"))
    )
    assert part.side == "Bolt, three months ended June 30, 2023"
    assert part.question == "net sales of Bolt, three months ended June 30, 2023"
    asked = Part(question="net sales of Bolt in 2021", side="Bolt")
    assert at_newest(asked, (report("a.pdf", "2023-03-31"),)) == asked


BOUNDS = Bounds(
    rounds=3, threshold=50, worth_asking=0.1, workers=1, policy=AskAll(), thinks_and_plans_at_once=False, reads=True
)


def state(last: Step | None, *, rows: tuple[TableRow, ...] = (), reads: bool = True) -> State:
    run = Investigation(id="r", question="q", mission="", strategy="", engine="e", kind=QuestionKind.WHICH, survey=rows)
    bounds = BOUNDS if reads else Bounds(**{**vars(BOUNDS), "reads": False})
    return State(run, bounds, ("a.txt",), last=last)


def test_a_survey_is_answered_at_once_unless_somebody_can_read_what_is_unclear() -> None:
    unclear = (TableRow(label="a.txt", document_id="a.txt", verdict=RowVerdict.UNCLEAR),)
    assert next_step(state(Step.THINK)) is Step.SURVEY
    assert next_step(state(Step.SURVEY, rows=unclear)) is Step.PLAN
    assert next_step(state(Step.SURVEY, rows=unclear, reads=False)) is Step.ANSWER
    assert next_step(state(Step.SURVEY)) is Step.ANSWER


QUARTERS = {"03-31": ("71.0 %", "The court heard the case."), "06-30": ("72.5 %", "In May the court ruled for Bolt.")}


def test_a_trend_has_a_row_for_each_report_with_its_cell_or_with_what_is_new(of_texts: OfTexts) -> None:
    texts = {}
    for end, (share, news) in QUARTERS.items():
        texts[f"{end}.md"] = (
            f"# Bolt quarterly report\n\nQuarterly period ended {'March 31' if end < '06' else 'June 30'}, 2023\n\n"
            "# Margins\n\nProducts and Repairs margin:\n\n"
            "| | Three Months Ended |\n| --- | --: |\n| Margin percentage: |\n"
            f"| Products | 40.0 % |\n| Repairs | {share} |\n| Total margin percentage | 45.0 % |\n\n"
            f"# Legal\n\nThe Rivet lawsuit concerns a patent of Bolt that is in force. {news} It may take some years.\n"
        )
    investigator = of_texts(texts)
    table = investigator.ask("How has the margin percentage of Repairs moved over the quarters?").table
    assert table is not None
    assert [quote.cell and quote.cell.value for row in table.rows for quote in row.quotes[:1]] == ["71.0 %", "72.5 %"]
    table = investigator.ask("How did the Rivet lawsuit develop from one report to the next?").table
    assert table is not None
    assert "In May the court ruled for Bolt." in " ".join(quote.text for quote in table.rows[-1].quotes)


def test_a_side_of_a_period_is_told_by_the_report_that_covers_it() -> None:
    part = Part(question="costs of Bolt, three months ended July 1, 2023", side="Bolt, three months ended July 1, 2023")
    other = Part(question="costs of Bolt, three months ended December 31, 2022", side="Bolt, December")
    told = {"q1.txt": ("2022-12-31", 1), "q3.txt": ("2023-07-01", 3)}
    documents = {
        name: Document(
            id=name,
            title="Bolt",
            media_type="text/plain",
            content_hash="h",
            text=f"Costs of Bolt rose in {name}.",
            imprint=Imprint(issuer="Bolt", period_end=end, fiscal_year=2023, fiscal_quarter=quarter),
        )
        for name, (end, quarter) in told.items()
    }
    memories = tuple(
        Memory(id=at, target_document_id=name, question="?", reply="", point=60 - at, quotes=(quote_at(one, 0, 19),))
        for at, (name, one) in enumerate(documents.items(), 1)
    )
    run = Investigation(
        id="r", question="q", mission="", strategy="", engine="e", kind=QuestionKind.COMPARISON, parts=(part, other)
    ).changed(memories=memories)
    rows = side_by_side(run, memories, documents.__getitem__, is_read=False)
    assert [row.document_id for row in rows] == ["q3.txt", "q1.txt"]


def test_a_document_of_the_other_side_answers_for_neither(of_texts: OfTexts) -> None:
    texts = {
        f"{name}.txt": f"{name} annual report. {name} had net sales of {figure} million euros."
        for name, figure in (("Bolt", "4,100"), ("Nut", "3,900"))
    }
    answer = of_texts(texts).ask("Compare the net sales of Bolt and Nut.")
    assert answer.table is not None
    cited = {row.label: {quote.document_id for quote in row.quotes} for row in answer.table.rows}
    assert cited.keys() == {"Bolt", "Nut"}
    assert any(cited.values())
    assert all(names <= {f"{label}.txt"} for label, names in cited.items())


def test_a_cell_that_meets_all_is_stated_whatever_a_model_says(of_texts: OfTexts) -> None:
    table = "| | 2022 | 2023 |\n| --- | --: | --: |\n| Net income | $2,872 | $9,879 |\n"
    nothing = {
        "critical_thinking/think": '{"kind": "fact", "needs": []}',
        "planner/plan": '{"strategy": "", "steps": []}',
        "reflection/reflect": '{"knowledge": []}',
        "query/ask": '{"point": 0, "quotes": [], "reply": "Not in this text."}',
        "answer/answer": '{"claims": []}',
    }
    silent = ScriptedEngine(nothing, traits=Traits(is_model=True))
    investigator = of_texts({"report.md": f"# Bolt annual report\n\nIn millions:\n\n{table}"}, model=silent)
    answer = investigator.ask("What was the net income of Bolt in 2023?")
    assert answer.status is AnswerStatus.ANSWERED
    assert [quote.cell and quote.cell.value for quote in answer.citations] == ["$9,879"]


def test_a_row_answers_only_if_it_has_every_value_that_the_question_names(of_texts: OfTexts) -> None:
    rows = "Invoice,Customer,Amount,Paid on\nK-1,Adler,100,2026-01-05\nK-2,Bruno,200,\nK-3,Bruno,200,2026-03-01\n"
    investigator = of_texts({"invoices.csv": rows})
    paid = investigator.ask("When was invoice K-3 paid?")
    assert paid.status is AnswerStatus.ANSWERED
    assert "2026-03-01" in paid.claims[0].text
    assert "K-1" not in paid.claims[0].text
    for question in (
        "When was invoice K-2 paid?",  # its cell is empty
        "When was invoice K-1 of Bruno paid?",  # no row has both
        "What is the total amount of the invoices of Bruno?",  # two rows
    ):
        assert investigator.ask(question).status is not AnswerStatus.ANSWERED


MINUTES = {
    "april.txt": "Minutes of 3 April\n\nPresent: Ida Moss\nApologies: Tom Reed\n\nThe pump was repaired.",
    "may.txt": "Minutes of 8 May\n\nPresent: Ida Moss, Tom Reed\n\nThe gate was painted. It rained.",
    "june.txt": "Minutes of 5 June\n\nPresent: Eva Lund\nApologies: none\n\nThe pump failed again.",
    "rates.csv": "Job;Firm;EUR\nPump repair;Wells Ltd;210\nPainting;Brush & Co;95\nFence;Wells Ltd;340\n",
}


@pytest.fixture(scope="module")
def minutes(of_texts: OfTexts) -> Investigator:
    return of_texts(MINUTES)


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("Which documents mention the pump but not Tom Reed?", {"june.txt", "rates.csv"}),
        ("Which minutes mention the pump and Tom Reed?", {"april.txt"}),  # in two lines of it
        ("Which documents mention Ida Moss without mentioning rain?", {"april.txt"}),
        ("Which minutes mention neither the gate nor Eva Lund?", {"april.txt"}),  # the rates are no minutes
        ("Which documents mention neither the gate nor Eva Lund?", {"april.txt", "rates.csv"}),
        ("Which documents mention Tom Reed but not Ida Moss?", set()),
        ("Wich documnets mention the gate?", {"may.txt"}),
    ],
)
def test_documents_mention_one_thing_and_lack_another(
    minutes: Investigator, question: str, documents: set[str]
) -> None:
    answer = minutes.ask(question)
    assert {name for name, verdict in verdicts(answer).items() if verdict is RowVerdict.YES} == documents
    assert answer.status is (AnswerStatus.ANSWERED if documents else AnswerStatus.NOT_FOUND)
    assert answer.table is not None
    assert not any(row.missing for row in answer.table.rows)


@pytest.mark.parametrize(
    ("question", "things", "reason"),
    [
        ("List the firms in the list of rates.", ["Wells Ltd", "Brush & Co"], "2 rows or items of rates.csv"),
        (
            "How many firms are in the list of rates?",
            ["Wells Ltd", "Brush & Co"],
            "2 counted in the tables of rates.csv",
        ),
        ("How many jobs cost more than 100 euros?", ["Pump repair", "Fence"], "2 counted in the tables of rates.csv"),
        ("How many jobs cost more than 900 euros?", [], "None of 3 rows counted in the tables of rates.csv"),
    ],
)
def test_things_of_a_table_are_listed_and_counted_with_their_cells(
    minutes: Investigator, question: str, things: list[str], reason: str
) -> None:
    answer = minutes.ask(question)
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.reason.startswith(reason)
    assert [name for name, verdict in verdicts(answer).items() if verdict is RowVerdict.YES] == things
    assert all(quote.cell is not None and quote.document_id == "rates.csv" for quote in answer.citations)


def test_a_table_of_things_is_none_of_the_things_itself(of_texts: OfTexts) -> None:
    investigator = of_texts({"rates.csv": "Article;EUR;Stock\nLamp;12;0\nShade;9;4\n"})
    assert investigator.ask("Which articles are out of stock?").status is not AnswerStatus.ANSWERED
    assert list(verdicts(investigator.ask("Which articles cost more than 10?"))) == ["Lamp"]


def test_what_no_table_has_is_not_counted(minutes: Investigator) -> None:
    for question in ("How many customers are in the list of rates?", "How many jobs cost more than 90 dollars?"):
        assert minutes.ask(question).status is not AnswerStatus.ANSWERED
