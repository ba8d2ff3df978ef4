"""Finds agents and other classes by name, and creates agents from options."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import ModuleType
from typing import TypeVar

from investigator.dialogue.agents import Agent, shared_part
from investigator.dialogue.options import Opt
from investigator.dialogue.task_strings import capitalised
from investigator.errors import DialogueError, NotFoundError

Kind = TypeVar("Kind")

_SIMPLE = "investigator.dialogue.simple_agents"

WITHOUT_DOCUMENTS = {
    "fixed_response": f"{_SIMPLE}:FixedResponseAgent",
    "human": f"{_SIMPLE}:HumanAgent",
    "local_human": f"{_SIMPLE}:HumanAgent",
    "random_candidate": f"{_SIMPLE}:RandomCandidateAgent",
    "repeat_label": f"{_SIMPLE}:RepeatLabelAgent",
    "repeat_query": f"{_SIMPLE}:RepeatQueryAgent",
    "repeater": f"{_SIMPLE}:RepeatQueryAgent",
}
"""The places of the built-in agents that use neither documents nor a language model."""

_BUILT_IN = {
    **WITHOUT_DOCUMENTS,
    "bb3": "investigator.bb3.agent:BlenderBot3Agent",
    "bb3_chat": "investigator.tasks.agents:FolderChatAgent",
    "investigator": "investigator.dialogue.asking_agent:InvestigatorAgent",
}

LIST_TASKS = "List the tasks with: investigator dialogue tasks"
"""The hint for an unknown task."""


def load_class(places: Sequence[str], kind: type[Kind], *, sought: str, hint: str = LIST_TASKS) -> type[Kind]:
    """Return the class at the first of the places (`module:Class`) with an existing module. `sought` describes it in
    errors, as in "agent repeat_label". Raises NotFoundError if no module or no class exists, and DialogueError if
    the module needs a missing one, or the class is not a `kind`.
    """
    for place in places:
        module_name, _, name = place.partition(":")
        module = _module(module_name)
        if module is None:
            continue
        value = getattr(module, name, None)
        if value is None:
            raise NotFoundError(f"unknown {sought}: the module {module_name} has no class {name}", hint=hint)
        if not isinstance(value, type) or not issubclass(value, kind):
            hint = f"Derive the class from {kind.__name__}."
            raise DialogueError(f"{place} is not a subclass of {kind.__name__}", hint=hint)
        return value
    modules = " or ".join(place.partition(":")[0] for place in places)
    raise NotFoundError(f"unknown {sought}: no module {modules}", hint=hint)


def _module(name: str) -> ModuleType | None:
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return None
        hint = f"Install the package that contains {error.name}."
        raise DialogueError(f"the module {name} needs {error.name}, which is missing", hint=hint) from error


def agent_class_name(name: str) -> str:
    """Return the name of an agent's class, such as RepeatLabelAgent for `repeat_label`."""
    return f"{capitalised(name)}Agent"


def agent_places(name: str, package: str = "investigator.dialogue") -> tuple[str, ...]:
    """Return the places where an agent's class may be, in the order in which they are tried. `a.b.c:Class` names it
    directly; `x/y` is in `package.x.y`, `projects:folder:model` in `projects.folder.model.model`, any other name in
    `package.name.agents` or `package.name.name`. Raises DialogueError for any other form of `projects:`.
    """
    match name.split(":"):
        case ["projects", folder, model]:
            return (f"projects.{folder}.{model}.{model}:{agent_class_name(model)}",)
        case ["projects", *_]:
            raise DialogueError(f"{name} does not name an agent of a project", hint="Write: projects:FOLDER:MODEL")
        case [_, _, *_]:
            return (name,)
    folder, slash, variant = name.partition("/")
    if slash:
        return (f"{package}.{folder}.{variant}:{agent_class_name(variant)}",)
    return tuple(f"{package}.{name}.{module}:{agent_class_name(name)}" for module in ("agents", name))


def agent_class(name: str) -> type[Agent]:
    """Return the agent class with this name: a built-in class, or else one at the places of `agent_places`. Raises
    NotFoundError if none is found, and DialogueError if it is not an agent or cannot be loaded.
    """
    known = get_close_matches(name, _BUILT_IN, n=3) or sorted(_BUILT_IN)
    hint = f"Choose one of {', '.join(known)}; or write your own as package.module:Class."
    places = (_BUILT_IN[name],) if name in _BUILT_IN else agent_places(name)
    return load_class(places, Agent, sought=f"agent {name}", hint=hint)


def create_agent(opt: Mapping[str, object]) -> Agent:
    """Return the agent that the `model` option names, which is required. Raises the errors of `agent_class`."""
    model = Opt.of(opt).text("model")
    if not model:
        raise DialogueError("the option model is missing", hint=f"Set it to one of: {', '.join(sorted(_BUILT_IN))}.")
    return agent_class(model)(opt)


def create_agent_from_shared(shared: object) -> Agent:
    """Return a copy of the agent whose `share` returned this mapping. Raises DialogueError if no agent returned it."""
    state = shared if isinstance(shared, Mapping) else {}
    kind = shared_part(state, "class", type)
    if kind is None or not issubclass(kind, Agent):
        raise DialogueError("this is not the result of an agent's share()", hint="Pass the result of agent.share().")
    return kind(state["opt"], state)
