"""The status of a pod, as the kubelet, the scheduler and the controllers report it.

v1.37: k8s.io/api core/v1 (types.go).
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

from kschedlab.objects.meta import Condition, Int32, Int64, Part, ResourceList, Time


class PodCondition(Condition, frozen=True):
    lastProbeTime: Time | None = None


class EnactedResources(Part, frozen=True):
    """The resources that the kubelet has enacted. ``requests``: None means not reported, empty means none."""

    requests: ResourceList | None = None


class ContainerStateWaiting(Part, frozen=True):
    reason: str = ""
    message: str = ""


class ContainerStateRunning(Part, frozen=True):
    startedAt: Time | None = None


class ContainerStateTerminated(Part, frozen=True):
    exitCode: Int32 = 0
    reason: str = ""
    startedAt: Time | None = None
    finishedAt: Time | None = None
    signal: Int32 = 0


class ContainerState(Part, frozen=True):
    """At most one of the three is set; if none is, the container is waiting."""

    waiting: ContainerStateWaiting | None = None
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(Part, frozen=True):
    """A container's state, and the resources that the kubelet gave it, which count during a resize."""

    name: str = ""
    resources: EnactedResources | None = None
    allocatedResources: ResourceList | None = None
    ready: bool = False
    restartCount: Int32 = 0
    state: ContainerState = ContainerState()
    lastState: ContainerState = ContainerState()
    started: bool | None = None


class PodIP(Part, frozen=True):
    ip: str = ""


class PodResourceClaimStatus(Part, frozen=True):
    """The claim made from a template; without a ``resourceClaimName`` none is needed."""

    name: str = ""
    resourceClaimName: str | None = None


class ContainerExtendedResourceRequest(Part, frozen=True):
    containerName: str = ""
    resourceName: str = ""
    requestName: str = ""


class PodExtendedResourceClaimStatus(Part, frozen=True):
    """The claim that the scheduler made for extended resources which devices provide."""

    requestMappings: tuple[ContainerExtendedResourceRequest, ...] = ()
    resourceClaimName: str = ""


class PodStatus(Part, frozen=True):
    phase: str = ""
    startTime: Time | None = None
    nominatedNodeName: str = ""
    reason: str = ""
    conditions: tuple[PodCondition, ...] = ()
    containerStatuses: tuple[ContainerStatus, ...] = ()
    initContainerStatuses: tuple[ContainerStatus, ...] = ()
    resources: EnactedResources | None = None
    allocatedResources: ResourceList | None = None
    resize: str = ""
    resourceClaimStatuses: tuple[PodResourceClaimStatus, ...] = ()
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus | None = None
    message: str = ""
    hostIP: str = ""
    podIP: str = ""
    podIPs: tuple[PodIP, ...] = ()
    qosClass: str = ""
    observedGeneration: Int64 = 0
