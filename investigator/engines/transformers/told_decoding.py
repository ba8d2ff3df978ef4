"""A decoding that is told in part: only fields that were set in it count, and they mean a method. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import ValidationError

from investigator.errors import SettingsError
from investigator.records import Record
from investigator.records.decoding import OFF, Decoding, Inference

Settings = TypeVar("Settings", bound=Record)

_ONLY_OF = {
    "topk": (Inference.TOPK,),
    "lambda_decay": (Inference.FACTUAL_NUCLEUS,),
    "omega_bound": (Inference.FACTUAL_NUCLEUS,),
    "p_reset": (Inference.FACTUAL_NUCLEUS,),
    "beam_size": (Inference.BEAM, Inference.SAMPLE_AND_RANK),
    "topp": (Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK),
    "temperature": (Inference.NUCLEUS, Inference.FACTUAL_NUCLEUS, Inference.SAMPLE_AND_RANK, Inference.TOPK),
}
"""The methods that use a number; the first is meant by whoever tells the number alone."""


def told_method(told: Decoding, own: Inference | None = None) -> Inference | None:
    """The method that a decoding tells by its name, or else by a number that only some methods have.

    Where the engine's `own` method has the number too, it stays. None where nothing is told of the method.
    """
    if "inference" in told.model_fields_set:
        return told.inference
    for field, methods in _ONLY_OF.items():
        if field in told.model_fields_set:
            return own if own in methods else methods[0]
    return None


def told_share(told: Decoding, own: float | None = None) -> float | None:
    """The mass of probability that nucleus draws from; None for all of it, as where only a temperature is told.

    `own` is the engine's, which holds where nucleus is told without one.
    """
    if "topp" in told.model_fields_set:
        return None if told.topp == OFF else told.topp
    if "inference" not in told.model_fields_set:
        return None
    return told.topp if own is None else own


def told_temperature(told: Decoding, own: float | None = None) -> float:
    """The temperature of a method that draws; the engine's `own` holds where none is told, unless it is 0."""
    return own if own and "temperature" not in told.model_fields_set else told.temperature


def with_told(own: Decoding, told: Decoding) -> Decoding:
    """An engine's own decoding, changed by what is set in another one."""
    changes: dict[str, object] = told.model_dump(exclude_unset=True)
    method = told_method(told, own.inference)
    if method is not None:
        changes["inference"] = method
    if method is Inference.NUCLEUS and method is not own.inference:
        share = told_share(told, own.topp)
        changes["topp"] = OFF if share is None else share
    return own.changed(**changes)


def changed(settings: Settings, changes: Mapping[str, object]) -> Settings:
    """Settings with other values. Raises SettingsError for a value that they do not take."""
    try:
        return type(settings).model_validate({**settings.model_dump(), **changes})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        told = f"{first['input']!r} cannot be told as {name}: {first['msg'].lower()}"
        raise SettingsError(told, hint="Tell the engine another value, or none.") from error


def cannot_be_told(engine_name: str, method: Inference) -> SettingsError:
    """The error of an engine that has no such method."""
    return SettingsError(
        f"{engine_name} cannot be told {method}", hint="An engine transformers:FOLDER takes every method."
    )
