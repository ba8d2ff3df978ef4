"""Reads a JSON Schema (https://json-schema.org/draft/2020-12) as the columns of an extraction. Pure.

The root is an object, or an array of objects: the records of a document. Objects in it are flattened; one property may
be an array of objects. `unit` and `units` are keywords of our own: `"unit": "GBP"` is the unit of the values, and
`"units": {"GBP million": 1000000}` holds the factors of others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from investigator.errors import DataError, in_words
from investigator.files.text_lines import decoded
from investigator.records import Column, ColumnKind

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Node = Mapping[str, Any]
Keys = tuple[str, ...]
"""The names that lead to a property."""

MOST_COLUMNS = 400
MOST_TOGETHER = 40
"""Maximum number of columns in one reading; all columns of records are read together."""
_HINT = "Write the schema of an object, with properties and their descriptions, or of an array of such objects."
_CYCLE = "A value cannot contain itself: list the properties that you need, to the depth that you need."
_NULL = {"type": "null"}
_VARIANTS = ("anyOf", "oneOf", "allOf")
_OTHERS = frozenset(
    {"unit", "units", "format", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
    | {"$schema", "$id", "$defs", "$comment", "$anchor", "definitions"}
)
"""Our own keywords, annotations, and keywords of the dialect that a validator does not list."""
_KINDS = {
    "string": ColumnKind.TEXT,
    "number": ColumnKind.NUMBER,
    "integer": ColumnKind.INTEGER,
    "boolean": ColumnKind.BOOLEAN,
}


@dataclass(frozen=True)
class Property:
    """A column, and what its values must fit; `validator` is that of one value of a list."""

    column: Column
    path: Keys
    validator: Draft202012Validator
    names: tuple[str, ...]
    factors: Mapping[str, Fraction]
    is_nullable: bool
    is_required: bool


@dataclass(frozen=True)
class TypedSchema:
    """The properties of a schema. `records_at` is the place of its records in the values: () if they are the values,
    None if there are none. `unknown` are the keywords that are ignored.
    """

    validator: Draft202012Validator
    properties: tuple[Property, ...]
    records_at: Keys | None
    unknown: tuple[str, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns, in the order of the schema."""
        return tuple(own.column for own in self.properties)

    def batches(self, numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield column numbers that are read together: those of records, and the others in groups."""
        of_records = tuple(number for number in numbers if self.properties[number - 1].column.of_records)
        others = [number for number in numbers if number not in of_records]
        if len(others) + len(of_records) <= MOST_TOGETHER:
            others, of_records = [], tuple(numbers)
        yield from (tuple(others[first : first + MOST_TOGETHER]) for first in range(0, len(others), MOST_TOGETHER))
        if of_records:
            yield of_records


def read_schema_file(file: Path) -> TypedSchema:
    """Return the schema in a JSON file. Raises DataError."""
    try:
        data = file.expanduser().read_bytes()
    except OSError as error:
        raise DataError(f"the schema {file} cannot be read: {in_words(error)}") from error
    return read_schema(decoded(file, data, error=DataError))


def read_schema(source: object) -> TypedSchema:
    """Return the schema in JSON text, a mapping, or a pydantic class. Raises DataError."""
    if isinstance(source, type) and hasattr(source, "model_json_schema"):
        source = source.model_json_schema()
    if isinstance(source, str):
        source = _parsed(source)
    if not isinstance(source, Mapping):
        raise DataError("the schema is not a JSON object", hint=_HINT)
    from jsonschema import (  # imported here, because it is slow to import
        Draft202012Validator,
        FormatChecker,
        SchemaError,
    )

    try:
        Draft202012Validator.check_schema(source)
    except SchemaError as error:
        raise DataError(f"the schema is not valid at {error.json_path}: {error.message[:200]}", hint=_HINT) from error
    except RecursionError as error:
        raise DataError("the schema is nested too deeply", hint=_HINT) from error
    reader = _Reader(source, Draft202012Validator(source, format_checker=FormatChecker()))
    for reference in _references(source):
        reader.target(reference)
    properties = tuple(reader.columns())
    if not properties:
        raise DataError("the schema has no properties", hint=_HINT)
    labels = {" ".join(own.column.label.split()) for own in properties}
    if len(labels) < len(properties):
        raise DataError("two columns differ in spaces alone", hint="Rename one of them.")
    of_records = sum(own.column.of_records for own in properties)
    if len(properties) > MOST_COLUMNS or of_records > MOST_TOGETHER:
        limit = f"{MOST_TOGETHER} in records" if of_records > MOST_TOGETHER else f"{MOST_COLUMNS}"
        raise DataError(
            f"the schema has {len(properties):,} columns, {of_records:,} of them in records; the limit is {limit}",
            hint="Split it into several schemas.",
        )
    return TypedSchema(reader.validator, properties, reader.records_at, tuple(reader.unknown))


def _parsed(text: str) -> object:
    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(known := dict(pairs)) < len(pairs):
            twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
            raise DataError(f"the schema has the name {twice!r} twice in one object", hint="Rename or remove one.")
        return known

    try:
        return json.loads(text, object_pairs_hook=distinct)
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"the schema is not JSON: {error}", hint=_HINT) from error


class _Plain(NamedTuple):
    """A node without references, which followed those in `references`, the ones above it included."""

    node: Node
    is_nullable: bool
    references: frozenset[str]


@dataclass
class _Reader:
    """Reads the nodes of a schema; `records_at` and `unknown` are known after `columns`."""

    root: Node
    validator: Draft202012Validator
    records_at: Keys | None = None
    unknown: dict[str, None] = field(default_factory=dict)

    def columns(self) -> Iterator[Property]:
        """Yield the properties. Raises DataError."""
        plain = self._plain(self.root, (), frozenset({"#"}))
        if plain.node.get("type") == "array":
            self.records_at = ()
            plain = self._plain(plain.node.get("items", {}), ("items",), plain.references)
        if (kind := plain.node.get("type", "object")) != "object":
            raise DataError(f"the schema describes a value of type {kind}, not an object", hint=_HINT)
        yield from self._of_object(plain, (), of_records=self.records_at is not None)

    def _of_object(self, plain: _Plain, path: Keys, *, of_records: bool) -> Iterator[Property]:
        for name, raw in plain.node.get("properties", {}).items():
            place = (*path, name)
            own = self._plain(raw, place, plain.references)
            item = own
            if own.node.get("type") == "array":
                item = self._plain(own.node.get("items", {}), place, own.references)
            if not _is_object(item.node):
                required = name in plain.node.get("required", ())
                yield self._column(own, item.node, place, required=required, of_records=of_records)
            elif item is own:
                yield from self._of_object(own, place, of_records=of_records)
            elif self.records_at is not None:
                where = ".".join(place)
                raise DataError(f"{where} is a second array of objects", hint="Use a schema for each array.")
            else:
                self.records_at = place
                yield from self._of_object(item, (), of_records=True)

    def _plain(self, node: object, place: Keys, references: frozenset[str]) -> _Plain:
        """Return a node without references, and True if it may be null. Raises DataError for a cycle."""
        where, nullable = ".".join(place) or "the schema", False
        while True:
            if not isinstance(node, Mapping):
                raise DataError(f"{where} is not described by an object", hint=_HINT)
            self.unknown.update(dict.fromkeys(key for key in node if key not in (*_OTHERS, *self.validator.VALIDATORS)))
            own = {key: value for key, value in node.items() if key not in ("$ref", *_VARIANTS)}
            if reference := node.get("$ref"):
                if reference in references:
                    raise DataError(f"the schema refers to itself: {where} is {reference} again", hint=_CYCLE)
                references |= {reference}
                node = {**self.target(reference), **own}
                continue
            variants = next((node[key] for key in _VARIANTS if key in node), None)
            if variants is None:
                break
            others = [each for each in variants if each != _NULL]
            nullable |= len(others) < len(variants)
            node = {**_only(others, where), **own}
        kinds = node.get("type")
        if isinstance(kinds, list):
            nullable |= "null" in kinds
            node = {**node, "type": _only([kind for kind in kinds if kind != "null"], where)}
        if None in node.get("enum", ()):
            node, nullable = {**node, "enum": [each for each in node["enum"] if each is not None]}, True
        return _Plain(node, nullable, references)

    def target(self, reference: str) -> Node:
        """Return the node to which a reference leads. Raises DataError; nothing is fetched."""
        start, *parts = reference.split("/")
        target: Any = self.root if start == "#" else None
        for part in parts:
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            hint = "Refer to a definition in the same file, such as #/$defs/name."
            raise DataError(f"the schema has nothing at {reference}", hint=hint)
        return target

    def _column(self, own: _Plain, node: Node, place: Keys, *, required: bool, of_records: bool) -> Property:
        name = ".".join((*self.records_at, *place) if of_records and self.records_at else place)
        choices = node.get("enum") or ([node["const"]] if "const" in node else [])
        kind = ColumnKind.TEXT
        if all(isinstance(choice, str) for choice in choices):
            kind = ColumnKind.CHOICE if choices else _KINDS.get(node.get("type", "string"), ColumnKind.TEXT)
        elif not any(isinstance(choice, str) for choice in choices):
            kind = _KINDS.get(node.get("type", "number"), ColumnKind.TEXT)
        if kind is ColumnKind.TEXT and node.get("format") == "date":
            kind = ColumnKind.DATE
        if node.get("type", "string") not in _KINDS:
            raise DataError(f"{name} has the type {node['type']}, which is not possible there", hint=_HINT)
        title = str(own.node.get("title") or place[-1])
        column = Column(
            name=name,
            question=str(own.node.get("description") or node.get("description") or title),
            kind=kind,
            is_list=node is not own.node,
            choices=tuple(map(str, choices)),
            unit=str(node.get("unit") or own.node.get("unit") or ""),
            units=tuple(factors := _factors(node.get("units") or own.node.get("units") or {}, name)),
            of_records=of_records,
        )
        validator = self.validator.evolve(schema=node)
        return Property(column, place, validator, (place[-1], title), factors, own.is_nullable, required)


def _references(node: object) -> Iterator[str]:
    """Yield the references anywhere in a schema."""
    if isinstance(node, Mapping):
        yield from (node[key] for key in ("$ref", "$dynamicRef") if isinstance(node.get(key), str))
    for part in node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ():
        yield from _references(part)


def _is_object(node: Node) -> bool:
    return node.get("type") == "object" or "properties" in node


def _only(variants: Sequence[Any], where: str) -> Any:
    if len(variants) != 1:
        raise DataError(f"{where} may be of several types", hint="Give it one type, or one type and null.")
    return variants[0]


def _factors(units: object, name: str) -> Mapping[str, Fraction]:
    try:
        if not isinstance(units, Mapping):
            raise ValueError(units)
        factors = {str(unit): Fraction(str(factor)) for unit, factor in units.items()}
        if not all(factors.values()):
            raise ValueError(units)
    except (ValueError, ZeroDivisionError) as error:
        hint = 'Write it as "units": {"GBP million": 1000000}'
        raise DataError(f"{name} has units that are not an object of factors", hint=hint) from error
    return factors
