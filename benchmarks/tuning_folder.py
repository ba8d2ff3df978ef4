"""Creates a folder of documents from a public set, with questions, some of which the documents do not answer.

    python benchmarks/tuning_folder.py SOURCES selqa OUT --most 1     # SOURCES: see benchmarks/question_sets.py
    python benchmarks/tuning_folder.py SOURCES disfl_qa OUT --near-misses --in-all 720
    investigator tune --docs OUT/docs --questions OUT/questions.jsonl --out OUT/tuned

A fifth of the works is withheld, so that nothing answers the questions about them. With --near-misses, no work is
withheld; instead, half of the questions are ones that people wrote about a document that does not answer them. Hashes
of names determine which works are withheld and which questions are used, so the choice does not depend on any outcome.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path

from question_sets import Document, documents

WITHHELD = 5  # one work in so many


def draw(text: str) -> int:
    """Return a number that depends only on the text."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def main() -> None:
    """Write the folder and its questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("source", help="name of the set, such as covid_qa or selqa")
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=8, help="maximum number of questions about one work")
    parser.add_argument("--in-all", type=int, default=2_000, help="maximum number of questions in total")
    parser.add_argument("--near-misses", action="store_true", help="half near misses; withhold no work")
    given = parser.parse_args()
    works: dict[str, list[Document]] = defaultdict(list)
    for document in documents(given.sources):
        if document.source == given.source:
            works[document.group].append(document)
    rows: list[tuple[str, dict[str, object]]] = []
    (given.out / "docs").mkdir(parents=True)
    for work, parts in sorted(works.items()):
        withheld, asked = not given.near_misses and draw(work) % WITHHELD == 0, list[tuple[str, dict[str, object]]]()
        for number, text in enumerate(dict.fromkeys(part.text for part in parts)):
            name = f"{re.sub(r'[^A-Za-z0-9]+', '_', work)}_{number}.txt"
            if not withheld:
                (given.out / "docs" / name).write_text(text + "\n", encoding="utf-8")
            for query in (query for part in parts if part.text == text for query in part.queries):
                said = [text[start:end] for start, end in query.answers]
                known = {"answerable": True, "doc_ids": [name], "answers": said, "evidence": said}
                if said or given.near_misses:
                    asked.append((query.text, known if said and not withheld else {"answerable": False}))
        asked.sort(key=lambda one: draw(one[0]))
        rows += asked[: given.most]
    rows.sort(key=lambda one: draw(one[0]))
    if given.near_misses:
        half = given.in_all // 2
        rows = [row for known in (True, False) for row in [one for one in rows if one[1]["answerable"] is known][:half]]
        rows.sort(key=lambda one: draw(one[0]))
    rows = rows[: given.in_all]
    written = ({"id": f"{given.source}-{at}", "question": text, **known} for at, (text, known) in enumerate(rows))
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in written)
    (given.out / "questions.jsonl").write_text("".join(lines), encoding="utf-8")
    print(
        f"{len(rows)} questions, {sum(bool(known['answerable']) for _, known in rows)} of them answered in the folder"
    )


if __name__ == "__main__":
    main()
