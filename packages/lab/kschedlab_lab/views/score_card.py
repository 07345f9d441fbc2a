"""What each priority gives two nodes, and their sums; the chosen priority is open, with the facts that it looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, column, moved, words
from kschedlab_lab.views.lettering import fitting, flowed
from kschedlab_lab.views.pieces import Fact, badge_width, draw_badges
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, INK_3, TICK, TRAY
from kschedlab_lab.views.svg import Room, svg

LINE, PAD, BAR, MOST = 15, 4, 7, 10
"""Height of a line, space above and below it, height of a bar; the highest score."""


@dataclass(frozen=True)
class Given:
    """A priority's row. ``scores``: of 10, for each node; ``weight``: its factor; ``asks``: what it measures."""

    name: str
    asks: str
    weight: int
    scores: tuple[int, ...] = ()


@dataclass(frozen=True)
class ScoreCard:
    """``rows``: all priorities; ``chosen``: the open one, with its ``facts`` by node.

    ``sums``: of the nodes, () before they are known; ``best``: the nodes with the highest.
    """

    rows: tuple[Given, ...]
    chosen: str
    facts: Mapping[str, Sequence[Fact]]
    nodes: tuple[str, ...]
    sums: tuple[int, ...] = ()
    best: tuple[str, ...] = ()


def draw_card(card: ScoreCard, alt: str, room: Room) -> Html:
    """The rows under the nodes' names, and the sums below them."""
    first = min(250.0, room.width * 0.45)
    wide = (room.width - first) / len(card.nodes)
    lefts = [first + wide * at for at in range(len(card.nodes))]
    names = (moved(_name(card, node), x, 0) for node, x in zip(card.nodes, lefts, strict=True))
    heads = Part(room.width, 24, tuple(names))
    rows = [_row(card, row, lefts, wide, room.width) for row in card.rows]
    whole = column([heads, *rows, _sums(card, lefts, room.width)], 2)
    return svg(whole.shapes, room.width, whole.height + 4, alt)


def _name(card: ScoreCard, node: str) -> Part:
    best = node in card.best
    sign = "★ " if card.best == (node,) else ""
    return words(sign + node, 14, bold=True, fill=CHOSEN if best else None)


def _row(card: ScoreCard, given: Given, lefts: Sequence[float], wide: float, width: float) -> Part:
    """The name, and a bar and a number for each node; below the open one, what it asks and its facts."""
    is_open = given.name == card.chosen
    name = given.name.removesuffix("Priority")
    lines = column([words(line, 12, bold=is_open) for line in flowed(name, lefts[0] - 12)], 0)
    high = lines.height + 2 * PAD
    shapes = [moved(lines, 8, PAD)]
    for at, (score, x) in enumerate(zip(given.scores, lefts, strict=False)):
        shapes.append(
            _bar(
                score,
                given,
                x,
                high,
                wide,
                best=score == max(given.scores) > min(given.scores),
                key=f"score/{name}/{at}",
            )
        )
    if is_open:
        asks = column([words(say(given.asks), 12, width=width - 16, fill=INK_2)])
        shapes.append(moved(asks, 8, high - 2))
        high += asks.height + 2
        facts = _facts(card, lefts, width)
        shapes.append(moved(facts, 0, high))
        high += facts.height + 3
    look = {"fill": TRAY, "stroke": HAIR} if is_open else {"fill": "transparent"}
    ground = element("rect", width=width - 1, height=high, x=0.5, rx=10, **look)
    marks = {} if is_open else {"data_set": f"priority: {given.name}", "aria_label": given.name}
    return Part(width, high, (element("g", ground, *shapes, data_key=f"priority/{name}", **marks),))


def _facts(card: ScoreCard, lefts: Sequence[float], width: float) -> Part:
    """The facts below their nodes, each as wide as its text; what would cover another's is below that."""
    shapes, end, top, bottom = list[Html](), 0.0, 0.0, 0.0
    for node, x in zip(card.nodes, lefts, strict=True):
        facts = card.facts.get(node, ())
        if not facts:
            continue
        wide = sum(badge_width(each) + 6 for each in facts) - 6
        left = max(min(x, width - 8 - wide), 8)
        if left < end:
            top = bottom
        drawn, bottom = draw_badges(facts, f"node/{node}", left, top, width - 8)
        shapes += drawn
        end = left + wide + 6
    return Part(width, bottom, tuple(shapes))


def _bar(score: int, given: Given, x: float, high: float, wide: float, best: bool, key: str) -> Html:
    """Ten as a pale bar, the score in it, and its number with the weight if that is not 1."""
    room = min(wide - 88, 150)
    times = f"{score} × {given.weight:,}" if given.weight > 1 else f"{score}"
    number = words(fitting((times, f"{score} ×10⁴"), wide - room - 8, bold=best), 12, bold=best)
    full = element("rect", width=room, height=BAR, rx=3, fill=TICK)
    part = element("rect", width=room * score / MOST, height=BAR, rx=3, fill=INK_3, data_key=f"{key}/bar")
    bar = element("g", full, part, transform=f"translate({x:g},{(high - BAR) / 2:g})")
    return element("g", bar, moved(number, x + room + 8, (high - LINE) / 2), data_key=key)


def _sums(card: ScoreCard, lefts: Sequence[float], width: float) -> Part:
    """The weighted sums; what all have in common is said once."""
    line = element("path", d=f"M0 3H{width:g}", stroke=HAIR)
    shapes = [line, moved(words(say("weighted sum"), 13, bold=True), 8, 9)]
    heavy = max((row.weight * min(row.scores, default=0) for row in card.rows if row.weight > 1), default=0)
    for node, total, x in zip(card.nodes, card.sums, lefts, strict=False):
        best = node in card.best
        whole = f"{total:,}"
        said = fitting((f"{heavy:,} + {total - heavy}" if heavy else whole, whole), lefts[-1] - lefts[0] - 8, 14, True)
        shapes.append(moved(words(said, 14, bold=True, fill=CHOSEN if best else None), x, 8))
    return Part(width, 30, tuple(shapes))
