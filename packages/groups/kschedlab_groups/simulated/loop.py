"""The scheduling loop with pod groups: one cycle decides for all pods of a group that wait.

v1.37: pkg/scheduler/schedule_one_podgroup.go (scheduleOnePodGroup, submitPodGroupAlgorithmResult,
updatePodGroupCondition).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from kschedlab.objects.meta import Condition, Time
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.scheduler import Scheduler
from kschedlab_groups.cycle import GroupDecision, PodVerdict, decide, fault
from kschedlab_groups.group import SUCCESS
from kschedlab_groups.queue import WithGroups
from kschedlab_groups.queued_group import QueuedGroup, key_of
from kschedlab_groups.simulated.evictions import GroupEvictions
from kschedlab_groups.simulated.plugin import GroupStates
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import POP, SCHEDULE, Context
from kschedlab_simulation.scheduler.device_binding import give_back
from kschedlab_simulation.scheduler.failure import ERROR_REASON, UNSCHEDULABLE_REASON, Failure, Failures
from kschedlab_simulation.scheduler.loop import Loop
from kschedlab_simulation.server.interface import answered
from kschedlab_simulation.status import ApiError

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import GivenBack

SCHEDULED = "PodGroupInitiallyScheduled"
Run = Generator[Any, Any, None]


class GroupLoop(Loop):
    """Runs scheduleOne for pods and for groups."""

    def __init__(
        self,
        context: Context,
        engine: Scheduler,
        failures: Failures,
        binding: Binding,
        evictions: GroupEvictions,
        states: GroupStates,
    ) -> None:
        super().__init__(context, engine, failures, binding, evictions)
        self._evictions, self._states = evictions, states

    def tries(self) -> dict[str, int]:
        """The number of attempts of each group that backs off, by the keys of its pods."""
        queue = self._context.queue
        assert isinstance(queue, WithGroups)
        return queue.tries()

    def schedule_one(self, queued: Any) -> Run:
        """One scheduling cycle, of a pod or of a group."""
        one = self._schedule_group if isinstance(queued, QueuedGroup) else super().schedule_one
        yield from one(queued)

    def _schedule_group(self, entry: QueuedGroup) -> Run:
        queue, context = self._context.queue, self._context
        assert isinstance(queue, WithGroups)
        key = key_of(entry.group)
        for member in entry.members:
            context.step(member.pod, POP)
        group = self._states.groups[key]
        waiting = [member.pod for member in entry.members]
        why = fault(group, waiting, self._states.scheduled(key), self._group_decides(waiting[0]))
        members = [member for member in entry.members if not self._skipped(member.pod)]
        if why:
            yield from self._not_tried(members, group, why)
            queue.add_attempted(entry, succeeded=False, rejected=False)
            return
        if not members:
            queue.add_attempted(entry, succeeded=True, rejected=False)
            return
        decision = self._decide_group(group, members)
        tried = sum(pod.decision is not None for pod in decision.pods)
        yield context.env.timeout(context.latencies.cycle * max(tried, 1))
        for claim in decision.given_back:
            yield from self._give_back(group, claim)
        if decision.preemption is not None:
            yield context.env.timeout(context.latencies.preempt)
            if decision.waits and decision.preemption.victims:
                victims = [victim.pod for victim in decision.preemption.victims]
                self._evictions.evict_for(group, members[0].pod, victims)
        for member, verdict in zip(members, decision.verdicts, strict=True):
            yield from self._carry_out(member, verdict)
        yield from self._report(group, decision)
        queue.add_attempted(entry, decision.tried.code == SUCCESS, decision.tried.rejected)

    def _group_decides(self, pod: Pod) -> bool:
        return self._context.generations[pod.spec.schedulerName].turned_on("PodGroupPreemptionPolicy")

    def _decide_group(self, group: PodGroup, members: Sequence[QueuedPodInfo]) -> GroupDecision:
        context, engine = self._context, self._engine
        engine.cluster = context.cache.cluster()
        engine.generation = context.generations[members[0].pod.spec.schedulerName]
        pods = [context.cache.info(member.pod) for member in members]
        return decide(engine, group, pods, self._states)

    def _carry_out(self, member: QueuedPodInfo, verdict: PodVerdict) -> Run:
        """Bind the pod in a process of its own, or return it with its message."""
        cycle = self._cycle(member, member.pod)
        self._context.step(member.pod, SCHEDULE, verdict.node, "" if verdict.rejected else verdict.message)
        if not verdict.node:
            reason = UNSCHEDULABLE_REASON if verdict.rejected else ERROR_REASON
            failure = Failure(verdict.message, verdict.rejected, verdict.plugins, reason=reason)
            yield from self._failures.handle(cycle, failure, verdict.nominated)
        else:
            self._binding.devices.expect(member.pod, verdict.taken.devices)
            yield from self._bind(cycle, verdict.node)

    def _give_back(self, group: PodGroup, claim: GivenBack) -> Run:
        try:
            yield from give_back(self._context, claim)
        except ApiError as error:
            self._context.note("podGroup", f"{group.metadata.namespace}/{group.metadata.name}: {error}")

    def _not_tried(self, members: Sequence[QueuedPodInfo], group: PodGroup, why: str) -> Run:
        for member in members:
            failure = Failure(why, False, reason=ERROR_REASON)
            yield from self._failures.handle(self._cycle(member, member.pod), failure, self._failures.no_nomination)
        yield from self._write(group, "False", ERROR_REASON, why)

    def _report(self, group: PodGroup, decision: GroupDecision) -> Run:
        if decision.status.code == SUCCESS:
            yield from self._write(group, "True", "Scheduled", decision.status.message)
        else:
            reason = UNSCHEDULABLE_REASON if decision.status.rejected else ERROR_REASON
            yield from self._write(group, "False", reason, decision.status.message)

    def _write(self, group: PodGroup, status: str, reason: str, message: str) -> Run:
        """A group that was scheduled once stays so. The condition's time is that of the last change of its status."""
        context, metadata = self._context, group.metadata
        known = next((each for each in group.status.conditions if each.type == SCHEDULED), None)
        if known is not None and known.status == "True" and status != "True":
            return
        since = known.lastTransitionTime if known is not None and known.status == status else None
        since = Time.whole_second(context.now) if since is None else since
        condition = Condition(SCHEDULED, status, reason, message, metadata.generation, since)
        if known is not None and _same(known, condition):
            return
        yield context.env.timeout(context.latencies.status)
        where = metadata.namespace, metadata.name, metadata.uid
        try:
            yield from answered(context.api.patch_status(PodGroup, *where, by=context.name, conditions=[condition]))
        except ApiError as error:
            context.note("podGroup", f"{metadata.namespace}/{metadata.name}: {error}")


def _same(one: Condition, other: Condition) -> bool:
    fields = ("status", "reason", "message", "observedGeneration")
    return all(getattr(one, field) == getattr(other, field) for field in fields)
