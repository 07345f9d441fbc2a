"""The queue of v1.37 with pod groups: a group is one entry, which is popped, rejected and requeued as a whole.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (addPodGroupMember, AddAttemptedPodGroupIfNeeded, AddPodGroup,
DeletePodGroup) and pod_group_member_pods.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.events import (
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_DELETE,
    name_of,
    pod_changes,
)
from kschedlab.queue.interface import GONE, UNSCHEDULABLE, ClusterEvent, Place, PreCheck
from kschedlab.queue.pre_enqueue import is_gated
from kschedlab.queue.queued_pod import NEVER, QueuedPodInfo
from kschedlab.queue.requeueing import AFTER_BACKOFF, IMMEDIATELY, SKIP
from kschedlab.queue.with_events import WithEvents
from kschedlab_groups.queued_group import GroupBackoff, GroupKey, Pods, QueuedGroup, entry_name, group_of, key_of


class WithGroups(WithEvents):
    """The queue of v1.37 with the gate GenericWorkload.

    A pod of a group that does not exist waits apart (``incomplete``); one whose group is being scheduled waits for the
    end of that cycle (``returning``). ``gate_state``: what PreEnqueue's answer about any pod of the pod's group depends
    on besides that pod: while it is the same, only new and changed pods are asked. None: all are, each time.
    """

    gate_state: Callable[[Pod], Hashable] = staticmethod(lambda _: None)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._backoff = GroupBackoff(self._backoff._initial, self._backoff._maximum, self._less, self._backoff.window)
        self._groups: dict[GroupKey, PodGroup] = {}
        self._incomplete: dict[GroupKey, dict[str, QueuedPodInfo]] = {}
        self._returning: dict[GroupKey, dict[str, QueuedPodInfo]] = {}
        self._popped: GroupKey | None = None

    # -- reading

    def places(self) -> dict[str, Place]:
        """The place of each queued pod; the pods of a group are where the group is."""
        places: dict[str, Place] = {}
        for queued in (*self._active, *self._backoff, *self._unschedulable):
            for pod in _pods_of(queued):
                places[pod.key] = Place(queued.part, queued.since)
        for waiting in (*self._incomplete.values(), *self._returning.values()):
            places |= {key: Place(UNSCHEDULABLE, pod.since) for key, pod in waiting.items()}
        return places

    def tries(self) -> dict[str, int]:
        """The number of attempts by pod, for groups that back off."""
        waiting: Any = self._backoff
        groups = (each for each in waiting if isinstance(each, QueuedGroup))
        return {pod.key: group.attempts for group in groups for pod in group.members}

    def __len__(self) -> int:
        return super().__len__() + sum(map(len, self._incomplete.values()))

    # -- pods

    def add(self, pod: Pod) -> None:
        """Add a new pod, to its group if it has one."""
        key = group_of(pod)
        if key is None:
            super().add(pod)
            return
        self._sequence += 1
        queued = QueuedPodInfo(pod, self._now(), self._sequence)
        self._nominated.add(pod)
        self._join(key, queued)

    def _join(self, key: GroupKey, queued: QueuedPodInfo) -> None:
        """addPodGroupMember: the pod joins its group, wherever the group is."""
        group, why = self._groups.get(key), name_of(UNSCHEDULED_POD_ADD)
        if group is None:
            self._incomplete.setdefault(key, {})[queued.key] = queued
            self._set_part(queued, UNSCHEDULABLE, why)
            return
        entry = self._take(key)
        if entry is not None:
            entry[0].add(queued)
            queued.part = entry[0].part
            self._requeue_in(entry[0], entry[1], why)
        elif self._popped == key:
            self._returning.setdefault(key, {})[queued.key] = queued
            self._set_part(queued, UNSCHEDULABLE, why)
        else:
            fresh: Any = QueuedGroup(group, queued.timestamp, queued.sequence, [queued])
            self._to_active_unless_gated(fresh, why)

    def _take(self, key: GroupKey) -> tuple[QueuedGroup, int] | None:
        """Remove the group from its part; with the strategy that returns it there (deleteFromAnyQueue)."""
        name = entry_name(key)
        for remove, strategy in (
            (self._active.delete, IMMEDIATELY),
            (self._backoff.remove, AFTER_BACKOFF),
            (self._unschedulable.remove, SKIP),
        ):
            entry: Any = remove(name)
            if entry is not None:
                return entry, strategy
        return None

    def _requeue_in(self, entry: QueuedGroup, strategy: int, why: str) -> None:
        queued: Any = entry
        self._requeue(queued, strategy, why)
        for member in entry.members:
            member.part = entry.part

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed. A change of a pod may requeue its whole group."""
        key = group_of(new)
        if key is None:
            super().update(old, new)
            return
        old = new if old is None else old
        events = pod_changes(old, new, target=True)
        if new.metadata.uid in self.in_flight:
            for event in events:
                self.in_flight.add_event(event, old, new)
            return
        apart = self._incomplete.get(key, {}).get(new.key) or self._returning.get(key, {}).get(new.key)
        entry: Any = self._entry(key)
        member = apart or next(
            (each for each in (entry.members if entry is not None else ()) if each.key == new.key), None
        )
        if member is None:
            self.add(new)
            return
        member.update(new) if apart is not None else entry.update(member, new)
        self._nominated.update(old, new)
        if apart is None and entry.part == UNSCHEDULABLE:
            for event in events:
                strategy = self._strategy(entry, event, old, new)
                if self._requeue(entry, strategy, name_of(event)) != UNSCHEDULABLE:
                    break

    def _entry(self, key: GroupKey) -> QueuedGroup | None:
        entry: Any = self._find(entry_name(key))
        return entry

    def delete(self, pod: Pod) -> None:
        """Remove a pod; its group goes with its last pod."""
        key = group_of(pod)
        if key is None:
            super().delete(pod)
            return
        self._nominated.delete(pod)
        why = name_of(UNSCHEDULED_POD_DELETE)
        for apart in (self._incomplete, self._returning):
            if (queued := apart.get(key, {}).pop(pod.key, None)) is not None:
                self._notify(queued.pod, UNSCHEDULABLE, GONE, why)
                return
        entry = self._take(key)
        if entry is None:
            return
        group, strategy = entry
        if (removed := group.remove(pod.key)) is not None:
            self._notify(removed.pod, group.part, GONE, why)
        if group.members:
            self._requeue_in(group, strategy, name_of(UNSCHEDULED_POD_ADD))

    # -- groups

    def add_group(self, group: PodGroup) -> None:
        """A PodGroup was created: the pods that waited for it join it."""
        key = key_of(group)
        self._groups[key] = group
        for queued in self._incomplete.pop(key, {}).values():
            self._join(key, queued)

    def update_group(self, group: PodGroup) -> None:
        key = key_of(group)
        self._groups[key] = group
        if (entry := self._entry(key)) is not None:
            entry.group = group

    def delete_group(self, group: PodGroup) -> None:
        """A PodGroup was deleted: its pods wait apart until it returns."""
        key = key_of(group)
        self._groups.pop(key, None)
        entry = self._take(key)
        members = entry[0].members if entry is not None else list(self._returning.pop(key, {}).values())
        for queued in members:
            queued.part = entry[0].part if entry is not None else UNSCHEDULABLE
            self._incomplete.setdefault(key, {})[queued.key] = queued
            self._set_part(queued, UNSCHEDULABLE, "UnscheduledPodUpdate")

    # -- scheduling

    def _track(self, queued: Any) -> bool:
        if not isinstance(queued, QueuedGroup):
            return super()._track(queued)
        queued.attempts += 1
        for member in queued.members:
            super()._track(member)
        self._popped = key_of(queued.group)
        return True

    def add_unschedulable(self, queued: QueuedPodInfo, cycle: int) -> None:
        """Return a popped pod; one of a group waits for the end of the group's cycle."""
        key = group_of(queued.pod)
        if key is None:
            super().add_unschedulable(queued, cycle)
            return
        self._count_failure(queued)
        self.in_flight.done(queued.pod.metadata.uid)
        self._join(key, queued)

    def add_attempted(self, entry: QueuedGroup, succeeded: bool, rejected: bool) -> None:
        """The group's cycle ended (AddAttemptedPodGroupIfNeeded): requeue it with the pods that returned, if any.

        After a success they are tried again at once, before pods of the same priority that came later; otherwise the
        group backs off, and no event ends that wait.
        """
        key = key_of(entry.group)
        self._popped = None
        returned = self._returning.pop(key, {})
        if not returned:
            return
        before = {member.pod.metadata.uid for member in entry.members}
        again = any(queued.pod.metadata.uid in before for queued in returned.values())
        entry.group, entry.members, entry.unasked = self._groups[key], [], {}
        for queued in returned.values():
            entry.add(queued)
        if succeeded:
            entry.error_count = entry.unschedulable_count = 0
        elif rejected:
            entry.unschedulable_count, entry.error_count = entry.unschedulable_count + 1, 0
        else:
            entry.error_count += 1
        if not (succeeded and again):
            self._sequence += 1
            entry.timestamp, entry.sequence = self._now(), self._sequence
        entry.flushed, entry.flushed_at = False, NEVER
        waiting: Any = entry
        entry.part = UNSCHEDULABLE
        self._backoff.set(waiting)
        if not succeeded and self._backoff.is_waiting(waiting, self._now()):
            self._to_backoff_unless_gated(waiting, SCHEDULE_ATTEMPT_FAILURE)
        else:
            self._to_active_unless_gated(waiting, SCHEDULE_ATTEMPT_FAILURE)

    # -- what a group does as its pods do

    def _entry_key(self, pod: Pod) -> str:
        key = group_of(pod)
        return super()._entry_key(pod) if key is None else entry_name(key)

    def _strategy(self, queued: Any, event: ClusterEvent, old: Any, new: Any) -> int:
        """The highest strategy of its pods (isEntityWorthRequeuing). Only a pending plugin asks for the highest."""
        best = SKIP
        for pod in _pods_of(queued):
            if best == SKIP or pod.pending_plugins:
                best = max(best, self._registrations.strategy(pod, event, old, new))
        return best

    def move(self, event: ClusterEvent, old: Any = None, new: Any = None, pre_check: PreCheck | None = None) -> None:
        """Move the entries that the event may help; a group passes the check if any of its pods does."""
        if pre_check is None:
            super().move(event, old, new)
            return
        check = pre_check

        def passes(pod: Pod | Pods) -> bool:
            return any(map(check, pod)) if isinstance(pod, Pods) else check(pod)

        super().move(event, old, new, passes)

    def _stops_at_gate(self, queued: Any, why: str) -> bool:
        if not isinstance(queued, QueuedGroup):
            return super()._stops_at_gate(queued, why)
        state = self.gate_state(queued.members[0].pod)
        everyone = state is None or state != queued.asked_in
        for member in queued.members if everyone else queued.unasked.values():
            is_gated(member, self._gates)
        queued.unasked, queued.asked_in = {}, state
        queued.gate = next((member.gate for member in reversed(queued.members) if member.gate), "")
        if not queued.gate:
            return False
        queued.flushed = False
        waiting: Any = queued
        self._to_unschedulable(waiting, why)
        return True

    def _set_part(self, queued: Any, part: str, why: str) -> None:
        if not isinstance(queued, QueuedGroup):
            super()._set_part(queued, part, why)
            return
        queued.part, queued.since = part, self._now()
        for member in queued.members:
            if member.part != part:
                super()._set_part(member, part, why)


def _pods_of(queued: Any) -> Iterator[QueuedPodInfo]:
    """The pod, or all pods of the group."""
    if isinstance(queued, QueuedGroup):
        yield from queued.members
    else:
        yield queued
