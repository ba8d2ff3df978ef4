"""Every quote of a real answer is at its stated place in the file, which is checked here without the stored text."""

from pathlib import Path

import pypdfium2
import pytest

from investigator import Investigator, Quote, ScriptedEmbedder
from investigator.language.normalise import normalise

EXAMPLE = Path(__file__).parents[2] / "data" / "examples" / "child-health"
PDF, TEXT, OTHER = "gambia-co-artemether-transmission.pdf", "uganda-medicine-adherence.txt", "italy-parent-video.html"


QUESTIONS = (
    "Is the resistance of malaria to chloroquine and SP increasing in Africa?",
    "What do caregivers in Uganda say about adherence to the medicines of community health workers?",
)


@pytest.fixture(scope="module")
def quotes(tmp_path_factory: pytest.TempPathFactory) -> list[Quote]:
    """Return the quotes of the answers to both questions."""
    folder = tmp_path_factory.mktemp("folder")
    for name in (PDF, TEXT, OTHER):
        (folder / name).write_bytes((EXAMPLE / name).read_bytes())
    investigator = Investigator(folder, embedder=ScriptedEmbedder())
    return [quote for question in QUESTIONS for quote in investigator.ask(question).citations]


def test_a_quote_from_a_pdf_stands_on_its_page(quotes: list[Quote]) -> None:
    from_pdf = [quote for quote in quotes if quote.document_id == PDF]
    assert from_pdf
    with pypdfium2.PdfDocument(EXAMPLE / PDF) as document:
        assert len(document) > 20
        for quote in from_pdf:
            assert quote.page is not None
            page = document[quote.page - 1].get_textpage().get_text_range()
            assert _letters(quote.text) in _letters(page)


def test_a_quote_from_a_text_file_stands_in_its_line(quotes: list[Quote]) -> None:
    lines = (EXAMPLE / TEXT).read_text(encoding="utf-8").splitlines()
    from_text = [quote for quote in quotes if quote.document_id == TEXT]
    assert from_text
    for quote in from_text:
        assert quote.text.splitlines()[0] in lines[quote.line - 1]


def _letters(text: str) -> str:
    return "".join(ch for ch in normalise(text).text if ch.isalnum())
