"""Make the rows that the reader learns from: pairs of question and text, or of claim and text, as tokens.

    python benchmarks/reader/rows.py DOCUMENTS.jsonl.xz TOKENIZER.json OUT.npz [--seed N] [--limit N] [--processes N]

DOCUMENTS is what `prepare.py` wrote. Texts are windows of one to five sentences, as passages are, with the title of
their work where it is known. A question gives: windows that hold its answer; the same without the sentence that
answers; the likeliest other window of its work; its twins by rule (`twins.py`) beside a window with the answer; and
question and window renamed alike, where the answer stays. A claim of a set is a row; claims by rule
(`claim_mutations.py`) are made from sentences of the documents.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

sys.path.append(str(Path(__file__).parents[1]))

from claim_mutations import FALSE, TRUE
from twins import names_of, renamed, twins

Span = tuple[int, int]

MOST_SENTENCES = 5
MOST_CHARACTERS = 900
QUESTION_TOKENS, TEXT_TOKENS = 48, 192
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?]+[\"'”’)\]]*(?=\s+[\"'“(\[]?[A-Z0-9])|(?=\n)|$)")
_WORD = re.compile(r"\w+")
_PER_WORK = {"qamr": 12}  # questions of one sentence
_NO_TITLE = 0.3
_OTHERS = 400  # sentences of a work that are looked at for the likeliest other one
_TWINS = 2
_TEXTS = 40  # texts of a work that are looked at
_RENAMED = 0.5
_RAREST = 8.0
_CLAIMS = 45_000


class Row(NamedTuple):
    """A question or claim beside a text. `answers` and `follows` are 1, 0 or, where it is not known, -1."""

    source: str
    how: str
    back: bool
    query: str
    text: str
    answers: int
    follows: int
    span: Span | None


class Work(NamedTuple):
    """The texts of one work, cut into sentences, and its questions as (text, question, answers)."""

    source: str
    back: bool
    title: str
    texts: list[str]
    sentences: list[list[Span]]
    queries: list[tuple[int, str, list[Span]]]


def main() -> None:
    """Read the arguments, make the rows, cut them into tokens, write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, help="works")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    works, told = read(arguments.documents)
    works = works[:: max(1, len(works) // arguments.limit)] if arguments.limit else works
    random = Random(arguments.seed)
    names = sorted({name for work in random.sample(works, min(len(works), 3000)) for name in names_of(work.texts[0])})
    rare = rarities(works)
    jobs = ((work, f"{arguments.seed}/{number}") for number, work in enumerate(works))
    _share(names, rare)
    if arguments.processes == 1:
        rows = [row for job in jobs for row in _rows_of(job)]
    else:
        with Pool(arguments.processes, _share, (names, rare)) as pool:
            rows = [row for made in pool.imap(_rows_of, jobs, chunksize=64) for row in made]
    rows += islice(told, arguments.limit)
    rows += claim_rows(works, random, min(_CLAIMS, len(rows) // 5))
    random.shuffle(rows)
    arrays = as_tokens(rows, Tokenizer.from_file(str(arguments.tokenizer)))
    np.savez_compressed(arguments.out, **arrays)
    for name, count in sorted(
        Counter(f"{row.source} {row.how} {max(row.answers, row.follows)}" for row in rows).items()
    ):
        print(f"{count:7} {name}")
    print(f"{len(rows)} rows, {len(arrays['text_starts']) - 1} texts, {len(arrays['text_tokens'])} tokens")


def read(path: Path) -> tuple[list[Work], list[Row]]:
    """Return the works, and the rows of the claims that people wrote."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    told = []
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            if one["kind"] == "claim":
                text = f"{one['title']}. {one['text']}" if one["title"] else one["text"]
                told.append(Row(one["source"], "told", one["back"], one["claim"], text, -1, int(one["follows"]), None))
            else:
                groups[one["group"]].append(one)
    return [_work(group) for group in groups.values()], told


def _work(group: Sequence[dict[str, Any]]) -> Work:
    texts = [one["text"] for one in group]
    queries = [
        (number, text, [(start, end) for start, end in spans])
        for number, one in enumerate(group)
        for text, spans in one["queries"]
        if text.strip()
    ]
    first = group[0]
    return Work(first["source"], first["back"], first["title"], texts, [cut(text) for text in texts], queries)


def cut(text: str) -> list[Span]:
    """Return the spans of the sentences of a text; a line ends one."""
    found = (
        (m.start() + len(m[0]) - len(m[0].lstrip()), m.start() + len(m[0].rstrip())) for m in _SENTENCE.finditer(text)
    )
    return [(start, end) for start, end in found if end > start]


def rarities(works: Iterable[Work]) -> dict[str, float]:
    """Return how rare each word is among the sentences."""
    counts: Counter[str] = Counter()
    total = 0
    for work in works:
        for text in work.texts:
            counts.update(stems(text))
            total += 1
    return {word: math.log(1 + total / count) for word, count in counts.items() if count > 1}


def stems(text: str) -> set[str]:
    """Return the words of a text without common endings."""
    return {re.sub(r"(?:ing|ed|es|s)$", "", word) for word in _WORD.findall(text.lower())}


_SHARED: dict[str, Any] = {}  # what every work is given, sent once to each process


def _share(names: Sequence[str], rare: dict[str, float]) -> None:
    _SHARED.update(names=names, rare=rare)


def _rows_of(job: tuple[Work, str]) -> list[Row]:
    work, seed = job
    random = Random(seed)
    queries = work.queries
    most = _PER_WORK.get(work.source)
    if most:
        queries = random.sample(queries, min(most * len(work.texts), len(queries)))
    said = [[stems(text[a:b]) for a, b in spans] for text, spans in zip(work.texts, work.sentences, strict=True)]
    rows: list[Row] = []
    for number, question, spans in queries:
        if work.sentences[number]:
            title = work.title if random.random() > _NO_TITLE else ""
            asked = _Asked(work, said, number, question, spans, title, random)
            rows += asked.answered() if spans else asked.unanswered()
    return rows


@dataclass(frozen=True)
class _Asked:
    """A question about a text of a work, and the rows that it gives; `said` are the words of the work's sentences."""

    work: Work
    said: Sequence[Sequence[set[str]]]
    number: int
    question: str
    spans: Sequence[Span]
    title: str
    random: Random

    def unanswered(self) -> Iterator[Row]:
        """People wrote the question, and found no answer in the text."""
        here = self._likeliest([(self.number, place) for place in range(len(self.work.sentences[self.number]))])
        for size in (self.random.randint(1, 3), MOST_SENTENCES):
            yield self._row("written", self.question, self._window(*here, size)[0], 0)

    def answered(self) -> Iterator[Row]:
        """The question beside its answer, and beside what tempts."""
        text, sentences = self.work.texts[self.number], self.work.sentences[self.number]
        start, end = self.spans[0]
        gold = {n for n, (a, b) in enumerate(sentences) if any(left < b and right > a for left, right in self.spans)}
        first = next((n for n, (a, b) in enumerate(sentences) if start < b and end > a), None)
        if first is None or end - start > MOST_CHARACTERS // 2:
            return
        shown, span = self._with_answer(first)
        yield self._row("answered", self.question, shown, 1, span)
        if len(sentences) > 2:
            other, where = self._with_answer(first)
            if other != shown:
                yield self._row("answered", self.question, other, 1, where)
        around = [sentences[n] for n in range(max(0, first - 2), min(len(sentences), first + 3)) if n not in gold]
        yield from self._without_answer("removed", " ".join(text[a:b] for a, b in around))
        elsewhere = [
            (n, place)
            for n in self.random.sample(range(len(self.work.texts)), min(len(self.work.texts), _TEXTS))
            for place in range(len(self.work.sentences[n]))
            if n != self.number or place not in gold
        ]
        if elsewhere:
            near = self._likeliest(self.random.sample(elsewhere, min(len(elsewhere), _OTHERS)))
            yield from self._without_answer("same work", self._window(*near, self.random.randint(1, 3))[0])
        yield from self._changed(shown, span)

    def _changed(self, shown: str, span: Span | None) -> Iterator[Row]:
        names = _SHARED["names"]
        for kind, changed in twins(self.question, shown, names, self.random, _TWINS):
            yield self._row(f"twin {kind}", changed, shown, 0)
        alike = renamed(self.question, shown, names, self.random) if span and self.random.random() < _RENAMED else None
        if span and alike and alike[2] not in shown[slice(*span)]:
            start = span[0] + shown[: span[0]].count(alike[2]) * (len(alike[3]) - len(alike[2]))
            yield self._row("renamed", alike[0], alike[1], 1, (start, start + span[1] - span[0]))

    def _row(self, how: str, query: str, text: str, answers: int, span: Span | None = None) -> Row:
        head = f"{self.title}. " if self.title else ""
        place = (span[0] + len(head), span[1] + len(head)) if span else None
        return Row(self.work.source, how, self.work.back, query, head + text, answers, -1, place)

    def _likeliest(self, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """The sentence, as (text, place), that shares the most of the question's words, weighed by rarity."""
        rare = {word: _SHARED["rare"].get(word, _RAREST) for word in stems(self.question)}
        return max(places, key=lambda at: (sum(rare[word] for word in rare.keys() & self.said[at[0]][at[1]]), at))

    def _window(self, number: int, place: int, size: int) -> tuple[str, int]:
        return window(self.work.texts[number], self.work.sentences[number], place, size, self.random)

    def _with_answer(self, place: int) -> tuple[str, Span | None]:
        """A window with the sentence that answers, and where the answer stands there if it does so whole."""
        shown, base = self._window(self.number, place, self.random.randint(1, MOST_SENTENCES))
        start, end = self.spans[0][0] - base, self.spans[0][1] - base
        return shown, (start, end) if start >= 0 and end <= len(shown) else None

    def _without_answer(self, how: str, text: str) -> Iterator[Row]:
        answers = [self.work.texts[self.number][start:end].lower() for start, end in self.spans]
        if text and not any(one in text.lower() for one in answers):
            yield self._row(how, self.question, text, 0)


def window(text: str, sentences: Sequence[Span], place: int, size: int, random: Random) -> tuple[str, int]:
    """Return up to `size` sentences of a text with the one at `place` among them, and where they begin."""
    first = max(0, place - random.randint(0, size - 1))
    last = min(len(sentences) - 1, first + size - 1)
    while sentences[last][1] - sentences[first][0] > MOST_CHARACTERS and last > first:
        first, last = (first, last - 1) if last > place else (first + 1, last)
    start = sentences[first][0]
    return text[start : min(sentences[last][1], start + 2 * MOST_CHARACTERS)], start


def claim_rows(works: Sequence[Work], random: Random, count: int) -> Iterator[Row]:
    """Yield claims by rule about sentences of the documents: as many false ones as true ones."""
    written = [work for work in works if work.source not in ("reddit_v1.0", "amazon_reviews_v1.0", "qamr")]
    pool = [(work, n, s) for work in written for n, spans in enumerate(work.sentences) for s in range(len(spans))]
    others = [work.texts[n][slice(*work.sentences[n][s])] for work, n, s in random.sample(pool, min(len(pool), 2000))]
    rules = {False: list(FALSE.items()), True: list(TRUE.items())}
    made = 0
    for work, n, s in random.sample(pool, len(pool)):
        sentence = work.texts[n][slice(*work.sentences[n][s])]
        if not 40 < len(sentence) < 400 or sentence[-1] not in ".!?":
            continue
        is_true = made % 2 == 0
        for name, rule in random.sample(rules[is_true], 4):
            claim = rule(sentence, random, others)
            if claim is None:
                continue
            quote = claim[1]
            if quote == sentence and random.random() < 0.5:
                quote = window(work.texts[n], work.sentences[n], s, random.randint(2, 4), random)[0]
            yield Row(work.source, f"claim {name}", work.back, claim[0], quote, -1, int(is_true), None)
            made += 1
            break
        if made >= count:
            return


def as_tokens(rows: Sequence[Row], tokenizer: Tokenizer) -> dict[str, npt.NDArray[Any]]:
    """Return the rows as arrays; each different question and text is kept once."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    queries = list(dict.fromkeys(row.query for row in rows))
    texts = list(dict.fromkeys(row.text for row in rows))
    of_query = {text: place for place, text in enumerate(queries)}
    of_text = {text: place for place, text in enumerate(texts)}
    cut_texts = tokenizer.encode_batch(texts, add_special_tokens=False)
    cut_queries = tokenizer.encode_batch(queries, add_special_tokens=False)
    spans = np.array([_token_span(row, cut_texts[of_text[row.text]].offsets) for row in rows], dtype=np.int16)
    sources, hows = sorted({row.source for row in rows}), sorted({row.how for row in rows})
    return {
        **_flat("query", [one.ids[:QUESTION_TOKENS] for one in cut_queries]),
        **_flat("text", [one.ids[:TEXT_TOKENS] for one in cut_texts]),
        "query": np.array([of_query[row.query] for row in rows], dtype=np.int32),
        "text": np.array([of_text[row.text] for row in rows], dtype=np.int32),
        "answers": np.array([row.answers for row in rows], dtype=np.int8),
        "follows": np.array([row.follows for row in rows], dtype=np.int8),
        "span": spans,
        "back": np.array([row.back for row in rows]),
        "source": np.array([sources.index(row.source) for row in rows], dtype=np.int8),
        "how": np.array([hows.index(row.how) for row in rows], dtype=np.int8),
        "sources": np.array(sources),
        "hows": np.array(hows),
    }


def _token_span(row: Row, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The first and last token of the answer; (-1, -1) if there is none that is looked at."""
    if row.span is None:
        return -1, -1
    inside = [place for place, (start, end) in enumerate(offsets) if start < row.span[1] and end > row.span[0]]
    return (inside[0], inside[-1]) if inside and inside[-1] < TEXT_TOKENS else (-1, -1)


def _flat(name: str, lists: Sequence[Sequence[int]]) -> dict[str, npt.NDArray[Any]]:
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    tokens = np.fromiter((token for one in lists for token in one), dtype=np.uint16, count=int(starts[-1]))
    return {f"{name}_tokens": tokens, f"{name}_starts": starts}


if __name__ == "__main__":
    main()
