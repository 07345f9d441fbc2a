"""A workbench: functions in their order, pods in the hand, and nodes that take or refuse them.

Pods and nodes are bars of one scale, so one sees what fits. Facts about them are badges that a click switches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.glyphs import hatch
from kschedlab_lab.views.icons import tape
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import CHOSEN, EVICTED, EVICTED_SOFT, HAIR, INK, INK_2, INK_3, PANEL, TICK, TRAY
from kschedlab_lab.views.svg import Room, label, svg

ChipState: TypeAlias = Literal["plain", "here", "passed", "failed", "unasked"]
CardState: TypeAlias = Literal["plain", "fits", "refused", "chosen", "tie"]

PAD, GAP, LINE = 8, 10, 17
BAR, CHIP, CELL = 28, 23, 12
SIGNS: Mapping[ChipState, str] = {"plain": "", "here": "▶ ", "passed": "✓ ", "failed": "✕ ", "unasked": ""}
FRAMES: Mapping[CardState, tuple[str, float]] = {
    "plain": (HAIR, 1),
    "fits": (HAIR, 1),
    "refused": (HAIR, 1),
    "chosen": (CHOSEN, 2.5),
    "tie": (CHOSEN, 2.5),
}
STEP = INK
"""The function that runs now."""


@dataclass(frozen=True)
class Chip:
    """A function in its order. ``sets``: the settings after a click; ``last``: the row ends after it."""

    name: str
    state: ChipState = "plain"
    sets: str = ""
    tip: str = ""
    last: bool = False


@dataclass(frozen=True)
class Card:
    """A node. ``says``: its verdict in words; ``drop``, ``refuses``: what dropping a pod on it sets, or why not.

    ``meter``: a score from 0 to 10, drawn as ten cells.
    """

    name: str
    capacity: int
    pieces: tuple[Piece, ...] = ()
    badges: tuple[Fact, ...] = ()
    state: CardState = "plain"
    says: str = ""
    drop: str = ""
    refuses: str = ""
    cordoned: bool = False
    meter: int | None = None


@dataclass(frozen=True)
class Hand:
    """A pod that waits, or (as a ghost) the place that it left. ``carries``: it can be carried to a card.

    ``resize``: the control of its request.
    """

    piece: Piece
    badges: tuple[Fact, ...] = ()
    carries: bool = False
    resize: str = ""


@dataclass(frozen=True)
class Bench:
    """``chips``: functions in their order.

    ``picks``: names of chips or cards that are answers while a question is open.
    """

    chips: tuple[Chip, ...] = ()
    hands: tuple[Hand, ...] = ()
    cards: tuple[Card, ...] = ()
    picks: tuple[str, ...] = ()
    waiting: str = later("waiting")


def draw_bench(bench: Bench, alt: str, room: Room) -> Html:
    """The workbench, laid out for the room's width."""
    return _Layout(bench, room.width).drawn(alt)


class _Layout:
    """One drawing: ``y`` is where the next row begins."""

    def __init__(self, bench: Bench, width: int) -> None:
        self.bench, self.width, self.y = bench, width, float(PAD)
        names = [text_width(f"★ {card.name}", 13, True) for card in bench.cards]
        self.left = PAD + max([text_width(say(bench.waiting), 13), *names]) + 2 * GAP
        widest = max([*(card.capacity for card in bench.cards), *(hand.piece.size for hand in bench.hands), 1000])
        self.scale = (width - self.left - PAD - GAP) / widest
        self.shapes: list[Html] = []

    def drawn(self, alt: str) -> Html:
        """All rows from top to bottom."""
        if self.bench.chips:
            self._chips()
        for hand in self.bench.hands:
            self._hand(hand)
        for card in self.bench.cards:
            self._card(card)
        return svg(self.shapes, self.width, self.y + PAD - GAP, alt)

    def _chips(self) -> None:
        """The functions, in rows from left to right."""
        x, full = float(PAD), False
        for number, chip in enumerate(self.bench.chips):
            text = SIGNS[chip.state] + chip.name
            wide = text_width(text, 12, chip.state in ("here", "failed")) + 15
            if full or (x + wide > self.width - PAD and x > PAD):
                x, self.y = float(PAD), self.y + CHIP + 4
            self.shapes.append(self._chip(chip, number, text, x, wide))
            x, full = x + wide + 6, chip.last
        self.y += CHIP + GAP + 4

    def _chip(self, chip: Chip, number: int, text: str, x: float, wide: float) -> Html:
        strong, picked = chip.state in ("here", "failed"), chip.name in self.bench.picks
        frame = {"failed": EVICTED, "here": STEP}.get(chip.state, HAIR)
        fill = {"failed": EVICTED_SOFT, "here": STEP, "passed": TRAY}.get(chip.state, "transparent")
        colour = {"failed": EVICTED, "here": PANEL}.get(chip.state)
        rect = element(
            "rect", width=wide, height=CHIP - 2, rx=11, fill=fill, stroke=frame, stroke_width=1.5 if strong else 1
        )
        words = label(text, 6, 15.5, fill=colour, font_weight="bold" if strong else None)
        return element(
            "g",
            rect,
            words,
            transform=f"translate({x:.1f},{self.y:.1f})",
            opacity=0.55 if chip.state == "unasked" else None,
            data_key=f"function/{number}",
            data_set=chip.sets or None,
            data_tip=chip.tip or None,
            data_pick=chip.name if picked else None,
            aria_label=chip.name if chip.sets or picked else None,
        )

    def _hand(self, hand: Hand) -> None:
        """A pod that waits, above the place that it would take on a node."""
        gone = hand.piece.mark == "ghost"
        waiting = label(say(self.bench.waiting), PAD, self.y + 19, font_size=13, fill=INK_2)
        self.shapes.append(element("g", waiting, opacity=0.6 if gone else None))
        shapes = [self._piece(hand.piece, (self.left, self.y), carry=hand.carries)]
        if hand.resize:
            shapes.append(self._grip(hand))
        self.shapes += shapes
        self.y += BAR + 4
        self._badges(hand.badges, f"pod/{hand.piece.name}")
        self.y += GAP - 2

    def _grip(self, hand: Hand) -> Html:
        """The pod's right edge, which is pulled."""
        x = self.left + hand.piece.size * self.scale
        bars = (element("path", d=f"M{2 + 4 * i} 7v14", stroke=PANEL, stroke_width=1.5) for i in range(2))
        return element(
            "g",
            element("rect", x=-2, width=12, height=BAR, rx=6, fill=INK),
            *bars,
            transform=f"translate({x - 4:.1f},{self.y:.1f})",
            data_key=f"pod/{hand.piece.name}/edge",
            data_drag=hand.resize,
            data_axis="x",
            data_step=f"{self.scale * 1000:.1f}",
            aria_label=say("request of {name}", name=hand.piece.name),
        )

    def _card(self, card: Card) -> None:
        """A node: its name, its bar, its verdict, its badges."""
        top, start = self.y, len(self.shapes)
        self.y += 7
        name = {"chosen": f"★ {card.name}", "refused": f"✕ {card.name}"}.get(card.state, card.name)
        self.shapes.append(label(name, PAD + 8, self.y + 19, font_size=13, font_weight="bold"))
        self._bar(card)
        self.y += BAR + 4
        if card.says or card.meter is not None:
            self._says(card)
        self._badges(card.badges, f"node/{card.name}")
        self.y += 4
        inside = self.shapes[start:]
        del self.shapes[start:]
        self.shapes.append(self._framed(card, top, inside))
        self.y += GAP

    def _framed(self, card: Card, top: float, inside: Sequence[Html]) -> Html:
        stroke, thick = FRAMES[card.state]
        wide, high = self.width - 2 * PAD, self.y - top
        frame = element(
            "rect",
            x=PAD,
            y=top,
            width=wide,
            height=high,
            rx=11,
            fill=EVICTED_SOFT if card.state == "refused" else TRAY,
            stroke=stroke,
            stroke_width=thick,
            stroke_dasharray="9 6" if card.state == "tie" else None,
            data_key=f"node/{card.name}/frame",
        )
        picks = card.name if card.name in self.bench.picks else None
        return element(
            "g",
            frame,
            *([tape(PAD, top, wide)] if card.cordoned else []),
            *([_hatched(PAD, top, wide, high)] if card.state == "tie" else []),
            *inside,
            data_key=f"node/{card.name}",
            data_accepts="node" if card.drop or card.refuses else None,
            data_drop=card.drop or None,
            data_refuses=card.refuses or None,
            data_pick=picks,
            aria_label=card.name if picks else None,
        )

    def _bar(self, card: Card) -> None:
        """The node's capacity and its pods."""
        wide = card.capacity * self.scale
        box: dict[str, Any] = {"fill": TICK, "rx": 8}
        self.shapes.append(element("rect", x=self.left, y=self.y, width=wide, height=BAR, **box))
        x = float(self.left)
        for piece in card.pieces:
            self.shapes.append(self._piece(piece, (x, self.y)))
            x += piece.size * self.scale
        free = card.capacity - sum(piece.size for piece in card.pieces)
        text = say("{cpu:g} CPU free", cpu=free / 1000)
        if free > 0 and text_width(text) < free * self.scale:
            self.shapes.append(label(text, x + free * self.scale / 2, self.y + 18.5, "middle", opacity=0.75))

    def _piece(self, piece: Piece, at: tuple[float, float], carry: bool = False) -> Html:
        """A pod, as wide as its request; a pod without one is as wide as its name."""
        return bar(piece, at, piece.size * self.scale or text_width(piece.name, 12, True) + 16, BAR, carry)

    def _says(self, card: Card) -> None:
        """The score's cells and the verdict in words."""
        bold = card.state in ("refused", "chosen", "tie")
        left = self.left
        if card.meter is not None:
            self.shapes.append(self._meter(card.name, card.meter, card.state == "chosen"))
            left += 10 * CELL + GAP
        for line in flowed(card.says, self.width - left - PAD - GAP, 12, bold) or [""]:
            self.shapes.append(label(line, left, self.y + 13, font_weight="bold" if bold else None))
            self.y += LINE
        self.y += 4

    def _meter(self, name: str, score: int, best: bool) -> Html:
        """Ten cells, as many filled as the score says."""
        cells = (
            element(
                "rect",
                x=self.left + CELL * i,
                y=self.y + 3,
                width=CELL - 2,
                height=12,
                rx=2,
                fill=(CHOSEN if best else INK_3) if i < score else TICK,
                data_key=f"node/{name}/score/{i}",
            )
            for i in range(10)
        )
        return element("g", *cells, data_tip=say("{score} of 10", score=score))

    def _badges(self, badges: Sequence[Fact], owner: str) -> None:
        """Facts in rows; each is switched by a click."""
        if not badges:
            return
        shapes, self.y = draw_badges(badges, owner, self.left, self.y, self.width - PAD - GAP)
        self.shapes += shapes


def _hatched(x: float, y: float, wide: float, high: float) -> Html:
    place = f"translate({x:.1f},{y:.1f})"
    return element("path", d=hatch(wide, high, 14), transform=place, stroke=CHOSEN, opacity=0.35)
