"""After any sequence of operations on a queue before v1.37, each pod is in exactly one part."""

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from kschedlab.objects.model import Affinity, LabelSelector, PodAffinity, PodAffinityTerm
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE
from tests.course import GENERATIONS
from tests.queue.pods import SECOND, START, labelled, moment, nominated, pod, scheduled

NAMES = st.sampled_from([f"p{i}" for i in range(7)])
NODES = st.sampled_from(["", "n0", "n1"])
APPS = st.sampled_from(["web", "db"])
PARTS = (ACTIVE, BACKOFF, UNSCHEDULABLE)


def near(app: str) -> Affinity:
    term = PodAffinityTerm(labelSelector=LabelSelector(matchLabels={"app": app}), topologyKey="zone")
    return Affinity(podAffinity=PodAffinity(requiredDuringSchedulingIgnoredDuringExecution=(term,)))


class Queue(RuleBasedStateMachine):
    generation = ""

    @initialize()
    def start(self):
        self.now, self.uid = START, 0
        self.live, self.flying, self.where, self.nominations = {}, [], {}, {}
        self.queue = GENERATIONS[self.generation].queue(
            lambda: self.now, get_pod=self.live.get, on_nominated=self.told, on_moved=self.moved
        )

    def told(self, pod, node):
        if node is None:
            del self.nominations[pod.metadata.uid]
        else:
            assert pod.metadata.uid not in self.nominations
            self.nominations[pod.metadata.uid] = node

    def moved(self, pod, origin, to, why):
        assert why
        assert origin != to
        if origin in PARTS:
            assert self.where.pop(pod.key) == origin
        if to in PARTS:
            assert pod.key not in self.where
            self.where[pod.key] = to

    def new(self, name, priority, app, node):
        self.uid += 1
        made = pod(name, priority, created=(self.now - START) // SECOND, affinity=near(app))
        return nominated(replace(made, metadata=replace(made.metadata, uid=f"uid-{self.uid}")), node)

    @rule(name=NAMES, priority=st.integers(-1, 2), app=APPS, node=NODES)
    def add(self, name, priority, app, node):
        if f"default/{name}" not in self.live:
            made = self.new(name, priority, app, node)
            self.live[made.key] = made
            self.queue.add(made)

    @rule(name=NAMES, priority=st.integers(-1, 2))
    def update_spec(self, name, priority):
        if old := self.live.get(f"default/{name}"):
            self.live[old.key] = replace(old, spec=replace(old.spec, priority=priority))
            self.queue.update(old, self.live[old.key])
            assert self.where[old.key] == ACTIVE or priority == old.spec.priority

    @rule(name=NAMES, node=NODES)
    def update_status(self, name, node):
        if old := self.live.get(f"default/{name}"):
            before = self.where.get(old.key)
            self.live[old.key] = nominated(old, node)
            self.queue.update(old, self.live[old.key])
            assert self.where[old.key] == (UNSCHEDULABLE if before == UNSCHEDULABLE else ACTIVE)

    @rule(name=NAMES)
    def delete(self, name):
        if gone := self.live.pop(f"default/{name}", None):
            self.queue.delete(gone)

    @rule()
    def pop(self):
        waiting = list(self.queue.active_q)
        queued = self.queue.pop()
        assert (queued is None) == (not waiting)
        if queued is not None:
            assert queued.rank == min(other.rank for other in waiting)
            self.flying.append((queued, self.queue.scheduling_cycle))

    @precondition(lambda self: self.flying)
    @rule(which=st.integers(0, 5), reason=st.sampled_from(["Unschedulable", "SchedulerError"]))
    def give_back(self, which, reason):
        queued, cycle = self.flying.pop(which % len(self.flying))
        newest = self.live.get(queued.key)
        if newest is None:
            return
        self.live[queued.key] = scheduled(newest, reason=reason, lastProbeTime=moment((self.now - START) // SECOND))
        queued.record_failure(self.live[queued.key])
        if queued.key in self.where:
            with pytest.raises(ValueError, match="already present"):
                self.queue.add_unschedulable(queued, cycle)
        else:
            self.queue.add_unschedulable(queued, cycle)

    @precondition(lambda self: self.flying)
    @rule(which=st.integers(0, 5))
    def bind(self, which):
        queued, _ = self.flying.pop(which % len(self.flying))
        bound = self.live.get(queued.key)
        if bound is not None and bound.metadata.uid == queued.pod.metadata.uid and queued.key not in self.where:
            del self.live[queued.key]
            self.queue.remove_nomination(bound)
            self.queue.done(bound)

    @rule()
    def move(self):
        self.queue.move(NODE_ADD)
        assert UNSCHEDULABLE not in self.where.values()

    @rule(app=APPS)
    def assigned_pod_added(self, app):
        self.queue.assigned_pod_added(labelled(pod("neighbour"), app=app))
        waits = [queued.pod for queued in self.queue.unschedulable_q]
        assert all(each.spec.affinity != near(app) for each in waits)

    @rule(name=NAMES)
    def activate(self, name):
        if here := self.live.get(f"default/{name}"):
            self.queue.activate([here])
            assert self.where.get(here.key, ACTIVE) == ACTIVE

    @rule(name=NAMES, node=NODES)
    def nominate(self, name, node):
        if here := self.live.get(f"default/{name}"):
            self.queue.nominate(here, node)

    @rule(name=NAMES)
    def withdraw(self, name):
        if here := self.live.get(f"default/{name}"):
            self.queue.remove_nomination(here)

    @rule(milliseconds=st.integers(1, 40_000))
    def advance(self, milliseconds):
        self.now += milliseconds * 1000

    @rule()
    def flush(self):
        for _, flush in self.queue.flushes:
            flush()
        late = [queued for queued in self.queue.unschedulable_q if self.now - queued.timestamp > 60 * SECOND]
        assert not late

    @invariant()
    def a_pod_is_in_one_place_and_none_is_lost(self):
        parts = [[queued.key for queued in part] for part in self.queue._parts.values()]
        keys = [key for part in parts for key in part]
        assert len(keys) == len(set(keys)) == len(self.queue)
        assert {key: place.part for key, place in self.queue.places().items()} == self.where
        flying = {queued.key for queued, _ in self.flying}
        assert set(keys) <= set(self.live) <= set(keys) | flying

    @invariant()
    def the_newest_version_of_a_pod_waits(self):
        for part in self.queue._parts.values():
            for queued in part:
                assert queued.pod.spec == self.live[queued.key].spec
                assert queued.pod.metadata == self.live[queued.key].metadata

    @invariant()
    def heaps_are_heaps(self):
        check(self.queue.active_q, lambda queued: False)
        if BACKOFF in self.queue._parts:
            check(self.queue.pod_backoff_q, lambda queued: self.queue.backoff_end(queued) <= self.now)

    @invariant()
    def nominations_are_consistent(self):
        nominations = self.queue.nominated_pods
        listed = [(uid, node) for node, pods in nominations.nominated_pods.items() for uid in pods]
        assert len(listed) == len(dict(listed))
        assert dict(listed) == nominations.nominated_pod_to_node == self.nominations
        assert all(nominations.nominated_pods.values())


def check(heap, over):
    """No child comes before its parent, unless both are ``over``: v1.16 may forget when a finished backoff ended."""
    data = heap.data
    assert [data.items[key].index for key in data.queue] == list(range(len(data.items)))
    for child in range(1, len(data)):
        parent = (child - 1) // 2
        both = [data.items[data.queue[place]].obj for place in (child, parent)]
        assert not data.less(child, parent) or all(map(over, both))


@pytest.mark.parametrize("generation", ["v1.13", "v1.16", "v1.20"])
def test_the_queue_keeps_its_pods(generation: str) -> None:
    machine = type("Queue", (Queue,), {"generation": generation})
    run_state_machine_as_test(machine, settings=settings(max_examples=60, stateful_step_count=40, deadline=None))
