"""The QoS class of a pod.

v1.37: pkg/apis/core/helper/qos/qos.go (ComputePodQOS).
"""

from __future__ import annotations

from kschedlab.objects.pods import Pod, ResourceRequirements

GUARANTEED, BURSTABLE, BEST_EFFORT = "Guaranteed", "Burstable", "BestEffort"


def qos_class(pod: Pod) -> str:
    """Guaranteed: requests and limits of cpu and memory are equal; BestEffort: there are none; else Burstable.

    Pod-level resources decide if there are any; otherwise all containers must agree.
    """
    spec = pod.spec
    if spec.resources is not None and (spec.resources.requests or spec.resources.limits):
        return _class_of(spec.resources)
    return _common({_class_of(container.resources) for container in (*spec.initContainers, *spec.containers)})


def _class_of(resources: ResourceRequirements) -> str:
    if not resources.requests and not resources.limits:
        return BEST_EFFORT
    return _common({_class_for(resources, name) for name in ("cpu", "memory")})


def _class_for(resources: ResourceRequirements, name: str) -> str:
    request, limit = (each[name].nanos if name in each else 0 for each in (resources.requests, resources.limits))
    if request != limit:
        return BURSTABLE
    return GUARANTEED if request else BEST_EFFORT


def _common(classes: set[str]) -> str:
    return BURSTABLE if len(classes) > 1 else next(iter(classes), BEST_EFFORT)
