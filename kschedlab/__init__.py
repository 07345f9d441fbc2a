"""kschedlab decides exactly as kube-scheduler decides, and keeps the evidence.

    >>> from kschedlab import Cluster, schedule
    >>> decision = schedule("default/web-1", Cluster.from_files("cluster.yaml"))

Names are loaded when they are first used, so importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module

_HOME = {
    "Cluster": "kschedlab.cluster.cluster",
    "Decision": "kschedlab.decision",
    "GENERATIONS": "kschedlab.generations",
    "Generation": "kschedlab.generations",
    "ManifestError": "kschedlab.manifests.loading",
    "Scheduler": "kschedlab.scheduler",
    "load": "kschedlab.manifests.loading",
    "load_configuration": "kschedlab.configuration",
    "loads": "kschedlab.manifests.loading",
    "schedule": "kschedlab.scheduler",
}

__all__ = sorted(_HOME)  # noqa: PLE0605  # one list of public names, also the API documentation's
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'kschedlab' has no attribute {name!r}; it has {', '.join(_HOME)}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return [*_HOME, "__version__"]
