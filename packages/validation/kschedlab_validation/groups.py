"""Checks of pod groups.

v1.37: pkg/apis/scheduling/validation/validation.go, and the tags in k8s.io/api scheduling/v1beta1/types.go.
"""

from __future__ import annotations

from typing import Any

from kschedlab.manifests.fields import PREEMPTION_POLICIES, check_choice, check_name, check_present
from kschedlab.messages import later
from kschedlab.objects.model import PodGroup
from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import Faults, Path, one_of
from kschedlab_validation.claims import check_entries, check_made
from kschedlab_validation.policies import too_many

_HIGHEST_PRIORITY = 1_000_000_000
_MOST_CLAIMS = 4


def check_pod_group(group: PodGroup, faults: Faults) -> None:
    spec = group.spec
    policy: Path = ("spec", "schedulingPolicy")
    _check_one_of(spec.schedulingPolicy, ("basic", "gang"), policy, faults)
    if (gang := spec.schedulingPolicy.gang) is not None and gang.minCount < 1:
        why = later("is missing") if not gang.minCount else later("{value} is less than 1", value=gang.minCount)
        faults.note((*policy, "gang", "minCount"), why)
    if spec.schedulingConstraints is not None:
        topology = spec.schedulingConstraints.topology
        path: Path = ("spec", "schedulingConstraints", "topology")
        if len(topology) > 1:
            faults.note(path, "has {number} constraints: only one is allowed", number=len(topology))
        for i, constraint in enumerate(topology):
            check_name(constraint.key, (*path, i, "key"), faults, label_key_fault)
    if len(spec.resourceClaims) > _MOST_CLAIMS:
        faults.note(("spec", "resourceClaims"), too_many(spec.resourceClaims, _MOST_CLAIMS))
    else:
        check_made(group, check_entries(group, faults), faults)
    if spec.disruptionMode is not None:
        _check_one_of(spec.disruptionMode, ("single", "all"), ("spec", "disruptionMode"), faults)
    if spec.priorityClassName:
        check_name(spec.priorityClassName, ("spec", "priorityClassName"), faults)
    if spec.priority is not None and spec.priority > _HIGHEST_PRIORITY:
        message = later("{value} is more than {most:,}", value=spec.priority, most=_HIGHEST_PRIORITY)
        faults.note(("spec", "priority"), message)
    if spec.preemptionPolicy is not None:
        check_choice(spec.preemptionPolicy, PREEMPTION_POLICIES, ("spec", "preemptionPolicy"), faults)
    for i, condition in enumerate(group.status.conditions):
        for field in ("type", "status", "reason", "lastTransitionTime"):
            check_present(getattr(condition, field), ("status", "conditions", i, field), faults)


def _check_one_of(union: Any, members: tuple[str, str], path: Path, faults: Faults) -> None:
    """Check that exactly one member of a union is set."""
    present = [name for name in members if getattr(union, name) is not None]
    if len(present) != 1:
        why = later("has both" if present else "is missing")
        faults.note(path, "{why}: expected either {names}", why=why, names=one_of(members))
