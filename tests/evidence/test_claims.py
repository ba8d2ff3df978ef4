"""A claim says nothing that is not in its quotes."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_quotes import whole_quote

from investigator.evidence.claims import prove
from investigator.records import ClaimStatus, Quote


def quotes(*texts: str) -> tuple[Quote, ...]:
    return tuple(whole_quote(text) for text in texts)


BORNE_OUT = [
    ("It earned 1,200 dollars.", "earnings of 1200 dollars"),
    ("It earned 1200 dollars.", "earnings of 1,200 dollars"),
    ("It has 1,200 staff.", "Die Firma hat 1.200 Mitarbeiter"),
    ("It has 1200 staff.", "a staff of 1 200 in all"),
    ("It has 1,200 staff.", "a staff of 1'200 in all"),
    ("It weighs 1.2 kg.", "weight: 1,2 kg"),
    ("It weighs 1.5 kg.", "weight: 1.50 kg"),
    ("It sold 3.5 million units.", "sales were 3,500,000 units"),
    ("It sold 3,500,000 units.", "sales were 3.5 million units"),
    ("It earned $3.5 million.", "earnings of $3.5M"),
    ("It earned $3.5 million.", "earnings of USD 3,500,000"),
    ("It earned $3.5 million.", "earnings of 3.5 million dollars"),
    ("It earned 5 million euros.", "earnings of €5m"),
    ("It earned 1.2 billion.", "der Gewinn lag bei 1,2 Mrd. Euro"),
    ("It grew by 12 percent.", "growth of 12%"),
    ("It grew by 12%.", "growth of 12 per cent"),
    ("It grew by 12.0%.", "growth of 12 %"),
    ("It owns three plants.", "its 3 plants"),
    ("It owns 25 plants.", "its twenty-five plants"),
    ("It cost 2 million dollars.", "it cost two million dollars"),
    ("It has between 3 and 4 million users.", "users: 3-4 million"),
    ("It has 3 million users at least.", "users: 3-4 million"),
    ("Temperatures fell to -5 °C.", "temperatures of −5 °C were measured"),
    ("It lost 1,234 dollars.", "net income (1,234)"),
    ("It made a loss of 5 million.", "result: -5 million"),
    ("It fell by 5%.", "change: -5%"),
    ("It was signed on May 5, 2021.", "signed 2021-05-05 in Rome"),
    ("It was signed on 5 May 2021.", "signed on May 5th, 2021 in Rome"),
    ("It was signed on 2021-05-05.", "unterzeichnet am 5. Mai 2021"),
    ("It was signed on 5 May 2021.", "signed 05/05/2021"),
    ("It was signed on 5 June 2021.", "signed 06/05/2021"),
    ("It was signed on 5 June 2021.", "unterzeichnet am 05.06.2021"),
    ("It was signed on 5 June 2021.", "签署于2021年6月5日"),
    ("It was signed in May 2021.", "signed on May 5, 2021"),
    ("It was signed in 2021.", "signed on 2021-05-05"),
    ("It was signed in 2021.", "signed in fiscal year FY21"),
    ("It was signed in Q3 2021.", "signed in the third quarter of 2021"),
    ("COVID-19 cut sales.", "sales fell because of Covid 19"),
    ("The F-16 flew.", "an F16 flew"),
    ("It starts at 12:30.", "start: 12:30 h"),
    ("Version 1.2.3 has it.", "added in 1.2.3"),
    ("It did not pay a dividend.", "no dividend was paid"),
    ("It has never paid.", "it hasn't paid"),
    ("It did not pay.", "it failed to pay"),
    ("Es hat nicht gezahlt.", "es wurde keine Dividende gezahlt"),
    ("It opened in Rome.", "the opening in Rome"),
    ("It is not only wind power but 42 MW of it.", "42 MW of wind power, among others"),
    ("It opened in 1999 [E1].", "opened in 1999"),
    ("It opened in 1999 (E1, E12).", "opened in 1999"),
    ("It employs 12,300 people.", "employs 12 300 people"),
    ("In 2019, 200 people left.", "In 2019 200 people left"),
    ("About 5 km away.", "a distance of 5 kilometres"),
    ("It ran for a 5-year term.", "a term of five years"),
    ("Sales were $1,234 thousand.", "(in thousands) Sales 1,234"),
    ("The war lasted from 1914 to 1918.", "the war of 1914–18"),
    ("Half a million people came.", "500,000 people"),
    ("It has no debt.", "a debt-free company"),
    ("It is not profitable.", "an unprofitable company"),
    ("The lease runs for 60 months.", "a term of sixty (60) months"),
    ("It has 7 billion parameters.", "a 7B-parameter model"),
    ("He died in 2001.", "(12 March 1950 – 4 May 2001)"),
    ("Acme paid 5 million.", "Acme did not renew the licence, and paid 5 million."),
    ("Acme paid in full.", "Beta did not pay in full. Acme paid in full."),
]

CONTRADICTED = [
    ("It earned 1,300 dollars.", "earnings of 1,200 dollars", "1,300"),
    ("It earned 1.2 dollars.", "earnings of 1,200 dollars", "1.2"),
    ("It earned 12,00 dollars.", "earnings of 1,200 dollars", "12,00"),
    ("It earned 3.5 billion.", "earnings of 3.5 million", "3.5 billion"),
    ("It earned 3.5.", "earnings of 3.5 million", "3.5"),
    ("It earned 5.", "earnings of $5M", "5"),
    ("It earned $5 million.", "earnings of €5 million", "$5 million"),
    ("It earned $5 million.", "earnings of A$5 million", "$5 million"),
    ("The dose is 5 mg.", "a dose of 5 g", "5 mg"),
    ("The dose is 5 mW.", "a load of 5 MW", "5 mW"),
    ("It took 5 days.", "it took 5 weeks", "5 days"),
    ("It grew by 12%.", "growth of 12 percentage points", "12%"),
    ("It grew by 12%.", "a dose of 12 mg", "12%"),
    ("It was -5 degrees.", "it was 5 degrees", "-5"),
    ("It was 5 degrees.", "it was -5 degrees", "5"),
    ("It owns three plants.", "its 4 plants", "three"),
    ("It owns five plants.", "its plants in Rome", "five"),
    ("It was signed on May 6, 2021.", "signed on May 5, 2021", "May 6, 2021"),
    ("It was signed on May 5, 2022.", "signed on May 5, 2021", "May 5, 2022"),
    ("It was signed on June 5, 2021.", "signed on May 5, 2021", "June 5, 2021"),
    ("It was signed on May 5, 2021.", "signed in May 2021", "May 5, 2021"),
    ("It was signed on May 5, 2021.", "signed on May 5", "May 5, 2021"),
    ("It was signed in 2022.", "signed on May 5, 2021", "2022"),
    ("5 people signed.", "signed on 5 May 2021", "5"),
    ("19 people signed.", "signed because of COVID-19", "19"),
    ("COVID-19 cut sales.", "COVID-18 cut sales", "COVID-19"),
    ("It was in Q3.", "it was in Q2", "Q3"),
    ("It was in Q1.", "it was in Q12", "Q1"),
    ("It starts at 12:30.", "start: 12:45", "12:30"),
    ("It did not pay a dividend.", "a dividend was paid", "denies"),
    ("It never paid.", "it paid in May", "denies"),
    ("Acme paid a dividend.", "Acme did not pay a dividend", "deny"),
    ("Acme has paid a dividend.", "Acme has never paid a dividend.", "deny"),
    ("Acme and Beta merged.", "Acme and Beta did not merge.", "deny"),
    ("Acme paid 5 million.", "There is no evidence that Acme paid 5 million.", "deny"),
    ("Acme zahlte eine Dividende.", "Acme zahlte keine Dividende.", "deny"),
    ("", "anything", "no words"),
    ("[E1]", "anything", "no words"),
]


@pytest.mark.parametrize(("claim", "quote"), BORNE_OUT)
def test_figures_and_denials_that_the_quote_has_contradict_nothing(claim: str, quote: str) -> None:
    assert prove(claim, quotes(quote)).status is not ClaimStatus.WITHHELD


@pytest.mark.parametrize(("claim", "quote", "named"), CONTRADICTED)
def test_figures_and_denials_that_the_quote_lacks_are_withheld(claim: str, quote: str, named: str) -> None:
    check = prove(claim, quotes(quote))
    assert check.status is ClaimStatus.WITHHELD
    assert named in check.reason


def test_no_quotes_prove_nothing() -> None:
    assert prove("It opened.", ()).reason == "no quote supports it"


def test_words_joined_from_two_quotes_prove_nothing() -> None:
    """The two may be about different things, so each sentence of a claim needs one sentence of one quote."""
    told = quotes("Alder opened in 1999.", "Birch has 42 MW.")
    assert prove("Alder has 42 MW.", told).status is ClaimStatus.REPLACED
    assert prove("Alder opened in 1999. Birch has 42 MW.", told).is_proven


def test_a_verbatim_claim_is_proven_at_once() -> None:
    assert prove("Sales up 12% in 4Q of 1.2.3 or 5 mg", quotes("“Sales up 12% in 4Q of 1.2.3 or\n5 mg”.")).is_proven


def test_a_claim_cut_out_of_a_number_is_not_verbatim() -> None:
    assert not prove("2 MW of wind power", quotes("42 MW of wind power")).is_proven


def test_what_only_the_question_says_is_not_proven_and_not_contradicted() -> None:
    quote = quotes("the plant has 42 MW")
    assert prove("In 2021 the plant had 42 MW.", quote).status is ClaimStatus.WITHHELD
    asked = "How large was it in 2021?"
    assert prove("In 2021 the plant had 42 MW.", quote, given=asked).status is ClaimStatus.REPLACED
    signed = prove("On May 5, 2021 it was signed.", quotes("signed on May 5"), given="When in 2021 was it signed?")
    assert signed.status is ClaimStatus.REPLACED
    assert prove("It did not open.", quote, given="Why did it not open?").status is ClaimStatus.WITHHELD


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_numbers_are_compared_by_value(claimed: int, stated: int) -> None:
    assert prove(f"It sold {claimed:,} units then.", quotes(f"It sold {stated} units then.")).is_proven == (
        claimed == stated
    )


@settings(deadline=None)
@given(st.dates(date(1900, 1, 1), date(2999, 12, 31)), st.dates(date(1900, 1, 1), date(2999, 12, 31)))
def test_dates_are_compared_by_day(claimed: date, stated: date) -> None:
    claim = f"It was signed on {claimed:%B} {claimed:%d}, {claimed:%Y}."
    assert prove(claim, quotes(f"It was signed on {stated:%Y-%m-%d}.")).is_proven == (claimed == stated)


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=40))
def test_any_texts_give_a_reason_or_none(claim: str, quote: str, question: str) -> None:
    check = prove(claim, quotes(quote), question)
    assert check.is_proven or check.reason


@settings(deadline=None)
@given(st.text(alphabet="abc 019.,-()$%", min_size=1, max_size=60))
def test_a_quote_proves_itself(text: str) -> None:
    text = " ".join(text.split())
    if any(char.isalnum() for char in text):
        assert prove(text, quotes(text)).is_proven


HOSTILE = {
    "digits": "1" * 100_000,
    "groups": "1,234" * 20_000,
    "blanks": "1 234 " * 5_000,
    "letters": "a" * 5_000,
    "identifiers": "A-" * 50_000,
    "nots": "not " * 10_000,
    "months": "May " * 25_000,
    "dates": "May 5, 2021 " * 300,
    "brackets": "[" * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_end_soon(text: str) -> None:
    began = time.process_time()
    prove(text, quotes("Signed on May 5, 2021 for 1,234."))
    prove("It was signed for 9.", quotes(text))
    assert time.process_time() - began < 10


def test_a_negation_about_something_else_proves_no_denial() -> None:
    told = quotes("Zinc was given daily. None of the studies looked at cost.")
    assert not prove("Zinc was not given.", told).is_proven
    assert prove("The studies did not look at cost.", told).status is ClaimStatus.REPLACED
