"""Reads a JSON Schema (https://json-schema.org/draft/2020-12) as the columns of an extraction. Pure.

The root is an object, or an array of objects: the records of a document. Objects in it are flattened; one property may
be an array of objects. `unit` and `units` are keywords of our own: `"unit": "GBP"` is the unit of the values, and
`"units": {"GBP million": 1000000}` holds the factors of others.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
_DEEPEST = 20
_HINT = "Write the schema of an object, with properties and their descriptions, or of an array of such objects."
_CYCLE = "A value cannot contain itself: list the properties that you need, to the depth that you need."
_NULL = {"type": "null"}
_VARIANTS = ("anyOf", "oneOf")
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
_FORMS = {str: "string", bool: "boolean", int: "number", float: "number"}
_TYPES = f"Use one of the types {', '.join(_KINDS)}, or a list of one."


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
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    validator = Draft202012Validator(source, format_checker=FormatChecker(), registry=Registry())
    root = DRAFT202012.create_resource(source)
    reader = _Reader(source, validator, Registry[Any]().resolver_with_root(root).lookup)
    try:
        Draft202012Validator.check_schema(source)
        for reference in _references(source):
            reader.target(reference)
        properties = tuple(reader.columns())
    except SchemaError as error:
        raise DataError(f"the schema is not valid at {error.json_path}: {error.message[:200]}", hint=_HINT) from error
    except RecursionError as error:
        raise DataError("the schema refers to itself, or is nested too deeply", hint=_CYCLE) from error
    names = Counter(" ".join(own.column.name.split()) for own in properties)
    if twice := [name for name, count in names.items() if count > 1]:
        raise DataError(f"two columns have the name {twice[0]!r}", hint="Rename one of them.")
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


@dataclass
class _Reader:
    """Reads the nodes of a schema; `records_at` and `unknown` are known after `columns`."""

    root: Node
    validator: Draft202012Validator
    lookup: Callable[[str], Any]
    records_at: Keys | None = None
    unknown: dict[str, None] = field(default_factory=dict)

    def columns(self) -> Iterator[Property]:
        """Yield the properties. Raises DataError, and RecursionError for a cycle."""
        node, _ = self._plain(self.root, ())
        if node.get("type") == "array":
            self.records_at = ()
            node, _ = self._plain(node.get("items", {}), ("items",))
        if (kind := node.get("type", "object")) != "object":
            raise DataError(f"the schema describes a value of type {kind}, not an object", hint=_HINT)
        yield from self._of_object(node, (), of_records=self.records_at is not None)

    def _of_object(self, node: Node, path: Keys, *, of_records: bool) -> Iterator[Property]:
        if len(path) > _DEEPEST:
            raise RecursionError(path)
        if not node.get("properties"):
            where = ".".join((*(self.records_at or () if of_records else ()), *path)) or "the schema"
            raise DataError(f"{where} has no properties", hint=_HINT)
        for name, raw in node["properties"].items():
            place = (*path, name)
            own, is_nullable = self._plain(raw, place)
            is_list = own.get("type") == "array"
            item = self._plain(own.get("items", {}), place)[0] if is_list else own
            if item.get("type") != "object" and "properties" not in item:
                column = self._column(own, item, place, of_records=of_records)
                titles = (name, str(own.get("title", name)))
                validator, factors = self.validator.evolve(schema=item), _factors({**item, **own}, column.name)
                is_required = name in node.get("required", ())
                yield Property(column, place, validator, titles, factors, is_nullable, is_required)
            elif not is_list:
                yield from self._of_object(own, place, of_records=of_records)
            elif self.records_at is not None:
                where = ".".join(place)
                raise DataError(f"{where} is a second array of objects", hint="Use a schema for each array.")
            else:
                self.records_at = place
                yield from self._of_object(item, (), of_records=True)

    def _plain(self, node: object, place: Keys) -> tuple[Node, bool]:
        """Return a node without references, variants and null, and True if it may be null."""
        where, is_nullable = ".".join(place) or "the schema", False
        if not isinstance(node, Mapping):
            raise DataError(f"{where} is described by {str(node)[:40]}, not by a JSON object", hint=_HINT)
        self.unknown.update(dict.fromkeys(key for key in node if key not in (*_OTHERS, *self.validator.VALIDATORS)))
        inner = [self.target(node["$ref"])] if "$ref" in node else []
        for variants in (node[key] for key in _VARIANTS if key in node):
            others = [each for each in variants if each != _NULL]
            inner, is_nullable = [*inner, _only(others, where)], len(others) < len(variants)
        inner += node.get("allOf", ())
        if len(inner) > 1:
            raise DataError(f"{where} combines several schemas", hint="Write all their keywords in one schema.")
        own = {key: value for key, value in node.items() if key not in ("$ref", "allOf", *_VARIANTS)}
        for each in inner:
            plain, may_be_null = self._plain(each, place)
            own, is_nullable = {**plain, **own}, is_nullable or may_be_null
        if isinstance(kinds := own.get("type"), list):
            own["type"], is_nullable = _only([kind for kind in kinds if kind != "null"], where), "null" in kinds
        if None in (choices := own.get("enum", ())):
            own["enum"], is_nullable = [each for each in choices if each is not None], True
        if "prefixItems" in own:
            hint = "Describe it as an object, with a property for each entry."
            raise DataError(f"{where} has prefixItems, whose entries have no names", hint=hint)
        return own, is_nullable

    def target(self, reference: str) -> object:
        """Return the node to which a reference leads. Raises DataError; nothing is fetched."""
        from referencing.exceptions import Unresolvable  # imported where jsonschema is

        try:
            return self.lookup(reference).contents
        except Unresolvable as error:
            hint = "Refer to a definition in the same file, such as #/$defs/name."
            raise DataError(f"the schema has nothing at {reference}", hint=hint) from error

    def _column(self, own: Node, item: Node, place: Keys, *, of_records: bool) -> Column:
        name = ".".join((*self.records_at, *place) if of_records and self.records_at else place)
        choices = item.get("enum", [item["const"]] if "const" in item else None)
        if choices == []:
            raise DataError(f"{name} has an empty enum, which no value fits", hint="List its values, or remove enum.")
        forms = {_FORMS.get(type(choice), "object") for choice in choices or ("",)}
        form = item.get("type") or _only([*forms], name)
        if form not in _KINDS:
            raise DataError(f"{name} has the type {form}, which a column cannot have", hint=_TYPES)
        kind = ColumnKind.CHOICE if choices and "string" in forms else _KINDS[form]
        if kind is ColumnKind.TEXT and item.get("format") == "date":
            kind = ColumnKind.DATE
        both = {**item, **own}
        return Column(
            name=name,
            question=str(both.get("description") or both.get("title") or place[-1]),
            kind=kind,
            is_list=item is not own,
            choices=() if kind is ColumnKind.BOOLEAN else tuple(map(str, choices or ())),
            unit=str(both.get("unit", "")),
            units=tuple(_factors(both, name)),
            of_records=of_records,
        )


def _references(node: object) -> Iterator[str]:
    """Yield the references anywhere in a schema."""
    if isinstance(node, Mapping):
        yield from (node[key] for key in ("$ref", "$dynamicRef") if isinstance(node.get(key), str))
    for part in node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ():
        yield from _references(part)


def _only(variants: Sequence[Any], where: str) -> Any:
    if len(variants) != 1:
        raise DataError(f"{where} may be of several types", hint="Give it one type, or one type and null.")
    return variants[0]


def _factors(node: Node, name: str) -> Mapping[str, Fraction]:
    try:
        factors = {str(unit): Fraction(str(factor)) for unit, factor in dict(node.get("units", {})).items()}
        if not all(factors.values()) or not all(map(str.strip, factors)):
            raise ValueError(factors)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        hint = 'Write it as "units": {"GBP million": 1000000}'
        raise DataError(f"the units of {name} are not an object of factors", hint=hint) from error
    if factors and not node.get("unit"):
        hint = 'Name the unit of its values as well, for example "unit": "GBP".'
        raise DataError(f"{name} has units to convert from, but no unit to convert to", hint=hint)
    return factors
