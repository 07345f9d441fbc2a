"""Formats of scenarios that another package reads."""

from __future__ import annotations

from typing import Any

from kschedlab.manifests.decoding import Origin
from kschedlab.messages import later
from kschedlab.objects.problems import Fault, ManifestError

SCHEDULER_PERF = "scheduler_perf"
READERS: dict[str, Any] = {}
"""By the name of a format, a module with ``read_workload`` and ``read_action``: whoever brings one adds it here."""


def format_reader(format: str, origin: Origin) -> Any:
    """The module that reads the format. ManifestError, with the place in the file, if nobody does."""
    if format not in READERS:
        why = later("{format} is read by `python -m benchmarks.perf` in a checkout of kschedlab", format=format)
        raise ManifestError([origin.problem(Fault((), why))])
    return READERS[format]
