"""Defines Message, which agents send to each other (seed: parlai_messages)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from investigator.errors import DialogueError

BATCH_PADDING = "batch_padding"
EPISODE_DONE = "episode_done"


class Message(dict[str, object]):
    """A dict whose fields can be set only once; `force_set` overwrites a field. Standard fields, all optional: `text`,
    `id`, `labels`, `eval_labels`, `label_candidates`, `text_candidates`, `episode_done`, `reward`, `image`, `metrics`;
    others are allowed.
    """

    def __setitem__(self, key: str, value: object) -> None:
        """Set a new field. Raises DialogueError if it is already set."""
        if key in self:
            hint = f"Change it on purpose with: message.force_set({key!r}, value)"
            raise DialogueError(f"the message already has a field {key!r}", hint=hint)
        super().__setitem__(key, value)

    def force_set(self, key: str, value: object) -> None:
        """Set a field, overwriting any earlier value."""
        super().__setitem__(key, value)

    def copy(self) -> Self:
        """Return a shallow copy of the same class."""
        return type(self)(self)

    @classmethod
    def of(cls, act: Mapping[str, object]) -> Message:
        """Convert a mapping to a message, because other agents may return plain dicts."""
        return act if isinstance(act, Message) else cls(act)

    @classmethod
    def padding_example(cls) -> Message:
        """Return a message that pads a batch when no examples are left."""
        return cls({BATCH_PADDING: True, EPISODE_DONE: True})

    def is_padding(self) -> bool:
        """Return True if the message only pads a batch."""
        return bool(self.get(BATCH_PADDING))

    def json_safe_payload(self) -> dict[str, object]:
        """Return the message's fields as a plain dict, without `metrics`, which contains objects."""
        return {key: value for key, value in self.items() if key != "metrics"}

    @property
    def text(self) -> str:
        """Return the text of the message; "" if it has none."""
        return str(self.get("text") or "")

    def known_labels(self) -> list[str]:
        """Return the correct answers, shown while learning (`labels`) or hidden for grading (`eval_labels`)."""
        return texts_of(self.get("labels", self.get("eval_labels")))


def texts_of(values: object) -> list[str]:
    """Return labels or candidates as a list; None values are dropped, and sets are sorted."""
    if isinstance(values, str):
        return [values]
    if not isinstance(values, Iterable):
        return []
    texts = [str(value) for value in values if value is not None]
    return sorted(texts) if isinstance(values, set | frozenset) else texts
