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

_HINT = (
    "--help lists the options. Options for each module, e.g. --srm-topp 0.8, are listed by: investigator module --help"
)
_ENGINES = {f"{module}_model": module for module in Module}


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
        word, equals, value = left.pop(0).partition("=")
        name = word.removeprefix("--").replace("-", "_")
        if not word.startswith("--"):
            raise SettingsError(f"{word!r} is not an option", hint="--help lists the options.")
        if name not in _ENGINES and not is_module_option(name):
            raise _unknown(word, own)
        if not equals and not left:
            raise SettingsError(f"the option {word} needs a value", hint=f"For example: {word} VALUE")
        value = value if equals else left.pop(0)
        if name in _ENGINES:
            models[_ENGINES[name]] = value
        else:
            options[name] = value
    return ModuleArguments(models, options, told_decodings(options))


def must_come_first(word: str, what: str) -> None:
    """Raise SettingsError if a module's option appears where the first argument belongs."""
    if word.startswith("--"):
        raise SettingsError(f"expected {what}, found {word}", hint=f"Give {what} first, then {word}.")


def _unknown(word: str, own: Sequence[str]) -> SettingsError:
    """Return the error for an unknown option, suggesting a similar one: preferably an option of the command, otherwise
    one of a module.
    """
    engines = [f"--{module}-model" for module in Module]
    if near := get_close_matches(word.replace("_", "-"), [*own, *engines], n=1, cutoff=0.7):
        return SettingsError(f"unknown option {word}; did you mean {near[0]}?", hint=_HINT)
    try:
        module_options({word: ""}, Weights.LARGE)
    except SettingsError as error:
        return SettingsError(error.message, hint=_HINT)
    raise AssertionError(f"{word} is an option of a module")
