"""Metrics: where an agent adds its figures up, over all of its copies and for itself since the last look."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from investigator.dialogue.metrics.values import Metric, Report


class Metrics:
    """Figures by name: all that were added here and in the copies that share them, and the recent ones of this copy.

    Safe for threads. A copy for another thread is `Metrics(shared=metrics.share())`.
    """

    def __init__(self, shared: Mapping[str, object] | None = None) -> None:
        given = (shared or {}).get("totals")
        self._totals = given if isinstance(given, _Sums) else _Sums()
        self._recent = _Sums()

    def add(self, name: str, metric: Metric | None) -> None:
        """Add one figure to those of its name; None adds nothing. Raises MetricsError where it cannot be added."""
        if metric is not None:
            self.add_all({name: metric})

    def add_all(self, metrics: Report) -> None:
        """Add figures all at once: no report holds only some of them.

        Raises MetricsError where one cannot be added to those of its name; then none is.
        """
        self._totals.add(metrics)
        self._recent.add(metrics)

    def report(self) -> dict[str, Metric]:
        """All that was added, in all copies, since the last `clear`."""
        return self._totals.all()

    def report_recent(self) -> dict[str, Metric]:
        """What was added to this copy since the last `clear_recent` or `clear`."""
        return self._recent.all()

    def clear(self) -> None:
        """Begin anew, for all copies; of the recent figures, only this copy's are forgotten."""
        self._totals.clear()
        self._recent.clear()

    def clear_recent(self) -> None:
        """Forget the recent figures of this copy."""
        self._recent.clear()

    def share(self) -> dict[str, object]:
        """What a copy needs to add to the same figures."""
        return {"totals": self._totals}


class _Sums:
    """Figures by name behind a lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sums: dict[str, Metric] = {}

    def add(self, metrics: Report) -> None:
        with self._lock:
            added = {name: self._sums[name] + metric for name, metric in metrics.items() if name in self._sums}
            self._sums |= {**metrics, **added}

    def all(self) -> dict[str, Metric]:
        with self._lock:
            return dict(self._sums)

    def clear(self) -> None:
        with self._lock:
            self._sums.clear()
