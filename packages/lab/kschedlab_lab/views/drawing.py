"""Nodes as boxes, filled with their pods to scale: an SVG of :class:`Box` and :class:`Block`.

Every node and pod has a key, so that a panel can move it to its place in the next picture, and may carry the marks of a
handle. Boxes stand in rows as wide as the :class:`~kschedlab_lab.views.svg.Room`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.glyphs import SIZE, Badge, badge, hatch
from kschedlab_lab.views.lettering import fitted, fitting, flowed, text_width, told_apart, wrapped
from kschedlab_lab.views.style import CHOSEN, EVICTED, STOPS, ink, priority_fill
from kschedlab_lab.views.svg import Room, label, svg

LEAST, MOST, GAP, HEAD, LINE, CLOSE = 96, 180, 8, 22, 15, 12.5
"""Limits of a box's width, the gap between boxes, the space for a name, and the height of a line, and of one of two
lines in a low block; in pixels."""
SHORT, TALL = 110, 300
"""Limits of the height of the largest node."""
ASIDE = 0.5
"""The share of a box's width that pods aside take."""
SIGNS = {
    "evicted": Badge("evicted", later("evicted")),
    "victim": Badge("victim", later("would be evicted")),
    "reprieved": Badge("reprieved", later("reprieved")),
    "obstacle": Badge("lock", later("can't be evicted")),
}
PICKED = "#0072B2"
TIE, DRAGGED = later("tie"), "↕"
COMES = {"arriving": later("arriving"), "ghost": later("ghost")}
"""Marks of the pod that is decided, in words."""
MEANINGS = {mark: sign.tip for mark, sign in SIGNS.items()} | {
    "shield": later("covered by a budget"),
    "broken": later("eviction breaks the budget"),
}
Marks = Mapping[str, str]


@dataclass(frozen=True)
class Block:
    """A pod in a box. ``size`` in the box's unit; ``mark``: what happens to it, or "".

    "evicted"; "victim": it would be; "reprieved"; "arriving"; "obstacle": it is in the way; "ghost": it tries whether
    it would fit. ``note``: a short bold remark, such as "900 ≥ 500". ``key``: its identity if the name is not unique.
    ``badges``: its other signs. ``marks``: attributes that make it a handle (data_drag, ...). ``order``: its turn when
    several pods move; ``origin``: the key of what it comes from. ``aside``: it stands beside the others, this high.
    """

    name: str
    size: int
    priority: int
    detail: str = ""
    mark: str = ""
    note: str = ""
    key: str = ""
    badges: tuple[Badge, ...] = ()
    marks: Marks = field(default_factory=dict)
    order: int | None = None
    aside: int | None = None
    origin: str | None = None


@dataclass(frozen=True)
class Box:
    """A node, or with ``capacity`` 0 a place beside the nodes. ``captions``: lines below it.

    ``refused``: what is in the way, which makes it orange, and ``sign``, a kind of badge for it. ``tied``: it is one
    of several best nodes. ``badges`` and ``marks`` as those of a block; ``title``: shown in place of the name.
    """

    name: str
    capacity: int
    blocks: tuple[Block, ...]
    captions: tuple[str, ...] = ()
    chosen: bool = False
    refused: str = ""
    sign: str = ""
    tied: bool = False
    badges: tuple[Badge, ...] = ()
    marks: Marks = field(default_factory=dict)
    title: str = ""

    @property
    def key(self) -> str:
        """Its identity from picture to picture."""
        return f"{'node' if self.capacity else 'place'}/{self.name}"

    @property
    def used(self) -> int:
        """Total size of the blocks that do not stand aside."""
        return sum(block.size for block in self.blocks if block.aside is None)


class Place(NamedTuple):
    """Where a box stands, in pixels; its pods stand between ``y`` and ``y + height``."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Plan:
    """The places of the boxes, in their order; the rest of the picture begins at ``bottom``."""

    places: tuple[Place, ...]
    width: float
    bottom: float

    @property
    def rows(self) -> int:
        """In how many rows the boxes stand."""
        return len({place.y for place in self.places})


def draw(boxes: Sequence[Box], alt: str, resource: str, room: Room | None = None, more: str = "") -> Html:
    """The boxes in rows, all to one scale. ``alt``: the text alternative; ``more``: a remark at its end."""
    room = room or Room()
    width = arrange(boxes, room, 0).width
    plan = arrange(boxes, room, legend_at(boxes, width, 0, more)[1])
    legend, bottom = legend_at(boxes, width, plan.bottom, more)
    return svg([*shapes(boxes, plan, resource), *legend], width, bottom, alt)


def arrange(boxes: Sequence[Box], room: Room, below: float, captions: bool = True, most: float = MOST) -> Plan:
    """The boxes' places in a room, in as few rows as its width allows; ``below``: the height to leave free.

    ``captions``: whether there are lines below the boxes; ``most``: the greatest width of a box.
    """
    fitting = max(int((room.width - GAP) // (LEAST + GAP)), 1)
    rows = -(-len(boxes) // fitting)
    columns = max(-(-len(boxes) // max(rows, 1)), 1)
    width = min((room.width - GAP) // columns - GAP, most)
    lines = [_captions(boxes[r * columns : (r + 1) * columns] if captions else (), width) for r in range(rows)]
    tall = (room.height - below - sum(lines) - rows * HEAD) / max(rows, 1)
    tall = min(max(tall, SHORT), TALL)
    places, y = [], 0.0
    for row in range(rows):
        inside = boxes[row * columns : (row + 1) * columns]
        places += [Place(GAP + i * (width + GAP), y + HEAD, width, tall) for i in range(len(inside))]
        y += HEAD + tall + lines[row]
    return Plan(tuple(places), min(GAP + max(columns, 3) * (width + GAP), room.width), y)


def _captions(boxes: Iterable[Box], width: float) -> float:
    """The height of the lines below a row of boxes."""
    return 8 + LINE * max((len(_below(box, width)) + box.tied for box in boxes), default=0)


def _below(box: Box, width: float) -> list[tuple[str, bool]]:
    """The lines below a box, and whether they are bold."""
    refused = [(line, True) for line in wrapped(box.refused, width, 3, bold=True)]
    captions = (fitting((line, line.replace("PDB ", "")), width) for line in box.captions if line)
    return refused + [(fitted(line, width), False) for line in captions]


def shapes(boxes: Sequence[Box], plan: Plan, resource: str, captions: bool = True) -> list[Html]:
    """The nodes, above them the pods, and on top what can be picked. ``captions``: with the lines below the boxes."""
    largest = max(*(max(box.capacity, box.used) for box in boxes), 1)
    nodes, pods, picks = [], [], []
    for box, place in zip(boxes, plan.places, strict=True):
        scale = place.height / largest
        nodes.append(_node(box, place, scale, resource, captions))
        if "data_pick" in box.marks:
            picks.append(_pick(box, place, scale * (box.capacity or box.used)))
        level, bottom = 0, place.y + place.height
        for block in box.blocks:
            height = scale * block.size
            if block.aside is None:
                level += block.size
                pods.append(_pod(block, place._replace(y=bottom - scale * level, height=max(height, 2))))
            else:
                y, x = bottom - scale * block.aside - height, place.x + (1 - ASIDE) * place.width
                pods.append(_pod(block, Place(x, y, place.width * ASIDE, max(height, 2))))
    return nodes + pods + picks


def _pick(box: Box, place: Place, high: float) -> Html:
    """A surface over a node and its pods, for an answer by a click."""
    return element(
        "rect",
        x=place.x - 3,
        y=place.y + place.height - high - HEAD + 2,
        width=place.width + 6,
        height=high + HEAD,
        rx=5,
        fill="transparent",
        stroke=PICKED,
        stroke_width=1.5,
        stroke_dasharray="2 4",
        data_key=f"{box.key}/pick",
        aria_label=box.name,
        **box.marks,
    )


def _node(box: Box, place: Place, scale: float, resource: str, captions: bool) -> Html:
    """A node without its pods: name, outline, free space, captions; its origin is its place's upper left corner."""
    top = place.height - scale * (box.capacity or box.used)
    inside = [*_title(box, place.width, top), *_outline(box, place, top)]
    free = box.capacity - box.used
    if free > 0 and scale * free >= LINE and all(block.aside is None for block in box.blocks):
        text = fitted(_free(resource, free, place.width - 8), place.width - 8)
        inside.append(label(text, place.width / 2, top + scale * free / 2 + 4, "middle", opacity=0.75))
    inside += _lines_below(box, place) if captions else []
    tip = box.refused or None
    marks = {} if "data_pick" in box.marks else box.marks
    where = f"translate({place.x:g},{place.y:g})"
    return element("g", *inside, transform=where, data_key=box.key, data_tip=tip, **marks)


def _free(resource: str, free: int, width: float) -> str:
    """How much is free, with what fits of it; short CPU is rounded down, so that a pod of that size has room."""
    rounded = amount(resource, free // 100 * 100) if resource == "cpu" and free >= 1000 else amount(resource, free)
    whole = say("{free} free", free=amount(resource, free))
    return fitting((whole, say("{free} free", free=rounded), rounded, whole), width)


def _title(box: Box, width: float, top: float) -> list[Html]:
    sign, colour = ("✕ ", EVICTED) if box.refused else ("★ ", CHOSEN) if box.chosen else ("", "")
    badges = [*box.badges, *([Badge(box.sign, box.refused)] if box.sign else [])]
    name = box.title or (box.name if box.capacity else say(box.name))
    room = width - SIZE * len(badges)
    sign = fitting((sign + name, sign.strip() + name), room, bold=True).removesuffix(name)
    beside, middle = room - text_width(sign, bold=True), room / 2
    name = told_apart(name, beside, bold=True)
    title = element(
        "text",
        element("tspan", sign, fill=colour) if sign else None,
        name,
        x=middle,
        y=top - 7,
        text_anchor="middle",
        font_weight="bold",
    )
    return [title, *(badge(b, width - SIZE * (i + 1), top - 19) for i, b in enumerate(reversed(badges)))]


def _outline(box: Box, place: Place, top: float) -> list[Html]:
    if not box.capacity:
        return [element("path", d=f"M0 {place.height:g}H{place.width:g}", stroke="currentColor", opacity=0.5)]
    fill, opacity = (EVICTED, 0.14) if box.refused else ("currentColor", 0.03)
    stroke, thick = (CHOSEN, 4) if box.chosen else (EVICTED, 2) if box.refused else ("currentColor", 1.5)
    return [
        element(
            "rect",
            x=-thick / 2,
            y=top - thick / 2,
            width=place.width + thick,
            height=place.height - top + thick,
            fill=fill,
            fill_opacity=opacity,
            stroke=stroke,
            stroke_width=thick,
            data_key=f"{box.key}/box",
        )
    ]


def _lines_below(box: Box, place: Place) -> list[Html]:
    found = [*tie(0, place.height + 4, place.width)] if box.tied else []
    for i, (line, bold) in enumerate(_below(box, place.width), start=int(box.tied)):
        weight = "bold" if bold else None
        found.append(label(line, place.width / 2, place.height + 16 + LINE * i, "middle", font_weight=weight))
    return found


def tie(x: float, y: float, width: float) -> list[Html]:
    """A hatched band that says so."""
    side = max(width - text_width(say(TIE), bold=True) - 8, 0) / 2  # the word stands between the hatched sides
    both = hatch(side, LINE) + hatch(side, LINE, x=width - side)
    lines = element("path", d=both, transform=f"translate({x:g},{y:g})", stroke=CHOSEN, opacity=0.7)
    return [lines, label(say(TIE), x + width / 2, y + 12, "middle", font_weight="bold")]


def _pod(block: Block, place: Place) -> Html:
    """A pod; its origin is its upper left corner."""
    fill = priority_fill(block.priority)
    key, ghost = f"pod/{block.key or block.name}", block.mark == "ghost"
    happens = say(SIGNS[block.mark].tip if block.mark in SIGNS else COMES.get(block.mark, block.mark))
    tip = listed(filter(None, (block.name, block.note, block.detail, happens, *(say(b.tip) for b in block.badges))))
    return element(
        "g",
        element(
            "rect",
            width=place.width,
            height=place.height,
            fill=fill,
            fill_opacity=0.3 if ghost else None,
            stroke="currentColor" if ghost else "#000000",
            stroke_width=1.5 if ghost else 0.75,
            stroke_dasharray="5 4" if ghost else None,
            data_key=f"{key}/box",
        ),
        *_frame(block, place),
        *_labels(block, place, "currentColor" if ghost else ink(fill)),
        transform=f"translate({place.x:g},{place.y:.2f})",
        data_key=key,
        data_from=block.origin,
        data_tip=tip,
        data_order=block.order,
        **block.marks,
    )


def _frame(block: Block, place: Place) -> list[Html]:
    """The frame that repeats what happens to the pod."""
    stroke, thick, dashes = {
        "evicted": (EVICTED, 3.5, None),
        "victim": (EVICTED, 2.0, "5 3"),
        "arriving": (CHOSEN, 3.0, "7 4"),
    }.get(block.mark, ("", 0.0, None))
    if not stroke:
        return []
    thick = min(thick, place.height / 8)
    size = {"width": place.width - thick - 1, "height": max(place.height - thick - 1, 0)}
    corner = (thick + 1) / 2
    dash = {"stroke_width": thick, "stroke_dasharray": dashes}
    return [element("rect", x=corner, y=corner, **size, fill="none", stroke=stroke, **dash)]


def _labels(block: Block, place: Place, colour: str) -> list[Html]:
    """As many lines as fit, with the signs at the right: the name, a remark, the detail."""
    if place.height < CLOSE:
        return []
    above = [SIGNS[block.mark]] if block.mark in SIGNS else []
    below = list(block.badges)
    if place.height < 2 * SIZE + 4:
        above, below = [*below, *above], []
    dragged = block.detail and block.marks.get("data_axis") == "y"
    detail = f"{DRAGGED} {block.detail}" if dragged else block.detail
    room, beside = place.width - 11, text_width(block.name, bold=True) + 8
    tall = place.height > LINE * (3 + bool(block.note))
    narrow = text_width(detail) + SIZE * len(below) > room
    details = detail.split(" · ") if tall and narrow else [detail]  # the start below the priority
    rows = [(line, True) for line in (block.name, block.note) if line] + [(line, False) for line in details if line]
    low = place.height < 2 * LINE + 3
    if low and beside + text_width(detail) + SIZE * len(above) <= room:
        middle = place.height / 2 + 4
        name = label(block.name, 7, middle, fill=colour, font_weight="bold")
        found = [name, label(detail, 7 + beside, middle, fill=colour)] if detail else [name]
    else:
        found = _lines(rows, place, CLOSE if low else LINE, colour, (len(above), len(below)))
    right = place.width - SIZE - 4
    top = max(min(4.0, (place.height - SIZE) / 2), 0)
    found += [badge(b, right - SIZE * i, top, colour) for i, b in enumerate(reversed(above))]
    return found + [badge(b, right - SIZE * i, place.height - SIZE - 4, colour) for i, b in enumerate(reversed(below))]


def _lines(
    rows: Sequence[tuple[str, bool]], place: Place, high: float, colour: str, signs: tuple[int, int]
) -> list[Html]:
    """As many lines as fit, the name first. ``signs``: how many stand at the upper and the lower right."""
    shown = rows[: max(int((place.height - 1) // high), 1)]
    first, found = place.height / 2 - high / 2 * len(shown) + high - (3.5 if high == LINE else 2), []
    for i, (line, bold) in enumerate(shown):
        y = first + high * i
        upper, lower = y - 11 < SIZE + 4, y + 3 > place.height - SIZE - 4
        room = place.width - 11 - SIZE * max(signs[0] * upper, signs[1] * lower)
        text = fitting((line, line.partition(" · ")[0], line.replace(say("priority "), "")), room, bold=bold)
        found.append(label(fitted(text, room, bold=bold), 7, y, fill=colour, font_weight="bold" if bold else None))
    return found


def legend_at(
    boxes: Sequence[Box], width: float, y: float, more: str = "", scale: bool = True, first: float = GAP
) -> tuple[list[Html], float]:
    """The legend from ``y`` on, in as many lines as it takes, and where it ends.

    ``scale``: with the priorities; ``first``: where the first line begins.
    """
    blocks = [block for box in boxes for block in box.blocks]
    used = {sign.kind for block in blocks for sign in block.badges} | {b.mark for b in blocks}
    items: list[tuple[str, str]] = []
    if scale:
        items += [(say("priority"), ""), *((str(stop), priority_fill(stop)) for stop in STOPS[:-1])]
    items += [(say(text), kind) for kind, text in MEANINGS.items() if kind in used]
    items += [(line, "") for line in flowed(more, width - GAP - 8)]
    found, x, base = [], first, y + LINE
    for text, sign in items:
        step = text_width(text) + (SIZE + 14 if sign else 8)
        if x + step > width and x > GAP:
            x, base = float(GAP), base + LINE + 3
        if sign.startswith("#"):
            found.append(element("rect", x=x, y=base - 10, width=12, height=12, fill=sign, stroke="currentColor"))
        elif sign:
            found.append(badge(SIGNS.get(sign, Badge(sign, text)), x - 2, base - 12))
        found.append(label(text, x + (SIZE if sign else 0), base))
        x += step
    return found, base + 7
