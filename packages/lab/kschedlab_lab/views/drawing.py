"""Nodes as trays, filled with their pods to scale: an SVG of :class:`Box` and :class:`Block`.

Every node and pod has a key, so that a panel can move it to its place in the next picture, and may carry the marks of a
handle. Boxes are in rows as wide as the :class:`~kschedlab_lab.views.svg.Room`; in a narrow one, the place beside the
nodes is a bar above them, and the nodes stay side by side, because one compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount, cpus
from kschedlab_lab.views.glyphs import DIGIT, SIZE, Badge, badge
from kschedlab_lab.views.layout import Part, column, moved, phrase, placed, row, words
from kschedlab_lab.views.lettering import fitted, fitting, text_width, told_apart, wrapped
from kschedlab_lab.views.style import (
    ACT,
    ACT_SOFT,
    CHOSEN,
    EVICTED,
    EVICTED_SOFT,
    HAIR,
    INK_2,
    INK_3,
    TICK,
    TRAY,
    ink,
    priority_fill,
)
from kschedlab_lab.views.svg import Room, rect, svg

LEAST, MOST, GAP, HEAD = 96, 176, 14, 24
"""Limits of a node's width, the gap between nodes, and the height of a name below a node; in pixels."""
SLIM, NARROW, TIGHT, AWAY, BESIDE, FIRST = 60, 560, 6, 8, 66, 88
"""The least width of a node, and the gap, in a room that is narrower than the second number, with what more there is
after the place beside the nodes; the least width of nodes with that place (where they would be narrower, it is a bar
above them), and of the place."""
SHORT, TALL, SHORTER = 134, 192, 126
"""Limits of the height of the largest node; the lower one with a bar above the nodes."""
EDGE, TOP, BAR = 8, 10, 42
"""The margin around the nodes, and the height of a bar above them."""
INSET, PARTED, ROUND = 3, 2, 8
"""Between tray and pods, between pods, and the radius of a pod's corners."""
LINE, NAME, SMALL = 15, 14, 11.2
"""The height of a line; the font sizes of a node's name and of second lines."""
ROOMY, WIDE = 15, 72
"""The size of signs in a narrow pod that is high, and the width from which on they have room beside its name."""
LOW = 2 * LINE + 4
"""The height below which a pod has its number beside its name."""
PILL, BIG = 17, 26
SIGNS = {
    "evicted": Badge("evicted", later("evicted")),
    "victim": Badge("victim", later("would be evicted")),
    "leaving": Badge("evicted", later("terminating")),
    "reprieved": Badge("reprieved", later("reprieved")),
    "obstacle": Badge("lock", later("not less important, so it can't be evicted")),
    "arriving": Badge("chosen", later("arriving")),
    "placed": Badge("chosen", later("arriving")),
}
TIE = later("tie")
GHOST = later("ghost")
Marks = Mapping[str, str]


@dataclass(frozen=True)
class Number:
    """A number on a pod. ``marks``: the attributes of its handle, which make it a pill; ``shorter``: in less room."""

    text: str
    marks: Marks = field(default_factory=dict)
    name: str = ""
    shorter: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """A pod in a box. ``size`` in the box's unit; ``mark``: what happens to it, or "".

    "evicted"; "victim": it would be; "leaving": it ends; "reprieved"; "arriving"; "placed"; "obstacle": it is in
    the way; "ghost": it tries whether it would fit. ``numbers``: its priority, its start. ``note``: a short remark,
    such as "nominated". ``key``: its identity if the name is not unique. ``badges``: its other signs. ``marks``:
    attributes that make it a handle (data_drag, ...). ``order``: its turn when several pods move; ``origin``: the
    key of what it comes from. ``aside``: it waits on the shelf below its node. ``pale``: it is only tried
    elsewhere. ``turn``: its number in its node's list of victims. ``fixed``: what else its tip says.
    ``big``: its other signs are all, as large as there is room.
    """

    name: str
    size: int
    priority: int
    numbers: tuple[Number, ...] = ()
    mark: str = ""
    note: str = ""
    key: str = ""
    badges: tuple[Badge, ...] = ()
    marks: Marks = field(default_factory=dict)
    order: int | None = None
    aside: bool = False
    origin: str | None = None
    pale: bool = False
    turn: int = 0
    fixed: str = ""
    big: bool = False

    @property
    def detail(self) -> str:
        """Its numbers as text."""
        return " · ".join(number.text for number in self.numbers)


@dataclass(frozen=True)
class Box:
    """A node, or with ``capacity`` 0 a place beside the nodes. ``captions``: lines below it.

    ``refused``: what is in the way, and ``sign``, a kind of badge for it, or "none". ``tied``: it is one of the best.
    ``badges`` and ``marks`` as those of a block; ``title``: shown in place of the name; ``look``: the colours of its
    ground and its edge, unless it is one of the best. ``tried``: the size of a pod whose outline is in it. ``free``:
    what is said of its free space, in place of how much there is.
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
    look: tuple[str, str] | None = None
    tried: int = 0
    free: str = ""

    @property
    def key(self) -> str:
        """Its identity from picture to picture."""
        return f"{'node' if self.capacity else 'place'}/{self.name}"

    @property
    def used(self) -> int:
        """Total size of the blocks inside."""
        return sum(block.size for block in self.blocks if not block.aside)

    @property
    def placed(self) -> int:
        """How much of that comes only now, if the node is chosen."""
        return sum(block.size for block in self.blocks if block.mark == "placed") * self.chosen


class Place(NamedTuple):
    """The place of a box, in pixels; its pods are between ``y`` and ``y + height``. ``bar``: they lie side by side."""

    x: float
    y: float
    width: float
    height: float
    bar: bool = False


@dataclass(frozen=True)
class Arrangement:
    """The places of the boxes, in their order; the rest of the picture begins at ``bottom``."""

    places: tuple[Place, ...]
    width: float
    bottom: float


def draw(boxes: Sequence[Box], alt: str, resource: str, room: Room | None = None, more: str = "") -> Html:
    """The boxes in rows, all to one scale. ``alt``: the text alternative; ``more``: a remark at its end."""
    room = room or Room()
    below = remark(more, room.width - 2 * EDGE)
    plan = arrange(boxes, room, below.height)
    return svg(
        [*shapes(boxes, plan, resource), moved(below, EDGE, plan.bottom)], plan.width, plan.bottom + below.height, alt
    )


def arrange(
    boxes: Sequence[Box],
    room: Room,
    below: float,
    captions: bool = True,
    most: float = MOST,
    short: float = SHORT,
    tallest: float = TALL,
) -> Arrangement:
    """The boxes' places in a room, in as few rows as its width allows; ``below``: the height to leave free.

    ``captions``: whether there are lines below the names; ``most``: the greatest width of a box; ``short``: the
    least height of the largest node, where the room is low; ``tallest``: its greatest height.
    """
    narrow = room.width < NARROW
    has_place = bool(boxes) and not boxes[0].capacity
    too_wide = room.width - 2 * EDGE - FIRST < (len(boxes) - 1) * (BESIDE + TIGHT)
    above = boxes[:1] if narrow and has_place and too_wide else []
    nodes, gap, slim = boxes[len(above) :], TIGHT if narrow else GAP, SLIM if narrow else LEAST
    edge = EDGE if room.width > SLIM * 4 + 120 else 5
    rows = -(-len(nodes) // max(int((room.width - 2 * edge + gap) // (slim + gap)), 1))
    columns = max(-(-len(nodes) // max(rows, 1)), 1)
    away = AWAY if narrow and has_place and not above else 0
    width = min((room.width - 2 * edge + gap - away) / columns - gap, most)
    more = max(FIRST - width, 0.0) if narrow and has_place and not above else 0.0  # for the place beside them
    width -= more / max(columns - 1, 1)
    lines = [_below_height(nodes[r * columns : (r + 1) * columns], width, captions) for r in range(rows)]
    is_tallest = has_place and boxes[0].used >= max(box.capacity for box in boxes)  # then its title is above all
    y = float(TOP) + (BAR + LINE + 10 if above else LINE if is_tallest else 0)
    tall = (room.height - y - below - sum(lines)) / max(rows, 1)
    tall = min(max(tall, min(SHORTER, short) if above and short <= SHORT else short), tallest)
    places = [Place(edge, TOP + LINE + 2, room.width * 0.62, BAR, bar=True)] if above else []
    for r in range(rows):
        inside = nodes[r * columns : (r + 1) * columns]
        widths = [FIRST if more and r == i == 0 else width for i in range(len(inside))]
        lefts = [edge + sum(widths[:i]) + i * gap + away * bool(i) for i in range(len(inside))]
        places += [Place(x, y, each, tall) for x, each in zip(lefts, widths, strict=True)]
        y += tall + lines[r]
    wide = 2 * edge - gap + max(columns, 3) * (width + gap) + (FIRST - width if more else 0) + away
    return Arrangement(tuple(places), min(wide, room.width), y)


def _below_height(boxes: Iterable[Box], width: float, captions: bool) -> float:
    """The height of the names and the lines below a row of boxes."""
    return max((_below(box, width, captions).height for box in boxes), default=0) + 16


def shapes(boxes: Sequence[Box], plan: Arrangement, resource: str, captions: bool = True) -> list[Html]:
    """The nodes, above them the pods, and on top what can be picked. ``captions``: with the lines below the names."""
    standing = (box for box, place in zip(boxes, plan.places, strict=True) if not place.bar)
    largest = max(*(max(box.capacity, box.used) for box in standing), 1)
    nodes, pods, picks = list[Html](), list[Html](), list[Html]()
    for box, place in zip(boxes, plan.places, strict=True):
        scale = place.height / largest
        high = scale * (box.capacity or box.used)
        nodes.append(_node(box, place, scale, resource, captions))
        if "data_pick" in box.marks:
            picks.append(_pick(box, place, high))
        pods += _in_bar(box, place) if place.bar else _inside(box, place, scale, captions)
    return nodes + pods + picks


def _inside(box: Box, place: Place, scale: float, captions: bool) -> list[Html]:
    """The pods of a box, one upon the other, and below it those that stepped aside, the last one on top."""
    found, inset = list[Html](), INSET if box.capacity else 0
    bottom, wide = place.y + place.height - inset, place.width - 2 * inset
    fits, level = (place.height - 2 * inset) / place.height if box.capacity else 1, 0.0
    for block in (block for block in box.blocks if not block.aside):
        level += block.size * scale * fits
        size = Place(place.x + inset, bottom - level, wide, max(block.size * scale * fits - PARTED, 2))
        found.append(draw_pod(block, size))
    top = place.y + place.height + _below_height([box], place.width, captions)
    for block in (block for block in reversed(box.blocks) if block.aside):
        high = block.size * scale * fits
        found.append(draw_pod(block, Place(place.x + inset, top, wide, high - PARTED)))
        top += high
    return found


def _in_bar(box: Box, place: Place) -> list[Html]:
    """The pods side by side."""
    wide = min(place.width / max(len(box.blocks), 1), place.width)
    blocks = enumerate(box.blocks)
    return [draw_pod(block, place._replace(x=place.x + i * wide, width=wide - PARTED)) for i, block in blocks]


def _pick(box: Box, place: Place, high: float) -> Html:
    """A surface over a node and its name, for an answer by a click."""
    top, about = place.y + place.height - high, {"data_key": f"{box.key}/pick", "aria_label": box.name}
    return rect(place.width, high + HEAD + 6, 11, place.x, top, fill="transparent", **about, **box.marks)


def _node(box: Box, place: Place, scale: float, resource: str, captions: bool) -> Html:
    """A node without its pods: tray, free space, name and captions; its origin is its place's upper left corner."""
    high = place.height if place.bar else scale * (box.capacity or box.used)
    top = place.height - high
    inside = [*_tray(box, place.width, top, high, scale, resource)]
    free = box.capacity - box.used
    if free > 0 and scale * free >= LINE:
        takes = box.tried if box.tried <= free else 0
        told = box.free or _free(resource, free - takes, box.placed or takes, place.width - 8)
        text = fitted(told, place.width - 8, SMALL)
        middle = _middle_of_free(box, free, scale, _has_ticks(resource, scale))
        fill = ink(_ground(box)) if box.look else INK_2
        inside.append(placed(words(text, SMALL, fill=fill), place.width / 2, top + middle - 8))
    if box.capacity:
        inside.append(placed(_below(box, place.width, captions), place.width / 2, place.height + 7))
    else:
        title = say(box.title or box.name)
        is_gone = any(block.mark == "evicted" for block in box.blocks)
        name = words(title, bold=is_gone, fill=EVICTED if is_gone else INK_2)
        inside += [moved(name, 0, top - LINE - 3)] if box.blocks else []
    marks = {} if "data_pick" in box.marks else box.marks
    state = "chosen" if box.chosen else "tied" if box.tied else "refused" if box.refused else None
    return element(
        "g",
        *inside,
        transform=f"translate({place.x:g},{place.y:g})",
        data_key=box.key,
        data_state=state,
        data_tip=box.refused or None,
        **marks,
    )


def _middle_of_free(box: Box, free: int, scale: float, has_ticks: bool) -> float:
    """How far below the rim the words about free space are: clear of what is tried, and between two ticks."""
    top, bottom = 0.0, scale * free
    if 0 < box.tried < free:
        edge = scale * (free - box.tried)
        top, bottom = (top, edge) if edge >= LINE else (edge, bottom)
    middle = (top + bottom) / 2
    between = 1000 * scale * (ceil(middle / (1000 * scale)) - 0.5)
    fits = top <= between - LINE / 2 and between + LINE / 2 <= bottom
    return between if has_ticks and fits else middle


def _free(resource: str, free: int, placed: int, width: float) -> str:
    """How much is free, before and after a pod is ``placed`` or tried here, with what fits of it; short CPU is rounded
    down, so that a pod of that size has room."""
    rounded = _told(resource, free // 100 * 100 if resource == "cpu" and free >= 1000 else free)
    whole, number = _told(resource, free), rounded.partition(" ")[0]
    if resource == "memory" and free >= 1 << 30:
        number = f"{free >> 30}Gi"
    before = f"{_told(resource, free + placed).partition(' ')[0]} → " if placed else ""
    texts = [before + say("{free} free", free=each) for each in (whole, rounded, number)]
    return fitting((*texts, before + number, number, ""), width, SMALL)


def _told(resource: str, size: int) -> str:
    """The amount in words; tenths of a CPU as the larger ones are: 0.5 CPU."""
    return cpus(size) if resource == "cpu" and size % 100 == 0 else amount(resource, size)


def _tray(box: Box, width: float, top: float, high: float, scale: float, resource: str) -> Iterable[Html]:
    """The node's ground with a tick for each CPU, and the ring of the chosen one."""
    if not box.capacity:
        return
    if box.chosen:
        halo: dict[str, Any] = {"fill": "none", "stroke": CHOSEN, "stroke_opacity": 0.18, "stroke_width": 5}
        yield rect(width + 10, high + 10, 15, -5, top - 5, **halo)
    is_best = box.chosen or box.tied
    edge = CHOSEN if is_best else box.look[1] if box.look else HAIR
    line: dict[str, Any] = {"stroke": edge, "stroke_width": 2.5 if is_best else 1}
    line["stroke_dasharray"] = "6 4" if box.tied and not box.chosen else None
    yield rect(width, high, 11, y=top, fill=_ground(box), **line, data_key=f"{box.key}/box")
    if _has_ticks(resource, scale) and not box.look:
        lines = "".join(f"M8 {top + at * 1000 * scale:.1f}H{width - 8:g}" for at in range(1, -(-box.capacity // 1000)))
        yield element("path", d=lines, stroke=TICK)


def _ground(box: Box) -> str:
    """The colour of a node."""
    if box.chosen or box.tied:
        return TRAY
    return box.look[0] if box.look else EVICTED_SOFT if box.refused else TRAY


def _has_ticks(resource: str, scale: float) -> bool:
    """Whether a node has room for a tick for each CPU."""
    return resource == "cpu" and 1000 * scale >= 2 * LINE


def _below(box: Box, width: float, captions: bool) -> Part:
    """The name below a node, and what there is to say about it."""
    if not box.capacity:
        return Part(0, 0)
    size = NAME if width >= LEAST else 12
    colour = CHOSEN if box.chosen or box.tied else INK_2 if box.refused else "currentColor"
    signs = [Part(SIZE, SIZE, (badge(sign, 0, 0),)) for sign in box.badges]
    if "data_pick" in box.marks:
        name, wide = box.title or box.name, width - 20 - SIZE * len(signs)
        title = _answer(fitted(fitting((name, name.rpartition("-")[2]), wide, size, True), wide, size, True), size)
        found = [row([title, *signs], 16) if signs else title]
    else:
        name, wide = box.title or box.name, width - (SIZE + 4) * len(signs)
        size = size if text_width(name, size, bold=True) <= wide else 12
        name = told_apart(name, wide, size)
        title = words(name, size, bold=True, fill=colour)
        found = [row([title, *signs], 4) if signs else title]
    if box.tied and captions:
        found.append(words(say(TIE), SMALL, bold=True, fill=CHOSEN))
    if box.refused and captions:
        found.append(_refusal(box, width))
    lines = [fitting(_shorter(line), width, SMALL) for line in box.captions if line and captions]
    found += [words(line, SMALL, most=width, fill=INK_2) for line in lines]
    return column(found, 1, "middle")


def _shorter(line: str) -> list[str]:
    """The line, and what may be left of it: "463" of "score 463"."""
    *_, last = line.split(" ")
    return [line, line.replace("PDB ", ""), *([last] if last.isdecimal() else [])]


def _answer(name: str, size: float) -> Part:
    """A name that can be clicked."""
    text = words(name, size, bold=True, fill=ACT)
    high = text.height + 8
    pill = rect(text.width + 24, high, high / 2, -12, -4, fill=ACT_SOFT, stroke=ACT, stroke_opacity=0.55)
    return Part(text.width, text.height + 4, (pill, placed(text, text.width / 2, 0)))


def _refusal(box: Box, width: float) -> Part:
    """What is in the way, after its sign."""
    longest = max((text_width(word, SMALL) for word in box.refused.split(" ")), default=0)
    is_signed = box.sign != "none" and longest <= width - SIZE - 4  # the colour of the tray says it, too
    sign = Badge(box.sign or "cross", box.refused)
    parts = [Part(SIZE, SIZE, (badge(sign, 0, 0, EVICTED),))] if is_signed else []
    lines = wrapped(box.refused, width - (SIZE + 4) * len(parts), 3, SMALL)
    text = column([words(line, SMALL, fill=EVICTED) for line in lines], 0, "middle")
    return row([*parts, text], 3, "start")


def draw_pod(block: Block, place: Place) -> Html:
    """A pod; its origin is its upper left corner."""
    fill = priority_fill(block.priority)
    key, is_ghost = f"pod/{block.key or block.name}", block.mark == "ghost"
    happens = say(SIGNS[block.mark].tip if block.mark in SIGNS else GHOST if is_ghost else block.mark)
    told = (block.name, block.note, block.detail, happens, *(say(b.tip) for b in block.badges), block.fixed)
    tip = listed(filter(None, told))
    usual = (ACT, 3, None) if "data_pick" in block.marks else (HAIR, 1, None)
    stroke, thick, dashes = {
        "evicted": (EVICTED, 2.5, None),
        "leaving": (EVICTED, 2.5, None),
        "victim": (EVICTED, 2.5, None) if block.aside else usual,
        "arriving": (CHOSEN, 2.5, "6 4"),
        "placed": (CHOSEN, 2.5, None),
        "ghost": (INK_3, 2.5, "5 4"),
    }.get(block.mark, usual)
    look: dict[str, Any] = {"fill": fill, "fill_opacity": 0.25 if is_ghost else None}
    look |= {"stroke": stroke, "stroke_width": thick, "stroke_dasharray": dashes}
    return element(
        "g",
        rect(place.width, place.height, min(ROUND, place.height / 3), **look, data_key=f"{key}/box"),
        *_labels(block, place, "currentColor" if is_ghost else ink(fill)),
        transform=f"translate({place.x:g},{place.y:.2f})",
        opacity=0.4 if block.pale else None,
        data_key=key,
        data_from=block.origin,
        data_tip=tip,
        data_order=block.order,
        **block.marks,
    )


def _labels(block: Block, place: Place, colour: str) -> list[Html]:
    """As much as fits: the name and the signs, then the numbers, then a remark."""
    edge = min(max((place.width - SLIM) / 4, 3), 9)
    corner = (edge + 1) / 2
    room, high = place.width - 2 * edge, place.height
    if high < 12:
        return []
    marked = block.mark in SIGNS and not block.big
    signs = [*([replace(SIGNS[block.mark], turn=block.turn)] if marked else []), *block.badges]
    is_roomy = WIDE <= place.width < LEAST and high >= 2 * ROOMY + 12
    side = SIZE if place.width >= LEAST else ROOMY if is_roomy else SIZE * 0.75
    if block.big and place.width >= SLIM + 20:
        side = max(side, min(high - 14, BIG if place.width >= LEAST + 16 else LINE + 3))  # above the numbers, or beside
    is_stacked = _stacks(block, place, room, side * len(signs))
    signs = signs[: max(int((room - 40) // (side + 2)), 1 + is_stacked)] if high >= side + 2 else []
    apart, columns = 2 if place.width >= LEAST else 1, 1 if is_stacked and signs else len(signs)
    beside = room - (side + apart) * columns + (edge - corner)
    ringed = block.mark in ("arriving", "placed") and place.width < LEAST
    shown = [block.name, *(each.text for each in block.numbers[:1] if ringed and high < LOW and not each.marks)]
    if (place.width < SLIM or ringed) and text_width("  ".join(shown), SMALL, bold=True) > beside:
        signs, beside = [], room  # the ring says it, too
    halo: dict[str, Any] = (
        {"paint_order": "stroke", "stroke": TRAY, "stroke_width": "4"} if block.mark == "ghost" else {}
    )
    size = 12 if place.width >= LEAST or is_roomy else SMALL
    title = fitted(block.name, beside * 1.06, size, bold=True)
    name = words(title, size, bold=True, fill=colour, **halo)
    inside = beside if is_stacked and len(signs) > 1 else room
    numbers = _numbers(block, inside, colour, halo)
    if len(numbers) > 1 and row(numbers, 6).width > inside:
        numbers = _numbers(block, inside, colour, halo, slim=True)
    clear = 10 if len(numbers) == 1 and row([name, *numbers], 8).width <= beside else 7
    is_low = high < LOW or any(each.height + name.height + clear > high for each in numbers[:1])
    if is_low:
        gap = 4 if len(signs) > 1 else 8
        first = row([name, *numbers[:1]], gap)
        if block.numbers and numbers and numbers[0].is_text and not halo:
            first = phrase((title, colour, True), (block.numbers[0].text, colour, False), size=size, gap=gap)
        tall = first.height
        if first.width > beside * 1.06:
            first, tall = column([name, *numbers[:1]], -2) if high >= 2 * LINE - 2 else name, name.height
        y = (high - first.height) / 2
        found = [moved(first, edge, y)]
        top = max(y + (tall - side) / 2, 1)  # beside the name
    else:
        lines, y, between = [name, *_rows(numbers, inside, 4 if is_stacked else 6)], 4.0, 1.0 if is_roomy else 2.0
        if block.note and text_width(block.note, SMALL) <= room:
            lines.append(words(block.note, SMALL, fill=colour))
        found, top = [], 4.0
        for line in lines:
            if y + line.height > high - 1:
                break
            found.append(moved(line, edge, y))
            y += line.height + between
    if is_low and is_stacked and len(signs) > 1:
        top = high / 2 - side - 1
    right, scale = place.width - corner - side, side / SIZE
    drawn = [Part(side, side, (badge(sign, 0, 0, colour, DIGIT * SIZE / side),)) for sign in reversed(signs)]
    across, down = (0, side + 2) if is_stacked else (side + 2, 0)
    where = (f"translate({right - across * i:g},{top + down * i:g})" for i in range(len(drawn)))
    shrink = f" scale({scale:g})" if scale != 1 else ""
    return [*found, *(element("g", *p.shapes, transform=at + shrink) for p, at in zip(drawn, where, strict=True))]


def _stacks(block: Block, place: Place, room: float, signs: float) -> bool:
    """Whether a narrow pod has its signs one below the other; a low one only if they don't fit beside its name."""
    if place.width >= LEAST or place.height < 2 * SIZE * 0.75 + 4:
        return False
    return place.height >= 4 * LINE or room < text_width(block.name, SMALL, bold=True) + signs + 6


def _rows(parts: Sequence[Part], room: float, gap: float) -> list[Part]:
    """The numbers side by side if they fit, else one below the other."""
    whole = row(parts, gap)
    return [whole] if 0 < whole.width <= room else list(parts)


def _numbers(block: Block, room: float, colour: str, halo: Mapping[str, Any], slim: bool = False) -> list[Part]:
    """The numbers: those that can be changed as pills. ``slim``: as narrow as they can be."""
    found = []
    for i, number in enumerate(block.numbers):
        if number.marks:
            most = min(room, LEAST * 0.7) if slim else room
            found.append(pill(number, f"pod/{block.key or block.name}", most, colour))
            continue
        text = fitting((number.text, *(number.shorter or [number.text.replace(" ", "")])), room, SMALL, bold=not i)
        if text_width(text, SMALL, bold=not i) <= room:
            found.append(words(text, SMALL, bold=not i, fill=colour, **halo))
    return found


PALE: dict[str, Any] = {"opacity": 0.3, "class_": "ks-pale"}
"""A caret that leads nowhere."""


def pill(
    number: Number,
    owner: str,
    room: float = MOST,
    colour: str = "currentColor",
    ends: tuple[bool, bool] = (False, False),
) -> Part:
    """A number that can be changed, between two carets: the sign of all that one can drag sideways.

    ``ends``: whether it is the least one, the greatest one; a caret that leads nowhere is pale.
    """
    text = words(number.text, SMALL, bold=True, fill=colour)
    wide = min(text.width + (28 if room > LEAST * 0.7 else 21), room + 6)
    middle = PILL / 2
    carets = (f"M8 {middle - 3:g}l-3 3l3 3", f"M{wide - 8:g} {middle - 3:g}l3 3l-3 3")
    look: dict[str, Any] = {"fill": "none", "stroke": colour, "stroke_width": 1.5, "stroke_linecap": "round"}
    key = f"{owner}/{number.name or number.text}"
    inside = [
        rect(wide + 12, PILL + 18, x=-6, y=-9, fill="transparent"),
        rect(wide, PILL, middle, fill=colour, fill_opacity=0.16, class_="ks-pill", stroke="none"),
        *(element("path", d=d, **look, **(PALE if end else {})) for d, end in zip(carets, ends, strict=True)),
    ]
    inside.append(placed(text, wide / 2, (PILL - text.height) / 2))
    return Part(wide, PILL, (element("g", *inside, data_key=key, **number.marks),))


def remark(text: str, width: float) -> Part:
    """A line or two below a picture."""
    return words(text, SMALL, width=width, fill=INK_2) if text else Part(0, 0)
