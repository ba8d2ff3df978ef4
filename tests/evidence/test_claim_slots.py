"""A claim is checked slot by slot: a claim that says more than its quotes is never proven, and true rewordings are
kept.
"""

from __future__ import annotations

import time

import pytest
from whole_quotes import whole_quote

from investigator.evidence.claims import prove
from investigator.evidence.quotes import Source
from investigator.records import ClaimStatus, Document, Quote, Slot

TRIAL = "In the Gambia, 497 children were randomised to artesunate and 253 to placebo."
DEAL = "In March 2019, Orion Foods sold its bakery in Turin to Vega Capital for 12 million euros."
SALES = "Net sales rose 4% to $81.8 billion in the third quarter of 2023."

FALSE = [
    # names
    ("In March 2019, Orion Foods sold its bakery in Turin to Lyra Capital for 12 million euros.", DEAL),
    ("Anna Weber directed the film.", "Maria Weber directed the film."),
    ("The treaty was signed in Vienna.", "The treaty was signed in Verona."),
    ("Gout is treated with colchicine.", "Gout is treated with allopurinol."),
    # roles
    ("In March 2019, Vega Capital sold its bakery in Turin to Orion Foods for 12 million euros.", DEAL),
    ("In the Gambia, 253 children were randomised to artesunate and 497 to placebo.", TRIAL),
    ("Lena was hired by Marc.", "Lena hired Marc."),
    ("The board dismissed the director.", "The board was dismissed by the director."),
    ("Marc's sister owns the mill.", "The sister's Marc owns the mill."),
    ("The supplier of Orion is Vega.", "The supplier of Vega is Orion."),
    ("Drug A was better than drug B.", "Drug B was better than drug A."),
    ("Smoke came from the kitchen to the hall.", "Smoke came to the kitchen from the hall."),
    # numbers and units
    ("Net sales rose 5% to $81.8 billion in the third quarter of 2023.", SALES),
    ("Net sales rose 4% to $81.8 million in the third quarter of 2023.", SALES),
    ("The bridge is 300 feet long.", "The bridge is 300 metres long."),
    ("The dose was 20 g a day.", "The dose was 20 mg a day."),
    ("The term is three months.", "The term is three years."),
    ("Two of twelve members objected.", "Twelve of two hundred members objected."),
    # percent, fold and absolute
    ("Mortality was 12.", "Mortality was 12%."),
    ("Output grew 3%.", "Output grew threefold."),
    ("Interest fell by 2 percent.", "Interest fell by 2 percentage points."),
    ("5% of the patients died.", "5 of the patients died."),
    # periods
    ("Net sales rose 4% to $81.8 billion in the second quarter of 2023.", SALES),
    ("The mill closed in 1987.", "The mill closed in 1978."),
    ("The mill closed on 3 May 1987.", "The mill closed on 3 March 1987."),
    ("The mill closed before the war.", "The mill closed after the war."),
    # polarity
    ("The plant is safe.", "The plant is not safe."),
    ("The plant is safe.", "It is false that the plant is safe."),
    ("The plant is safe.", "Nobody has shown that the plant is safe."),
    ("The vaccine prevented relapse.", "The vaccine failed to prevent relapse."),
    ("The plant was not sold.", "The plant was sold."),
    # modality
    ("The merger will close in June.", "The merger may close in June."),
    ("The city built a tunnel.", "The city planned to build a tunnel."),
    ("Zinc reduces mortality.", "Zinc may reduce mortality."),
    ("The mayor took bribes.", "The mayor allegedly took bribes."),
    ("The mayor took bribes.", "According to the prosecutor, the mayor took bribes."),
    ("The mayor took bribes.", "A former clerk said the mayor took bribes."),
    ("The mayor took bribes.", "The mayor took bribes, his rival claimed."),
    # conditions and subgroups
    ("The fee is waived.", "The fee is waived if the tenant gives notice."),
    ("The fee is waived.", "Unless both agree, the fee is waived."),
    ("The drug lowered blood pressure.", "In men over 60, the drug lowered blood pressure."),
    ("The drug lowered blood pressure.", "The drug lowered blood pressure in men over 60."),
    ("Pets are allowed.", "Pets are allowed, except on the top floor."),
    # direction
    ("Net sales fell 4% to $81.8 billion in the third quarter of 2023.", SALES),
    ("Margins were higher than in 2021.", "Margins were lower than in 2021."),
    ("Relapse decreased in both groups.", "Relapse increased in both groups."),
    # scope
    ("All members voted for it.", "Most members voted for it."),
    ("Members voted for it.", "Only three members voted for it."),
    ("The mill runs every day.", "The mill often runs every day."),
    ("The patients recovered.", "Some of the patients recovered."),
    # lists and parts that belong together
    ("Revenue from A and C was $5 million.", "Revenue from A, B, and C was $5 million."),
    ("The sum of rent and heating is 900 euros.", "The sum of rent, water and heating is 900 euros."),
    # nothing of it
    ("The moon is made of cheese.", TRIAL),
    ("Bananas are yellow.", SALES),
    ("Yes.", "Yes, the plant is closed."),
]

PROVEN = [
    ("497 children were randomised to artesunate and 253 to placebo in the Gambia.", TRIAL),
    ("In March 2019, Orion Foods sold its bakery in Turin to Vega Capital for €12m.", DEAL),
    ("Net sales increased 4% to 81.8 billion dollars in Q3 2023.", "Net sales rose 4% to $81.8 billion in Q3 2023."),
    ("Marc hired Lena.", "Lena was hired by Marc."),
    ("Lena was hired by Marc in 2011.", "Marc hired Lena in 2011."),
    ("Orion's revenue was $5 million.", "The revenue of Orion was $5 million."),
    ("Lena directed the film.", "However, Lena, a native of Bern, directed the film."),
    ("Lena directed the film.", "Lena directed the film, which won two prizes."),
    ("Lena directed the movie.", "Lena (born 1970) directed the film."),
    ("The bakery was closed.", "The bakery was closed, and the mill was sold."),
    ("The mill was sold.", "The bakery was closed, and the mill was sold."),
    ("Orion opened in 1999.", "Orion is a bakery. It opened in 1999."),
    ("The report says that the mill was sold.", "The mill was sold."),
    ("The bakery was closed; the mill was sold.", "The mill was sold. The bakery was closed."),
    ("Die Mühle wurde verkauft.", "Die Mühle wurde verkauft."),
]

HONEST = [
    ("The Gambia trial randomised 497 children to artesunate.", TRIAL),
    ("Vega Capital paid 12 million euros for a bakery in Turin.", DEAL),
    ("Sales went up by 4%.", SALES),
    ("The bakery belonged to Orion Foods until March 2019.", DEAL),
    ("Quarterly net sales were $81.8 billion.", SALES),
    ("There were 750 children in all.", TRIAL),
    ("The mill was shut down.", "The mill was closed."),
    ("It took place on a Monday.", "The meeting took place on a Monday."),
    ("Die Mühle hat 12 Mitarbeiter.", "The mill employs 12 people."),
]


def quotes(*texts: str) -> tuple[Quote, ...]:
    return tuple(whole_quote(text) for text in texts)


@pytest.mark.parametrize(("claim", "quote"), FALSE)
def test_what_says_something_else_is_never_proven(claim: str, quote: str) -> None:
    assert not prove(claim, quotes(quote)).is_proven


@pytest.mark.parametrize(("claim", "quote"), PROVEN)
def test_the_same_words_and_rewordings_by_rule_are_proven(claim: str, quote: str) -> None:
    assert prove(claim, quotes(quote)).is_proven


@pytest.mark.parametrize(("claim", "quote"), HONEST)
def test_an_honest_rewording_is_proven_or_gives_way_to_its_quote(claim: str, quote: str) -> None:
    check = prove(claim, quotes(quote))
    assert check.status is not ClaimStatus.WITHHELD
    assert check.is_proven or check.quote == quotes(quote)[0]


@pytest.mark.parametrize(
    ("claim", "quote", "slot", "words"),
    [
        ("Sales rose 4%.", "Sales fell 4%.", Slot.DIRECTION, "'fell'"),
        ("Acme was bought by Beta.", "Acme was bought by Vega.", Slot.NAME, "Beta"),
        ("Beta bought Acme.", "Acme bought Beta.", Slot.ROLES, "the reverse"),
        ("The dose was 5 g.", "The dose was 5 mg.", Slot.UNIT, "5 g"),
        ("Zinc reduces mortality.", "Zinc may reduce mortality.", Slot.MODALITY, "'may'"),
        ("The fee is waived.", "If both agree, the fee is waived.", Slot.CONDITION, "'if'"),
        ("All members agreed.", "Most members agreed.", Slot.SCOPE, "'all'"),
        ("The mill closed in 1987.", "The mill closed in 1978.", Slot.PERIOD, "1987"),
    ],
)
def test_a_withheld_claim_names_the_slot_and_the_words(claim: str, quote: str, slot: Slot, words: str) -> None:
    check = prove(claim, quotes(quote))
    assert (check.status, check.slot) == (ClaimStatus.WITHHELD, slot)
    assert words in check.reason


def test_it_stands_for_what_was_asked_about_or_for_nothing() -> None:
    told = quotes("Beta was founded in 1999.")
    assert prove("It was founded in 1999.", told, given="When was Beta founded?").is_proven
    assert not prove("It was founded in 1999.", told, given="When was Acme set up?").is_proven


def test_a_name_is_not_put_in_the_place_of_a_pronoun_if_two_are_named() -> None:
    assert not prove("Orion paid 5 million.", quotes("Orion was sued by Vega. It paid 5 million.")).is_proven


def test_a_sum_of_quoted_numbers_is_shown_as_computed() -> None:
    check = prove("There were 750 children.", quotes(TRIAL))
    assert check.status is ClaimStatus.REPLACED
    assert "497 + 253" in check.reason


@pytest.mark.parametrize(
    ("text", "quoted", "sentence"),
    [
        ("Well. It is false that the plant is safe. End.", "the plant is safe", "It is false that the plant is safe."),
        ("It is safe only if the valve is shut.", "It is safe", "It is safe only if the valve is shut."),
        ("Nobody says\nthat the plant is safe.", "that the plant is safe.", "Nobody says\nthat the plant is safe."),
        ("Rent 5 6 7\nFuel 8 9 10\nWater 1 2 3", "Fuel 8", "Fuel 8 9 10"),
        ("Duties\n- pay the rent on time\n- keep no dog", "pay the rent", "- pay the rent on time"),
    ],
)
def test_a_quote_is_widened_to_its_sentence_and_still_proves_itself(text: str, quoted: str, sentence: str) -> None:
    document = Document(id="a.txt", title="", media_type="text/plain", content_hash="h", text=text)
    quote = Source(document).quote(quoted)
    assert quote is not None
    assert (quote.text, document.text[quote.start : quote.end]) == (sentence, sentence)


def test_a_claim_is_checked_in_milliseconds() -> None:
    told = quotes(*([f"{TRIAL} {DEAL} {SALES}"] * 3))
    claims = [claim for claim, _ in FALSE + PROVEN + HONEST]
    for claim in claims:  # the lists are read, and the quotes taken apart
        prove(claim, told)
    began = time.process_time()
    for claim in claims:
        prove(f"{claim} ", told)
    assert (time.process_time() - began) / len(claims) < 0.02  # 2 ms on a machine that does nothing else


def test_a_quote_with_a_word_broken_at_a_line_end_proves_itself_on_one_line() -> None:
    text = "Resistance to sulphadoxine-\npyrimethamine is\nincreasing."
    quote = Quote(document_id="a", page=None, line=1, start=0, end=len(text), text=text, source_hash="a")
    assert prove("Resistance to sulphadoxine- pyrimethamine is increasing.", (quote,)).is_proven
