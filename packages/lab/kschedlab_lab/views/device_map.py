"""Devices drawn inside their nodes: which ones a pod gets, and what is in the way of the others.

A device's colour says its kind, its height how much it has, and wires join those with the same root. A pale one is
refused. At its upper left corner is what it is (held, with a taint), at the right one what the search made of it. Below
a node are its devices in the order of the search, which becomes a tree. Keys: ``node/NAME`` and
``device/DRIVER/POOL/NAME``.
The heights depend on the width alone, so that no question, answer or step changes their scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab_devices.search import IN_USE, NOT_SELECTED, TAINTED
from kschedlab_lab.views.device_sights import (
    FREE,
    HELD,
    OFFERED,
    OPEN,
    PICKED,
    SELECTED,
    SPARED,
    TAKES,
    TOLD,
    TRIED,
    NodeSight,
    Reason,
    Sight,
    held_by,
    sights,
)
from kschedlab_lab.views.device_tree import draw_tree, tree_height, tree_room
from kschedlab_lab.views.glyphs import Badge, badge
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, placed, row, words
from kschedlab_lab.views.lettering import fitted, fitting
from kschedlab_lab.views.style import (
    ACT,
    ACT_SOFT,
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
from kschedlab_lab.views.svg import Room, svg

COLOURS = (KINDS[4], KINDS[3], KINDS[7], KINDS[1], KINDS[2], KINDS[6])
"""Of kinds in the order of their names; none looks like a priority."""
GAP, PAD, SPACE, ABOVE = 10, 7, 6, 17
"""Pixels between nodes, inside a node, between devices, and above them for signs."""
LEAST, MOST = 34, 86
"""The least and the greatest width of a device."""
TALL, LINE, NAME, SIGN = 35, 16, 17.6, 21
"""The height from which a device has room for two lines of text, that of one line and of the name below, and the width
of a sign."""
FLAT, LOWEST, HIGHEST = 0.205, 80, 112
"""The height of the largest device for the width of the picture, and its limits."""
AT_LEFT, FAINT = ("", "lock", "taint"), 0.6
"""Signs of what a device is, and how much is seen of one that does not count now."""
NARROW, SIDE = 128, 7
"""The least width of a node, and what a halo needs at the sides."""
Marks: TypeAlias = Mapping[str, Mapping[str, str]]
"""By ``driver/pool/device``: attributes that turn the device into a handle. ``faint``: the sign that a click brings."""


class Look(NamedTuple):
    """What a picture has besides devices.

    ``marks``: those that are handles; ``ring``: the key of the one that is looked at; ``lines``: of a tree, for which
    room is kept at least, None for no trees; ``top``: what is above the nodes, for a width; ``least``: the size that
    is asked for, a line in each node; ``grip``: the control that moves it, by ``step``; ``high``: the limit of heights.
    """

    marks: Marks = {}
    ring: str = ""
    lines: int | None = 0
    top: Callable[[float], Part] = lambda width: NOTHING
    least: float = 0
    grip: str = ""
    step: float = 0
    high: float = HIGHEST


PLAIN = Look()


class Scale(NamedTuple):
    """How all devices of a picture are drawn. ``unit``: the amount of the largest; ``high``: its height in pixels;
    ``deep``: that of the wires below them."""

    kinds: Sequence[str]
    unit: float
    high: float
    deep: float
    look: Look


def draw_devices(decision: Decision, room: Room) -> Html:
    """The picture of a decision, laid out for the room's width."""
    return draw_sights(sights(decision), room)


def draw_sights(
    seen: Sequence[NodeSight],
    room: Room,
    look: Look = PLAIN,
    whole: Sequence[NodeSight] = (),
) -> Html:
    """The same for nodes and devices as they are seen. ``whole``: the end of a story, for which room is kept."""
    part = device_part(seen, room.width, look, whole)
    return svg([part_at_top(part)], room.width, part.height + 11, spoken(seen))


def part_at_top(part: Part) -> Html:
    """The part at its place in a picture, with the space for a halo."""
    return moved(part, SIDE, 9)


def spoken(seen: Sequence[NodeSight]) -> str:
    """The picture in words, in one line."""
    return say("; ").join(line.strip() for line in devices_text(seen).splitlines())


def device_part(
    seen: Sequence[NodeSight],
    room: float,
    look: Look,
    whole: Sequence[NodeSight] = (),
) -> Part:
    """The nodes in a picture that is so wide."""
    width = room - 2 * SIDE
    known = (*seen, *whole)
    trees = 0.0 if look.lines is None else max(tree_room(look.lines), *map(tree_height, known))
    columns = max(min(int((width + GAP) // (NARROW + GAP)), len(seen)), 1)
    wide = (width - GAP * (columns - 1)) / columns
    scale = _scale(seen, min(max(FLAT * room, LOWEST), look.high), look)
    insides = [_devices(node, wide - 2 * PAD, scale) for node in seen]
    high = max((each.height for each in insides), default=0)
    parts = [_beside(node, each, wide, high, trees) for node, each in zip(seen, insides, strict=True)]
    rows = [row(parts[at : at + columns], GAP, "start") for at in range(0, len(parts), columns)]
    return column([look.top(width), *rows], GAP)


def unasked(node: NodeSight) -> NodeSight:
    """The node before the pod asks: only what other claims hold, and the taints, are known."""
    states = [held_by(each.reason.why) if each.state == HELD else Reason(OPEN) for each in node.devices]
    devices = [each._replace(reason=reason) for each, reason in zip(node.devices, states, strict=True)]
    return NodeSight(node.node, "", False, tuple(devices))


def _scale(seen: Sequence[NodeSight], high: float, look: Look) -> Scale:
    devices = [device for node in seen for device in node.devices]
    most = max((each.size for each in devices), default=0) or 1
    deepest = max((level for node in seen for level, _ in _wires(node.devices).values()), default=-1)
    return Scale(sorted({each.kind for each in devices}), most, high, 4 + 20 * (deepest + 1), look)


# -- nodes


def _beside(node: NodeSight, inside: Part, wide: float, high: float, trees: float) -> Part:
    """A node beside others, as high as these: its devices, its name, and the tree of its search in so much room."""
    place = ((wide - inside.width) / 2, ABOVE + high - inside.height)
    tray = _tray(node, Part(wide, ABOVE + high + PAD, (moved(inside, *place),)))
    name = _title(node, wide)
    named = Part(wide, name.height, (placed(name, wide / 2, 0),))
    tree = draw_tree(node, wide + SIDE, _colour(node))
    return column([tray, named, Part(wide, trees, (moved(tree, 0, 0),)) if trees else NOTHING], 5)


def _tray(node: NodeSight, inside: Part) -> Part:
    """The ground of a node around what is in it, with the ring of the chosen one."""
    box = {"width": inside.width, "height": inside.height, "rx": 11}
    halo = {"x": -4, "y": -4, "width": inside.width + 8, "height": inside.height + 8, "rx": 14}
    fill, look = EVICTED_SOFT if node.reason else TRAY, {"stroke": HAIR, "stroke_width": 1.0}
    drawn = [element("rect", **box, fill=fill, **_ring(node.chosen, look), data_key=f"node/{node.node}/box")]
    if node.chosen:
        drawn.insert(0, element("rect", **halo, fill="none", stroke=CHOSEN, stroke_opacity=0.18, stroke_width=5))
    state = "chosen" if node.chosen else "refused" if node.reason else ""
    marks = {"data_key": f"node/{node.node}", "data_state": state or None, "data_tip": node.reason or None}
    return Part(inside.width, inside.height, (element("g", *drawn, **marks), *inside.shapes))


def _ring(on: bool, look: Mapping[str, Any]) -> dict[str, Any]:
    return {"stroke": CHOSEN, "stroke_width": 2.5} if on else {**look}


def _title(node: NodeSight, wide: float) -> Part:
    """The name of a node, with the sign of its verdict."""
    colour = CHOSEN if node.chosen else INK_2 if node.reason else "currentColor"
    mark = "★ " if node.chosen else "✕ " if node.reason else ""
    return words(fitted(mark + node.node, wide, 14, True), 14, bold=True, fill=colour)


def _colour(node: NodeSight) -> str:
    """The colour of what was taken: green once the search has ended, as in the node."""
    return "currentColor" if any(each.state == PICKED for each in node.devices) else CHOSEN


def _devices(node: NodeSight, wide: float, scale: Scale) -> Part:
    """The devices of a node in rows, with the wires that join those on one root."""
    many = max(min(int((wide + SPACE) // (LEAST + SPACE)), len(node.devices)), 1)
    box = min((wide - SPACE * (many - 1)) / many, MOST)
    lines = [node.devices[at : at + many] for at in range(0, len(node.devices), many)]
    return column([_wired(node, line, box, scale) for line in lines], 8)


def _wired(node: NodeSight, line: Sequence[Sight], box: float, scale: Scale) -> Part:
    devices = row((_device(each, box, scale) for each in line), SPACE, "end")
    drawn = [*_asked(node, devices, scale)]
    for wire, (level, span) in _wires(line).items():
        places = [at * (box + SPACE) + box / 2 for at in span]
        drawn += _wire(node, wire, places, devices.height + 4, level * 20, box)
    return Part(devices.width, devices.height + scale.deep, (*drawn, *devices.shapes))


def _asked(node: NodeSight, devices: Part, scale: Scale) -> Iterator[Html]:
    """Behind the devices, a line at the size that is asked for, and its grip."""
    look, pixels = scale.look, scale.high / scale.unit
    if not look.least and not look.grip:
        return
    y = devices.height - NAME - look.least * pixels
    line = f"M{-PAD} {y:g}H{devices.width + PAD:g}"
    shapes = [element("path", d=line, stroke=INK_3, stroke_dasharray="2 3")]
    marks: dict[str, Any] = {}
    if look.grip:
        marks = {"data_drag": look.grip, "data_axis": "y", "data_step": f"{-look.step * pixels:g}"}
        carets = f"M{-PAD - 2.5} {y - 1.5:g}l2.5 -2.5l2.5 2.5M{-PAD - 2.5} {y + 1.5:g}l2.5 2.5l2.5 -2.5"
        shapes += [
            element("path", d=line, stroke="transparent", stroke_width=14),
            element("circle", cx=-PAD, cy=y, r=12, fill="transparent"),
            element("circle", cx=-PAD, cy=y, r=6.5, fill=ACT_SOFT, stroke=ACT),
            element("path", d=carets, fill="none", stroke=ACT, stroke_width=1.3),
        ]
    yield element("g", *shapes, data_key=f"least/{node.node}", **marks)


def _wires(line: Sequence[Sight]) -> dict[str, tuple[int, list[int]]]:
    """By wire, short ones first: how deep it lies, so that none crosses another, and the places that it joins."""
    spans: dict[str, list[int]] = {}
    for at, each in enumerate(line):
        if each.wire:
            spans.setdefault(each.wire, []).append(at)
    laid = dict[str, tuple[int, list[int]]]()
    for wire, span in sorted(spans.items(), key=lambda each: (each[1][-1] - each[1][0], each)):
        crossed = [level for level, other in laid.values() if other[0] <= span[-1] and other[-1] >= span[0]]
        laid[wire] = (max(crossed, default=-1) + 1, span)
    return laid


def _wire(node: NodeSight, wire: str, places: Sequence[float], top: float, deep: float, box: float) -> Iterator[Html]:
    """The wires of the devices at these places to their root."""
    bus = top + deep + 5
    stems = "".join(f"M{x:g} {top - 2:g}V{bus:g}" for x in places)
    yield element(
        "path",
        d=f"{stems}M{places[0]:g} {bus:g}H{places[-1]:g}",
        fill="none",
        stroke=INK_3,
        stroke_width=2,
        stroke_linecap="round",
        data_key=f"wire/{node.node}/{wire}",
    )
    root = wire.rpartition(" ")[2]
    text = words(fitting((say("root {name}", name=root), root), places[-1] - places[0] + box + SPACE), fill=INK_2)
    yield placed(text, (places[0] + places[-1]) / 2, bus)


# -- devices


def _device(device: Sight, wide: float, scale: Scale) -> Part:
    """A device: a box whose height is how much it has, with its kind and amount in it and signs at its upper corners,
    its name below."""
    high = max(device.size / scale.unit * scale.high if device.size else scale.high / 2, LINE)
    place = scale.kinds.index(device.kind) if device.kind in scale.kinds else 0
    fill, taken = COLOURS[place % len(COLOURS)], device.state in (TAKES, PICKED, OFFERED, SELECTED)
    edge = _edge(device)
    look: dict[str, Any] = {"stroke": edge, "stroke_width": 2.5 if taken else 1.5} if edge else {}
    if device.state in (OFFERED, TRIED):
        look["stroke_dasharray"] = "5 4"
    ink = ink_on(fill)
    inside = high >= TALL
    kind = words(fitted(device.kind, wide + 2, bold=True), bold=True, fill=ink if inside else None)
    text = words(fitted(device.amount, wide + 2), fill=ink)
    if inside:
        text = column([kind, text][not device.kind :], 0, "middle")
    box = element(
        "rect", width=wide, height=high, rx=min(9.0, high / 3), fill=fill, **look, data_key=f"{device.key}/box"
    )
    facts = placed(text, wide / 2, (high - text.height) / 2)
    above = () if inside else (placed(kind, wide / 2, -LINE),)
    shapes = [element("g", box, facts, *above, opacity=None if taken or device.state in (OPEN, FREE) else 0.5)]
    marks = {**scale.look.marks.get(str(device.id), {})}
    y = -17 - LINE if above else -11 if high >= text.height + 2 * 9 else -17
    for x, sign in zip((1, wide - 17), _signs(device, marks.pop("faint", "")), strict=True):
        shapes += [element("g", sign, transform=f"translate({x:g},{y:g})")] if sign else []
    shown = device.key == scale.look.ring
    name = words(fitted(device.id.device, wide + SPACE, bold=taken), bold=taken, fill=PANEL if shown else None)
    if shown:
        shapes.append(element("rect", x=-1, y=high + 2, width=wide + 2, height=LINE, rx=LINE / 2, data_key="ring"))
    shapes.append(placed(name, wide / 2, high + 2))
    part = Part(wide, high + NAME, tuple(shapes))
    return _keyed(part, device.key, data_state=device.state, data_tip=_tip(device), **marks)


def _sign(name: str, stroke: str, opacity: float | None = None) -> Html:
    disc = element("circle", cx=8, cy=8, r=SIGN / 2, fill=LIFT, stroke=stroke, stroke_width=1.2, stroke_opacity=opacity)
    return element("g", disc, element("g", icon(name, 0, 0, stroke), opacity=opacity))


def _edge(device: Sight) -> str | None:
    """The colour around a device: what it is good for, or that it would do but for what its sign says."""
    if device.state in (TAKES, OFFERED, SELECTED):
        return CHOSEN
    if device.state == PICKED:
        return "currentColor"
    if device.state == HELD:
        return INK_3
    return EVICTED if TOLD[device.state].brief and device.state != NOT_SELECTED else None


def _signs(device: Sight, faint: str) -> tuple[Html | None, Html | None]:
    """At the left what the device is in any state, or what a click makes of it; at the right what became of it."""
    ink = EVICTED if _edge(device) == EVICTED else INK_2
    if device.state == TAKES:
        right: Html | None = badge(Badge("chosen", later("goes to the pod")), 0, 0)
    else:
        sign = TOLD[device.state].sign
        right = _sign(sign, ink, FAINT if device.state == SPARED else None) if sign not in AT_LEFT else None
    if device.state in (HELD, IN_USE):
        return _sign("lock", ink), right
    if device.taints:
        return _sign("taint", ink if device.state == TAINTED else INK_2), right
    return (_sign(faint, INK_2, FAINT) if faint else None), right


def _tip(device: Sight) -> str:
    """All that is known of the device."""
    facts = device.facts
    if device.state == OPEN and device.taints:
        facts = (*facts, say("taint: {taints}", taints=device.taints))
    said = say("{sentence} ({facts})", sentence=device.sentence, facts=listed(facts)) if facts else device.sentence
    proof = device.reason.proof if device.reason.plain else ""
    return say("{sentence}. {proof}", sentence=said, proof=proof) if proof else said


def _keyed(part: Part, key: str, **marks: Any) -> Part:
    return Part(part.width, part.height, (element("g", *part.shapes, data_key=key, **marks),))


def devices_text(seen: Sequence[NodeSight]) -> str:
    """The picture in words: a line for each node and each of its devices."""
    lines = []
    for node in seen:
        verdict = say("the pod goes here") if node.chosen else node.reason or say("the claims fit")
        lines.append(say("{node}: {verdict}", node=node.node, verdict=verdict))
        lines += [f"  {device.sentence}" for device in node.devices]
    return "\n".join(lines)
