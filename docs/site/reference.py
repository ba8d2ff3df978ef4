"""The pages of the reference, each generated from the code that it describes."""

from __future__ import annotations

import enum
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import investigator
from docs.site.commands import Command, commands
from investigator import errors
from investigator.cli.ask import EXIT_CODES
from investigator.records import AnswerStatus, FileStatus, StopReason
from investigator.reports.schemas import Printed, json_schema
from investigator.server.service import application
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.investigations import Investigations
from investigator.settings import Settings

_OF_THE_PACKAGE = frozenset({"check_files", "fresh_reading", "has_runs", "open_workspace"})
"""Methods of an Investigator that only the package calls."""
_MADE = "This page is generated from the code when the documentation is built.\n"


def reference_pages() -> Mapping[str, str]:
    """Return the text of each page, by its name."""
    return {
        "commands.md": _commands(),
        "settings.md": _settings(),
        "statuses.md": _statuses(),
        "python.md": _python(),
        "rest.md": _rest(),
        "json.md": _json(),
    }


def _commands() -> str:
    every = list(commands())
    return f"# Commands\n\n{_MADE}\n" + "\n".join(map(_command, every))


def _command(command: Command) -> str:
    parts = [f"## {command.name}", f"```text\n{command.usage}\n```", _paragraphs(command.help)]
    rows = [(f"`{form}`", told) for form, told in (*command.arguments, *command.options)]
    return "\n\n".join([*parts, _table(("argument or option", "meaning"), rows)]) + "\n"


def _settings() -> str:
    intro = (
        "Name a setting with `--set part.field=value`, in a file (`--set FILE`, TOML or JSON) or in an environment"
        " variable (`INVESTIGATOR_PART__FIELD`). Later sources override earlier ones: defaults, file, environment,"
        " command line."
    )
    sections = [f"# Settings\n\n{_MADE}\n{intro}"]
    plain = {name: field for name, field in Settings.model_fields.items() if _part(field) is None}
    sections.append("## General\n\n" + _fields("", plain))
    for name, field in Settings.model_fields.items():
        if (part := _part(field)) is not None:
            sections.append(
                f"## {name}\n\n{_paragraphs(part.__doc__ or '')}\n\n" + _fields(f"{name}.", dict(_flat(part)))
            )
    return "\n\n".join(sections) + "\n"


def _part(field: FieldInfo) -> type[BaseModel] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _flat(part: type[BaseModel], before: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the fields of a part and of its sub-parts, each with its full name."""
    for name, field in part.model_fields.items():
        if (inner := _part(field)) is None:
            yield before + name, field
        else:
            yield from _flat(inner, f"{before}{name}.")


def _fields(before: str, fields: Mapping[str, FieldInfo]) -> str:
    rows = [
        (f"`{before}{name}`", _default(field), _limits(field), field.description or "")
        for name, field in fields.items()
    ]
    return _table(("setting", "default", "limits", "meaning"), rows)


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, enum.Enum):
        value = value.value
    return "" if value is None or value in ("", ()) else f"`{textwrap.shorten(str(value), 40, placeholder=' ...')}`"


def _limits(field: FieldInfo) -> str:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<", "min_length": "length ≥", "max_length": "length ≤"}
    return ", ".join(
        f"{signs[n]} {v}" for one in field.metadata for n, v in vars(_as_object(one)).items() if n in signs
    )


def _as_object(constraint: object) -> object:
    """Return a constraint with its limits as attributes, which constraints with slots lack."""
    names = getattr(type(constraint), "__slots__", ()) or getattr(type(constraint), "__dataclass_fields__", ())
    return type("Limits", (), {})() if not names else _Limits({name: getattr(constraint, name) for name in names})


class _Limits:
    def __init__(self, values: Mapping[str, object]) -> None:
        vars(self).update(values)


def _statuses() -> str:
    codes: dict[int, list[str]] = {}
    for status in AnswerStatus:
        codes.setdefault(EXIT_CODES[status], []).append(f"`{status.value}`")
    codes.setdefault(errors.RunError.exit_code, []).append("the run failed")
    codes.setdefault(errors.UserError.exit_code, []).append("usage error")
    codes.setdefault(130, []).append("interrupted")
    parts = [f"# Statuses and exit codes\n\n{_MADE}", "## Exit codes"]
    parts.append(
        _table(("exit code", "what happened"), [(str(code), ", ".join(codes[code])) for code in sorted(codes)])
    )
    for title, kind in (("Answers", AnswerStatus), ("Why a run stopped", StopReason), ("Files", FileStatus)):
        values = ", ".join(f"`{one.value}`" for one in kind)
        parts.append(f"## {title}\n\n{_paragraphs(kind.__doc__ or '')}\n\nValues: {values}.")
    tree = (errors.__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
    parts.append(
        f"## Errors\n\nEvery error has a `hint` that says what to do next.\n\n```text\n{inspect.cleandoc(tree)}\n```"
    )
    return "\n\n".join(parts) + "\n"


def _python() -> str:
    guide = "[The Python guide](../guides/python.md)"
    intro = f"Everything that can be imported with `from investigator import ...`. {guide} shows how to use it."
    names = [name for name in sorted(dir(investigator)) if not name.startswith("_")]
    return (
        f"# Python\n\n{_MADE}\n{intro}\n\n"
        + "\n\n".join(_public(name, getattr(investigator, name)) for name in names)
        + "\n"
    )


def _public(name: str, thing: Any) -> str:
    parts = [f"## {name}"]
    if inspect.isclass(thing) and issubclass(thing, BaseModel):
        parts += [_docs(thing)]
        rows = [
            (f"`{field}`", f"`{_kind(info)}`", info.description or "") for field, info in thing.model_fields.items()
        ]
        parts.append(
            _table(("field", "type", "meaning"), rows)
            if not issubclass(thing, Settings)
            else "See [Settings](settings.md)."
        )
    elif inspect.isclass(thing) and issubclass(thing, enum.Enum):
        parts += [_docs(thing), "Values: " + ", ".join(f"`{one.value}`" for one in thing) + "."]
    elif callable(thing) and not _is_union(thing):
        parts += [f"```python\n{_signature(name, thing)}\n```", _docs(thing)]
    else:
        parts.append("One of: " + ", ".join(f"`{one.__name__}`" for one in getattr(thing, "__args__", ())) + ".")
    if inspect.isclass(thing):
        parts += [_method(name, *member) for member in _members(thing)]
    return "\n\n".join(part for part in parts if part)


def _members(thing: type) -> Iterator[tuple[str, Any]]:
    """Yield the public members of a class: its own, and those that an Investigator has of a folder and its runs."""
    for owner in (thing, Investigations, IndexedFolder):
        if owner in thing.__mro__:
            for name, member in vars(owner).items():
                if not name.startswith(("_", "model_")) and name not in _OF_THE_PACKAGE:
                    yield name, member


def _is_union(thing: Any) -> bool:
    return hasattr(thing, "__args__")


def _method(owner: str, name: str, thing: Any) -> str:
    if isinstance(thing, property):
        return f"### {owner}.{name}\n\n{_docs(thing)}"
    called = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
    if not inspect.isfunction(called):
        return ""
    return f"### {owner}.{name}\n\n```python\n{_signature(name, called)}\n```\n\n{_docs(called)}"


def _signature(name: str, thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return name
    whole = f"{name}{signature}".replace("'", "")
    if len(whole) <= 100:
        return whole
    inner = "".join(f"    {one},\n".replace("'", "") for one in signature.parameters.values())
    returns = (
        ""
        if signature.return_annotation is inspect.Signature.empty
        else f" -> {signature.return_annotation}".replace("'", "")
    )
    return f"{name}(\n{inner}){returns}"


def _kind(field: FieldInfo) -> str:
    kind = field.annotation
    name = kind.__name__ if isinstance(kind, type) and not getattr(kind, "__args__", ()) else str(kind)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", name).replace(" | ", " or ")


def _rest() -> str:
    api = application(*[cast(Any, None)] * 3).openapi()  # which uses no parts
    intro = (
        "`investigator serve FOLDER` answers requests under `/v1` with the header `Authorization: Bearer TOKEN`; it"
        " prints the path of the token."
        " `/v1/openapi.json` has the same contents for programs."
    )
    calls = [_call(path, verb, call) for path, calls in api["paths"].items() for verb, call in calls.items()]
    shapes = [_shape(name, schema) for name, schema in sorted(api["components"]["schemas"].items())]
    return "\n\n".join([f"# REST\n\n{_MADE}\n{intro}", *calls, "## Records", *shapes]) + "\n"


def _call(path: str, verb: str, call: Mapping[str, Any]) -> str:
    parts = [f"## {verb.upper()} {path}", call.get("description", "")]
    rows = [
        (f"`{one['name']}`", one["in"], _of(one["schema"]), one.get("description", ""))
        for one in call.get("parameters", ())
    ]
    parts.append(_table(("parameter", "in", "type", "meaning"), rows))
    for content in call.get("requestBody", {}).get("content", {}).values():
        parts.append(f"Body: {_of(content['schema'])}.")
    for code, reply in call["responses"].items():
        shapes = [_of(content["schema"]) for content in reply.get("content", {}).values() if content.get("schema")]
        parts.append(f"- {'Errors' if code == 'default' else code}: {', '.join(shapes) or reply['description']}")
    return "\n\n".join(part for part in parts if part)


def _json() -> str:
    intro = (
        "The output of `--json` begins with `schema`, which contains the name and the version of its format."
        " Each section of this page shows one."
    )
    records: dict[str, Any] = {}
    parts = [f"# JSON\n\n{_MADE}\n{intro}"]
    for kind in Printed:
        schema = json_schema(kind)
        records |= schema.get("$defs", {})
        forms = [_shape(kind.schema, one).partition("\n\n")[2] for one in schema.get("anyOf", [schema])]
        parts.append(f"## {kind.schema}\n\n" + "\n\n".join(forms))
    shapes = [_shape(name, one) for name, one in sorted(records.items())]
    return "\n\n".join([*parts, "## Records", *shapes]) + "\n"


def _shape(name: str, schema: Mapping[str, Any]) -> str:
    """Return the section of a record or an enum of a JSON schema."""
    parts = [f"### {name}", _paragraphs(schema.get("description", ""))]
    if "enum" in schema:
        parts.append("Values: " + ", ".join(f"`{one}`" for one in schema["enum"]) + ".")
    rows = [(f"`{field}`", _of(one), one.get("description", "")) for field, one in schema.get("properties", {}).items()]
    return "\n\n".join(part for part in (*parts, _table(("field", "type", "meaning"), rows)) if part)


def _of(schema: Mapping[str, Any]) -> str:
    """Return the type of a JSON schema in words, with links to the records of the page."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if either := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return " or ".join(map(_of, either))
    if schema.get("type") == "array":
        return f"list of {_of(schema.get('items', {}))}"
    return str(schema.get("type", "any value" if "const" not in schema else f"`{schema['const']}`"))


def _docs(thing: Any) -> str:
    return _paragraphs(inspect.getdoc(thing) or "")


def _paragraphs(text: str) -> str:
    """Return a docstring as Markdown: HTML mark-up is shown, not interpreted."""
    return inspect.cleandoc(text).replace("<", "&lt;") if text else ""


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = [heads, tuple("---" for _ in heads), *(tuple(map(_cell, row)) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(text: str) -> str:
    whole = " ".join(text.split()).replace("|", "\\|")
    return whole if "`" in whole else whole.replace("<", "&lt;")
