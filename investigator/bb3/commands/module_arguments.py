"""Parses options for individual modules on the command line: `--srm-inference nucleus`, `--sdm-model gguf:FILE`.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from investigator.bb3.decoding.options import OptionValue, is_module_option, module_options, told_decodings
from investigator.bb3.module_table import Weights
from investigator.bb3.records import Module
from investigator.errors import SettingsError
from investigator.records.decoding import Decoding

_OF_MODULES = "Options for each module, e.g. --srm-topp 0.8, are listed by: investigator module --help"


@dataclass(frozen=True)
class ModuleArguments:
    """The engines chosen for modules, and all other options by their flat names.

    `decodings` contains the decoding options.
    """

    models: Mapping[Module, str]
    options: Mapping[str, OptionValue]
    decodings: Mapping[Module, Decoding]

    def about_prompts(self) -> tuple[str, ...]:
        """Return the names of the prompt options for the 30B and 175B models."""
        return tuple(name for name in self.options if not told_decodings({name: self.options[name]}))


def module_arguments(arguments: Sequence[str], own: Sequence[str] = ()) -> ModuleArguments:
    """Return the arguments given as `--name value` and `--name=value`; `own` are the command's other options.

    Raises SettingsError for an unknown name, suggesting similar ones, and for a missing value.
    """
    models: dict[Module, str] = {}
    options: dict[str, OptionValue] = {}
    left = list(arguments)
    while left:
        name, value = _pair(left, own)
        module = _module_of(name)
        if module is not None:
            models[module] = value
        else:
            options[name] = value
    return ModuleArguments(models, options, told_decodings(options))


def must_come_first(word: str, what: str) -> None:
    """Raise SettingsError if a module's option appears where the first argument belongs."""
    if word.startswith("--"):
        raise SettingsError(f"expected {what}, found {word}", hint=f"Give {what} first, then {word}.")


def _pair(left: list[str], own: Sequence[str]) -> tuple[str, str]:
    word = left.pop(0)
    if not word.startswith("--"):
        raise SettingsError(f"{word!r} is not an option", hint="--help lists the options.")
    name, equals, value = word[2:].partition("=")
    name = name.replace("-", "_")
    if _module_of(name) is None and not is_module_option(name):
        _refuse(word.partition("=")[0], own)
    if not equals:
        if not left:
            raise SettingsError(f"the option {word} needs a value", hint=f"For example: {word} VALUE")
        value = left.pop(0)
    return name, value


def _refuse(word: str, own: Sequence[str]) -> None:
    """Raise SettingsError for an unknown option, suggesting a similar one: preferably an option of the command,
    otherwise one of a module.
    """
    engines = [f"--{module}-model" for module in Module]
    hint = f"--help lists the options. {_OF_MODULES}"
    if near := get_close_matches(word.replace("_", "-"), [*own, *engines], n=1, cutoff=0.7):
        raise SettingsError(f"unknown option {word}; did you mean {near[0]}?", hint=hint)
    try:
        module_options({word: ""}, Weights.LARGE)
    except SettingsError as error:
        raise SettingsError(error.message, hint=hint) from error


def _module_of(name: str) -> Module | None:
    """Return the module whose engine an option sets; None for any other option."""
    prefix, _, rest = name.partition("_")
    return Module(prefix) if rest == "model" and prefix in set(Module) else None
