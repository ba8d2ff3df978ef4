"""Options for single modules on the command line, as `--srm-inference nucleus` and `--sdm-model gguf:FILE`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from investigator.bb3.decoding.options import OptionValue, is_module_option, module_options, told_decodings
from investigator.bb3.module_table import Weights
from investigator.bb3.records import Module
from investigator.errors import SettingsError
from investigator.records.decoding import Decoding

_OF_MODULES = "Single modules take more, as --srm-topp 0.8: investigator module --help lists them."
_SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True)
class ModuleArguments:
    """The engines that are named for modules, and the other options by their flat names.

    `decodings` are what of these tells how modules write, with only that set in them.
    """

    models: Mapping[Module, str]
    options: Mapping[str, OptionValue]
    decodings: Mapping[Module, Decoding]

    def about_prompts(self) -> tuple[str, ...]:
        """The names of the options that are about the prompts of 30B and 175B."""
        return tuple(name for name in self.options if not told_decodings({name: self.options[name]}))


def module_arguments(arguments: Sequence[str], own: Sequence[str] = ()) -> ModuleArguments:
    """Read `--name value` and `--name=value`, one after the other; `own` are the command's other options.

    Raises SettingsError for a name without meaning, with names that are near, and for a value that is none.
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
            options[name] = _cast(value)
    return ModuleArguments(models, options, told_decodings(options))


def must_come_first(word: str, what: str) -> None:
    """Raises SettingsError where an option of a module stands in the place of what must come before them."""
    if word.startswith("--"):
        raise SettingsError(f"{word} stands where {what} should", hint=f"Name {what} first, and then {word}.")


def _pair(left: list[str], own: Sequence[str]) -> tuple[str, str]:
    word = left.pop(0)
    if not word.startswith("--"):
        raise SettingsError(f"{word!r} is no option", hint="See the options with --help.")
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
    """Raises SettingsError, with the option that is near: an ordinary one before those of modules."""
    engines = [f"--{module}-model" for module in Module]
    hint = f"See the options with --help. {_OF_MODULES}"
    if near := get_close_matches(word.replace("_", "-"), [*own, *engines], n=1, cutoff=0.7):
        raise SettingsError(f"there is no option {word}; did you mean {near[0]}?", hint=hint)
    try:
        module_options({word: ""}, Weights.LARGE)
    except SettingsError as error:
        raise SettingsError(error.message, hint=hint) from error


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
