"""The first picture of the course: a pod to pull larger, and four nodes to scale, one of which takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.drawing import CHIP, INSET, PARTED, Arrangement, Block, Box, Number, Place, shapes
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, INK_2, INK_3, LIFT, PANEL, ink, priority_fill
from kschedlab_lab.views.svg import Room, rect, svg

TOP, BELOW = 40, 78
"""The space above the nodes, for what sticks out, and below them; in pixels at normal size."""
PHASES = ("asks", "filter", "score", "chosen")
"""What is known so far: nothing, which nodes have room, their scores, the decision."""
KNOB, NAMED, LOWEST, HIGHEST, BRIEF = 9, 17, 150, 300, 90
"""The radius of the knob, the height of a block with a name, limits of the height of the largest node, and the width of
a node with room for words below it; in pixels."""


@dataclass(frozen=True)
class Running:
    """A pod on a node, or the pod that arrives. ``size``: its request in milli CPU."""

    name: str
    size: int
    priority: int


@dataclass(frozen=True)
class Target:
    """A node. ``capacity``: milli CPU; ``pods``: from the bottom up; ``score``: None where there is none.

    ``refused``: why a filter refuses it, "" if none does; ``victims``: the names of pods that leave if it is chosen.
    """

    name: str
    capacity: int
    pods: tuple[Running, ...]
    score: int | None = None
    refused: str = ""
    victims: tuple[str, ...] = ()

    @property
    def free(self) -> int:
        """What its pods leave, in milli CPU."""
        return self.capacity - sum(each.size for each in self.pods)


@dataclass(frozen=True)
class Scene:
    """The pod, the nodes and the ``chosen`` one ("" for none). ``phase``: one of ``PHASES``.

    ``resize``, ``reprioritise``: what makes the pod's edge and the knob of its priority a control, without the step.
    """

    pod: Running
    nodes: tuple[Target, ...]
    chosen: str
    phase: str = "chosen"
    resize: Mapping[str, str] = field(default_factory=dict)
    reprioritise: Mapping[str, str] = field(default_factory=dict)


def draw_first(scene: Scene, alt: str, room: Room) -> Html:
    """The pod on the left, the nodes beside it, all to one scale."""
    plan = _Plan(scene, room)
    boxes = [_box(scene, node, plan.places[0].width) for node in scene.nodes]
    found = shapes(boxes, Arrangement(plan.places, room.width, 0), "cpu")
    if scene.phase != "asks":
        for node, place in zip(scene.nodes, plan.places, strict=True):
            if not (scene.phase == "chosen" and node.name == scene.chosen):
                found.append(_ghost(plan, node, place))
    return svg([*found, *_way(plan), *_asking(plan)], room.width, plan.base + plan.below, alt)


def lowest(scene: Scene) -> int:
    """The least height of the largest node with which each pod is high enough for its name."""
    smallest = min((pod.size for node in scene.nodes for pod in node.pods), default=0)
    largest = max(node.capacity for node in scene.nodes)
    return -(-(NAMED + PARTED) * largest // smallest) if smallest else 0


class _Plan:
    """Where everything is."""

    def __init__(self, scene: Scene, room: Room) -> None:
        self.scene, number = scene, len(scene.nodes)
        largest = max(node.capacity for node in scene.nodes)
        most = max((len(node.pods) for node in scene.nodes), default=0)
        self.below = BELOW + (CHIP + 2) * max(most - 1, 0)  # also while nobody leaves: nothing moves under the hand
        tall = max(min(max(room.height - TOP - self.below, LOWEST), HIGHEST), lowest(scene))
        self.base = float(TOP + tall)
        self.scale = (tall - 2 * INSET) / largest
        self.aside = 150.0 if room.width >= 560 else 108.0 if room.width >= 400 else 74.0
        gap = 22 if room.width >= 560 else 8 if room.width >= 400 else 4
        left = self.aside + gap + (18 if room.width >= 560 else 6)
        wide = min((room.width - left - 8 - gap * (number - 1)) / number, 170)
        self.places = tuple(Place(left + i * (wide + gap), TOP, wide, tall) for i in range(number))


def _box(scene: Scene, node: Target, width: float) -> Box:
    """The node with its pods, and what comes of it, in brief where it is narrow."""
    is_chosen = scene.chosen == node.name and scene.phase == "chosen"
    leaves = scene.chosen == node.name and scene.phase in ("score", "chosen")
    blocks = [
        Block(
            pod.name,
            pod.size,
            pod.priority,
            (Number(str(pod.priority)),),
            ("evicted" if is_chosen else "victim") if leaves and pod.name in node.victims else "",
            aside=leaves and pod.name in node.victims,
        )
        for pod in node.pods
    ]
    if is_chosen:
        pod, mark = scene.pod, "arriving" if node.victims else "placed"
        place = len([block for block in blocks if not block.aside])
        blocks.insert(place, Block(pod.name, pod.size, pod.priority, (Number(str(pod.priority)),), mark, origin="ask"))
    says, refused = _verdict(scene, node, width)
    return Box(node.name, node.capacity, tuple(blocks), (says,), is_chosen, refused)


def _verdict(scene: Scene, node: Target, width: float) -> tuple[str, str]:
    """What is known of the node, or why it is refused."""
    brief, lacks = width < BRIEF, scene.pod.size - node.free
    if scene.phase == "asks":
        return "", ""
    if scene.chosen == node.name and node.victims and scene.phase in ("score", "chosen"):
        return "" if brief else say("makes room"), ""
    if lacks > 0:
        return "", f"−{amount('cpu', lacks)}" if brief else say("lacks {cpu}", cpu=amount("cpu", lacks))
    if node.refused:
        return "", node.refused
    if scene.phase == "filter":
        return say("has room"), ""
    if node.score is None:
        return say("only choice"), ""
    best = max(each.score for each in scene.nodes if each.score is not None)
    if brief:
        return str(node.score), ""
    less = f"{node.score} (−{best - node.score})"
    return less if node.score < best else say("score {number}", number=node.score), ""


def _ghost(plan: _Plan, node: Target, place: Place) -> Html:
    """Where the pod would be; it sticks out of a node that has no room, and is open where the picture ends."""
    used, fits = node.capacity - node.free, not node.refused
    wide, bottom = place.width - 2 * INSET, plan.base - INSET - used * plan.scale
    high = bottom - plan.scale * plan.scene.pod.size + PARTED
    top = max(high, 4.0)
    colour = INK_3 if fits else EVICTED
    look: dict[str, Any] = {"fill": colour, "fill_opacity": "0.05" if fits else "0.1", "stroke": colour}
    look |= {"stroke_width": 1.5, "stroke_dasharray": "5 4", "data_key": f"ghost/{node.name}/box"}
    return element(
        "g",
        rect(wide, max(bottom - top, 4), 8 if top == high else 0, **look),
        data_key=f"ghost/{node.name}",
        transform=f"translate({place.x + INSET:.1f},{top:.1f})",
        pointer_events="none",
    )


def _way(plan: _Plan) -> list[Html]:
    """Dots from the pod to its place."""
    scene = plan.scene
    if scene.phase != "chosen" or not scene.chosen:
        return []
    at = [node.name for node in scene.nodes].index(scene.chosen)
    node, place = scene.nodes[at], plan.places[at]
    used = sum(pod.size for pod in node.pods if pod.name not in node.victims)
    x0, y0 = plan.aside / 2, plan.base - INSET - scene.pod.size * plan.scale - 38
    x1, y1 = place.x + 12, plan.base - INSET - (used + scene.pod.size) * plan.scale + 12
    high = min(y0, y1) - 34
    curve = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {max(high, 8):.1f} {x1 - 40:.1f} {max(high, 8):.1f} {x1:.1f} {y1:.1f}"
    look: dict[str, Any] = {"stroke": CHOSEN, "stroke_width": 2, "stroke_dasharray": "0.1 6", "stroke_linecap": "round"}
    return [element("path", d=curve, fill="none", data_key="way", pointer_events="none", **look)]


def _asking(plan: _Plan) -> list[Html]:
    """The pod in the hand: the grip on its edge is pulled for its request, the knob below it for its priority."""
    pod, wide = plan.scene.pod, plan.aside - 16
    high = pod.size * plan.scale - PARTED
    fill = priority_fill(pod.priority)
    step = {"data_step": f"{-500 * plan.scale:.1f}"} if plan.scene.resize else {}
    asks = words(amount("cpu", pod.size), 14, bold=True)
    inside = [
        element("rect", width=wide, height=high, rx=8, fill=fill, stroke=HAIR, data_key="ask/box"),
        moved(asks, max((wide - asks.width) / 2, -7), -34),
        grip(wide / 2),
    ]
    if high > 30:
        name = words(pod.name, bold=True, fill=ink(fill))
        inside.insert(1, placed(name, wide / 2, 12))
    at = f"translate(8,{plan.base - INSET - high:.1f})"
    ground = element("path", d=f"M0 {plan.base:g}H{plan.aside:g}", stroke=HAIR, stroke_width=1.5)
    return [ground, element("g", *inside, data_key="ask", transform=at, **plan.scene.resize, **step), *_priority(plan)]


def grip(x: float) -> Html:
    """What one pulls: a pill of ink with two arrows, half outside the pod."""
    pill = element("rect", x=x - 22, y=-11, width=44, height=22, rx=11, fill="currentColor")
    arrows = f"M{x - 4:g} -2l4 -4l4 4M{x - 4:g} 2l4 4l4 -4"
    look: dict[str, Any] = {"stroke": PANEL, "stroke_width": 1.8, "stroke_linecap": "round", "stroke_linejoin": "round"}
    return element("g", pill, element("path", d=arrows, fill="none", **look))


def _priority(plan: _Plan) -> list[Html]:
    """The ramp of priorities, with a knob."""
    pod, y = plan.scene.pod, plan.base + 34
    left, wide = KNOB + 2.0, plan.aside - 2 * KNOB - 4
    step = wide / 10
    cells = [
        element("rect", x=left + n * step, y=y, width=step - 1, height=10, rx=2.5, fill=priority_fill(100 * n + 50))
        for n in range(10)
    ]
    knob = [
        element("circle", r=KNOB + 8, fill="transparent"),
        element("circle", r=KNOB, fill=LIFT, stroke="currentColor", stroke_width=2.5),
    ]
    at = f"translate({left + pod.priority / 100 * step:.1f},{y + 5:.1f})"
    handle = {**plan.scene.reprioritise, "data_step": f"{step:.1f}"} if plan.scene.reprioritise else {}
    name, value = words(say("priority"), fill=INK_2), words(str(pod.priority), bold=True)
    title = [moved(name, 2, y - 22), moved(value, plan.aside - value.width - 4, y - 22)]
    if name.width + value.width > plan.aside - 8:
        title = title[1:]
    return [element("g", *cells), *title, element("g", *knob, data_key="priority", transform=at, **handle)]
