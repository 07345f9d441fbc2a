"""The public behaviour of the queues of v1.22 to v1.30, where it differs from that of v1.20."""

import pytest
from msgspec.structs import replace

from kschedlab.generations import Generation
from kschedlab.objects.model import Pod, PodSchedulingGate
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE
from kschedlab.queue.pre_enqueue import GATES
from tests.queue.pods import Clock, fail, labelled, names, pod, scheduled

ALL = pytest.mark.parametrize("generation", ["v1.22", "v1.24", "v1.28", "v1.30"])


def queue_of(generation: str, clock: Clock, **more):
    return Generation.named(generation).queue(clock, **more)


@ALL
def test_an_update_does_not_end_a_backoff(generation, clock) -> None:
    queue = queue_of(generation, clock)
    queue.add(pod("a"))
    queued = fail(queue, clock.now, plugins=["A"])
    queue.update(queued.pod, labelled(queued.pod, app="web"))
    assert names(queue, BACKOFF) == ["a"], "it changed while it was unschedulable"
    queue.update(queued.pod, labelled(queued.pod, app="db"))
    assert names(queue, BACKOFF) == ["a"]
    clock.advance(1)
    queue.flush_backoff()
    assert queue.pop().pod.metadata.labels == {"app": "db"}


@ALL
def test_an_update_after_the_backoff_makes_a_pod_active_unless_its_finalizers_alone_changed(generation, clock) -> None:
    queue = queue_of(generation, clock)
    queue.add(pod("a"))
    old = fail(queue, clock.now, plugins=["A"]).pod
    clock.advance(2)
    queue.update(old, replace(old, metadata=replace(old.metadata, finalizers=("x",))))
    assert names(queue, UNSCHEDULABLE) == ["a"]
    queue.update(old, labelled(old, app="web"))
    assert names(queue, ACTIVE) == ["a"]


@pytest.mark.parametrize(("generation", "seconds"), [("v1.22", 60), ("v1.24", 300), ("v1.30", 300)])
def test_how_long_a_pod_waits_for_an_event(generation, seconds, clock) -> None:
    queue = queue_of(generation, clock)
    queue.add(pod("a"))
    fail(queue, clock.now, plugins=["A"])
    clock.advance(seconds)
    queue.flush_unschedulable()
    assert names(queue, UNSCHEDULABLE) == ["a"]
    clock.advance(0.001)
    queue.flush_unschedulable()
    assert names(queue, ACTIVE) == ["a"]


@pytest.mark.parametrize(("generation", "part"), [("v1.28", UNSCHEDULABLE), ("v1.30", BACKOFF)])
def test_where_a_pod_waits_after_an_error(generation, part, clock) -> None:
    queue = queue_of(generation, clock)
    queue.add(pod("a"))
    queue.add(pod("b"))
    fail(queue, clock.now)
    fail(queue, clock.now, plugins=["A"])
    assert names(queue, part)[:1] == ["a"] and "b" in names(queue, UNSCHEDULABLE)


def test_a_pod_with_gates_waits_until_they_are_gone(clock) -> None:
    queue = queue_of("v1.28", clock, gates=GATES)
    gated = pod("a", schedulingGates=(PodSchedulingGate(name="later"),))
    queue.add(gated)
    queue.move(NODE_ADD)
    clock.advance(400)
    queue.flush_unschedulable()
    assert names(queue, UNSCHEDULABLE) == ["a"]
    queue.update(gated, pod("a"))
    assert names(queue, ACTIVE) == ["a"], "it has no backoff"


def test_another_gate_is_asked_again_at_each_event(clock) -> None:
    closed = True
    queue = queue_of("v1.28", clock, gates={"Own": lambda _: closed})
    queue.add(pod("a"))
    queue.move(NODE_ADD)
    assert names(queue, UNSCHEDULABLE) == ["a"]
    closed = False
    queue.move(NODE_ADD)
    assert names(queue, ACTIVE) == ["a"]


def test_only_a_pod_without_a_node_is_nominated(clock) -> None:
    there: dict[str, Pod] = {}
    queue = queue_of("v1.22", clock, get_pod=there.get)
    there["default/a"] = pod("a", nodeName="n1")
    queue.nominate(pod("a"), "n1")
    assert queue.nominated("n1") == []
    there["default/a"] = pod("a")
    queue.nominate(pod("a"), "n1")
    assert [each.metadata.name for each in queue.nominated("n1")] == ["a"]


@ALL
@pytest.mark.parametrize("part", [ACTIVE, BACKOFF, UNSCHEDULABLE])
def test_a_queued_pod_cannot_be_returned(generation, part, clock) -> None:
    queue = queue_of(generation, clock)
    queue.add(pod("a"))
    twin = queue.pop()
    twin.record_failure(scheduled(twin.pod), ["A"])
    queue.add(pod("a"))
    if part != ACTIVE:
        fail(queue, clock.now, plugins=["A"])
    if part == BACKOFF:
        queue.move(NODE_ADD)
    where = {ACTIVE: "the active", BACKOFF: "the backoff", UNSCHEDULABLE: "unschedulable"}[part]
    with pytest.raises(ValueError, match=f"^Pod default/a is already present in {where} queue$"):
        queue.add_unschedulable(twin, queue.scheduling_cycle)


@pytest.fixture
def clock() -> Clock:
    return Clock()
