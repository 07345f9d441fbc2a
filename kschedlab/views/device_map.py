"""Devices drawn inside their nodes: which ones a pod gets, and what is in the way of the others.

A device that several nodes see stands once, below the nodes. Keys: ``node/NAME`` and ``device/DRIVER/POOL/NAME``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.devices.search import IN_USE, NO_CAPACITY, NO_COUNTERS, NOT_SELECTED, TAINTED, UNLIKE
from kschedlab.views.device_sights import FREE, HELD, OFFERED, TAKES, TRIED, NodeSight, Sight, sights
from kschedlab.views.html import Html, element
from kschedlab.views.icons import icon
from kschedlab.views.lettering import fitted, text_width
from kschedlab.views.style import CHOSEN, EVICTED
from kschedlab.views.svg import Room, label, svg
from kschedlab.views.tables import row, table

SIGNS = {
    HELD: "lock",
    IN_USE: "lock",
    TRIED: "reprieved",
    NOT_SELECTED: "label",
    NO_CAPACITY: "full",
    NO_COUNTERS: "full",
    TAINTED: "taint",
    UNLIKE: "pods",
}
"""A sign for what is in the way."""
REFUSED = (NOT_SELECTED, NO_CAPACITY, NO_COUNTERS, TAINTED, UNLIKE, IN_USE)

GAP, PAD = 10, 8
CARD, BOX, TALL, LINE, HEAD = 170, 84, 52, 15, 40
SHARED = "devices that several nodes can use"


class Card(NamedTuple):
    """A frame with devices: a node, or those that nodes share. ``columns``: how many devices stand in a row."""

    name: str
    reason: str
    chosen: bool
    devices: Sequence[Sight]
    wide: float
    columns: int

    @property
    def head(self) -> int:
        """The height of its title; a node has a second line for a reason."""
        return HEAD if self.name else HEAD - LINE

    @property
    def tall(self) -> float:
        """Its height in pixels."""
        return self.head + max(-(-len(self.devices) // self.columns), 1) * (TALL + 6) + PAD - 6


def draw_devices(decision: Decision, room: Room, asked: bool = True) -> Html:
    """The picture, laid out for the room's width. ``asked``: whether the pod has asked for devices yet."""
    seen = sights(decision) if asked else [_before(node) for node in sights(decision)]
    cards, shared = _cards(seen, room.width)
    shapes: list[Html] = []
    y = 2.0
    columns = max(int((room.width - 4 + GAP) // (cards[0].wide + GAP)), 1) if cards else 1
    for start in range(0, len(cards), columns):
        line = cards[start : start + columns]
        tall = max(card.tall for card in line)
        for at, card in enumerate(line):
            shapes += _card(card, 2 + at * (card.wide + GAP), y, tall)
        y += tall + GAP
    if shared is not None:
        shapes += _card(shared, 2, y, shared.tall)
        y += shared.tall + GAP
    spoken = "; ".join(line.strip() for line in devices_text(seen).splitlines())
    return svg(shapes, room.width, max(y, LINE), spoken)


def _before(node: NodeSight) -> NodeSight:
    """The node before the pod asks: only what other claims hold is known."""
    devices = [each if each.state == HELD else each._replace(state=FREE, why="") for each in node.devices]
    return NodeSight(node.node, "", False, tuple(devices))


def _cards(seen: Sequence[NodeSight], width: float) -> tuple[list[Card], Card | None]:
    """A card for each node, and one for what several nodes see."""
    times = Counter(device.id for node in seen for device in node.devices)
    columns = max(min(int((width - 4 + GAP) // (CARD + GAP)), len(seen)), 1)
    wide = (width - 4 - GAP * (columns - 1)) / columns
    fit = max(int((wide - 2 * PAD + 6) // (BOX + 6)), 1)
    cards = [
        Card(node.node, node.reason, node.chosen, [d for d in node.devices if times[d.id] == 1], wide, fit)
        for node in seen
    ]
    several: dict[object, Sight] = {}
    for node in seen:
        for device in node.devices:
            if times[device.id] > 1 and (device.id not in several or node.chosen):
                several[device.id] = device
    if not several:
        return cards, None
    fit = max(int((width - 4 - 2 * PAD + 6) // (BOX + 6)), 1)
    return cards, Card("", "", False, list(several.values()), width - 4, fit)


def _card(card: Card, x: float, y: float, tall: float) -> Iterator[Html]:
    stroke = CHOSEN if card.chosen else EVICTED if card.reason else "currentColor"
    key = f"node/{card.name}" if card.name else "shared"
    frame = element(
        "rect",
        width=card.wide,
        height=tall,
        rx=6,
        fill=stroke if card.chosen or card.reason else "none",
        fill_opacity=0.08,
        stroke=stroke,
        stroke_width=2.5 if card.chosen else 1,
        data_key=f"{key}/box",
    )
    mark = "★ " if card.chosen else "✕ " if card.reason else ""
    title = fitted(mark + (card.name or SHARED), card.wide - 2 * PAD, 13, True)
    yield element(
        "g",
        frame,
        label(title, PAD, 17, font_size=13, font_weight="bold"),
        label(fitted(card.reason, card.wide - 2 * PAD), PAD, 33, opacity=0.8) if card.reason else None,
        transform=f"translate({x:g},{y:g})",
        data_key=key,
        data_tip=card.reason or None,
    )
    wide = (card.wide - 2 * PAD - 6 * (card.columns - 1)) / card.columns
    for at, device in enumerate(card.devices):
        left = x + PAD + at % card.columns * (wide + 6)
        yield _device(device, left, y + card.head + at // card.columns * (TALL + 6), wide)


def _device(device: Sight, x: float, y: float, wide: float) -> Html:
    takes, refused = device.state == TAKES, device.state in REFUSED
    stroke = CHOSEN if takes or device.state == OFFERED else EVICTED if refused else "currentColor"
    sign = SIGNS.get(device.state)
    inner = wide - 12 - (18 if sign or takes else 0)
    return element(
        "g",
        element(
            "rect",
            width=wide,
            height=TALL,
            rx=4,
            fill=CHOSEN if takes else "currentColor",
            fill_opacity=0.3 if takes else 0.12 if device.state == HELD else 0.03,
            stroke=stroke,
            stroke_width=2 if takes else 1,
            stroke_dasharray="4 3" if device.state in (FREE, TRIED) else None,
            data_key=f"{device.key}/box",
        ),
        label(fitted(device.id.device, inner, 12, True), 6, 15, font_weight="bold"),
        label("★", wide - 8, 15, "end", fill="currentColor") if takes else None,
        icon(sign, wide - 20, 3, stroke) if sign else None,
        *(label(_fact(fact, wide - 10), 6, 30 + LINE * at) for at, fact in enumerate(device.brief)),
        transform=f"translate({x:g},{y:g})",
        opacity=0.75 if device.state == FREE else None,
        data_key=device.key,
        data_tip=f"{device.sentence} ({', '.join(device.facts)})" if device.facts else device.sentence,
    )


def _fact(text: str, wide: float) -> str:
    """The name with its value, or the value alone if that is all that fits."""
    return text if text_width(text) <= wide else fitted(text.partition(" ")[2], wide)


def devices_text(seen: Sequence[NodeSight]) -> str:
    """The picture in words: a line for each node and each of its devices."""
    lines = []
    for node in seen:
        verdict = "the pod goes here" if node.chosen else node.reason or "the claims fit"
        lines.append(f"{node.node}: {verdict}")
        lines += [f"  {device.sentence}" for device in node.devices]
    return "\n".join(lines)


def devices_table(seen: Sequence[NodeSight]) -> Html:
    """A row for each device of each node."""
    rows = [
        row(node.node, device.id.device, ", ".join(device.facts), device.sentence.removeprefix(f"{device.id.device} "))
        for node in seen
        for device in node.devices
    ]
    return table(["Node", "Device", "Attributes and capacity", "The device"], rows)
