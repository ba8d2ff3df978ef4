"""The interface to Ray, which schedules the work and restarts dead workers. Ray is imported only here."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from investigator.cluster.building import BuiltShard, ShardTask, build, check_version, index_version
from investigator.cluster.cluster_settings import LOCAL, ClusterSettings
from investigator.cluster.shard_files import ShardFiles, ShardRecord
from investigator.documents.folder import cpus
from investigator.errors import ClusterError, InvestigatorError, SettingsError, ShardLostError
from investigator.resources.distribution import install_command
from investigator.retrieval.shard import Reply, Shard
from investigator.secrets import register

_TRIES = 3  # maximum number of restarts of a shard whose worker died, and of retries of a call to it
_WAIT = 60.0  # seconds after which other workers open a shard that does not reply
_POLL = 1.0  # interval in seconds at which waiting code checks for an interrupt
# Ray sends no usage reports, and does not change the accelerator variables
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
_ON_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # "0": Ray listens only on loopback, on every system
_ADDRESSES = "Use local, auto (after: ray start --head), or ray://HOST:PORT of a running cluster."


class RayCrew:
    """Workers of a Ray cluster; connects on first use, once per process. Thread-safe."""

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings
        self._held: tuple[Path, Mapping[int, ShardRecord], str] | None = None
        self._holders: RayHolders | None = None
        self._changing = Lock()

    @cached_property
    def _ray(self) -> Any:
        return _connected(self._settings)

    def build(self, tasks: Sequence[ShardTask]) -> Iterator[BuiltShard]:
        """Yield each shard when it is finished, then raise the first error, if any: ClusterError, or an error of
        `build`.
        """
        ray = self._ray
        started = ray.remote(num_cpus=1, max_retries=_TRIES)(build)
        failed: InvestigatorError | None = None
        with _translated(ray):
            waiting = [started.remote(task) for task in tasks]
        try:
            while waiting:
                with _translated(ray):
                    done, waiting = ray.wait(waiting, num_returns=1, timeout=_POLL)
                for reference in done:
                    try:
                        with _translated(ray):
                            built = ray.get(reference)
                    except InvestigatorError as error:  # the remaining shards are still built
                        failed = failed or error
                    else:
                        yield built
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)
        if failed is not None:
            raise failed

    def hold(self, workspace: Path, records: Mapping[int, ShardRecord], embedder: str) -> RayHolders:
        """Keep these shards of a workspace open for searching with the vectors of one embedder, and release all other
        shards. Raises ClusterError.
        """
        ray, shards = self._ray, (workspace, dict(records), embedder)
        with self._changing:
            if self._holders is None or shards != self._held or self._holders.is_lost:
                if self._holders is not None:
                    self._holders.end()
                    self._holders = None
                self._holders = RayHolders(ray, *shards)
                self._held = shards
            return self._holders

    def dead_machines(self) -> tuple[str, ...]:
        """Return the machines in the cluster that no longer answer. Raises ClusterError."""
        if self._settings.address == LOCAL:  # a local cluster belongs to this process
            return ()
        with _translated(self._ray):
            return tuple(sorted(node["NodeManagerHostname"] for node in self._ray.nodes() if not node["Alive"]))


class _Holder:
    """A Ray actor that holds some of the shards. It opens them on first use, and again after Ray has restarted it."""

    def __init__(self, version: str, workspace: Path, records: Mapping[int, ShardRecord], embedder: str) -> None:
        self._version = version
        self._files = ShardFiles(workspace)
        self._records = records
        self._embedder = embedder
        self._open: dict[int, Shard] = {}

    def ask(self, numbers: Sequence[int], call: Callable[[Shard], Reply]) -> dict[int, Reply]:
        """Return the replies of these shards. Raises the errors of the call."""
        return {number: call(self._shard(number)) for number in numbers}

    def _shard(self, number: int) -> Shard:
        if number not in self._open:
            check_version(self._version)
            self._open[number] = Shard(self._files.open(self._records[number]), self._embedder)
        return self._open[number]


class RayHolders:
    """Shards held by actors, one per CPU of the cluster; `is_lost` is True once some of them gave no reply."""

    def __init__(self, ray: Any, workspace: Path, records: Mapping[int, ShardRecord], embedder: str) -> None:
        self._ray = ray
        self.is_lost = False
        many = max(1, min(len(records), int(ray.cluster_resources().get("CPU", 1))))
        made = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=_TRIES, scheduling_strategy="SPREAD")(_Holder)
        with _translated(ray):
            self._actors = [
                made.remote(index_version(), workspace, {n: r for n, r in records.items() if n % many == at}, embedder)
                for at in range(many)
            ]
        self._numbers = tuple(sorted(records))
        try:
            self.on_all(Shard.warm)
        except BaseException:
            self.end()
            raise

    def on(self, number: int, call: Callable[[Shard], Reply]) -> Reply:
        """Return one shard's reply to a call. Raises ShardLostError, and any error that the call raises."""
        return self._replies(call, (number,))[number]

    def on_all(self, call: Callable[[Shard], Reply]) -> dict[int, Reply]:
        """Return the replies, keyed by shard number. Raises ShardLostError, and any error that the call raises."""
        return self._replies(call, self._numbers)

    def end(self) -> None:
        """Release the actors."""
        for actor in self._actors:
            self._ray.kill(actor)

    def _replies(self, call: Callable[[Shard], Reply], numbers: Sequence[int]) -> dict[int, Reply]:
        by_place: dict[int, list[int]] = {}
        for number in numbers:
            by_place.setdefault(number % len(self._actors), []).append(number)
        try:
            with _translated(self._ray):
                waiting = [self._actors[place].ask.remote(some, call) for place, some in by_place.items()]
                parts: list[dict[int, Reply]] = self._ray.get(waiting, timeout=_WAIT)
        except ShardLostError:
            self.is_lost = True
            raise
        return {number: reply for part in parts for number, reply in part.items()}


def _connected(settings: ClusterSettings) -> Any:
    """Return Ray, connected to the cluster that the settings name. Raises SettingsError and ClusterError."""
    # if Ray was imported earlier, it has already read its variables
    late = "ray" in sys.modules and os.environ.get("RAY_AUTH_MODE") != "token"
    variables = _QUIET
    if settings.address == LOCAL:  # closed to other users of this machine
        token = secrets.token_hex(32)
        register(token)
        variables = {**_QUIET, _ON_LOOPBACK: "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
    for name, value in variables.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        hint = f"Install it with: {install_command('cluster')}"
        raise SettingsError("indexes on several machines need the package ray", hint=hint) from error
    if ray.is_initialized():
        return ray
    if late and settings.address == LOCAL:
        hint = "Import ray later, or call ray.init() yourself first."
        raise ClusterError("Ray was imported before its cluster could be closed to other users", hint=hint)
    quiet = {"log_to_driver": False, "logging_level": "error"}
    with _translated(ray):
        if settings.address != LOCAL:
            ray.init(settings.address, **quiet)
            return ray
        place = tempfile.mkdtemp(prefix="inv-ray-")
        atexit.register(_ended, ray, place)
        ray.init(LOCAL, num_cpus=cpus(), include_dashboard=False, _temp_dir=place, **quiet)
    return ray


def _ended(ray: Any, place: str) -> None:
    ray.shutdown()
    shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _translated(ray: Any) -> Iterator[None]:
    """Convert Ray's errors to ClusterError; if a worker raised an error of this package, raise that error instead."""
    try:
        yield
    except ray.exceptions.GetTimeoutError as error:
        raise ShardLostError("a part of the index gives no reply in time") from error
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InvestigatorError):
            raise error.cause from error
        raise ClusterError(f"a worker failed: {type(error.cause).__name__}: {error.cause}") from error
    except ray.exceptions.RayError as error:
        first = " ".join(str(error).split())[:200] or type(error).__name__
        raise ShardLostError(f"a worker was lost: {first}") from error
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        first = " ".join(str(error).split())[:300]
        raise ClusterError(f"the Ray cluster cannot be used: {first}", hint=_ADDRESSES) from error
