"""The public behaviour of the queues of v1.16 and v1.20."""

import pytest

from kschedlab.generations import V1_16, V1_20
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE
from kschedlab.queue.older.with_backoff import WithBackoff, WithBackoffByName
from tests.queue.pods import SECOND, START, Clock, fail, labelled, names, nominated, pod, popped

BOTH = pytest.mark.parametrize("generation", [V1_16, V1_20], ids=lambda generation: generation.name)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def fail_and_move(queue: WithBackoff, clock: Clock) -> None:
    fail(queue, clock.now)
    queue.move(NODE_ADD)


@BOTH
def test_pods_are_popped_by_priority_then_in_order_of_arrival(generation, clock) -> None:
    queue = generation.queue(clock)
    for name, priority, created in (("a", 0, 9), ("b", 0, 1), ("c", 5, 2)):
        queue.add(pod(name, priority, created))
        clock.advance(1)
    assert popped(queue) == ["c", "a", "b"]


@BOTH
def test_a_moved_pod_waits_for_the_end_of_its_backoff(generation, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    fail_and_move(queue, clock)
    assert (names(queue, BACKOFF), queue.pop()) == (["a"], None)
    clock.advance(0.999)
    queue.flush_backoff()
    assert names(queue, BACKOFF) == ["a"]
    clock.advance(0.001)
    queue.flush_backoff()
    assert names(queue, ACTIVE) == ["a"]


@BOTH
def test_backoff_doubles_from_one_second_to_ten(generation, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    waits = []
    for _ in range(6):
        fail_and_move(queue, clock)
        (waiting,) = queue.pod_backoff_q
        waits.append((queue.backoff_end(waiting) - clock.now) // SECOND)
        clock.advance(waits[-1])
        clock.advance(0.001)
        queue.flush_backoff()
    assert waits == [1, 2, 4, 8, 10, 10]


@BOTH
def test_a_pod_after_backoff_becomes_active_on_any_event(generation, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    fail(queue, clock.now)
    clock.advance(1)
    queue.move(NODE_ADD)
    assert names(queue, ACTIVE) == ["a"]


@BOTH
def test_an_event_in_flight_moves_a_pod_to_backoff(generation, clock) -> None:
    queue = generation.queue(clock)
    for name in ("a", "b"):
        queue.add(pod(name))
        clock.advance(1)
    first = queue.pop()
    queue.move(NODE_ADD)
    queue.add_unschedulable(first, queue.scheduling_cycle)
    fail(queue, clock.now)
    assert (names(queue, BACKOFF), names(queue, UNSCHEDULABLE)) == (["a"], ["b"])


@BOTH
def test_an_error_waits_like_a_rejection(generation, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    fail(queue, clock.now, reason="SchedulerError")
    assert names(queue, UNSCHEDULABLE) == ["a"]


@BOTH
def test_pods_leave_backoff_in_the_order_in_which_it_ends(generation, clock) -> None:
    moves = []
    queue = generation.queue(clock, on_moved=lambda pod, origin, to, why: moves.append((pod.metadata.name, to, why)))
    queue.add(pod("a"))
    fail_and_move(queue, clock)
    clock.advance(1.001)
    queue.flush_backoff()
    fail_and_move(queue, clock)
    queue.add(pod("b"))
    fail_and_move(queue, clock)
    clock.advance(3)
    moves.clear()
    queue.flush_backoff()
    assert moves == [("b", ACTIVE, "BackoffComplete"), ("a", ACTIVE, "BackoffComplete")]


@BOTH
def test_any_update_ends_backoff_but_a_status_update_does_not_move_an_unschedulable_pod(generation, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    old = fail(queue, clock.now).pod
    queue.update(old, nominated(old, "n1"))
    assert names(queue, UNSCHEDULABLE) == ["a"]
    queue.move(NODE_ADD)
    queue.update(nominated(old, "n1"), old)
    assert names(queue, ACTIVE) == ["a"]


@pytest.mark.parametrize(("generation", "seconds"), [(V1_16, 1), (V1_20, 2)], ids=["v1.16", "v1.20"])
def test_an_updated_pod_loses_its_backoff_in_v1_16_and_keeps_its_attempts_in_v1_20(generation, seconds, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    old = fail(queue, clock.now).pod
    queue.update(old, labelled(old, app="web"))
    assert names(queue, ACTIVE) == ["a"]
    queued = fail(queue, clock.now)
    assert queue.backoff_end(queued) == clock.now + seconds * SECOND


@pytest.mark.parametrize(("generation", "seconds"), [(V1_16, 2), (V1_20, 1)], ids=["v1.16", "v1.20"])
def test_v1_16_keeps_the_backoff_of_a_name_deleted_while_active_and_v1_20_does_not(generation, seconds, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    fail(queue, clock.now)
    clock.advance(1.5)
    queue.move(NODE_ADD)
    queue.delete(pod("a"))
    queue.add(pod("a"))
    queued = fail(queue, clock.now)
    assert queue.backoff_end(queued) == clock.now + seconds * SECOND


def test_v1_16_forgets_the_backoff_of_a_name_deleted_while_it_waits(clock) -> None:
    queue = V1_16.queue(clock)
    queue.add(pod("a"))
    fail(queue, clock.now)
    clock.advance(1.5)
    queue.delete(pod("a"))
    queue.add(pod("a"))
    queued = fail(queue, clock.now)
    assert queue.backoff_end(queued) == clock.now + 1 * SECOND


def test_v1_16_forgets_in_the_order_of_the_last_failures(clock) -> None:
    queue = V1_16.queue(clock)
    for name, moment in (("a", 0), ("b", 1), ("a", 15)):
        clock.now = START + moment * SECOND
        queue.activate([pod(name)])
        if f"default/{name}" not in queue.places():
            queue.add(pod(name))
        fail(queue, clock.now)
    clock.now = START + 22 * SECOND
    queue.add(pod("c", priority=1))
    fail(queue, clock.now)
    assert set(queue.pod_attempts) == {"default/a", "default/c"}


def test_v1_16_counts_a_failure_only_after_the_last_backoff(clock) -> None:
    queue = V1_16.queue(clock)
    queue.add(pod("a"))
    for moment, attempts in ((0, 1), (1, 1), (1.001, 2)):
        clock.now = START + round(moment * SECOND)
        queue.activate([pod("a")])
        fail(queue, clock.now)
        assert queue.pod_attempts == {"default/a": attempts}


def test_v1_16_counts_no_failure_during_backoff_and_forgets_after_twenty_seconds(clock) -> None:
    queue = V1_16.queue(clock)
    queue.add(pod("a"))
    fail(queue, clock.now)
    queue.activate([pod("a")])
    fail(queue, clock.now)
    assert queue.pod_attempts == {"default/a": 1}
    clock.advance(20)
    queue.add(pod("b", priority=1))
    fail(queue, clock.now)
    assert set(queue.pod_attempts) == {"default/a", "default/b"}
    clock.advance(0.001)
    queue.add(pod("c", priority=1))
    fail(queue, clock.now)
    assert set(queue.pod_attempts) == {"default/b", "default/c"}


@BOTH
def test_an_unschedulable_pod_moves_after_a_minute(generation, clock) -> None:
    queue = generation.queue(clock)
    (backoff_period, _), (period, flush) = queue.flushes
    assert (backoff_period, period) == (1 * SECOND, 30 * SECOND)
    queue.add(pod("a"))
    fail(queue, clock.now)
    clock.advance(60)
    flush()
    assert names(queue, UNSCHEDULABLE) == ["a"]
    clock.advance(0.001)
    flush()
    assert names(queue, ACTIVE) == ["a"]


@BOTH
def test_a_pod_in_backoff_can_be_deleted_added_again_or_activated(generation, clock) -> None:
    queue = generation.queue(clock)
    for act in (queue.delete, queue.add, lambda pod: queue.activate([pod])):
        queue.add(pod("a"))
        fail_and_move(queue, clock)
        assert names(queue, BACKOFF) == ["a"]
        act(pod("a"))
        assert names(queue, BACKOFF) == []
        queue.delete(pod("a"))
        clock.advance(60)


@pytest.mark.parametrize(
    ("queue", "part", "message"),
    [
        (WithBackoffByName, ACTIVE, "pod is already present in the activeQ"),
        (WithBackoffByName, BACKOFF, "pod is already present in the backoffQ"),
        (WithBackoffByName, UNSCHEDULABLE, "pod is already present in unschedulableQ"),
        (WithBackoff, ACTIVE, "pod: default/a is already present in the active queue"),
        (WithBackoff, BACKOFF, "pod default/a is already present in the backoff queue"),
        (WithBackoff, UNSCHEDULABLE, "pod: default/a is already present in unschedulable queue"),
    ],
)
def test_a_queued_pod_cannot_be_returned(queue, part, message, clock) -> None:
    queue = queue(clock)
    queue.add(pod("a"))
    twin = queue.pop()
    queue.add(pod("a"))
    if part != ACTIVE:
        fail(queue, clock.now)
    if part == BACKOFF:
        queue.move(NODE_ADD)
    with pytest.raises(ValueError) as refusal:
        queue.add_unschedulable(twin, queue.scheduling_cycle)
    assert str(refusal.value) == message
    assert names(queue, part) == ["a"]


@BOTH
def test_a_nomination_in_memory_survives_an_update(generation, clock) -> None:
    queue = generation.queue(clock)
    queue.add(pod("a"))
    queue.nominate(pod("a"), "n1")
    queue.update(pod("a"), pod("a", 3))
    assert [p.spec.priority for p in queue.nominated("n1")] == [3]


@BOTH
def test_a_queue_sort_plugin_orders_the_active_queue(generation, clock) -> None:
    queue = generation.queue(clock, less=lambda one, other: one.key > other.key)
    for name in ("b", "c", "a"):
        queue.add(pod(name))
    assert popped(queue) == ["c", "b", "a"]
