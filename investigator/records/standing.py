"""How a document stands to a question before it is asked. Pure."""

from __future__ import annotations

from investigator.records.base import Record


class Standing(Record):
    """Measures that tell a document that holds the answer from one that does not.

    `gap` is how far the score of its best chunk is behind that of the folder's best one (0 or less), `similarity` the
    cosine of the question with its nearest chunk, `overlap` the share of BM25 that its best chunk reaches. `named` is
    the weight of the question's words that its name (title, authors, path) holds, as a share of the name that holds
    most. `names` is the share that it holds of the words that the question writes like names; of all its words if
    it writes none. `period` and `age` are 1 if the document is of the period or age asked for, -1 if it is of
    another, 0 if nothing is known. `naming` is 0 for a question that names nothing, else 1; for one that names
    nothing, `stands_out` is how much nearer the document is than every other.
    """

    gap: float = 0.0
    similarity: float = 0.0
    overlap: float = 0.0
    named: float = 0.0
    names: float = 0.0
    period: float = 0.0
    age: float = 0.0
    naming: float = 1.0
    stands_out: float = 0.0

    @property
    def near_and_overlapping(self) -> float:
        """Meaning and words agree in one place: the one without the other is a near miss."""
        return max(0.0, self.similarity) * self.overlap
