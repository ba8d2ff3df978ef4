"""How many calls one endpoint is given side by side: a pure decision, by what it answered so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Pace:
    """The number of calls side by side that an endpoint bears, and the moment before which it wants none.

    Additive increase, multiplicative decrease, as TCP does it (Chiu and Jain 1989): about one call more after as many
    successes as there are calls side by side, half as many after a refusal. Refusals of calls that had begun before
    the last cut are the same crowd meeting the same limit, and cut nothing again. Moments are seconds of any one clock.
    """

    limit: float
    opens_at: float = -math.inf
    cut_at: float = -math.inf

    @property
    def slots(self) -> int:
        """Whole calls that may run side by side; never below 1."""
        return max(1, int(self.limit))

    def hold(self, now: float) -> float:
        """Seconds for which no call may begin."""
        return max(0.0, self.opens_at - now)

    def after_success(self, most: int) -> Pace:
        """A call went well: a little more is allowed, up to `most` side by side."""
        return self if self.limit >= most else replace(self, limit=min(float(most), self.limit + 1 / self.limit))

    def after_refusal(self, *, began: float, now: float, running: int, asked: float | None) -> Pace:
        """A call that began at `began` was refused, one of `running`; `asked` is the wait (seconds) that was asked for.

        What is halved is what was really running, where that is less than what was allowed.
        """
        opens_at = self.opens_at if asked is None else max(self.opens_at, now + asked)
        if began < self.cut_at:
            return replace(self, opens_at=opens_at)
        return Pace(limit=max(1.0, min(self.limit, running) / 2), opens_at=opens_at, cut_at=now)
