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
from investigator.records.decoding import Decoding

if TYPE_CHECKING:
    from investigator.engines.transformers.model import Generation, TransformersModel

_WEIGHTS = ("*.safetensors", "*.bin")


class TransformersSettings(Record):
    """Settings for running a model in a folder."""

    decoding: Decoding = Field(
        default=Decoding(beam_max_length=512, stop_token=""),
        description="decoding: how the tokens of a reply are chosen",
    )
    device: str = Field(default="cpu", description="device for the model: cpu, cuda or mps")
    seed: int = Field(default=0, ge=0, description="seed for sampling tokens")


class _Config(BaseModel):
    context: int | None = Field(default=None, validation_alias=AliasChoices("max_position_embeddings", "n_positions"))


class TransformersEngine:
    """Runs a causal language model from a folder that also contains its tokenizer and configuration.

    The model is loaded once, on first use; code in the folder is never run. It answers one prompt at a time; other
    threads wait. Raises SettingsError at once if the folder contains no model.
    """

    def __init__(self, path: str | Path, settings: TransformersSettings | None = None) -> None:
        self._path = Path(path).expanduser()
        self._settings = _checked(settings or TransformersSettings())
        self._size = _size(self._path)
        self._context = _context(self._path)
        self._loaded = LoadedOnce(self._load)

    def _load(self) -> TransformersModel:
        from investigator.engines.transformers.model import TransformersModel

        return TransformersModel(self._path, self._settings.device)

    @property
    def name(self) -> str:
        """Return `transformers:`, followed by the name of the folder and the size of its weights."""
        return f"transformers:{self._path.resolve().name}@{self._size}"

    @property
    def settings(self) -> TransformersSettings:
        """Return the settings of the model."""
        return self._settings

    @property
    def traits(self) -> Traits:
        """Return the traits of a language model that answers one prompt at a time."""
        settings = self._settings
        room = None if self._context is None else max(1, self._context - settings.decoding.beam_max_length)
        sampling = f"{settings.decoding.settled().model_dump_json(exclude_defaults=True)} seed={settings.seed}"
        return Traits(is_model=True, context_tokens=room, concurrency=1, sampling=sampling)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the model's reply to one prompt, using its chat template if it has one.

        Raises ContextTooLongError if the prompt and the reply do not fit the context; EngineError if there is no reply;
        and SettingsError if the model cannot be loaded.
        """
        return self.reply_aloud(prompt, None)

    def reply_aloud(self, prompt: Prompt, hear: Hear | None) -> Reply:
        """Return the same reply, streamed token by token; if the best of several replies is chosen, nothing is
        streamed.
        """
        settings = self._settings
        done = self._loaded().generate(prompt.text, settings.decoding, settings.seed, as_chat=True, hear=hear)
        return Reply.model_validate(done.model_dump(exclude={"logprob"}))

    def write_on(self, text: str, decoding: Decoding, context_tokens: int | None = None) -> Generation:
        """Return the model's continuation of the text, without any chat template; raises the same errors as `reply`.

        Penalties for repetition count the first `context_tokens` tokens of the text, or all tokens if that is None.
        """
        return self._loaded().generate(text, decoding, self._settings.seed, context_tokens=context_tokens)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in the text, counted by the model's tokenizer without the additions of a chat
        template.
        """
        return self._loaded().count_tokens(text)

    def with_settings(self, settings: TransformersSettings) -> Self:
        """Return a copy of the engine that shares the model but uses another decoding method or seed. Raises
        SettingsError.
        """
        other = copy(self)
        other._settings = _checked(settings)
        return other


def _checked(settings: TransformersSettings) -> TransformersSettings:
    if settings.decoding.beam_block_full_context:
        raise SettingsError(
            "transformers.decoding.beam_block_full_context does not apply here: a prompt is never cut",
            hint="Omit it: beam_context_block_ngram uses the whole prompt.",
        )
    return settings


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
