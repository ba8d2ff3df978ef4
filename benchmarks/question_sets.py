"""Reads public question sets from a folder with their files, as documents with questions.

| file in the folder | set | rows | licence | source | | --- | --- | --- | --- | --- | |
{new_wiki,nyt,reddit,amazon_reviews}_v1.0.json | SQuADShifts | 37,636 questions | CC BY 4.0 | 1, squad_shifts | |
squad_dev_v1.1.json | SQuAD 1.1, development part | 10,565 questions | CC BY-SA 4.0 | 1, squad_shifts | | disfl_qa.json
| Disfl-QA: SQuAD 2.0, spoken; a quarter are unanswerable | 7,664 questions | CC BY 4.0 | 1, disfl_qa | |
disfl_qa_{train,dev,test}.json | Disfl-QA, the original questions | 11,825 questions | CC BY 4.0 |
google-research-datasets/Disfl-QA | | quoref.json | Quoref | 6,488 questions | CC BY 4.0 | 1, subtask 002 | | drop.json
| DROP, questions with an answer in the passage | 1,984 questions | CC BY-SA 4.0 | 1, subtask 028 | |
selqa_{dev,test}.json | SelQA: choose the sentence that answers | 2,375 questions | Apache-2.0 | emorynlp/selqa | |
qamr_{dev,test,sentences}.tsv | QAMR: about the words of a sentence | 37,678 questions | MIT | uwnlp/qamr | |
covid_qa.json | COVID-QA: about papers | 1,380 questions | Apache-2.0 | deepset-ai/COVID-QA | | tatqa_{dev,test}.json |
TAT-QA: annual reports, spans only | 1,503 questions | CC BY 4.0 | NExTplusplus/TAT-QA | | pubmedqa.json | PubMedQA,
labelled part | 1,000 questions | MIT | pubmedqa/pubmedqa |

1: the source archive of `bigbench` 1.0.0 on PyPI (Apache-2.0), folder benchmark_tasks. Its tasks include a note that
they should not be used in training corpora.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Span = tuple[int, int]


class Query(NamedTuple):
    """A question with the spans of its answers in the text; empty if people found no answer there."""

    text: str
    answers: tuple[Span, ...]


class Document(NamedTuple):
    """A text with its questions; documents of one `group` belong to one work, which is never split."""

    source: str
    group: str
    title: str
    text: str
    queries: tuple[Query, ...]


_SQUAD = ("new_wiki_v1.0", "nyt_v1.0", "reddit_v1.0", "amazon_reviews_v1.0", "squad_dev_v1.1")
_TITLED = ("new_wiki_v1.0", "squad_dev_v1.1")
_MOST_SPANS = 4


def documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of every set in the folder."""
    for name in _SQUAD:
        yield from _if_there(folder / f"{name}.json", lambda path: _squad(path, path.stem))
    yield from _if_there(folder / "covid_qa.json", lambda path: _squad(path, "covid_qa"))
    for name in ("disfl_qa", "quoref", "drop"):
        yield from _if_there(folder / f"{name}.json", lambda path: _task(path, path.stem))
    for part in ("dev", "test"):
        yield from _if_there(folder / f"selqa_{part}.json", _selqa)
        yield from _if_there(folder / f"qamr_{part}.tsv", _qamr)
        yield from _if_there(folder / f"tatqa_{part}.json", _tatqa)
    yield from _if_there(folder / "pubmedqa.json", _pubmedqa)


def tidy(text: str) -> str:
    """Return a tokenised text in its usual spelling."""
    text = re.sub(r"``|''", '"', text).replace("-LRB-", "(").replace("-RRB-", ")")
    text = re.sub(r"\s+([,.;:?!%)\]])", r"\1", re.sub(r"([(\[$£€])\s+", r"\1", text))
    text = re.sub(r"\s+' s\b", "'s", re.sub(r"\s+(n't|'(?:s|re|ve|ll|d|m))\b", r"\1", text))
    return re.sub(r"\s+", " ", re.sub(r"(?<=\w) ([-–/]) (?=\w)", r"\1", text)).strip()


def _if_there(path: Path, read: Callable[[Path], Iterator[Document]]) -> Iterator[Document]:
    if path.exists():
        yield from read(path)


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _squad(path: Path, source: str) -> Iterator[Document]:
    for number, article in enumerate(_read(path)["data"]):
        title = article.get("title", "").replace("_", " ") if source in _TITLED else ""
        for place, paragraph in enumerate(article["paragraphs"]):
            text = paragraph["context"]
            queries = tuple(
                Query(one["question"].strip(), _distinct((a["answer_start"], a["text"]) for a in one["answers"]))
                for one in paragraph["qas"]
                if one["answers"]
            )
            group = f"{source}/{number}" if len(article["paragraphs"]) < 500 else f"{source}/{place}"
            yield Document(source, group, title, text, queries)


def _distinct(answers: Iterator[tuple[int, str]]) -> tuple[Span, ...]:
    return tuple(dict.fromkeys((start, start + len(text)) for start, text in answers))[:_MOST_SPANS]


def _task(path: Path, source: str) -> Iterator[Document]:
    """Yield a document for each passage of a task; each example has a passage, a question and an answer."""
    together: dict[str, list[Query]] = {}
    written = _as_written(path.parent) if source == "disfl_qa" else {}
    for row in _read(path)["examples"]:
        if source == "disfl_qa":
            question, _, text = row["input"].partition("context: ")
            question = written.get(_letters(question), question)
            answers = [row["target"]]
        else:
            text, _, question = row["input"].removeprefix("Passage: ").partition("\nQuestion: ")
            question = question.partition("\nAnswer type:")[0]
            answers = [one.removesuffix(".") for one in row["target"]]
        text = tidy(text)
        known = together.setdefault(text, [])
        if source == "disfl_qa" and answers == ["unknown"]:
            known.append(Query(tidy(question), ()))
            continue
        spans = tuple(span for one in answers for span in _places(text, tidy(one))[:1])
        if spans:
            known.append(Query(tidy(question), spans))
    for number, (text, queries) in enumerate(together.items()):
        yield Document(source, f"{source}/{number}", "", text, tuple(queries))


def _as_written(folder: Path) -> dict[str, str]:
    """Return the written form of each spoken question of Disfl-QA."""
    rows = (row for path in folder.glob("disfl_qa_*.json") for row in _read(path).values())
    return {_letters(row["disfluent"]): row["original"] for row in rows}


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _places(text: str, answer: str) -> list[Span]:
    if not answer:
        return []
    pattern = rf"(?<!\w){re.escape(answer)}(?!\w)"
    return [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)][:_MOST_SPANS]


def _selqa(path: Path) -> Iterator[Document]:
    for row in _read(path):
        sentences = [tidy(one) for one in row["candidates"]]
        starts = [sum(len(one) + 1 for one in sentences[:place]) for place in range(len(sentences))]
        spans = tuple((starts[place], starts[place] + len(sentences[place])) for place in row["answers"])
        query = Query(tidy(row["question"]), spans)
        yield Document("selqa", f"selqa/{row['article']}", row["article"], " ".join(sentences), (query,))


def _qamr(path: Path) -> Iterator[Document]:
    written = (path.parent / "qamr_sentences.tsv").read_text("utf-8").splitlines()
    sentences = {name: words.split(" ") for name, words in (line.split("\t")[:2] for line in written)}
    together: dict[str, list[Query]] = {}
    for line in path.read_text("utf-8").splitlines():
        name, _, _, _, _, question, answer = line.split("\t")[:7]
        if name not in sentences:  # the Penn treebank is not free
            continue
        places = sorted(int(place) for place in answer.split(" "))
        before = tidy(" ".join(sentences[name][: places[0]]))
        text = tidy(" ".join(sentences[name]))
        said = tidy(" ".join(sentences[name][places[0] : places[-1] + 1]))
        start = text.find(said, max(0, len(before) - 2))
        if start >= 0:
            together.setdefault(name, []).append(Query(tidy(question), ((start, start + len(said)),)))
    for name, queries in together.items():
        yield Document("qamr", f"qamr/{name.rsplit(':', 2)[0]}", "", tidy(" ".join(sentences[name])), tuple(queries))


def _tatqa(path: Path) -> Iterator[Document]:
    """Yield tables with the surrounding paragraphs; a row is written as its header and cells."""
    for number, page in enumerate(_read(path)):
        rows = [" | ".join(cell for cell in row if cell) for row in page["table"]["table"]]
        paragraphs = [one["text"].strip() for one in sorted(page["paragraphs"], key=lambda one: int(one["order"]))]
        text = "\n".join([*paragraphs, *(row for row in rows if row)])
        queries = []
        for one in page["questions"]:
            if one["answer_type"] not in ("span", "multi-span"):
                continue
            spans = [span for answer in one["answer"] for span in _places(text, answer.strip())[:1]]
            if spans and len(_places(text, one["answer"][0].strip())) == 1:
                queries.append(Query(one["question"].strip(), tuple(spans)))
        yield Document("tatqa", f"tatqa/{path.stem}/{number}", "", text, tuple(queries))


def _pubmedqa(path: Path) -> Iterator[Document]:
    """Yield abstracts with their conclusions; the conclusion, which is last, answers the question."""
    for name, row in _read(path).items():
        before = " ".join(row["CONTEXTS"])
        conclusion = row["LONG_ANSWER"]
        text = f"{before} {conclusion}"
        query = Query(row["QUESTION"].strip(), ((len(before) + 1, len(text)),))
        yield Document("pubmedqa", f"pubmedqa/{name}", "", text, (query,))
