"""Preemption carried out: the pod is nominated, its victims are deleted, lower nominations are cleared.

v1.37: pkg/scheduler/framework/preemption/executor.go. v1.20: framework/plugins/defaultpreemption/default_preemption.go
(PrepareCandidate). v1.13, v1.16: scheduler.go, preempt.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from kschedlab.objects.model import Pod, PodCondition
from kschedlab.simulation.events import NORMAL
from kschedlab.simulation.pods import DISRUPTION_TARGET
from kschedlab.simulation.scheduler.binding import Binding
from kschedlab.simulation.scheduler.context import EVICT, NOMINATE, PREEMPT, Context
from kschedlab.simulation.scheduler.outcome import Plan
from kschedlab.simulation.scheduler.pod_status import write_status
from kschedlab.simulation.status import ApiError

PLUGIN = "DefaultPreemption"


class Preempting:
    """Carries out what the engine decided."""

    def __init__(self, context: Context, binding: Binding) -> None:
        self._context = context
        self._binding = binding
        self._running: dict[str, Pod | None] = {}

    def is_running(self, pod: Pod) -> bool:
        """PreEnqueue: the pod's victims are still being evicted, so it is not to be tried yet (v1.37).

        Once only the last victim is left, the pod may go on as soon as that one is seen to be deleted.
        """
        if pod.metadata.uid not in self._running:
            return False
        last = self._running[pod.metadata.uid]
        if last is None:
            return True
        seen = self._context.pods.get(last.key)
        return seen is not None and seen.metadata.deletionTimestamp is None

    def carry_out(self, pod: Pod, plan: Plan) -> Generator[Any, Any, str | None]:
        """Evict, and what the pod is nominated to: a node; "" if it loses its nomination; None if that stays."""
        context, rules = self._context, self._context.rules
        context.metrics.preemption_attempts.inc()
        node = plan.node
        context.step(pod, PREEMPT, node, str(plan))
        if plan.refused:
            return None
        if rules.recorded_first:
            newest = context.api.find(Pod, pod.metadata.namespace, pod.metadata.name)
            if newest is None:
                return None
            pod = newest
        if not node:
            return (yield from self._not_helped(pod, plan))
        victims = plan.victims
        if rules.preempts_beside:
            self._start(pod, node, victims)
            return node
        if rules.recorded_first:
            yield from self._nominate_and_evict(pod, node, victims)
            return None
        context.metrics.preempted(len(victims))
        if not (yield from self._evict_all(pod, node, victims)):
            return None
        yield from self._clear_lower(self._lower(pod, node))
        return node

    def _not_helped(self, pod: Pod, plan: Plan) -> Generator[Any, Any, str | None]:
        """No node becomes free: in v1.37 the pod loses its nomination, before only if no node is worth a try."""
        if self._context.rules.gives_up_nomination:
            return ""
        if plan.hopeless:
            yield from self._clear_lower([pod])
        return None

    # -- v1.13, v1.16

    def _nominate_and_evict(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, None]:
        context, lower = self._context, self._lower(pod, node)
        context.queue.nominate(pod, node)
        context.step(pod, NOMINATE, node)
        yield context.env.timeout(context.latencies.status)
        if refused := write_status(context, pod, nominated=node):
            context.step(pod, NOMINATE, node, str(refused))
            context.queue.remove_nomination(pod)
            return
        if (yield from self._evict_all(pod, node, victims)):
            context.metrics.preempted(len(victims))
            yield from self._clear_lower(lower)

    def _evict_all(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, bool]:
        """Delete one victim after the other; False once the API server refuses."""
        for victim in victims:
            yield self._context.env.timeout(self._context.latencies.delete)
            if self._delete(pod, node, victim):
                return False
            if waiting := self._context.waiting.get(victim):
                waiting.reject("", "preempted")
            self._tell(pod, node, victim)
        return True

    # -- v1.37

    def _start(self, pod: Pod, node: str, victims: Sequence[Pod]) -> None:
        """Evict in a task of its own (prepareCandidateAsync). Victims that are being deleted already need nothing."""
        self._context.metrics.preempted(len(victims))
        left = [victim for victim in victims if victim.metadata.deletionTimestamp is None]
        if left:
            self._running[pod.metadata.uid] = None
            self._context.env.process(self._beside(pod, node, left))

    def _beside(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, None]:
        context, env = self._context, self._context.env
        lower = self._lower(pod, node)
        failed = not (yield from self._clear_lower(lower))
        others, last = victims[:-1], victims[-1]
        in_memory = False
        if others:
            tasks = [env.process(self._preempt_one(pod, node, victim)) for victim in others]
            yield env.all_of(tasks)
            gone = all(task.value is not None for task in tasks)
        else:
            gone = True
        if gone:
            self._running[pod.metadata.uid] = last
            done = yield env.process(self._preempt_one(pod, node, last))
            failed, in_memory = failed or done is None, bool(done)
        del self._running[pod.metadata.uid]
        if failed or not gone or in_memory:
            context.queue.activate([pod])

    def _preempt_one(self, pod: Pod, node: str, victim: Pod) -> Generator[Any, Any, bool | None]:
        """Evict one victim: whether it was enough to end its binding. None if the API server refused."""
        context = self._context
        if self._stop_binding(victim):
            self._tell(pod, node, victim, " (in kube-scheduler memory).")
            return True
        yield context.env.timeout(context.latencies.delete)
        refused = self._delete(pod, node, victim)
        if refused is None:
            self._tell(pod, node, victim)
        return False if refused is None or refused.reason == "NotFound" else None

    def _stop_binding(self, victim: Pod) -> bool:
        """A victim that is not bound yet just goes back to the queue."""
        if waiting := self._context.waiting.get(victim):
            return waiting.preempt(PLUGIN, "preempted")
        return self._binding.cancel(victim, f"preempted by {PLUGIN}")

    # -- what all share

    def _delete(self, pod: Pod, node: str, victim: Pod) -> ApiError | None:
        """Delete the victim through the API server; why that was refused, if it was."""
        context, metadata = self._context, victim.metadata
        context.step(victim, EVICT, node, f"by {pod.key}")
        if context.rules.marks_victims:
            text = f"{pod.spec.schedulerName}: preempting to accommodate a higher priority pod"
            mark = PodCondition(type=DISRUPTION_TARGET, status="True", reason="PreemptionByScheduler", message=text)
            if refused := write_status(context, victim, mark):
                return refused
        try:
            context.api.delete(Pod, metadata.namespace, metadata.name, by=context.name)
        except ApiError as error:
            return error
        return None

    def _tell(self, pod: Pod, node: str, victim: Pod, more: str = "") -> None:
        metadata = pod.metadata
        text = self._context.rules.preempted.format(
            namespace=metadata.namespace, name=metadata.name, uid=metadata.uid, node=node
        )
        self._context.broadcaster.record(victim, NORMAL, "Preempted", text + more)

    def _lower(self, pod: Pod, node: str) -> list[Pod]:
        """Pods of lower priority that are nominated to the node. v1.37: executor.go, getLowerPriorityNominatedPods."""
        priority = pod.spec.priority or 0
        return [other for other in self._context.queue.nominated(node) if (other.spec.priority or 0) < priority]

    def _clear_lower(self, pods: list[Pod]) -> Generator[Any, Any, bool]:
        """Take the nominations away, so that these pods look for another place. False if one could not be written."""
        fine = True
        for pod in pods:
            if pod.status.nominatedNodeName:
                yield self._context.env.timeout(self._context.latencies.status)
                self._context.step(pod, NOMINATE, detail="cleared")
                fine = write_status(self._context, pod, nominated="") is None and fine
        return fine
