"""Makes a folder of documents with questions from a public set. A fifth of the works is withheld: nothing answers.

    python benchmarks/tuning_folder.py SOURCES selqa OUT --most 1     # SOURCES: see benchmarks/reader/sources.py
    investigator tune --docs OUT/docs --questions OUT/questions.jsonl --out OUT/tuned

Which works are withheld and which of their questions are taken depends on hashes of names, and so on no outcome.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path

from reader.sources import Document, documents

WITHHELD = 5  # one work in so many


def draw(text: str) -> int:
    """Return a number that only the text decides."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def main() -> None:
    """Write the folder and its questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("source", help="the set, such as covid_qa or selqa")
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=8, help="questions about a work")
    parser.add_argument("--in-all", type=int, default=2_000, help="questions in all")
    given = parser.parse_args()
    works: dict[str, list[Document]] = defaultdict(list)
    for document in documents(given.sources):
        if document.source == given.source:
            works[document.group].append(document)
    rows: list[tuple[str, dict[str, object]]] = []
    (given.out / "docs").mkdir(parents=True)
    for work, parts in sorted(works.items()):
        withheld, asked = draw(work) % WITHHELD == 0, list[tuple[str, dict[str, object]]]()
        for number, text in enumerate(dict.fromkeys(part.text for part in parts)):
            name = f"{re.sub(r'[^A-Za-z0-9]+', '_', work)}_{number}.txt"
            if not withheld:
                (given.out / "docs" / name).write_text(text + "\n", encoding="utf-8")
            for query in (query for part in parts if part.text == text for query in part.queries if query.answers):
                said = [text[start:end] for start, end in query.answers]
                known = {"answerable": True, "doc_ids": [name], "answers": said, "evidence": said}
                asked.append((query.text, {"answerable": False} if withheld else known))
        asked.sort(key=lambda one: draw(one[0]))
        rows += asked[: given.most]
    rows = sorted(rows, key=lambda one: draw(one[0]))[: given.in_all]
    written = ({"id": f"{given.source}-{at}", "question": text, **known} for at, (text, known) in enumerate(rows))
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in written)
    (given.out / "questions.jsonl").write_text("".join(lines), encoding="utf-8")
    print(
        f"{len(rows)} questions, {sum(bool(known['answerable']) for _, known in rows)} of them answered in the folder"
    )


if __name__ == "__main__":
    main()
