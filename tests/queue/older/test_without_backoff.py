"""The public behaviour of the queue of v1.13."""

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


def test_pods_are_popped_by_priority_then_by_age(queue) -> None:
    for name, priority, created in (("a", 0, 1), ("b", 5, 9), ("c", 5, 2), ("d", -1, 0)):
        queue.add(pod(name, priority, created))
    assert popped(queue) == ["c", "b", "a", "d"]
    assert queue.scheduling_cycle == 4
    assert queue.pop() is None


def test_a_new_pod_that_has_a_nomination_keeps_it(queue) -> None:
    queue.add(nominated(pod("a"), "n1"))
    assert [each.metadata.name for each in queue.nominated_pods.pods_for_node("n1")] == ["a"]


def test_a_rejected_pod_waits_until_any_event(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now)
    assert (names(queue, UNSCHEDULABLE), queue.pop()) == (["a"], None)
    queue.move(NODE_ADD)
    again = queue.pop()
    assert (again.pod.metadata.name, again.attempts) == ("a", 2)


def test_a_pod_with_an_error_becomes_active_at_once(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now, reason="SchedulerError")
    assert names(queue, ACTIVE) == ["a"]


def test_an_event_in_flight_makes_a_returning_pod_active(queue, clock) -> None:
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


def test_an_assigned_pod_moves_only_pods_with_matching_affinity(queue, clock) -> None:
    queue.add(pod("a", affinity=NEAR_WEB))
    queue.add(pod("b"))
    for _ in range(2):
        fail(queue, clock.now)
    queue.assigned_pod_added(labelled(pod("db"), app="db"))
    assert names(queue, ACTIVE) == []
    queue.assigned_pod_added(labelled(pod("web"), app="web"))
    assert (names(queue, ACTIVE), names(queue, UNSCHEDULABLE)) == (["a"], ["b"])


def test_a_relabelled_pod_moves_pods_with_matching_affinity(queue, clock) -> None:
    queue.add(pod("a", affinity=NEAR_WEB))
    fail(queue, clock.now)
    db = labelled(pod("x"), app="db")
    queue.assigned_pod_updated(db, labelled(db, app="web"), event("AssignedPod", "UpdatePodLabel"))
    assert names(queue, ACTIVE) == ["a"]


def test_an_unschedulable_pod_moves_after_a_minute(queue, clock) -> None:
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


def test_a_pod_without_a_timestamp_is_not_flushed(queue, clock) -> None:
    queue.add(pod("a"))
    queued = queue.pop()
    queued.record_failure(scheduled(queued.pod))
    queue.add_unschedulable(queued, queue.scheduling_cycle)
    clock.advance(1000)
    queue.flush_unschedulable()
    assert names(queue, UNSCHEDULABLE) == ["a"]


def test_an_update_makes_a_pod_active_unless_only_status_or_version_change(queue, clock) -> None:
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


def test_an_update_in_flight_adds_the_pod_again(queue) -> None:
    queue.add(pod("a"))
    queued = queue.pop()
    queue.update(pod("a"), pod("a", 3))
    assert names(queue, ACTIVE) == ["a"]
    with pytest.raises(ValueError, match="pod is already present in the activeQ"):
        queue.add_unschedulable(queued, queue.scheduling_cycle)
    assert len(queue) == 1


def test_deleting_a_pod_removes_its_nomination(queue, clock) -> None:
    for name in ("a", "b"):
        queue.add(pod(name, created=ord(name)))
    fail(queue, clock.now)
    for name in ("a", "b"):
        queue.nominate(pod(name), "n1")
        queue.delete(pod(name))
    assert (len(queue), queue.nominated("n1")) == (0, [])


def test_an_update_ends_a_nomination_that_only_the_queue_knows(queue) -> None:
    queue.add(pod("a"))
    queue.nominate(pod("a"), "n1")
    queue.update(pod("a"), labelled(pod("a"), app="web"))
    assert queue.nominated("n1") == []


def test_adding_a_pod_again_removes_it_from_its_part(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now)
    queue.add(pod("a"))
    assert (names(queue, ACTIVE), names(queue, UNSCHEDULABLE)) == (["a"], [])


def test_nominations_can_be_added_and_removed(queue) -> None:
    queue.nominate(pod("a"), "n1")
    assert [p.metadata.name for p in queue.nominated("n1")] == ["a"]
    queue.remove_nomination(pod("a"))
    assert queue.nominated("n1") == []


def test_pods_can_be_activated(queue, clock) -> None:
    queue.add(pod("a"))
    fail(queue, clock.now)
    queue.activate([pod("a"), pod("unknown")])
    assert names(queue, ACTIVE) == ["a"]


def test_a_pre_check_limits_the_moved_pods(queue, clock) -> None:
    for name in ("a", "b"):
        queue.add(pod(name, created=ord(name)))
    for _ in range(2):
        fail(queue, clock.now)
    queue.move(ASSIGNED_POD_DELETE, pre_check=lambda pod: pod.metadata.name == "b")
    assert names(queue, ACTIVE) == ["b"]


def test_every_move_is_reported_with_its_reason(clock) -> None:
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
