"""The two orders in which a pod that has a node is assumed, reserved, permitted and bound.

v1.37: pkg/scheduler/schedule_one.go (assumeAndReserve, bindingCycle). v1.20, v1.16, v1.13: scheduler.go, scheduleOne.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from kschedlab.plugins.framework import ERROR, Status
from kschedlab.queue.with_events import WithEvents
from kschedlab_simulation.scheduler.binding import Binding, Steps
from kschedlab_simulation.scheduler.context import (
    ASSUME_VOLUMES,
    BIND_VOLUMES,
    PERMIT,
    PRE_BIND,
    Cycle,
)
from kschedlab_simulation.scheduler.failure import VOLUMES_REASON, Failure, refused_on_node
from kschedlab_simulation.scheduler.pod_status import write_status
from kschedlab_simulation.scheduler.rules import CycleOrder


class AssumeFirst(Binding):
    """v1.20, v1.37: assume, volumes, Reserve, Permit; in a separate task: wait on Permit, volumes, PreBind, Bind.

    Unreserve runs in reverse plugin order, before the pod is forgotten.
    """

    def reserve(self, cycle: Cycle) -> Steps:
        """Assume the pod, then its volumes, then run Reserve and Permit."""
        context, node = self._context, cycle.node
        if fault := self._assume(cycle):
            return Failure(fault, False)
        if cycle.pod.spec.volumes:
            context.step(cycle.pod, ASSUME_VOLUMES, node)
        if fault := self._volumes.assume(cycle.pod, node):
            status: Status | None = Status(ERROR, f'running Reserve plugin "VolumeBinding": {fault}')
        elif fault := self.devices.reserve(cycle.pod, node):
            status = Status(ERROR, f'running Reserve plugin "DynamicResources": {fault}')
        else:
            status = self._run_reserve(cycle)
        if status is None:
            _, status = self._run_permit(cycle)
        if status is None:
            return None
        yield from self._undo(cycle)
        return refused_on_node(status, context.messages.refused_on_node)

    def _steps(self, cycle: Cycle) -> Steps:
        context, pod, node = self._context, cycle.pod, cycle.node
        waiting = context.waiting.get(pod)
        prepares = cycle.framework.has("pre_bind") or self._volumes.has_work(pod) or self.devices.has_work(pod)
        if context.rules.nominates_before_binding and (prepares or waiting is not None):
            yield context.env.timeout(context.latencies.status)
            yield from write_status(context, pod, nominated=node)
        if waiting is not None and (status := (yield from self._wait(cycle, waiting))) is not None:
            return refused_on_node(status, context.messages.refused_waiting)
        as_filters = context.rules.pre_bind_rejects_as_filters
        if not as_filters:
            context.queue.done(pod)
        context.step(pod, PRE_BIND, node)
        if prepares and (status := (yield from self._pre_bind(cycle))) is not None:
            if as_filters:
                return refused_on_node(status, context.messages.refused_on_node)
            return Failure(status.message, status.rejected)
        if as_filters:
            context.queue.done(pod)
        return (yield from self._run_bind(cycle))

    def _undo(self, cycle: Cycle) -> Generator[Any, Any, bool]:
        yield from self._unreserve(cycle, last_first=True)
        return self._forget(cycle)


class ReserveFirst(Binding):
    """v1.13, v1.16: volumes, Reserve, assume; in a separate task: volumes, Permit and its wait, PreBind, Bind.

    The pod is forgotten before Unreserve runs in plugin order.
    """

    def reserve(self, cycle: Cycle) -> Steps:
        """Assume the volumes, run Reserve, assume the pod."""
        yield from ()  # no time passes
        context = self._context
        context.step(cycle.pod, ASSUME_VOLUMES, cycle.node)
        if fault := self._volumes.assume(cycle.pod, cycle.node):
            return Failure(fault, False, event=f"AssumePodVolumes failed: {fault}")
        if (status := self._run_reserve(cycle)) is not None:
            return Failure(status.message, status.rejected)
        if fault := self._assume(cycle):
            cycle.framework.unreserve(cycle.pod, cycle.node, last_first=False)
            return Failure(fault, False, event=f"AssumePod failed: {fault}")
        return None

    def _steps(self, cycle: Cycle) -> Steps:
        context, pod, node = self._context, cycle.pod, cycle.node
        if self._volumes.has_work(pod):
            context.step(pod, BIND_VOLUMES, node)
            if fault := (yield from self._volumes.bind(pod, node)):
                message = context.messages.binding_failed.format(message=fault)
                return Failure(message, False, event=fault, reason=VOLUMES_REASON)
        if PERMIT in context.generation.extension_points:
            waiting, status = self._run_permit(cycle)
            if waiting is not None:
                status = yield from self._wait(cycle, waiting)
            if status is not None:
                return refused_on_node(status, context.messages.refused_waiting)
        if isinstance(context.queue, WithEvents):  # the older queues do not track popped pods
            context.queue.done(pod)
        if "pre_bind" in context.generation.extension_points:
            context.step(pod, PRE_BIND, node)
            if (status := (yield from cycle.framework.pre_bind(pod, node))) is not None:
                return Failure(status.message, status.rejected)
        return (yield from self._run_bind(cycle))

    def _undo(self, cycle: Cycle) -> Generator[Any, Any, bool]:
        forgotten = self._forget(cycle)
        yield from self._unreserve(cycle, last_first=False)
        return forgotten


ORDERS: dict[CycleOrder, type[Binding]] = {CycleOrder.ASSUME_FIRST: AssumeFirst, CycleOrder.RESERVE_FIRST: ReserveFirst}
