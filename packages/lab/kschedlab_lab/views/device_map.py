"""Devices drawn inside their nodes: which ones a pod gets, and what is in the way of the others.

A device's colour says its kind, its height how much it has, and wires join neighbours with the same root. A pale one is
refused, and one that the search never came to is only an outline. At its upper left corner is what it is (held, with a
taint), at the right one a star if the pod gets it. Below a node are its devices in the order of the search, which
becomes a tree; there is what the search made of them. Keys: ``node/NAME`` and ``device/DRIVER/POOL/NAME``.
Heights are the same in every question, answer and step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab_devices.search import IN_USE, TAINTED
from kschedlab_lab.views.device_search import SMALL, branches, draw_tree, tree_room
from kschedlab_lab.views.device_sights import (
    FAILS,
    FREE,
    HELD,
    OFFERED,
    OPEN,
    PICKED,
    SELECTED,
    TAKES,
    TOLD,
    TRIED,
    NodeSight,
    Sight,
)
from kschedlab_lab.views.glyphs import Badge, badge, icon
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, placed, row, words, wrap
from kschedlab_lab.views.lettering import fitting
from kschedlab_lab.views.style import (
    ACT,
    CHOSEN,
    EVICTED,
    EVICTED_SOFT,
    HAIR,
    INK_2,
    INK_3,
    KINDS,
    LIFT,
    PANEL,
    TRAY,
    ink as ink_on,
)
from kschedlab_lab.views.svg import Room, rect, svg

COLOURS = (KINDS[4], KINDS[3], KINDS[7], KINDS[1], KINDS[2], KINDS[6])
"""Of kinds in the order of their names; none looks like a priority."""
GAP, PAD, SPACE, ABOVE = 8, 4, 3, 17
"""Pixels between nodes, inside a node, between devices, and above them for signs."""
MOST = 86
"""The greatest width of a device."""
TALL, LINE, NAME, SIGN = 35, 16, 17.6, 21
"""The height from which a device has room for two lines of text, that of one line and of the name below, and the width
of a sign."""
HIGH, LOWEST, HIGHEST, FLAT, WIRES = 88, 70, 240, 60, 24
"""The heights of the largest device, of the same with less space, with more, and with trees beside its node; and of the
wires below."""
NARROW, SIDE, BESIDE, WRITTEN = 128, 7, 380, 160
"""The least width of a node, what a halo needs at the sides, the width below which the trees are beside their nodes,
and how wide they are there."""


class Look(NamedTuple):
    """What a picture has besides devices.

    ``marks``: by ``driver/pool/device``, attributes that turn the device into a handle; ``ring``: the key of the one
    that is looked at; ``lines``: of the trees, for which room is kept, None for as many as there are, 0 for no trees;
    ``top``: what is above the nodes, for a width; ``into``: the device to which an arrow leads from there;
    ``least``: the size that is asked for, a line in each node; ``grip``: the control that moves it, by ``step``;
    ``wires``: whether the roots are shown.
    """

    marks: Mapping[str, Mapping[str, str]] = {}
    ring: str = ""
    lines: int | None = None
    top: Callable[[float], Part] = lambda width: NOTHING
    into: str = ""
    least: float = 0
    grip: str = ""
    step: float = 0
    wires: bool = True

    @property
    def below(self) -> float:
        """The height of what is below the devices' names, in pixels."""
        return WIRES if self.wires else 0


PLAIN = Look()


class Scale(NamedTuple):
    """How all devices of a picture are drawn. ``pixels``: the height of a unit; ``high``: that of the largest;
    ``handle``: the node whose line shows that it can be dragged."""

    kinds: Sequence[str]
    pixels: float
    look: Look
    high: float = HIGH
    handle: str = ""


def draw_sights(seen: Sequence[NodeSight], room: Room, look: Look = PLAIN) -> Html:
    """The picture, laid out for the room; one with room for trees, or with something above the nodes, fills it."""
    part = device_part(seen, room.width, look)
    if look.lines or look.top(room.width).height:
        part = device_part(seen, room.width, look, HIGH + room.height - part.height)
    return svg([moved(part, 0, 0)], room.width, part.height, spoken(seen))


def spoken(seen: Sequence[NodeSight]) -> str:
    """The picture in words: each node and its devices."""
    said = []
    for node in seen:
        verdict = say("the pod goes here") if node.chosen else node.reason or say("the claims fit")
        said += [say("{node}: {verdict}", node=node.node, verdict=verdict), *(each.sentence for each in node.devices)]
    return say("; ").join(said)


def device_part(seen: Sequence[NodeSight], room: float, look: Look, high: float = HIGH) -> Part:
    """The nodes in a picture that is so wide, with a halo's space. ``high``: the largest device, within limits."""
    width = room - 2 * SIDE
    lines = max(len(branches(each)) for each in seen) if look.lines is None else look.lines
    beside = bool(lines) and width < BESIDE
    across = 1 if beside else max(min(int((width + GAP) // (NARROW + GAP)), len(seen)), 1)
    wide = (width - GAP * (across - 1)) / across
    devices = [device for node in seen for device in node.devices]
    most = max((each.size for each in devices), default=0) or 1
    high = FLAT if beside else max(min(high, HIGHEST), LOWEST)
    scale = Scale(sorted({each.kind for each in devices}), high / most, look, high, seen[0].node if seen else "")
    nodes = [_node(each, wide, scale, tree_room(lines) if lines else 0) for each in seen]
    inside = column([look.top(width), wrap(nodes, width + 1, GAP, GAP)], GAP)
    return Part(room, inside.height + 11, (moved(inside, SIDE, 9),))


# -- nodes


def _node(node: NodeSight, wide: float, scale: Scale, trees: float) -> Part:
    """A node: its devices on a tray, its name with the sign of its verdict, and the tree of its search."""
    beside = trees and scale.high == FLAT
    across, wide = wide, wide - WRITTEN if beside else wide
    inside = _devices(node, wide - 2 * PAD, scale)
    high = ABOVE + scale.high + NAME + scale.look.below
    place = ((wide - inside.width) / 2, high - inside.height)
    tray = _tray(node, Part(wide, high + PAD, (moved(inside, *place),)))
    mark, colour = ("★ ", CHOSEN) if node.chosen else ("✕ ", INK_2) if node.reason else ("", "currentColor")
    name = words(mark + node.node, 14, bold=True, most=wide, fill=colour)
    if beside:
        tree = draw_tree(node, across - wide - GAP)
        return row([tray, column([name, Part(tree.width, trees, tree.shapes)], 2)], GAP)
    named = Part(wide, name.height, (placed(name, wide / 2, 0),))
    tree = Part(wide, trees, (moved(draw_tree(node, wide), 0, 0),)) if trees else NOTHING
    return column([tray, named, tree], 5)


def _tray(node: NodeSight, inside: Part) -> Part:
    """The ground of a node around what is in it, with the ring of the chosen one."""
    box: dict[str, Any] = {"width": inside.width, "height": inside.height, "rx": 11}
    edge: dict[str, Any] = (
        {"stroke": CHOSEN, "stroke_width": 2.5} if node.chosen else {"stroke": HAIR, "stroke_width": 1.0}
    )
    ground = element(
        "rect", **box, fill=EVICTED_SOFT if node.reason else TRAY, **edge, data_key=f"node/{node.node}/box"
    )
    look: dict[str, Any] = {"fill": "none", "stroke": CHOSEN, "stroke_opacity": 0.18, "stroke_width": 5}
    halo = rect(inside.width + 8, inside.height + 8, 14, -4, -4, **look) if node.chosen else None
    state = "chosen" if node.chosen else "refused" if node.reason else None
    marks = {"data_key": f"node/{node.node}", "data_state": state, "data_tip": node.reason or None}
    return Part(inside.width, inside.height, (element("g", halo, ground, **marks), *inside.shapes))


def _devices(node: NodeSight, wide: float, scale: Scale) -> Part:
    """The devices of a node, with the wires that join those on one root, and the line at the size that is asked for."""
    box = min((wide - SPACE * (len(node.devices) - 1)) / max(len(node.devices), 1), MOST)
    devices = row((_device(each, box, scale) for each in node.devices), SPACE, "end")
    drawn, grips = _asked(node, devices, scale)
    for root, wired in groupby(enumerate(node.devices), lambda each: each[1].root):
        places = [at * (box + SPACE) + box / 2 for at, _ in wired]
        drawn += _wire(node, root, places, devices.height, box) if root and scale.look.wires else []
    drawn += _led_to(node, box, devices.height, scale)
    clicked = [str(each.id) in scale.look.marks for each in node.devices]
    # the line is dragged across devices that nobody clicks
    below, above = (
        [each for each, on in zip(devices.shapes, clicked, strict=True) if on is top] for top in (False, True)
    )
    return Part(devices.width, devices.height + scale.look.below, (*drawn, *below, *grips, *above))


def _led_to(node: NodeSight, box: float, bottom: float, scale: Scale) -> Iterator[Html]:
    """The arrow from above the node to one of its devices, each of which is as wide as ``box``."""
    for place, device in enumerate(node.devices):
        if str(device.id) == scale.look.into:
            x, y = place * (box + SPACE) + box / 2, bottom - NAME - device.size * scale.pixels
            top = bottom - NAME - scale.high - ABOVE - GAP
            look: dict[str, Any] = {"stroke": CHOSEN, "stroke_width": 2}
            yield element("path", d=f"M{x:g} {top:g}V{y - 8:g}", **look)
            yield element("path", d=f"M{x:g} {y - 2:g}l-4.5 -8h9Z", fill=CHOSEN)


def _asked(node: NodeSight, devices: Part, scale: Scale) -> tuple[list[Html], list[Html]]:
    """A line at the size that is asked for, which is behind the devices, and what it is dragged by."""
    look = scale.look
    if not look.least and not look.grip:
        return [], []
    y = devices.height - NAME - look.least * scale.pixels
    line = f"M{-PAD} {y:g}H{devices.width + PAD:g}"
    dash: dict[str, Any] = {"stroke": ACT if look.grip else INK_3, "stroke_width": 1.5, "stroke_dasharray": "4 3"}
    drawn = [element("path", d=line, **dash, data_key=f"line/{node.node}")]
    if not look.grip:
        return drawn, []
    marks = {"data_drag": look.grip, "data_axis": "y", "data_step": f"{-look.step * scale.pixels:g}"}
    carets = f"M{-PAD - 0.5} {y - 1.5:g}l2.5 -2.5l2.5 2.5M{-PAD - 0.5} {y + 1.5:g}l2.5 2.5l2.5 -2.5"
    shapes = [element("path", d=line, stroke="transparent", stroke_width=24)]
    handle = (
        element("circle", cx=2 - PAD, cy=y, r=12, fill="transparent"),
        element("circle", cx=2 - PAD, cy=y, r=7.5, fill=ACT),
        element("path", d=carets, fill="none", stroke=PANEL, stroke_width=1.6),
    )
    shapes += handle if node.node == scale.handle else ()
    return drawn, [element("g", *shapes, data_key=f"least/{node.node}", **marks)]


def _wire(node: NodeSight, root: str, places: Sequence[float], top: float, box: float) -> Iterator[Html]:
    """The wires of the devices at these places to their root."""
    stems = "".join(f"M{x:g} {top + 2:g}v7" for x in places)
    look: dict[str, Any] = {"fill": "none", "stroke": INK_3, "stroke_width": 2, "stroke_linecap": "round"}
    path = f"{stems}M{places[0]:g} {top + 9:g}H{places[-1]:g}"
    yield element("path", d=path, **look, data_key=f"wire/{node.node}/{root}")
    text = words(fitting((say("root {name}", name=root), root), places[-1] - places[0] + box + SPACE), fill=INK_2)
    yield placed(text, (places[0] + places[-1]) / 2, top + 9)


# -- devices


def _device(device: Sight, wide: float, scale: Scale) -> Part:
    """A device: a box whose height is how much it has, with its kind and amount in it and signs at its upper corners,
    its name below."""
    high = max(device.size * scale.pixels if device.size else scale.high / 2, LINE)
    fill = COLOURS[scale.kinds.index(device.kind) % len(COLOURS)]
    goes, shown = device.state in (TAKES, OFFERED, SELECTED), device.key == scale.look.ring
    hollow = device.state == FREE
    inside, ink = high >= TALL, INK_2 if hollow else ink_on(fill)
    kind = words(device.kind, bold=True, most=wide + 2, fill=ink if inside or hollow else None)
    text = words(device.amount, most=wide + 2, fill=ink)
    facts = column([kind, text], 0, "middle") if inside else text
    box = element(
        "rect",
        width=wide,
        height=high,
        rx=min(9.0, high / 3),
        fill=fill,
        **_edge(device, fill),
        data_key=f"{device.key}/box",
    )
    drawn = [box, placed(facts, wide / 2, (high - facts.height) / 2)]
    drawn += [] if inside else [placed(kind, wide / 2, -LINE)]
    shapes = [element("g", *drawn, opacity=None if goes or device.state in (PICKED, OPEN, FREE) else 0.5)]
    beside = not inside and wide - kind.width >= 2 * SIGN  # the sign and the kind are beside each other
    y = -11 if beside or high >= TALL + 18 else -17 if inside else -17 - LINE
    if sign := _sign(device):
        shapes.append(element("g", sign, transform=f"translate(1,{y:g})"))
    if device.state == TAKES:
        shapes.append(badge(Badge("chosen", later("goes to the pod")), max(wide - 17, SIGN if sign else 0), y))
    if shown:
        shapes.append(element("rect", x=-1, y=high + 2, width=wide + 2, height=LINE, rx=LINE / 2, data_key="ring"))
    colour = PANEL if shown else CHOSEN if goes else None
    name = words(device.id.device, SMALL, most=wide + SPACE, fill=colour)
    shapes.append(placed(name, wide / 2, high + 2))
    marks = scale.look.marks.get(str(device.id), {})
    keyed = element("g", *shapes, data_key=device.key, data_state=device.state, data_tip=_tip(device), **marks)
    return Part(wide, high + NAME, (keyed,))


def _edge(device: Sight, fill: str) -> dict[str, Any]:
    """The line around a device: what it is good for, or that it would do but for one thing; one that nobody tried is a
    line alone."""
    if device.state == FREE:
        return {"fill_opacity": 0.1, "stroke": fill, "stroke_width": 1.5}
    if device.state in (TAKES, OFFERED, SELECTED, PICKED):
        look: dict[str, Any] = {"stroke": "currentColor" if device.state == PICKED else CHOSEN, "stroke_width": 2.5}
    elif TOLD[device.state].sign:
        look = {"stroke": INK_3 if device.state == HELD else EVICTED, "stroke_width": 1.5}
    else:
        return {}
    return look | ({"stroke_dasharray": "5 4"} if device.state in (OFFERED, TRIED) else {})


def _sign(device: Sight) -> Html | None:
    """What the device is, whatever the pod asks: held, or with a taint; for a selector, an error."""
    name = TOLD[device.state].sign if device.state in (HELD, IN_USE, FAILS) else "taint" if device.taints else ""
    stroke = EVICTED if device.state in (TAINTED, FAILS) else INK_2
    disc = element("circle", cx=8, cy=8, r=SIGN / 2, fill=LIFT, stroke=stroke, stroke_width=1.2)
    return element("g", disc, icon(name, 0, 0, stroke)) if name else None


def _tip(device: Sight) -> str:
    """All that is known of the device."""
    said = say("{sentence} ({facts})", sentence=device.sentence, facts=listed(device.facts))
    proof = device.reason.proof
    return say("{sentence}. {proof}", sentence=said, proof=proof) if proof else said
