"""The progress of building shards, computed from the records that workers write. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from investigator.cluster.shard_files import BuildPlan, ShardRecord
from investigator.records import Record


class ClusterProgress(Record):
    """The shards of an index, and the progress of the last command that built them."""

    shards: int
    finished: int = Field(description="number of searchable shards")
    planned: int = Field(default=0, description="number of shards that the last command had to build")
    built: int = Field(default=0, description="number of planned shards that are finished")
    bytes_per_second: float | None = Field(default=None, description="bytes of files read per second by all workers")
    seconds_left: float | None = None
    begun_again: int = Field(default=0, description="number of shards restarted after their worker died")
    dead: tuple[str, ...] = Field(default=(), description="machines of the cluster that do not answer")

    @property
    def line(self) -> str:
        """Return the progress in one line."""
        parts = [f"{self.finished} of {self.shards} shards can be searched"]
        if self.built < self.planned:
            parts.append(f"{self.built} of the {self.planned} to build are finished")
            if self.bytes_per_second is not None and self.seconds_left is not None:
                rate = f"{self.bytes_per_second / 1e6:.2f} MB of files/s"
                parts.append(f"{rate}, about {self.seconds_left:,.0f} s left if the build is still running")
        if self.begun_again:
            parts.append(f"restarted after a worker died: {self.begun_again}")
        if self.dead:
            parts.append(f"machines that do not answer: {', '.join(self.dead)}")
        return "; ".join(parts)


def progress(
    count: int, records: Mapping[int, ShardRecord], plan: BuildPlan | None, elapsed: float, dead: tuple[str, ...] = ()
) -> ClusterProgress:
    """Return the progress of an index with the given number of shards; `elapsed` is the time in seconds from the plan
    to the last finished shard.
    """
    known = ClusterProgress(shards=count, finished=len(records), dead=dead)
    if plan is None or plan.count != count:
        return known
    done = [
        record for record in plan.shards if record.number in records and records[record.number].file != record.before
    ]
    size, every = sum(record.bytes for record in done), sum(record.bytes for record in plan.shards)
    rate = size / elapsed if size and elapsed > 0 else None
    return known.changed(
        planned=len(plan.shards),
        built=len(done),
        bytes_per_second=rate,
        seconds_left=(every - size) / rate if rate else None,
        begun_again=sum(records[record.number].attempts - 1 for record in done),
    )
