"""Extended resources that devices serve: which class serves a resource, and the claim that stands for the pod's.

A DeviceClass serves the resource that it names (``spec.extendedResourceName``) and always
``deviceclass.resource.kubernetes.io/CLASS``. Where a node's device plugin offers the resource, the node's own amount
counts; elsewhere the scheduler makes one claim for all such resources of the pod.

v1.37: k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache and
pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.object_store import ObjectChange, key_of
from kschedlab.objects.devices import EXACT_COUNT
from kschedlab.objects.meta import OwnerReference
from kschedlab.objects.model import (
    Container,
    ContainerExtendedResourceRequest,
    DeviceClass,
    DeviceRequest,
    ExactDeviceRequest,
    ObjectMeta,
    Pod,
    ResourceClaim,
)
from kschedlab.objects.quantity import NANO
from kschedlab.objects.requests import DEVICE_CLASS_PREFIX, is_served_by_classes
from kschedlab_devices.claims import PendingAllocation
from kschedlab_devices.state import LEDGER

ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
"""The annotation of a claim that the scheduler made for extended resources."""
IN_MEMORY = "<extended-resources>"
"""The name of that claim until it is written."""

Mappings: TypeAlias = tuple[ContainerExtendedResourceRequest, ...]


class Requests(NamedTuple):
    """A claim's requests for the pod's extended resources, and which request serves which container."""

    requests: tuple[DeviceRequest, ...] = ()
    mappings: Mappings = ()


# -- classes


def serving_class(cluster: Cluster, resource: str) -> DeviceClass | None:
    """The class that serves the resource, or None."""
    classes = cluster.objects_of(DeviceClass)
    if not classes:
        return None
    by_resource = cluster.derived("classes by resource", lambda: by_resource_name(classes), DeviceClass.__name__)
    return by_resource.get(resource)


def by_resource_name(classes: Iterable[DeviceClass]) -> Mapping[str, DeviceClass]:
    """The classes by the names of the resources that they serve.

    Of two classes that name the same resource, the younger serves it, or the one whose name sorts first. They are read
    by name, as the API server lists them; one that gives way when it is read does not even serve its implicit name.
    """
    by_name: dict[str, DeviceClass] = {}
    for each in sorted(classes, key=lambda each: each.metadata.name):
        explicit = each.spec.extendedResourceName
        rival = by_name.get(explicit) if explicit is not None else None
        if rival is not None and _created(each) <= _created(rival):
            continue
        if explicit is not None:
            by_name[explicit] = each
        by_name[f"{DEVICE_CLASS_PREFIX}{each.metadata.name}"] = each
    return by_name


def _created(each: DeviceClass) -> int:
    return each.metadata.creationTimestamp or 0


# -- the claim


def claim_for(pod: Pod, request: Mapping[str, int], cluster: Cluster) -> ResourceClaim | None:
    """The claim for the pod's extended resources; None if no class serves any of them.

    ``request``: the pod's requests. If an earlier attempt has written the claim, it is that one; else one in memory,
    without requests, since these depend on the node.
    """
    if not any(
        amount and is_served_by_classes(name) and serving_class(cluster, name) for name, amount in request.items()
    ):
        return None
    return _written_claim(pod, cluster) or ResourceClaim(
        metadata=ObjectMeta(
            name=IN_MEMORY,
            namespace=pod.metadata.namespace,
            uid=f"{pod.metadata.uid}-extended-resources",
            generateName=f"{pod.metadata.name}-extended-resources-",
            annotations={ANNOTATION: "true"},
            ownerReferences=(OwnerReference("v1", "Pod", pod.metadata.name, pod.metadata.uid, controller=True),),
        )
    )


def _written_claim(pod: Pod, cluster: Cluster) -> ResourceClaim | None:
    written = cluster.derived("claims for extended resources", _Written, LEDGER)
    return written.claim(cluster, (pod.metadata.name, pod.metadata.uid))


class _Written:
    """The claims that were written for pods, by the name and uid of the pod; only changed ones are looked at again."""

    def __init__(self) -> None:
        self._last: ObjectChange | None = None
        self._by_owner: dict[tuple[str, str], dict[object, ResourceClaim]] = {}

    def claim(self, cluster: Cluster, owner: tuple[str, str]) -> ResourceClaim | None:
        """The claim of that owner; of several the one that arrived first."""
        claims, last = cluster.objects_of(ResourceClaim), cluster.last_change(ResourceClaim)
        changes = last.since(self._last, len(claims))
        if changes is None:
            self._by_owner = {}
            for claim in claims:
                self._put(claim)
        for change in reversed(changes or ()):
            if change.old is not None:
                self._remove(change.old)
            if change.new is not None:
                self._put(change.new)
        self._last = last
        owned = self._by_owner.get(owner, {})
        if len(owned) > 1:
            return next(each for each in claims if key_of(each) in owned)
        return next(iter(owned.values()), None)

    def _put(self, claim: ResourceClaim) -> None:
        pending = isinstance(claim.status.allocation, PendingAllocation)
        if claim.metadata.annotations.get(ANNOTATION) == "true" and not pending:
            for owner in _owners(claim):
                self._by_owner.setdefault(owner, {})[key_of(claim)] = claim

    def _remove(self, claim: ResourceClaim) -> None:
        for owner in _owners(claim):
            owned = self._by_owner.get(owner, {})
            owned.pop(key_of(claim), None)
            if not owned:
                self._by_owner.pop(owner, None)


def _owners(claim: ResourceClaim) -> Iterator[tuple[str, str]]:
    return ((owner.name, owner.uid) for owner in claim.metadata.ownerReferences if owner.controller)


def requests_for(pod: Pod, classes: Mapping[str, str]) -> Requests:
    """The claim's requests for these resources, each with the name of its class.

    Containers that run side by side have requests of their own. Init containers run one after the other, before the
    containers: each may use what the containers after it request, and what is missing is requested once for all.
    """
    containers = (*pod.spec.initContainers, *pod.spec.containers)
    first = len(pod.spec.initContainers)
    short = [i for i, each in enumerate(containers) if i < first and each.restartPolicy != "Always"]
    requests: list[DeviceRequest] = []
    mappings: list[ContainerExtendedResourceRequest] = []
    for resource in sorted(classes):
        lasting: list[DeviceRequest | None] = [None] * len(containers)
        lasting_mappings: list[ContainerExtendedResourceRequest] = []
        for i in (i for i in range(len(containers)) if i not in short):
            lasting[i], found = _request(i, containers[i], resource, classes[resource], ())
            lasting_mappings += found
        most: DeviceRequest | None = None
        own_names: set[str] = set()
        short_mappings: list[ContainerExtendedResourceRequest] = []
        for i in short:
            own, found = _request(i, containers[i], resource, classes[resource], lasting[i:])
            short_mappings += found
            if own is not None:
                own_names.add(own.name)
                most = own if most is None or count_of(most) < count_of(own) else most
        if most is not None:
            requests.append(most)
            short_mappings = [_renamed(each, own_names, most.name) for each in short_mappings]
        requests += [each for each in lasting if each is not None]
        mappings += lasting_mappings + short_mappings
    return Requests(tuple(sorted(requests, key=lambda each: each.name)), tuple(mappings))


def count_of(request: DeviceRequest) -> int:
    """The number of devices that the request asks for."""
    return request.exactly.count if request.exactly is not None else 0


def _renamed(mapping: ContainerExtendedResourceRequest, names: set[str], name: str) -> ContainerExtendedResourceRequest:
    if mapping.requestName not in names:
        return mapping
    return ContainerExtendedResourceRequest(mapping.containerName, mapping.resourceName, name)


def _request(
    index: int, container: Container, resource: str, class_name: str, reusable: Iterable[DeviceRequest | None]
) -> tuple[DeviceRequest | None, list[ContainerExtendedResourceRequest]]:
    """The container's requests beyond those that it can reuse, and all requests that serve it."""
    requests, mappings = container.resources.requests, list[ContainerExtendedResourceRequest]()
    amount = requests[resource].nanos if resource in requests else 0
    if amount == 0 or amount % NANO:
        return None, mappings
    missing = amount // NANO
    for each in reusable:
        if each is not None:
            missing -= count_of(each)
            mappings.append(ContainerExtendedResourceRequest(container.name, resource, each.name))
            if missing <= 0:
                return None, mappings
    name = f"container-{index}-request-{sorted(requests).index(resource)}"
    mappings.append(ContainerExtendedResourceRequest(container.name, resource, name))
    exactly = ExactDeviceRequest(deviceClassName=class_name, allocationMode=EXACT_COUNT, count=missing)
    return DeviceRequest(name=name, exactly=exactly), mappings
