"""Binds a pod to its chosen node: assume and reserve in the loop, then bind in a separate task.

``cycle_orders`` has the two orders of these steps. v1.37: pkg/scheduler/schedule_one.go (assumeAndReserve,
runBindingCycle, bindingCycle, handleBindingCycleError). v1.20, v1.16, v1.13: scheduler.go, scheduleOne.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any

import simpy

from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import ERROR, Skip, Status
from kschedlab.queue.events import ASSIGNED_POD_DELETE
from kschedlab_configuration.extenders.extender import ExtenderError
from kschedlab_simulation.events import NORMAL
from kschedlab_simulation.scheduler.cache import CacheError
from kschedlab_simulation.scheduler.context import (
    ASSUME,
    BIND,
    BIND_VOLUMES,
    FORGET,
    PERMIT,
    POST_BIND,
    RESERVE,
    UNRESERVE,
    WAIT_ON_PERMIT,
    Context,
    Cycle,
)
from kschedlab_simulation.scheduler.device_binding import DeviceBinding
from kschedlab_simulation.scheduler.failure import Failure, Failures
from kschedlab_simulation.scheduler.metrics import SCHEDULED
from kschedlab_simulation.scheduler.volume_binding import VolumeBinding
from kschedlab_simulation.scheduler.waiting_pods import WaitingPod
from kschedlab_simulation.server.interface import answered
from kschedlab_simulation.status import ApiError

Steps = Generator[Any, Any, Failure | None]


class Binding(ABC):
    """Takes a pod from its chosen node until it is bound."""

    def __init__(self, context: Context, failures: Failures, volumes: VolumeBinding) -> None:
        self._context = context
        self._failures = failures
        self._volumes = volumes
        self.devices = DeviceBinding(context)
        self._in_pre_bind: dict[str, simpy.Event] = {}  # by uid: cancels the PreBind that is running

    # -- the order, which differs between generations

    @abstractmethod
    def reserve(self, cycle: Cycle) -> Steps:
        """Finish the scheduling cycle: assume the pod and reserve its node and volumes. A failure undoes all of it."""

    @abstractmethod
    def _steps(self, cycle: Cycle) -> Steps:
        """The binding cycle until the pod is bound or fails."""

    @abstractmethod
    def _undo(self, cycle: Cycle) -> Generator[Any, Any, bool]:
        """Unreserve the pod's node and volumes, and forget the pod. False if it could not be forgotten."""

    # -- the cycle as a whole

    def cancel(self, pod: Pod, why: str) -> bool:
        """Cancel the pod's PreBind. False if it is not running."""
        cancelled = self._in_pre_bind.get(pod.metadata.uid)
        if cancelled is None or cancelled.triggered:
            return False
        cancelled.succeed(why)
        return True

    def run(self, cycle: Cycle) -> Generator[Any, Any, None]:
        """Run the binding cycle and handle its failure."""
        context = self._context
        context.metrics.binding(+1)
        failure = yield from self._steps(cycle)
        if failure is not None:
            yield from self._fail(cycle, failure)
        context.metrics.binding(-1)

    def _fail(self, cycle: Cycle, failure: Failure) -> Generator[Any, Any, None]:
        """Undo the cycle and handle the failure; if the rules say so, move pods that may fit into the freed resources.

        v1.37: schedule_one.go, handleBindingCycleError: a rejected pod is not moved by its own failure, and a pod that
        could not be forgotten frees nothing.
        """
        queue, moves = self._context.queue, self._context.rules.moves_pods_after_failed_binding
        moves = (yield from self._undo(cycle)) and moves
        if moves and not failure.rejected:
            queue.move(ASSIGNED_POD_DELETE, cycle.assumed)
        yield from self._failures.handle(cycle, failure, self._failures.no_nomination)
        if moves and failure.rejected:
            queue.move(ASSIGNED_POD_DELETE, cycle.assumed, None, lambda pod: pod.metadata.uid != cycle.pod.metadata.uid)

    # -- steps that both orders share

    def _assume(self, cycle: Cycle) -> str:
        """Assume the pod in the cache and remove its nomination. Returns the cache's error, or ""."""
        context = self._context
        try:
            cycle.assumed = context.cache.assume_pod(cycle.pod, cycle.node)
        except CacheError as error:
            return str(error)
        context.queue.remove_nomination(cycle.pod)
        context.step(cycle.pod, ASSUME, cycle.node)
        return ""

    def _run_reserve(self, cycle: Cycle) -> Status | None:
        if RESERVE not in self._context.generation.extension_points:
            return None
        status = cycle.framework.reserve(cycle.pod, cycle.node)
        self._context.step(cycle.pod, RESERVE, cycle.node, status.message if status else "")
        return status

    def _run_permit(self, cycle: Cycle) -> tuple[WaitingPod | None, Status | None]:
        """Run Permit. Returns the waiting pod if a plugin asks for a wait, or the status of a rejection or error."""
        context = self._context
        waits, status = cycle.framework.permit(cycle.pod, cycle.node)
        context.step(cycle.pod, PERMIT, cycle.node, status.message if status else ", ".join(waits))
        if not waits:
            return None, status
        waiting = WaitingPod(context.env, cycle.pod, waits, context.rules.one_permit_timer, context.messages)
        context.waiting.add(waiting)
        return waiting, status

    def _wait(self, cycle: Cycle, waiting: WaitingPod) -> Generator[Any, Any, Status | None]:
        """Wait until the pod is allowed, rejected or times out."""
        context, since = self._context, self._context.now
        context.step(cycle.pod, WAIT_ON_PERMIT, cycle.node, ", ".join(name for name in waiting.pending if name))
        status: Status | None = yield waiting.decided
        context.waiting.remove(cycle.pod)
        result = "Success" if status is None else status.code
        context.metrics.waited(result, context.now - since)
        context.step(cycle.pod, WAIT_ON_PERMIT, cycle.node, "allowed" if status is None else status.message)
        return None if status is None else waiting.formatted(status)

    def _pre_bind(self, cycle: Cycle) -> Generator[Any, Any, Status | None]:
        """Bind the volumes, then run PreBind; preemption can cancel it (v1.37: pods_in_prebind_map.go)."""
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
        if self.devices.has_work(pod) and (fault := (yield from self.devices.bind(pod, node))):
            return Status(ERROR, f'running PreBind plugin "DynamicResources": {fault}')
        status: Status | None = yield from cycle.framework.pre_bind(pod, node)
        return status

    def _bind(self, cycle: Cycle) -> Generator[Any, Any, Status | None]:
        """Run Bind: an extender, a plugin, or by default the API server; record the event and run PostBind."""
        context, pod, node, framework = self._context, cycle.pod, cycle.node, cycle.framework
        context.step(pod, BIND, node)
        answer: Status | Skip | None = Skip()
        if context.generations[framework.name].extenders:
            answer = yield from self._bind_by_extender(cycle)
        if isinstance(answer, Skip) and framework.has("bind"):
            answer = yield from framework.bind(pod, node)
        if isinstance(answer, Skip):
            yield context.env.timeout(context.latencies.bind)
            answer = yield from self._post_binding(pod, node)
        context.cache.finish_binding(pod)
        if answer is not None:
            return answer
        self._volumes.done(pod)
        self.devices.done(pod)
        metadata = pod.metadata
        text = f"Successfully assigned {metadata.namespace}/{metadata.name} to {node}"
        context.record(pod, NORMAL, "Scheduled", text, "Binding")
        context.metrics.attempted(SCHEDULED, framework.name, context.now - cycle.start)
        context.metrics.scheduled(
            cycle.queued.attempts, context.now - context.queued_since.pop(metadata.uid, cycle.start)
        )
        if "post_bind" in context.generation.extension_points:
            context.step(pod, POST_BIND, node, "; ".join(framework.post_bind(pod, node)))
        return None

    def _bind_by_extender(self, cycle: Cycle) -> Generator[Any, Any, Status | Skip | None]:
        """Let an extender bind, which posts the binding itself. Skip if none does. v1.37: extendersBinding."""
        from kschedlab_configuration.extenders.run import binders, checked, error_text

        context, pod, node = self._context, cycle.pod, cycle.node
        generation = context.generations[cycle.framework.name]
        for extender, falls_back in binders(pod, checked(generation.extenders), generation.extending):
            yield context.env.timeout(context.latencies.bind)
            try:
                extender.bind(pod, node)
            except ExtenderError as error:
                text = error_text(error, generation.extending)
                context.step(pod, BIND, node, f"{extender.name}: {text}")
                if falls_back:
                    continue
                return Status(ERROR, text)
            return (yield from self._post_binding(pod, node, by=extender.name))
        return Skip()

    def _post_binding(self, pod: Pod, node: str, by: str = "") -> Generator[Any, Any, Status | None]:
        """POST the binding. ``by``: who does, the scheduler by default."""
        metadata = pod.metadata
        try:
            by_whom = by or self._context.name
            yield from answered(
                self._context.api.bind(metadata.namespace, metadata.name, metadata.uid, node, by=by_whom)
            )
        except ApiError as error:
            return Status(ERROR, str(error) if by else self._context.messages.default_binder.format(message=error))
        return None

    def _run_bind(self, cycle: Cycle) -> Steps:
        """Run Bind. Returns the failure with the generation's messages."""
        status = yield from self._bind(cycle)
        if status is None:
            return None
        messages = self._context.messages
        message, event = (t.format(message=status.message) for t in (messages.binding_failed, messages.binding_event))
        reason = "" if status.rejected else messages.binding_reason
        return Failure(message, status.rejected, event=event, reason=reason)

    def _unreserve(self, cycle: Cycle, last_first: bool) -> Generator[Any, Any, None]:
        framework = cycle.framework
        if framework.has("unreserve"):
            faults = framework.unreserve(cycle.pod, cycle.node, last_first)
            self._context.step(cycle.pod, UNRESERVE, cycle.node, "; ".join(faults))
        yield from self.devices.forget(cycle.pod)
        self._volumes.forget(cycle.pod)

    def _forget(self, cycle: Cycle) -> bool:
        """Forget the pod, unless another scheduler has bound it meanwhile: then the cache knows better."""
        try:
            self._context.cache.forget_pod(cycle.pod)
        except CacheError as error:
            self._context.step(cycle.pod, FORGET, cycle.node, str(error))
            return False
        self._context.step(cycle.pod, FORGET, cycle.node)
        return True
