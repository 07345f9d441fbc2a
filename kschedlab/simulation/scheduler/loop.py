"""The scheduler in motion: one pod after the other is popped, scheduled, assumed and sent into its binding cycle.

v1.37: pkg/scheduler/schedule_one.go (ScheduleOne, schedulingCycle). v1.13, v1.16, v1.20: pkg/scheduler/scheduler.go
(scheduleOne).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import Status
from kschedlab.queue.interface import QueuedPod
from kschedlab.scheduler import Scheduler
from kschedlab.simulation.events import WARNING
from kschedlab.simulation.scheduler.binding import Binding
from kschedlab.simulation.scheduler.cache import CacheError
from kschedlab.simulation.scheduler.context import (
    ASSUME,
    ASSUME_VOLUMES,
    PERMIT,
    POP,
    PREEMPT,
    RESERVE,
    SCHEDULE,
    SKIP,
    Context,
    Cycle,
)
from kschedlab.simulation.scheduler.failure import (
    ERROR_REASON,
    NO_NOMINATION,
    UNSCHEDULABLE_REASON,
    Failure,
    Failures,
    refused_on,
)
from kschedlab.simulation.scheduler.handlers import says_nothing_new
from kschedlab.simulation.scheduler.outcome import Outcome
from kschedlab.simulation.scheduler.preemption import Preempting
from kschedlab.simulation.scheduler.volume_binding import VolumeBinding
from kschedlab.simulation.scheduler.waiting_pods import WaitingPod


class Loop:
    """scheduleOne, again and again. ``engine``: decides, on the cache's cluster."""

    def __init__(
        self,
        context: Context,
        engine: Scheduler,
        failures: Failures,
        volumes: VolumeBinding,
        binding: Binding,
        preempting: Preempting,
    ) -> None:
        self._context = context
        self._engine = engine
        self._failures = failures
        self._volumes = volumes
        self._binding = binding
        self._preempting = preempting
        self._idle: simpy.Event | None = None

    def wake(self) -> None:
        """There may be a pod to be popped."""
        if self._idle is not None:
            idle, self._idle = self._idle, None
            idle.succeed()

    def run(self) -> Generator[Any, Any, None]:
        """Pop and schedule for ever; sleep while there is nothing to pop."""
        context = self._context
        while True:
            yield context.env.timeout(0)  # what the informers are told at this moment comes first
            queued = context.queue.pop()
            if queued is None:
                self._idle = context.env.event()
                yield self._idle
            else:
                yield from self._schedule_one(queued)

    def _schedule_one(self, queued: QueuedPod) -> Generator[Any, Any, None]:
        context, pod = self._context, queued.pod
        framework = context.frameworks[pod.spec.schedulerName]
        context.step(pod, POP)
        if why := self._skips(pod):
            context.step(pod, SKIP, detail=why)
            context.queue.done(pod)
            return
        cycle = Cycle(queued, pod, framework, context.now)
        outcome = self._decide(cycle)
        yield context.env.timeout(context.latencies.cycle)
        context.step(pod, SCHEDULE, outcome.node, outcome.error)
        if not outcome.node:
            yield from self._not_scheduled(cycle, outcome)
            return
        cycle.node = outcome.node
        failure = self._reserve_first(cycle) if context.rules.reserves_first else self._assume(cycle)
        if failure is not None:
            yield from self._failures.handle(cycle, failure, NO_NOMINATION if context.rules.hints else None)
        else:
            context.env.process(self._binding.run(cycle))

    def _skips(self, pod: Pod) -> str:
        """Why the popped pod is passed over, or ""."""
        context, rule = self._context, self._context.rules.skips
        if pod.metadata.deletionTimestamp is not None:
            text = f"skip schedule deleting pod: {pod.metadata.namespace}/{pod.metadata.name}"
            context.broadcaster.record(pod, WARNING, "FailedScheduling", text)
            return text
        if rule and context.cache.is_assumed(pod) and (rule == "assumed" or says_nothing_new(context, pod)):
            return "assumed already"
        return ""

    def _decide(self, cycle: Cycle) -> Outcome:
        """Decide on the cluster as the cache has it now (UpdateSnapshot)."""
        context, engine = self._context, self._engine
        engine.cluster = context.cache.cluster()
        engine.generation = context.generations[cycle.framework.name]
        decision = engine.cycle(context.cache.info(cycle.pod))
        return Outcome.of(decision, in_detail=cycle.framework.has("post_filter"))

    # -- no node

    def _not_scheduled(self, cycle: Cycle, outcome: Outcome) -> Generator[Any, Any, None]:
        context, rules, plan = self._context, self._context.rules, outcome.plan
        rejected = not outcome.error
        message = outcome.message + (outcome.told if rules.preemption_told else "")
        reason = UNSCHEDULABLE_REASON if rejected or rules.always_unschedulable else ERROR_REASON
        failure = Failure(message, rejected, outcome.rejectors, reason=reason)
        if rules.recorded_first:
            yield from self._failures.handle(cycle, failure)
        nominated = NO_NOMINATION if rules.gives_up_nomination else None
        if plan is not None:
            yield context.env.timeout(context.latencies.preempt)
            nominated = yield from self._preempting.carry_out(cycle.pod, plan)
        if outcome.refused and not (plan and plan.node):
            nominated, failure = self._post_filter(cycle, outcome, nominated, failure)
        if not rules.recorded_first:
            yield from self._failures.handle(cycle, failure, nominated)

    def _post_filter(
        self, cycle: Cycle, outcome: Outcome, nominated: str | None, failure: Failure
    ) -> tuple[str | None, Failure]:
        """Ask the users' PostFilter plugins, if preemption did not succeed."""
        node, reasons, failed = cycle.framework.post_filter(cycle.pod, outcome.refused)
        self._context.step(cycle.pod, PREEMPT, node, "; ".join(reasons))
        if node:
            return node, failure._replace(message=outcome.message)
        if reasons and self._context.rules.preemption_told:
            told = "" if failed or not outcome.told else f"{outcome.told},"
            message = f"{outcome.message}{told} {', '.join(reasons)}"
            return (None if failed else nominated), failure._replace(message=message)
        return nominated, failure

    # -- a node

    def _assume(self, cycle: Cycle) -> Failure | None:
        """Since v1.20: assume, Reserve (volumes first), Permit."""
        context, framework, node = self._context, cycle.framework, cycle.node
        if fault := self._assume_in_cache(cycle):
            return Failure(fault, False)
        if cycle.pod.spec.volumes:
            context.step(cycle.pod, ASSUME_VOLUMES, node)
        if fault := self._volumes.assume(cycle.pod, node):
            status: Status | None = Status("Error", f'running Reserve plugin "VolumeBinding": {fault}')
        else:
            status = self._reserve(cycle)
        if status is None:
            waits, status = framework.permit(cycle.pod, node)
            context.step(cycle.pod, PERMIT, node, status.message if status else ", ".join(waits))
            if waits:
                context.waiting.add(WaitingPod(context.env, cycle.pod, waits, context.rules))
        if status is None:
            return None
        self._binding.undo(cycle)
        return refused_on(node, status, context.rules.hints)

    def _reserve_first(self, cycle: Cycle) -> Failure | None:
        """v1.13, v1.16: assumeVolumes, Reserve, assume."""
        context = self._context
        context.step(cycle.pod, ASSUME_VOLUMES, cycle.node)
        if fault := self._volumes.assume(cycle.pod, cycle.node):
            return Failure(fault, False, event=f"AssumePodVolumes failed: {fault}")
        if (status := self._reserve(cycle)) is not None:
            return Failure(status.message, False)
        if fault := self._assume_in_cache(cycle):
            cycle.framework.unreserve(cycle.pod, cycle.node)
            return Failure(fault, False, event=f"AssumePod failed: {fault}")
        return None

    def _reserve(self, cycle: Cycle) -> Status | None:
        if RESERVE not in self._context.rules.points:
            return None
        status = cycle.framework.reserve(cycle.pod, cycle.node)
        self._context.step(cycle.pod, RESERVE, cycle.node, status.message if status else "")
        return status

    def _assume_in_cache(self, cycle: Cycle) -> str:
        """Assume the pod, which is not nominated any more; what the cache has against it, or ""."""
        context = self._context
        try:
            cycle.assumed = context.cache.assume_pod(cycle.pod, cycle.node)
        except CacheError as error:
            return str(error)
        context.queue.remove_nomination(cycle.pod)
        context.step(cycle.pod, ASSUME, cycle.node)
        return ""
