"""The quotes of an answer are looked up again: one that moved keeps its statement, one that is gone does not."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from investigator.documents.fresh import MISSING, FreshDocument
from investigator.proof.quotes import quote_at
from investigator.proof.standing import SOURCE_CHANGED, standing_answer
from investigator.records import (
    Answer,
    AnswerStatus,
    CheckOutcome,
    Coverage,
    Decision,
    Disagreement,
    Document,
    NotStated,
    Quote,
    RunFacts,
    Section,
    Side,
    Statement,
    StopReason,
    Support,
    SurveyRow,
)

POWER, OWNER = "It makes 42 MW of power.", "Its owner is the town of Leer."
PLANT = f"The Ash plant. {POWER} {OWNER}"
PRICES = "Power is sold at 12 cents."


def document(text: str, name: str = "plant.txt") -> Document:
    return Document(id=name, title=name, media_type="text/plain", content_hash=str(hash(text)), text=text)


def quote(text: str, source: str = PLANT, name: str = "plant.txt") -> Quote:
    start = source.index(text)
    return quote_at(document(source, name), start, start + len(text))


def supported(text: str, *quotes: Quote) -> Statement:
    return Statement(text=text, quotes=quotes, support=Support.SUPPORTED)


LEAD = supported("It is 42 MW.", quote(POWER))
DETAIL = supported("Leer owns it.", quote(OWNER))
PRICE = supported("It costs 12 cents.", quote(PRICES, PRICES, "prices.txt"))


def again(answer: Answer, plant: str | None = PLANT, prices: str = PRICES) -> Answer:
    """Return the answer after its quotes were looked up in files with these texts; None: the file is gone."""
    files = {
        "plant.txt": FreshDocument(document(plant)) if plant is not None else FreshDocument(problem=MISSING),
        "prices.txt": FreshDocument(document(prices, "prices.txt")),
    }

    def reread(names: Collection[str]) -> Mapping[str, FreshDocument]:
        return {name: files[name] for name in names}

    return standing_answer(answer, reread)


def answer(**fields: object) -> Answer:
    return Answer(
        question="?",
        status=AnswerStatus.ANSWERED,
        reason="",
        coverage=Coverage(),
        **fields,  # type: ignore[arg-type]
        run=RunFacts(engine="scripted", stop=StopReason.ANSWERED),
    )


FULL = answer(lead=LEAD, details=(DETAIL, PRICE))


def test_an_answer_whose_files_are_as_they_were_is_unchanged() -> None:
    assert again(FULL) == FULL


def test_a_quote_that_moved_keeps_its_statement_and_has_its_new_place() -> None:
    found = again(FULL, f"A new first line.\n\n{PLANT}")
    assert found.lead is not None
    assert found.lead.text == LEAD.text
    assert found.lead.support is Support.SUPPORTED
    (moved,) = found.lead.quotes
    assert (moved.line, moved.text) == (3, POWER)
    assert moved.start == LEAD.quotes[0].start + len("A new first line.\n\n")
    assert (found.check.withheld, found.coverage.source_changed) == ((), ())


def test_a_quote_that_is_gone_withholds_its_statement_and_names_the_document() -> None:
    found = again(FULL, PLANT.replace("42", "43"))
    assert found.lead is None
    assert [each.text for each in found.details] == [DETAIL.text, PRICE.text]
    (withheld,) = found.check.withheld
    assert (withheld.text, withheld.support) == (LEAD.text, Support.UNSUPPORTED)
    assert withheld.reason.startswith(f"{SOURCE_CHANGED}: plant.txt has changed since it was read")
    assert found.coverage.source_changed == ("plant.txt",)


def test_a_statement_needs_all_of_its_quotes() -> None:
    both = supported("Leer makes 42 MW.", quote(POWER), quote(OWNER))
    found = again(answer(lead=both), f"The Ash plant. {POWER}")
    assert found.lead is None
    assert [each.text for each in found.check.withheld] == [both.text]


def test_a_file_that_is_gone_withholds_all_that_it_said() -> None:
    found = again(FULL, None)
    assert (found.lead, found.details) == (None, (PRICE,))
    assert all(MISSING in each.reason for each in found.check.withheld)
    assert found.coverage.source_changed == ("plant.txt",)


def test_statements_that_were_withheld_before_stay_so() -> None:
    refused = Statement(text="It is 99 MW.", support=Support.UNSUPPORTED, reason="no")
    found = again(FULL.changed(check=CheckOutcome(withheld=(refused,))), PLANT.replace("42", "43"))
    assert [each.text for each in found.check.withheld] == [refused.text, LEAD.text]


def test_a_row_of_a_survey_that_lost_its_quote_is_unclear() -> None:
    rows = (
        SurveyRow(document_id="plant.txt", decision=Decision.YES, statement=LEAD),
        SurveyRow(document_id="prices.txt", decision=Decision.YES, statement=PRICE),
        SurveyRow(document_id="letter.txt", decision=Decision.NO),
    )
    found = again(answer(table=rows), PLANT.replace("42", "43"))
    assert [(row.decision, row.statement is None) for row in found.table] == [
        (Decision.UNCLEAR, True),
        (Decision.YES, False),
        (Decision.NO, True),
    ]
    assert [each.text for each in found.check.withheld] == [LEAD.text]


def test_the_nearest_quotes_and_the_sides_of_a_disagreement_are_looked_up_too() -> None:
    sides = (Side(text="42 MW", quotes=LEAD.quotes), Side(text="12 cents", quotes=PRICE.quotes))
    nearest = NotStated(text="the heat", quotes=(*LEAD.quotes, *DETAIL.quotes))
    before = answer(not_stated=(nearest,), disagreements=(Disagreement(about="power", sides=sides),))
    assert again(before) == before
    found = again(before, PLANT.replace("42", "43"))
    assert found.disagreements == ()
    assert [each.text for each in found.not_stated[0].quotes] == [OWNER]
    assert found.coverage.source_changed == ("plant.txt",)


def test_what_explains_a_disagreement_is_no_side_and_needs_all_its_quotes() -> None:
    sides = (LEAD, DETAIL, PRICE)
    values = [Side(text=each.text, quotes=each.quotes) for each in sides]
    explained = Side(text="They differ.", quotes=tuple(quote for each in sides for quote in each.quotes), explains=True)
    before = answer(disagreements=(Disagreement(about="power", sides=(*values, explained)),))
    (left,) = again(before, PLANT.replace("42", "43")).disagreements
    assert [side.text for side in left.sides] == [DETAIL.text, PRICE.text]
    assert again(before, None).disagreements == ()


def test_a_section_that_lost_statements_is_not_called_answered_and_names_changed_documents() -> None:
    finished = {"status": AnswerStatus.ANSWERED}
    sections = (
        Section(heading="Both", paragraphs=((LEAD,), (DETAIL,)), **finished),
        Section(heading="Gone", rows=(LEAD,), **finished),
        Section(heading="Moved", rows=(DETAIL,), **finished),
        Section(heading="As it was", paragraphs=((PRICE,),), **finished),
    )
    found = again(answer(sections=sections), PLANT.replace("42", "43")).sections
    assert [each.status for each in found] == ["answered_in_part", "not_found_so_far", "answered", "answered"]
    assert [bool(each.reason) for each in found] == [False, True, False, False]
    assert [each.stale for each in found] == [("plant.txt",)] * 3 + [()]
