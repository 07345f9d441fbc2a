"""The disruption controller: keeps the status of PodDisruptionBudgets.

v1.37: pkg/controller/disruption/disruption.go. A pod that several budgets select wakes all of them (the real one wakes
one, by chance).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import simpy
from msgspec.structs import replace

from kschedlab.objects.model import (
    Deployment,
    Pod,
    PodDisruptionBudget,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.objects.selectors import Selector, SelectorError
from kschedlab.simulation.controllers.budgets import Scaled, ScaleError, failed, judge
from kschedlab.simulation.controllers.work_queue import Work
from kschedlab.simulation.events import Record, silent
from kschedlab.simulation.informers import Informer, Informers
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.resources import key_of

NAME = "disruption-controller"


@dataclass(frozen=True)
class DisruptionSettings:
    """Microseconds in which changes of pods are gathered: ``delay``, and ``delay_by_pod`` for each that it covers."""

    delay: int = 10_000
    delay_by_pod: int = 50


class Disruption:
    """The controller. Each budget keeps track of its pods, so that a pod's change costs nothing to other budgets."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: DisruptionSettings = DisruptionSettings(),
        record: Record = silent,
    ) -> None:
        self._api = api
        self._settings = settings
        self._record = record
        self._shared = informers
        self._pods = informers.of(Pod)
        self._budgets = informers.of(PodDisruptionBudget)
        owners: tuple[type[Scaled], ...] = (ReplicationController, ReplicaSet, StatefulSet, Deployment)
        self._owners: dict[type[Scaled], Informer[Any]] = {kind: informers.of(kind) for kind in owners}
        self._selectors: dict[str, Selector] = {}
        self._covered: dict[str, dict[str, Pod]] = {}
        self._covering: dict[str, dict[str, None]] = {}
        self._said: dict[str, str] = {}
        self._work: Work[str] = Work(env, self._look)

    def start(self) -> None:
        """Begin to watch."""
        self._budgets.add_handler(self._budget_came, self._budget_changed, self._budget_gone)
        self._pods.add_handler(
            on_add=lambda pod: self._pod_changed(None, pod),
            on_update=self._pod_changed,
            on_delete=lambda pod: self._pod_changed(pod, None),
        )
        self._work.begin(self._shared.synced)

    # -- what the watches tell

    def _budget_came(self, budget: PodDisruptionBudget) -> None:
        key = key_of(budget)
        self._selectors.pop(key, None)
        if budget.spec.selector is not None:
            try:
                self._selectors[key] = budget.spec.selector.compile()
            except SelectorError as error:
                self._record(budget, "Warning", "NoPods", f"Failed to get pods: {error}")
        self._uncover(key)
        self._covered[key] = {pod.key: pod for pod in self._pods.list() if self._covers(key, pod)}
        for name in self._covered[key]:
            self._covering.setdefault(name, {})[key] = None
        self._work.add(key)

    def _budget_changed(self, old: PodDisruptionBudget, new: PodDisruptionBudget) -> None:
        if old.spec.selector != new.spec.selector:
            self._budget_came(new)
        self._work.add(key_of(new))

    def _budget_gone(self, budget: PodDisruptionBudget) -> None:
        self._uncover(key_of(budget))
        self._selectors.pop(key_of(budget), None)
        self._said.pop(key_of(budget), None)

    def _uncover(self, key: str) -> None:
        for name in self._covered.pop(key, ()):
            self._covering[name].pop(key, None)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """All budgets that cover the pod, or did, look."""
        pod = new if new is not None else old
        assert pod is not None
        if new is None or old is None or old.metadata.labels != new.metadata.labels:
            self._cover(pod.key, new)
        for key in self._covering.get(pod.key, ()):
            covered = self._covered[key]
            if new is not None:
                covered[pod.key] = new
            self._wake(key)

    def _cover(self, name: str, pod: Pod | None) -> None:
        """Find the budgets that cover the pod as it is now; None: it is gone."""
        keys = [key for key in self._selectors if pod is not None and self._covers(key, pod)]
        for key in self._covering.pop(name, ()):
            if key not in keys:
                del self._covered[key][name]
                self._wake(key)
        if keys:
            self._covering[name] = dict.fromkeys(keys)

    def _wake(self, key: str) -> None:
        self._work.add(key, self._settings.delay + self._settings.delay_by_pod * len(self._covered[key]))

    def _covers(self, key: str, pod: Pod) -> bool:
        selector = self._selectors.get(key)
        same = key.startswith(f"{pod.metadata.namespace}/")
        return same and selector is not None and selector.matches(pod.metadata.labels)

    # -- the budgets

    def _look(self, key: str) -> None:
        budget = self._budgets.get(key)
        if budget is None:
            return
        now = self._api.now
        try:
            status, unmanaged, again = judge(budget, list(self._covered[key].values()), self._find, now)
        except ScaleError as error:
            self._say(
                budget, "CalculateExpectedPodCountFailed", f"Failed to calculate the number of expected pods: {error}"
            )
            status, unmanaged, again = failed(budget, error, now), [], None
        if unmanaged:
            self._say(budget, "UnmanagedPods", _UNMANAGED)
        if status != budget.status:
            self._api.update_status(replace(budget, status=status), by=NAME)
        if again is not None:
            self._work.add(key, again - now + 1)

    def _find(self, kind: type[Scaled], namespace: str, name: str) -> Scaled | None:
        found: Scaled | None = self._owners[kind].get(f"{namespace}/{name}")
        return found

    def _say(self, budget: PodDisruptionBudget, reason: str, message: str) -> None:
        """Once, until something else is to be said."""
        if self._said.get(key_of(budget)) != message:
            self._said[key_of(budget)] = message
            self._record(budget, "Warning", reason, message)


_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status of the PDB cannot "
    "be calculated correctly, which may result in undefined behavior. To account for these pods please set "
    '".spec.minAvailable" field of the PDB to an integer value.'
)
