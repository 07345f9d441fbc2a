"""How long a failed pod waits, measured on the real queue of each generation."""

from __future__ import annotations

from kschedlab import build
from kschedlab.generations import COURSE, GENERATIONS
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import say
from kschedlab.objects.meta import SECOND
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ACTIVE
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.panels.queue_heap_watched import decoded
from kschedlab_lab.panels.queue_story import ATTEMPT, START

FAILURES = 6


class Lonely:
    """One pod in the queue of a generation, with a clock of its own."""

    def __init__(self, generation: str) -> None:
        self.clock = 0
        made = build.pod("web", priority=0)
        made["metadata"] |= {"uid": "uid-web", "creationTimestamp": "2026-03-02T08:00:00Z"}
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
        condition["lastProbeTime"] = made["metadata"]["creationTimestamp"]
        self.pod = decoded(made | {"status": {"conditions": [condition]}})
        self.queue = GENERATIONS[generation].queue(lambda: START + self.clock, get_pod=lambda key: self.pod)
        self.queue.add(self.pod)

    def fail(self) -> None:
        """An attempt that finds no node."""
        queued = self.queue.pop()
        assert queued is not None
        self.clock += ATTEMPT
        queued.record_failure(self.pod, ["NodeResourcesFit"])
        self.queue.add_unschedulable(queued, self.queue.scheduling_cycle)

    def wait(self) -> float:
        """Seconds until it is active again."""
        began = self.clock
        while self.queue.places()[self.pod.key].part != ACTIVE:
            self.clock += SECOND - self.clock % SECOND
            for period, flush in self.queue.flushes:
                if self.clock % period == 0:
                    flush()
        return (self.clock - began) / SECOND


def waits_after_failures(generation: str) -> list[float]:
    """After each failure in a row: seconds until the pod is active again if an event helps it at once."""
    lonely, (large,) = Lonely(generation), decode_objects([build.node("large")]).nodes
    found = []
    for _ in range(FAILURES):
        lonely.fail()
        lonely.queue.move(NODE_ADD, None, large)
        found.append(lonely.wait())
    return found


def wait_without_event(generation: str) -> float:
    """Seconds until the pod is active again without any event."""
    lonely = Lonely(generation)
    lonely.fail()
    return lonely.wait()


class Measured:
    """All generations side by side, each measured on its own queue."""

    def __init__(self) -> None:
        self.head = [say("seconds"), *(say("failure {number}", number=n + 1) for n in range(FAILURES)), say("no event")]
        self.rows = [
            [name, *(f"{wait:g}" for wait in (*waits_after_failures(name), wait_without_event(name)))]
            for name in COURSE
        ]

    def __repr__(self) -> str:
        return "\n".join(aligned([self.head, *self.rows], ""))

    def _repr_html_(self) -> str:
        return str(table(self.head, (row(*cells) for cells in self.rows)))
