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
from kschedlab.messages import listed, say
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Pod
from kschedlab.queue.interface import ACTIVE
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, switch
from kschedlab_lab.views.informer import CACHE, NOBODY, QUEUE, Seen, draw_informer
from kschedlab_lab.views.pieces import Fact
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.log import Log, Moved
from kschedlab_simulation.scheduler.startup import StartUp
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.simulation import START

SUCCEEDED = "Succeeded"
SOON = "2026-01-01T00:00:30Z"
WAIT = SECOND // 10
"""Microseconds until the caches are full, and no pod was tried twice."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The pod ``web``."""

    bound: bool = switch("web has a node")
    other: bool = switch("web names another scheduler")
    finished: bool = switch("web has succeeded")


def manifests(settings: Settings) -> list[Manifest]:
    """The cluster's manifests; the last one is the pod ``web``."""
    return [node("node-a"), *_pods(), _web(settings)]


def _pods() -> Iterator[Manifest]:
    """Pods in every phase, a terminating one, and one of another scheduler."""
    yield pod("shop", "node-a", 1)
    yield pod("done", "node-a", 1) | {"status": {"phase": SUCCEEDED}}
    yield pod("broken", "node-a", 1) | {"status": {"phase": "Failed"}}
    leaving = pod("leaving", "node-a", 1)
    leaving["metadata"] |= {"deletionTimestamp": SOON, "deletionGracePeriodSeconds": 30}
    yield leaving
    yield pod("large", "", 9)
    yield pod("not-mine", "", 1, schedulerName="another-scheduler")


def has_node(settings: Settings) -> bool:
    """Whether web has a node: a pod that has succeeded ran on one."""
    return settings.bound or settings.finished


def _web(settings: Settings) -> Manifest:
    other: Manifest = {"schedulerName": "another-scheduler"} if settings.other else {}
    phase = SUCCEEDED if settings.finished else "Pending"
    return pod("web", "node-a" if has_node(settings) else "", 9, **other) | {"status": {"phase": phase}}


@cache
def _handed(settings: Settings) -> tuple[tuple[Pod, str], ...]:
    """The pods, and who receives each: a simulated scheduler has started. "": its informer does not hold the pod."""
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

    def receiver(key: str) -> str:
        if found.pods.get(key) is None:
            return ""
        return CACHE if key in cached else QUEUE if key in queued else NOBODY

    return tuple((each, receiver(each.key)) for each in objects.pods)


def seen(settings: Settings) -> tuple[Seen, ...]:
    """The pods, with what is known of them and who receives them."""
    return tuple(Seen(each.metadata.name, _facts(each), to) for each, to in _handed(settings))


def _facts(each: Pod) -> str:
    deleted = say("deleted") if each.metadata.deletionTimestamp is not None else ""
    other = say("other scheduler") if each.spec.schedulerName != DEFAULT_SCHEDULER else ""
    return listed(fact for fact in (each.status.phase or "Pending", each.spec.nodeName, deleted, other) if fact)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = _sentence(seen(settings))
    return View(partial(_draw, settings, sentence), sentence, Html(), sentence, idle=_idle(settings))


def _sentence(found: tuple[Seen, ...]) -> str:
    to = found[-1].to
    if not to:
        goes = say("web is not among them: its phase is {phase}", phase=SUCCEEDED)
    elif to == NOBODY:
        goes = say("nobody takes web: it names another scheduler")
    else:
        goes = say("web goes to the {receiver}", receiver=say(to))
    return say("The informer sees {number} of {all} pods; {goes}.", number=_number(found), all=len(found), goes=goes)


def _number(found: tuple[Seen, ...]) -> int:
    """How many pods the informer sees."""
    return sum(bool(each.to) for each in found)


def _idle(settings: Settings) -> dict[str, str]:
    """A finished pod is never seen; a pod with a node takes up room, whoever gave it the node."""
    if settings.finished:
        return dict.fromkeys(("bound", "other"), say("not asked: the phase is {phase}", phase=SUCCEEDED))
    return {"other": say("not asked: web has a node")} if settings.bound else {}


def _draw(settings: Settings, alt: str, room: Room, handed: bool = True) -> Html:
    badges = [
        Fact(text, on, f"{name}: {'off' if getattr(settings, name) else 'on'}", kind, key=name)
        for name, on, kind, text in (
            ("bound", has_node(settings), "host", say("on node-a")),
            ("other", settings.other, "label", say("other scheduler")),
            ("finished", settings.finished, "pods", SUCCEEDED),
        )
    ]
    return draw_informer(seen(settings), handed, badges, alt, room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, manifests, "informer.panel()")


def how_many() -> Question[Settings]:
    return Question(
        say("Seven pods are at the API server. How many of them does the scheduler's informer see?"),
        (),
        lambda settings: str(_number(seen(settings))),
        lambda settings, answer: say(
            "Only the phases Succeeded and Failed are left out: those pods use nothing. A terminating pod still does."
        ),
        lambda settings: partial(_draw, settings, say("Seven pods are at the API server."), handed=False),
        most=7,
    )
