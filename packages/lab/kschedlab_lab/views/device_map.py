"""Devices drawn inside their nodes: which ones a pod gets, and what is in the way of the others.

A device that several nodes see stands once, below the nodes. Keys: ``node/NAME`` and ``device/DRIVER/POOL/NAME``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab_devices.counters import APART, NO_COUNTERS
from kschedlab_devices.search import IN_USE, NO_CAPACITY, NOT_SELECTED, TAINTED, UNLIKE
from kschedlab_lab.views.device_sights import FREE, HELD, OFFERED, OPEN, PICKED, TAKES, TRIED, NodeSight, Sight, sights
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.style import CHOSEN, CHOSEN_SOFT, EVICTED, EVICTED_SOFT, HAIR, PANEL, TRAY
from kschedlab_lab.views.svg import Room, label, svg

SIGNS = {
    HELD: "lock",
    IN_USE: "lock",
    TRIED: "reprieved",
    NOT_SELECTED: "label",
    NO_CAPACITY: "full",
    APART: "pods",
    NO_COUNTERS: "full",
    TAINTED: "taint",
    UNLIKE: "pods",
}
"""A sign for what is in the way."""
MEANINGS = {
    "lock": later("held or in use"),
    "reprieved": later("given back"),
    "label": later("not selected"),
    "full": later("too little is left"),
    "taint": later("tainted"),
    "pods": later("breaks the constraint"),
}
"""What a sign says below the picture."""
REFUSED = (NOT_SELECTED, NO_CAPACITY, APART, NO_COUNTERS, TAINTED, UNLIKE, IN_USE)

GAP, PAD = 10, 8
CARD, BOX, LINE, HEAD = 170, 68, 15, 40
SHARED = later("devices that several nodes can use")
Marks: TypeAlias = Mapping[str, Mapping[str, str]]
"""By ``driver/pool/device``: attributes that turn the device into a handle."""


class Card(NamedTuple):
    """A frame with devices: a node, or those that nodes share. ``said``: the second line of a node.

    ``columns``: how many devices stand in a row; ``deep``: the height of one; ``bare``: whether facts are values alone.
    """

    name: str
    said: str
    reason: str
    chosen: bool
    devices: Sequence[Sight]
    wide: float
    columns: int
    deep: float
    bare: bool

    @property
    def head(self) -> int:
        """The height of its title; a node has a second line."""
        return HEAD if self.name else HEAD - LINE

    @property
    def tall(self) -> float:
        """Its height in pixels."""
        return self.head + max(-(-len(self.devices) // self.columns), 1) * (self.deep + 6) + PAD - 6

    @property
    def box(self) -> float:
        return (self.wide - 2 * PAD - 6 * (self.columns - 1)) / self.columns


def draw_devices(decision: Decision, room: Room, asked: bool = True) -> Html:
    """The picture, laid out for the room's width. ``asked``: whether the pod has asked for devices yet."""
    seen = sights(decision)
    return draw_sights(seen if asked else [unasked(node) for node in seen], room)


def draw_sights(seen: Sequence[NodeSight], room: Room, marks: Marks | None = None) -> Html:
    """The same for nodes and devices as they are seen. ``marks``: devices that are handles."""
    cards, shared, columns = _cards(seen, room.width)
    shapes: list[Html] = []
    y = 2.0
    for start in range(0, len(cards), columns):
        line = cards[start : start + columns]
        tall = max(card.tall for card in line)
        for at, card in enumerate(line):
            shapes += _card(card, 2 + at * (card.wide + GAP), y, tall, marks or {})
        y += tall + GAP
    if shared is not None:
        shapes += _card(shared, 2, y, shared.tall, marks or {})
        y += shared.tall + GAP
    legend, y = _legend(seen, room.width, y)
    spoken = say("; ").join(line.strip() for line in devices_text(seen).splitlines())
    return svg([*shapes, *legend], room.width, max(y, LINE), spoken)


def unasked(node: NodeSight) -> NodeSight:
    """The node before the pod asks: only what other claims hold, and the taints, are known."""
    devices = [each if each.state == HELD else each._replace(state=OPEN, why="") for each in node.devices]
    return NodeSight(node.node, "", False, tuple(devices))


def _cards(seen: Sequence[NodeSight], width: float) -> tuple[list[Card], Card | None, int]:
    """A card for each node, one for what several nodes see, and how many cards stand side by side."""
    times = Counter(device.id for node in seen for device in node.devices)
    facts = [device.brief for node in seen for device in node.devices]
    most_devices = max((len(node.devices) for node in seen), default=1)
    deep = 22 + LINE * max(map(len, facts), default=2)

    def card(name: str, node: NodeSight | None, devices: Sequence[Sight], wide: float) -> Card:
        fit = max(min(int((wide - 2 * PAD + 6) // (BOX + 6)), most_devices), 1)
        made = Card(name, "", "", False, devices, wide, fit, deep, False)
        bare = any(text_width(fact) > made.box - 12 for brief in facts for fact in brief)
        said = (node.reason or _said(node), node.reason, node.chosen) if node is not None else ("", "", False)
        return Card(name, *said, devices, wide, fit, deep, bare)

    def side_by_side(columns: int) -> list[Card]:
        wide = (width - 4 - GAP * (columns - 1)) / columns
        return [card(node.node, node, [d for d in node.devices if times[d.id] == 1], wide) for node in seen]

    def height(columns: int) -> float:
        tall = [each.tall + GAP for each in side_by_side(columns)]
        return sum(max(tall[at : at + columns]) for at in range(0, len(tall), columns))

    most = max(min(int((width - 4 + GAP) // (CARD + GAP)), len(seen)), 1)
    columns = min(range(most, 0, -1), key=height)
    cards = side_by_side(columns)
    several: dict[object, Sight] = {}
    for node in seen:
        for device in node.devices:
            if times[device.id] > 1 and (device.id not in several or node.chosen):
                several[device.id] = device
    return cards, card("", None, list(several.values()), width - 4) if several else None, columns


def _said(node: NodeSight) -> str:
    """What the node gives, or could give."""
    given = [each.id.device for each in node.devices if each.state in (TAKES, OFFERED)]
    if not given:
        return ""
    return say("gives {devices}" if node.chosen else "could give {devices}", devices=say(" and ").join(given))


def _card(card: Card, x: float, y: float, tall: float, marks: Marks) -> Iterator[Html]:
    key = f"node/{card.name}" if card.name else "shared"
    frame = element(
        "rect",
        width=card.wide,
        height=tall,
        rx=11,
        fill=EVICTED_SOFT if card.reason else TRAY,
        stroke=CHOSEN if card.chosen else HAIR,
        stroke_width=2.5 if card.chosen else 1,
        data_key=f"{key}/box",
    )
    mark = "★ " if card.chosen else "✕ " if card.reason else ""
    title = fitted(mark + (card.name or say(SHARED)), card.wide - 2 * PAD, 13, True)
    yield element(
        "g",
        frame,
        label(title, PAD, 17, font_size=13, font_weight="bold"),
        label(fitted(card.said, card.wide - 2 * PAD), PAD, 33, opacity=0.8) if card.said else None,
        transform=f"translate({x:g},{y:g})",
        data_key=key,
        data_tip=card.reason or None,
    )
    for at, device in enumerate(card.devices):
        left = x + PAD + at % card.columns * (card.box + 6)
        top = y + card.head + at // card.columns * (card.deep + 6)
        yield _device(device, left, top, card, marks.get(str(device.id), {}))


def _device(device: Sight, x: float, y: float, card: Card, marks: Mapping[str, str]) -> Html:
    takes, refused, wide = device.state in (TAKES, PICKED), device.state in REFUSED, card.box
    stroke = CHOSEN if takes or device.state == OFFERED else EVICTED if refused else "currentColor"
    sign = _sign(device)
    star = device.state == TAKES
    inner = wide - 10 - (18 if sign or star else 0)
    return element(
        "g",
        element(
            "rect",
            width=wide,
            height=card.deep,
            rx=6,
            fill=CHOSEN_SOFT if takes else HAIR if device.state == HELD else PANEL,
            stroke=HAIR if stroke == "currentColor" else stroke,
            stroke_width=2.5 if takes else 1,
            stroke_dasharray="4 3" if device.state == TRIED else None,
            data_key=f"{device.key}/box",
        ),
        label(fitted(device.id.device, inner, 12, True), 6, 15, font_weight="bold"),
        label("★", wide - 6, 15, "end", fill=CHOSEN) if star else None,
        icon(sign, wide - 19, 3, stroke) if sign else None,
        *(
            label(fitted(fact.partition(" ")[2] if card.bare else fact, wide - 8), 6, 30 + LINE * at)
            for at, fact in enumerate(device.brief)
        ),
        transform=f"translate({x:g},{y:g})",
        opacity=0.75 if device.state in (OPEN, FREE) else None,
        data_key=device.key,
        data_tip=_tip(device),
        **marks,
    )


def _tip(device: Sight) -> str:
    """All that is known of the device."""
    facts = device.facts
    if device.state == OPEN and device.taints:
        facts = (*facts, say("taint {taints}", taints=device.taints))
    return say("{sentence} ({facts})", sentence=device.sentence, facts=listed(facts)) if facts else device.sentence


def _sign(device: Sight) -> str | None:
    """The sign in its corner: what is in the way, or else its taint, if the star leaves room."""
    return SIGNS.get(device.state) or ("taint" if device.taints and device.state != TAKES else None)


def _legend(seen: Sequence[NodeSight], width: float, y: float) -> tuple[list[Html], float]:
    """What the signs in the picture mean, and where that ends."""
    used = {_sign(device) for node in seen for device in node.devices}
    found, x, base = [], 2.0, y + 12
    for sign in (each for each in MEANINGS if each in used):
        meaning = say(MEANINGS[sign])
        step = 20 + text_width(meaning) + 14
        if x + step - 14 > width and x > 2:
            x, base = 2.0, base + LINE + 4
        found += [icon(sign, x, base - 12), label(meaning, x + 20, base)]
        x += step
    return found, base + 8 if found else y


def devices_text(seen: Sequence[NodeSight]) -> str:
    """The picture in words: a line for each node and each of its devices."""
    lines = []
    for node in seen:
        verdict = say("the pod goes here") if node.chosen else node.reason or say("the claims fit")
        lines.append(say("{node}: {verdict}", node=node.node, verdict=verdict))
        lines += [f"  {device.sentence}" for device in node.devices]
    return "\n".join(lines)
