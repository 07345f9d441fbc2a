"""A heap of the active queue that notes every comparison and every swap, and the pods in it."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab import build
from kschedlab.build import Manifest
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.queue.heap import Heap, HeapData
from kschedlab.queue.order import pod_timestamp
from kschedlab.queue.queued_pod import QueuedPodInfo, key_func, priority_sort


class Act(NamedTuple):
    """The heap after one act of the operation: start, less, swap, push, pop, fix or absent (no such key).

    ``places``: the indices it is about; ``queue``: the keys in the array's order; ``priorities``: by key; ``answer``:
    of a comparison; ``gone``: the removed pod, if any.
    """

    act: str
    places: tuple[int, ...]
    queue: tuple[str, ...]
    priorities: dict[str, int]
    answer: bool = False
    gone: str = ""


class Watched(HeapData[QueuedPodInfo]):
    """A heap's data that records every operation; the heap itself is unaware of it."""

    def __init__(self) -> None:
        super().__init__(key_func, priority_sort)
        self.acts: list[Act] = []

    def less(self, i: int, j: int) -> bool:
        answer = super().less(i, j)
        self.note("less", (i, j), answer)
        return answer

    def swap(self, i: int, j: int) -> None:
        super().swap(i, j)
        self.note("swap", (i, j))

    def push(self, key: str, obj: QueuedPodInfo) -> None:
        super().push(key, obj)
        self.note("push", (len(self.queue) - 1,))

    def pop(self) -> QueuedPodInfo:
        """Take the last off."""
        taken = super().pop()
        self.note("pop", (), gone=taken.key)
        return taken

    def note(self, act: str, places: tuple[int, ...] = (), answer: bool = False, gone: str = "") -> None:
        """Remember how the array looks now."""
        priorities = {key: item.obj.pod.spec.priority or 0 for key, item in self.items.items()}
        self.acts.append(Act(act, places, tuple(self.queue), priorities, answer, gone))


def manifest(name: str, priority: int) -> Manifest:
    """A waiting pod, created at eight o'clock."""
    made = build.pod(name, priority=priority)
    made["metadata"] |= {"uid": f"uid-{name}", "creationTimestamp": "2026-03-02T08:00:00Z"}
    return made


def decoded(made: Manifest) -> Pod:
    (pod,) = decode_objects([made]).pods
    return pod


def queued(made: Manifest) -> QueuedPodInfo:
    """The pod of a manifest in the queue of v1.13, which orders it by podTimestamp."""
    pod = decoded(made)
    return QueuedPodInfo(pod, pod_timestamp(pod))


def watched(made: list[Manifest]) -> tuple[Heap[QueuedPodInfo], Watched]:
    """The pods in a heap, with every later operation recorded."""
    heap = Heap(key_func, priority_sort)
    heap.data = data = Watched()
    for each in made:
        heap.add(queued(each))
    data.acts.clear()
    return heap, data


def name(key: str) -> str:
    return key.partition("/")[2]
