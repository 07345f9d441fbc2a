"""The first picture of the course: a pod to resize, four nodes to scale, and the chosen node glowing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kschedlab.messages import say, terms
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.lettering import fitted, fitting, text_width
from kschedlab_lab.views.style import CHOSEN, EVICTED, ink, priority_fill
from kschedlab_lab.views.svg import Room, label, svg

EDGE, TOP, BELOW = 10, 34, 84
"""Margin, and the space above the nodes and below them; in pixels at normal size."""
PHASES = ("asks", "filter", "score", "chosen")
"""What is known so far: nothing, which nodes have room, their scores, the decision."""
KNOB, NAMED = 8, 17
"""The radius of the knob, and the height of a block with a name; in pixels."""


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
    room = room._replace(height=max(room.height, lowest(scene)))
    plan = _Plan(scene, room)
    shapes: list[Html] = []
    if scene.chosen and scene.phase == "chosen":
        shapes.append(_glow(plan, scene.chosen))
    for i, node in enumerate(scene.nodes):
        shapes += _node(plan, i, node)
    shapes += _asking(plan)
    return svg(shapes, room.width, room.height, alt, size=13)


def lowest(scene: Scene) -> int:
    """The least height with which each pod is high enough for its name."""
    smallest = min((pod.size for node in scene.nodes for pod in node.pods), default=0)
    largest = max(node.capacity for node in scene.nodes)
    return TOP + BELOW + (-(-NAMED * largest // smallest) if smallest else 0)


class _Plan:
    """Where everything is. Where it is narrow, the gaps are, too; on a phone the letters in a pod are small."""

    def __init__(self, scene: Scene, room: Room) -> None:
        self.scene = scene
        self.base = room.height - BELOW
        largest = max(node.capacity for node in scene.nodes)
        self.scale = (self.base - TOP) / largest
        self.right = room.width - EDGE / 2
        self.aside = 128.0 if room.width >= 560 else 92.0 if room.width >= 400 else 76.0
        self.gap, self.inset = (14, 5) if room.width >= 400 else (4, 2)
        self.letter = 12 if room.width >= 360 else 11
        left = self.aside + 2 * EDGE
        self.wide = (room.width - left - EDGE - self.gap * (len(scene.nodes) - 1)) / len(scene.nodes)
        self.left = [left + i * (self.wide + self.gap) for i in range(len(scene.nodes))]

    def top(self, size: int) -> float:
        """The upper edge of so many milli CPU that stand on the ground."""
        return self.base - size * self.scale


def _glow(plan: _Plan, chosen: str) -> Html:
    i = [node.name for node in plan.scene.nodes].index(chosen)
    high = plan.scene.nodes[i].capacity * plan.scale
    rings = [
        element(
            "rect",
            x=-by,
            y=-by,
            width=plan.wide + 2 * by,
            height=high + 2 * by,
            rx=8 + by,
            fill=CHOSEN,
            fill_opacity=opacity,
            data_key=f"glow/{by}",
        )
        for by, opacity in ((13, "0.10"), (8, "0.16"), (4, "0.45"))
    ]
    return element("g", *rings, data_key="glow", transform=f"translate({plan.left[i]:.1f},{plan.base - high:.1f})")


def _node(plan: _Plan, i: int, node: Target) -> list[Html]:
    """The node with its pods, the pod that tries to fit in, and what comes of it."""
    scene, x = plan.scene, plan.left[i]
    high = node.capacity * plan.scale
    is_chosen = scene.chosen == node.name and scene.phase == "chosen"
    fits, known = not node.refused, scene.phase != "asks"
    paper = element("rect", width=plan.wide, height=high, rx=8, fill="#FFFFFF", data_key=f"node/{node.name}/paper")
    frame = element(
        "rect",
        width=plan.wide,
        height=high,
        rx=8,
        fill="#000000",
        fill_opacity="0.05",
        stroke=CHOSEN if is_chosen else EVICTED if known and not fits else "#777777",
        stroke_width=3 if is_chosen else 1.5,
        data_key=f"node/{node.name}/box",
    )
    free, capacity = amount("cpu", node.free), amount("cpu", node.capacity)
    tip = say("{node}: {free} free of {capacity}", node=node.name, free=free, capacity=capacity)
    place = f"translate({x:.1f},{plan.base - high:.1f})"
    shapes = [element("g", paper, frame, data_key=f"node/{node.name}", transform=place, data_tip=tip)]
    left = scene.phase in ("score", "chosen") and scene.chosen == node.name
    staying = [each for each in node.pods if not (left and each.name in node.victims)]
    height = 0
    for pod in staying:
        height += pod.size
        shapes.append(_block(plan, pod, x, height))
    if is_chosen:
        shapes.append(_block(plan, scene.pod, x, height + scene.pod.size, arrives=True))
    elif known:
        shapes.append(_ghost(plan, node, x, fits))
    return shapes + _below(plan, node, x, left)


def _block(plan: _Plan, pod: Running, x: float, top: int, arrives: bool = False) -> Html:
    """A pod that stands with its upper edge at ``top`` milli CPU."""
    wide, high = plan.wide - 2 * plan.inset, max(pod.size * plan.scale - 2, 4)
    fill = priority_fill(pod.priority)
    stroke, thick = (CHOSEN, 3.0) if arrives else ("#000000", 0.8)
    box = element(
        "rect",
        width=wide,
        height=high,
        rx=4,
        fill=fill,
        stroke=stroke,
        stroke_width=thick,
        data_key=f"pod/{pod.name}/box",
    )
    words = _words(pod, wide, high, arrives, plan.letter) if high >= 15 else []
    at = f"translate({x + plan.inset:.1f},{plan.top(top) + 1:.1f})"
    came = {"data_from": "ask"} if arrives else {}
    return element("g", box, element("g", *words, fill=ink(fill)), data_key=f"pod/{pod.name}", transform=at, **came)


def _words(pod: Running, wide: float, high: float, arrives: bool, size: int) -> list[Html]:
    """The pod's name and priority, in two lines or, in a low block, in one if both fit."""
    name = f"★ {pod.name}" if arrives and text_width(f"★ {pod.name}", size, bold=True) < wide - 4 else pod.name
    name, priority = fitted(name, wide - 4, size, True), str(pod.priority)
    bold = element("tspan", name, font_weight="bold")
    if high >= 34:
        over = element("text", bold, x=wide / 2, y=high / 2 - 3, text_anchor="middle", font_size=size)
        return [over, label(priority, wide / 2, high / 2 + 12, "middle", font_size=size)]
    both = text_width(name, size, bold=True) + text_width(f" · {priority}", size)
    beside = f" · {priority}" if both < wide - 4 else ""
    return [element("text", bold, beside, x=wide / 2, y=high / 2 + 4.5, text_anchor="middle", font_size=size)]


def _ghost(plan: _Plan, node: Target, x: float, fits: bool) -> Html:
    """Where the pod would stand; it sticks out of a node that has no room."""
    used = node.capacity - node.free
    top = max(plan.top(used + plan.scene.pod.size) + 1, 4)
    colour = "#555555" if fits else EVICTED
    box = element(
        "rect",
        width=plan.wide - 2 * plan.inset,
        height=max(plan.top(used) - top - 1, 4),
        rx=4,
        fill=colour,
        fill_opacity="0.06" if fits else "0.16",
        stroke=colour,
        stroke_width=1.5,
        stroke_dasharray="5 4",
        data_key=f"ghost/{node.name}/box",
    )
    return element("g", box, data_key=f"ghost/{node.name}", transform=f"translate({x + plan.inset:.1f},{top:.1f})")


def _below(plan: _Plan, node: Target, x: float, left: bool) -> list[Html]:
    """The node's name, its verdict, and who leaves."""
    scene, middle, y = plan.scene, x + plan.wide / 2, plan.base
    shapes = [label(node.name, middle, y + 17, "middle", font_weight="bold", font_size=13)]
    choices, colour, bold = _verdict(scene, node)
    words = fitting(choices, plan.wide + plan.gap - 2, bold=bold)
    if words:
        weight = "bold" if bold else None
        shapes.append(label(words, middle, y + 33, "middle", font_size=12, fill=colour, font_weight=weight))
    if left:
        for n, name in enumerate(node.victims):
            wide = 34 + text_width(name, 12, bold=True)
            start = min(middle - wide / 2, plan.right - wide)
            shapes.append(_leaving(next(each for each in node.pods if each.name == name), start, y + 38 + 15 * n))
    return shapes


def _verdict(scene: Scene, node: Target) -> tuple[tuple[str, ...], str | None, bool]:
    """What is known of the node: the words, the longest first, their colour, and whether they are bold."""
    if scene.phase == "asks":
        return ("",), None, False
    if scene.chosen == node.name and node.victims and scene.phase in ("score", "chosen"):
        return (*terms("★ chosen; evicted:", "★ evicts:"), "★"), CHOSEN, True
    if node.free < scene.pod.size:
        return (say("✕ {cpu} free", cpu=amount("cpu", node.free)), say("✕ full")), EVICTED, False
    if node.refused:
        return (f"✕ {node.refused}", "✕"), EVICTED, False
    if scene.phase == "filter":
        return (say("✓ has room"), "✓"), None, False
    only = terms("only choice", "only")
    score = tuple(only) if node.score is None else (say("score {number}", number=node.score), str(node.score))
    if scene.chosen == node.name and scene.phase == "chosen":
        return (*(f"★ {each}" for each in score), "★"), CHOSEN, True
    return score, None, False


def _leaving(pod: Running, x: float, y: float) -> Html:
    """A victim: a small swatch in its colour, and its name in orange."""
    box = element(
        "rect",
        width=10,
        height=10,
        rx=2,
        fill=priority_fill(pod.priority),
        stroke=EVICTED,
        data_key=f"pod/{pod.name}/box",
    )
    words = label(f"✕ {pod.name}", 15, 10, fill=EVICTED, font_size=12, font_weight="bold")
    return element("g", box, words, data_key=f"pod/{pod.name}", transform=f"translate({x + 4:.1f},{y:.1f})")


def _asking(plan: _Plan) -> list[Html]:
    """The pod that asks: its upper edge is dragged for its request, the knob below it for its priority."""
    pod, wide = plan.scene.pod, plan.aside - 24
    high = pod.size * plan.scale
    fill = priority_fill(pod.priority)
    box = element(
        "rect", width=wide, height=high, rx=5, fill=fill, stroke="#000000", stroke_width=1.5, data_key="ask/box"
    )
    grip = element(
        "rect", x=wide / 2 - 16, y=-5, width=32, height=10, rx=5, fill="#FFFFFF", stroke="#000000", stroke_width=1.5
    )
    lines = element("path", d=f"M{wide / 2 - 8:.1f} -1.5h16M{wide / 2 - 8:.1f} 1.5h16", stroke="#000000")
    said = label(f"{amount('cpu', pod.size)}", wide / 2, -12, "middle", font_weight="bold", font_size=14)
    name = [label(pod.name, wide / 2, high / 2 + 5, "middle", fill=ink(fill), font_weight="bold")] if high > 32 else []
    step = {"data_step": f"{-500 * plan.scale:.1f}"} if plan.scene.resize else {}
    at = f"translate({EDGE + 12:.1f},{plan.base - high:.1f})"
    asks = element("g", box, *name, said, grip, lines, data_key="ask", transform=at, **plan.scene.resize, **step)
    ground = element("line", x1=EDGE, y1=plan.base + 1, x2=EDGE + plan.aside, y2=plan.base + 1, stroke="currentColor")
    return [ground, asks, *_priority(plan)]


def _priority(plan: _Plan) -> list[Html]:
    """The fixed scale of priorities, with a knob."""
    pod, left, y = plan.scene.pod, EDGE + KNOB, plan.base + 30
    step = (plan.aside - 2 * KNOB) / 10
    cells = [
        element("rect", x=left + n * step, y=y, width=step + 0.5, height=12, fill=priority_fill(100 * n + 50))
        for n in range(10)
    ]
    knob = element("circle", r=KNOB, fill=priority_fill(pod.priority), stroke="#000000", stroke_width=2)
    at = f"translate({left + pod.priority / 100 * step:.1f},{y + 6:.1f})"
    handle = {**plan.scene.reprioritise, "data_step": f"{step:.1f}"} if plan.scene.reprioritise else {}
    words = label(
        say("priority {priority}", priority=pod.priority), EDGE + plan.aside / 2, y - 8, "middle", font_weight="bold"
    )
    return [element("g", *cells), words, element("g", knob, data_key="priority", transform=at, **handle)]
