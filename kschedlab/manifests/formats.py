"""File formats with optional readers, which are imported only when a file of the format is read.

No other module imports the packages of these readers, so each of them can be left out.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kschedlab.manifests.decoding import Origin
from kschedlab.messages import later
from kschedlab.objects.problems import Fault, ManifestError

POLICY, SCHEDULER_PERF = "Policy", "scheduler_perf"
_READERS = {
    POLICY: "kschedlab_configuration.policy.reading",
    SCHEDULER_PERF: "benchmarks.perf.workload",
}


def format_reader(format: str, origin: Origin) -> Any:
    """The module that reads the format. ManifestError, with the place in the file, if the module is missing."""
    module = _READERS[format]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if not module.startswith(error.name or "?"):
            raise
        package = module.rpartition(".")[0]
        why = later(
            "{format} is read by {package}, which this installation lacks: reinstall kschedlab",
            format=format,
            package=package,
        )
        raise ManifestError([origin.problem(Fault((), why))]) from None
