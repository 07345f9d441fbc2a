"""The binding cycle: a task of its own for every pod that has a node.

v1.37: pkg/scheduler/schedule_one.go (runBindingCycle, bindingCycle, handleBindingCycleError). v1.20, v1.16, v1.13:
the function that scheduler.go, scheduleOne, starts at its end.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import simpy

from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import ERROR, Skip, Status
from kschedlab.queue.events import ASSIGNED_POD_DELETE
from kschedlab.simulation.events import NORMAL
from kschedlab.simulation.scheduler.context import (
    BIND,
    BIND_VOLUMES,
    FORGET,
    PERMIT,
    POST_BIND,
    PRE_BIND,
    UNRESERVE,
    WAIT_ON_PERMIT,
    Context,
    Cycle,
)
from kschedlab.simulation.scheduler.failure import (
    BINDING_REASON,
    ERROR_REASON,
    NO_NOMINATION,
    VOLUMES_REASON,
    Failure,
    Failures,
    refused_on,
)
from kschedlab.simulation.scheduler.metrics import SCHEDULED
from kschedlab.simulation.scheduler.pod_status import write_status
from kschedlab.simulation.scheduler.volume_binding import VolumeBinding
from kschedlab.simulation.scheduler.waiting_pods import WaitingPod, told
from kschedlab.simulation.status import ApiError

Steps = Generator[Any, Any, Failure | None]


class Binding:
    """Runs binding cycles. ``in_pre_bind``: pods whose PreBind can still be cancelled, by uid."""

    def __init__(self, context: Context, failures: Failures, volumes: VolumeBinding) -> None:
        self._context = context
        self._failures = failures
        self._volumes = volumes
        self._in_pre_bind: dict[str, simpy.Event] = {}

    def cancel(self, pod: Pod, why: str) -> bool:
        """End the pod's PreBind. False if it is not there (any more)."""
        cancelled = self._in_pre_bind.get(pod.metadata.uid)
        if cancelled is None or cancelled.triggered:
            return False
        cancelled.succeed(why)
        return True

    def run(self, cycle: Cycle) -> Generator[Any, Any, None]:
        """The whole cycle, and what follows if it fails."""
        context = self._context
        context.metrics.binding.inc()
        failure = yield from self._permitted(cycle) if context.rules.permits_before_binding else self._older(cycle)
        if failure is not None:
            yield from self._undo(cycle, failure)
        context.metrics.binding.dec()

    def undo(self, cycle: Cycle) -> None:
        """Unreserve the pod's node and volumes, and forget the pod; before v1.20 the other way round."""
        parts = self._unreserve, self._forget
        for part in parts if self._context.rules.undoes_backwards else reversed(parts):
            part(cycle)

    def _unreserve(self, cycle: Cycle) -> None:
        framework = cycle.framework
        if framework.has("unreserve"):
            faults = framework.unreserve(cycle.pod, cycle.node)
            self._context.step(cycle.pod, UNRESERVE, cycle.node, "; ".join(faults))
        self._volumes.forget(cycle.pod)

    def _forget(self, cycle: Cycle) -> None:
        self._context.step(cycle.pod, FORGET, cycle.node)
        self._context.cache.forget_pod(cycle.pod)

    def _undo(self, cycle: Cycle, failure: Failure) -> Generator[Any, Any, None]:
        """That, and the failure is handled; since v1.21 pods that the room may help hear of it."""
        queue, hints, uid = self._context.queue, self._context.rules.hints, cycle.pod.metadata.uid
        self.undo(cycle)
        if hints and not failure.rejected:
            queue.move(ASSIGNED_POD_DELETE, cycle.assumed)
        yield from self._failures.handle(cycle, failure, NO_NOMINATION if hints else None)
        if hints and failure.rejected:
            queue.move(ASSIGNED_POD_DELETE, cycle.assumed, None, lambda pod: pod.metadata.uid != uid)

    # -- since v1.20: Permit has run, its wait is here

    def _permitted(self, cycle: Cycle) -> Steps:
        context, rules, pod, node = self._context, self._context.rules, cycle.pod, cycle.node
        waiting = context.waiting.get(pod)
        prepares = cycle.framework.has("pre_bind") or self._volumes.has_work(pod)
        if rules.expects_node and (prepares or waiting is not None):
            yield context.env.timeout(context.latencies.status)
            write_status(context, pod, nominated=node)
        if waiting is not None and (status := (yield from self._wait(cycle, waiting))) is not None:
            return refused_on(node, told(status, pod, rules), rules.hints)
        context.queue.done(pod)
        context.step(pod, PRE_BIND, node)
        if prepares and (status := (yield from self._pre_bind(cycle))) is not None:
            return Failure(status.message, False)
        status = yield from self._bind(cycle)
        if status is None:
            return None
        rejected = "" if rules.hints else "binding rejected: "
        return Failure(rejected + status.message, rules.hints and status.rejected)

    def _wait(self, cycle: Cycle, waiting: WaitingPod) -> Generator[Any, Any, Status | None]:
        """Wait until the pod is allowed, or rejected, or out of time."""
        context, since = self._context, self._context.now
        context.step(cycle.pod, WAIT_ON_PERMIT, cycle.node, ", ".join(name for name in waiting.pending if name))
        status: Status | None = yield waiting.decided
        context.waiting.remove(cycle.pod)
        result = "Success" if status is None else status.code
        context.metrics.waited(result, context.now - since)
        context.step(cycle.pod, WAIT_ON_PERMIT, cycle.node, "allowed" if status is None else status.message)
        return status

    def _pre_bind(self, cycle: Cycle) -> Generator[Any, Any, Status | None]:
        """Bind the volumes, then run PreBind; preemption can end it (v1.37: pods_in_prebind_map.go)."""
        env, uid = self._context.env, cycle.pod.metadata.uid
        cancelled = self._in_pre_bind[uid] = env.event()
        task = env.process(self._pre_bind_steps(cycle))
        yield task | cancelled
        del self._in_pre_bind[uid]
        if cancelled.triggered and not task.triggered:
            task.defused = True
            task.interrupt(cancelled.value)
            return Status(ERROR, str(cancelled.value))
        status: Status | None = task.value
        return status

    def _pre_bind_steps(self, cycle: Cycle) -> Generator[Any, Any, Status | None]:
        context, pod, node = self._context, cycle.pod, cycle.node
        if self._volumes.has_work(pod):
            context.step(pod, BIND_VOLUMES, node)
            if fault := (yield from self._volumes.bind(pod, node)):
                return Status(ERROR, f'running PreBind plugin "VolumeBinding": {fault}')
        status: Status | None = yield from cycle.framework.pre_bind(pod, node)
        return status

    # -- v1.13, v1.16: volumes, Permit with its wait, PreBind, Bind

    def _older(self, cycle: Cycle) -> Steps:
        context, rules, pod, node = self._context, self._context.rules, cycle.pod, cycle.node
        framework = cycle.framework
        if self._volumes.has_work(pod):
            context.step(pod, BIND_VOLUMES, node)
            if fault := (yield from self._volumes.bind(pod, node)):
                return Failure(fault, False, reason=VOLUMES_REASON)
        if PERMIT in rules.points:
            waits, status = framework.permit(pod, node)
            context.step(pod, PERMIT, node, status.message if status else ", ".join(waits))
            if waits:
                waiting = WaitingPod(context.env, pod, waits, rules)
                context.waiting.add(waiting)
                status = yield from self._wait(cycle, waiting)
                status = status and told(status, pod, rules)
            if status is not None:
                return Failure(status.message, status.rejected)
        if "pre_bind" in rules.points:
            context.step(pod, PRE_BIND, node)
            if (status := (yield from framework.pre_bind(pod, node))) is not None:
                return Failure(status.message, status.rejected)
        if (status := (yield from self._bind(cycle))) is None:
            return None
        reason = BINDING_REASON if rules.probe_time else ERROR_REASON
        return Failure(status.message, False, event=f"Binding rejected: {status.message}", reason=reason)

    # -- what all share

    def _bind(self, cycle: Cycle) -> Generator[Any, Any, Status | None]:
        """Run Bind, by default through the API server; tell it, and run PostBind."""
        context, pod, node, framework = self._context, cycle.pod, cycle.node, cycle.framework
        context.step(pod, BIND, node)
        answer: Status | Skip | None = Skip()
        if framework.has("bind"):
            answer = yield from framework.bind(pod, node)
        if isinstance(answer, Skip):
            yield context.env.timeout(context.latencies.bind)
            answer = self._call(pod, node)
        context.cache.finish_binding(pod)
        if answer is not None:
            return answer
        self._volumes.done(pod)
        metadata = pod.metadata
        text = f"Successfully assigned {metadata.namespace}/{metadata.name} to {node}"
        context.broadcaster.record(pod, NORMAL, "Scheduled", text)
        context.metrics.attempted(SCHEDULED, framework.name, context.now - cycle.start)
        context.metrics.scheduled(cycle.queued.attempts, context.now - context.came.pop(metadata.uid, cycle.start))
        if "post_bind" in context.rules.points:
            context.step(pod, POST_BIND, node, "; ".join(framework.post_bind(pod, node)))
        return None

    def _call(self, pod: Pod, node: str) -> Status | None:
        """POST the binding."""
        metadata = pod.metadata
        try:
            self._context.api.bind(metadata.namespace, metadata.name, metadata.uid, node, by=self._context.name)
        except ApiError as error:
            words = "" if self._context.rules.old_words else 'running Bind plugin "DefaultBinder": '
            return Status(ERROR, f"{words}{error}")
        return None
