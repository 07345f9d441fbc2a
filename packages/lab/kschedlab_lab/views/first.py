"""The first picture of the course: a pod to pull larger, and nodes to scale, one of which takes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import cpus
from kschedlab_lab.views.cells import STAR
from kschedlab_lab.views.drawing import (
    INSET,
    LINE,
    LOW,
    PARTED,
    SIGNS,
    SMALL,
    Arrangement,
    Block,
    Box,
    Number,
    Place,
    draw_pod,
    shapes,
)
from kschedlab_lab.views.glyphs import SIZE, Badge, badge
from kschedlab_lab.views.layout import Part, column, moved, phrase, placed, row, words
from kschedlab_lab.views.lettering import fitted, fitting, text_width
from kschedlab_lab.views.picture import pods_on
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, INK, INK_2, INK_3, LIFT, PANEL, ink, priority_fill
from kschedlab_lab.views.svg import Room, rect, svg

TOP, BELOW, SHELF, LEAVE, SCORED = 34, 120, 30, 5000, 24
"""The space above the nodes, for what sticks out; the least below them, and to the first pod that leaves; in pixels at
normal size. How many milli CPU leave at most. The space to the scores."""
KNOB, NAMED, LOWEST, HIGHEST, EDGE = 9, 17, 150, 300, 3
"""The radius of the knob, the height of a block with a name, limits of the height of the largest node, and how far a
sign on the edge of a pod is inside; in pixels."""
DASH, FADE = 9, (0.15, 0.35, 0.55, 0.8)
"""A dash with its space, in pixels, and how pale the upper dashes are of a pod that runs out of the picture."""
WORDY = 116
"""The width of a node from which on each number in it has its unit, in pixels."""


def lacks(milli: int) -> str:
    """How much CPU is missing; the number keeps its unit."""
    return say("lacks {cpu}", cpu=cpus(milli).replace(" ", "\u00a0"))


class Pull:
    """The pod on the left, the nodes beside it, all to one scale. The pod's marks make its edge a handle.

    ``step``: by how much a value pulls it; ``below``: the height below the nodes; ``smallest``: the size of the
    smallest pod, whose name has room; ``most``: what sticks out of a node has room up to here, if given; ``leave``:
    below the nodes there is room for pods of this size, too.
    """

    def __init__(
        self,
        pod: Block,
        step: int,
        boxes: Sequence[Box],
        room: Room,
        below: float,
        smallest: int,
        most: int = 0,
        leave: int = 0,
    ) -> None:
        wide = room.width >= 560
        gap = 18 if wide else 7 if room.width >= 400 else 4
        column = (room.width - 24 - gap * len(boxes)) / (len(boxes) + 1)  # the pod is as wide as a node
        self.aside = column + 16 if wide else 102.0 if room.width >= 400 else 74.0
        left = self.aside + gap + (0 if wide else 6)
        width = (room.width - left - 8 - gap * (len(boxes) - 1)) / len(boxes)
        largest = max(box.capacity for box in boxes)
        named = -(-(NAMED + PARTED) * largest // smallest)
        whole = max(most / largest, 1)
        gone = leave / largest
        high = min((room.height - below - TOP) / (1 + gone), (room.height - below - 4) / (whole + gone))
        tall = max(min(max(high, LOWEST / whole), HIGHEST), named)
        top = max(TOP, (whole - 1) * tall + 4)
        self.pod, self.step, self.boxes, self.base = pod, step, tuple(boxes), float(top + tall)
        self.scale = (tall - 2 * INSET) / largest
        self.places = tuple(Place(left + i * (width + gap), top, width, tall) for i in range(len(boxes)))
        self.width, self.below = room.width, below + self.scale * leave

    @property
    def high(self) -> float:
        """The height of the pod."""
        return self.pod.size * self.scale - PARTED

    @property
    def is_named_inside(self) -> bool:
        """Whether the pod has room for its name below the grip."""
        return self.high > 30

    def drawn(self, tried: bool = True) -> list[Html]:
        """All of it. ``tried``: with the pod's outline on the nodes, and the way to its place."""
        found = shapes(self.boxes, Arrangement(self.places, self.width, 0), "cpu")
        for box, place in zip(self.boxes, self.places, strict=True) if tried else ():
            found.append(_way(self, box, place) if box.chosen else _ghost(self, box, place))
        return [*found, *_asking(self)]


def draw_first(
    decision: Decision,
    alt: str,
    room: Room,
    step: int,
    resize: Mapping[str, str],
    rank: Mapping[str, str],
    picks: Collection[str] = (),
) -> Html:
    """A decision with its nodes' pods. ``resize``, ``rank``: what makes the pod's edge, for a ``step`` in milli CPU,
    and the knob of its priority a control; ``picks``: the nodes that are answers."""
    names, asked = sorted(decision.cluster.names), decision.pod
    pods = {name: pods_on(decision, name) for name in names}
    pod, found = replace(_block(asked), marks=resize), [_box(decision, name, pods[name]) for name in names]
    smallest = min(each.request["cpu"] for there in pods.values() for each in there)
    plan = Pull(pod, step, found, room, SHELF + 4 * PARTED, smallest, leave=LEAVE)
    plan.below = max(plan.below, BELOW)
    if (width := plan.places[0].width) < WORDY:
        plan.boxes = tuple(_in_short(box, width) for box in found)
    plan.boxes = tuple(_with_room(box, place, plan.scale) for box, place in zip(plan.boxes, plan.places, strict=True))
    plan.boxes = tuple(replace(box, marks={"data_pick": box.name}) if box.name in picks else box for box in plan.boxes)
    below = [*(() if picks else _scores(decision, plan)), *_leaving(decision, plan), *_crowded(plan)]
    below += _key(plan) if decision.preemption is not None else []
    shapes = [*plan.drawn(), *below, *_priority(plan, rank, decision.node is not None)]
    return svg(shapes, room.width, plan.base + plan.below, alt)


def _with_room(box: Box, place: Place, scale: float) -> Box:
    """The box; pods without room for a sign have it on their edge."""
    return replace(box, blocks=tuple(replace(each, big=_is_crowded(each, place, scale)) for each in box.blocks))


def _scores(decision: Decision, plan: Pull) -> Iterator[Html]:
    """Below each node with room its score, and the share of its CPU that stays free."""
    for box, place in zip(plan.boxes, plan.places, strict=True):
        said = "" if box.refused else _says(decision, box.name)
        if not said:
            continue
        left = box.capacity - box.used
        free = f"{100 * (left - box.tried) // box.capacity} %"  # rounded down, as the score is
        lines = [fitting((say("{share} free", share=free), free), place.width)]
        if box.placed and left * plan.scale < LINE:  # no room in the node
            lines.append(f"{(left + box.placed) / 1000:g} → {left / 1000:g}")
        star = f"{STAR} " if _is_low(box, plan.scale) else ""
        score = _verdict(said, place.width, CHOSEN if box.chosen else INK, star)
        shares = (words(line, 12, fill=INK_2) for line in lines)
        yield placed(column([score, *shares], 0, "middle"), place.x + place.width / 2, plan.base + SCORED)


def _verdict(said: str, width: float, colour: str, star: str) -> Part:
    """A word and its number after the star, one below the other where they have no room side by side.

    Where only the star has no room, it takes the place of the word, so that all numbers stay in line.
    """
    word, _, number = said.rpartition(" ")
    bold = words(star + number, 13, bold=True, fill=colour)
    if not word:
        return bold
    line, plain = (
        phrase((word, colour, False), (each, colour, True), size=13, gap=4) for each in (star + number, number)
    )
    if line.width <= width:
        return line
    return bold if plain.width <= width else column([words(word, fill=INK_2), bold], 0, "middle")


def _leaving(decision: Decision, plan: Pull) -> Iterator[Html]:
    """The pods that leave, below their node, as large as they were there.

    A sign that has no room beside a pod's name and number is on its edge.
    """
    if decision.preemption is None or decision.nominated_node is None:
        return
    place = plan.places[[box.name for box in plan.boxes].index(decision.nominated_node)]
    gone = {each.key for each in decision.preemption.victims}
    pods = [each for each in reversed(pods_on(decision, decision.nominated_node)) if each.key in gone]
    y = plan.base + SHELF
    for each in pods:
        high = each.request["cpu"] * plan.scale
        size = Place(place.x + INSET, y, place.width - 2 * INSET, high - PARTED)
        y += high
        yield draw_pod(replace(_block(each, "evicted"), big=True), size)
        yield _on_edge(Badge("evicted", say("evicted")), size, EVICTED, plan.width)


def _on_edge(sign: Badge, pod: Place, colour: str, most: float) -> Html:
    """The sign beside the pod's name and number, which have all the room in it. ``most``: the width of the picture."""
    return badge(sign, min(pod.x + pod.width - EDGE, most - SIZE - 1), pod.y + (pod.height - SIZE) / 2, colour)


def _is_crowded(block: Block, place: Place, scale: float) -> bool:
    """Whether a pod with a sign has no room for it beside its name and number."""
    beside = (block.name, block.detail) if block.size * scale < LOW else (block.name,)
    line = text_width("  ".join(beside), SMALL, bold=True) + SIZE
    return block.mark in ("victim", "obstacle") and line > place.width - 2 * INSET - 6


def _crowded(plan: Pull) -> Iterator[Html]:
    """The signs of pods that have no room for them."""
    for box, place in zip(plan.boxes, plan.places, strict=True):
        level = plan.base - INSET
        for block in box.blocks:
            level -= block.size * plan.scale
            if block.big:
                size = Place(place.x + INSET, level, place.width - 2 * INSET, block.size * plan.scale - PARTED)
                sign = SIGNS[block.mark]
                yield _on_edge(
                    replace(sign, tip=say(sign.tip)), size, EVICTED if block.mark == "victim" else INK_2, plan.width
                )


def _box(decision: Decision, name: str, pods: Sequence[PodInfo]) -> Box:
    """The node with its pods, and what comes of it."""
    cluster, pod, preemption = decision.cluster, decision.pod, decision.preemption
    capacity = int(cluster.allocatable[cluster.resources["cpu"], cluster.index[name]])
    free = capacity - sum(each.request["cpu"] for each in pods)
    evicts = preemption is not None and name == decision.nominated_node
    gone = {each.key for each in preemption.victims} if preemption is not None and evicts else set()
    blocks = [_block(each, _fate(decision, name, each)) for each in pods if each.key not in gone]
    if chosen := name in (decision.node, decision.nominated_node):
        blocks.append(replace(_block(pod, "arriving" if evicts else "placed"), origin="ask"))
    less = pod.request["cpu"] - free
    if less > 0 and not evicts:
        why = say("too small") if pod.request["cpu"] > capacity else lacks(less)
        return Box(name, capacity, tuple(blocks), refused=why)
    tried = 0 if chosen else pod.request["cpu"]
    return Box(name, capacity, tuple(blocks), chosen=chosen, tried=tried)


def _fate(decision: Decision, node: str, pod: PodInfo) -> str:
    """The mark of a pod where somebody has to leave: it would be evicted, or is too important for that."""
    preemption = decision.preemption
    if preemption is None:
        return ""
    if pod.priority >= decision.pod.priority:
        return "obstacle"
    if node == decision.nominated_node:
        return ""
    found = preemption.candidates.get(node)
    return "victim" if found is not None and pod.key in {each.key for each in found.victims} else ""


def _is_low(box: Box, scale: float) -> bool:
    """Whether the pod that comes has no room for its star."""
    return any(block.mark == "placed" and block.size * scale - PARTED < SIZE + 2 for block in box.blocks)


def _key(plan: Pull) -> Iterator[Html]:
    """What the signs of pods say that the picture has, below the priorities."""
    marks = {block.mark for box in plan.boxes for block in box.blocks}
    signs = [
        ("arriving", SIGNS["evicted"], EVICTED, (say("leaves"),)),
        ("victim", SIGNS["victim"], INK_2, (say("would leave"), say("would go"), say("may go"))),
        ("obstacle", SIGNS["obstacle"], INK_2, (say("must stay"), say("stays"))),
    ]
    for i, (_, sign, colour, told) in enumerate(each for each in signs if each[0] in marks):
        room = plan.aside - SIZE - 8
        line = row(
            [
                Part(SIZE, SIZE, (badge(replace(sign, tip=told[0]), 0, 0, colour),)),
                words(fitted(fitting(told, room), room), fill=INK_2),
            ],
            5,
        )
        yield moved(line, 2, plan.base + 56 + 20 * i)


def _in_short(box: Box, width: float) -> Box:
    """The box for a narrow place: what is free, before and after the pod comes, and what is missing, without a unit."""
    tried = 0 if box.refused else box.tried
    left = box.capacity - box.used - tried
    before, after = (f"{cpu / 1000:g}" for cpu in (left + box.placed + tried, left))
    told = f"{before} → {after}" if before != after else after
    free = fitting((say("{free} free", free=told), told, after), width - 8, SMALL)
    return replace(box, free=free, refused=box.refused.replace("\u00a0CPU", ""), sign="none")


def _block(pod: PodInfo, mark: str = "") -> Block:
    name, cpu, priority = pod.pod.metadata.name, pod.request["cpu"], pod.priority
    return Block(name, cpu, priority, (Number(str(priority)),), mark, fixed=cpus(cpu))


def _says(decision: Decision, name: str) -> str:
    """The score of a node with room, if there are several."""
    scores = decision.scores
    if decision.preemption is not None:
        return ""
    if scores is None:
        return say("fits")
    found = scores.nodes.tolist().index(decision.cluster.index[name])
    return say("score {number}", number=int(scores.total[found]))


def _ghost(plan: Pull, box: Box, place: Place) -> Html:
    """Where the pod would be; it sticks out of a node that has no room, and fades where the picture ends."""
    wide, bottom = place.width - 2 * INSET, plan.base - INSET - box.used * plan.scale
    ends = bottom - plan.scale * plan.pod.size + PARTED
    top = max(ends, 0.0)
    high = max(bottom - top, 4)
    colour = EVICTED if box.refused else INK_3
    look: dict[str, Any] = {"fill": colour, "fill_opacity": "0.1" if box.refused else "0.05", "stroke": colour}
    look |= {"stroke_width": 1.5, "stroke_dasharray": "5 4", "data_key": f"ghost/{box.name}/box"}
    return element(
        "g",
        *([rect(wide, high, 8, **look)] if top == ends else _fading(wide, high, look)),
        data_key=f"ghost/{box.name}",
        transform=f"translate({place.x + INSET:.1f},{top:.1f})",
        pointer_events="none",
    )


def _fading(wide: float, high: float, look: Mapping[str, Any]) -> Iterator[Html]:
    """The outline of a pod that is too high for the picture: pale at its upper end, so that it seems to go on."""
    start = len(FADE) * DASH
    edge = f"M0 {start}V{high - 8:.1f}a8 8 0 0 0 8 8H{wide - 8:.1f}a8 8 0 0 0 8 -8V{start}"
    yield element("path", d=edge, **look)
    tint = {key: look[key] for key in ("fill", "fill_opacity")}
    line = {"stroke": look["stroke"], "stroke_width": look["stroke_width"]}
    for at, opacity in enumerate(FADE):
        y = at * DASH
        sides = element("path", d=f"M0 {y}v5M{wide:.1f} {y}v5", **line)
        yield element("g", element("rect", y=y, width=wide, height=DASH, **tint), sides, opacity=opacity)


def _way(plan: Pull, box: Box, place: Place) -> Html:
    """Dots from the pod to its place."""
    x0, y0 = plan.aside / 2, plan.base - INSET - plan.high - (42 if plan.is_named_inside else 58)
    x1, y1 = place.x - 4, plan.base - INSET - box.used * plan.scale + 12
    high = max(min(y0, y1) - 34, 8)
    curve = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {high:.1f} {x1 - 40:.1f} {high:.1f} {x1:.1f} {y1:.1f}"
    look: dict[str, Any] = {"stroke": CHOSEN, "stroke_width": 2, "stroke_dasharray": "0.1 6", "stroke_linecap": "round"}
    return element("path", d=curve, fill="none", data_key="way", pointer_events="none", **look)


def _asking(plan: Pull) -> list[Html]:
    """The pod in the hand: the grip on its edge is pulled for its request."""
    pod, wide, high = plan.pod, plan.aside - 16, plan.high
    fill = priority_fill(pod.priority)
    asks = words(cpus(pod.size), 14, bold=True)
    inside = [element("rect", width=wide, height=high, rx=8, fill=fill, stroke=HAIR, data_key="ask/box")]
    name = words(pod.name, bold=True, fill=ink(fill) if plan.is_named_inside else None)
    inside.append(placed(name, wide / 2, 12 if plan.is_named_inside else -52))
    inside.append(placed(asks, wide / 2, -34))
    marks: dict[str, Any] = {"data_key": "ask"}
    if pod.marks:
        inside.append(grip(wide / 2))
        marks |= {**pod.marks, "data_axis": "y", "data_step": f"{-plan.step * plan.scale:.1f}"}
    ground = element("path", d=f"M0 {plan.base:g}H{plan.aside:g}", stroke=HAIR, stroke_width=1.5)
    return [ground, element("g", *inside, transform=f"translate(8,{plan.base - INSET - high:.1f})", **marks)]


def grip(x: float) -> Html:
    """What one pulls: a pill of ink with two arrows, half outside the pod."""
    pill = element("rect", x=x - 22, y=-11, width=44, height=22, rx=11, fill="currentColor")
    arrows = f"M{x - 4:g} -2l4 -4l4 4M{x - 4:g} 2l4 4l4 -4"
    look: dict[str, Any] = {"stroke": PANEL, "stroke_width": 1.8, "stroke_linecap": "round", "stroke_linejoin": "round"}
    return element("g", pill, element("path", d=arrows, fill="none", **look), class_="ks-hold")


def _priority(plan: Pull, rank: Mapping[str, str], is_idle: bool) -> list[Html]:
    """The ramp of priorities, with a knob, each of which can be clicked; pale while it changes nothing, and why."""
    priority, y = plan.pod.priority, plan.base + 34
    left, wide = KNOB + 2.0, plan.aside - 2 * KNOB - 4
    step = wide / 10
    cells = [rect(step - 1, 10, 2.5, left + n * step, y, fill=priority_fill(100 * n + 50)) for n in range(10)]
    knob = [
        element("circle", r=KNOB + 8, fill="transparent"),
        element("circle", r=KNOB, fill=LIFT, stroke="currentColor", stroke_width=2.5),
    ]
    looks: dict[str, Any] = {"fill": "transparent", "role": "presentation"}  # the knob is what a key moves
    clicks = [
        rect(step, 24, None, left + (n - 0.5) * step, y - 7, **looks, data_set=f"priority: {100 * n}")
        for n in range(11 if rank else 0)
    ]
    at = f"translate({left + priority / 100 * step:.1f},{y + 5:.1f})"
    handle: dict[str, Any] = {**rank, "data_step": f"{step:.1f}", "data_key": "priority"}
    name, value = words(say("priority"), fill=INK_2), words(str(priority), bold=True)
    title = [moved(value, plan.aside - value.width - 4, y - 22)]
    if name.width + value.width <= plan.aside - 8:
        title.append(moved(name, 2, y - 22))
    why = say("no effect: web fits").replace("web ", "web\u00a0")  # one line after the colon
    below = [moved(words(why, fill=INK_2, width=plan.aside - 4), 2, y + 20)] if is_idle else []
    ramp = element("g", *cells, *clicks, opacity=0.45 if is_idle else None)
    held = element("g", *knob, class_="ks-hold", transform=at, opacity=0.6 if is_idle else None, **handle)
    return [ramp, *title, *below, held]
