"""The parts of v1.13's queue with the pods in them, the two cycle numbers, and when the event happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.queue_pods import (
    COUNTS,
    PILL,
    Handle,
    Pod,
    area,
    arrow,
    pill,
    refused,
    text,
    titled,
    version_tag,
)
from kschedlab_lab.views.style import HAIR, INK_2, INK_3, ON_ACCENT, TICK, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

EDGE, GAP, TALL, UNDER, HIGH = 8, 16, 118, 38, 48
"""Margin, the space between parts, their least height, the space for the way back; a nominated pod's height."""
ACTIVE, TRYING, WAITING = "activeQ", later("being tried"), "unschedulableQ"
BOLT = "M3 -9L-5 2H0L-3 9L5 -2H0Z"


@dataclass(frozen=True)
class Check:
    """A condition with its numbers written in, and whether it holds."""

    words: str
    holds: bool


@dataclass(frozen=True)
class Slot:
    """A moment at which the event can happen. ``handle``: what puts it there."""

    words: str
    handle: Handle = field(default_factory=dict)


@dataclass(frozen=True)
class Parts:
    """The queue at one moment.

    ``pods``: by part. ``cycles``: schedulingCycle and moveRequestCycle. ``way``: where a pod was and where it is now.
    ``checks``: what decided where it goes. ``error``: why a call was refused. ``slots``: the moments for the event, of
    which ``at`` is taken; ``bolt``: what makes the event a control. ``picks``: whether the parts are answers;
    ``event``: its name, or "" if none happens: then the bolt is grey.
    """

    pods: Mapping[str, Sequence[Pod]]
    cycles: tuple[int, int]
    way: tuple[str, str] | None = None
    checks: tuple[Check, ...] = ()
    error: str = ""
    slots: tuple[Slot, ...] = ()
    at: int = 0
    bolt: Handle = field(default_factory=dict)
    picks: bool = False
    event: str = ""


def draw_parts(parts: Parts, alt: str, room: Room) -> Html:
    """The parts side by side, what decided, and the attempt as a line with the event on it."""
    tall = min(max(room.height - UNDER - 170, TALL), 2 * TALL)
    wide = (room.width - 2 * EDGE - 2 * GAP) / 3
    left = {name: EDGE + i * (wide + GAP) for i, name in enumerate((ACTIVE, TRYING, WAITING))}
    titles = {ACTIVE: ACTIVE, TRYING: say(TRYING), WAITING: WAITING}
    shapes = []
    for name, x in left.items():
        pick = {"data_pick": name, "aria_label": name} if parts.picks and name != TRYING else {}
        box = area(titles[name], x, EDGE, wide, tall, key=f"part/{name}")
        shapes.append(element("g", box, **pick))
    y = EDGE + tall + UNDER + 14.0
    shapes += _ways(parts.way, left, wide, tall)
    head = 12 + 14 * max(len(titled(titles[name], wide)) for name in left)
    for name, x in left.items():
        for i, pod in enumerate(parts.pods.get(name, ())):
            broad = min(wide - 20, 150)
            left_ = x + (wide - broad) / 2
            shapes.append(pill(pod, left_, EDGE + head + i * (PILL + 4), broad, f"pod/{pod.name}"))
    second = EDGE + (150 if room.width >= 400 else 120)
    for x, name, cycle in zip((EDGE, second), ("schedulingCycle", "moveRequestCycle"), parts.cycles, strict=True):
        shapes.append(text(f"{name} {cycle}", x, y, font_size=12))
    y += 20
    for check in parts.checks:
        sign, fill = ("✓", None) if check.holds else ("✕", INK_2)
        shapes.append(text(f"{sign} {check.words}", EDGE, y, font_size=12, fill=fill))
        y += 20
    if parts.error:
        shapes.append(refused(parts.error, EDGE + 6, y))
    y = EDGE + tall + UNDER + 14 + 50
    shapes += _attempt(parts, y, room)
    return svg(shapes, room.width, y + 98, alt, size=13)


def _ways(way: tuple[str, str] | None, left: Mapping[str, float], wide: float, tall: float) -> list[Html]:
    """The four ways of a pod; the one that was just taken is thick."""
    middle, bottom = EDGE + tall / 2, EDGE + tall
    a, t, u = left[ACTIVE], left[TRYING], left[WAITING]
    curves: dict[tuple[str, str], list[tuple[float, float]]] = {
        (ACTIVE, TRYING): [(a + wide, middle), (t, middle)],
        (TRYING, WAITING): [(t + wide, middle), (u, middle)],
        (TRYING, ACTIVE): _below(t + wide / 2 - 8, a + wide * 0.65, bottom, 24),
        (WAITING, ACTIVE): _below(u + wide / 2, a + wide * 0.35, bottom, 44),
    }
    shapes = []
    for each, points in curves.items():
        taken = each == way
        line = arrow(points, 3.6 if taken else 1.4)
        shapes.append(element("g", line, opacity=None if taken else 0.4))
    return shapes


def _below(start: float, end: float, y: float, deep: float) -> list[tuple[float, float]]:
    return [(start, y + 2), (start, y + deep), (end, y + deep), (end, y + 2)]


def _attempt(parts: Parts, y: float, room: Room) -> list[Html]:
    """The attempt on a line, with what comes before and after it; the event is a bolt on that line."""
    wide = slot_width(len(parts.slots), room)
    line, start, end = y + 42, EDGE + 2.25 * wide, EDGE + 3.25 * wide
    band = element("rect", x=start, y=line - 22, width=wide, height=44, rx=8, fill=TICK)
    shapes = [version_tag(EDGE + 54, y + 18), band, arrow([(EDGE + 1.25 * wide, line), (room.width - EDGE, line)], 1.4)]
    for x, said in ((start, "Pop"), (end, say("it fails"))):
        shapes.append(element("line", x1=x, y1=line - 22, x2=x, y2=line + 22, stroke="currentColor", stroke_width=2))
        shapes.append(text(said, x, y + 18, "middle", font_size=12))
    places = [EDGE + (i + (0.5 if i == 0 else 0.75)) * wide for i in range(len(parts.slots))]
    for i, (x, slot) in enumerate(zip(places, parts.slots, strict=True)):
        spot = element("circle", cx=x, cy=line, r=13, stroke="currentColor", stroke_dasharray="3 3", fill=TRAY)
        bold = "bold" if i == parts.at else None
        words = text(slot.words, x, line + 32, "middle", font_size=12, font_weight=bold)
        shapes.append(element("g", spot, words, **slot.handle))
    x, half = places[parts.at], text_width(parts.event, bold=True) / 2
    middle = min(max(x, EDGE + half), room.width - EDGE - half)
    shapes.append(text(parts.event, middle, line + 48, "middle", font_size=12, font_weight="bold"))
    disc = element("circle", r=13, fill=COUNTS if parts.event else INK_3, stroke="none")
    bolt = element("path", d=BOLT, fill=ON_ACCENT)
    shapes.append(element("g", disc, bolt, data_key="event", transform=f"translate({x:.1f},{line:.1f})", **parts.bolt))
    return shapes


def slot_width(slots: int, room: Room) -> float:
    """How far the event is dragged for one value."""
    return (room.width - 2 * EDGE) / (slots + 1)


# -- nominatedPodMap


@dataclass(frozen=True)
class Nominations:
    """Both maps of nominatedPodMap. ``lost``: pods that were nominated until the last call; ``picks``: answers.

    ``version``: whose rule the map follows.
    """

    by_node: Mapping[str, Sequence[Pod]]
    node_of: Mapping[str, str]
    lost: tuple[str, ...] = ()
    picks: bool = False
    version: str = "v1.13"


def draw_nominations(nominations: Nominations, alt: str, room: Room) -> Html:
    """The list of each node on the left, and on the right, or below, the node of each pod by UID."""
    number, below = len(nominations.by_node), room.width < 420
    spare = (room.height - 56) / 2 - 30 if below else room.height - 52
    high = min(max((spare - 40) / 2 - 6, HIGH), 2 * HIGH)
    tall = 40 + 2 * (high + 6)
    wide = (room.width - EDGE) / number - EDGE if below else (room.width - 4 * EDGE) / (number + 1.3)
    title = say("nominatedPods: a list by node")
    shapes = [text(title, EDGE, 16, font_size=12, opacity=0.8)]
    for i, (node, pods) in enumerate(nominations.by_node.items()):
        x = EDGE + i * (wide + EDGE)
        pick = {"data_pick": node, "aria_label": node} if nominations.picks else {}
        listed = {"opacity": None if pods or nominations.picks else 0.45}
        shapes.append(element("g", area(node, x, 26, wide, tall, key=f"node/{node}"), **pick, **listed))
        for n, pod in enumerate(pods):
            y = 26 + 30 + n * (high + 6)
            dashed = Pod(pod.name, pod.priority, "", {"stroke_dasharray": "5 3"})
            broad = min(wide - 20, 150)
            shapes.append(pill(dashed, x + (wide - broad) / 2, y, broad, f"pod/{pod.name}", height=high, thick=2))
        if not pods:
            shapes.append(text(say("no list"), x + wide / 2, 26 + 52, "middle", font_size=12, opacity=0.7))
    x, top = (EDGE, 26 + tall + 30) if below else (EDGE + number * (wide + EDGE), 26)
    title = fitting((say("nominatedPodToNode: by UID"), "nominatedPodToNode"), room.width - EDGE - x)
    shapes.append(text(title, x, top - 10, font_size=12, opacity=0.8))
    shapes.append(rect(room.width - EDGE - x, tall, 8, x, top, fill=TRAY, stroke=HAIR))
    for n, (uid, node) in enumerate(sorted(nominations.node_of.items())):
        line = text(f"{uid} → {node}", 8, 0, font_size=12)
        shapes.append(element("g", line, data_key=f"uid/{uid}", transform=f"translate({x:.1f},{top + 34 + n * 26})"))
    if not nominations.node_of:
        shapes.append(text(say("empty"), x + 12, top + 34, font_size=12, opacity=0.7))
    for n, name in enumerate(nominations.lost):
        shapes.append(refused(say("{pod}: no list", pod=name), x + 10, top + tall - 10 - 18 * n))
    shapes.append(version_tag(room.width - EDGE, top + tall + 18, nominations.version))
    return svg(shapes, room.width, top + tall + 26, alt, size=13)
