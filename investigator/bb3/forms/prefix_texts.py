"""Instructions and worked examples for models that were not fine-tuned: files `prompts/bb3/prefix/<module>.txt`.

A file's first paragraph is the instruction; each further one is an example. The instructions are worded as those that
ParlAI's models were prompted with (ParlAI, MIT licence), as far as they are on record; the examples are our own.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from investigator.bb3.records import Module
from investigator.errors import TemplateError
from investigator.records import Record
from investigator.resources import prompts_folder

_FOLDER = Path("bb3", "prefix")


class PrefixTexts(Record):
    """What stands at the head of a module's prompt. The last line of each example is what is to be written."""

    instruction: str
    shots: tuple[str, ...] = ()

    def head(self, num_shots: int) -> tuple[str, ...]:
        """The instruction with its first examples; -1 takes all."""
        return (self.instruction, *(self.shots if num_shots < 0 else self.shots[:num_shots]))


@cache
def prefix_texts(module: Module, folder: Path | None = None) -> PrefixTexts:
    """The texts of a module, from a folder of templates or the shipped ones. Raises TemplateError."""
    places = [place / _FOLDER / f"{module}.txt" for place in (folder, prompts_folder()) if place is not None]
    path = next((place for place in places if place.is_file()), places[-1])
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(f"the instruction {path} cannot be read: {error}") from error
    paragraphs = [paragraph.strip() for paragraph in text.split("\n\n") if paragraph.strip()]
    if not paragraphs:
        raise TemplateError(f"{path} holds no instruction", hint="Its first paragraph is the instruction.")
    return PrefixTexts(instruction=paragraphs[0], shots=tuple(paragraphs[1:]))
