"""A causal language model in a local folder, run in this process by transformers, without a server or a key."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from investigator.engines.base import Hear
from investigator.engines.loading import LoadedOnce
from investigator.errors import SettingsError
from investigator.records import Prompt, Record, Reply, Traits
from investigator.records.decoding import SEED, Decoding

if TYPE_CHECKING:
    from investigator.engines.transformers.model import Generation, TransformersModel

_WEIGHTS = ("*.safetensors", "*.bin")


class TransformersSettings(Record):
    """Settings for running a model in a folder."""

    device: str = Field(default="cpu", description="device for the model: cpu, cuda or mps")


class _Config(BaseModel):
    context: int | None = Field(default=None, validation_alias=AliasChoices("max_position_embeddings", "n_positions"))


class TransformersEngine:
    """Runs a causal language model from a folder that also contains its tokenizer and configuration.

    The model is loaded once, on first use; code in the folder is never run. It answers one prompt at a time; other
    threads wait. Raises SettingsError at once if the folder contains no model.
    """

    def __init__(self, path: str | Path, settings: TransformersSettings | None = None) -> None:
        folder, device = Path(path).expanduser(), (settings or TransformersSettings()).device
        self.decoding = Decoding(beam_max_length=512, stop_token="")
        self.name = f"transformers:{folder.resolve().name}@{_size(folder)}"
        self._context = _context(folder)
        self._loaded = LoadedOnce(lambda: _model(folder, device))

    @property
    def traits(self) -> Traits:
        """Return the traits of a language model that answers one prompt at a time."""
        room = None if self._context is None else max(1, self._context - self.decoding.beam_max_length)
        sampling = f"{self.decoding.settled().model_dump_json(exclude_defaults=True)} seed={SEED}"
        return Traits(is_model=True, context_tokens=room, concurrency=1, sampling=sampling)

    def reply(self, prompt: Prompt, hear: Hear | None = None) -> Reply:
        """Return the model's reply to one prompt, using its chat template if it has one. A listener hears it token by
        token, unless the best of several replies is chosen. Raises ContextTooLongError, EngineError if there is no
        reply, and SettingsError if the model cannot be loaded.
        """
        generation = self._loaded().generate(prompt.text, self.decoding, as_chat=True, hear=hear)
        return Reply.model_validate(generation.model_dump(exclude={"logprob"}))

    reply_aloud = reply

    def write_on(self, text: str, decoding: Decoding, context_tokens: int | None = None) -> Generation:
        """Return the model's continuation of the text, without any chat template; raises the same errors as `reply`.

        Penalties for repetition count the first `context_tokens` tokens of the text, or all tokens if that is None.
        """
        return self._loaded().generate(text, decoding, context_tokens=context_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in the text, counted by the model's tokenizer without the additions of a chat
        template.
        """
        return self._loaded().count_tokens(text)

    def with_decoding(self, decoding: Decoding) -> Self:
        """Return a copy of the engine that shares the model but chooses tokens in another way. Raises SettingsError."""
        if decoding.beam_block_full_context:
            raise SettingsError(
                "beam_block_full_context does not apply here: a prompt is never cut",
                hint="Omit it: beam_context_block_ngram uses the whole prompt.",
            )
        other = copy(self)
        other.decoding = decoding
        return other


def _model(folder: Path, device: str) -> TransformersModel:
    from investigator.engines.transformers.model import TransformersModel

    return TransformersModel(folder, device)


def _size(path: Path) -> int:
    """Return the size of a folder's weights in bytes. Raises SettingsError if the folder contains no model."""
    weights = {file: file.stat().st_size for pattern in _WEIGHTS for file in path.glob(pattern)}
    if not (path / "config.json").is_file() or not weights:
        raise SettingsError(
            f"{path} contains no model",
            hint="Choose a folder with config.json, the tokenizer's files and weights, as save_pretrained writes them.",
        )
    return sum(weights.values())


def _context(path: Path) -> int | None:
    """Return a model's context size in tokens; None if it is not declared. Raises SettingsError."""
    try:
        return _Config.model_validate_json((path / "config.json").read_bytes()).context
    except (OSError, ValidationError) as error:
        raise SettingsError(
            f"{path / 'config.json'} is not the configuration of a model", hint="Fetch the model's folder again."
        ) from error
