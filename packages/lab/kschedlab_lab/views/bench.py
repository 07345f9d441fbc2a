"""A workbench: functions in their order, pods in the hand, and nodes that take or refuse them.

Pods and nodes are bars of one scale, so one sees what fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.icons import tape
from kschedlab_lab.views.layout import moved
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Fact, Piece, bar, draw_badges
from kschedlab_lab.views.rail import Stop, rail
from kschedlab_lab.views.style import CHOSEN, EVICTED_SOFT, HAIR, INK, INK_2, PANEL, TICK, TRAY
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

CardState: TypeAlias = Literal["plain", "refused", "chosen"]

PAD, GAP, LINE = 8, 10, 17
BAR = 28
WAITING = later("waiting")


@dataclass(frozen=True)
class NodeCard:
    """A node. ``says``: its verdict in words."""

    name: str
    capacity: int
    pieces: tuple[Piece, ...] = ()
    state: CardState = "plain"
    says: str = ""
    cordoned: bool = False


@dataclass(frozen=True)
class Hand:
    """A pod that waits, or (as a ghost) the place that it left. ``resize``: the control of its request."""

    piece: Piece
    badges: tuple[Fact, ...] = ()
    resize: str = ""


@dataclass(frozen=True)
class Bench:
    """``stops``: functions in their order. ``picks``: names of cards that are answers while a question is open."""

    stops: tuple[Stop, ...] = ()
    hands: tuple[Hand, ...] = ()
    cards: tuple[NodeCard, ...] = ()
    picks: tuple[str, ...] = ()


def draw_bench(bench: Bench, alt: str, room: Room) -> Html:
    """The workbench, laid out for the room's width."""
    return _Layout(bench, room.width).drawn(alt)


class _Layout:
    """One drawing: ``y`` is where the next row begins."""

    def __init__(self, bench: Bench, width: int) -> None:
        self.bench, self.width, self.y = bench, width, float(PAD)
        names = [text_width(f"★ {card.name}", 13, True) for card in bench.cards]
        self.left = PAD + max([text_width(say(WAITING), 13), *names]) + 2 * GAP
        widest = max([*(card.capacity for card in bench.cards), *(hand.piece.size for hand in bench.hands), 1000])
        self.scale = (width - self.left - PAD - GAP) / widest
        self.shapes: list[Html] = []

    def drawn(self, alt: str) -> Html:
        """All rows from top to bottom."""
        if self.bench.stops:
            functions = rail(self.bench.stops, self.width - 2 * PAD)
            self.shapes.append(moved(functions, PAD, self.y))
            self.y += functions.height + GAP
        for hand in self.bench.hands:
            self._hand(hand)
        for card in self.bench.cards:
            self._card(card)
        return svg(self.shapes, self.width, self.y + PAD - GAP, alt)

    def _hand(self, hand: Hand) -> None:
        """A pod that waits, above the place that it would take on a node."""
        gone = hand.piece.mark == "ghost"
        waiting = label(say(WAITING), PAD, self.y + 19, font_size=13, fill=INK_2)
        self.shapes.append(element("g", waiting, opacity=0.6 if gone else None))
        shapes = [self._piece(hand.piece, self.left)]
        if hand.resize:
            shapes.append(self._grip(hand))
        self.shapes += shapes
        self.y += BAR + 4
        if hand.badges:
            owner, right = f"pod/{hand.piece.name}", self.width - PAD - GAP
            badges, self.y = draw_badges(hand.badges, owner, self.left, self.y, right)
            self.shapes += badges
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
            **dragged(hand.resize, "x", round(self.scale * 1000, 1), say("request of {name}", name=hand.piece.name)),
        )

    def _card(self, card: NodeCard) -> None:
        """A node: its name, its bar, its verdict, its badges."""
        top, start = self.y, len(self.shapes)
        self.y += 7
        name = {"chosen": f"★ {card.name}", "refused": f"✕ {card.name}"}.get(card.state, card.name)
        self.shapes.append(label(name, PAD + 8, self.y + 19, font_size=13, font_weight="bold"))
        self._bar(card)
        self.y += BAR + 4
        if card.says:
            self._says(card)
        self.y += 4
        inside = self.shapes[start:]
        del self.shapes[start:]
        self.shapes.append(self._framed(card, top, inside))
        self.y += GAP

    def _framed(self, card: NodeCard, top: float, inside: Sequence[Html]) -> Html:
        stroke, thick = (CHOSEN, 2.5) if card.state == "chosen" else (HAIR, 1)
        wide, high = self.width - 2 * PAD, self.y - top
        look = {"fill": EVICTED_SOFT if card.state == "refused" else TRAY, "stroke": stroke}
        frame = rect(wide, high, 11, PAD, top, **look, stroke_width=thick, data_key=f"node/{card.name}/frame")
        picks = card.name if card.name in self.bench.picks else None
        return element(
            "g",
            frame,
            *([tape(PAD, top, wide)] if card.cordoned else []),
            *inside,
            data_key=f"node/{card.name}",
            data_pick=picks,
            aria_label=card.name if picks else None,
        )

    def _bar(self, card: NodeCard) -> None:
        """The node's capacity and its pods."""
        self.shapes.append(rect(card.capacity * self.scale, BAR, 8, self.left, self.y, fill=TICK))
        x = float(self.left)
        for piece in card.pieces:
            self.shapes.append(self._piece(piece, x))
            x += piece.size * self.scale
        free = card.capacity - sum(piece.size for piece in card.pieces)
        text = say("{cpu:g} CPU free", cpu=free / 1000)
        if free > 0 and text_width(text) < free * self.scale:
            self.shapes.append(label(text, x + free * self.scale / 2, self.y + 18.5, "middle", opacity=0.75))

    def _piece(self, piece: Piece, x: float) -> Html:
        """A pod, as wide as its request; a pod without one is as wide as its name."""
        return bar(piece, (x, self.y), piece.size * self.scale or text_width(piece.name, 12, True) + 16, BAR)

    def _says(self, card: NodeCard) -> None:
        """The score's cells and the verdict in words."""
        bold = card.state in ("refused", "chosen")
        for line in flowed(card.says, self.width - self.left - PAD - GAP, 12, bold) or [""]:
            self.shapes.append(label(line, self.left, self.y + 13, font_weight="bold" if bold else None))
            self.y += LINE
        self.y += 4
