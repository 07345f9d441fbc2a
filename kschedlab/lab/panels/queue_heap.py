"""The heap of the active queue at work: every comparison and every swap of one operation.

Pods with different priorities are in a :class:`~kschedlab.queue.heap.Heap`; then one is added, updated, deleted or
popped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab import testing
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider, steps
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.queue.heap import Heap, HeapData
from kschedlab.queue.older.queued_pod import QueuedPodInfo, key_func, priority_sort
from kschedlab.queue.order import pod_timestamp
from kschedlab.testing import Manifest
from kschedlab.views.html import Html
from kschedlab.views.queue import Mark, Place, draw_heap
from kschedlab.views.style import DECIDES
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, count

PODS = {"a": 500, "b": 300, "c": 900, "d": 100, "e": 700, "f": 400, "g": 800, "h": 200, "i": 600, "j": 1000}
"""Names and priorities, in order of arrival."""
NEW = "new"
WHICH: dict[str, Callable[[int], int]] = {"the head": lambda _: 0, "index 1": lambda _: 1, "the last": lambda n: n - 1}


@dataclass(frozen=True)
class Settings(Restorable):
    """The number of pods and the operation. ``which``: the pod to update or delete; ``priority``: of the pod that is
    added or updated.
    """

    pods: int = slider("pods in the heap", range(3, len(PODS) + 1), 7)
    operation: str = choice("operation", ("Add", "Update", "Delete", "Pop"), "Pop")
    which: str = choice("Update, Delete: which", WHICH, "the last")
    priority: int = slider("Add, Update: priority", (50, 250, 450, 650, 1050), 1050)
    step: int = steps("step", lambda settings: len(frames(settings)) - 1)


class Frame(NamedTuple):
    """The heap at one step. ``act``: start, less, swap, push or pop; ``places``: the indices it is about.

    ``queue``: the keys in the array's order; ``priorities``: by key; ``answer``: of a comparison; ``gone``: the
    removed pod, if any.
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
        self.frames: list[Frame] = []

    def less(self, i: int, j: int) -> bool:
        """Compare two places."""
        answer = super().less(i, j)
        self.note("less", (i, j), answer)
        return answer

    def swap(self, i: int, j: int) -> None:
        """Exchange two places."""
        super().swap(i, j)
        self.note("swap", (i, j))

    def push(self, key: str, obj: QueuedPodInfo) -> None:
        """Append it."""
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
        self.frames.append(Frame(act, places, tuple(self.queue), priorities, answer, gone))


def manifest(name: str, priority: int) -> Manifest:
    """A waiting pod, created at eight o'clock."""
    made = testing.pod(name, priority=priority)
    made["metadata"] |= {"uid": f"uid-{name}", "creationTimestamp": "2026-03-02T08:00:00Z"}
    return made


def decoded(made: Manifest) -> Pod:
    """The pod of a manifest."""
    (pod,) = decode_objects([made]).pods
    return pod


def queued(made: Manifest) -> QueuedPodInfo:
    """The pod of a manifest, in the queue of v1.13."""
    return info(decoded(made))


def info(pod: Pod) -> QueuedPodInfo:
    """The pod in the queue of v1.13, which orders it by podTimestamp."""
    return QueuedPodInfo(pod, pod_timestamp(pod), 0)


def manifests(settings: Settings) -> list[Manifest]:
    """The pods of the heap, in the order in which they were added."""
    return [manifest(name, priority) for name, priority in list(PODS.items())[: settings.pods]]


def watched(made: list[Manifest]) -> tuple[Heap[QueuedPodInfo], Watched]:
    """The pods in a heap, with every later operation recorded."""
    heap = Heap(key_func, priority_sort)
    heap.data = data = Watched()
    for each in made:
        heap.add(queued(each))
    data.frames.clear()
    data.note("start")
    return heap, data


def frames(settings: Settings) -> list[Frame]:
    """The operation, step by step."""
    heap, data = watched(manifests(settings))
    key = data.queue[WHICH[settings.which](settings.pods)]
    if settings.operation == "Add":
        heap.add(queued(manifest(NEW, settings.priority)))
    elif settings.operation == "Update":
        heap.update(queued(manifest(name(key), settings.priority)))
    elif settings.operation == "Delete":
        heap.delete(key)
    else:
        heap.pop()
    return data.frames


def name(key: str) -> str:
    """The key without its namespace."""
    return key.partition("/")[2]


def describe(frame: Frame) -> str:
    """The action of this step."""
    array = [f"{name(key)} ({frame.priorities[key]})" for key in frame.queue]
    if frame.act == "start":
        return f"{count(len(array), 'pod')}; the head, {array[0]}, is next."
    if frame.act == "push":
        return f"Push appends {array[-1]} at index {frame.places[0]}."
    if frame.act == "pop":
        return f"The last place is taken off: {name(frame.gone)} leaves the heap."
    i, j = frame.places
    if frame.act == "swap":
        return f"Swap({i}, {j}): {array[i]} is at index {i} now, and {array[j]} at index {j}."
    return f"Less({i}, {j}): should {array[i]} come out before {array[j]}? {'Yes' if frame.answer else 'No'}."


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    steps_ = frames(settings)
    frame = steps_[settings.step]
    marks: dict[str, Mark] = {"less": "compared", "swap": "swapped", "push": "new"}
    mark = marks.get(frame.act, "")
    places = [
        Place(name(key), frame.priorities[key], mark if i in frame.places else "") for i, key in enumerate(frame.queue)
    ]
    sentence = f"{settings.operation}, step {settings.step} of {len(steps_) - 1}. {describe(frame)}"
    if settings.step == len(steps_) - 1:
        acts = [each.act for each in steps_]
        sentence += f" Done: {count(acts.count('less'), 'comparison')}, {count(acts.count('swap'), 'swap')}."
    return View(draw_heap(places, sentence), sentence, heap_table(steps_, settings.step), text(sentence, frame))


def text(sentence: str, frame: Frame) -> str:
    """The array as lines."""
    rows = [["index", *map(str, range(len(frame.queue)))], ["key", *frame.queue]]
    rows.append(["priority", *(str(frame.priorities[key]) for key in frame.queue)])
    return "\n".join([sentence, *aligned(rows)])


def heap_table(steps_: list[Frame], step: int) -> Html:
    """All steps, each with the resulting array; the current one is marked."""
    rows = [
        row(number, describe(each), " ".join(map(name, each.queue)), style=DECIDES if number == step else "")
        for number, each in enumerate(steps_)
    ]
    return table(["step", "what is done", "heapData.queue"], rows)


def as_yaml(settings: Settings) -> str:
    """The pods of the heap."""
    return testing.as_yaml(manifests(settings))


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "queue_heap.panel()")


def after_pop() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "Seven pods are in the heap, and the head is popped. Which pod is moved to index 0 first?",
        {
            "the child with the higher priority": "Then there would be a hole one level below, and another below that.",
            "the pod in the last place": "Yes: the array must get shorter at its end, so the last pod fills the gap.",
            "the pod that was added first": "The heap does not know who came first; it only compares.",
        },
    )
