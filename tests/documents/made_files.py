"""Small real files for tests, written byte by byte, so that their contents are known independently."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import openpyxl
import pypdf

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"


def package(parts: Mapping[str, str]) -> bytes:
    """Return a zip package of text parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return buffer.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """Return a relations part, which maps an id to (last word of the type, target)."""
    entries = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{RELATIONS}">{entries}</Relationships>'


def docx(body: str, **parts: str) -> bytes:
    """Return a Word document with the given body; further parts are given by name below `word/` (`footnotes`,
    `styles`).
    """
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
    )
    core = (
        '<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        "<dc:title>Lease of the mill</dc:title><dc:creator>Ada Byron; Max Born</dc:creator>"
        "<dcterms:created>2021-03-04T10:00:00Z</dcterms:created></c>"
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"/>',
        "_rels/.rels": relations({"r1": ("officeDocument", "word/document.xml")}),
        "docProps/core.xml": core,
        "word/styles.xml": styles,
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    files |= {f"word/{name}.xml": content for name, content in parts.items()}
    return package(files)


def word_paragraph(*runs: str, style: str = "") -> str:
    """Return a Word paragraph of several runs."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    texts = "".join(f'<w:r><w:t xml:space="preserve">{run}</w:t></w:r>' for run in runs)
    return f"<w:p>{properties}{texts}</w:p>"


def pptx(slides: Mapping[str, str], order: Sequence[str], notes: Mapping[str, str]) -> bytes:
    """Return a presentation, given the text of each slide part, the order of the slides, and the notes by slide."""
    listed = "".join(f'<p:sldId id="{256 + i}" r:id="{name}"/>' for i, name in enumerate(order))
    files = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"/>',
        "ppt/presentation.xml": (
            f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{OFFICE}"><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>'
        ),
        "ppt/_rels/presentation.xml.rels": relations({n: ("slide", f"slides/{n}.xml") for n in slides}),
    }
    for name, text in slides.items():
        title, _, body = text.partition("\n")
        files[f"ppt/slides/{name}.xml"] = _slide(_shape(title, "title") + _shape(body, "body"))
        if name in notes:
            files[f"ppt/slides/_rels/{name}.xml.rels"] = relations({"n": ("notesSlide", f"../notesSlides/{name}.xml")})
            files[f"ppt/notesSlides/{name}.xml"] = _slide(_shape(notes[name], "body") + _shape("7", "sldNum"))
    return package(files)


def _slide(shapes: str) -> str:
    return f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>'


def _shape(text: str, kind: str) -> str:
    return (
        f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def xlsx(sheets: Mapping[str, Sequence[Sequence[str | float]]]) -> bytes:
    """Return a workbook with the given cells."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


class Placed(NamedTuple):
    """A line of a page, with its position in points from the left and the bottom, and its letter size."""

    text: str
    left: int = 50
    bottom: int = 740
    size: int = 12


def pdf(pages: Sequence[Sequence[str | Placed]], *, title: str = "", date: str = "", first_size: int = 12) -> bytes:
    """Return a PDF with the given lines on each page: at their positions, or else one below the other in 12 points. The
    first line of the first page has the size `first_size`.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    objects.append(f"<< /Title ({title}) /CreationDate ({date}) >>")
    kids = []
    for number, lines in enumerate(pages):
        sizes = [first_size if number == 0 and i == 0 else 12 for i in range(len(lines))]
        placed = [
            line if isinstance(line, Placed) else Placed(line, 50, 740 - 16 * i, size)
            for i, (line, size) in enumerate(zip(lines, sizes, strict=True))
        ]
        drawn = "".join(f"BT /F1 {line.size} Tf {line.left} {line.bottom} Td ({line.text}) Tj ET\n" for line in placed)
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream")
        contents = len(objects)
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {contents} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    out += f"trailer << /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{out.rindex('xref')}\n%%EOF\n"
    return out.encode("latin-1")


def changed(data: bytes, change: Callable[[pypdf.PageObject], object]) -> bytes:
    """Return the same PDF with each page changed."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    for page in writer.pages:
        change(page)
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()
