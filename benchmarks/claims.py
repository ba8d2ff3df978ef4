"""Measures how well the rules or a verifier distinguish claims that their quotes support from other claims.

    python benchmarks/claims.py mutated SET_DIR [SET_DIR ...] [--rows 2000] [--seed 1] [--out FILE] [--show KIND]
    python benchmarks/claims.py rows {mutated,near-miss,wice,qags,rte} PATH [PATH ...] --out FILE.jsonl

`mutated` creates false claims and light paraphrases by rule from true sentences of the documents
(`claim_mutations.py`). It prints the outcome of each kind, separately for the half of the documents on which the rules
were tuned and for the held-out half. A claim and its original sentence are in the same half. Each quote is cut from a
document as in a run. `rows` writes rows for `investigator eval claims`, which measures any verifier. The rows come from
the same mutations, a file of near misses, a copy of WiCE (github.com/ryokamoi/wice) or QAGS
(github.com/W4ngatang/qags), or a file of RTE in GLUE's format (`dev.tsv`: sentence1, sentence2, label); this repository
contains none of these. Your own set needs no conversion: write one JSON object per line with id, claim, quotes (texts),
label (true or false) and, optionally, kind.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from claim_mutations import FALSE, TRUE, MadeClaim, made_claims

from investigator.documents.readers.base import ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.registry import read
from investigator.evidence.claims import prove
from investigator.evidence.quotes import Source
from investigator.language.sentences import sentence_spans
from investigator.language.terms import is_english
from investigator.records import ClaimStatus, Document, Quote

_STATUSES = (ClaimStatus.PROVEN, ClaimStatus.REPLACED, ClaimStatus.WITHHELD)
_SENTENCE = re.compile(r"[A-Z][^\n|#*_{}<>\\]{30,300}[a-z0-9)] ?\.")


def sentences_of(folder: Path, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the documents of a folder, each with up to 60 of its English sentences."""
    for file in sorted(folder.rglob("*")):
        if not file.is_file():
            continue
        try:
            found = read(SourceFile(file.read_bytes(), file.name), file.name, "", ReaderSettings()).documents
        except ReadFailure:
            continue
        texts = [document.text for document in found]
        spans = [" ".join(text[a:b].split()) for text in texts for a, b in sentence_spans(text[:60_000])]
        chosen = [sentence for sentence in spans if _SENTENCE.fullmatch(sentence) and is_english(sentence)]
        chosen = [sentence for sentence in chosen if 6 <= len(sentence.split()) <= 45]
        yield f"{folder.parent.name}/{file.name}", Random(seed).sample(chosen, min(60, len(chosen)))


def is_held_back(document: str) -> bool:
    """Return True for about half of the documents, always the same ones."""
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 1


def mutated(folders: Sequence[Path], count: int, seed: int) -> list[MadeClaim]:
    """Return `count` false and half as many true claims, equally many of each kind and from each half."""
    every = {name: found for folder in folders for name, found in sentences_of(folder / "docs_dev", seed) if found}
    made: list[MadeClaim] = []
    for half in (False, True):
        sentences = {name: found for name, found in every.items() if is_held_back(name) is half}
        random = Random(seed)
        made += made_claims(sentences, FALSE, count // 2, random, is_true=False)
        made += made_claims(sentences, TRUE, count // 4, random, is_true=True)
    return made


def quotes_of(made: MadeClaim) -> tuple[Quote, ...]:
    """Return the quote of a claim as a run would cut it; if it contains the claim, return only the claim's words."""
    text = f"Something else comes first. {made.quote} Something else comes last."
    document = Document(id="d", title="", media_type="text/plain", content_hash="", text=text)
    inner = made.claim.rstrip(" .") if made.kind in ("cut quote", "condition") else made.quote
    source = Source(document)
    quote = source.quote(inner) or source.quote(inner[0].lower() + inner[1:]) or source.quote(made.quote)
    return (quote,) if quote is not None else ()


def judged(made: Sequence[MadeClaim], shown: str) -> dict[tuple[str, str], Counter[ClaimStatus]]:
    """Return the number of claims with each outcome by kind and half; print the wrong outcomes of the kind `shown`."""
    counts: dict[tuple[str, str], Counter[ClaimStatus]] = defaultdict(Counter)
    began = time.perf_counter()
    for one in made:
        check = prove(one.claim, quotes_of(one))
        half = "held back" if is_held_back(one.document) else "tuned on"
        counts[one.kind, half][check.status] += 1
        wrong = check.is_proven if not one.is_true else check.status is ClaimStatus.WITHHELD
        refused = shown.startswith("-") and not check.is_proven and one.kind == shown[1:]
        if refused or (wrong and shown in (one.kind, "all")):
            print(f"{half} | {one.kind} | {check.status} {check.slot} {check.reason}\n  {one.claim}\n  {one.quote}")
    print(f"{1000 * (time.perf_counter() - began) / len(made):.2f} ms a claim, with its quote looked up")
    return counts


def table(made: Sequence[MadeClaim], counts: dict[tuple[str, str], Counter[ClaimStatus]]) -> str:
    """Return a Markdown table of the claims proven, replaced by a quote, and withheld, by kind and half."""
    halves = ("tuned on", "held back")
    lines = ["| kind | " + " | ".join(f"{half}: claims, proven, replaced, withheld" for half in halves) + " |"]
    lines.append("| --- |" + " --- |" * len(halves))
    for is_true in (False, True):
        kinds = list(dict.fromkeys(one.kind for one in made if one.is_true is is_true))
        rows = [(kind, [counts[kind, half] for half in halves]) for kind in kinds]
        total = [sum((counts[kind, half] for kind in kinds), Counter()) for half in halves]
        rows.append((f"**all {'true' if is_true else 'false'}**", total))
        lines += [f"| {kind} | {' | '.join(_cell(count) for count in cells)} |" for kind, cells in rows]
    return "\n".join(lines)


def _cell(count: Counter[ClaimStatus]) -> str:
    total = count.total() or 1
    return f"{count.total()}: " + ", ".join(f"{count[status] / total:.3f}" for status in _STATUSES)


def wice_rows(repo: Path) -> Iterator[dict[str, object]]:
    """Yield the claims of WiCE with the sentences that support them according to its annotators, else the nearest."""
    base = "code_and_resources/entailment_inputs/oracle_chunks/claim"
    for split in ("dev", "test"):
        for number, line in enumerate(_shown(repo, f"{base}/{split}.jsonl").splitlines()):
            row = json.loads(line)
            evidence = row["evidence"] if isinstance(row["evidence"], list) else [row["evidence"]]
            yield {
                "id": f"wice-{split}-{number}",
                "claim": row["claim"],
                "quotes": [text for text in evidence if text.strip()],
                "label": row["label"] == "supported",
                "kind": f"wice {split} {row['label']}",
            }


def qags_rows(repo: Path) -> Iterator[dict[str, object]]:
    """Yield the summary sentences of QAGS with their articles; a sentence is true if most annotators said yes."""
    for name in ("cnndm", "xsum"):
        for number, line in enumerate(_shown(repo, f"data/mturk_{name}.jsonl").splitlines()):
            row = json.loads(line)
            for place, one in enumerate(row["summary_sentences"]):
                yes = sum(answer["response"] == "yes" for answer in one["responses"])
                yield {
                    "id": f"qags-{name}-{number}-{place}",
                    "claim": one["sentence"],
                    "quotes": [row["article"]],
                    "label": 2 * yes > len(one["responses"]),
                    "kind": f"qags {name}",
                }


def rte_rows(file: Path) -> Iterator[dict[str, object]]:
    """Yield the hypotheses of RTE with their texts."""
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            entailed = row["label"] in ("0", "entailment")
            claim, name = row["sentence2"], f"rte-{file.stem}-{row.get('idx') or row['index']}"
            yield {
                "id": name,
                "claim": claim,
                "quotes": [row["sentence1"]],
                "label": entailed,
                "kind": f"rte {file.stem}",
            }


def near_miss_rows(file: Path) -> Iterator[dict[str, object]]:
    """Yield the answers in a file of near misses, each with its own evidence and with its twin's."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    twins = {row["twin"]: row for row in rows}
    for row in rows:
        twin = twins.get(row["id"])
        if row["answerable"] and row["evidence"]:
            asked = {"id": row["id"], "claim": row["evidence"][0], "kind": f"near miss {row['kind']}"}
            yield {**asked, "quotes": row["evidence"], "label": True}
            near = twin["meta"]["near_text"] if twin else ""
            if near and near not in row["evidence"]:
                yield {**asked, "id": f"{row['id']}-near", "quotes": [near], "label": False}


def mutated_rows(made: Sequence[MadeClaim]) -> Iterator[dict[str, object]]:
    """Yield the mutated claims with the quotes that a run would cut."""
    for number, one in enumerate(made):
        yield {
            "id": f"mutated-{number}",
            "claim": one.claim,
            "quotes": [quote.text for quote in quotes_of(one)],
            "label": one.is_true,
            "kind": f"{one.kind}, {'held back' if is_held_back(one.document) else 'tuned on'}",
        }


def _shown(repo: Path, path: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), "show", f"HEAD:{path}"], capture_output=True, check=True)
    return done.stdout.decode("utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["mutated", "rows"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="", help="print the claims of this kind with a wrong outcome")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "mutated":
        made = mutated([Path(path) for path in arguments.paths], arguments.rows, arguments.seed)
        print(table(made, judged(made, arguments.show)))
        return
    kind, *paths = arguments.paths
    folders = [Path(path) for path in paths]
    makers = {"wice": wice_rows, "qags": qags_rows, "rte": rte_rows, "near-miss": near_miss_rows}
    rows = (
        mutated_rows(mutated(folders, arguments.rows, arguments.seed))
        if kind == "mutated"
        else makers[kind](folders[0])
    )
    arguments.out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
