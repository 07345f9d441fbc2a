"""Taking nodes out of service: cordon, uncordon, drain.

v1.37: k8s.io/kubectl pkg/drain (cordon.go, drain.go: evictPods; filter.go). As with ``--ignore-daemonsets --force``,
a drain also evicts pods that no controller will replace.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, controller_of
from kschedlab.objects.model import Node, Pod
from kschedlab_simulation.pods import TERMINAL
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError

T = TypeVar("T")
Waiting: TypeAlias = Generator[simpy.Event, Any, T]

MIRROR = "kubernetes.io/config.mirror"
"""The annotation of static pods: only their kubelet can delete them."""

RETRY, POLL = 5 * SECOND, SECOND
"""Microseconds between two attempts at a refused eviction, and between two checks whether a pod is gone."""


@dataclass(frozen=True)
class DrainSettings:
    """``timeout``: microseconds after which a drain gives up, 0: never; ``grace_seconds``: None for each pod's own."""

    timeout: int = 0
    grace_seconds: int | None = None


@dataclass
class DrainResult:
    """The result of a drain: the evicted pods, and the remaining ones with the reason, by ``namespace/name``.

    ``refusals``: how many evictions a budget refused.
    """

    node: str
    evicted: list[str] = field(default_factory=list)
    remaining: dict[str, str] = field(default_factory=dict)
    refusals: int = 0


def cordon(api: ApiServer, name: str, by: str = "kubectl") -> Node:
    """Mark the node as unschedulable. ApiError if it does not exist. The node controller adds the taint."""
    return _set_unschedulable(api, name, True, by)


def uncordon(api: ApiServer, name: str, by: str = "kubectl") -> Node:
    """Mark the node as schedulable. ApiError if it does not exist."""
    return _set_unschedulable(api, name, False, by)


def _set_unschedulable(api: ApiServer, name: str, unschedulable: bool, by: str) -> Node:
    node = api.get(Node, "", name)
    if node.spec.unschedulable == unschedulable:
        return node
    return api.update(replace(node, spec=replace(node.spec, unschedulable=unschedulable)), by=by)


def pods_to_evict(pods: list[Pod], node: str) -> list[Pod]:
    """The pods on the node that a drain evicts: all but static pods and unfinished pods of DaemonSets."""
    return [pod for pod in pods if pod.spec.nodeName == node and not is_left(pod)]


def is_left(pod: Pod) -> bool:
    """Whether a drain leaves the pod on its node: a static pod, or an unfinished pod of a DaemonSet."""
    owner = controller_of(pod.metadata)
    of_daemon_set = owner is not None and owner.kind == "DaemonSet" and pod.status.phase not in TERMINAL
    return of_daemon_set or MIRROR in pod.metadata.annotations


def drain(
    env: simpy.Environment, api: ApiServer, name: str, settings: DrainSettings = DrainSettings(), by: str = "kubectl"
) -> Waiting[DrainResult]:
    """A process that cordons the node, evicts its pods, waits until they are gone, and returns the result.

    ApiError if the node does not exist. If a budget forbids an eviction, the process retries every 5 s.
    """
    cordon(api, name, by)
    result = DrainResult(name)
    deadline = api.now + settings.timeout if settings.timeout else None
    pods = pods_to_evict(api.list(Pod)[0], name)
    yield env.all_of([env.process(_evict_and_wait(env, api, pod, settings, deadline, result, by)) for pod in pods])
    return result


def _evict_and_wait(
    env: simpy.Environment,
    api: ApiServer,
    pod: Pod,
    settings: DrainSettings,
    deadline: int | None,
    result: DrainResult,
    by: str,
) -> Waiting[None]:
    """Retry evicting the pod until it succeeds, then wait until the pod is gone."""
    name_of_pod, uid = (pod.metadata.namespace, pod.metadata.name), pod.metadata.uid
    result.remaining[pod.key] = why = "it is still terminating"
    try:
        while refusal := _try_evict(api, name_of_pod, uid, settings, by):
            result.refusals += 1
            result.remaining[pod.key] = refusal
            if not (yield from _sleep(env, api, RETRY, deadline)):
                return
        result.remaining[pod.key] = why
        while api.get(Pod, *name_of_pod).metadata.uid == uid:
            if not (yield from _sleep(env, api, POLL, deadline)):
                return
    except ApiError as error:
        if error.code != 404:
            result.remaining[pod.key] = str(error)
            return
    del result.remaining[pod.key]
    result.evicted.append(pod.key)


def _try_evict(api: ApiServer, name_of_pod: tuple[str, str], uid: str, settings: DrainSettings, by: str) -> str:
    """Evict the pod; returns why its budget forbids it now, or "". ApiError for other errors."""
    try:
        api.evict(*name_of_pod, settings.grace_seconds, uid=uid, by=by)
    except ApiError as error:
        if error.code != 429:
            raise
        return str(error)
    return ""


def _sleep(env: simpy.Environment, api: ApiServer, period: int, deadline: int | None) -> Waiting[bool]:
    """Sleep for the period, at most until the deadline; returns whether the deadline is still ahead."""
    yield env.timeout(period if deadline is None else min(period, deadline - api.now))
    return deadline is None or api.now < deadline
