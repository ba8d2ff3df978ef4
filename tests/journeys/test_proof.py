"""Every quote of a real answer stands where it is said to stand: looked up here, not in the stored text."""

from pathlib import Path

import pypdfium2
import pytest

from investigator import Answer, AnswerStatus, Investigator
from investigator.text.normalise import normalise

EXAMPLE = Path(__file__).parents[2] / "data" / "examples" / "child-health"
PDF, TEXT, OTHER = "gambia-co-artemether-transmission.pdf", "uganda-medicine-adherence.txt", "italy-parent-video.html"


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    folder = tmp_path_factory.mktemp("folder")
    for name in (PDF, TEXT, OTHER):
        (folder / name).write_bytes((EXAMPLE / name).read_bytes())
    return Investigator(folder).ask("Is the resistance of malaria to chloroquine and SP increasing in Africa?")


def test_the_answer_rests_on_several_documents_and_formats(answer: Answer) -> None:
    assert answer.status is AnswerStatus.ANSWERED
    assert {quote.document_id for quote in answer.citations} == {PDF, TEXT}


def test_a_quote_from_a_pdf_stands_on_its_page(answer: Answer) -> None:
    quotes = [quote for quote in answer.citations if quote.document_id == PDF]
    assert quotes
    with pypdfium2.PdfDocument(EXAMPLE / PDF) as document:
        assert len(document) > 20
        for quote in quotes:
            assert quote.page is not None
            page = document[quote.page - 1].get_textpage().get_text_range()
            assert _letters(quote.text) in _letters(page)


def test_a_quote_from_a_text_file_stands_in_its_line(answer: Answer) -> None:
    lines = (EXAMPLE / TEXT).read_text(encoding="utf-8").splitlines()
    quotes = [quote for quote in answer.citations if quote.document_id == TEXT]
    assert quotes
    for quote in quotes:
        first = quote.text.splitlines()[0]
        assert first in lines[quote.line - 1]


def _letters(text: str) -> str:
    return "".join(ch for ch in normalise(text).text if ch.isalnum())
