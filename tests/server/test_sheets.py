"""A citation of a PDF opens the picture of its page, with the quote marked on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pypdfium2
import pytest
from server_clients import answer_page, browser_of, read_folder, serving

ROWS = (
    ("Item", "2023", "2022"),
    ("Net sales", "1,204", "1,100"),
    ("Costs", "804", "790"),
    ("Net income", "400", "310"),
)
TEXT = "\n".join(" ".join(row) for row in ROWS)
DRAWN = "\n".join(
    f"BT /F 12 Tf {60 + 150 * at} {700 - 20 * row} Td ({word}) Tj ET"
    for row, words in enumerate(ROWS)
    for at, word in enumerate(words)
)
# without a table of places: pdfium finds the objects itself
REPORT = f"""%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R
  /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj
4 0 obj << /Length {len(DRAWN)} >> stream
{DRAWN}
endstream endobj
trailer << /Root 1 0 R >>
"""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[httpx.Client]:
    folder = tmp_path / "mill"
    folder.mkdir()
    (folder / "report.pdf").write_text(REPORT, encoding="latin-1")
    long = pypdfium2.PdfDocument.new()
    for _ in range(7):
        long.import_pages(pypdfium2.PdfDocument(folder / "report.pdf"))
    long.save(folder / "long.pdf")
    with serving(folder, tmp_path / "data") as service, browser_of(service) as client:
        read_folder(client, "mill")
        yield client


def test_a_citation_is_marked_on_the_picture_of_its_page(reader: httpx.Client) -> None:
    answer = answer_page(reader, "mill", "What were the net sales in 2023?")
    links = [unescape(link) for link in re.findall(r'class="opens" href="([^"]+)"', answer.text)]
    assert links
    for link in links:
        assert '<svg class="marks"' in reader.get(link).text


def test_a_row_of_a_table_is_marked_on_the_picture_of_its_page(reader: httpx.Client) -> None:
    row = TEXT.index("Net sales")
    page = reader.get(f"/f/mill/document?id=report.pdf&start={row}&end={TEXT.index('Costs') - 1}")
    marks = [float(top) for top in re.findall(r'<rect x="[\d.]+" y="([\d.]+)"', page.text)]
    assert marks
    assert max(marks) - min(marks) < 0.01
    (sheet,) = re.findall(r'<img src="([^"]+)"', page.text)
    picture = reader.get(unescape(sheet))
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")


def test_a_long_mark_is_drawn_a_few_pages_at_a_time(reader: httpx.Client) -> None:
    page, shown = reader.get("/f/mill/document?id=long.pdf&start=0&end=10000"), list[int]()
    while len(shown) < 7:
        sheets = [int(number) for number in re.findall(r'alt="Page (\d+)"', page.text)]
        assert 0 < len(sheets) < 7
        assert all('<svg class="marks"' in figure for figure in page.text.split("<figure")[1:])
        shown += sheets
        links = [unescape(link) for link in re.findall(rf'<a href="([^"]+)">Page {shown[-1] + 1}</a>', page.text)]
        page = reader.get(links[0]) if links else page
    assert shown == list(range(1, 8))
