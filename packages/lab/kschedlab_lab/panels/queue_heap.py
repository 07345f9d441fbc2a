"""The heap of the active queue at work: every comparison and every swap of one operation.

Pods with different priorities are in a :class:`~kschedlab.queue.heap.Heap`, and one call follows the other: each
pops, adds, updates or deletes a pod. The picture shows the heap after the last call, the story how that came about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from kschedlab.build import Manifest
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.queue.heap import Heap
from kschedlab.queue.queued_pod import QueuedPodInfo
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_heap_watched import Act, Watched, manifest, name, queued, watched
from kschedlab_lab.panels.settings import Restorable, choice, slider, typed
from kschedlab_lab.views.queue_heap import Mark, Place, draw_heap
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.svg import Room, dragged

PODS = {
    "ant": 500,
    "bee": 300,
    "cat": 900,
    "dog": 100,
    "elk": 700,
    "fox": 400,
    "gnu": 800,
    "hen": 200,
    "owl": 600,
    "yak": 1000,
}
"""Names and priorities, in order of arrival."""
NEW = "new"
OPERATIONS = ("Pop", "Add", "Update", "Delete")
PIXELS = 7
"""How far a pod is dragged for one value of its priority."""


NONE = later("none")
WHICH = "|".join(PODS)
CALL = re.compile(rf"Pop|Delete ({WHICH})|(Add {NEW}|Update ({WHICH})) \d+")


def read_calls(text: str) -> str:
    """Calls such as "Pop; Update dog 900". ValueError names the first that is none."""
    for call in text.split("; "):
        if text not in (NONE, say(NONE)) and not CALL.fullmatch(call):
            raise InputValueError('"{call}" is not a call such as "Update dog 900"', call=call)
    return NONE if text == say(NONE) else text


@dataclass(frozen=True)
class Settings(Restorable):
    """``before``: the calls before the last one, which the others are about. ``which``: the pod to update or delete;
    ``priority``: of the pod that is added or updated.
    """

    pods: int = slider("pods at first", range(3, len(PODS) + 1), 7, folded=True)
    before: str = typed("calls before", NONE, (NONE,), read_calls)
    operation: str = choice("operation", OPERATIONS, "Pop")
    which: str = choice("pod", PODS, "ant")
    priority: int = slider("priority", range(50, 1101, 50), 1050)

    @property
    def calls(self) -> tuple[str, ...]:
        """Every call, the last one too."""
        given = {
            "Add": f" {NEW} {self.priority}",
            "Update": f" {self.which} {self.priority}",
            "Delete": f" {self.which}",
        }
        last = self.operation + given.get(self.operation, "")
        return (last,) if self.before == NONE else (*self.before.split("; "), last)

    def at(self, indices: Mapping[str, Any]) -> Self:
        """As any panel's; another operation comes after the last one."""
        there = super().at(indices)
        is_next = there.operation != self.operation and there.before == self.before
        return there.changed(before=_written(self.calls)) if is_next else there


def _written(calls: Sequence[str]) -> str:
    return "; ".join(calls) or NONE


def manifests(settings: Settings) -> list[Manifest]:
    """The pods of the heap, in the order in which they were added."""
    return [manifest(name, priority) for name, priority in list(PODS.items())[: settings.pods]]


class Popped(NamedTuple):
    """A pod that came out, and the calls before that."""

    name: str
    priority: int
    before: str


class HeapCalls(NamedTuple):
    """The last call, act by act, and the pods that are out, in the order of their pops."""

    acts: tuple[Act, ...]
    popped: tuple[Popped, ...]


def run(settings: Settings) -> HeapCalls:
    """Call by call on the heap."""
    heap, data = watched(manifests(settings))
    out: dict[str, Popped] = {}
    for number, call in enumerate(settings.calls):
        data.acts.clear()
        data.note("start")
        gone = _perform(heap, data, *call.split())
        if gone:
            before = _written(settings.calls[:number])
            out[name(gone)] = Popped(name(gone), data.acts[0].priorities[gone], before)
        out = {each: popped for each, popped in out.items() if f"default/{each}" not in data.items}
    return HeapCalls(tuple(data.acts), tuple(out.values()))


def _perform(heap: Heap[QueuedPodInfo], data: Watched, operation: str, which: str = "", priority: str = "") -> str:
    """One call; the key of the pod that it pops."""
    key = f"default/{which}"
    if operation == "Pop":
        if data.queue:
            return heap.pop().key
        data.note("empty")
    elif operation == "Delete":
        if heap.delete(key) is None:
            data.note("absent")
    else:
        if key in data.queue:
            start, ranks = data.acts[0], {**data.acts[0].priorities, key: int(priority)}
            data.acts.append(start._replace(act="fix", places=(data.queue.index(key),), priorities=ranks))
        heap.add(queued(manifest(which, int(priority))))
    return ""


def describe(act: Act) -> str:
    array = [f"{name(key)} ({act.priorities[key]})" for key in act.queue]
    if act.act == "empty":
        return say("The heap is empty: the real Pop waits until somebody adds a pod.")
    if act.act == "start":
        if not array:
            return say("The heap is empty.")
        return say("{pods}; the head, {pod}, is next.", pods=count(len(array), "pod"), pod=array[0])
    if act.act == "push":
        return say("Push appends {pod} at index {index}.", pod=array[-1], index=act.places[0])
    if act.act == "pop":
        return say("The last place is taken off: {pod} leaves the heap.", pod=name(act.gone))
    if act.act == "fix":
        return say(
            "items gets the new object, {pod}; Fix({index}) follows.",
            pod=array[act.places[0]],
            index=act.places[0],
        )
    if act.act == "absent":
        return say('items has no such key, so v1.13 returns the error "object not found".')
    i, j = act.places
    if act.act == "swap":
        return say(
            "Swap({i}, {j}): {one} is at index {i} now, and {other} at index {j}.",
            i=i,
            j=j,
            one=array[i],
            other=array[j],
        )
    message = (
        later("Less({i}, {j}): should {one} come out before {other}? Yes.")
        if act.answer
        else later("Less({i}, {j}): should {one} come out before {other}? No.")
    )
    return say(message, i=i, j=j, one=array[i], other=array[j])


def result(settings: Settings, done: HeapCalls) -> str:
    """What the operation did."""
    s, kinds = settings, [act.act for act in done.acts]
    if "absent" in kinds:
        return say(
            "Delete({which}): there is no such key, and v1.13 returns the error “object not found”.", which=s.which
        )
    if "empty" in kinds:
        return describe(done.acts[-1])
    work = listed([count(kinds.count("less"), "comparison"), count(kinds.count("swap"), "swap")])
    last = done.acts[-1]
    if s.operation == "Pop":
        if not last.queue:
            return say("Pop returns {name}; the heap is empty now.", name=name(last.gone))
        return say("Pop returns {name}; {head} is the head now.", name=name(last.gone), head=name(last.queue[0]))
    if s.operation == "Delete":
        return say("Delete takes {which} off: {work}. {head}", which=s.which, work=work, head=_head(last))
    moved = NEW if s.operation == "Add" else s.which
    at = last.queue.index(f"default/{moved}")
    return say(
        "{operation}({moved}, {priority}): {work}; {moved} is at index {at}. {head}",
        operation=s.operation,
        moved=moved,
        priority=s.priority,
        work=work,
        at=at,
        head=_head(last),
    )


def _head(act: Act) -> str:
    if not act.queue:
        return say("The heap is empty.")
    return say("The head is {name} ({priorities}).", name=name(act.queue[0]), priorities=act.priorities[act.queue[0]])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    done = run(settings)
    sentence = result(settings, done)
    return View(
        lambda room: picture(settings, room),
        sentence,
        Html(),
        sentence,
        idle=idle(settings),
        story=lambda room: story(settings, room),
    )


def idle(settings: Settings) -> dict[str, str]:
    """The settings that the operation does not read are away."""
    unread = {"Pop": ("which", "priority"), "Add": ("which",), "Delete": ("priority",), "Update": ()}
    return dict.fromkeys(("before", *unread[settings.operation]), "")


def picture(settings: Settings, room: Room) -> Html:
    done = run(settings)
    return drawn(settings, done, len(done.acts) - 1, result(settings, done), room, last=True)


def story(settings: Settings, room: Room) -> list[Frame]:
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
    act = done.acts[step]
    marks: dict[str, Mark] = {"less": "compared", "swap": "swapped", "push": "new", "fix": "new"}
    leaving = settings.operation == "Pop" and any(each.act == "swap" for each in done.acts[: step + 1])
    gone = done.acts[-1].gone if settings.operation in ("Pop", "Delete") else ""
    places = []
    for i, key in enumerate(act.queue):
        mark = marks.get(act.act, "") if i in act.places and not last else ""
        if leaving and key == gone and not mark:
            mark = "leaving"
        places.append(Place(name(key), act.priorities[key], mark, _handle(settings, key, act, last, picks)))
    popped = [
        Place(each.name, each.priority, "", _back(each) if last else {})
        for each in done.popped
        if f"default/{each.name}" not in act.queue
    ]
    return draw_heap(places, alt, popped, _pop(settings) if last else None, room)


def _handle(settings: Settings, key: str, act: Act, last: bool, picks: bool) -> Handle:
    """Every pod can be dragged: that updates it. A new pod keeps the priority with which it is added."""
    each, priority = name(key), act.priorities[key]
    if picks:
        return {"data_pick": each, "aria_label": each} if key != act.queue[0] else {}
    if not last:
        return {}
    which = "operation: Add" if each == NEW else f"operation: Update, which: {each}"
    goes_on = settings.calls[-1] in (f"Add {each} {priority}", f"Update {each} {priority}")
    before = settings.before if goes_on else _written(settings.calls)
    said = say("{each}, priority {priority}", each=each, priority=priority)
    drag = dragged("priority", "y", -PIXELS, said, say("drag it up or down: its priority"))
    return {"data_grab": f"before: {before}, {which}, priority: {priority}", **drag}


def _back(each: Popped) -> Handle:
    """A click on a pod that came out leads back to its Pop."""
    return {
        "data_set": f"before: {each.before}, operation: Pop",
        "data_tip": say("back to this Pop"),
        "aria_label": say("back to the Pop of {pod}", pod=each.name),
    }


def _pop(settings: Settings) -> Handle:
    return {
        "data_set": f"before: {_written(settings.calls)}, operation: Pop",
        "data_tip": say("take the head off"),
        "aria_label": say("Pop: take the head off"),
    }


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "queue_heap.panel()")


# -- questions


def after_pop() -> Question[Settings]:
    """Which pod fills the gap."""

    def why(settings: Settings, answer: str) -> str:
        acts = run(settings).acts
        array = [name(key) for key in acts[0].queue]
        if answer == array[-1]:
            return say(
                "The array must get shorter at its end, so the last pod takes the place of the head and then sinks."
            )
        if answer == name(acts[-1].queue[0]):
            wrong = say(
                "{answer} is the head in the end. But if it moved there first, it would leave a gap inside the array.",
                answer=answer,
            )
        else:
            wrong = say("{answer} is inside the array, which must get shorter at its end.", answer=answer)
        return sentences([wrong, say("{last}, the last in the array, takes the place.", last=array[-1])])

    return Question(
        say("Pop takes cat off. Which pod takes its place at first, before anything is compared?"),
        tuple(pod for pod in list(PODS)[:7] if pod != "cat"),
        lambda settings: name(run(settings).acts[1].queue[0]),
        why,
        lambda settings: (
            lambda room: drawn(settings, run(settings), 0, say("The heap before the operation."), room, picks=True)
        ),
    )
