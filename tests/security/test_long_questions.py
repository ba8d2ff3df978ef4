"""A long question makes no more queries to the index than a short one: its words are looked up together, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, product
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from investigator import Investigator, ScriptedEmbedder

WORDS = " ".join("".join(letters) for letters in islice(product("zxqvbnm", repeat=5), 1700))
IDEOGRAPHS = "".join(map(chr, range(0x4E00, 0x4E00 + 10_000)))


@contextmanager
def statements() -> Iterator[list[str]]:
    """Collect the statements sent to any database; they are counted, because seconds depend on the machine and its
    load.
    """
    seen: list[str] = []

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.parametrize("words", [WORDS, IDEOGRAPHS], ids=["words", "ideographs"])
def test_ten_times_the_words_do_not_make_many_more_statements(tmp_path: Path, words: str) -> None:
    for number in range(8):
        text = f"Plant {number} made {number + 10} MW in 20{number + 10}. The Emsland plant is older.\n\n" * 40
        (tmp_path / f"plant{number}.txt").write_text(text, encoding="utf-8")
    investigator = Investigator(tmp_path, embedder=ScriptedEmbedder())
    question = f"How many MW did plant 3 make? {words}"
    investigator.ask(question[:100])  # reads the folder
    with statements() as of_a_long_one:
        investigator.ask(question[:300])
    with statements() as of_a_longer_one:
        investigator.ask(question[:3_000])
    assert 0 < len(of_a_longer_one) < 2 * len(of_a_long_one)  # not tenfold
