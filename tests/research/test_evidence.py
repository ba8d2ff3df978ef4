"""The evidence of an answer: quotes with ids, each shown once and marked at its place."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.proof.quotes import Load, quote_at
from investigator.records import Document, EvidenceDocument, Memory, Quote, Verdict
from investigator.research.evidence import Evidence, evidence_documents, evidence_of, with_surroundings
from investigator.research.research_settings import AnswerSettings

FILLER = "The workers of the week went to see a fair in some far town. "
SETTINGS = AnswerSettings()


def document(text: str, name: str = "a.txt") -> Document:
    return Document(id=name, title=name, media_type="text/plain", content_hash=name, text=text)


def load_of(*documents: Document) -> Load:
    return {each.id: each for each in documents}.__getitem__


def quote(text: str, source: Document) -> Quote:
    start = source.text.index(text)
    return quote_at(source, start, start + len(text))


def memory(*quotes: Quote, verdict: Verdict = Verdict.ANSWERS, point: int = 90, number: int = 1) -> Memory:
    name = quotes[0].document_id if quotes else "a.txt"
    return Memory(
        id=number, target_document_id=name, question="?", reply="R", point=point, verdict=verdict, quotes=quotes
    )


def evidence(source: Document, history: Sequence[Memory], others: Sequence[Memory] = ()) -> dict[str, str]:
    found = evidence_of(history, others, load_of(source), SETTINGS)
    return {name: quote.text for name, quote in found.quotes.items()}


PLANT = document("The Emsland plant was opened in 1988. It makes 42 MW of power. Its owner is RWE.")


def test_quotes_that_overlap_become_one_and_neighbours_stay_two() -> None:
    overlapping = memory(quote("opened in 1988. It makes", PLANT), quote("It makes 42 MW of power.", PLANT))
    assert evidence(PLANT, [overlapping, memory(quote("Its owner is RWE.", PLANT), number=2)]) == {
        "E1": "opened in 1988. It makes 42 MW of power.",
        "E2": "Its owner is RWE.",
    }


def test_the_same_quote_of_two_readings_has_one_id() -> None:
    twice = [memory(quote("Its owner is RWE.", PLANT), number=number) for number in (1, 2)]
    assert evidence(PLANT, twice) == {"E1": "Its owner is RWE."}


def test_readings_outside_the_history_give_nearest_quotes_the_best_first() -> None:
    silent = memory(quote("Its owner is RWE.", PLANT), verdict=Verdict.NOT_STATED, point=60)
    doubtful = memory(quote("It makes 42 MW of power.", PLANT), verdict=Verdict.IN_PART, point=40, number=2)
    assert evidence(PLANT, [], [doubtful, silent]) == {"N1": "Its owner is RWE.", "N2": "It makes 42 MW of power."}


def test_the_history_supports_only_where_it_answers() -> None:
    for verdict in Verdict:
        found = evidence(PLANT, [memory(quote("Its owner is RWE.", PLANT), verdict=verdict)])
        assert found == ({"E1": "Its owner is RWE."} if verdict.is_evidence else {})


def test_a_nearest_quote_that_is_evidence_already_is_not_repeated() -> None:
    own = memory(quote("Its owner is RWE.", PLANT))
    near = memory(quote("power. Its owner is RWE.", PLANT), verdict=Verdict.NOT_STATED, number=2)
    assert evidence(PLANT, [own], [near]) == {"E1": "Its owner is RWE."}


def test_the_best_documents_come_first_and_the_nearest_are_few() -> None:
    sources = [document(f"Fact {number} is stated here.", f"{number}.txt") for number in range(8)]
    history = [memory(quote(each.text, each), point=50 + i, number=i + 1) for i, each in enumerate(sources[:2])]
    near = [
        memory(quote(each.text, each), verdict=Verdict.NOT_STATED, point=i, number=i + 9)
        for i, each in enumerate(sources[2:])
    ]
    found = evidence_of(history, near, load_of(*sources), SETTINGS)
    assert {name: one.document_id for name, one in found.quotes.items()} == {
        "E1": "1.txt",
        "E2": "0.txt",
        "N1": "7.txt",
        "N2": "6.txt",
        "N3": "5.txt",
        "N4": "4.txt",
    }


def test_a_limit_leaves_every_reading_its_first_quotes() -> None:
    sources = [document(" ".join(f"{name} fact {n} is here." for n in range(4)), f"{name}.txt") for name in "ab"]
    history = [
        memory(*(quote(f"{name} fact {n} is here.", source) for n in range(4)), number=number)
        for number, (name, source) in enumerate(zip("ab", sources, strict=True), start=1)
    ]
    found = evidence_of(history, [], load_of(*sources), AnswerSettings(evidence=4))
    assert [one.text for one in found.quotes.values()] == [f"{name} fact {n} is here." for name in "ab" for n in (0, 1)]


def test_ids_are_read_as_models_write_them_and_other_kinds_are_not_taken() -> None:
    one, near = quote("Its owner is RWE.", PLANT), quote("It makes 42 MW of power.", PLANT)
    found = Evidence({"E1": one, "N1": near})
    assert found.cited(["[e1]", " E1 ", "E9", "N1", ""]) == (one,)
    assert found.cited(["N1", "E1"], "EN") == (near, one)
    assert found.ids_of([near, one, one]) == ("N1", "E1")


def test_a_wider_quote_holds_the_narrower_one() -> None:
    wide, other = quote("It makes 42 MW of power.", PLANT), quote("Its owner is RWE.", PLANT)
    assert Evidence({"E1": wide, "E2": other}).holding([quote("42 MW", PLANT)]) == (wide,)


# What the writer and the check see.


def shown(source: Document, *texts: str, around: int = 220) -> EvidenceDocument:
    quotes = {f"E{number}": quote(text, source) for number, text in enumerate(texts, start=1)}
    (found,) = evidence_documents(quotes, load_of(source), around=around)
    return found


def plain(found: EvidenceDocument) -> list[str]:
    return ["".join(span.text for span in passage.spans) for passage in found.passages]


def test_a_short_document_is_shown_whole_with_its_quotes_marked_at_their_places() -> None:
    found = shown(PLANT, "Its owner is RWE.", "It makes 42 MW of power.")
    assert found.whole
    assert plain(found) == [PLANT.text]
    assert [(span.id, span.text) for span in found.passages[0].spans if span.id] == [
        ("E2", "It makes 42 MW of power."),
        ("E1", "Its owner is RWE."),
    ]
    assert found.ids == ("E2", "E1")


def test_each_sentence_that_is_shown_around_a_quote_can_be_cited_and_nothing_else() -> None:
    source = long_text("It is old. It makes 42 MW of power. Its owner is RWE.")
    own = quote("It makes 42 MW of power.", source)
    found = with_surroundings(Evidence({"E1": own}), load_of(source))
    texts = [each.text for each in found.quotes.values()]
    assert {"It is old.", own.text, "Its owner is RWE."} < {*texts}
    assert {*texts} - {"It is old.", own.text, "Its owner is RWE."} == {FILLER.strip()}
    (name,) = found.ids_of([own])
    assert found.quotes[name] == own
    (document_shown,) = evidence_documents(found.quotes, load_of(source), around=0)
    assert document_shown.ids == tuple(found.quotes)
    assert not any(span.text.strip() for passage in document_shown.passages for span in passage.spans if not span.id)


def long_text(*facts: str) -> Document:
    return document("".join(FILLER * 40 + fact + " " for fact in facts) + FILLER * 40)


def test_each_stretch_of_a_long_document_is_shown_once_and_in_order() -> None:
    source = long_text("It makes 42 MW of power.", "Its owner is RWE.")
    found = shown(source, "Its owner is RWE.", "It makes 42 MW of power.")
    assert not found.whole
    assert found.ids == ("E2", "E1")
    assert all(source.text.count(text) == 1 for text in plain(found))
    assert all(len(text) < 1_400 for text in plain(found))


def test_quotes_near_to_each_other_share_one_stretch() -> None:
    source = long_text("It makes 42 MW of power. Its owner is RWE.")
    (stretch,) = plain(shown(source, "It makes 42 MW of power.", "Its owner is RWE."))
    assert stretch.count("42 MW") == stretch.count("RWE") == 1


def test_of_quotes_that_overlap_no_text_is_shown_twice() -> None:
    found = shown(PLANT, "It makes 42 MW of power. Its owner", "power. Its owner is RWE.")
    assert plain(found) == [PLANT.text]


def test_less_of_the_surroundings_is_shown_of_many_documents() -> None:
    def length(count: int) -> int:
        sources = [
            document("".join((FILLER * 40, "It makes 42 MW.", FILLER * 40)), f"{number}.txt") for number in range(count)
        ]
        quotes = {f"E{number}": quote("It makes 42 MW.", source) for number, source in enumerate(sources)}
        first, *_ = evidence_documents(quotes, load_of(*sources), around=900)
        return sum(map(len, plain(first)))

    assert length(8) < length(7)


def table_document() -> Document:
    rows = "\n".join(f"| Site {number} | {number * 11} | {number * 7} |" for number in range(1, 41))
    text = f"# Report\n\n{FILLER * 30}\n\n## Output\n\n| Site | 2023 (MW) | 2022 (MW) |\n|---|---|---|\n{rows}\n"
    (made,) = read(SourceFile(text.encode(), "a.md"), "a.md", "", ReaderSettings()).documents
    return made


def test_a_quoted_row_stands_with_the_caption_and_the_header_of_its_table() -> None:
    header, row = plain(shown(table_document(), "Site 38 | 418 | 266", around=60))
    assert "Output" in header
    assert "2023 (MW) | 2022 (MW)" in header
    assert "Site 38 | 418 | 266" in row
    assert "Site 20" not in header + row


def test_a_quote_outside_a_table_brings_no_header() -> None:
    assert "2023 (MW)" not in " ".join(plain(shown(table_document(), FILLER.strip(), around=10)))


def test_a_quoted_row_of_a_long_table_is_among_what_the_writer_sees() -> None:
    rows = "\n".join(
        f"Depreciation of kind {n} of property and\nequipment, and other {n * 31} {n * 17}" for n in range(60)
    )
    source = document(f"{FILLER * 200}\n\nCash flows\n\n{rows}\n\n{FILLER * 200}")
    row = quote("Depreciation of kind 1 of property and\nequipment, and other 31 17", source)
    (shown,) = evidence_documents({"E1": row}, load_of(source))
    spans = [span for passage in shown.passages for span in passage.spans]
    assert [span.text for span in spans if span.id == "E1"] == [row.text]
