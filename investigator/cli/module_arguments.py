"""Options for single modules on the command line, as `--srm-inference nucleus` and `--sdm-model gguf:FILE`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from investigator.bb3.decoding_options import OptionValue, is_module_option, module_options
from investigator.bb3.module_table import Weights
from investigator.errors import SettingsError
from investigator.records import Module

_SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True)
class ModuleArguments:
    """The engines that are named for modules, and the other options by their flat names."""

    models: Mapping[Module, str]
    options: Mapping[str, OptionValue]


def module_arguments(arguments: Sequence[str]) -> ModuleArguments:
    """Read `--name value` and `--name=value`, one after the other.

    Raises SettingsError for a name without meaning, with names that are near, and for a value that is none.
    """
    models: dict[Module, str] = {}
    options: dict[str, OptionValue] = {}
    left = list(arguments)
    while left:
        name, value = _pair(left)
        module = _module_of(name)
        if module is not None:
            models[module] = value
        else:
            options[name] = _cast(value)
    module_options(options, Weights.LARGE)  # refuses what it does not know
    return ModuleArguments(models, options)


def _pair(left: list[str]) -> tuple[str, str]:
    word = left.pop(0)
    if not word.startswith("--"):
        raise SettingsError(f"{word!r} is no option", hint="See the options with --help.")
    name, equals, value = word[2:].partition("=")
    name = name.replace("-", "_")
    if _module_of(name) is None and not is_module_option(name):
        module_options({word.partition("=")[0]: ""}, Weights.LARGE)
    if not equals:
        if not left:
            raise SettingsError(f"the option {word} needs a value", hint=f"For example: {word} VALUE")
        value = left.pop(0)
    return name, value


def _module_of(name: str) -> Module | None:
    """The module whose engine an option names; None for any other option."""
    prefix, _, rest = name.partition("_")
    return Module(prefix) if rest == "model" and prefix in set(Module) else None


def _cast(value: str) -> OptionValue:
    if value.lower() in _SWITCHES:
        return _SWITCHES[value.lower()]
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
