"""How requests and limits go together, in a container and between a pod and its containers.

v1.37: pkg/apis/core/validation/validation.go (ValidateResourceRequirements, validatePodResources).
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from kschedlab.manifests.defaults import with_default_requests, with_pod_level_defaults
from kschedlab.manifests.fields import HUGE_PAGES
from kschedlab.messages import later
from kschedlab.objects.model import Pod, ResourceList, ResourceRequirements
from kschedlab.objects.problems import WRITTEN, Fault, Path
from kschedlab.objects.quantity import Quantity
from kschedlab.objects.requests import container_requests, is_extended


def check_requirements(resources: ResourceRequirements, path: Path, faults: list[Fault]) -> None:
    """Check that requests and limits are consistent."""
    requests, limits = resources.requests, resources.limits
    if not requests and not limits:
        return
    for name, amount in requests.items():
        if fault := _limit_fault(name, amount, limits.get(name)):
            faults.append(Fault((*path, "requests", name), fault, str(amount)))
    if "cpu" not in requests and "memory" not in requests:
        check_huge_pages(requests.keys() | limits.keys(), path, faults)


def _limit_fault(name: str, amount: Quantity, limit: Quantity | None) -> str | None:
    """What is wrong with a request beside its limit."""
    no_overcommit = is_extended(name) or name.startswith(HUGE_PAGES)
    if limit is None:
        return (
            later("has no limit: {name} cannot be overcommitted, so set an equal limit", name=name)
            if no_overcommit
            else None
        )
    if no_overcommit and amount != limit:
        return later(
            "{value} is not the limit of {limit}: {name} cannot be overcommitted, so they must be equal",
            value=WRITTEN,
            limit=limit,
            name=name,
        )
    return (
        later("{value} is more than the limit of {limit}", value=WRITTEN, limit=limit)
        if amount.nanos > limit.nanos
        else None
    )


def check_huge_pages(names: Collection[str], path: Path, faults: list[Fault]) -> None:
    """Check that huge pages come with cpu or memory."""
    huge = next((name for name in names if name.startswith(HUGE_PAGES)), None)
    if huge is not None and "cpu" not in names and "memory" not in names:
        faults.append(Fault(path, later("{huge} needs a request or limit for cpu or memory beside it", huge=huge)))


# -- of a pod as a whole


def check_pod_level(pod: Pod, faults: list[Fault], template: bool = False) -> None:
    """Check the pod-level resources, which must cover what the containers ask for.

    ``template``: the API server does not complete the requests and limits of a template.
    """
    path: Path = ("spec", "resources")
    pod = pod if template else with_pod_level_defaults(with_default_requests(pod))
    resources = pod.spec.resources
    assert resources is not None
    if not template:
        limits = _default_huge_pages(pod, resources) | resources.limits
        resources = msgspec.structs.replace(resources, limits=limits)
    if resources.claims is not None:
        faults.append(Fault((*path, "claims"), "cannot be set at pod level"))
    check_requirements(resources, path, faults)
    for name, nanos in container_requests(pod).items():
        _check_covers(resources.requests, name, nanos, (*path, "requests", name), faults)
    asked = (each.resources.limits for each in pod.spec.containers)
    for name, amount in ((name, amount) for each in asked for name, amount in each.items()):
        _check_covers(resources.limits, name, amount.nanos, (*path, "limits", name), faults)
    for name, nanos in _huge_pages(pod).items():
        _check_covers(resources.limits, name, nanos, (*path, "limits", name), faults)


def _default_huge_pages(pod: Pod, resources: ResourceRequirements) -> ResourceList:
    """The limits that requests for huge pages get if all containers have one (v1.37: pkg/api/pod/util.go)."""
    limits = [each.resources.limits for each in (*pod.spec.containers, *pod.spec.initContainers)]
    summed = _huge_pages(pod)
    return {
        name: Quantity.from_nanos(max(summed.get(name, 0), amount.nanos))
        for name, amount in resources.requests.items()
        if name.startswith(HUGE_PAGES) and all(name in each for each in limits)
    }


def _check_covers(resources: ResourceList, name: str, nanos: int, path: Path, faults: list[Fault]) -> None:
    if name in resources and resources[name].nanos < nanos:
        message = later(
            "{value} is less than the {sum} that the containers ask for", value=WRITTEN, sum=Quantity.from_nanos(nanos)
        )
        faults.append(Fault(path, message, str(resources[name])))


def _huge_pages(pod: Pod) -> dict[str, int]:
    """The nanos of huge pages that the limits of the containers come to."""
    every = (*pod.spec.containers, *pod.spec.initContainers)
    if not any(name.startswith(HUGE_PAGES) for each in every for name in each.resources.limits):
        return {}
    asked = container_requests(_asking_for_limits(pod))
    return {name: nanos for name, nanos in asked.items() if name.startswith(HUGE_PAGES)}


def _asking_for_limits(pod: Pod) -> Pod:
    """The pod with its containers' limits as their requests."""
    replace = msgspec.structs.replace
    containers, init = (
        tuple(replace(c, resources=replace(c.resources, requests=c.resources.limits)) for c in each)
        for each in (pod.spec.containers, pod.spec.initContainers)
    )
    return replace(pod, spec=replace(pod.spec, containers=containers, initContainers=init))
