"""The queue of v1.13 as one sees it from outside."""

import pytest

from kschedlab.generations import V1_13
from kschedlab.objects.model import Affinity, LabelSelector, PodAffinity, PodAffinityTerm
from kschedlab.queue.events import ASSIGNED_POD_DELETE, NODE_ADD, event
from kschedlab.queue.interface import ACTIVE, UNSCHEDULABLE, Place
from kschedlab.queue.older.without_backoff import WithoutBackoff
from tests.queue.pods import SECOND, START, Clock, fail, labelled, names, nominated, pod, popped, scheduled

NEAR_WEB = Affinity(
    podAffinity=PodAffinity(
        requiredDuringSchedulingIgnoredDuringExecution=(
            PodAffinityTerm(labelSelector=LabelSelector(matchLabels={"app": "web"}), topologyKey="zone"),
        )
    )
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(clock: Clock) -> WithoutBackoff:
    return WithoutBackoff(clock)


def test_the_generation_has_this_queue(clock) -> None:
    assert isinstance(V1_13.queue(clock), WithoutBackoff)


def test_pods_come_out_by_priority_then_by_age(queue) -> None:
    for name, priority, created in (("a", 0, 1), ("b", 5, 9), ("c", 5, 2), ("d", -1, 0)):
        queue.add(pod(name, priority, created))
    assert popped(queue) == ["c", "b", "a", "d"]
    assert queue.scheduling_cycle == 4
    assert queue.pop() is None


def test_a_refused_pod_waits_until_something_happens(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now)
    assert (names(queue, UNSCHEDULABLE), queue.pop()) == (["a"], None)
    queue.move(NODE_ADD)
    again = queue.pop()
    assert (again.pod.metadata.name, again.attempts) == ("a", 2)


def test_a_pod_that_failed_with_an_error_is_tried_again_at_once(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now, reason="SchedulerError")
    assert names(queue, ACTIVE) == ["a"]


def test_what_happens_while_a_pod_is_tried_may_help_it(queue, clock) -> None:
    queue.add(pod("a"))
    queued = queue.pop()
    queue.move(ASSIGNED_POD_DELETE)
    queued.record_failure(scheduled(queued.pod))
    queue.add_unschedulable(queued, queue.scheduling_cycle)
    assert names(queue, ACTIVE) == ["a"]
    fail(queue, clock.now)
    assert names(queue, UNSCHEDULABLE) == ["a"]


def test_a_tried_pod_goes_behind_others_of_its_priority(queue, clock) -> None:
    for name, created in (("a", -3), ("b", -2)):
        queue.add(pod(name, created=created))
    fail(queue, clock.now)
    queue.move(NODE_ADD)
    assert popped(queue) == ["b", "a"]


def test_a_new_pod_on_a_node_wakes_only_those_that_must_be_near_it(queue, clock) -> None:
    queue.add(pod("a", affinity=NEAR_WEB))
    queue.add(pod("b"))
    for _ in range(2):
        fail(queue, clock.now)
    queue.assigned_pod_added(labelled(pod("db"), app="db"))
    assert names(queue, ACTIVE) == []
    queue.assigned_pod_added(labelled(pod("web"), app="web"))
    assert (names(queue, ACTIVE), names(queue, UNSCHEDULABLE)) == (["a"], ["b"])


def test_a_pod_that_gets_the_right_label_wakes_them_too(queue, clock) -> None:
    queue.add(pod("a", affinity=NEAR_WEB))
    fail(queue, clock.now)
    db = labelled(pod("x"), app="db")
    queue.assigned_pod_updated(db, labelled(db, app="web"), event("AssignedPod", "UpdatePodLabel"))
    assert names(queue, ACTIVE) == ["a"]


def test_after_a_minute_a_pod_is_tried_again_whatever_happened(queue, clock) -> None:
    ((period, flush),) = queue.flushes
    assert period == 30 * SECOND
    queue.add(pod("a"))
    fail(queue, clock.now)
    clock.advance(60)
    flush()
    assert names(queue, UNSCHEDULABLE) == ["a"]
    clock.advance(0.001)
    flush()
    assert names(queue, ACTIVE) == ["a"]


def test_a_pod_that_nobody_knows_the_age_of_is_not_flushed(queue, clock) -> None:
    queue.add(pod("a"))
    queued = queue.pop()
    queued.record_failure(scheduled(queued.pod))
    queue.add_unschedulable(queued, queue.scheduling_cycle)
    clock.advance(1000)
    queue.flush_unschedulable()
    assert names(queue, UNSCHEDULABLE) == ["a"]


def test_a_change_of_the_pod_wakes_it_unless_only_its_status_or_version_is_new(queue, clock) -> None:
    queue.add(pod("a"))
    old = fail(queue, clock.now).pod
    new = nominated(old, "n1")
    queue.update(old, new)
    assert names(queue, UNSCHEDULABLE) == ["a"]
    queue.update(new, labelled(new, app="web"))
    assert names(queue, ACTIVE) == ["a"]


def test_a_changed_priority_changes_the_place(queue) -> None:
    for name in ("a", "b"):
        queue.add(pod(name, created=ord(name)))
    queue.update(pod("b", created=ord("b")), pod("b", 9, created=ord("b")))
    assert popped(queue) == ["b", "a"]


def test_an_update_of_a_pod_that_is_being_tried_puts_it_in_again(queue) -> None:
    queue.add(pod("a"))
    queued = queue.pop()
    queue.update(pod("a"), pod("a", 3))
    assert names(queue, ACTIVE) == ["a"]
    with pytest.raises(ValueError, match="pod is already present in the activeQ"):
        queue.add_unschedulable(queued, queue.scheduling_cycle)
    assert len(queue) == 1


def test_a_deleted_pod_is_gone_with_its_nomination(queue, clock) -> None:
    for name in ("a", "b"):
        queue.add(pod(name, created=ord(name)))
    fail(queue, clock.now)
    for name in ("a", "b"):
        queue.nominate(pod(name), "n1")
        queue.delete(pod(name))
    assert (len(queue), queue.nominated("n1")) == (0, [])


def test_a_pod_that_comes_anew_leaves_where_it_was(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now)
    queue.add(pod("a"))
    assert (names(queue, ACTIVE), names(queue, UNSCHEDULABLE)) == (["a"], [])


def test_nominations_can_be_made_and_withdrawn(queue) -> None:
    queue.nominate(pod("a"), "n1")
    assert [p.metadata.name for p in queue.nominated("n1")] == ["a"]
    queue.remove_nomination(pod("a"))
    assert queue.nominated("n1") == []


def test_pods_can_be_made_active_by_hand(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now)
    queue.activate([pod("a"), pod("unknown")])
    assert names(queue, ACTIVE) == ["a"]


def test_an_event_can_be_for_some_pods_only(queue, clock) -> None:
    for name in ("a", "b"):
        queue.add(pod(name, created=ord(name)))
    for _ in range(2):
        fail(queue, clock.now)
    queue.move(ASSIGNED_POD_DELETE, pre_check=lambda pod: pod.metadata.name == "b")
    assert names(queue, ACTIVE) == ["b"]


def test_every_way_of_a_pod_is_told_with_its_reason(clock) -> None:
    told = []
    queue = WithoutBackoff(clock, on_moved=lambda pod, origin, to, why: told.append((origin, to, why)))
    queue.add(pod("a"))
    queue.update(pod("a"), pod("a", 3))
    fail(queue, clock.now)
    clock.advance(5)
    queue.move(NODE_ADD)
    assert queue.places() == {"default/a": Place(ACTIVE, START + 5 * SECOND)}
    queue.done(queue.pop().pod)
    queue.add(pod("a"))
    queue.delete(pod("a"))
    assert told == [
        ("", "active", "PodAdd"),
        ("active", "in flight", "Pop"),
        ("in flight", "unschedulable", "ScheduleAttemptFailure"),
        ("unschedulable", "active", "NodeAdd"),
        ("active", "in flight", "Pop"),
        ("in flight", "gone", "Done"),
        ("", "active", "PodAdd"),
        ("active", "gone", "PodDelete"),
    ]
