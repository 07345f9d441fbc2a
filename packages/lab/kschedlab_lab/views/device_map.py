"""Devices drawn inside their nodes: which ones a pod gets, and what is in the way of the others.

A device's colour says its kind, its height how much it has, and wires join those with the same root. A pale one does
not go to the pod. Below a node are its devices in the order of the search, which becomes a tree.
Keys: ``node/NAME`` and ``device/DRIVER/POOL/NAME``.
The heights depend on the width alone, so that no question, answer or step changes their scale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab_devices.search import NOT_SELECTED
from kschedlab_lab.views.device_sights import (
    BRIEF,
    HELD,
    OFFERED,
    OPEN,
    PICKED,
    SELECTED,
    SIGNS,
    TAKES,
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
from kschedlab_lab.views.layout import Part, column, moved, placed, row, words
from kschedlab_lab.views.lettering import fitted, fitting, flowed
from kschedlab_lab.views.style import (
    CHOSEN,
    EVICTED,
    EVICTED_SOFT,
    HAIR,
    INK_2,
    INK_3,
    KINDS,
    LIFT,
    TRAY,
    ink as ink_on,
)
from kschedlab_lab.views.svg import Room, svg

COLOURS = (KINDS[4], KINDS[3], KINDS[7], KINDS[1], KINDS[2], KINDS[6])
"""Of kinds in the order of their names; none looks like a priority."""
GAP, PAD, SPACE = 14, 10, 8
"""Pixels between nodes, inside a node, and between devices."""
LEAST, MOST = 40, 86
"""The least and the greatest width of a device."""
TALL, FLAT, HIGHEST, LOW = 35, 0.155, 116, 56
"""The height from which a device has room for its text; that of the largest one for the width of the picture, its
limit, and where nodes are below one another."""
RING, SIGN, ABOVE = 5, 21, 12
"""The space between a device and the ring around it, the width of a sign, and what one at its upper edge needs."""
NARROW, NAMES, SIDE = 158, 92, 7
"""The least width of a node beside others; else the width of its name, at its left. What a halo needs at the sides."""
Marks: TypeAlias = Mapping[str, Mapping[str, str]]
"""By ``driver/pool/device``: attributes that turn the device into a handle. ``faint``: the sign that a click brings."""


class Scale(NamedTuple):
    """How all devices of a picture are drawn. ``unit``: the amount of the largest; ``high``: its height in pixels;
    ``ring``: the key of the device with a ring."""

    kinds: Sequence[str]
    unit: float
    high: float
    marks: Marks
    ring: str


def draw_devices(decision: Decision, room: Room, asked: bool = True, lines: int = 0) -> Html:
    """The picture, laid out for the room's width. ``asked``: whether the pod has asked for devices yet; ``lines``: as
    below."""
    seen = sights(decision)
    if asked:
        return draw_sights(seen, room, lines=lines)
    return draw_sights([unasked(node) for node in seen], room, whole=seen, lines=lines)


def draw_sights(
    seen: Sequence[NodeSight],
    room: Room,
    marks: Marks | None = None,
    whole: Sequence[NodeSight] | None = None,
    searched: int | None = None,
    lines: int | None = 0,
) -> Html:
    """The same for nodes and devices as they are seen. ``marks``: devices that are handles.

    ``whole``: the end of a story, for which room is kept; ``searched``: the node whose search goes on; ``lines``: the
    lines of a tree for which room is kept at least, None for no trees.
    """
    part = device_part(seen, room.width, marks or {}, whole or seen, searched, lines)
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
    marks: Marks,
    whole: Sequence[NodeSight],
    searched: int | None = None,
    lines: int | None = None,
    ring: str = "",
) -> Part:
    """The nodes in a picture that is so wide. ``lines``: as above; ``ring``: the key of the device
    with a ring."""
    width = room - 2 * SIDE
    if width < NARROW * min(len(seen), 3):
        return _below(seen, width, _scale(seen, LOW, marks, ring), searched)
    trees = 0.0 if lines is None else max(tree_room(lines), *(tree_height(node) for node in (*seen, *whole)))
    columns = max(min(int((width + GAP) // (NARROW + GAP)), len(seen)), 1)
    wide = (width - GAP * (columns - 1)) / columns
    scale = _scale(seen, min(FLAT * room, HIGHEST), marks, ring)
    insides = [_devices(node, wide - 2 * PAD, scale) for node in seen]
    high = max((each.height for each in insides), default=0)
    heads = max((_title(node, wide).height for node in (*seen, *whole)), default=0)
    parts = [_beside(node, each, wide, high, heads, trees) for node, each in zip(seen, insides, strict=True)]
    rows = [row(parts[at : at + columns], GAP, "start") for at in range(0, len(parts), columns)]
    return column(rows, GAP)


def _below(seen: Sequence[NodeSight], width: float, scale: Scale, searched: int | None) -> Part:
    """The nodes below one another; while one is searched, only this one and the tree of its search."""
    one = seen if searched is None else [seen[searched]]
    lines = [_across(node, width, scale) for node in one]
    if searched is not None:
        lines.append(draw_tree(one[0], width, _colour(one[0])))
    return column(lines, 6)


def unasked(node: NodeSight) -> NodeSight:
    """The node before the pod asks: only what other claims hold, and the taints, are known."""
    states = [held_by(each.reason.why) if each.state == HELD else Reason(OPEN) for each in node.devices]
    devices = [each._replace(reason=reason) for each, reason in zip(node.devices, states, strict=True)]
    return NodeSight(node.node, "", False, tuple(devices))


def _scale(seen: Sequence[NodeSight], high: float, marks: Marks, ring: str) -> Scale:
    devices = [device for node in seen for device in node.devices]
    most = max((each.size for each in devices), default=0) or 1
    return Scale(sorted({each.kind for each in devices}), most, high, marks, ring)


# -- nodes


def _beside(node: NodeSight, inside: Part, wide: float, high: float, heads: float, trees: float) -> Part:
    """A node beside others, as high as these: its devices, its name, what it can give, and the tree of its search.

    ``heads``: the height that the names need, ``trees``: that of the trees.
    """
    place = ((wide - inside.width) / 2, PAD + high - inside.height)
    tray = _tray(node, Part(wide, high + 2 * PAD, (moved(inside, *place),)))
    named = Part(wide, heads, (placed(_title(node, wide), wide / 2, 0),))
    tree = draw_tree(node, wide, _colour(node))
    return column([tray, named, Part(wide, trees, (moved(tree, 0, 4),)) if trees else Part(0, 0)], 6)


def _across(node: NodeSight, wide: float, scale: Scale) -> Part:
    """A node across the whole width: its name is beside its devices, with what it gives or what is in the way."""
    inside = _devices(node, wide - NAMES - 2 * PAD, scale)
    said = _said(node)
    lines = [words(line, fill=INK_2) for line in (flowed(said, NAMES - PAD) if said else ())]
    title = column([_title(node, NAMES - PAD), *lines], 2)
    high = max(inside.height, title.height) + ABOVE + PAD / 2
    shapes = (moved(title, PAD, (high - title.height) / 2), moved(inside, NAMES + PAD, high - PAD / 2 - inside.height))
    return _tray(node, Part(wide, high, shapes))


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


def _said(node: NodeSight) -> str:
    """What the node gives, or could give; else what is in the way of its devices."""
    given = [each.id.device for each in node.devices if each.state in (TAKES, OFFERED)]
    if given:
        message = later("gives {devices}") if node.chosen else later("could give {devices}")
        return say(message, devices=say(" and ").join(given))
    counted = Counter(BRIEF[each.state] for each in node.devices if each.state in BRIEF)
    return listed(say("{number} {what}", number=number, what=say(what)) for what, number in counted.items())


def _devices(node: NodeSight, wide: float, scale: Scale) -> Part:
    """The devices of a node in rows, with the wires that join those on one root."""
    many = max(min(int((wide + SPACE) // (LEAST + SPACE)), len(node.devices)), 1)
    box = min((wide - SPACE * (many - 1)) / many, MOST)
    lines = [node.devices[at : at + many] for at in range(0, len(node.devices), many)]
    return column([_wired(node, line, box, scale) for line in lines], 8)


def _wired(node: NodeSight, line: Sequence[Sight], box: float, scale: Scale) -> Part:
    devices = row((_device(each, box, scale) for each in line), SPACE, "end")
    spans: dict[str, list[int]] = {}
    for at, each in enumerate(line):
        if each.wire:
            spans.setdefault(each.wire, []).append(at)
    levels = dict[str, int]()
    drawn = list[Html]()
    for wire, span in sorted(spans.items(), key=lambda each: (each[1][-1] - each[1][0], each)):  # short ones inside
        inside = [levels[name] for name in levels if spans[name][0] <= span[-1] and spans[name][-1] >= span[0]]
        levels[wire] = max(inside, default=-1) + 1
        places = [at * (box + SPACE) + box / 2 for at in span]
        drawn += _wire(node, wire, places, devices.height + 4, levels[wire] * 20, box)
    deep = 4 + 20 * (max(levels.values()) + 1) if levels else 0
    return Part(devices.width, devices.height + deep, (*drawn, *devices.shapes))


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
    """A device: a box whose height is how much it has, with its kind and amount in it and signs at its upper edge, its
    name below. Where the box is low, the text is above it and the signs in it."""
    high = device.size / scale.unit * scale.high if device.size else scale.high / 2
    place = scale.kinds.index(device.kind) if device.kind in scale.kinds else 0
    fill, taken = COLOURS[place % len(COLOURS)], device.state in (TAKES, PICKED, OFFERED, SELECTED)
    edge = _edge(device)
    look: dict[str, Any] = {"stroke": edge, "stroke_width": 2.5 if taken else 1.5} if edge else {}
    if device.state in (OFFERED, TRIED):
        look["stroke_dasharray"] = "5 4"
    lines = [each for each in (device.kind, device.amount) if each]
    inside = high >= TALL
    ink = ink_on(fill) if inside else "currentColor"
    text = column(
        (words(fitted(each, wide - 2, bold=not at), bold=not at, fill=ink) for at, each in enumerate(lines)),
        0,
        "middle",
    )
    top = 0.0 if inside else text.height + 2 + max(0, SIGN - high)
    box = element(
        "rect", y=top, width=wide, height=high, rx=min(9.0, high / 3), fill=fill, **look, data_key=f"{device.key}/box"
    )
    pale = not taken and device.state != OPEN
    facts = placed(text, wide / 2, (high - text.height) / 2 if inside else 0)
    shapes = [element("g", box, facts, opacity=0.5 if pale else None)]
    marks = {**scale.marks.get(str(device.id), {})}
    signs = _signs(device, marks.pop("faint", ""))
    if inside:
        left, upper = wide - 20, -11.0 if high >= text.height + 2 * 9 else -16.0
    else:
        left, upper = wide / 2 - 20 + 12 * len(signs), top + min(high / 2, high - SIGN / 2 + 1) - 8
    shapes += [
        element("g", each, transform=f"translate({left - 24 * at:g},{upper:g})") for at, each in enumerate(signs)
    ]
    below = [words(fitted(device.id.device, wide + SPACE, bold=taken), bold=taken)]
    below += [words(fitting((fact, fact.partition(" ")[2]), wide + SPACE), fill=INK_2) for fact in device.about]
    names = column(below, 0, "middle")
    shapes.append(placed(names, wide / 2, top + high + 1))
    part = Part(wide, top + high + 1 + names.height, tuple(shapes))
    if device.key == scale.ring:
        part = Part(part.width, part.height, (_ringed(part), *part.shapes))
    return _keyed(part, device.key, data_state=device.state, data_tip=_tip(device), **marks)


def _ringed(part: Part) -> Html:
    """A ring around a device and its name: the one that is looked at."""
    return element(
        "rect",
        x=-RING,
        y=-RING,
        width=part.width + 2 * RING,
        height=part.height + RING + 1,
        rx=11,
        fill="none",
        stroke="currentColor",
        stroke_width=1.8,
        data_key="ring",
    )


def _sign(name: str, stroke: str, opacity: float | None = None) -> Html:
    disc = element("circle", cx=8, cy=8, r=SIGN / 2, fill=LIFT, stroke=stroke, stroke_width=1.2)
    return element("g", disc, icon(name, 0, 0, stroke), opacity=opacity)


def _edge(device: Sight) -> str | None:
    """The colour around a device: what it is good for, or that it would do but for what its sign says."""
    if device.state in (TAKES, OFFERED, SELECTED):
        return CHOSEN
    if device.state == PICKED:
        return "currentColor"
    if device.state == HELD:
        return INK_3
    return EVICTED if device.state in BRIEF and device.state != NOT_SELECTED else None


def _signs(device: Sight, faint: str) -> list[Html]:
    """What is to be said of the device beside its name: what decides, a taint in any state, and what a click brings."""
    signs = [badge(Badge("chosen", later("goes to the pod")), 0, 0)] if device.state == TAKES else []
    sign = SIGNS.get(device.state)
    if sign:
        signs.append(_sign(sign, EVICTED if _edge(device) == EVICTED else INK_2))
    if device.taints and sign != "taint":
        signs.append(_sign("taint", INK_2))
    return [*signs, _sign(faint, INK_2, 0.6)] if faint else signs


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
