"""Parses module options with flat names, such as `--srm-inference nucleus`, and the engines of single modules, such as
`--sdm-model gguf:FILE` (seed: bb3_agents). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from investigator.bb3.decoding.applied import changed
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
_ENGINES = {f"{module}_model": module for module in Module}
_NAMES = [*_FIELDS, *(f"{module}_{field}" for module in Module for field in _FIELDS)]
_HINT = (
    "Options are listed by --help; those of each module, e.g. --srm-topp 0.8, by: investigator dialogue module --help"
)


class ModuleOptions(Record):
    """The prompt and decoding options of one module."""

    prompt: PrefixOptions = PrefixOptions()
    decoding: Decoding


@dataclass(frozen=True)
class ModuleArguments:
    """The engines chosen for modules, and all other options by their flat names. `decodings` contains the decoding
    options, and `about_prompts` the names of the prompt options for the 30B and 175B models.
    """

    models: Mapping[Module, str]
    options: Mapping[str, OptionValue]
    decodings: Mapping[Module, Decoding]
    about_prompts: tuple[str, ...]


def module_arguments(arguments: Sequence[str], own: Sequence[str] = ()) -> ModuleArguments:
    """Return the arguments given as `--name value` and `--name=value`; `own` are the command's other options.

    Raises SettingsError for an unknown name, suggesting a similar one, and for a missing value.
    """
    models: dict[Module, str] = {}
    options: dict[str, OptionValue] = {}
    left = list(arguments)
    while left:
        word, equals, value = left.pop(0).partition("=")
        name = _spelled(word)
        if not word.startswith("--"):
            raise SettingsError(f"{word!r} is not an option", hint="--help lists the options.")
        if name not in _ENGINES and not is_module_option(name):
            raise _unknown(word, {_spelled(option): option for option in (*own, *(f"--{m}-model" for m in Module))})
        if not equals and not left:
            raise SettingsError(f"the option {word} needs a value", hint=f"For example: {word} VALUE")
        value = value if equals else left.pop(0)
        if name in _ENGINES:
            models[_ENGINES[name]] = value
        else:
            options[name] = value
    about_prompts = tuple(name for name in options if _FIELDS[_split(name)[1]] is PrefixOptions)
    return ModuleArguments(models, options, module_decodings(options), about_prompts)


def must_come_first(word: str, what: str) -> None:
    """Raise SettingsError if a module's option appears where the first argument belongs."""
    if word.startswith("--"):
        raise SettingsError(f"expected {what}, found {word}", hint=f"Give {what} first, then {word}.")


def module_options(options: Mapping[str, OptionValue], weights: Weights) -> Mapping[Module, ModuleOptions]:
    """Return the options for every module: the defaults for these weights, overridden by `options`. A name with a
    module's prefix (`srm_beam_size`) applies to that module and overrides the name without a prefix, which applies to
    all modules; `max_prompt_len` without a prefix limits prompts including their knowledge. Dashes are treated as
    underscores. Decodings are completed by `Decoding.settled`. Raises SettingsError for an unknown name, suggesting a
    similar one, and for an invalid value.
    """
    return {module: _options_of(module, weights, values) for module, values in _by_module(options).items()}


def module_decodings(options: Mapping[str, OptionValue]) -> Mapping[Module, Decoding]:
    """Return a decoding for each module that has decoding options. A decoding has only these options set, so that the
    engine keeps its other settings. Raises the errors of `module_options`.
    """
    module_options(options, Weights.LARGE)  # called only for the errors that it raises
    values = {module: _of_kind(Decoding, given) for module, given in _by_module(options).items()}
    return {module: Decoding.model_validate(given) for module, given in values.items() if given}


def is_module_option(name: str) -> bool:
    """Return True if an option with that name exists, with or without a module's prefix."""
    return _split(_spelled(name))[1] in _FIELDS


def _by_module(options: Mapping[str, OptionValue]) -> Mapping[Module, Mapping[str, OptionValue]]:
    general: dict[str, OptionValue] = {}
    special: dict[Module, dict[str, OptionValue]] = {module: {} for module in Module}
    for written, value in options.items():
        module, field = _split(_spelled(written))
        if field not in _FIELDS:
            raise _unknown(written, {})
        if module is not None:
            special[module][field] = value
        else:
            general["max_total_len" if field == "max_prompt_len" else field] = value
    return {module: {**general, **special[module]} for module in Module}


def _options_of(module: Module, weights: Weights, values: Mapping[str, OptionValue]) -> ModuleOptions:
    raw = {"include_prompt": True, "num_shots": -1} if weights is Weights.RAW else {}
    return ModuleOptions(
        prompt=changed(PrefixOptions(), {**raw, **_of_kind(PrefixOptions, values)}),
        decoding=changed(TABLE[module].decoding[weights], _of_kind(Decoding, values)).settled(),
    )


def _of_kind(kind: type[Record], values: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
    return {name: value for name, value in values.items() if _FIELDS[name] is kind}


def _spelled(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def _split(name: str) -> tuple[Module | None, str]:
    prefix, _, rest = name.partition("_")
    return (Module(prefix), rest) if prefix in set(Module) else (None, name)


def _unknown(written: str, own: Mapping[str, str]) -> SettingsError:
    """Return the error for an unknown option; `own` are the command's options by the spelling that is compared."""
    near = get_close_matches(_spelled(written), [*own, *_NAMES], n=1, cutoff=0.7)
    suggested = f"; did you mean {own.get(near[0], near[0])}?" if near else ""
    return SettingsError(f"unknown option {written}{suggested}", hint=_HINT)
