"""Kubernetes' own cases of pod groups in the queue.

v1.37: pkg/scheduler/backend/queue/scheduling_queue_test.go (AddPodGroupMember, DeletePodGroupMember,
UpdatePodGroupMember, AddPodGroup, UpdatePodGroup, DeletePodGroup, AddAttemptedPodGroupIfNeeded). A pod whose name
starts with "gated" does not pass PreEnqueue, and any change of a pod may help it.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from kschedlab.objects.model import ObjectMeta, Pod, PodGroup, PodSchedulingGroup, PodSpec, PodStatus
from kschedlab.queue.events import FORCE_ACTIVATE, Registration, event
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab_groups.queue import WithGroups
from kschedlab_groups.queued_group import QueuedGroup

GROUP = PodGroup(metadata=ObjectMeta(name="pg", namespace="default"))
KEY = "default", "pg"
HINTS = (Registration("Gate", event("Pod", "UpdatePodLabel"), lambda pod, old, new: True),)
SECOND = 1_000_000
NEW, ACTIVE, BACKOFF, UNSCHEDULABLE = "new", "active", "backoff", "unschedulable"
POPPED, INCOMPLETE, GATED = "popped", "incomplete", "gated"


def pod(name: str) -> Pod:
    spec = PodSpec(schedulingGroup=PodSchedulingGroup(podGroupName="pg"))
    uid = name.removeprefix("gated-")
    return Pod(metadata=ObjectMeta(name=uid, namespace="default", uid=uid, labels={"made": name}), spec=spec)


def is_gated(pod: Pod) -> bool:
    return pod.metadata.labels["made"].startswith("gated-")


class Stage:
    """A queue with these pods in this state."""

    def __init__(self, state: str, names: Sequence[str] = (), returning: Sequence[str] = (), **options: Any) -> None:
        self.now = 1000 * SECOND
        self.queue = WithGroups(lambda: self.now, HINTS, {"Gate": is_gated}, **options)
        if state != INCOMPLETE:
            self.queue.add_group(GROUP)
        for name in names:
            self.queue.add(pod(name))
        self.popped: Any = self.queue.pop() if state in (POPPED, BACKOFF) and names else None
        if state == BACKOFF and names:
            self.fail(succeeded=False, rejected=True)
        if state == UNSCHEDULABLE and names:
            taken = self.queue._take(KEY)
            assert taken is not None
            entry: Any = taken[0]
            self.queue._to_unschedulable(entry, "UnscheduledPodAdd")
        for name in returning:
            self.queue.add(pod(name))

    def fail(self, succeeded: bool, rejected: bool, back: Sequence[Any] | None = None) -> None:
        """The cycle of the popped group ends. ``back``: the pods that return, by default all."""
        for member in list(self.popped.members if back is None else back):
            self.queue.add_unschedulable(member, self.queue.scheduling_cycle)
        self.queue.add_attempted(self.popped, succeeded, rejected)

    @property
    def entry(self) -> QueuedGroup | None:
        return self.queue._entry(KEY)

    @property
    def state(self) -> tuple[str, int, bool]:
        """The part of the queue, the number of pods, and whether a gate blocks them."""
        entry = self.entry
        return (entry.part, len(entry.members), bool(entry.gate)) if entry is not None else ("", 0, False)

    @property
    def apart(self) -> tuple[list[str], list[str]]:
        """The pods that wait for the group, and those that wait for the end of its cycle."""
        incomplete, returning = self.queue._incomplete.get(KEY, {}), self.queue._returning.get(KEY, {})
        names = ([each.pod.metadata.labels["made"] for each in found.values()] for found in (incomplete, returning))
        return next(names), next(names)


class Case(NamedTuple):
    """``change``: what happens to which pod; ``after``: the state, see Stage; ``apart``: see Stage."""

    state: str
    pods: Sequence[str]
    change: str
    of: str
    after: tuple[str, int, bool] = ("", 0, False)
    apart: tuple[list[str], list[str]] = ([], [])
    returning: Sequence[str] = ()


MEMBERS = {
    "the first pod": Case(NEW, (), "add", "p1", (ACTIVE, 1, False)),
    "a gated first pod": Case(NEW, (), "add", "gated-p1", (UNSCHEDULABLE, 1, True)),
    "during the cycle": Case(POPPED, ("p1",), "add", "p2", apart=([], ["p2"])),
    "gated, during the cycle": Case(POPPED, ("p1",), "add", "gated-p2", apart=([], ["gated-p2"])),
    "to an active group": Case(ACTIVE, ("p1",), "add", "p2", (ACTIVE, 2, False)),
    "gated, to an active group": Case(ACTIVE, ("p1",), "add", "gated-p2", (UNSCHEDULABLE, 2, True)),
    "to a group in backoff": Case(BACKOFF, ("p1",), "add", "p2", (BACKOFF, 2, False)),
    "gated, to a group in backoff": Case(BACKOFF, ("p1",), "add", "gated-p2", (UNSCHEDULABLE, 2, True)),
    "to an unschedulable group": Case(UNSCHEDULABLE, ("p1",), "add", "p2", (UNSCHEDULABLE, 2, False)),
    "gated, to an unschedulable group": Case(UNSCHEDULABLE, ("p1",), "add", "gated-p2", (UNSCHEDULABLE, 2, False)),
    "to a gated group": Case(GATED, ("gated-p1",), "add", "p2", (UNSCHEDULABLE, 2, True)),
    "before the group": Case(INCOMPLETE, (), "add", "p1", apart=(["p1"], [])),
    "another before the group": Case(INCOMPLETE, ("p1",), "add", "p2", apart=(["p1", "p2"], [])),
    "gone, during the cycle": Case(POPPED, ("p1",), "delete", "p2", returning=("p2",)),
    "one of two gone, during the cycle": Case(
        POPPED, ("p1",), "delete", "p2", apart=([], ["p3"]), returning=("p2", "p3")
    ),
    "the only one gone, active": Case(ACTIVE, ("p1",), "delete", "p1"),
    "one of two gone, active": Case(ACTIVE, ("p1", "p2"), "delete", "p2", (ACTIVE, 1, False)),
    "the only one gone, in backoff": Case(BACKOFF, ("p1",), "delete", "p1"),
    "one of two gone, in backoff": Case(BACKOFF, ("p1", "p2"), "delete", "p2", (BACKOFF, 1, False)),
    "the only one gone, unschedulable": Case(UNSCHEDULABLE, ("p1",), "delete", "p1"),
    "one of two gone, unschedulable": Case(UNSCHEDULABLE, ("p1", "p2"), "delete", "p2", (UNSCHEDULABLE, 1, False)),
    "an unknown one gone": Case(ACTIVE, ("p1",), "delete", "p9", (ACTIVE, 1, False)),
    "the gated one gone, which nothing looks at": Case(
        GATED, ("p1", "gated-p2"), "delete", "gated-p2", (UNSCHEDULABLE, 1, True)
    ),
    "one of two gated ones gone": Case(
        GATED, ("p1", "gated-p2", "gated-p3"), "delete", "gated-p2", (UNSCHEDULABLE, 2, True)
    ),
    "gone before the group": Case(INCOMPLETE, ("p1",), "delete", "p1"),
    "one of two gone before the group": Case(INCOMPLETE, ("p1", "p2"), "delete", "p1", apart=(["p2"], [])),
    "changed, active": Case(ACTIVE, ("p1", "p2"), "update", "p2", (ACTIVE, 2, False)),
    "changed, in backoff": Case(BACKOFF, ("p1", "p2"), "update", "p2", (BACKOFF, 2, False)),
    "changed, during the cycle": Case(POPPED, ("p1",), "update", "p2", apart=([], ["p2"]), returning=("p2",)),
    "its gate is gone": Case(GATED, ("gated-p1",), "update", "p1", (ACTIVE, 1, False)),
    "changed, but gated": Case(GATED, ("gated-p1",), "update", "gated-p1", (UNSCHEDULABLE, 1, True)),
    "the gate of one of two is gone": Case(GATED, ("gated-p1", "gated-p2"), "update", "p1", (UNSCHEDULABLE, 2, True)),
    "an unknown one changed": Case(NEW, (), "update", "p9", (ACTIVE, 1, False)),
    "changed before the group": Case(INCOMPLETE, ("p2",), "update", "p2", apart=(["p2"], [])),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_pods(name: str) -> None:
    case = MEMBERS[name]
    stage = Stage(case.state, case.pods, case.returning)
    changed = pod(case.of)
    if case.change == "update":
        before = [*case.pods, *case.returning]
        old = next((pod(each) for each in before if pod(each).key == changed.key), changed)
        changed = replace(changed, metadata=replace(changed.metadata, labels=changed.metadata.labels | {"new": "1"}))
        stage.queue.update(old, changed)
    elif case.change == "add":
        stage.queue.add(changed)
    else:
        stage.queue.delete(changed)
    assert (stage.state, stage.apart) == (case.after, case.apart)


ADDED = {
    "without pods": ((), ("", 0, False)),
    "with pods": (("p1", "p2"), (ACTIVE, 2, False)),
    "with a gated pod": (("gated-p1", "p2"), (UNSCHEDULABLE, 2, True)),
}


@pytest.mark.parametrize("name", ADDED)
def test_a_new_group(name: str) -> None:
    pods, after = ADDED[name]
    stage = Stage(INCOMPLETE, pods)
    stage.queue.add_group(GROUP)
    assert (stage.state, stage.apart) == (after, ([], []))


STATES = {
    ACTIVE: (("p1", "p2"), (ACTIVE, 2, False)),
    BACKOFF: (("p1", "p2"), (BACKOFF, 2, False)),
    UNSCHEDULABLE: (("p1", "p2"), (UNSCHEDULABLE, 2, False)),
    GATED: (("gated-p1", "p2"), (UNSCHEDULABLE, 2, True)),
    POPPED: (("p1", "p2"), ("", 0, False)),
    NEW: ((), ("", 0, False)),
}


@pytest.mark.parametrize("state", STATES)
def test_a_changed_group(state: str) -> None:
    pods, after = STATES[state]
    stage = Stage(state, pods)
    stage.queue.update_group(replace(GROUP, metadata=replace(GROUP.metadata, generation=2)))
    assert stage.state == after
    assert stage.entry is None or stage.entry.group.metadata.generation == 2


@pytest.mark.parametrize("state", STATES)
def test_a_deleted_group(state: str) -> None:
    pods, _ = STATES[state]
    stage = Stage(state, pods)
    stage.queue.delete_group(GROUP)
    assert (stage.state, stage.apart) == (("", 0, False), ([] if state == POPPED else list(pods), []))


def test_the_pods_of_a_deleted_group_are_known_to_wait_apart() -> None:
    moves = list[tuple[str, str]]()
    stage = Stage(ACTIVE, ("p1", "p2"), on_moved=lambda pod, _, part, why: moves.append((pod.metadata.name, part)))
    moves.clear()
    stage.now += SECOND
    stage.queue.delete_group(GROUP)
    assert moves == [("p1", UNSCHEDULABLE), ("p2", UNSCHEDULABLE)]
    assert {place.since for place in stage.queue.places().values()} == {stage.now}


def test_a_group_deleted_during_its_cycle() -> None:
    stage = Stage(POPPED, ("p1",), ("p2", "p3"))
    stage.queue.delete_group(GROUP)
    assert (stage.state, stage.apart) == (("", 0, False), (["p2", "p3"], []))


# (succeeded, rejected, whether there is backoff, whether a gate blocks a pod, the part, unschedulable, errors)
ATTEMPTS = {
    "an error, without backoff": (False, False, False, False, ACTIVE, 0, 1),
    "unschedulable, without backoff": (False, True, False, False, ACTIVE, 1, 0),
    "unschedulable, without backoff, and gated": (False, True, False, True, UNSCHEDULABLE, 1, 0),
    "an error": (False, False, True, False, BACKOFF, 0, 1),
    "unschedulable": (False, True, True, False, BACKOFF, 1, 0),
    "an error, and gated": (False, False, True, True, UNSCHEDULABLE, 0, 1),
    "a success that leaves pods behind": (True, False, True, False, ACTIVE, 0, 0),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_after_an_attempt(name: str) -> None:
    succeeded, rejected, backs_off, gated, part, unschedulable, errors = ATTEMPTS[name]
    stage = Stage(POPPED, ("p1", "p2"), **({} if backs_off else {"initial_backoff": 0, "max_backoff": 0}))
    stage.popped.error_count = 5 if rejected or succeeded else 0
    before = stage.popped.timestamp
    if gated:
        blocked = stage.popped.members[0]
        blocked.update(pod("gated-p1"))
    stage.now += SECOND
    stage.fail(succeeded, rejected)
    entry = stage.entry
    assert entry is not None and stage.state[:2] == (part, 2)
    assert (entry.unschedulable_count, entry.error_count) == (unschedulable, errors)
    assert entry.timestamp == (before if succeeded else stage.now)


def test_after_an_attempt_nothing_is_left() -> None:
    stage = Stage(POPPED, ("p1",))
    stage.fail(succeeded=True, rejected=False, back=())
    assert stage.state == ("", 0, False)


def test_after_a_success_new_pods_alone_have_a_new_timestamp() -> None:
    stage = Stage(POPPED, ("p1",), ("p2",))
    stage.now += SECOND
    stage.fail(succeeded=True, rejected=False, back=())
    assert stage.state == (ACTIVE, 1, False)
    assert stage.entry is not None and stage.entry.timestamp == stage.now


def test_a_pod_that_a_success_leaves_behind_keeps_the_timestamp_for_new_ones() -> None:
    stage = Stage(POPPED, ("p1",), ("p2",))
    before = stage.popped.timestamp
    stage.now += SECOND
    stage.fail(succeeded=True, rejected=False)
    assert stage.state == (ACTIVE, 2, False)
    assert stage.entry is not None and stage.entry.timestamp == before


def test_a_group_that_backs_off_tells_of_each_pod_how_often_the_group_was_tried() -> None:
    stage = Stage(BACKOFF, ("p1", "p2"))
    assert [*stage.queue.tries().values()] == [1, 1]


# v1.37: pkg/scheduler/framework/types_test.go, TestPodGroupMemberPodsOrderingFunc


def test_pods_of_a_group_with_equal_timestamps_are_ordered_by_name() -> None:
    stage = Stage(ACTIVE, ["c", "a"])
    stage.now += 1
    stage.queue.add(pod("b"))
    entry: Any = stage.queue.pop()
    assert [each.pod.metadata.name for each in entry.members] == ["a", "c", "b"]


@pytest.mark.parametrize("state", [ACTIVE, INCOMPLETE])
def test_the_nomination_of_a_pod_of_a_group_is_known(state: str) -> None:
    """scheduling_queue.go, addPodGroupMember: nominator.addNominatedPod."""
    stage, nominated = Stage(state), replace(pod("a"), status=PodStatus(nominatedNodeName="n"))
    stage.queue.add(nominated)
    assert stage.queue.nominated("n") == [nominated]
    stage.queue.delete(nominated)
    assert stage.queue.nominated("n") == []


@pytest.mark.parametrize("order", [*permutations(range(5))][::13])
def test_the_order_in_which_a_cycle_takes_the_pods_of_a_group(order: Sequence[int]) -> None:
    """types_test.go, TestPodGroupMemberPodsOrderingFunc: priority, attempts, time, name."""

    def queued(number: int, priority: int, attempts: int, timestamp: int) -> QueuedPodInfo:
        made = pod(f"pod{number}")
        return QueuedPodInfo(replace(made, spec=replace(made.spec, priority=priority)), timestamp, attempts=attempts)

    members = [queued(1, 100, 1, 0), queued(2, 100, 1, SECOND), queued(3, 1000, 1, 0)]
    members += [queued(4, 100, 1, 0), queued(5, 100, 2, 0)]
    group = QueuedGroup(GROUP, 0, 0)
    for place in order:
        group.add(members[place])
    assert [each.pod.metadata.name for each in group.members] == ["pod3", "pod5", "pod1", "pod4", "pod2"]


@pytest.mark.parametrize(("helped", "part"), [((), UNSCHEDULABLE), (("p2",), ACTIVE), (("p1", "p2"), ACTIVE)])
def test_an_event_that_may_help_one_pod_moves_its_group(helped: Sequence[str], part: str) -> None:
    """v1.37: pkg/scheduler/backend/queue/scheduling_queue.go, collectEntitiesToEvaluate."""
    stage = Stage(UNSCHEDULABLE, ("p1", "p2"))
    stage.queue.move(FORCE_ACTIVATE, pre_check=lambda each: each.metadata.name in helped)
    assert stage.state == (part, 2, False)


@pytest.mark.parametrize("state", [UNSCHEDULABLE, BACKOFF])
def test_a_pod_that_is_activated_takes_its_group_along(state: str) -> None:
    stage = Stage(state, ("p1", "p2"))
    stage.queue.activate([pod("p2")])
    assert stage.state == (ACTIVE, 2, False)


def test_a_pod_that_has_returned_from_a_cycle_can_change() -> None:
    stage = Stage(BACKOFF, ("p1",))
    changed = replace(pod("p1"), status=PodStatus(nominatedNodeName="n"))
    stage.queue.update(pod("p1"), changed)
    assert stage.entry is not None and [each.pod for each in stage.entry.members] == [changed]
    assert stage.queue.nominated("n") == [changed]


def test_a_new_pod_of_a_deleted_group_waits_for_it() -> None:
    stage = Stage(ACTIVE, ("p1",))
    stage.queue.delete_group(GROUP)
    stage.queue.add(pod("p2"))
    assert (stage.state, stage.apart) == (("", 0, False), (["p1", "p2"], []))
    assert {place.part for place in stage.queue.places().values()} == {UNSCHEDULABLE}


def test_a_pod_without_a_group_is_an_entry_of_its_own() -> None:
    stage = Stage(NEW)
    alone = replace(pod("p1"), spec=PodSpec())
    changed = replace(alone, spec=PodSpec(priority=7))
    stage.queue.add(alone)
    stage.queue.update(alone, changed)
    assert {key: place.part for key, place in stage.queue.places().items()} == {"default/p1": ACTIVE}
    popped: Any = stage.queue.pop()
    assert popped.pod == changed and not stage.queue.places()
    stage.queue.add_unschedulable(popped, stage.queue.scheduling_cycle)
    assert [*stage.queue.places()] == ["default/p1"]
    stage.queue.delete(changed)
    assert not stage.queue.places()
