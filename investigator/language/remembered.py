"""A cache for functions that take text; results for long text are not cached."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Result = TypeVar("Result")


def remembered(longest: int, most: int) -> Callable[[Callable[[str], Result]], Callable[[str], Result]]:
    """Cache the results of a function for the `most` recent texts of up to `longest` characters, because the steps of a
    run, and the next runs, judge the same texts.
    """

    def caching(function: Callable[[str], Result]) -> Callable[[str], Result]:
        known = lru_cache(maxsize=most)(function)

        @wraps(function)
        def call(text: str) -> Result:
            return known(text) if len(text) <= longest else function(text)

        return call

    return caching
