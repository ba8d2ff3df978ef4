"""Creates a folder of PDF files with about N pages, and questions, from free documents; the result is reproducible.

    langchain-venv/bin/python benchmarks/pdf_folder.py DATA OUT [--pages N]

DATA contains `investigate/` and `retrieval/` (the development sets). OUT gets `docs/` and `questions.jsonl`. Files are
added in this order until there are enough pages: the 8 quarterly reports and 10 articles that are already PDF files,
unchanged; the other articles of `trials` and the pages of `clapnq`, one file each; and abstracts of
`retrieval/scifact`, 40 per file. Nothing is repeated to fill pages; 1,200 pages include everything but the abstracts. A
full page has 450 to 650 words. Needs reportlab, beautifulsoup4, lxml, docx2txt and pypdf: use the environment that
langchain_pipeline.py describes.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

FONT, SIZE, LEADING, MARGIN = "Vera", 10, 13.5, 62
_ABSTRACTS = 40
_SETS = ("sec10q_pdf", "trials", "clapnq")

Job = tuple[str, Callable[[Path], int]]
"""The name of a PDF file, and what writes it and gives the number of its pages."""


def main() -> None:
    """Parse the arguments, write the folder and print its contents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pages", type=int, default=1200, help="minimum number of pages (default: 1200)")
    arguments = parser.parse_args()
    documents = arguments.out / "docs"
    documents.mkdir(parents=True)
    pages, names = 0, []
    for name, write in jobs(arguments.data):
        if pages >= arguments.pages:
            break
        pages += write(documents / name)
        names.append(name)
    rows = list(questions(arguments.data, frozenset(names)))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (arguments.out / "questions.jsonl").write_text(lines, "utf-8")
    print(f"{len(names)} files, {pages} pages, {len(rows)} questions in {arguments.out}")


def jobs(data: Path) -> Iterator[Job]:
    """Yield the files of the folder in the order in which they are added."""
    files = [file for name in _SETS for file in sorted((data / "investigate" / name / "docs_dev").iterdir())]
    ready = [file for file in files if file.suffix == ".pdf"]
    for file in ready:
        yield file.name, partial(_copy, file)
    for file in files:
        if file not in ready:
            yield f"{file.stem}.pdf", partial(_typeset_file, file)
    abstracts = _abstracts(data / "retrieval" / "scifact" / "corpus.jsonl")
    for number in range(1, 10_000):
        part = [paragraph for pair in islice(abstracts, _ABSTRACTS) for paragraph in pair]
        if not part:
            return
        yield f"abstracts_{number:03}.pdf", partial(_typeset, part)


def questions(data: Path, names: frozenset[str]) -> Iterator[dict[str, object]]:
    """Yield the rows of the sets whose documents are all in the folder, with the documents' names there."""
    for name in _SETS:
        for line in (data / "investigate" / name / "questions.dev.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            row["doc_ids"] = [f"{Path(path).stem}.pdf" for path in row["doc_ids"]]
            if row["answerable"] and names.issuperset(row["doc_ids"]):
                yield row


def paragraphs(file: Path) -> list[str]:
    """Return the paragraphs of a file, each without line breaks."""
    if file.suffix == ".docx":
        import docx2txt

        text = docx2txt.process(str(file))
    elif file.suffix in (".html", ".xml"):
        from bs4 import BeautifulSoup

        soup = BeautifulSoup(file.read_bytes(), "lxml" if file.suffix == ".html" else "xml")
        blocks = soup.find_all(["title", "article-title", "h1", "h2", "h3", "p", "li", "tr"])
        return [
            text for block in blocks if not block.find_parent(["p", "li", "tr"]) if (text := _line(block.get_text()))
        ]
    else:
        text = file.read_text("utf-8")
    return [line for part in text.split("\n\n") if (line := _line(part))]


def _line(text: str) -> str:
    return " ".join(text.split())


def _abstracts(corpus: Path) -> Iterator[tuple[str, str]]:
    """Yield the title and text of each abstract."""
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["title"], row["text"]


def _copy(source: Path, target: Path) -> int:
    from pypdf import PdfReader

    shutil.copyfile(source, target)
    return len(PdfReader(target).pages)


def _typeset_file(source: Path, target: Path) -> int:
    return _typeset(paragraphs(source), target)


def _typeset(parts: Sequence[str], target: Path) -> int:
    """Write paragraphs as numbered A4 pages; return the number of pages."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import simpleSplit
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(TTFont(FONT, "Vera.ttf"))
    width, height = A4
    canvas = Canvas(str(target), pagesize=A4, invariant=1)
    lines = [line for part in parts for line in (*simpleSplit(part, FONT, SIZE, width - 2 * MARGIN), "")]
    on_page = int((height - 2 * MARGIN) // LEADING)
    pages = range(0, len(lines), on_page)
    for number, start in enumerate(pages, start=1):
        text = canvas.beginText(MARGIN, height - MARGIN)
        text.setFont(FONT, SIZE, LEADING)
        for line in lines[start : start + on_page]:
            text.textLine(line)
        canvas.drawText(text)
        canvas.setFont(FONT, SIZE)
        canvas.drawCentredString(width / 2, MARGIN / 2, str(number))
        canvas.showPage()
    canvas.save()
    return len(pages)


if __name__ == "__main__":
    main()
