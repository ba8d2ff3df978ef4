"""Gather what the reader learns from into one file, without anything that also stands in texts to measure with.

    python benchmarks/reader/prepare.py SOURCES OUT.jsonl.xz --keep-out FOLDER [--limit N]

SOURCES holds the files that `sources.py` names. A text that shares eight words in a row with any text or question under
FOLDER (text, tables, JSON, HTML, XML, DOCX, PDF) is left out, and so is one with the title of a file there. What was
kept and left out of each set is printed. A tenth of the works is marked as kept back from training.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from sources import Claim, Document, claims, documents

RUN = 8
"""So many words in a row that two texts share are no chance."""

_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<[^>]{0,300}>")
_TEXTS = (".txt", ".md", ".html", ".htm", ".json", ".jsonl", ".tsv", ".csv", ".nxml", ".xml")
_BACK = 10


def main() -> None:
    """Read the arguments, gather, print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--keep-out", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="texts of each kind")
    arguments = parser.parse_args()
    runs, titles = kept_out(arguments.keep_out)
    print(f"{len(runs)} runs of {RUN} words and {len(titles)} titles to keep out")
    seen: Counter[tuple[str, bool]] = Counter()
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=4) as file:
        for one in gathered(arguments.sources, arguments.limit):
            clean = not touches(one, runs, titles)
            seen[one.source, clean] += 1
            if clean:
                kind = "claim" if isinstance(one, Claim) else "document"
                file.write(json.dumps({"kind": kind, "back": is_back(one.group), **one._asdict()}) + "\n")
    for source in dict.fromkeys(source for source, _ in seen):
        print(f"{source}: {seen[source, True]} kept, {seen[source, False]} left out")


def gathered(sources: Path, limit: int | None) -> Iterator[Document | Claim]:
    """Yield documents, then claims."""
    yield from islice((one for one in documents(sources) if one.queries), limit)
    yield from islice(claims(sources), limit)


def touches(one: Document | Claim, runs: frozenset[int], titles: frozenset[str]) -> bool:
    """Return True if a text, or a question about it, has to be kept out."""
    asked = [one.claim] if isinstance(one, Claim) else [query.text for query in one.queries]
    return plain(one.title) in titles or any(not runs.isdisjoint(runs_of(text)) for text in (one.text, *asked))


def is_back(group: str) -> bool:
    """Return True for a tenth of the works, always the same."""
    return blake2b(group.encode(), digest_size=4).digest()[0] % _BACK == 0


def kept_out(folder: Path) -> tuple[frozenset[int], frozenset[str]]:
    """Return the runs of words of all texts under a folder, and the names of its files as titles."""
    runs: set[int] = set()
    titles: set[str] = set()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            titles.add(plain(path.stem))
            for text in texts_of(path):
                runs.update(runs_of(text))
    return frozenset(runs), frozenset(titles - {""})


def runs_of(text: str) -> Iterator[int]:
    """Yield a number for each eight words in a row."""
    found = _WORD.findall(text.lower())
    for place in range(len(found) - RUN + 1):
        yield hash(" ".join(found[place : place + RUN]))


def plain(title: str) -> str:
    """Return a title without case, underscores and signs."""
    return " ".join(_WORD.findall(title.replace("_", " ").lower()))


def texts_of(path: Path) -> Iterator[str]:
    """Yield what a file says; nothing of a kind that is not known."""
    if path.suffix in _TEXTS:
        written = path.read_text("utf-8", errors="replace")
        yield _TAG.sub(" ", written.replace("\\n", " ").replace("\\u2013", "-"))
    elif path.suffix == ".docx":
        try:
            yield _TAG.sub(" ", zipfile.ZipFile(path).read("word/document.xml").decode("utf-8"))
        except (zipfile.BadZipFile, KeyError, UnicodeDecodeError):
            return
    elif path.suffix == ".pdf":
        yield from _pages(path)


def _pages(path: Path) -> Iterator[str]:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        return
    for number in range(len(pdf)):
        try:
            yield pdf[number].get_textpage().get_text_bounded()
        except pypdfium2.PdfiumError:
            continue


if __name__ == "__main__":
    main()
