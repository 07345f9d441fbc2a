"""The ways to evict victims: in the loop after the failure, in PostFilter, or asynchronously.

v1.37: pkg/scheduler/framework/preemption/executor.go. v1.20: framework/plugins/defaultpreemption/default_preemption.go
(PrepareCandidate). v1.13, v1.16: scheduler.go, preempt.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from kschedlab.objects.model import Pod
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import NOMINATE, Context
from kschedlab_simulation.scheduler.pod_status import write_status
from kschedlab_simulation.scheduler.preemption import PLUGIN, Preempting
from kschedlab_simulation.scheduler.rules import Eviction


class AfterFailure(Preempting):
    """v1.13, v1.16: scheduler.go, preempt: re-read the pod, nominate it through the API server, then evict."""

    after_failure = True

    def _preemptor(self, pod: Pod) -> Pod | None:
        return self._context.api.find(Pod, pod.metadata.namespace, pod.metadata.name)

    def evict(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, str | None]:
        """Nominate through the API server, then evict the victims."""
        context, lower = self._context, self._lower(pod, node)
        context.queue.nominate(pod, node)
        context.step(pod, NOMINATE, node)
        yield context.env.timeout(context.latencies.status)
        if refused := (yield from write_status(context, pod, nominated=node)):
            context.step(pod, NOMINATE, node, str(refused))
            context.queue.remove_nomination(pod)
        elif (yield from self._evict_all(pod, node, victims)):
            context.metrics.preempted(len(victims))
            yield from self._clear_lower(lower)
        return None


class InPostFilter(Preempting):
    """v1.20 to v1.32: victims are evicted in the scheduling cycle.

    v1.20: defaultpreemption/default_preemption.go, PrepareCandidate. v1.28: framework/preemption/preemption.go.
    """

    def evict(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, str | None]:
        """Evict the victims within the cycle; None if the API server refuses."""
        if not (yield from self._evict_all(pod, node, victims)):
            return None
        self._context.metrics.preempted(len(victims))
        yield from self._clear_lower(self._lower(pod, node))
        return node


class Async(Preempting):
    """v1.37: framework/preemption/executor.go, prepareCandidateAsync: a separate task evicts the victims.

    Without the gate SchedulerAsyncPreemption, the scheduling cycle waits for it (prepareCandidate).
    """

    def __init__(self, context: Context, binding: Binding) -> None:
        super().__init__(context, binding)
        self._running: dict[str, Pod | None] = {}

    def is_running(self, pod: Pod) -> bool:
        """Whether the pod's victims are still being evicted.

        When only the last victim is left, the pod may proceed once the informer shows that victim terminating or gone.
        """
        if pod.metadata.uid not in self._running:
            return False
        last = self._running[pod.metadata.uid]
        if last is None:
            return True
        seen = self._context.pods.get(last.key)
        return seen is not None and seen.metadata.deletionTimestamp is None

    def evict(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, str | None]:
        """Let a separate task evict the victims."""
        if self._context.rules.eviction is Eviction.IN_CYCLE:
            return (yield from self._evict_now(pod, node, victims))
        self._start(pod, node, victims)
        return node

    def _evict_now(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, str | None]:
        """Evict the victims within the cycle, all at once; None if the API server refuses (prepareCandidate)."""
        context = self._context
        context.metrics.preempted(len(victims))
        left = [victim for victim in victims if victim.metadata.deletionTimestamp is None]
        tasks = [context.env.process(self._preempt_one(pod, node, victim)) for victim in left]
        yield context.env.all_of(tasks)
        if any(task.value is None for task in tasks):
            return None
        yield from self._clear_lower(self._lower(pod, node))
        return node

    def _start(self, pod: Pod, node: str, victims: Sequence[Pod]) -> None:
        """Evict in a separate task. Skip victims that are already terminating."""
        self._context.metrics.preempted(len(victims))
        left = [victim for victim in victims if victim.metadata.deletionTimestamp is None]
        if left:
            self._running[pod.metadata.uid] = None
            self._context.env.process(self._evict_async(pod, node, left))

    def _evict_async(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Generator[Any, Any, None]:
        context, env = self._context, self._context.env
        cleared = yield from self._clear_lower(self._lower(pod, node))
        *others, last = victims
        tasks = [env.process(self._preempt_one(pod, node, victim)) for victim in others]
        if tasks:
            yield env.all_of(tasks)
        done: bool | None = None
        if all(task.value is not None for task in tasks):
            self._running[pod.metadata.uid] = last
            done = yield env.process(self._preempt_one(pod, node, last))
        del self._running[pod.metadata.uid]
        if not cleared or done is not False:
            context.queue.activate([pod])

    def _preempt_one(self, pod: Pod, node: str, victim: Pod) -> Generator[Any, Any, bool | None]:
        """Evict one victim. True if stopping its binding was enough; None if the API server refused the deletion."""
        context = self._context
        if self._stop_binding(victim):
            self._record(pod, node, victim, " (in kube-scheduler memory).")
            return True
        yield context.env.timeout(context.latencies.delete)
        refused = yield from self._delete(pod, node, victim)
        if refused is None:
            self._record(pod, node, victim)
        return False if refused is None or refused.reason == "NotFound" else None

    def _stop_binding(self, victim: Pod) -> bool:
        """Stop the binding of a victim that is not bound yet, which returns it to the queue."""
        if waiting := self._context.waiting.get(victim):
            return waiting.preempt(PLUGIN, "preempted")
        return self._binding.cancel(victim, f"preempted by {PLUGIN}")


EVICTIONS: dict[Eviction, type[Preempting]] = {
    Eviction.AFTER_FAILURE: AfterFailure,
    Eviction.IN_POST_FILTER: InPostFilter,
    Eviction.ASYNC: Async,
    Eviction.IN_CYCLE: Async,
}
