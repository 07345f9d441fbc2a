"""Inter-pod affinity and spread constraints for tests, with only what a test needs."""

from collections.abc import Sequence
from typing import Any

from kschedlab.build import Manifest, term

Weighted = tuple[int, Manifest]


def selector(*conditions: str) -> Manifest:
    """A label selector: ``selector("app In web,db", "tier Exists")``."""
    return {"matchExpressions": term(*conditions)["matchExpressions"]}


def by(key: str, *conditions: str, **fields: Any) -> Manifest:
    """An affinity term on that topology key: ``by("zone", "app In web", namespaces=["a"])``."""
    return {"topologyKey": key, "labelSelector": selector(*conditions)} | fields


def affinity(
    near: Sequence[Manifest] = (),
    apart: Sequence[Manifest] = (),
    rather_near: Sequence[Weighted] = (),
    rather_apart: Sequence[Weighted] = (),
) -> Manifest:
    """``spec.affinity``: required affinity and anti-affinity, and preferred ones with their weights."""
    return {"podAffinity": _both(near, rather_near), "podAntiAffinity": _both(apart, rather_apart)}


def _both(required: Sequence[Manifest], preferred: Sequence[Weighted]) -> Manifest:
    weighted = [{"weight": weight, "podAffinityTerm": affinity_term} for weight, affinity_term in preferred]
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": list(required),
        "preferredDuringSchedulingIgnoredDuringExecution": weighted,
    }


def spread(key: str, *conditions: str, skew: int = 1, soft: bool = False, **fields: Any) -> Manifest:
    """A spread constraint: ``spread("zone", "foo Exists", skew=2, minDomains=3)``."""
    action = "ScheduleAnyway" if soft else "DoNotSchedule"
    chosen = {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": action, "labelSelector": selector(*conditions)}
    return chosen | fields
