"""A long question costs about as much as a short one: its words are looked up once, and together."""

from __future__ import annotations

import time
from itertools import islice, product
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder

FEW_SECONDS = 3.0  # of the processor; each of these took 6 to 14 when every word was looked up by itself, many times
WORDS = " ".join("".join(letters) for letters in islice(product("zxqvbnm", repeat=5), 1700))
IDEOGRAPHS = "".join(map(chr, range(0x4E00, 0x4E00 + 10_000)))


@pytest.mark.parametrize("question", [WORDS[:10_000], IDEOGRAPHS], ids=["words", "ideographs"])
def test_a_question_of_ten_thousand_characters_takes_seconds(tmp_path: Path, question: str) -> None:
    for number in range(8):
        text = f"Plant {number} made {number + 10} MW in 20{number + 10}. The Emsland plant is older.\n\n" * 40
        (tmp_path / f"plant{number}.txt").write_text(text, encoding="utf-8")
    investigator = Investigator(tmp_path, embedder=ScriptedEmbedder())
    investigator.ask("How much power does the Emsland plant make?")
    began = time.process_time()
    investigator.ask(f"How many MW did plant 3 make? {question}"[:10_000])
    assert time.process_time() - began < FEW_SECONDS
