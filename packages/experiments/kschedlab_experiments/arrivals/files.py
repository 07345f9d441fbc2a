"""Arrivals from files that ``kschedlab simulate`` reads: manifests, timelines, workloads of scheduler_perf."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kschedlab_simulation.timeline.scenario import Scenario, load_scenario


@dataclass(frozen=True, init=False)
class Files:
    """Files or folders, read by each worker: on another machine they need the same paths.

    The seed decides ties between nodes, generated names and the controllers' delays. ``workload``: the workload to run
    if a file of scheduler_perf has several. ManifestError with all problems, when it is made.
    """

    paths: tuple[str, ...]
    workload: str = ""
    strict: bool = False

    def __init__(self, *paths: str | Path, workload: str = "", strict: bool = False) -> None:
        for name, value in (("paths", tuple(map(str, paths))), ("workload", workload), ("strict", strict)):
            object.__setattr__(self, name, value)
        self.scenario(0)

    def scenario(self, seed: int) -> Scenario:
        """The scenario in the files, read again only if one has changed."""
        return _read(self.paths, self.workload, self.strict, self._stamps())

    def fingerprint(self) -> str:
        """A digest of the files' contents."""
        digest = hashlib.sha256(self.workload.encode())
        for path in self._all():
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def _all(self) -> list[Path]:
        paths = [Path(path) for path in self.paths]
        return [
            each for path in paths for each in (sorted(path.rglob("*")) if path.is_dir() else [path]) if each.is_file()
        ]

    def _stamps(self) -> tuple[tuple[str, int, int], ...]:
        stats = ((str(path), path.stat()) for path in self._all())
        return tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in stats)


@lru_cache(maxsize=1)
def _read(paths: tuple[str, ...], workload: str, strict: bool, stamps: object) -> Scenario:
    return load_scenario(*paths, workload=workload, strict=strict)
