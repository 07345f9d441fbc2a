"""The three errors of the document's source: each guards something that always holds, so nobody ever sees it.

Here something is broken on purpose: a heap without an object, a key without metadata, or two maps that disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.messages import later, say, terms
from kschedlab.queue.nominated import NominatedPodMap
from kschedlab.text.html import Html
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_heap import PODS
from kschedlab_lab.panels.queue_heap_watched import manifest, watched
from kschedlab_lab.panels.queue_nominated import pod
from kschedlab_lab.panels.settings import Restorable, choice
from kschedlab_lab.views.queue_parts import Entry, draw_pair
from kschedlab_lab.views.svg import Room

KEY, POP, ALREADY = "KeyError", later("Pop's nil"), "already exists"


@dataclass(frozen=True)
class Settings(Restorable):
    """``fault``: what is broken on purpose."""

    fault: str = choice("broken on purpose", (KEY, POP, ALREADY), KEY)


class Fault(NamedTuple):
    """Two structures that should agree. ``told``: the text in v1.13; ``where``: its function; ``never``: why nobody
    sees it.
    """

    left: tuple[str, tuple[Entry, ...]]
    right: tuple[str, tuple[Entry, ...]]
    told: str
    where: str
    never: str


def fault_of(settings: Settings) -> Fault:
    """What is broken, and what v1.13 says to it."""
    return {KEY: no_key, POP: no_object, ALREADY: listed_twice}[settings.fault]()


def _heap(broken: str = "") -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The array and the map of a small heap; the object of a key can be taken away."""
    _, data = watched([manifest(name, priority) for name, priority in list(PODS.items())[:3]])
    data.items.pop(broken, None)
    queue = tuple(Entry(f"queue[{i}]", f" = {key}", key not in data.items) for i, key in enumerate(data.queue))
    return queue, tuple(
        Entry(key, say(": index {index}", index=item.index)) for key, item in sorted(data.items.items())
    )


def no_key() -> Fault:
    """An object without metadata."""
    queue, items = _heap()
    return Fault(
        (
            "Add(object)",
            (Entry("metadata", say(": none"), broken=True), Entry("key", say(": can't be computed"), broken=True)),
        ),
        ("heapData.items", items),
        "couldn't create key for object ...: object has no meta: ...",
        "Add, Update, Delete, Get",
        say("Informers deliver pods, and every pod has metadata, so keyFunc always finds a namespace and a name."),
    )


def no_object() -> Fault:
    """A key in the array, but not in the map."""
    queue, items = _heap("default/ant")
    return Fault(
        ("heapData.queue", queue),
        ("heapData.items", items),
        "object was removed from heap data",
        "Pop",
        say(
            "Push and Pop change the array and the map together. And if they did disagree, heap.Pop would "
            "call Swap first, which panics on the missing item before Pop can return nil."
        ),
    )


def listed_twice() -> Fault:
    """A pod on a node's list, whose UID the other map does not know."""
    npm, urgent = NominatedPodMap(), pod("urgent")
    npm.add(urgent, "node-a")
    npm.nominated_pod_to_node.clear()
    lists = tuple(
        Entry(node, f": {', '.join(each.metadata.name for each in pods.values())}", broken=True)
        for node, pods in npm.nominated_pods.items()
    )
    return Fault(
        ("nominatedPods", lists),
        ("nominatedPodToNode", (Entry("uid-urgent", say(" is missing"), broken=True),)),
        "Pod default/urgent already exists in the nominated map!",
        say("nominatedPodMap.add, at klog level 4"),
        say("add calls delete first, which takes the pod off its list, as long as the two maps agree."),
    )


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    found = fault_of(settings)
    sentence = say("{where}: “{told}”. Nobody sees it. {never}", where=found.where, told=found.told, never=found.never)
    rows = [[title, f"{each.key}{each.value}", "✕" if each.broken else ""] for title, each in _entries(found)]
    head = terms("structure", "entry", "broken")
    text = "\n".join([sentence, *aligned([head, *rows])])
    return View(lambda room: picture(settings, room), sentence, table(head, (row(*cells) for cells in rows)), text)


def _entries(found: Fault) -> list[tuple[str, Entry]]:
    return [(title, each) for title, entries in (found.left, found.right) for each in entries]


def picture(settings: Settings, room: Room) -> Html:
    """The two structures, with what does not fit in orange."""
    found = fault_of(settings)
    return draw_pair(
        found.left, found.right, found.told, say("{where}: {told}", where=found.where, told=found.told), room
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="queue_faults.panel()")


def who_sees_them() -> Question[Settings]:
    """Which of the errors can be seen in a running scheduler."""

    def why(settings: Settings, answer: str) -> str:
        if answer == say("none of them"):
            return say("Each guards something that always holds; change the panel to see what would have to break.")
        fault = next(each for each in (KEY, POP, ALREADY) if say(each) == answer)
        return fault_of(settings.changed(fault=fault)).never

    return Question(
        say("Which of these errors can a running v1.13 show?"),
        (*terms(KEY, POP, ALREADY), say("none of them")),
        lambda settings: say("none of them"),
        why,
    )
