"""A group's pods share what PreEnqueue looks at: only new and changed pods are asked, and the queue is the same."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab_groups.queue import WithGroups
from packages.groups.tests.test_authors import GROUP, HINTS, is_gated, pod


class Queue:
    """A queue with a gate of each pod and one of the group. ``shares``: whether the queue may share their answers."""

    def __init__(self, shares: bool) -> None:
        self.now, self.asked, self.closed, self.popped = 1000 * SECOND, 0, True, None
        gates = {"Gate": self.own, "Group": lambda _: self.closed}
        self.queue = WithGroups(lambda: self.now, HINTS, gates)
        if shares:
            self.queue.gate_state = lambda _: self.closed
        self.queue.add_group(GROUP)

    def own(self, of: Pod) -> bool:
        self.asked += 1
        return is_gated(of)

    def play(self, step: str, old: Pod, new: Pod, closed: bool, succeeded: bool) -> None:
        """One operation."""
        self.now, self.closed = self.now + SECOND, closed
        if step == "add":
            self.queue.add(old)
        elif step == "update":
            self.queue.update(old, new)
        elif step == "delete":
            self.queue.delete(old)
        elif step == "pop" and self.popped is None:
            self.popped: Any = self.queue.pop()
        elif step == "return" and self.popped is not None:
            for member in list(self.popped.members):
                member.record_failure(member.pod, ["Gate"])
                self.queue.add_unschedulable(member, 0)
            self.queue.add_attempted(self.popped, succeeded, not succeeded)
            self.popped = None
        elif step == "activate":
            self.queue.activate([old])
        elif step == "flush":
            self.queue.flush_backoff()

    @property
    def state(self) -> Any:
        entry = self.queue._entry(("default", GROUP.metadata.name))
        members = entry.members if entry is not None else ()
        each = [(m.key, m.gate, m.part, sorted(m.unschedulable_plugins)) for m in members]
        return self.queue.places(), (entry.gate, entry.part) if entry is not None else None, each


@pytest.mark.parametrize("seed", range(40))
def test_a_queue_that_shares_answers_is_the_same(seed: int) -> None:
    rng, queues = random.Random(seed), [Queue(shares=False), Queue(shares=True)]
    known: dict[str, Pod] = {}
    for number in range(60):
        step = rng.choice(["add", "add", "update", "update", "delete", "pop", "return", "activate", "flush"])
        name = f"{rng.choice(('', '', 'gated-'))}p{number}"
        old = rng.choice(list(known.values())) if known and step != "add" else pod(name)
        if step != "add" and not known:
            continue
        labels = {"made": rng.choice(("p", "gated-p"))}
        new = replace(old, metadata=replace(old.metadata, labels=labels, resourceVersion=str(number)))
        known[old.metadata.uid] = new if step == "update" else old
        if step == "delete":
            del known[old.metadata.uid]
        closed, succeeded = rng.random() < 0.4, rng.random() < 0.5
        for each in queues:
            each.play(step, old, new, closed, succeeded)
        assert queues[0].state == queues[1].state, step


def test_a_thousand_pods_are_asked_about_a_thousand_times() -> None:
    queue = Queue(shares=True)
    for number in range(1000):
        queue.play("add", pod(f"p{number}"), pod("p"), closed=False, succeeded=False)
    assert queue.asked == 1000
