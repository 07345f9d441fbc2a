"""Carries out preemption: nominates the pod, deletes its victims, clears lower nominations.

``evictions`` has the generations' ways to evict.

v1.37: pkg/scheduler/framework/preemption/executor.go. v1.20: framework/plugins/defaultpreemption/default_preemption.go
(PrepareCandidate). v1.13, v1.16: scheduler.go, preempt.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any

from kschedlab.objects.model import Pod, PodCondition
from kschedlab_simulation.events import NORMAL
from kschedlab_simulation.pods import DISRUPTION_TARGET
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import EVICT, NOMINATE, PREEMPT, Context
from kschedlab_simulation.scheduler.outcome import PreemptionOutcome
from kschedlab_simulation.scheduler.pod_status import write_status
from kschedlab_simulation.server.interface import answered
from kschedlab_simulation.status import ApiError

PLUGIN = "DefaultPreemption"


class Preempting(ABC):
    """Carries out preemption plans. ``after_failure``: the pod returns to the queue before it preempts."""

    after_failure = False

    def __init__(self, context: Context, binding: Binding) -> None:
        self._context = context
        self._binding = binding

    def is_running(self, pod: Pod) -> bool:
        """Whether the pod's victims are still being evicted, so that PreEnqueue holds the pod."""
        return False

    def carry_out(self, pod: Pod, plan: PreemptionOutcome) -> Generator[Any, Any, str | None]:
        """Evict the victims. Returns the pod's new nominated node: "" clears it, None keeps it."""
        context = self._context
        context.metrics.preempting()
        context.step(pod, PREEMPT, plan.node, str(plan))
        if plan.ineligible or (preemptor := self._preemptor(pod)) is None:
            return None
        if plan.node:
            return (yield from self.evict(preemptor, plan.node, plan.victims))
        if context.rules.clears_nomination:
            return ""
        if plan.no_candidates:
            yield from self._clear_lower([preemptor])
        return None

    def _preemptor(self, pod: Pod) -> Pod | None:
        """The current version of the pod, None if it is deleted."""
        return pod

    @abstractmethod
    def evict(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, str | None]:
        """Evict the victims from the node. Returns the same as :meth:`carry_out`."""

    def _evict_all(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, bool]:
        """Evict the victims one by one until the API server refuses, or all at once; False if it refuses."""
        context, at_once, fine = self._context, self._context.rules.evicts_at_once, True
        if at_once:
            yield context.env.timeout(context.latencies.delete)
        for victim in victims:
            fine = (yield from self._evict_one(pod, node, victim, 0 if at_once else context.latencies.delete)) and fine
            if not fine and not at_once:
                break
        return fine

    def _evict_one(self, pod: Pod, node: str, victim: Pod, latency: int) -> Generator[Any, Any, bool]:
        """Delete the victim, or reject it while it waits on Permit; False if the API server refuses."""
        context, waiting = self._context, self._context.waiting.get(victim)
        if waiting is None or not context.rules.keeps_waiting_victims:
            if latency:
                yield context.env.timeout(latency)
            if (yield from self._delete(pod, node, victim)):
                return False
        if waiting := context.waiting.get(victim):
            waiting.reject(PLUGIN, "preempted")
        self._record(pod, node, victim)
        return True

    def _delete(self, pod: Pod, node: str, victim: Pod) -> Generator[Any, Any, ApiError | None]:
        """Delete the victim through the API server. Returns the error if it refuses."""
        context, metadata = self._context, victim.metadata
        context.step(victim, EVICT, node, f"by {pod.key}")
        if context.rules.marks_victims:
            text = f"{pod.spec.schedulerName}: preempting to accommodate a higher priority pod"
            generation = metadata.generation if context.rules.notes_generation else 0
            mark = PodCondition(DISRUPTION_TARGET, "True", "PreemptionByScheduler", text, generation)
            if refused := (yield from write_status(context, victim, mark)):
                return refused
        try:
            yield from answered(context.api.delete(Pod, metadata.namespace, metadata.name, by=context.name))
        except ApiError as error:
            return error
        return None

    def _record(self, pod: Pod, node: str, victim: Pod, more: str = "") -> None:
        metadata = pod.metadata
        text = self._context.messages.preempted.format(
            namespace=metadata.namespace, name=metadata.name, uid=metadata.uid, node=node
        )
        self._context.record(victim, NORMAL, "Preempted", text + more, "Preempting", preemptor=pod)

    def _lower(self, pod: Pod, node: str) -> list[Pod]:
        """Pods of lower priority nominated to the node. v1.37: executor.go, getLowerPriorityNominatedPods."""
        priority = pod.spec.priority or 0
        return [other for other in self._context.queue.nominated(node) if (other.spec.priority or 0) < priority]

    def _clear_lower(self, pods: list[Pod]) -> Generator[Any, Any, bool]:
        """Clear the nominations of these pods. False if the API server refuses one."""
        fine = True
        for pod in pods:
            if pod.status.nominatedNodeName:
                yield self._context.env.timeout(self._context.latencies.status)
                self._context.step(pod, NOMINATE, detail="cleared")
                refused = yield from write_status(self._context, pod, nominated="")
                fine = refused is None and fine
        return fine
