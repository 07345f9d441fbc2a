"""Plans for a cluster: whether pods fit and how many more do, which nodes to add, which can go; and maps of decisions.

    >>> from kschedlab import Cluster
    >>> from kschedlab_planning import plan_add, plan_drain, plan_fit
    >>> cluster = Cluster.from_files("cluster.yaml")
    >>> print(plan_fit("default/web-1", cluster), plan_add(cluster), plan_drain(cluster))

The scheduler's own decisions place every pod of a plan, and a simulation of the whole control plane checks it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kschedlab_planning.add import plan_add as plan_add
    from kschedlab_planning.drain import plan_drain as plan_drain
    from kschedlab_planning.fit import plan_fit as plan_fit
    from kschedlab_planning.fitting import fits as fits
    from kschedlab_planning.maps import decision_map as decision_map
    from kschedlab_planning.weights import weight_region as weight_region

_HOME = {
    "decision_map": "maps",
    "fits": "fitting",
    "plan_add": "add",
    "plan_drain": "drain",
    "plan_fit": "fit",
    "weight_region": "weights",
}
__all__ = sorted(_HOME)  # noqa: PLE0605  # one list of public names

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
        return getattr(import_module(f"kschedlab_planning.{_HOME[name]}"), name)
