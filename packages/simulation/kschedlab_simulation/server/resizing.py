"""The subresource ``resize`` of pods: new resources for containers that keep running.

v1.37: pkg/registry/core/pod/strategy.go (podResizeStrategy), pkg/apis/core/validation (ValidatePodResize), and the
admission plugins NodeDeclaredFeatureValidator and PodResizeValidator (plugin/pkg/admission). The same in all
generations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from kschedlab.manifests.checks import faults_of
from kschedlab.manifests.defaults import with_defaults, with_pod_level_defaults
from kschedlab.objects.model import (
    Container,
    Node,
    Pod,
    PodSpec,
    PriorityClass,
    ResourceRequirements,
)
from kschedlab.objects.requests import pod_requests
from kschedlab_simulation.qos import qos_class
from kschedlab_simulation.status import (
    ApiError,
    FieldError,
    StatusCause,
    field_error,
    forbidden_value,
    invalid_value,
)

MIRROR = "kubernetes.io/config.mirror"
POD_LEVEL_RESIZE = "InPlacePodLevelResourcesVerticalScaling"
INIT_CONTAINER_RESIZE = "InPlacePodVerticalScalingInitContainers"
"""Features that a node declares if it can resize pod-level resources, and init containers that are not sidecars."""

_RESIZABLE = ("cpu", "memory")
_FIELDS = ("containers", "initContainers")


def resized(old: Pod, wanted: Pod, classes: Mapping[str, PriorityClass]) -> Pod:
    """The pod with the resources that ``wanted`` has. ApiError if it may not have them."""
    new = replace(old, spec=_only_resources(old.spec, with_defaults(wanted, classes).spec))
    if new.spec.resources is not None:
        new = with_pod_level_defaults(new)
    errors = [*map(field_error, faults_of(new)), *_errors(old, new)]
    if not errors and old.spec.resources is None and new.spec.resources == ResourceRequirements():
        errors = [forbidden_value("spec", "only cpu and memory resources are mutable")]
    if MIRROR in old.metadata.annotations:
        errors = [forbidden_value("[]", "static pods cannot be resized")]
    if errors:
        raise ApiError.invalid(Pod, old.metadata.name, errors)
    if new.spec != old.spec and old.metadata.generation:
        new = replace(new, metadata=replace(old.metadata, generation=old.metadata.generation + 1))
    return new


def check_node(old: Pod, new: Pod, node: Node | None) -> None:
    """ApiError if the pod's node cannot resize it: ``node``, None if there is none of that name."""
    name = new.spec.nodeName
    if not name or new.spec == old.spec:
        return
    needed = sorted(_needed_features(old.spec, new.spec))
    if node is None:
        raise _forbidden(new, f'node "{name}" not found')
    if missing := [each for each in needed if each not in node.status.declaredFeatures]:
        why = f'pod update requires features {", ".join(missing)} which are not available on node "{name}"'
        raise _forbidden(new, why)
    system = node.metadata.labels.get("kubernetes.io/os", "linux")
    if system != "linux":
        why = f'pod resize is only supported on linux nodes, node "{name}" is "{system}"'
        raise _forbidden(new, why, "UnsupportedPlatform")
    requested, short = pod_requests(new), []
    for resource in _RESIZABLE:
        amount = node.status.allocatable.get(resource)
        allocatable = 0 if amount is None else amount.amount(resource)
        if requested.get(resource, 0) > allocatable:
            short.append(f"{resource}, requested: {requested[resource]}, allocatable: {allocatable}")
    if short:
        raise _forbidden(new, f"node didn't have enough allocatable resources: {'; '.join(short)}", "NodeCapacity")


def _forbidden(pod: Pod, why: str, cause: str = "") -> ApiError:
    return ApiError.forbidden(Pod, pod.metadata.name, why, (StatusCause(cause),) if cause else ())


def _needed_features(old: PodSpec, new: PodSpec) -> Iterator[str]:
    if old.resources != new.resources:
        yield POD_LEVEL_RESIZE
    for before, after in zip(old.initContainers, new.initContainers, strict=True):
        if before.restartPolicy != "Always" and before.resources != after.resources:
            yield INIT_CONTAINER_RESIZE
            return


# -- what a resize takes over


def _only_resources(old: PodSpec, new: PodSpec) -> PodSpec:
    """The old spec with the new one's resources; the new one if it has other containers, which is refused later."""
    resources = old.resources if new.resources is None else new.resources
    if any(len(getattr(old, field)) != len(getattr(new, field)) for field in _FIELDS):
        return replace(new, resources=resources)
    containers = {field: _with_resources(getattr(old, field), getattr(new, field)) for field in _FIELDS}
    return replace(old, resources=resources, **containers)


def _with_resources(old: tuple[Container, ...], new: tuple[Container, ...]) -> tuple[Container, ...]:
    if [each.name for each in old] != [each.name for each in new]:
        return new
    return tuple(replace(o, resources=n.resources) for o, n in zip(old, new, strict=True))


# -- what is refused


def _errors(old: Pod, new: Pod) -> Iterator[FieldError]:
    if qos_class(old) != qos_class(new):
        yield invalid_value("spec", qos_class(old), "Pod QOS Class may not change as a result of resizing")
    running = [each for each in old.status.containerStatuses if each.state.running is not None]
    if running and running[0].resources is None:
        yield forbidden_value("spec", "Pod running on node without support for resize")
    if old.spec.resources is not None and new.spec.resources is not None:
        yield from _removed(old.spec.resources, new.spec.resources, "spec.resources", "pod-level resource")
    if _kept(old.spec.resources) != _kept(new.spec.resources):
        yield forbidden_value("spec", "only cpu and memory resources are mutable at pod-level")
    reordered = [
        each for field in _FIELDS for each in _reordered(field, getattr(old.spec, field), getattr(new.spec, field))
    ]
    if reordered:
        yield from reordered
        return
    for field in reversed(_FIELDS):
        for i, (o, n) in enumerate(_pairs(field, old, new)):
            yield from _removed(o.resources, n.resources, f"spec.{field}[{i}].resources", "resource")
    for o, n in _pairs("containers", old, new):
        if _kept(o.resources) != _kept(n.resources):
            yield forbidden_value("spec", "only cpu and memory resources are mutable")
    for i, (o, n) in enumerate(_pairs("initContainers", old, new)):
        if _kept(o.resources) != _kept(n.resources):
            why = "only cpu and memory resources for init or sidecar containers are mutable"
            yield forbidden_value(f"spec.initContainers[{i}]", why)


def _pairs(field: str, old: Pod, new: Pod) -> Iterator[tuple[Container, Container]]:
    return zip(getattr(old.spec, field), getattr(new.spec, field), strict=True)


def _reordered(field: str, old: tuple[Container, ...], new: tuple[Container, ...]) -> Iterator[FieldError]:
    if len(old) != len(new):
        yield forbidden_value(f"spec.{field}", f"{field} may not be added or removed on resize")
        return
    for i, (o, n) in enumerate(zip(old, new, strict=True)):
        if o.name != n.name:
            yield forbidden_value(f"spec.{field}[{i}].name", f"{field} may not be renamed or reordered on resize")


def _removed(old: ResourceRequirements, new: ResourceRequirements, path: str, what: str) -> Iterator[FieldError]:
    for part in ("requests", "limits"):
        if getattr(old, part).keys() - getattr(new, part).keys():
            yield forbidden_value(f"{path}.{part}", f"{what} {part} cannot be removed")


def _kept(resources: ResourceRequirements | None) -> tuple[object, ...] | None:
    """The resources that a resize may not change, or None."""
    if resources is None:
        return None
    lists = ({n: q for n, q in each.items() if n not in _RESIZABLE} for each in (resources.requests, resources.limits))
    kept = (*lists, resources.claims)
    return kept if any(kept) else None
