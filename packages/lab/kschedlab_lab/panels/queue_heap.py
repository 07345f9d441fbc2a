"""The heap of the active queue at work: every comparison and every swap of one call.

Seven pods are in a :class:`~kschedlab.queue.heap.Heap`. Two are popped, a new one is added, and then all are popped.
The picture shows the heap after the last call, the story how that came about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from kschedlab.build import HOUR, Manifest
from kschedlab.messages import later, say, sentences
from kschedlab.queue.heap import Heap, HeapData
from kschedlab.queue.order import pod_timestamp
from kschedlab.queue.queued_pod import QueuedPodInfo, key_func, priority_sort
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_waiting import decoded, waiting
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.drawing import Marks
from kschedlab_lab.views.queue_heap import Button, Mark, Place, draw_heap
from kschedlab_lab.views.svg import Room

PODS = {"ant": 500, "bee": 300, "cat": 900, "dog": 100, "elk": 700, "fox": 400, "gnu": 800}
"""Names and priorities, in order of arrival."""
NEW, RANKS = "web", range(100, 1000, 100)
PRIORITIES = {**PODS, NEW: 800}
POP, ADD = "Pop", f"Add({NEW})"
PULLS: Marks = {"data_drag": "web", "data_axis": "x", "data_step": "16"}
"""What makes a priority a control."""
CALLS = (POP, POP, ADD, *[POP] * 6)


@dataclass(frozen=True)
class Settings(Restorable):
    """How many of the calls were made, and the priority of the pod that one of them adds."""

    calls: int = slider("calls", range(len(CALLS) + 1), 1, folded=True)
    web: int = slider("priority of web", RANKS, PRIORITIES[NEW], folded=True)

    @property
    def priorities(self) -> dict[str, int]:
        return PRIORITIES | {NEW: self.web}


class Act(NamedTuple):
    """The heap after one act of the call: start, less, swap, push or pop.

    ``places``: the indices it is about; ``queue``: the pods in the array's order; ``answer``: of a comparison;
    ``gone``: the popped pod, if any.
    """

    act: str
    places: tuple[int, ...]
    queue: tuple[str, ...]
    answer: bool
    gone: str


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
        self.note("pop", (), gone=taken.pod.metadata.name)
        return taken

    def note(self, act: str, places: tuple[int, ...] = (), answer: bool = False, gone: str = "") -> None:
        """Remember how the array looks now."""
        names = tuple(key.partition("/")[2] for key in self.queue)
        self.acts.append(Act(act, places, names, answer, gone))


def manifests(settings: Settings) -> list[Manifest]:
    """The pods of the heap, in the order in which they were added."""
    return [waiting(pod, priority, 8 * HOUR) for pod, priority in PODS.items()]


def _queued(made: Manifest) -> QueuedPodInfo:
    """The pod in the queue of v1.13, which orders it by podTimestamp."""
    pod = decoded(made)
    return QueuedPodInfo(pod, pod_timestamp(pod))


class HeapCalls(NamedTuple):
    """The last call, act by act, the pods that are out, in the order of their pops, and the priorities."""

    acts: tuple[Act, ...]
    popped: tuple[str, ...]
    priorities: Mapping[str, int]

    @property
    def way(self) -> list[tuple[int, ...]]:
        """The swaps by which one pod sank or rose; without the first of Pop, which only puts it on top."""
        return [each.places for each in self.acts if each.act == "swap"][bool(self.acts[-1].gone) :]


def run(settings: Settings) -> HeapCalls:
    """Call by call on the heap."""
    heap = Heap(key_func, priority_sort)
    heap.data = data = Watched()
    for made in manifests(settings):
        heap.add(_queued(made))
    popped = []
    for call in ("", *CALLS[: settings.calls]):
        data.acts.clear()
        data.note("start")
        if call == ADD:
            heap.add(_queued(waiting(NEW, settings.web, 9 * HOUR)))
        elif call == POP:
            popped.append(heap.pop().pod.metadata.name)
    return HeapCalls(tuple(data.acts), tuple(popped), settings.priorities)


def describe(act: Act, priorities: Mapping[str, int] = PRIORITIES) -> str:
    array = [f"{pod} ({priorities[pod]})" for pod in act.queue]
    if act.act == "start":
        return say("{pods}; the head, {pod}, is next.", pods=count(len(array), "pod"), pod=array[0])
    if act.act == "push":
        return say("Push appends {pod} at index {index}.", pod=array[-1], index=act.places[0])
    i, j = act.places
    about = {"i": i, "j": j, "one": array[i], "other": array[j]}
    if act.act == "swap":
        return say("Swap({i}, {j}): {one} and {other}.", **about)
    if act.answer:
        return say("Does {one} come before {other}? Yes.", **about)
    return say("Does {one} come before {other}? No.", **about)


def result(settings: Settings, done: HeapCalls) -> str:
    """What the last call did."""
    last = done.acts[-1]
    if last.gone and not last.queue:
        return say(
            "Pop returns {name}; the heap is empty now. The next Pop waits until a pod is added.", name=last.gone
        )
    if last.gone:
        return say("Pop returns {name}; {head} is the head now.", name=last.gone, head=last.queue[0])
    if not settings.calls:
        return describe(last, done.priorities)
    swaps = count([act.act for act in done.acts].count("swap"), "swap")
    call = CALLS[settings.calls - 1]
    return say("{call}: {swaps}; {head} is the head now.", call=call, swaps=swaps, head=last.queue[0])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    done = run(settings)
    sentence = result(settings, done)

    def picture(room: Room) -> Html:
        return drawn(done, len(done.acts) - 1, sentence, room, _next(settings))

    def story(room: Room) -> list[Frame]:
        shown = [act for act in done.acts if not act.gone]  # the last picture shows that it is out
        said = [describe(act, done.priorities) for act in shown]
        acts = [Frame(drawn(done, step, each, room), each) for step, each in enumerate(said)]
        return [*acts, Frame(picture(room), sentence)]

    return View(picture, sentence, Html(), sentence, story=story if settings.calls else None)


def drawn(
    done: HeapCalls, step: int, alt: str, room: Room, button: Button | None = None, *, picks: bool = False
) -> Html:
    """The heap after an act. ``button``: the call is over, and this one is next; ``picks``: pods are answers."""
    act, gone = done.acts[step], done.acts[-1].gone
    marks: dict[str, Mark] = {"less": "compared", "swap": "swapped", "push": "new"}
    way = done.way if button is not None else []
    end = (max if gone else min)(way[-1]) if way else None
    orders = {(min if gone else max)(swap): order for order, swap in enumerate(way, 1)}  # those that make way
    leaving = any(each.act == "swap" for each in done.acts[: step + 1])
    places = []
    for i, pod in enumerate(act.queue):
        mark = marks.get(act.act, "") if i in act.places and button is None else ""
        if leaving and pod == gone and not mark:
            mark = "leaving"
        if i == end:
            mark = "sunk" if gone else "risen"
        handle = {"data_pick": pod, "aria_label": pod} if picks and i else {"data_order": orders.get(i)}
        pulls = PULLS if pod == NEW and button is not None else {}
        places.append(Place(pod, done.priorities[pod], mark, handle, pulls))
    popped = [(pod, done.priorities[pod]) for pod in done.popped if pod not in act.queue]
    return draw_heap(places, alt, popped, room, button, {*map(max, way)})


def _next(settings: Settings) -> Button:
    """The next call; after the last one, all pods are in the heap again."""
    following = (settings.calls + 1) % (len(CALLS) + 1)
    call = CALLS[settings.calls] if following else say("Start again")
    return Button(call, {"data_set": f"calls: {following}", "aria_label": call})


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "queue_heap.panel()")


def after_pop() -> Question[Settings]:
    """Which pod fills the gap that the first Pop leaves."""
    done = run(Settings())
    head, *others, last = done.acts[0].queue

    def why(_: Settings, answer: str) -> str:
        if answer == last:
            return say(
                "The array must get shorter at its end, so the last pod takes the place of the head and then sinks."
            )
        wrong = later("{answer} is inside the array, which must get shorter at its end.")
        if answer == done.acts[-1].queue[0]:
            wrong = later(
                "{answer} is the head in the end. But if it moved there first, it would leave a gap inside the array."
            )
        rule = say("{last}, the last in the array, takes the place.", last=last)
        return sentences([say(wrong, answer=answer), rule])

    return Question(
        say(
            "Pop takes {head}, and the array loses index {index}. Which pod goes on top first?",
            head=head,
            index=len(others) + 1,
        ),
        tuple(sorted([*others, last])),
        lambda _: done.acts[1].queue[0],
        why,
        lambda _: lambda room: drawn(done, 0, say("The heap before the operation."), room, picks=True),
        looks=("web",),
        way=lambda _: [partial(drawn, done, i, describe(act)) for i, act in enumerate(done.acts) if act.act == "swap"],
    )
