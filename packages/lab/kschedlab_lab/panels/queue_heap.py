"""The heap of the active queue at work: every comparison and every swap of one operation.

Seven pods are in a :class:`~kschedlab.queue.heap.Heap`. One of them may be updated, or an eighth is added; then pods
are popped. The picture shows the heap after the last call, the story how that came about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.build import HOUR, Manifest
from kschedlab.messages import later, listed, say, sentences
from kschedlab.queue.heap import Heap, HeapData
from kschedlab.queue.order import pod_timestamp
from kschedlab.queue.queued_pod import QueuedPodInfo, key_func, priority_sort
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_order import decoded, waiting
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.queue_heap import Mark, Place, draw_heap
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.svg import Room, dragged

PODS = {"ant": 500, "bee": 300, "cat": 900, "dog": 100, "elk": 700, "fox": 400, "gnu": 800}
"""Names and priorities, in order of arrival."""
NEW = "new"
NONE = later("none")
PIXELS = 7
"""How far a pod is dragged for one value of its priority."""


@dataclass(frozen=True)
class Settings(Restorable):
    """``which``: the pod that gets another priority, or the new one; ``pops``: calls of Pop after that."""

    which: str = choice("pod", (NONE, *PODS, NEW), NONE)
    priority: int = slider("priority", range(50, 1101, 50), 1000)
    pops: int = slider("calls of Pop", range(len(PODS) + 1), 1)

    @property
    def operation(self) -> str:
        """The last call."""
        if self.pops:
            return "Pop"
        return "" if self.which == NONE else "Add" if self.which == NEW else "Update"


class Act(NamedTuple):
    """The heap after one act of the operation: start, less, swap, push, pop or fix.

    ``places``: the indices it is about; ``queue``: the pods in the array's order; ``priorities``: by pod; ``answer``:
    of a comparison; ``gone``: the popped pod, if any.
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
        self.note("pop", (), gone=name(taken.key))
        return taken

    def note(self, act: str, places: tuple[int, ...] = (), answer: bool = False, gone: str = "") -> None:
        """Remember how the array looks now."""
        priorities = {name(key): item.obj.pod.spec.priority or 0 for key, item in self.items.items()}
        self.acts.append(Act(act, places, tuple(map(name, self.queue)), priorities, answer, gone))


def name(key: str) -> str:
    return key.partition("/")[2]


def queued(pod: str, priority: int) -> QueuedPodInfo:
    """A pod in the queue of v1.13, which orders it by podTimestamp."""
    made = decoded(waiting(pod, priority, 8 * HOUR))
    return QueuedPodInfo(made, pod_timestamp(made))


def manifests(settings: Settings) -> list[Manifest]:
    """The pods of the heap, in the order in which they were added."""
    return [waiting(pod, priority, 8 * HOUR) for pod, priority in PODS.items()]


class HeapCalls(NamedTuple):
    """The last call, act by act, and the pods that are out with their priorities, in the order of their pops."""

    acts: tuple[Act, ...]
    popped: dict[str, int]


def run(settings: Settings) -> HeapCalls:
    """Call by call on the heap."""
    heap = Heap(key_func, priority_sort)
    heap.data = data = Watched()
    for pod, priority in PODS.items():
        heap.add(queued(pod, priority))
    data.acts.clear()
    data.note("start")
    if settings.which != NONE:
        if settings.which in PODS:
            start = data.acts[0]
            ranks = {**start.priorities, settings.which: settings.priority}
            place = start.queue.index(settings.which)
            data.acts.append(start._replace(act="fix", places=(place,), priorities=ranks))
        heap.add(queued(settings.which, settings.priority))
    popped = {}
    for _ in range(min(settings.pops, len(data.queue))):
        data.acts.clear()
        data.note("start")
        taken = heap.pop()
        popped[name(taken.key)] = taken.pod.spec.priority or 0
    return HeapCalls(tuple(data.acts), popped)


def describe(act: Act) -> str:
    array = [f"{pod} ({act.priorities[pod]})" for pod in act.queue]
    if act.act == "start":
        return say("{pods}; the head, {pod}, is next.", pods=count(len(array), "pod"), pod=array[0])
    if act.act == "push":
        return say("Push appends {pod} at index {index}.", pod=array[-1], index=act.places[0])
    if act.act == "pop":
        return say("The last place is taken off: {pod} leaves the heap.", pod=act.gone)
    if act.act == "fix":
        index = act.places[0]
        return say("items gets the new object, {pod}; Fix({index}) follows.", pod=array[index], index=index)
    i, j = act.places
    about = {"i": i, "j": j, "one": array[i], "other": array[j]}
    if act.act == "swap":
        return say("Swap({i}, {j}): {one} is at index {i} now, and {other} at index {j}.", **about)
    if act.answer:
        return say("Less({i}, {j}): should {one} come out before {other}? Yes.", **about)
    return say("Less({i}, {j}): should {one} come out before {other}? No.", **about)


def result(settings: Settings, done: HeapCalls) -> str:
    """What the last call did."""
    last = done.acts[-1]
    if settings.operation == "Pop":
        if not last.queue:
            out = last.gone
            return say("Pop returns {name}; the heap is empty now. The next Pop waits until a pod is added.", name=out)
        return say("Pop returns {name}; {head} is the head now.", name=last.gone, head=last.queue[0])
    if not settings.operation:
        return describe(last)
    kinds, head = [act.act for act in done.acts], last.queue[0]
    at = {"moved": settings.which, "at": last.queue.index(settings.which), "priority": settings.priority}
    work = listed([count(kinds.count("less"), "comparison"), count(kinds.count("swap"), "swap")])
    first = say("The head is {name} ({priorities}).", name=head, priorities=last.priorities[head])
    message = later("{operation}({moved}, {priority}): {work}; {moved} is at index {at}. {head}")
    return say(message, operation=settings.operation, work=work, head=first, **at)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = result(settings, run(settings))
    idle = {"priority": ""} if settings.which == NONE else {}
    story = None if not settings.operation else lambda room: told(settings, room)
    return View(lambda room: picture(settings, room), sentence, Html(), sentence, idle=idle, story=story)


def picture(settings: Settings, room: Room) -> Html:
    done = run(settings)
    return drawn(settings, done, len(done.acts) - 1, result(settings, done), room, last=True)


def told(settings: Settings, room: Room) -> list[Frame]:
    """The operation, act by act; its last picture is the panel's."""
    done = run(settings)
    seen = [
        Frame(drawn(settings, done, step, describe(act), room), describe(act)) for step, act in enumerate(done.acts)
    ]
    return [*seen, Frame(picture(settings, room), result(settings, done))]


def drawn(
    settings: Settings, done: HeapCalls, step: int, alt: str, room: Room, *, last: bool = False, picks: bool = False
) -> Html:
    """The heap after an act. ``last``: the operation is over, and every pod is a control; ``picks``: an answer."""
    act, gone = done.acts[step], done.acts[-1].gone
    marks: dict[str, Mark] = {"less": "compared", "swap": "swapped", "push": "new", "fix": "new"}
    leaving = gone and any(each.act == "swap" for each in done.acts[: step + 1])
    places = []
    for i, pod in enumerate(act.queue):
        mark = marks.get(act.act, "") if i in act.places and not last else ""
        if leaving and pod == gone and not mark:
            mark = "leaving"
        handle: Handle = _drag(pod, act.priorities[pod]) if last else {}
        if picks and i:
            handle = {"data_pick": pod, "aria_label": pod}
        places.append(Place(pod, act.priorities[pod], mark, handle))
    popped = [
        Place(pod, priority, "", _back(pod, number) if last else {})
        for number, (pod, priority) in enumerate(done.popped.items(), 1)
        if pod not in act.queue
    ]
    calls = {"Pop": _pop(min(len(popped) + 1, len(PODS))), "Add": _add()} if last else {}
    return draw_heap(places, alt, popped, calls, room)


def _drag(pod: str, priority: int) -> Handle:
    """Every pod can be dragged: that updates it, and begins again with all pods in the heap."""
    said = say("{each}, priority {priority}", each=pod, priority=priority)
    drag = dragged("priority", "y", -PIXELS, said, say("drag it up or down: its priority"))
    return {"data_grab": f"pops: 0, which: {pod}, priority: {priority}", **drag}


def _back(pod: str, number: int) -> Handle:
    """A click on a pod that came out leads back to its Pop."""
    said = say("back to the Pop of {pod}", pod=pod)
    return {"data_set": f"pops: {number}", "data_tip": say("back to this Pop"), "aria_label": said}


def _pop(pops: int) -> Handle:
    tip = say("take the head off")
    return {"data_set": f"pops: {pops}", "data_tip": tip, "aria_label": say("Pop: take the head off")}


def _add() -> Handle:
    said = say("add a pod of priority {priority}", priority=1000)
    return {"data_set": f"pops: 0, which: {NEW}, priority: 1000", "data_tip": said, "aria_label": said}


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "queue_heap.panel()")


def after_pop() -> Question[Settings]:
    """Which pod fills the gap."""

    def why(settings: Settings, answer: str) -> str:
        acts = run(settings).acts
        last = acts[0].queue[-1]
        if answer == last:
            return say(
                "The array must get shorter at its end, so the last pod takes the place of the head and then sinks."
            )
        wrong = say("{answer} is inside the array, which must get shorter at its end.", answer=answer)
        if answer == acts[-1].queue[0]:
            wrong = say(
                "{answer} is the head in the end. But if it moved there first, it would leave a gap inside the array.",
                answer=answer,
            )
        return sentences([wrong, say("{last}, the last in the array, takes the place.", last=last)])

    def before(settings: Settings, room: Room) -> Html:
        return drawn(settings, run(settings), 0, say("The heap before the operation."), room, picks=True)

    return Question(
        say("Pop takes cat off. Which pod takes its place at first, before anything is compared?"),
        tuple(pod for pod in PODS if pod != "cat"),
        lambda settings: run(settings).acts[1].queue[0],
        why,
        lambda settings: lambda room: before(settings, room),
    )
