"""The text of an answer: the lead first, numbered marks, and nothing of a document that is active."""

from __future__ import annotations

from whole_quotes import whole_quote

from investigator.records import (
    Answer,
    AnswerStatus,
    Coverage,
    Decision,
    Disagreement,
    NotStated,
    Quote,
    RunFacts,
    Side,
    Statement,
    StopReason,
    Support,
    SurveyRow,
)
from investigator.research.answer_text import answer_text, support_note

QUOTES = tuple(whole_quote(f"Fact {number}.", f"{number}.txt") for number in range(9))


def stated(
    text: str, *quotes: Quote, head: str = "", support: Support = Support.SUPPORTED, reason: str = ""
) -> Statement:
    return Statement(text=text, head=head, quotes=quotes, support=support, reason=reason)


def text_of(**fields: object) -> str:
    answer = Answer(
        question="?",
        status=AnswerStatus.ANSWERED,
        reason="",
        coverage=Coverage(),
        **fields,  # type: ignore[arg-type]
        run=RunFacts(engine="scripted", stop=StopReason.ANSWERED),
    )
    return answer_text(answer)


def test_the_lead_comes_first_and_each_detail_in_a_line_of_its_own() -> None:
    details = (stated("It made 40 MW.", QUOTES[1], head="2022"), stated("It made 42 MW.", QUOTES[0], QUOTES[2]))
    assert text_of(lead=stated("Output rose.", QUOTES[0]), details=details) == (
        "Output rose. [1]\n\n- **2022**: It made 40 MW. [2]\n- It made 42 MW. [1][3]"
    )


def test_a_statement_has_at_most_eight_marks() -> None:
    assert text_of(lead=stated("All agree.", *QUOTES)) == "All agree. [1][2][3][4][5][6][7][8]"


def test_marks_are_numbered_in_the_order_of_the_citations() -> None:
    sides = (Side(text="42 MW", quotes=(QUOTES[0],)), Side(text="43 MW", quotes=(QUOTES[2],)))
    fields = {
        "lead": stated("Output rose.", QUOTES[0]),
        "details": (stated("By how much differs.", QUOTES[1]),),
        "disagreements": (Disagreement(about="output", sides=sides),),
        "not_stated": (NotStated(text="the heat", quotes=(QUOTES[3],)),),
    }
    text = text_of(**fields)
    assert [text.count(f"[{number}]") for number in (1, 2, 3, 4, 5)] == [2, 1, 1, 1, 0]
    assert text.splitlines()[-1] == "- The documents disagree on output: 42 MW [1]; 43 MW [3]."


def test_an_unchecked_statement_is_marked_and_a_checked_one_is_not() -> None:
    assert text_of(lead=stated("It is 42.", QUOTES[0], support=Support.UNCHECKED)) == "It is 42. [1] (unchecked)"
    assert text_of(lead=stated("It is 42.", QUOTES[0], support=Support.VERBATIM)) == "It is 42. [1]"
    half = stated("It is 42.", QUOTES[0], support=Support.IN_PART, reason="only in winter")
    assert support_note(half) == "supported in part: only in winter"
    assert text_of(lead=half) == "It is 42. [1] (supported in part: only in winter)"


def test_sides_have_their_dates_and_the_explanation_follows() -> None:
    sides = (
        Side(text="42 MW", quotes=(QUOTES[0],), date="2022-01-31"),
        Side(text="43 MW", quotes=(QUOTES[1],), date=None),
    )
    assert text_of(disagreements=(Disagreement(about="", sides=sides, explanation="It was rebuilt."),)) == (
        "- The documents disagree: 42 MW (2022-01-31) [1]; 43 MW [2]. It was rebuilt."
    )


def test_a_table_shows_what_belongs_and_says_what_is_unclear() -> None:
    rows = (
        SurveyRow(document_id="a.txt", title="Alder", decision=Decision.YES, statement=stated("42 MW.", QUOTES[0])),
        SurveyRow(document_id="b.txt", decision=Decision.UNCLEAR, statement=stated("Power.", QUOTES[1])),
        SurveyRow(document_id="c.txt", decision=Decision.NO),
        SurveyRow(document_id="d.txt", decision=Decision.UNDECIDED),
    )
    assert text_of(table=rows) == "- **Alder**: 42 MW. [1]\n- **b.txt** (unclear): Power. [2]"


def test_an_answer_without_anything_has_no_text() -> None:
    assert text_of() == ""


def test_addresses_and_markup_of_documents_and_models_are_escaped_everywhere() -> None:
    evil = "see https://evil.example/x <img src=x> [click](http://evil.example)\n# Title"
    side = Side(text=evil, quotes=(QUOTES[0],))
    text = text_of(
        lead=stated(evil, QUOTES[0], support=Support.IN_PART, reason=evil),
        details=(stated(evil, QUOTES[0], head=evil),),
        table=(SurveyRow(document_id="a", title=evil, decision=Decision.YES, statement=stated(evil, QUOTES[0])),),
        not_stated=(NotStated(text=evil),),
        disagreements=(Disagreement(about=evil, sides=(side, side), explanation=evil),),
    )
    assert "http" not in text
    assert "evil.example" not in text
    assert "<img" not in text
    assert "](" not in text
    assert not any(line.startswith("#") for line in text.splitlines())
    assert text.count("evil[.]example") == 2 * 11
