"""Writes an answer as a Word document: a few XML parts in a ZIP file, whose body is a template.

The parts and their names are those of ECMA-376 (Office Open XML); nothing in the document refers outside it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from investigator.documents.own_results import ANSWER_CREATOR
from investigator.records import Investigation
from investigator.reports.html import investigation_view, standalone_page

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats"
_WORD = f"{_TYPE}-officedocument.wordprocessingml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

_PARAGRAPHS = {  # name: (paragraph properties, run properties)
    "Title": ('<w:spacing w:after="160"/>', '<w:b/><w:sz w:val="30"/>'),
    "Heading1": ('<w:keepNext/><w:spacing w:before="320" w:after="80"/><w:outlineLvl w:val="0"/>', "<w:b/>"),
    "Lead": ('<w:spacing w:before="80" w:after="200"/>', '<w:sz w:val="28"/>'),
    "Quote": ('<w:ind w:left="400"/>', "<w:i/>"),
    "Small": ("", '<w:color w:val="666666"/><w:sz w:val="18"/>'),
}
_LETTERS = {
    "Strong": "<w:b/>",
    "Soft": '<w:color w:val="666666"/>',
    "Mark": '<w:color w:val="2F5D8A"/><w:vertAlign w:val="superscript"/>',
}
_LINE = '<w:bottom w:val="single" w:sz="4" w:color="DDDDDD"/><w:insideH w:val="single" w:sz="4" w:color="DDDDDD"/>'
_STYLES = "".join(
    (
        f'{_XML}<w:styles xmlns:w="{_W}"><w:docDefaults><w:rPrDefault><w:rPr>',
        '<w:rFonts w:ascii="Georgia" w:hAnsi="Georgia"/><w:sz w:val="22"/></w:rPr></w:rPrDefault>',
        '<w:pPrDefault><w:pPr><w:spacing w:after="100" w:line="276"/></w:pPr>',
        "</w:pPrDefault></w:docDefaults>",
        *(
            f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/><w:pPr>{paragraph}</w:pPr>'
            f"<w:rPr>{letters}</w:rPr></w:style>"
            for name, (paragraph, letters) in _PARAGRAPHS.items()
        ),
        *(
            f'<w:style w:type="character" w:styleId="{name}"><w:name w:val="{name}"/><w:rPr>{letters}</w:rPr></w:style>'
            for name, letters in _LETTERS.items()
        ),
        '<w:style w:type="table" w:styleId="Lines"><w:name w:val="Lines"/>',
        f"<w:tblPr><w:tblBorders>{_LINE}</w:tblBorders></w:tblPr></w:style></w:styles>",
    )
)
_PARTS: Mapping[str, str] = {
    "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
    f'<Default Extension="rels" ContentType="{_TYPE}-package.relationships+xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_WORD}.styles+xml"/>'
    f'<Override PartName="/docProps/core.xml" ContentType="{_TYPE}-package.core-properties+xml"/>'
    "</Types>",
    "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    f'<Relationship Id="r2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
    "</Relationships>",
    "word/_rels/document.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "docProps/core.xml": f'{_XML}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
    f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>{ANSWER_CREATOR}</dc:creator></cp:coreProperties>',
    "word/styles.xml": _STYLES,
}


def answer_docx(investigation: Investigation) -> bytes:
    """Return the answer with its sources as a Word document, with known secrets redacted."""
    body = standalone_page("answer.docx.j2", **investigation_view(investigation)).lstrip()
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as package:
        for name, text in {**_PARTS, "word/document.xml": body}.items():
            package.writestr(ZipInfo(name), text.encode("utf-8"), ZIP_DEFLATED)
    return written.getvalue()
