"""Which pods the scheduler's informer sees, and who receives them. A simulated v1.16 starts and fills its caches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import simpy

from kschedlab.build import Manifest, node, pod
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, listed, say
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Pod
from kschedlab.queue.interface import ACTIVE
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, switch
from kschedlab_lab.views.informer import Seen, draw_informer
from kschedlab_lab.views.pieces import Fact
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.log import Log, Moved
from kschedlab_simulation.scheduler.startup import StartUp
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.simulation import START

CACHE, QUEUE, NOBODY = later("cache"), later("queue"), later("nobody")
PHASES = ("Pending", "Running", "Succeeded", "Failed")
SOON = "2026-01-01T00:00:30Z"


@dataclass(frozen=True)
class Settings(Restorable):
    """The pod ``web``."""

    phase: str = choice("web's phase", PHASES, "Pending", folded=True)
    bound: bool = switch("web has a node")
    deleted: bool = switch("web is being deleted")
    other: bool = switch("web names another scheduler")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests; the last one is the pod ``web``."""
    return [node("node-a"), *_pods(), _web(settings)]


def _pods() -> Iterator[Manifest]:
    """Pods in every phase, a terminating one, and one of another scheduler."""
    yield pod("shop", "node-a", 1)
    yield pod("done", "node-a", 1) | {"status": {"phase": "Succeeded"}}
    yield pod("broken", "node-a", 1) | {"status": {"phase": "Failed"}}
    yield _deleted(pod("leaving", "node-a", 1))
    yield pod("large", "", 9)
    yield pod("not-mine", "", 1, schedulerName="another-scheduler")


def _deleted(made: Manifest) -> Manifest:
    made["metadata"] |= {"deletionTimestamp": SOON, "deletionGracePeriodSeconds": 30}
    return made


def has_node(settings: Settings) -> bool:
    """Whether web has a node: only a Pending pod can be without one."""
    return settings.bound or settings.phase != "Pending"


def _web(settings: Settings) -> Manifest:
    other: Manifest = {"schedulerName": "another-scheduler"} if settings.other else {}
    made = pod("web", "node-a" if has_node(settings) else "", 9, **other) | {"status": {"phase": settings.phase}}
    return _deleted(made) if settings.deleted else made


def seen(settings: Settings) -> tuple[Seen, ...]:
    """The pods that the scheduler's informer holds, and who receives each."""
    return tuple(
        Seen(each.metadata.name, _facts(each), held, say(to), _why_not(each, held, to), _longest(each))
        for each, held, to in _handed(settings)
    )


@cache
def _handed(settings: Settings) -> tuple[tuple[Pod, bool, str], ...]:
    """(a pod, whether the informer holds it, who receives it)."""
    env, log = simpy.Environment(initial_time=START), Log()
    api = ApiServer(env, log, V1_16.api)
    objects = decode_objects(manifests(settings))
    for document in (*objects.nodes, *objects.pods):
        api.restore(document)
    start = StartUp(env, api, V1_16, log)
    start.start()
    env.run(until=START + WAIT)
    found = start.scheduler.context
    cached = found.cache.cluster().pods.row_of
    queued = {each.pod for each in log if isinstance(each, Moved) and each.to == ACTIVE}
    rows = []
    for each in objects.pods:
        held = found.pods.get(each.key) is not None
        to = CACHE if each.key in cached else QUEUE if each.key in queued else NOBODY
        rows.append((each, held, to))
    return tuple(rows)


WAIT = SECOND // 10
"""Microseconds until the caches are full, and no pod was tried twice."""


def _facts(each: Pod) -> str:
    deleted = say("deleted") if each.metadata.deletionTimestamp is not None else ""
    other = say("another scheduler's") if each.spec.schedulerName != DEFAULT_SCHEDULER else ""
    return listed(fact for fact in (each.status.phase or "Pending", each.spec.nodeName, deleted, other) if fact)


def _longest(each: Pod) -> str:
    """The longest facts that the pod can have: only web can be changed."""
    return (
        listed(("Pending", "node-a", say("deleted"), say("another scheduler's"))) if each.metadata.name == "web" else ""
    )


def _why_not(each: Pod, held: bool, to: str) -> str:
    if not held:
        return each.status.phase
    return say("another scheduler's") if to == NOBODY else ""


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    found = seen(settings)
    sentence = _sentence(found)
    return View(partial(_draw, found, settings, sentence), sentence, Html(), sentence, idle=_idle(settings))


def _sentence(found: tuple[Seen, ...]) -> str:
    web, number = found[-1], sum(each.seen for each in found)
    if not web.seen:
        goes = say("web is not among them: its phase is {phase}", phase=web.why)
    elif web.to == say(NOBODY):
        goes = say("nobody takes web: it names another scheduler")
    else:
        goes = say("web goes to the {receiver}", receiver=web.to)
    return say("The informer sees {number} of {all} pods; {goes}.", number=number, all=len(found), goes=goes)


def _idle(settings: Settings) -> dict[str, str]:
    """A finished pod is never seen; a pod with a node takes up room, whoever gave it the node."""
    if settings.phase in ("Succeeded", "Failed"):
        return dict.fromkeys(
            ("bound", "deleted", "other"), say("not asked: the phase is {phase}", phase=settings.phase)
        )
    found = {"deleted": say("not asked: the informer's selector knows only the phase")}
    if settings.phase == "Running":
        found |= {"bound": say("not asked: a Running pod has a node")}
    return found | ({"other": say("not asked: web has a node")} if has_node(settings) else {})


def _draw(found: tuple[Seen, ...], settings: Settings, alt: str, room: Room, handed: bool = True) -> Html:
    phase = PHASES[(PHASES.index(settings.phase) + 1) % len(PHASES)]
    badges = [Fact(settings.phase, True, f"phase: {phase}", "pods", key="phase")]
    for name, kind, text in (
        ("bound", "host", say("on node-a")),
        ("deleted", "cordon", say("being deleted")),
        ("other", "label", "schedulerName: another"),
    ):
        on = has_node(settings) if name == "bound" else getattr(settings, name)
        pending = "phase: Pending, " if name == "bound" and on else ""
        badges.append(Fact(text, on, f"{pending}{name}: {'off' if on else 'on'}", kind, key=name))
    return draw_informer(found, handed, badges, alt, room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "informer.panel()")


def how_many() -> Question[Settings]:
    return Question(
        say("Seven pods are at the API server. How many of them does the scheduler's informer see?"),
        (),
        lambda settings: str(sum(each.seen for each in seen(settings))),
        lambda settings, answer: say(
            "Only the phases Succeeded and Failed are left out: those pods use nothing. A terminating pod still does."
        ),
        lambda settings: partial(
            _draw, seen(settings), settings, say("Seven pods are at the API server."), handed=False
        ),
        most=7,
    )
