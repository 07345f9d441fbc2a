"""Returns a pod that could not be scheduled or bound to the queue, with an event and a condition.

v1.37: pkg/scheduler/schedule_one.go, handleSchedulingFailure. v1.13 to v1.20: scheduler.go (recordSchedulingFailure)
and factory.go (MakeDefaultErrorFunc).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from kschedlab.objects.meta import Time
from kschedlab.objects.model import Pod, PodCondition
from kschedlab.plugins.framework import Status
from kschedlab_simulation.events import WARNING
from kschedlab_simulation.pods import SCHEDULED
from kschedlab_simulation.scheduler.context import FAIL, Context, Cycle
from kschedlab_simulation.scheduler.metrics import ERROR, UNSCHEDULABLE
from kschedlab_simulation.scheduler.pod_status import write_status

UNSCHEDULABLE_REASON, ERROR_REASON = "Unschedulable", "SchedulerError"
VOLUMES_REASON = "VolumeBindingFailed"
NO_NOMINATION = ""


class Failure(NamedTuple):
    """Why an attempt failed. ``message``, ``reason``: the condition's; ``event``: the event's message, if it differs.

    ``rejected``: ``plugins`` rejected the pod; otherwise an error occurred.
    """

    message: str
    rejected: bool
    plugins: tuple[str, ...] = ()
    event: str = ""
    reason: str = ""


def refused_on_node(status: Status, template: str) -> Failure:
    """The failure of Reserve, Permit or PreBind on the chosen node; ``template``: the message of a rejection."""
    if not status.rejected:
        return Failure(status.message, False)
    return Failure(template.format(message=status.message), True, (status.plugin,))


class Failures:
    """Handles failed attempts."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def no_nomination(self) -> str | None:
        """The default of ``nominated`` in :meth:`handle`: "" clears the nominated node, None keeps it."""
        return NO_NOMINATION if self._context.rules.clears_nomination else None

    def handle(self, cycle: Cycle, failure: Failure, nominated: str | None = None) -> Generator[Any, Any, None]:
        """Return the pod to the queue, record the event and write the condition.

        ``nominated``: the new nominated node; "" clears it, None keeps it.
        """
        context, rules = self._context, self._context.rules
        context.step(cycle.pod, FAIL, cycle.node, failure.event or failure.message)
        result = UNSCHEDULABLE if failure.rejected else ERROR
        context.metrics.attempted(result, cycle.framework.name, context.now - cycle.start)
        pod = self._requeue(cycle, failure)
        if pod is None:
            return
        if rules.queues_nomination:
            newest = cycle.queued.pod
            context.queue.nominate(newest, newest.status.nominatedNodeName if nominated is None else nominated)
        context.record(pod, WARNING, "FailedScheduling", failure.event or failure.message, "Scheduling")
        if context.latencies.status:
            yield context.env.timeout(context.latencies.status)
        yield from write_status(context, pod, self._condition(pod, failure), nominated)

    def _condition(self, pod: Pod, failure: Failure) -> PodCondition:
        rules = self._context.rules
        reason = failure.reason or (UNSCHEDULABLE_REASON if failure.rejected else ERROR_REASON)
        probed = Time.whole_second(self._context.now) if rules.sets_probe_time else None
        return PodCondition(
            type=SCHEDULED,
            status="False",
            reason=reason,
            message=failure.message,
            observedGeneration=pod.metadata.generation if rules.notes_generation else 0,
            lastProbeTime=probed,
        )

    def _requeue(self, cycle: Cycle, failure: Failure) -> Pod | None:
        """Return the pod to the queue, unless it is deleted or assigned. Returns the pod to report the failure for.

        v1.20 returns an assigned pod, too. None if a new pod has the same name: the failure is not its own.
        """
        context, popped = self._context, cycle.pod
        newest = self._newest(popped)
        if newest is None or (newest.spec.nodeName and not context.rules.requeues_assigned_pods):
            context.queue.done(popped)
            return popped
        if context.rules.checks_uid and newest.metadata.uid != popped.metadata.uid:
            context.queue.done(popped)
            return None
        cycle.queued.record_failure(newest, failure.plugins)
        try:
            context.queue.add_unschedulable(cycle.queued, context.queue.scheduling_cycle)
        except ValueError as error:
            context.step(popped, FAIL, detail=str(error))
        return newest if context.rules.reports_newest_pod else popped

    def _newest(self, pod: Pod) -> Pod | None:
        """The newest version of the pod, from the API server or the informer; None if it is deleted."""
        if not self._context.rules.reads_api:
            return self._context.pods.get(pod.key)
        return self._context.api.find(Pod, pod.metadata.namespace, pod.metadata.name)
