"""Nodes with thermometers, and below them their points: what one's own filter refuses, what one's own score adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import GAP, SMALL, Arrangement, Block, Box, Number, Place, arrange, shapes
from kschedlab_lab.views.layout import Part, moved, row, words, wrap
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.picture import boxes, boxes_before, scarcest
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, INK_2, INK_3, KINDS, PANEL, TRAY, ink, themed
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

TUBE, SLIM, MORE, NARROW, LEAST = 48, 28, 10, 460, 400
"""Widths of a thermometer with degrees at its scale, without them, and what bare numbers take; widths of a picture
below which the first one alone has numbers, and none has them; in pixels."""
BULB, SCALE, STEP, NO_LABEL = 9, (20, 40, 60, 80), 5, -1
"""The radius of a bulb, the degrees that a scale names, those between two values, and the value for no label."""
MERCURY = themed("#D64B45", "#F0827C")
ROW, NAME, TOTAL = 19, 74, 48
"""The height of a row of bars, widths of names and of totals; in pixels."""
LEGEND, LOW, ABOVE, SHORTEST, TALLEST = 26, 4, 8, 160, 296
"""Heights: of a legend, of the space below the bars, and above the racks; the least and the greatest height of a
rack."""
LINES, MARGINS = 58, 22
"""The height of a pod that has its name and two more lines, and the width that it loses at its sides."""
TWO_LINES, EDGES, NAME_SIZE = 32, 12, 12
"""The height of a pod with room for two lines, what its sides take of one line, and the size of its name."""
COLOURS = (KINDS[7], KINDS[1], KINDS[4], KINDS[0])


@dataclass(frozen=True)
class Rack:
    """A node's label. ``celsius``: None without the label; ``control``: the setting that is dragged.

    ``step``: degrees per value; ``most``: the highest value; ``refused``: degrees at which a filter refuses the node,
    -1 for no label; ``toggle``: the settings that put the label on or take it off.
    """

    celsius: int | None
    control: str
    step: int
    most: int
    refused: tuple[int, ...] = ()
    toggle: str = ""


@dataclass(frozen=True)
class Points:
    """By part and feasible node, what is added up. ``same``: what the first part gives every node, and is left out.

    ``most``: the longest bar; ``own``: the plugin whose weight is dragged up to ``limit``, as the setting ``weight``,
    "" for none; ``each``: by node, its points at weight 1.
    """

    parts: Mapping[str, Mapping[str, int]]
    best: Sequence[str]
    same: int
    most: int
    limit: int
    own: str = ""
    each: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str) -> list[int]:
        """The terms of this node's sum; [] if it is refused."""
        return [part[name] for part in self.parts.values() if name in part]


def stage(
    decision: Decision,
    racks: Mapping[str, Rack],
    room: Room,
    alt: str,
    points: Points | None = None,
    has_points: bool = False,
) -> Html:
    """The racks after the decision, and their points. ``has_points``: whether there is room for them, if need be."""
    bars, high = _bars([*racks], points, float(room.width)) if points is not None else ([], LOW)
    if points is None and has_points and decision.node is not None:
        bars = [moved(words(say("One rack is left: there is nothing to score."), fill=INK_2), 8, 0)]
    above, *nodes = boxes(decision)
    gone = [replace(block, size=min(block.size, _asks(decision))) for block in above.blocks]
    return _stage(
        decision,
        [replace(above, blocks=tuple(gone)), *nodes],
        racks,
        room,
        alt,
        bars,
        max(high, points_height(racks) if has_points else LOW),
    )


def stage_before(
    decision: Decision, racks: Mapping[str, Rack], room: Room, pick: bool = True, points: Points | None = None
) -> Html:
    """The racks while a question is open, without what is refused. ``pick``: one picks a node; ``points``: those that
    each has already."""
    picks = [
        replace(box, marks={"data_pick": box.name}) if box.capacity and pick else box for box in boxes_before(decision)
    ]
    still = {name: replace(rack, control="", toggle="", refused=()) for name, rack in racks.items()}
    bars, high = _bars([*racks], points, float(room.width)) if points is not None else ([], LOW)
    return _stage(decision, picks, still, room, say("{pod} waits.", pod=decision.pod.key), bars, high)


def points_height(racks: Mapping[str, Rack]) -> float:
    """The height that points take: it is kept free where there are none."""
    return LEGEND + ROW * len(racks) + LOW


def _stage(
    decision: Decision,
    shown: Sequence[Box],
    racks: Mapping[str, Rack],
    room: Room,
    alt: str,
    bars: Sequence[Html],
    lower: float,
) -> Html:
    """``bars``: what is drawn below the racks, in a height of ``lower``."""
    side = TUBE if room.width >= NARROW else SLIM
    more = MORE if LEAST <= room.width < NARROW else 0  # the first thermometer has the numbers for all
    plan = _arranged(shown, _asks(decision), side, room, lower, more)
    tall, wide = plan.places[1].height / max(box.capacity for box in shown), plan.places[1].width
    shown = [
        replace(box, blocks=tuple(_ranked(block, block.size * tall, wide) for block in box.blocks), captions=())
        for box in shown
    ]
    places = dict(zip((box.name for box in shown), plan.places, strict=True))
    sides = [side + more * (not i) for i in range(len(racks))]
    tubes = [
        part
        for (name, rack), wide in zip(racks.items(), sides, strict=True)
        for part in tube(name, rack, places[name]._replace(x=places[name].x - wide), wide)
    ]
    below = element("g", *bars, transform=f"translate(0,{plan.bottom:g})")
    nodes = [
        *shapes([replace(shown[0], title=" "), *shown[1:]], plan, scarcest(decision), captions=False),
        *_waits(shown, plan.places),
    ]
    if any(max(rack.refused, default=NO_LABEL) > NO_LABEL for rack in racks.values()):
        meaning = row([Part(12, 16, (_refusal(12, 16),)), words(say("your filter refuses"), fill=INK_2)], 6)
        nodes.append(moved(meaning, 8, plan.places[1].y - ABOVE - meaning.height))
    return svg([*nodes, *tubes, below], plan.width, plan.bottom + lower, alt)


def _ranked(block: Block, tall: float, wide: float) -> Block:
    """The pod with its priority in words, and its start, if its priority matters; else with its request, without the
    unit where name and request have room for neither one line nor two.

    Only the pods that leave are marked, not those that would leave other nodes. ``tall``, ``wide``: a narrow pod has
    its start in two lines, if it has room for them.
    """
    if block.mark == "victim":
        block = replace(block, mark="")
    first = block.numbers[0]
    if first.name != "priority":
        beside = text_width(f"{block.name}  {first.text}", NAME_SIZE, bold=True)
        is_tight = tall < TWO_LINES and beside > wide - EDGES
        return replace(block, numbers=(replace(first, text=first.text.partition(" ")[0]) if is_tight else first,))
    starts = tuple(
        Number(say("started {time}", time=at.text), name="start", shorter=(at.text,)) for at in block.numbers[1:]
    )
    if tall >= LINES and any(text_width(each.text, SMALL, bold=True) > wide - MARGINS for each in starts):
        starts = (Number(say("since")), *(Number(each.shorter[0]) for each in starts))
    return replace(block, numbers=starts, note=block.note or say("priority {priority}", priority=block.priority))


def _asks(decision: Decision) -> int:
    """How much the pod requests of what scales the picture."""
    return decision.pod.request.get(scarcest(decision), 0)


def _waits(boxes: Sequence[Box], places: Sequence[Place]) -> Iterator[Html]:
    """What the pod above the racks does, beside it."""
    place, above, most = boxes[0], places[0], max(box.capacity for box in boxes)
    for block in place.blocks:
        starts = [each.text for each in block.numbers if each.name == "start"]
        note = starts or ([block.note] if block.note else [])
        said = words(say(", ").join([say(place.title or place.name), *note]), fill=INK_2)
        middle = above.y + above.height * (1 - block.size / most / 2)
        yield moved(said, above.x - said.width - 8, middle - said.height / 2)


def _arranged(shown: Sequence[Box], asks: int, side: float, room: Room, lower: float, more: int) -> Arrangement:
    """The pod that waits, and below it the racks, all to one scale: they have their height whether it waits or not.

    ``side``: the width of a thermometer; ``more``: of the first one.
    """
    nodes = [replace(box, marks={}) for box in shown[1:]]
    share = asks / max(box.capacity for box in nodes)
    above = TALLEST * share + ABOVE
    right = room._replace(width=room.width - more)
    plan = arrange(nodes, right, lower + GAP + above, False, room.width, SHORTEST, TALLEST)
    racks = [each._replace(x=each.x + more + side, y=each.y + above, width=each.width - side) for each in plan.places]
    tall, wide = racks[0].height, racks[0].width
    waits = Place(racks[-1].x, racks[0].y - ABOVE - tall, wide, tall)
    return Arrangement((waits, *racks), room.width, plan.bottom + above + GAP)


def tube(name: str, rack: Rack, place: Place, room: float) -> Iterator[Html]:
    """A thermometer: bulb and scale, what is refused, the temperature with its handle, and the label that says it.

    A value stands in the middle of its zone, so that the handle is inside or outside, never on an edge. The handle ends
    at the least temperature: the first value, no label, is the tag's.
    """
    x, bottom = place.x + room - 16, place.y + place.height
    scale = (place.height - 2 * BULB - 6) / (rack.most + rack.step / 2)
    zero, key = bottom - 2 * BULB, f"tube/{name}"
    for degrees in (each for each in rack.refused if each >= 0):
        # What lies between two values was not asked: a band begins and ends at values that are refused.
        above = rack.step if degrees + rack.step in rack.refused else rack.step / 2 if degrees == rack.most else 0
        tip = say("your filter refuses {node} at {degrees} degrees", node=name, degrees=degrees)
        yield _refusal(22, max(2, scale * above), x - 11, zero - scale * (degrees + above), tip)
    neck = zero + 3
    glass = f"M{x - 5:g} {neck:g}V{place.y + 5:g}a5 5 0 0 1 10 0V{neck:g}A{BULB} {BULB} 0 1 1 {x - 5:g} {neck:g}Z"
    outline = {"stroke": INK_3, "stroke_dasharray": "3 3" if rack.celsius is None else None}
    yield element("path", d=glass, fill=TRAY, **outline)
    named = SCALE if scale * SCALE[0] > ROW or room != TUBE else SCALE[2:3]
    ticks = "".join(f"M{x - 10:g} {zero - scale * degrees:g}h5" for degrees in named)
    yield element("path", d=ticks, stroke=INK_3, fill="none")
    if room > SLIM:
        numbers = [(f"{each}°" if room == TUBE else str(each), zero - scale * each + 4) for each in named]
        yield element("g", *(label(text, x - 13, y, "end") for text, y in numbers), fill=INK_2)
    high = scale * (rack.celsius or 0)
    unknown = EVICTED if NO_LABEL in rack.refused else HAIR
    fill = unknown if rack.celsius is None else MERCURY
    yield element("circle", cx=x, cy=bottom - BULB + 1, r=BULB - 3, fill=fill)
    yield rect(5, high + BULB, 2.5, x - 2.5, zero - high, fill=fill, data_key=f"{key}/mercury")
    yield _tag(name, rack, x, bottom + 8)
    if rack.control:
        yield element(
            "g",
            element("circle", r=13, fill="transparent"),
            element("circle", r=8, fill="currentColor", stroke=TRAY, stroke_width=2),
            element("path", d="M-3 -1.5L0 -4.5L3 -1.5M-3 1.5L0 4.5L3 1.5", stroke=PANEL, stroke_width=1.3, fill="none"),
            transform=f"translate({x:g},{zero - high:g})",
            data_key=f"{key}/handle",
            data_least=int(bool(rack.toggle)),
            **dragged(rack.control, "y", round(-scale * rack.step, 2), say("celsius of {node}", node=name)),
        )


def _refusal(width: float, height: float, x: float = 0, y: float = 0, tip: str | None = None) -> Html:
    """The colour of what a filter refuses."""
    return element("rect", x=x, y=y, width=width, height=height, fill=EVICTED, fill_opacity=0.22, data_tip=tip)


def _tag(name: str, rack: Rack, x: float, y: float) -> Html:
    """The label below the thermometer, clear of the ring of a node; a click takes it off or puts it on."""
    off = rack.celsius is None
    tip = (
        say("no label: click to put it on")
        if off
        else say("celsius={celsius}: click to take it off", celsius=rack.celsius)
    )
    shape = element(
        "path",
        d="M0 -4L5 2H8A4 4 0 0 1 12 6V16A4 4 0 0 1 8 20H-12A4 4 0 0 1 -16 16V6A4 4 0 0 1 -12 2H-5Z",
        fill=TRAY,
        stroke=INK_3 if off else HAIR,
        stroke_dasharray="3 3" if off else None,
    )
    return element(
        "g",
        element("rect", x=-17, y=-6, width=34, height=28, fill="transparent"),
        shape,
        label("–" if off else f"{rack.celsius}°", -2, 16, "middle", font_weight="bold"),
        transform=f"translate({x:g},{y:g})",
        data_key=f"tube/{name}/degrees",
        data_set=rack.toggle or None,
        data_tip=say("{node}: {tip}", node=name, tip=tip),
    )


def _bars(names: Sequence[str], points: Points, width: float) -> tuple[list[Html], float]:
    """The legend, a row for each node, and their height."""
    legend, scale = _legend(points, width), (width - NAME - TOTAL - 8) / points.most
    found, y = [moved(legend, 8, 2)], max(legend.height + 6, LEGEND)
    for i, name in enumerate(names):
        found.append(element("g", *_row(name, points, scale), transform=f"translate(0,{y + ROW * i:g})"))
    return found, y + ROW * len(names) + LOW


def _legend(points: Points, width: float) -> Part:
    """The parts with their colours."""
    names = [*points.parts]
    texts = [say("{part}'s own points, above {points}", part=names[0], points=points.same)]
    texts += [say("{part} (drag: 0 to {most})", part=each, most=points.limit) for each in names[1:]]
    entries = [
        row([Part(12, 12, (rect(12, 12, 3, fill=COLOURS[i % len(COLOURS)]),)), words(text)], 4)
        for i, text in enumerate(texts)
    ]
    return wrap(entries, width - 16, 14, 2)


def _row(name: str, points: Points, scale: float) -> Iterator[Html]:
    best = name in points.best
    weight = "bold" if best else None
    star = element("tspan", "★ ", fill=CHOSEN) if best else None
    yield element("text", star, fitted(name, NAME - 4), x=4, y=14, font_weight=weight)
    if not points.of(name):
        yield label(say("refused: it gets no points"), NAME + 4, 14, fill=EVICTED)
        return
    x = float(NAME)
    for i, (plugin, each) in enumerate(points.parts.items()):
        long = scale * each[name]
        fill = COLOURS[i % len(COLOURS)]
        key = f"points/{plugin}/{name}"
        yield rect(max(long, 0.1), ROW - 4, None, x, 2, fill=fill, stroke=PANEL, data_key=key)
        if long > 17 and len(points.parts) > 1:
            yield label(str(each[name]), x + long / 2, 14, "middle", fill=ink(fill))
        x += long
    total = x + (18 if points.own else 4)
    yield label(str(sum(points.of(name))), total, 14, font_weight=weight, data_key=f"points/total/{name}")
    if points.own and points.each.get(name):
        yield element(
            "g",
            element("circle", r=11, fill="transparent"),
            element("circle", r=7, fill="currentColor"),
            element("path", d="M-1.5 -3L-4 0L-1.5 3M1.5 -3L4 0L1.5 3", stroke=PANEL, stroke_width=1.3, fill="none"),
            transform=f"translate({x + 7:g},{ROW / 2:g})",
            data_key=f"points/weight/{name}",
            **dragged("weight", "x", round(scale * points.each[name], 2), say("weight of {name}", name=points.own)),
        )
