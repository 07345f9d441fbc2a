"""The disruption controller: keeps the status of PodDisruptionBudgets.

v1.37: pkg/controller/disruption/disruption.go. A pod that several budgets select enqueues all of them (the real
controller enqueues an arbitrary one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import simpy
from msgspec.structs import replace

from kschedlab.objects.kinds import key_of
from kschedlab.objects.model import (
    Deployment,
    Pod,
    PodDisruptionBudget,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.objects.selectors import Selector
from kschedlab_simulation.controllers.budgets import Scaled, ScaleError, budget_status, failed_status
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue, at_once
from kschedlab_simulation.events import Record, silent
from kschedlab_simulation.informers import Informer, Informers
from kschedlab_simulation.server.api import ApiServer

NAME = "disruption-controller"
COMPONENT = "controllermanager"
"""The origin of its events."""


@dataclass(frozen=True)
class DisruptionSettings:
    """Microseconds for which a budget batches pod changes: ``delay`` plus ``delay_by_pod`` per selected pod."""

    delay: int = 10_000
    delay_by_pod: int = 50


class Disruption:
    """Maintains each budget's set of pods, so that a pod change costs nothing for other budgets."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: DisruptionSettings = DisruptionSettings(),
        record: Record = silent,
        latency: Latency = at_once,
    ) -> None:
        self._api = api
        self._settings = settings
        self._record = record
        self._shared_informers = informers
        self._pods = informers.of(Pod)
        self._budgets = informers.of(PodDisruptionBudget)
        owners: tuple[type[Scaled], ...] = (ReplicationController, ReplicaSet, StatefulSet, Deployment)
        self._owners: dict[type[Scaled], Informer[Any]] = {kind: informers.of(kind) for kind in owners}
        self._selectors: dict[str, Selector] = {}
        self._pods_of_budget: dict[str, dict[str, Pod]] = {}
        self._budgets_of_pod: dict[str, dict[str, None]] = {}
        self._last_messages: dict[str, str] = {}
        self._queue: WorkQueue[str] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        self._budgets.add_handler(self._budget_added, self._budget_changed, self._budget_deleted)
        self._pods.add_handler(
            on_add=lambda pod: self._pod_changed(None, pod),
            on_update=self._pod_changed,
            on_delete=lambda pod: self._pod_changed(pod, None),
        )
        self._queue.start(self._shared_informers.synced)

    # -- event handlers

    def _budget_added(self, budget: PodDisruptionBudget) -> None:
        key = key_of(budget)
        self._selectors.pop(key, None)
        if budget.spec.selector is not None:
            self._selectors[key] = budget.spec.selector.compile()  # the API server lets no other in
        self._forget_pods(key)
        self._pods_of_budget[key] = {pod.key: pod for pod in self._pods.list() if self._selects(key, pod)}
        for name in self._pods_of_budget[key]:
            self._budgets_of_pod.setdefault(name, {})[key] = None
        self._queue.add(key)

    def _budget_changed(self, old: PodDisruptionBudget, new: PodDisruptionBudget) -> None:
        if old.spec.selector != new.spec.selector:
            self._budget_added(new)
        self._queue.add(key_of(new))

    def _budget_deleted(self, budget: PodDisruptionBudget) -> None:
        self._forget_pods(key_of(budget))
        self._selectors.pop(key_of(budget), None)
        self._last_messages.pop(key_of(budget), None)

    def _forget_pods(self, key: str) -> None:
        for name in self._pods_of_budget.pop(key, ()):
            self._budgets_of_pod[name].pop(key, None)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """Enqueue all budgets that select the pod, or did before."""
        pod = new if new is not None else old
        assert pod is not None
        if new is None or old is None or old.metadata.labels != new.metadata.labels:
            self._match_pod(pod.key, new)
        for key in self._budgets_of_pod.get(pod.key, ()):
            pods = self._pods_of_budget[key]
            if new is not None:
                pods[pod.key] = new
            self._enqueue(key)

    def _match_pod(self, name: str, pod: Pod | None) -> None:
        """Find the budgets that now select the pod; None: it is deleted."""
        keys = [key for key in self._selectors if pod is not None and self._selects(key, pod)]
        for key in self._budgets_of_pod.pop(name, ()):
            if key not in keys:
                del self._pods_of_budget[key][name]
                self._enqueue(key)
        if keys:
            self._budgets_of_pod[name] = dict.fromkeys(keys)

    def _enqueue(self, key: str) -> None:
        self._queue.add(key, self._settings.delay + self._settings.delay_by_pod * len(self._pods_of_budget[key]))

    def _selects(self, key: str, pod: Pod) -> bool:
        selector = self._selectors.get(key)
        same_namespace = key.startswith(f"{pod.metadata.namespace}/")
        return same_namespace and selector is not None and selector.matches(pod.metadata.labels)

    # -- the budgets

    def _sync(self, key: str) -> None:
        budget = self._budgets.get(key)
        if budget is None:
            return
        now = self._api.now
        try:
            status, unmanaged, requeue_at = budget_status(
                budget, list(self._pods_of_budget[key].values()), self._find, now
            )
        except ScaleError as error:
            self._record_once(
                budget, "CalculateExpectedPodCountFailed", f"Failed to calculate the number of expected pods: {error}"
            )
            status, unmanaged, requeue_at = failed_status(budget, error, now), [], None
        if unmanaged:
            self._record_once(budget, "UnmanagedPods", _UNMANAGED)
        elif not self._pods_of_budget[key]:
            self._record_once(budget, "NoPods", "No matching pods found", "Normal")
        if status != budget.status:
            self._api.update_status(replace(budget, status=status), by=NAME)
        if requeue_at is not None:
            self._queue.add(key, requeue_at - now + 1)

    def _find(self, kind: type[Scaled], namespace: str, name: str) -> Scaled | None:
        owner: Scaled | None = self._owners[kind].get(f"{namespace}/{name}")
        return owner

    def _record_once(self, budget: PodDisruptionBudget, reason: str, message: str, type: str = "Warning") -> None:
        """Record the event, unless it repeats the budget's last one."""
        if self._last_messages.get(key_of(budget)) != message:
            self._last_messages[key_of(budget)] = message
            self._record(budget, type, reason, message, COMPONENT)


_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status of the PDB cannot "
    "be calculated correctly, which may result in undefined behavior. To account for these pods please set "
    '".spec.minAvailable" field of the PDB to an integer value.'
)
