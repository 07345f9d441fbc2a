"""A workbench: pods in the hand, and nodes that take or refuse them. Bars of one scale show what fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, column, moved, padded, row, words, wrap
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Piece, bar
from kschedlab_lab.views.style import CHOSEN, EVICTED_SOFT, HAIR, INK, INK_2, PANEL, TICK, TRAY, priority_fill
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

CardState: TypeAlias = Literal["plain", "refused", "chosen"]

PAD, GAP, LINE = 8, 10, 17
LOW, CLOSE = 260, 6
"""Rooms up to this height, such as a pane above a terminal, have their rows closer together."""
BAR, TALL, TALLEST, SPARE, NAMES = 28, 44, 64, 110, 88
"""The least and the greatest height of a pod, the latter also where pods fill the room; the height of the room that
they do not grow into elsewhere; the least width of the nodes' names and verdicts."""
WAITING = later("waiting")


@dataclass(frozen=True)
class NodeCard:
    """A node. ``says``: its verdict in words."""

    name: str
    capacity: int
    pieces: tuple[Piece, ...] = ()
    state: CardState = "plain"
    says: str = ""


@dataclass(frozen=True)
class Hand:
    """A pod that waits, or (as a ghost) the place that it left. ``resize``: the control of its request; ``nominated``:
    the node of its nomination."""

    piece: Piece
    resize: str = ""
    nominated: str = ""


@dataclass(frozen=True)
class Bench:
    """``picks``: names of cards that are answers while a question is open; ``printed``: rows of a table below, first
    its head; ``widest``: the longest cell that each column ever has; ``fills``: its pods grow into all of the room;
    ``ranks``: priorities whose colours are explained at the bottom.
    """

    hands: tuple[Hand, ...] = ()
    cards: tuple[NodeCard, ...] = ()
    picks: tuple[str, ...] = ()
    printed: tuple[tuple[str, ...], ...] = ()
    widest: tuple[str, ...] = ()
    fills: bool = False
    ranks: tuple[int, ...] = ()


class Scale(NamedTuple):
    """``left``: where bars begin; ``right``: where they end at the latest; ``pixels``: of a milli CPU; ``bar``: how
    high they are.
    """

    left: float
    right: float
    pixels: float
    bar: float


def draw_bench(bench: Bench, alt: str, room: Room) -> Html:
    """The workbench, laid out for the room's width."""
    names = [text_width(f"★ {card.name}", 13, True) for card in bench.cards]
    left, right = PAD + max([NAMES, text_width(say(WAITING), 13), *names]) + 2 * GAP, room.width - PAD - GAP
    widest = max([*(card.capacity for card in bench.cards), *(hand.piece.size for hand in bench.hands), 1000])
    rows = len(bench.hands) + len(bench.cards)
    kept, most = (3 * PAD, TALLEST) if bench.fills else (SPARE, TALL)
    below = (len(bench.printed) + bool(bench.ranks)) * LINE
    spare = room.height - kept - rows * GAP - len(bench.cards) * 15 - below
    scale = Scale(left, right, (right - left) / widest, min(max(spare // max(rows, 1), BAR), most))
    hands = (_hand(hand, scale) for hand in bench.hands)
    cards = (_card(card, scale, card.name in bench.picks) for card in bench.cards)
    whole = column(
        [*hands, *cards, *_printed(bench, scale), *_ranks(bench, right)], GAP if room.height > LOW else CLOSE
    )
    return svg([moved(whole, 0, PAD)], room.width, whole.height + 2 * PAD, alt)


def _hand(hand: Hand, scale: Scale) -> Part:
    """A pod that waits, above the place that it would take on a node."""
    gone = hand.piece.mark == "ghost"
    lines = [say("nominated"), hand.nominated] if hand.nominated else [say(WAITING)]
    first = scale.bar / 2 + 5 - LINE / 2 * (len(lines) - 1)
    texts = (label(line, PAD, first + LINE * i, font_size=13, fill=INK_2) for i, line in enumerate(lines))
    waiting = element("g", *texts, opacity=0.6 if gone else None)
    grip = [_grip(hand, scale)] if hand.resize else []
    return Part(scale.right, scale.bar + 2, (waiting, _piece(hand.piece, scale.left, 0, scale), *grip))


def _grip(hand: Hand, scale: Scale) -> Html:
    """The pod's right edge, which is pulled."""
    top = scale.bar / 2 - 7
    bars = (element("path", d=f"M{2 + 4 * i} {top:g}v14", stroke=PANEL, stroke_width=1.5) for i in range(2))
    return element(
        "g",
        rect(12, scale.bar, 6, x=-2, fill=INK),
        *bars,
        transform=f"translate({scale.left + hand.piece.size * scale.pixels - 4:.1f},0)",
        data_key=f"pod/{hand.piece.name}/edge",
        **dragged(hand.resize, "x", round(scale.pixels * 1000, 1), say("request of {name}", name=hand.piece.name)),
    )


def _card(card: NodeCard, scale: Scale, is_answer: bool) -> Part:
    """A node: its name with the verdict below it, and its bar."""
    name = {"chosen": f"★ {card.name}", "refused": f"✕ {card.name}"}.get(card.state, card.name)
    bold = card.state in ("refused", "chosen")
    says = flowed(card.says, scale.left - PAD - GAP - 2, 12, bold) if card.says else []
    first = max(scale.bar / 2 + 12 - LINE * len(says) / 2, 19)
    weight = "bold" if bold else None
    inside = [label(name, PAD + 8, first, font_size=13, font_weight="bold"), *_bar(card, scale)]
    inside += [label(line, PAD + 8, first + LINE * (i + 1), font_weight=weight) for i, line in enumerate(says)]
    high = max(scale.bar + 11, first + LINE * len(says) + 4)
    stroke, thick = (CHOSEN, 2.5) if card.state == "chosen" else (HAIR, 1)
    wide, high = scale.right + GAP - PAD, high + 4
    look = {"fill": EVICTED_SOFT if card.state == "refused" else TRAY, "stroke": stroke}
    frame = rect(wide, high, 11, PAD, 0, **look, stroke_width=thick, data_key=f"node/{card.name}/frame")
    about = {"data_pick": card.name, "aria_label": card.name} if is_answer else {}
    return Part(wide, high, (element("g", frame, *inside, data_key=f"node/{card.name}", **about),))


def _printed(bench: Bench, scale: Scale) -> Iterator[Part]:
    """The table, without the columns after the first that have no room."""
    wide = [max(text_width(cell) for cell in each) + GAP + 4 for each in zip(bench.widest, *bench.printed, strict=True)]
    last = next((at for at in range(len(wide)) if sum(wide[:1] + wide[at + 1 :]) <= scale.right), 0)
    kept = [at for at in range(len(wide)) if not 0 < at <= last]
    lefts = accumulate((wide[at] for at in kept), initial=PAD + 8.0)
    shapes = [
        label(row[at], x, GAP + LINE * n + 8, fill=None if n else INK_2)
        for at, x in zip(kept, lefts, strict=False)
        for n, row in enumerate(bench.printed)
    ]
    if shapes:
        yield Part(scale.right, GAP + LINE * len(bench.printed), tuple(shapes))


def _ranks(bench: Bench, width: float) -> Iterator[Part]:
    """What the colours of pods mean."""
    if bench.ranks:
        swatches = [Part(14, 14, (rect(14, 14, 4, fill=priority_fill(each), stroke=HAIR),)) for each in bench.ranks]
        named = [row([box, words(str(each), fill=INK_2)], 4) for box, each in zip(swatches, bench.ranks, strict=True)]
        yield padded(wrap([words(say("priority"), fill=INK_2), *named], width - 2 * PAD, 12), PAD + 8)


def _bar(card: NodeCard, scale: Scale) -> Iterator[Html]:
    """The node's capacity and its pods."""
    yield rect(card.capacity * scale.pixels, scale.bar, 8, scale.left, 7, fill=TICK)
    x = scale.left
    for piece in card.pieces:
        yield _piece(piece, x, 7, scale)
        x += piece.size * scale.pixels
    ends = accumulate(piece.size * scale.pixels for piece in card.pieces[:-1])
    joints = "".join(f"M{scale.left + end:.1f} 7v{scale.bar:g}" for end in ends)
    if joints:
        yield element("path", d=joints, stroke=PANEL, stroke_width=2.5)
    free = card.capacity - sum(piece.size for piece in card.pieces)
    text = say("{cpu:g} CPU free", cpu=free / 1000)
    if free > 0 and text_width(text) < free * scale.pixels:
        yield label(text, x + free * scale.pixels / 2, scale.bar / 2 + 11.5, "middle", opacity=0.75)


def _piece(piece: Piece, x: float, y: float, scale: Scale) -> Html:
    """A pod, as wide as its request; a pod without one is as wide as its name."""
    return bar(piece, (x, y), piece.size * scale.pixels or text_width(piece.name, 12, True) + 16, scale.bar)
