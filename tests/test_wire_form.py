"""Records are frozen values that are unchanged after conversion to their wire form and back."""

from __future__ import annotations

import inspect
import json
import types
from enum import Enum
from typing import Any, Union, get_args, get_origin

import annotated_types
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from investigator import records
from investigator.records import Record

PUBLIC = [getattr(records, name) for name in records.__all__]
RECORDS = [kind for kind in PUBLIC if inspect.isclass(kind) and issubclass(kind, Record)]


@pytest.mark.parametrize("kind", RECORDS)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_record_comes_back_from_its_wire_form_as_it_was(kind: type[Record], data: st.DataObject) -> None:
    record = data.draw(_records(kind))
    wire = record.model_dump_json()
    assert json.loads(wire).keys() == {field.alias or name for name, field in kind.model_fields.items()}
    again = kind.model_validate_json(wire)
    assert again == record
    assert hash(again) == hash(record)


@pytest.mark.parametrize("kind", [kind for kind in RECORDS if kind.model_fields])
@settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_record_can_neither_be_changed_nor_take_unknown_fields(kind: type[Record], data: st.DataObject) -> None:
    record = data.draw(_records(kind))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(record, next(iter(kind.model_fields)), None)
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        kind.model_validate({**record.model_dump(), "surprise": 1})


@st.composite
def _records(draw: st.DrawFn, kind: type[Record]) -> Record:
    """Return a strategy for records of a kind, whose fields respect the declared limits."""
    values = {name: draw(_values(field.annotation, field.metadata)) for name, field in kind.model_fields.items()}
    try:
        return kind(**values)
    except ValidationError:  # a rule over several fields, such as ids that must differ
        reject()


def _values(annotation: Any, limits: list[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a field's type; `limits` are its annotated-types metadata."""
    if annotation is JsonValue:  # a list or an object has no hash, so it is drawn as what it contains
        return st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in {Union, types.UnionType}:
        return st.one_of(*(_values(argument, limits) for argument in arguments))
    if origin in {tuple, frozenset}:
        least = next((limit.min_length for limit in limits if isinstance(limit, annotated_types.MinLen)), 0)
        return st.lists(_values(arguments[0], []), min_size=least, max_size=max(least, 2)).map(origin)
    if issubclass(annotation, Record):
        return _records(annotation)
    if issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    low = next((limit.ge for limit in limits if isinstance(limit, annotated_types.Ge)), None)
    above = next((limit.gt for limit in limits if isinstance(limit, annotated_types.Gt)), None)
    high = next((limit.le for limit in limits if isinstance(limit, annotated_types.Le)), None)
    plain: dict[type, st.SearchStrategy[Any]] = {
        types.NoneType: st.none(),
        bool: st.booleans(),
        int: st.integers(low if above is None else above + 1, high),
        float: st.floats(
            low if above is None else above,
            high,
            exclude_min=above is not None,
            allow_nan=False,
            allow_infinity=False,
        ),
        str: st.text(max_size=8),
    }
    return plain[annotation]
