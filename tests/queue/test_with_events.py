import msgspec
import pytest

from kschedlab.generations import Generation
from kschedlab.objects.model import (
    Node,
    ObjectMeta,
    Pod,
    PodSchedulingGate,
    PodSpec,
    PodStatus,
    Toleration,
)
from kschedlab.objects.selectors import SelectorError
from kschedlab.queue.events import (
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    Registration,
    event,
)
from kschedlab.queue.in_flight import InFlight
from kschedlab.queue.interface import Place, SchedulingQueue
from kschedlab.queue.nominated import NOMINATIONS_1_22, NominatedPodMap
from kschedlab.queue.pre_enqueue import GATES
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.queue.with_events import WithEvents
from tests.queue.events import ALWAYS, survives_update

SECOND = 1_000_000
NODE_DELETE = event("Node", "Delete")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000 * SECOND

    def __call__(self) -> int:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def pod(name: str, priority: int = 0, **spec) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace="default", uid=f"uid-{name}"), spec=PodSpec(priority=priority, **spec)
    )


def changed(pod: Pod, **spec) -> Pod:
    return msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, **spec))


def nominated(pod: Pod, node: str) -> Pod:
    return msgspec.structs.replace(pod, status=PodStatus(nominatedNodeName=node))


def fail(queue: WithEvents, *plugins: str, pending: tuple[str, ...] = ()) -> QueuedPodInfo:
    """Pop a pod and return it as rejected by these plugins."""
    waiting = queue.pop()
    assert waiting is not None
    waiting.record_failure(waiting.pod, plugins, pending)
    queue.add_unschedulable(waiting, queue.scheduling_cycle)
    return waiting


def names(waiting: list[QueuedPodInfo]) -> list[str]:
    return [each.pod.metadata.name for each in waiting]


def test_it_is_a_scheduling_queue(clock) -> None:
    queue: SchedulingQueue = WithEvents(clock)
    assert [period for period, _ in queue.flushes] == [SECOND, 30 * SECOND]
    assert queue.pop() is None
    assert len(queue) == 0


def test_pods_are_popped_by_priority_then_in_order_of_arrival(clock) -> None:
    queue = WithEvents(clock)
    for each in (pod("a"), pod("b", 10), pod("c"), pod("d", 10)):
        queue.add(each)
    assert names(queue.active) == ["b", "d", "a", "c"]
    assert [queue.pop().pod.metadata.name for _ in range(4)] == ["b", "d", "a", "c"]
    assert queue.scheduling_cycle == 4


def test_no_priority_is_priority_zero_in_the_queue(clock) -> None:
    queue = WithEvents(clock)
    for name, priority in (("minus", -1), ("none", None), ("zero", 0), ("one", 1)):
        queue.add(changed(pod(name), priority=priority))
    assert names(queue.active) == ["one", "none", "zero", "minus"]


def test_each_pop_is_one_attempt(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    for attempt in (1, 2, 3):
        assert fail(queue, "NodeName").attempts == attempt
        queue.move(NODE_ADD)
        clock.advance(12)


def test_a_changed_priority_changes_the_place(clock) -> None:
    queue = WithEvents(clock)
    low, high = pod("low"), pod("high", 5)
    queue.add(low)
    queue.add(high)
    queue.update(low, changed(low, priority=9))
    assert names(queue.active) == ["low", "high"]
    assert len(queue) == 2


def test_a_queue_sort_plugin_orders_the_active_queue_and_backoff(clock) -> None:
    queue = WithEvents(clock, less=lambda one, other: one.pod.metadata.name[0] > other.pod.metadata.name[0])
    for name in ("a1", "c", "a2", "b"):
        queue.add(pod(name))
    assert names(queue.active) == ["c", "b", "a1", "a2"]
    for _ in range(4):
        fail(queue)
    assert names(queue.backoff) == ["c", "b", "a1", "a2"]
    clock.advance(2)
    queue.flush_backoff()
    assert [queue.pop().pod.metadata.name for _ in range(4)] == ["c", "b", "a1", "a2"]


def test_a_rejected_pod_waits_for_an_event_of_its_plugin_and_backs_off(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    fail(queue, "NodeName")
    assert queue.places() == {"default/a": Place("unschedulable", clock.now)}
    queue.move(ASSIGNED_POD_DELETE)
    assert names(queue.unschedulable) == ["a"]
    queue.move(NODE_ADD)
    assert names(queue.backoff) == ["a"]


def test_backoff_doubles_from_one_second_to_ten_and_ends_at_whole_seconds(clock) -> None:
    clock.advance(0.4)
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    waits = []
    for _ in range(7):
        waiting = fail(queue, "NodeName")
        assert waiting.backoff_until % SECOND == 0
        waits.append((waiting.backoff_until - (waiting.timestamp // SECOND * SECOND)) // SECOND)
        queue.move(NODE_ADD)
        clock.advance(12)
        queue.flush_backoff()
    assert waits == [1, 2, 4, 8, 10, 10, 10]


def test_backoff_lasts_until_its_second_is_over(clock) -> None:
    clock.advance(0.4)
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    fail(queue, "NodeName")
    queue.move(NODE_ADD)
    clock.advance(0.6)
    queue.flush_backoff()
    assert names(queue.backoff) == ["a"]
    clock.advance(1)
    queue.flush_backoff()
    assert names(queue.active) == ["a"]


def test_an_empty_active_queue_pops_rejected_pods_from_backoff_but_not_errors(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("refused"))
    fail(queue, "NodeName")
    queue.move(NODE_ADD)
    queue.add(pod("failed"))
    fail(queue)
    assert sorted(names(queue.backoff)) == ["failed", "refused"]
    assert queue.pop().pod.metadata.name == "refused"
    assert queue.pop() is None


def test_without_backoff_errors_are_retried_at_once(clock) -> None:
    queue = WithEvents(clock, max_backoff=0)
    queue.add(pod("a"))
    fail(queue)
    assert names(queue.active) == ["a"]


def test_an_event_that_helps_a_pending_plugin_skips_backoff(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    fail(queue, "NodeName", pending=("NodePorts",))
    queue.move(NODE_ADD)
    assert names(queue.active) == ["a"]


def test_events_in_flight_requeue_a_returning_pod(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    queue.add(pod("b"))
    first, second = queue.pop(), queue.pop()
    queue.move(NODE_ADD)
    first.record_failure(first.pod, ["NodeName"])
    queue.add_unschedulable(first, 1)
    assert names(queue.backoff) == ["a"]
    second.record_failure(second.pod, ["SchedulingGates"])
    queue.add_unschedulable(second, 2)
    assert names(queue.unschedulable) == ["b"]
    assert survives_update(queue.in_flight) == 0


def test_an_update_in_flight_requeues_a_returning_pod(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    before = pod("a")
    queue.add(before)
    waiting = queue.pop()
    after = changed(before, tolerations=(Toleration(operator="Exists"),))
    queue.update(before, after)
    waiting.record_failure(after, ["TaintToleration"])
    queue.add_unschedulable(waiting, 1)
    assert names(queue.backoff) == ["a"]


def test_a_bound_pod_is_forgotten(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    waiting = queue.pop()
    queue.move(NODE_ADD)
    queue.done(waiting.pod)
    assert (len(queue), len(queue.in_flight), survives_update(queue.in_flight)) == (0, 0, 0)


def test_hints_decide_which_nodes_help(clock) -> None:
    def hint(pod, old, new):
        return new.metadata.labels == pod.spec.nodeSelector

    queue = WithEvents(clock, [Registration("NodeAffinity", NODE_ADD, hint)])
    queue.add(pod("a", nodeSelector={"disk": "ssd"}))
    fail(queue, "NodeAffinity")
    queue.move(NODE_ADD, None, Node(metadata=ObjectMeta(name="hdd", labels={"disk": "hdd"})))
    assert names(queue.unschedulable) == ["a"]
    queue.move(NODE_ADD, None, Node(metadata=ObjectMeta(name="ssd", labels={"disk": "ssd"})))
    assert names(queue.backoff) == ["a"]


def test_a_hint_that_fails_requeues_the_pod(clock) -> None:
    """v1.37: backend/queue/scheduling_queue.go, isPodWorthRequeuing."""

    def hint(pod, old, new):
        raise SelectorError("not a selector")

    queue = WithEvents(clock, [Registration("NodeAffinity", NODE_ADD, hint)])
    queue.add(pod("a"))
    fail(queue, "NodeAffinity")
    queue.move(NODE_ADD, None, Node(metadata=ObjectMeta(name="n")))
    assert names(queue.backoff) == ["a"]


def test_a_change_of_the_pod_itself_may_help_it(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    before = pod("a")
    queue.add(before)
    fail(queue, "TaintToleration")
    relabelled = msgspec.structs.replace(
        before, metadata=msgspec.structs.replace(before.metadata, labels={"app": "web"})
    )
    queue.update(before, relabelled)
    assert names(queue.unschedulable) == ["a"]
    queue.update(relabelled, changed(relabelled, tolerations=(Toleration(operator="Exists"),)))
    assert names(queue.backoff) == ["a"]


def test_a_pre_check_limits_the_candidates(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    for each in (pod("low", 1), pod("high", 9)):
        queue.add(each)
    fail(queue, "NodePorts")
    fail(queue, "NodePorts")
    queue.move(ASSIGNED_POD_DELETE, pre_check=lambda each: each.spec.priority < 5)
    assert (names(queue.backoff), names(queue.unschedulable)) == (["low"], ["high"])


def test_pods_rejected_by_several_plugins_move_once_in_insertion_order(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    moves = []
    queue = WithEvents(clock, ALWAYS, on_moved=lambda pod, origin, to, why: moves.append((pod.metadata.name, to)))
    for name in "abc":
        queue.add(pod(name))
    fail(queue, "NodePorts")
    fail(queue, "NodeName", "NodePorts")
    fail(queue, "NodeName")
    moves.clear()
    queue.move(NODE_ADD)
    assert moves == [("a", "backoff"), ("b", "backoff"), ("c", "backoff")]


def test_events_that_nobody_registers_for_are_not_kept(clock) -> None:
    queue = WithEvents(clock, [Registration("NodeName", NODE_ADD, lambda pod, old, new: True)])
    queue.add(pod("a"))
    queue.pop()
    queue.move(NODE_DELETE)
    assert survives_update(queue.in_flight) == 0


def test_an_unschedulable_pod_moves_after_five_minutes(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    fail(queue, "NodeName")
    clock.advance(300)
    queue.flush_unschedulable()
    assert names(queue.unschedulable) == ["a"]
    clock.advance(1)
    queue.flush_unschedulable()
    assert names(queue.active) == ["a"]
    assert queue.active[0].flushed
    assert not fail(queue, "NodeName").flushed


def test_a_gated_pod_waits_for_its_last_gate(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    gates = (PodSchedulingGate("one"), PodSchedulingGate("two"))
    before = pod("a", schedulingGates=gates)
    queue.add(before)
    assert names(queue.unschedulable) == ["a"]
    assert queue.unschedulable[0].gate == "SchedulingGates"
    fewer = changed(before, schedulingGates=gates[:1])
    queue.update(before, fewer)
    queue.activate([fewer])
    assert names(queue.unschedulable) == ["a"]
    queue.update(fewer, changed(fewer, schedulingGates=()))
    assert names(queue.active) == ["a"]


def test_a_custom_gate_blocks_pods_until_they_are_activated(clock) -> None:
    busy = {"uid-a"}
    gates = {**GATES, "DefaultPreemption": lambda pod: pod.metadata.uid in busy}
    queue = WithEvents(clock, gates=gates)
    queue.add(pod("a"))
    assert queue.unschedulable[0].gate == "DefaultPreemption"
    gone = pod("victim", nodeName="n1")
    queue.move(ASSIGNED_POD_DELETE, gone, None)
    assert names(queue.unschedulable) == ["a"]
    busy.clear()
    queue.activate([pod("a")])
    assert names(queue.active) == ["a"]


def test_activating_moves_pods_from_backoff_and_notes_it_for_those_in_flight(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    fail(queue)
    queue.activate([pod("a"), pod("nobody")])
    assert names(queue.active) == ["a"]
    waiting = queue.pop()
    queue.activate([waiting.pod])
    waiting.record_failure(waiting.pod, ["NodeName"])
    queue.add_unschedulable(waiting, 2)
    assert names(queue.backoff) == ["a"]


@pytest.mark.parametrize("part", ["the active", "the backoff", "unschedulable"])
def test_a_queued_pod_cannot_be_returned(clock, part) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    waiting = queue.pop()
    queue.add(msgspec.structs.replace(pod("a"), metadata=ObjectMeta("a", "default", "another")))
    if part != "the active":
        again = queue.pop()
        again.record_failure(again.pod, ["NodeName"] if part == "unschedulable" else [])
        queue.add_unschedulable(again, 1)
    waiting.record_failure(waiting.pod, ["NodeName"])
    with pytest.raises(ValueError, match=f"^Pod default/a is already present in {part} queue$"):
        queue.add_unschedulable(waiting, 1)
    assert waiting.pod.metadata.uid not in queue.in_flight


def test_the_same_pod_is_not_popped_twice(clock) -> None:
    queue = WithEvents(clock)
    queue.add(pod("a"))
    queue.pop()
    queue.add(pod("a"))
    queue.add(pod("b", -1))
    assert queue.pop().pod.metadata.name == "b"
    assert len(queue) == 0


def test_deleting_removes_a_pod_from_every_part(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    for name in "abc":
        queue.add(pod(name))
    fail(queue, "NodeName")
    fail(queue)
    for name in "abcd":
        queue.delete(pod(name))
    assert len(queue) == 0
    assert queue.places() == {}


def test_an_update_of_an_unknown_pod_adds_it(clock) -> None:
    queue = WithEvents(clock)
    queue.update(None, pod("a"))
    assert names(queue.active) == ["a"]


def test_an_update_in_backoff_keeps_the_pod_there(clock) -> None:
    queue = WithEvents(clock)
    queue.add(pod("a"))
    fail(queue)
    queue.update(pod("a"), pod("a", 7))
    assert names(queue.backoff) == ["a"]
    assert queue.backoff[0].pod.spec.priority == 7


def test_assigned_pods_are_added_and_updated(clock) -> None:
    queue = WithEvents(clock, ALWAYS)
    queue.add(pod("a"))
    fail(queue, "InterPodAffinity")
    queue.assigned_pod_added(pod("neighbour", nodeName="n1"))
    assert names(queue.backoff) == ["a"]
    queue.add(pod("b"))
    fail(queue, "NodeResourcesFit")
    queue.assigned_pod_updated(pod("x"), pod("x"), event("AssignedPod", "UpdatePodScaleDown"))
    assert sorted(names(queue.backoff)) == ["a", "b"]


def test_every_move_is_reported_with_its_reason(clock) -> None:
    moves = []
    queue = WithEvents(clock, ALWAYS, on_moved=lambda pod, origin, to, why: moves.append((origin, to, why)))
    queue.add(pod("a"))
    fail(queue, "NodeName")
    queue.move(NODE_ADD)
    clock.advance(3)
    queue.flush_backoff()
    queue.done(queue.pop().pod)
    queue.add(pod("b"))
    queue.delete(pod("b"))
    queue.delete(pod("b"))
    assert moves == [
        ("", "active", "UnscheduledPodAdd"),
        ("active", "in flight", "Pop"),
        ("in flight", "unschedulable", "ScheduleAttemptFailure"),
        ("unschedulable", "backoff", "NodeAdd"),
        ("backoff", "active", "BackoffComplete"),
        ("active", "in flight", "Pop"),
        ("in flight", "gone", "Done"),
        ("", "active", "UnscheduledPodAdd"),
        ("active", "gone", "UnscheduledPodDelete"),
    ]


def test_a_pod_that_is_in_flight_already_is_not_popped_again(clock) -> None:
    moves = []
    queue = WithEvents(clock, ALWAYS, on_moved=lambda pod, origin, to, why: moves.append((pod.key, origin, to, why)))
    queue.add(pod("a"))
    queue.pop()
    queue.add(pod("a"))
    queue.add(pod("b"))
    assert queue.pop().pod.key == "default/b"
    assert ("default/a", "active", "gone", "Pop") in moves
    assert queue.pop() is None


# -- nominations


def test_nominations_are_ordered_and_reported(clock) -> None:
    told = []
    queue = WithEvents(clock, on_nominated=lambda pod, node: told.append((pod.metadata.name, node)))
    a, b = nominated(pod("a"), "n1"), pod("b")
    queue.add(a)
    queue.add(b)
    queue.nominate(b, "n1")
    assert [each.metadata.name for each in queue.nominated("n1")] == ["a", "b"]
    queue.nominate(a, "n2")
    queue.remove_nomination(b)
    assert [each.metadata.name for each in queue.nominated("n2")] == ["a"]
    assert queue.nominated("n1") == []
    assert told == [("a", "n1"), ("b", "n1"), ("a", None), ("a", "n2"), ("b", None)]


def test_a_nominated_pod_is_returned_in_its_current_version(clock) -> None:
    queue = WithEvents(clock)
    before = nominated(pod("a"), "n1")
    queue.add(before)
    queue.update(before, changed(before, priority=4))
    assert queue.nominated("n1")[0].spec.priority == 4


@pytest.mark.parametrize(
    ("before", "after", "expected"), [("", "", "n9"), ("n1", "", None), ("", "n2", "n2"), ("n1", "n2", "n2")]
)
def test_an_update_keeps_a_nomination_that_the_object_does_not_show_yet(before, after, expected) -> None:
    nominations = NominatedPodMap(NOMINATIONS_1_22)
    nominations.add(pod("a"), "n9")
    nominations.update(nominated(pod("a"), before), nominated(pod("a"), after))
    found = {node for node in ("n1", "n2", "n9") if nominations.pods_for_node(node)}
    assert found == ({expected} if expected else set())


def test_deleted_and_assigned_pods_are_not_nominated() -> None:
    known = {"default/bound": pod("bound", nodeName="n3")}
    nominations = NominatedPodMap(NOMINATIONS_1_22, known.get)
    nominations.add(pod("bound"), "n1")
    nominations.add(pod("gone"), "n1")
    assert nominations.pods_for_node("n1") == []
    known["default/here"] = pod("here")
    nominations.add(pod("here"), "n1")
    nominations.add(pod("here"), "")
    assert nominations.pods_for_node("n1") == []


# -- in flight


def test_events_are_kept_while_a_pod_in_flight_has_missed_them() -> None:
    flight = InFlight()
    flight.add_event(NODE_ADD, None, "before")
    assert survives_update(flight) == 0
    flight.add_pod(pod("a"))
    flight.add_event(NODE_ADD, None, "one")
    flight.add_pod(pod("b"))
    flight.add_event(NODE_ADD, None, "two")
    assert [event.new for event in flight.events_since_pop("uid-a")] == ["one", "two"]
    assert [event.new for event in flight.events_since_pop("uid-b")] == ["two"]
    assert flight.events_since_pop("uid-c") is None
    flight.done("uid-a")
    assert survives_update(flight) == 1
    assert [event.new for event in flight.events_since_pop("uid-b")] == ["two"]
    assert flight.done("uid-b") == pod("b")
    assert flight.done("uid-b") is None
    assert survives_update(flight) == 0


def test_a_later_pod_that_is_done_first_keeps_the_events_of_the_earlier_one() -> None:
    flight = InFlight()
    flight.add_pod(pod("a"))
    flight.add_event(NODE_ADD, None, "one")
    flight.add_pod(pod("b"))
    flight.add_event(NODE_ADD, None, "two")
    flight.done("uid-b")
    assert [event.new for event in flight.events_since_pop("uid-a")] == ["one", "two"]


# -- the gate SchedulerPopFromBackoffQ, off


def failed(queue: WithEvents, name: str = "a") -> QueuedPodInfo:
    """Add a pod, pop it, and return it as rejected; an event puts it into backoff."""
    queue.add(pod(name))
    queued = queue.pop()
    assert queued is not None
    queued.record_failure(queued.pod, ["NodeName"])
    queue.add_unschedulable(queued, 0)
    queue.move(NODE_ADD, None, None)
    assert queued.part == "backoff"
    return queued


def test_without_its_gate_no_pod_is_popped_from_backoff(clock: Clock) -> None:
    clock.advance(0.3)
    queue = WithEvents(clock, ALWAYS, pops_backoff=False)
    queued = failed(queue)
    assert queue.pop() is None and queued.backoff_until == clock.now + SECOND  # not a whole second
    clock.advance(1)
    queue.flush_backoff()
    assert queue.pop() is None
    clock.advance(0.000001)
    queue.flush_backoff()
    assert queue.pop() is queued


def test_without_its_gate_pre_enqueue_runs_after_backoff(clock: Clock) -> None:
    closed = True
    queue = WithEvents(clock, ALWAYS, {"Gate": lambda pod: closed and bool(pod.spec.priority)}, pops_backoff=False)
    closed = False
    queue.add(pod("a", priority=1))
    queued = queue.pop()
    assert queued is not None
    queued.record_failure(queued.pod, ["NodeName"])
    queue.add_unschedulable(queued, 0)
    closed = True
    queue.move(NODE_ADD, None, None)
    assert queued.part == "backoff"
    clock.advance(2)
    queue.flush_backoff()
    assert (queued.part, queued.gate) == ("unschedulable", "Gate")


def test_in_v1_32_each_attempt_makes_the_backoff_longer(clock: Clock) -> None:
    """v1.32: backend/queue/scheduling_queue.go, calculateBackoffDuration: an error, too, and nothing resets it."""
    queue = Generation.named("v1.32").queue(clock, hints=ALWAYS)
    queue.add(pod("a"))
    waits = []
    for plugins in ((), (), ("NodeName",), ("NodeName",), (), ("NodeName",)):
        queued = fail(queue, *plugins)
        queue.move(NODE_ADD, None, None)
        waits.append((queued.backoff_until - clock.now) // SECOND)
        clock.advance(waits[-1] - 0.000001)
        queue.flush_backoff()
        assert queued.part == "backoff"
        clock.advance(0.000001)
        queue.flush_backoff()
        assert queued.part == "active", "its last moment does not count"
    assert waits == [1, 2, 4, 8, 10, 10]
