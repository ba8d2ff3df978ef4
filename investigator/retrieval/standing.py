"""How a document stands to a question before it is asked, and the chance that it holds the answer. Pure."""

from __future__ import annotations

from investigator.records import Record


class Standing(Record):
    """What tells a document that holds the answer from one that does not.

    `gap` is how far the score of its best chunk is behind that of the folder's best one (0 or less), `similarity` the cosine of the question with the nearest chunk, `overlap` the share of BM25 that its best chunk
    reaches, `covered` the share of the question's weight that the document holds, `titled` the share that its name
    holds; `named` compares that with the name that holds most. `period` and `age` are 1 where the document is of the
    period or age asked for, -1 where it is of another, 0 where nothing is known.
    """

    gap: float = 0.0
    similarity: float = 0.0
    overlap: float = 0.0
    covered: float = 0.0
    titled: float = 0.0
    named: float = 0.0
    period: float = 0.0
    age: float = 0.0

    @property
    def near_and_covered(self) -> float:
        """Meaning and words agree: the one without the other is a near miss."""
        return max(0.0, self.similarity) * self.covered

    @property
    def near_and_overlapping(self) -> float:
        """Meaning and words agree in one place."""
        return max(0.0, self.similarity) * self.overlap
