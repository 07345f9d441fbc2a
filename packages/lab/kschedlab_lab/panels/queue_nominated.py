"""nominatedPodMap, call by call: which pods wait for which node while their victims end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

from kschedlab.build import HOUR
from kschedlab.messages import later, listed, say, sentences
from kschedlab.queue.nominated import NominatedPodMap, NominationRules
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.queue_order import decoded, waiting
from kschedlab_lab.panels.settings import Restorable, steps, switch
from kschedlab_lab.views import queue_pods
from kschedlab_lab.views.queue_parts import Nominations, draw_nominations
from kschedlab_lab.views.svg import Room

NODES = ("node-a", "node-b")
PRIORITIES = {"urgent": 500, "batch": 100}
LAST, ASKED = 4, 3
"""The number of the last call, and of the one that is asked about."""


class Call(NamedTuple):
    """The map after one call."""

    call: str
    said: str
    by_node: dict[str, tuple[str, ...]]
    node_of: dict[str, str]


@dataclass(frozen=True)
class Settings(Restorable):
    """``kept``: v1.16's rule for a nomination that the pod's status does not show yet. ``calls``: the calls so far."""

    kept: bool = switch("with v1.16's rule for update")
    calls: int = steps("calls", LAST)


@lru_cache(2)
def calls_of(kept: bool) -> tuple[Call, ...]:
    """A fixed story of two pods, call by call."""
    npm = NominatedPodMap(NominationRules(survives_update=kept))
    urgent, batch = (decoded(waiting(name, priority, 8 * HOUR)) for name, priority in PRIORITIES.items())
    labelled = decoded(waiting("urgent", PRIORITIES["urgent"], 8 * HOUR), tier="gold")
    made: list[tuple[str, str, Callable[[], None]]] = [
        ('add(urgent, "node-a")', later("Preemption chose node-a"), lambda: npm.add(urgent, "node-a")),
        ('add(batch, "node-a")', later("Two pods may wait for one node"), lambda: npm.add(batch, "node-a")),
        (
            'add(urgent, "node-b")',
            later("add deletes first: a pod is on one list only"),
            lambda: npm.add(urgent, "node-b"),
        ),
        (
            later("update(urgent, urgent with a label)"),
            later("urgent keeps its nomination") if kept else later("urgent loses its nomination"),
            lambda: npm.update(urgent, labelled),
        ),
    ]
    found = [Call("newNominatedPodMap()", later("Nobody is nominated"), {}, {})]
    for call, said, act in made:
        act()
        nodes = {node: tuple(each.metadata.name for each in npm.pods_for_node(node)) for node in npm.nominated_pods}
        found.append(Call(call, said, nodes, dict(npm.nominated_pod_to_node)))
    return tuple(found)


def sentence(settings: Settings) -> str:
    """What the last call did, and what podsForNode returns."""
    here = calls_of(settings.kept)[settings.calls]
    names = [f"{node}: {listed(here.by_node[node])}" for node in sorted(here.by_node)]
    lists = (
        say("podsForNode gives {lists}.", lists=say("; ").join(names))
        if names
        else say("podsForNode gives nothing for any node.")
    )
    title = say("{said}.", said=say(here.said))
    return sentences([title, say("{call}: {lists}", call=say(here.call), lists=lists)])


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    said = sentence(settings)
    early = {"kept": say("This rule is about update, which nobody has called yet.")}
    return View(partial(picture, settings), said, Html(), said, idle={} if settings.calls == LAST else early)


def picture(settings: Settings, room: Room, picks: bool = False) -> Html:
    """Both maps. ``picks``: the nodes are answers."""
    seen = calls_of(settings.kept)
    here, before = seen[settings.calls], seen[max(settings.calls - 1, 0)]
    names = {each for pods in here.by_node.values() for each in pods}
    lost = tuple(sorted({each for pods in before.by_node.values() for each in pods} - names))
    by_node = {node: [queue_pods.Pod(name, PRIORITIES[name]) for name in here.by_node.get(node, ())] for node in NODES}
    alt = say("Both maps.") if picks else sentence(settings)
    return draw_nominations(
        Nominations(by_node, here.node_of, lost, picks, "v1.16" if settings.kept else "v1.13"), alt, room
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, call="queue_nominated.panel()")


def where_is_urgent() -> Question[Settings]:
    """The list on which urgent is once preemption has found another node for it."""
    here = calls_of(kept=False)[ASKED]
    right = next(node for node, names in here.by_node.items() if "urgent" in names)
    return Question(
        say("{call}: on which list is urgent then?", call=say(here.call)),
        ("node-a", "node-b", say("both"), say("on no list")),
        lambda _: right,
        lambda *_: say("add deletes the pod first, wherever it is: otherwise it would hold room on two nodes."),
        lambda _: partial(picture, Settings(calls=ASKED - 1), picks=True),
        moment=True,
    )
