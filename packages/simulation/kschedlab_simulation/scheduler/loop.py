"""The scheduling loop: pops pods one by one, schedules each and starts its binding cycle.

v1.37: pkg/scheduler/schedule_one.go (ScheduleOne, schedulingCycle). v1.13, v1.16, v1.20: pkg/scheduler/scheduler.go
(scheduleOne).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from kschedlab.objects.model import Pod
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.scheduler import Scheduler
from kschedlab_simulation.events import WARNING
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import POP, PREEMPT, SCHEDULE, SKIP, Context, Cycle
from kschedlab_simulation.scheduler.device_binding import give_back
from kschedlab_simulation.scheduler.failure import UNSCHEDULABLE_REASON, Failure, Failures
from kschedlab_simulation.scheduler.handlers import is_unchanged
from kschedlab_simulation.scheduler.outcome import Outcome
from kschedlab_simulation.scheduler.preemption import Preempting
from kschedlab_simulation.scheduler.rules import SkippedPods
from kschedlab_simulation.status import ApiError


class Loop:
    """Runs scheduleOne in a loop. ``engine``: decides, on the cache's cluster."""

    def __init__(
        self,
        context: Context,
        engine: Scheduler,
        failures: Failures,
        binding: Binding,
        preempting: Preempting,
    ) -> None:
        self._context = context
        self._engine = engine
        self._failures = failures
        self._binding = binding
        self._preempting = preempting
        self._idle: simpy.Event | None = None
        self.stopped = False

    def stop(self) -> None:
        """Pop no further pod; bindings go on."""
        self.stopped = True
        self.wake()

    def wake(self) -> None:
        """Resume an idle loop: the queue may have a pod to pop."""
        if self._idle is not None:
            idle, self._idle = self._idle, None
            idle.succeed()

    def run(self) -> Generator[Any, Any, None]:
        """Pop and schedule pods until stopped; sleep while there is none to pop."""
        context = self._context
        while not self.stopped:
            yield context.env.timeout(0)  # informers first receive the changes of this instant
            queued = context.queue.pop()
            if queued is None:
                self._idle = context.env.event()
                yield self._idle
            else:
                yield from self.schedule_one(queued)

    def schedule_one(self, queued: QueuedPodInfo) -> Generator[Any, Any, None]:
        """One scheduling cycle; binding goes on in a process of its own."""
        context, pod = self._context, queued.pod
        context.step(pod, POP)
        if self._skipped(pod):
            return
        cycle = self._cycle(queued, pod)
        outcome = self._decide(cycle)
        yield context.env.timeout(context.latencies.cycle)
        context.step(pod, SCHEDULE, outcome.node, outcome.error)
        if not outcome.node:
            yield from self._not_scheduled(cycle, outcome)
        else:
            yield from self._bind(cycle, outcome.node)

    def _cycle(self, queued: QueuedPodInfo, pod: Pod) -> Cycle:
        return Cycle(queued, pod, self._context.frameworks[pod.spec.schedulerName], self._context.now)

    def _bind(self, cycle: Cycle, node: str) -> Generator[Any, Any, None]:
        """Reserve the node, and bind the pod in a process of its own."""
        cycle.node = node
        failure = yield from self._binding.reserve(cycle)
        if failure is not None:
            yield from self._failures.handle(cycle, failure, self._failures.no_nomination)
        else:
            self._context.env.process(self._binding.run(cycle))

    def _skipped(self, pod: Pod) -> bool:
        """Whether the popped pod is not to be scheduled; if so, it leaves the queue."""
        if not (why := self._skips(pod)):
            return False
        self._context.step(pod, SKIP, detail=why)
        self._context.queue.done(pod)
        return True

    def _skips(self, pod: Pod) -> str:
        """Why the popped pod is skipped, or ""."""
        context, skips = self._context, self._context.rules.skips
        if pod.spec.schedulerName not in context.frameworks:  # a server that changes it: v1.37, frameworkForPod
            return f"profile not found for scheduler name {pod.spec.schedulerName}"
        if pod.metadata.deletionTimestamp is not None:
            text = f"skip schedule deleting pod: {pod.metadata.namespace}/{pod.metadata.name}"
            context.record(pod, WARNING, "FailedScheduling", text, "Scheduling")
            return text
        if skips is SkippedPods.NONE or not context.cache.is_assumed(pod):
            return ""
        return "assumed already" if skips is SkippedPods.ASSUMED or is_unchanged(context, pod) else ""

    def _decide(self, cycle: Cycle) -> Outcome:
        """Decide on the cache's current cluster (UpdateSnapshot)."""
        context, engine = self._context, self._engine
        engine.cluster = context.cache.cluster()
        engine.generation = context.generations[cycle.framework.name]
        decision = engine.cycle(context.cache.info(cycle.pod))
        return Outcome.of(decision, with_statuses=cycle.framework.has("post_filter"))

    # -- pods without a feasible node

    def _not_scheduled(self, cycle: Cycle, outcome: Outcome) -> Generator[Any, Any, None]:
        context, messages, plan = self._context, self._context.messages, outcome.plan
        after_failure, rejected = self._preempting.after_failure, not outcome.error
        message = outcome.message + outcome.preemption
        reason = UNSCHEDULABLE_REASON if rejected else messages.error_reason
        failure = Failure(message, rejected, outcome.rejectors, reason=reason)
        if after_failure:
            yield from self._failures.handle(cycle, failure)
        nominated = None if outcome.stopped else self._failures.no_nomination
        if outcome.given_back is not None:
            try:
                yield from give_back(context, outcome.given_back)
            except ApiError as error:
                context.note("postFilter", f"{cycle.pod.key}: {error}")
        if plan is not None:
            yield context.env.timeout(context.latencies.preempt)
            nominated = yield from self._preempting.carry_out(cycle.pod, plan)
        if outcome.node_statuses and not outcome.stopped and not (plan and plan.node):
            nominated, failure = self._post_filter(cycle, outcome, nominated, failure)
        if not after_failure:
            yield from self._failures.handle(cycle, failure, nominated)

    def _post_filter(
        self, cycle: Cycle, outcome: Outcome, nominated: str | None, failure: Failure
    ) -> tuple[str | None, Failure]:
        """Run the users' PostFilter plugins after preemption failed. Returns the nomination and the failure."""
        node, reasons, ended = cycle.framework.post_filter(cycle.pod, outcome.node_statuses)
        self._context.step(cycle.pod, PREEMPT, node, "; ".join(reasons))
        if ended:
            failure = failure._replace(message=outcome.message)
        if reasons and self._context.generation.messages.post_filter:
            before = "" if ended or not outcome.preemption else f"{outcome.preemption},"
            failure = failure._replace(message=f"{outcome.message}{before} {', '.join(reasons)}")
        return node or (None if ended else nominated), failure
