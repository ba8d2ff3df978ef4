"""Datatypes behave as recorded."""

from __future__ import annotations

from typing import Any

from golden_rows import Row, check, each_row

from investigator.dialogue.datatypes import Datatype, split_by_fold


def helper(given: Any) -> Any:
    datatype = Datatype(given["datatype"])
    return {
        "fold": datatype.fold,
        "strip_stream": datatype.without_stream,
        "should_cycle": datatype.cycles,
        "should_shuffle": datatype.shuffles,
        "is_training": datatype.training,
        "is_streaming": datatype.streams,
    }


def split(given: Any) -> Any:
    return {"ok": split_by_fold(given["fold"], given["data"], *given["fracs"], seed=given["seed"])}


ADAPTERS = {"helper": helper, "helper_none": lambda given: helper({"datatype": None}), "split": split}


@each_row("datatype")
def test_a_datatype_behaves_as_recorded(row: Row) -> None:
    check(row, ADAPTERS)
