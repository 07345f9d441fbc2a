"""kschedlab decides exactly as kube-scheduler decides, and keeps the evidence.

    >>> from kschedlab import Cluster, schedule
    >>> decision = schedule("default/web-1", Cluster.from_files("cluster.yaml"))

* a cluster: :class:`Cluster`, :func:`load`, :func:`loads`; manifests in few words: :mod:`build`
* a decision: :func:`schedule`, :class:`Decision`, :class:`Scheduler`
* questions: :func:`explain`, :func:`explain_pending`, :func:`compare`, :func:`what_if`
* who decides: :class:`Generation`, :data:`GENERATIONS`, your own :mod:`plugins`

Names are loaded when they are first used, so importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kschedlab import build as build, plugins as plugins
    from kschedlab.cluster.cluster import Cluster as Cluster
    from kschedlab.decision import Decision as Decision
    from kschedlab.explanation import explain as explain, explain_pending as explain_pending
    from kschedlab.generations import GENERATIONS as GENERATIONS, Generation as Generation
    from kschedlab.manifests.loading import ManifestError as ManifestError, load as load, loads as loads
    from kschedlab.scheduler import Scheduler as Scheduler, schedule as schedule
    from kschedlab.whatif import compare as compare, what_if as what_if

_HOME = {
    name: f"kschedlab.{module}"
    for module, names in {
        "cluster.cluster": "Cluster",
        "decision": "Decision",
        "explanation": "explain explain_pending",
        "generations": "GENERATIONS Generation",
        "manifests.loading": "ManifestError load loads",
        "scheduler": "Scheduler schedule",
        "whatif": "compare what_if",
    }.items()
    for name in names.split()
}
_MODULES = ("build", "plugins")

__all__ = sorted((*_HOME, *_MODULES))  # noqa: PLE0605  # one list of public names, also the API documentation's
__version__ = "0.1.0"

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f"kschedlab.{name}")
        if name not in _HOME:
            raise AttributeError(f"module 'kschedlab' has no attribute {name!r}; it has {', '.join(__all__)}")
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
