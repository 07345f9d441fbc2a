"""Nodes that are taken out of service: cordon, uncordon, drain.

v1.37: k8s.io/kubectl pkg/drain (cordon.go, drain.go: evictPods; filter.go). As with ``--ignore-daemonsets --force``,
pods that nobody will replace go too.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.simulation.pods import TERMINAL, controller_of
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.status import ApiError

T = TypeVar("T")
Waiting: TypeAlias = Generator[simpy.Event, Any, T]

MIRROR = "kubernetes.io/config.mirror"
"""The annotation of pods that a kubelet has from a file: nobody else can delete them."""

RETRY, LOOK = 5 * SECOND, SECOND
"""Microseconds until an eviction that was refused is tried again, and between two looks at whether a pod is gone."""


@dataclass(frozen=True)
class DrainSettings:
    """``timeout``: microseconds after which a drain gives up; 0: never. ``grace_seconds``: None: what each pod says."""

    timeout: int = 0
    grace_seconds: int | None = None


@dataclass
class Drained:
    """What became of a drain: the pods that are gone, those that are not and why, as ``namespace/name``.

    ``refusals``: how many evictions a budget has refused.
    """

    node: str
    gone: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    refusals: int = 0


def cordon(api: ApiServer, name: str, by: str = "kubectl") -> Node:
    """Mark the node as unschedulable. ApiError if there is no such node. Its taint is the node controller's to add."""
    return _marked(api, name, True, by)


def uncordon(api: ApiServer, name: str, by: str = "kubectl") -> Node:
    """Mark the node as schedulable. ApiError if there is no such node."""
    return _marked(api, name, False, by)


def _marked(api: ApiServer, name: str, unschedulable: bool, by: str) -> Node:
    node = api.get(Node, "", name)
    if node.spec.unschedulable == unschedulable:
        return node
    return api.update(replace(node, spec=replace(node.spec, unschedulable=unschedulable)), by=by)


def to_evict(pods: list[Pod], node: str) -> list[Pod]:
    """The pods on the node that a drain evicts: all but those of DaemonSets, unless they have ended, and of files."""
    return [pod for pod in pods if pod.spec.nodeName == node and not _stays(pod)]


def _stays(pod: Pod) -> bool:
    owner = controller_of(pod.metadata)
    of_daemon_set = owner is not None and owner.kind == "DaemonSet" and pod.status.phase not in TERMINAL
    return of_daemon_set or MIRROR in pod.metadata.annotations


def drain(
    env: simpy.Environment, api: ApiServer, name: str, settings: DrainSettings = DrainSettings(), by: str = "kubectl"
) -> Waiting[Drained]:
    """A process that cordons the node, evicts its pods and waits until they are gone; gives what became of them.

    ApiError if there is no such node. A pod whose budget forbids its eviction is tried again every 5 s.
    """
    cordon(api, name, by)
    result = Drained(name)
    deadline = api.now + settings.timeout if settings.timeout else None
    pods = to_evict(api.list(Pod)[0], name)
    yield env.all_of([env.process(_removed(env, api, pod, settings, deadline, result, by)) for pod in pods])
    return result


def _removed(
    env: simpy.Environment,
    api: ApiServer,
    pod: Pod,
    settings: DrainSettings,
    deadline: int | None,
    result: Drained,
    by: str,
) -> Waiting[None]:
    """Evict the pod, however often that takes, and wait until it is gone."""
    place, uid = (pod.metadata.namespace, pod.metadata.name), pod.metadata.uid
    result.left[pod.key] = why = "it is still terminating"
    try:
        while refused := _refusal(api, place, uid, settings, by):
            result.refusals += 1
            result.left[pod.key] = refused
            if not (yield from _wait(env, api, RETRY, deadline)):
                return
        result.left[pod.key] = why
        while api.get(Pod, *place).metadata.uid == uid:
            if not (yield from _wait(env, api, LOOK, deadline)):
                return
    except ApiError as error:
        if error.code != 404:
            result.left[pod.key] = str(error)
            return
    del result.left[pod.key]
    result.gone.append(pod.key)


def _refusal(api: ApiServer, place: tuple[str, str], uid: str, settings: DrainSettings, by: str) -> str:
    """Evict the pod; why its budget does not allow that now, or "". ApiError for all else."""
    try:
        api.evict(*place, settings.grace_seconds, uid=uid, by=by)
    except ApiError as error:
        if error.code != 429:
            raise
        return str(error)
    return ""


def _wait(env: simpy.Environment, api: ApiServer, period: int, deadline: int | None) -> Waiting[bool]:
    """Whether the period has passed before the deadline."""
    yield env.timeout(period if deadline is None else min(period, deadline - api.now))
    return deadline is None or api.now < deadline
