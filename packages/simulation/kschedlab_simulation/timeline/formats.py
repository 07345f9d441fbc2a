"""The workloads of scheduler_perf, whose reader belongs to the benchmarks and need not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kschedlab.manifests.decoding import Origin
from kschedlab.objects.problems import Fault, ManifestError, later

READER = "benchmarks.perf.workload"


def workload_reader(origin: Origin) -> Any:
    """The module that reads them. ManifestError, with the place in the file, if it is missing."""
    try:
        return import_module(READER)
    except ModuleNotFoundError as error:
        if not READER.startswith(error.name or "?"):
            raise
        package = READER.rpartition(".")[0]
        why = later(
            "{format} is read by {package}, which this installation lacks: reinstall kschedlab",
            format="scheduler_perf",
            package=package,
        )
        raise ManifestError([origin.problem(Fault((), why))]) from None
