"""After any sequence of operations, each pod is in one part, and its backoff has the right length."""

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kschedlab.objects.model import ObjectMeta, Pod, PodSchedulingGate, PodSpec
from kschedlab.queue.events import event
from kschedlab.queue.with_events import WithEvents
from tests.queue.events import ALWAYS, survives_update

SECOND = 1_000_000
PLUGINS = ["NodeName", "NodePorts", "NodeResourcesFit", "InterPodAffinity"]
EVENTS = [
    event("Node", "Add"),
    event("Node", "Delete"),
    event("AssignedPod", "Delete"),
    event("AssignedPod", "Add"),
    event("*", "All"),
]
NAMES = st.sampled_from([f"p{i}" for i in range(6)])
REFUSALS = st.lists(st.sampled_from(PLUGINS), max_size=2)


class Queue(RuleBasedStateMachine):
    @initialize(initial=st.sampled_from([SECOND, SECOND // 2]), maximum=st.sampled_from([10 * SECOND, 3 * SECOND]))
    def start(self, initial, maximum):
        self.now, self.uid = 1_600_000_000 * SECOND, 0
        self.initial, self.maximum = initial, maximum
        self.waiting: dict[str, Pod] = {}
        self.flying = []
        self.queue = WithEvents(
            lambda: self.now, ALWAYS, initial_backoff=initial, max_backoff=maximum, get_pod=self.waiting.get
        )

    def pod(self, name, priority, gated, uid=None):
        if uid is None:
            self.uid += 1
            uid = f"uid-{self.uid}"
        gates = (PodSchedulingGate("g"),) if gated else ()
        return Pod(
            metadata=ObjectMeta(name=name, namespace="default", uid=uid),
            spec=PodSpec(priority=priority, schedulingGates=gates),
        )

    def is_flying(self, key):
        return any(queued.key == key for queued in self.flying)

    @rule(name=NAMES, priority=st.integers(-1, 2), gated=st.booleans())
    def add(self, name, priority, gated):
        key = f"default/{name}"
        if key not in self.waiting and not self.is_flying(key):
            self.waiting[key] = self.pod(name, priority, gated)
            self.queue.add(self.waiting[key])

    @rule(name=NAMES, priority=st.integers(-1, 2), gated=st.booleans())
    def update(self, name, priority, gated):
        old = self.waiting.get(f"default/{name}")
        if old is not None:
            gated = gated and bool(old.spec.schedulingGates)  # gates can only be removed
            new = self.waiting[old.key] = self.pod(name, priority, gated, old.metadata.uid)
            self.queue.update(old, new)

    @rule(name=NAMES)
    def delete(self, name):
        gone = self.waiting.pop(f"default/{name}", None)
        if gone is not None:
            self.queue.delete(gone)

    @rule()
    def pop(self):
        active, cycle = self.queue.active, self.queue.scheduling_cycle
        queued = self.queue.pop()
        if queued is None:
            assert not active
            return
        assert not active or queued is active[0]
        assert self.queue.scheduling_cycle == cycle + 1
        self.flying.append(queued)

    @precondition(lambda self: self.flying)
    @rule(which=st.integers(0, 5), rejector_plugins=REFUSALS, pending=REFUSALS)
    def give_back(self, which, rejector_plugins, pending):
        queued = self.flying.pop(which % len(self.flying))
        newest = self.waiting.get(queued.key)
        if newest is None or newest.metadata.uid != queued.pod.metadata.uid:
            self.queue.done(queued.pod)
            return
        record_failure, failed = queued.unschedulable_count, queued.error_count
        queued.record_failure(newest, rejector_plugins, pending)
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)
        expected = (record_failure + 1, 0) if rejector_plugins or pending else (record_failure, failed + 1)
        assert (queued.unschedulable_count, queued.error_count) == expected
        self.check_backoff(queued)

    def check_backoff(self, queued):
        failures = queued.error_count or queued.unschedulable_count
        wait = min(self.initial * 2 ** (failures - 1), self.maximum)
        assert queued.backoff_until == (self.now + wait) // SECOND * SECOND

    @precondition(lambda self: self.flying)
    @rule(which=st.integers(0, 5))
    def bind(self, which):
        queued = self.flying.pop(which % len(self.flying))
        self.queue.remove_nomination(queued.pod)  # as the real one does when it assumes a pod (schedule_one.go, assume)
        self.queue.done(queued.pod)
        if queued.key in self.waiting and self.waiting[queued.key].metadata.uid == queued.pod.metadata.uid:
            del self.waiting[queued.key]

    @rule(add_event=st.sampled_from(EVENTS))
    def happen(self, add_event):
        self.queue.move(add_event)

    @rule(name=NAMES)
    def activate(self, name):
        if f"default/{name}" in self.waiting:
            self.queue.activate([self.waiting[f"default/{name}"]])

    @rule(name=NAMES, node=st.sampled_from(["n0", "n1"]))
    def nominate(self, name, node):
        if f"default/{name}" in self.waiting:
            self.queue.nominate(self.waiting[f"default/{name}"], node)

    @rule(milliseconds=st.integers(1, 15_000))
    def advance(self, milliseconds):
        self.now += milliseconds * 1000

    @rule()
    def flush_backoff(self):
        self.queue.flush_backoff()
        this_second = self.now // SECOND * SECOND
        assert all(waiting.backoff_until >= this_second for waiting in self.queue.backoff)

    @rule()
    def flush_unschedulable(self):
        self.now += 150 * SECOND
        self.queue.flush_unschedulable()
        assert all(waiting.gate or self.now - waiting.timestamp <= 300 * SECOND for waiting in self.queue.unschedulable)

    @invariant()
    def every_pod_is_in_one_place(self):
        parts = [self.queue.active, self.queue.backoff, self.queue.unschedulable]
        keys = [waiting.key for part in parts for waiting in part]
        assert len(keys) == len(set(keys)) == len(self.queue)
        assert set(self.queue.places()) == set(keys)
        flying = {queued.pod.metadata.uid for queued in self.flying}
        in_place = {key for key, pod in self.waiting.items() if pod.metadata.uid not in flying}
        assert set(keys) == in_place
        assert {pod.metadata.uid for pod in self.queue.in_flight.pods()} == flying

    @invariant()
    def parts_hold_what_belongs_there(self):
        assert not any(waiting.pod.spec.schedulingGates for waiting in (*self.queue.active, *self.queue.backoff))
        assert all(waiting.rejector_plugins for waiting in self.queue.unschedulable)

    @invariant()
    def events_are_forgotten_once_nobody_is_in_flight(self):
        assert self.flying or survives_update(self.queue.in_flight) == 0

    @invariant()
    def a_pod_is_nominated_once(self):
        pods = [pod.key for node in ("n0", "n1") for pod in self.queue.nominated(node)]
        assert len(pods) == len(set(pods))


class TestQueue(Queue.TestCase):
    settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


@pytest.mark.nightly
class TestManyQueues(Queue.TestCase):
    settings = settings(max_examples=200, stateful_step_count=40, deadline=None)
