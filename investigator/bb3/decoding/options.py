"""Parses module options with flat names, such as `--srm-inference nucleus` (seed: bb3_agents)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from pydantic import ValidationError

from investigator.bb3.forms.prefix_form import PrefixOptions
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.errors import SettingsError
from investigator.records import Record
from investigator.records.decoding import Decoding

OptionValue = str | int | float | bool
"""The value of an option, from a command line or a file."""

_FIELDS: Mapping[str, type[Record]] = {
    **dict.fromkeys(PrefixOptions.model_fields, PrefixOptions),
    **dict.fromkeys(Decoding.model_fields, Decoding),
}


class ModuleOptions(Record):
    """The prompt and decoding options of one module."""

    prompt: PrefixOptions = PrefixOptions()
    decoding: Decoding


def module_options(options: Mapping[str, OptionValue], weights: Weights) -> Mapping[Module, ModuleOptions]:
    """Return the options for every module: the defaults for these weights, overridden by `options`. A name with a
    module's prefix (`srm_beam_size`) applies to that module and overrides the name without a prefix, which applies to
    all modules; `max_prompt_len` without a prefix limits prompts including their knowledge. Dashes are treated as
    underscores. Decodings are completed by `Decoding.settled`. Raises SettingsError for an unknown name, suggesting
    similar ones, and for an invalid value.
    """
    return {module: _options_of(module, weights, told) for module, told in _by_module(options).items()}


def told_decodings(options: Mapping[str, OptionValue]) -> Mapping[Module, Decoding]:
    """Return a decoding for each module that has decoding options. A decoding has only these options set, so that the
    engine keeps its other settings. Raises the errors of `module_options`.
    """
    module_options(options, Weights.LARGE)  # called only for the errors that it raises
    told = {module: _of_kind(Decoding, given) for module, given in _by_module(options).items()}
    return {module: Decoding.model_validate(given) for module, given in told.items() if given}


def is_module_option(name: str) -> bool:
    """Return True if an option with that name exists, with or without a module's prefix."""
    return _split(_spelled(name))[1] in _FIELDS


def _by_module(options: Mapping[str, OptionValue]) -> Mapping[Module, Mapping[str, OptionValue]]:
    """Return the options for each module, keyed by field name. Raises SettingsError for an unknown name."""
    general: dict[str, OptionValue] = {}
    special: dict[Module, dict[str, OptionValue]] = {module: {} for module in Module}
    for written, value in options.items():
        name = _spelled(written)
        module, field = _split(name)
        if field not in _FIELDS:
            raise _unknown(written, name)
        if module is not None:
            special[module][field] = value
        else:
            general["max_total_len" if field == "max_prompt_len" else field] = value
    return {module: {**general, **special[module]} for module in Module}


def _options_of(module: Module, weights: Weights, told: Mapping[str, OptionValue]) -> ModuleOptions:
    raw = {"include_prompt": True, "num_shots": -1} if weights is Weights.RAW else {}
    decoding = TABLE[module].decoding[weights]
    try:
        return ModuleOptions(
            prompt=PrefixOptions.model_validate({**raw, **_of_kind(PrefixOptions, told)}),
            decoding=Decoding.model_validate({**decoding.model_dump(), **_of_kind(Decoding, told)}).settled(),
        )
    except ValidationError as error:
        first = error.errors()[0]
        name, given = ".".join(map(str, first["loc"])), first["input"]
        message = f"{given!r} is not a valid value of the option {name} of {module}: {first['msg'].lower()}"
        raise SettingsError(message, hint=_about(name)) from error


def _of_kind(kind: type[Record], told: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
    return {name: value for name, value in told.items() if _FIELDS[name] is kind}


def _spelled(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def _split(name: str) -> tuple[Module | None, str]:
    prefix, _, rest = name.partition("_")
    return (Module(prefix), rest) if prefix in set(Module) else (None, name)


def _unknown(written: str, name: str) -> SettingsError:
    module, field = _split(name)
    prefix, _, rest = name.partition("_")
    near = get_close_matches(prefix, list(Module), n=1, cutoff=0.6) if module is None and rest in _FIELDS else []
    if near:
        near = [f"{near[0]}_{rest}"]
    else:
        head = f"{module}_" if module is not None else ""
        near = [f"{head}{other}" for other in get_close_matches(field, _FIELDS, n=3, cutoff=0.55)]
    return SettingsError(
        f"unknown option {written}" + (f"; did you mean {' or '.join(near)}?" if near else ""),
        hint=f"Modules are {', '.join(Module)}; their options are {', '.join(_FIELDS)}.",
    )


def _about(name: str) -> str:
    described = _FIELDS[name].model_fields[name].description if name in _FIELDS else None
    return f"{name}: {described}." if described else ""
