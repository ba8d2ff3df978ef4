"""From an entry of `setup_data` to the message that a teacher asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.errors import DialogueError, DialogueTypeError

_FIELDS = ("text", "labels", "reward", "label_candidates")

LoadImage = Callable[[str], object | None]
"""Gives the image of a path in the form wanted; None where no image is wanted."""


def message_of(entry: object, candidates: frozenset[str] | None, load_image: LoadImage) -> Message:
    """The message of an entry: a tuple of up to five parts, or fields by name.

    `candidates` are those of the whole task: each example has them, with its own labels among them.
    Raises DialogueError where the entry is something else, sets a field that is set for it, or has candidates without
    its label.
    """
    if isinstance(entry, Mapping):
        message = _of_fields(entry)
    elif isinstance(entry, tuple | list):
        message = _of_parts(entry, load_image)
    else:
        raise DialogueTypeError(
            f"an entry must be a tuple or fields by name, it is {str(entry)[:80]!r}",
            hint="Give (text, labels, reward, label candidates, path of an image) or a dict.",
        )
    labels = _texts(message.get("labels"))
    if labels and candidates is not None:
        message.force_set("label_candidates", candidates if candidates.issuperset(labels) else candidates.union(labels))
    own = message.get("label_candidates")
    if labels and isinstance(own, Collection) and labels[0] not in own:
        raise DialogueError(
            f"the label {labels[0][:80]!r} is missing from the label candidates", hint="Add it to the candidates."
        )
    return message


def _of_fields(entry: Mapping[str, object]) -> Message:
    for field, reason in (
        ("eval_labels", "labels become eval_labels by themselves"),
        ("eval_label", "labels become eval_labels by themselves"),
        (EPISODE_DONE, "it follows from where episodes begin"),
    ):
        if field in entry:
            raise DialogueError(f"setup_data must not set {field}: {reason}", hint=f"Leave {field} out.")
    fields = dict(entry)
    if "label" in fields:
        fields["labels"] = fields.pop("label")
    if isinstance(fields.get("labels"), str):
        fields["labels"] = (fields["labels"],)
    return Message(fields)


def _of_parts(entry: Collection[object], load_image: LoadImage) -> Message:
    parts = list(entry)
    message = Message({name: part for name, part in zip(_FIELDS, parts, strict=False) if part is not None})
    if isinstance(message.get("labels"), str):
        message.force_set("labels", (message["labels"],))
    if len(parts) > len(_FIELDS) and parts[4] is not None:
        image = load_image(str(parts[4]))
        if image is not None:
            message["image"] = image
    return message


def _texts(labels: object) -> list[str]:
    if labels is None or isinstance(labels, str) or not isinstance(labels, Iterable):
        return []
    return [str(label) for label in labels]
