"""Options of the modules from flat names, as `--srm-inference nucleus` (seed: bb3_agents)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from pydantic import ValidationError

from investigator.bb3.forms.prefix_history import PrefixOptions
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module
from investigator.errors import SettingsError
from investigator.records import Record
from investigator.records.decoding import Decoding

OptionValue = str | int | float | bool
"""The value of an option, as a command line or a file gives it."""

_MODULES = {module.value: module for module in Module}
_FIELDS: Mapping[str, type[Record]] = {
    **dict.fromkeys(PrefixOptions.model_fields, PrefixOptions),
    **dict.fromkeys(Decoding.model_fields, Decoding),
}


class ModuleOptions(Record):
    """How one module is prompted, and how it writes."""

    prompt: PrefixOptions = PrefixOptions()
    decoding: Decoding


def module_options(options: Mapping[str, OptionValue], weights: Weights) -> Mapping[Module, ModuleOptions]:
    """The options of every module: the usual ones of these weights, changed by `options`.

    A name with the prefix of a module (`srm_beam_size`) is for that module, one without for all, and the first goes
    before the second; `max_prompt_len` without a prefix bounds prompts with their knowledge. Dashes are taken for
    underscores. Decodings are settled (see `Decoding.settled`). Raises SettingsError for a name or a value without
    meaning, with the names that are near.
    """
    return {module: _options_of(module, weights, told) for module, told in _by_module(options).items()}


def told_decodings(options: Mapping[str, OptionValue]) -> Mapping[Module, Decoding]:
    """What the options tell of how modules write, for those of whom they tell anything.

    Only what is told is set in a decoding, so that an engine's own settings stay beside it. Raises what
    `module_options` does.
    """
    module_options(options, Weights.LARGE)  # says what is wrong with them
    told = {
        module: {name: value for name, value in given.items() if _FIELDS[name] is Decoding}
        for module, given in _by_module(options).items()
    }
    return {module: Decoding.model_validate(given) for module, given in told.items() if given}


def is_module_option(name: str) -> bool:
    """Whether there is an option of that name, with or without the prefix of a module."""
    return _split(_spelled(name))[1] in _FIELDS


def _by_module(options: Mapping[str, OptionValue]) -> Mapping[Module, Mapping[str, OptionValue]]:
    """The options of each module by the names of their fields. Raises SettingsError for a name without meaning."""
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
    prompt = {name: value for name, value in told.items() if _FIELDS[name] is PrefixOptions}
    changes = {name: value for name, value in told.items() if _FIELDS[name] is Decoding}
    try:
        return ModuleOptions(
            prompt=PrefixOptions.model_validate({**raw, **prompt}),
            decoding=Decoding.model_validate({**decoding.model_dump(), **changes}).settled(),
        )
    except ValidationError as error:
        first = error.errors()[0]
        name, given = ".".join(map(str, first["loc"])), first["input"]
        message = f"{given!r} is no value of the option {name} of {module}: {first['msg'].lower()}"
        raise SettingsError(message, hint=_about(name)) from error


def _spelled(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def _split(name: str) -> tuple[Module | None, str]:
    prefix, _, rest = name.partition("_")
    module = _MODULES.get(prefix)
    return (None, name) if module is None else (module, rest)


def _unknown(written: str, name: str) -> SettingsError:
    module, field = _split(name)
    if module is None and "_" in name:
        prefix, _, rest = name.partition("_")
        near_modules = get_close_matches(prefix, _MODULES, n=1, cutoff=0.6) if rest in _FIELDS else []
        if near_modules:
            return _not_there(written, [f"{near_modules[0]}_{rest}"])
    head = f"{module}_" if module is not None else ""
    return _not_there(written, [f"{head}{near}" for near in get_close_matches(field, _FIELDS, n=3, cutoff=0.55)])


def _not_there(written: str, near: list[str]) -> SettingsError:
    hint = f"Modules are {', '.join(_MODULES)}; their options are {', '.join(_FIELDS)}."
    return SettingsError(
        f"there is no option {written}" + (f"; did you mean {' or '.join(near)}?" if near else ""), hint=hint
    )


def _about(name: str) -> str:
    field = _FIELDS[name].model_fields.get(name) if name in _FIELDS else None
    return f"{name}: {field.description}." if field is not None and field.description else ""
