"""A map of nodes: a square for each, coloured by how many obstacles are in the way. Pools are rows and zones columns.

Of few nodes, each pool is a block, and squares are large enough for pods; in large clusters nodes share squares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import accumulate
from math import cos, pi, sin
from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.lettering import fitted, fitting, text_width
from kschedlab_lab.views.node_kinds import (
    EVICTS,
    FILLS,
    REFUSED,
    SIZES,
    kinds,
    node_fills,
    siblings,
    starred,
    tolls,
    totals,
    verdict_of,
)
from kschedlab_lab.views.style import ACT, CHOSEN, INK_2, LIFT, ON_ACCENT
from kschedlab_lab.views.svg import label, rect

CELLS, TABS, SHARED = 600, 60, 12
"""Maximum number of cells, of cells that Tab reaches, and of nodes in a cell for a thumb."""
LINE = 16
"""Height of a line of text, in pixels."""
ALL, RANGE = "all", ".."
"""What chooses all nodes, and what is between the names of the first and the last node of several."""
ASIDE, NAME, SIDE, APART = 8, 150, 110, 8
"""The space between columns, the least width of a block, the most of the names beside rows and the most that may be
added between pools, in pixels."""


class Shape(NamedTuple):
    """The size of a node, with ``foot`` below it for its name and ``gap`` around it, in pixels."""

    wide: float
    tall: float
    foot: float
    gap: float


SQUARES = tuple(Shape(size, size, 0, 4 if size > 20 else 2) for size in (half / 2 for half in range(120, 21, -1)))
BOXES = tuple(Shape(wide, round(wide * (0.6 if wide > 66 else 0.5)), 20, 6) for wide in range(320, 39, -1))
"""The sizes of nodes without their names and pods, and with them, from the largest to the smallest."""
ORDER = [*FILLS]
"""The kinds of nodes; a square of several has the colour of the first."""
THUMB = 24
"""The least size of a square for a thumb, in pixels."""


class Spot(NamedTuple):
    """Where a node is drawn, in pixels."""

    x: float
    y: float
    wide: float
    tall: float


class Grid(NamedTuple):
    """Where things are. ``cells``: groups of nodes and their corners; ``heads``: pools and theirs.

    ``each``: nodes per cell; ``room``: the width of a pool's name; ``zones``: where their columns begin.
    """

    shape: Shape
    each: int
    cells: Sequence[tuple[Sequence[int], float, float]]
    heads: Sequence[tuple[str, float, float]]
    bottom: float
    room: float
    zones: Mapping[str, float] = {}

    def taller(self, height: float) -> Shape:
        """Its nodes, as tall as this height lets them be, but little taller than wide."""
        lines = len({y for _, _, y in self.cells})
        return self.shape._replace(tall=min(self.shape.tall + (height - self.bottom) / lines, 1.1 * self.shape.wide))

    @property
    def spots(self) -> dict[int, Spot]:
        """By position, where the node is drawn."""
        size = self.shape.wide, self.shape.tall
        return {place: Spot(x, y, *size) for group, x, y in self.cells for place in group}


def rows(
    pools: Mapping[str, Mapping[str, Sequence[int]]],
    width: float,
    height: float,
    thumbs: bool = False,
    new: Container[int] = (),
) -> Grid:
    """The largest squares with which all pools, each divided into zones, fit into this space; many nodes share squares.

    Height that they leave is between the pools. If none fit, the smallest. ``thumbs``: squares are large enough for
    one. ``new``: nodes that a change adds.
    """
    nodes = sum(len(places) for zones in pools.values() for places in zones.values())
    least = max(-(-nodes // CELLS), 1)
    shapes = [shape for shape in SQUARES if shape.wide >= THUMB or not thumbs]
    sizes = range(least, SHARED * least + 1) if least > 1 or thumbs else range(1, 2)
    made = (_rows(pools, width, shape, each, new) for each in sizes for shape in shapes)
    fitting = next((found for found in made if found.bottom <= height), None)
    if fitting is None:
        return _rows(pools, width, shapes[-1], sizes[-1] if thumbs else least, new)
    more = min(max((height - 1 - fitting.bottom) // max(len(pools), 1), 0), APART)
    return _rows(pools, width, fitting.shape, fitting.each, new, more)


def _rows(
    pools: Mapping[str, Mapping[str, Sequence[int]]],
    width: float,
    shape: Shape,
    each: int,
    new: Container[int],
    more: float = 0,
) -> Grid:
    """Pools below one another, each after its name, and in each the zones side by side.

    Every zone has room for one more node, so that no node moves when a change adds one. ``more``: space between pools.
    """
    names = [*dict.fromkeys(zone for zones in pools.values() for zone in zones)]
    side = min(max(text_width(pool, bold=True) for pool in pools) + 8, SIDE) if pools else 0
    pitch = shape.wide + shape.gap
    room = (width - side) / max(len(names), 1)
    columns = max(int((room - ASIDE + shape.gap) // pitch), 1)
    lefts = {zone: side + number * room for number, zone in enumerate(names)}
    cells, heads, y = [], [], LINE + 4.0 if len(names) > 1 else 2.0
    for pool, zones in pools.items():
        heads.append((pool, 0.0, y + (min(pitch, 1.5 * LINE) - LINE) / 2))
        lines = 1
        for zone, places in zones.items():
            for number, start in enumerate(range(0, len(places), each)):
                corner = lefts[zone] + number % columns * pitch, y + number // columns * pitch
                cells.append((places[start : start + each], *corner))
            lines = max(lines, sum(place not in new for place in places) // each // columns + 1)
        y += max(lines * pitch, LINE) + 3 + more
    return Grid(shape, each, cells, heads, y, side - 6, lefts if len(names) > 1 else {})


def blocks(pools: Mapping[str, Sequence[int]], width: float, height: float, name: float = 0) -> Grid | None:
    """Each pool a block of nodes with names; the largest nodes that fit, or None.

    If any fit that are as wide as the longest ``name``, one of them.
    """
    made = [found for found in (_blocks(pools, width, shape) for shape in BOXES) if found.bottom <= height]
    made = [found for found in made if found.shape.wide >= name] or made
    best = max((found.taller(height) for found in made), key=lambda shape: shape.wide * shape.tall, default=None)
    return _blocks(pools, width, best) if best is not None else None


def _blocks(pools: Mapping[str, Sequence[int]], width: float, shape: Shape) -> Grid:
    """Each pool is a block of its own, its name and below it its nodes; small ones are side by side."""
    left, (wide, tall, foot, gap) = 5, shape
    columns = max(int((width - 2 * left + gap) // (wide + gap)), 1)
    cells, heads, x, y, bottom, room = list[Any](), [], 0.0, 0.0, 0.0, width
    for pool, places in pools.items():
        whole = max(min(len(places), columns) * (wide + gap), NAME) + ASIDE
        if x and x + whole - ASIDE - gap + 2 * left > width:
            x, y = 0.0, bottom
        heads.append((pool, x, y))
        top = y + LINE + 6
        for i, place in enumerate(places):
            cells.append(((place,), x + left + i % columns * (wide + gap), top + i // columns * (tall + foot + gap)))
        bottom = max(bottom, top + -(-len(places) // columns) * (tall + foot + gap) + 6)
        x, room = x + whole, min(room, whole - ASIDE)
    return Grid(shape, 1, cells, heads, bottom, room)


def titles(made: Grid, numbers: Mapping[str, int], notes: Mapping[str, str]) -> list[Html]:
    """The names of the zones, with notes, and of the pools; a pool's shows its nodes alone."""
    zones = [label(f"{zone} {notes.get(zone, '')}".strip(), x, LINE - 4, fill=INK_2) for zone, x in made.zones.items()]
    return [*zones, *(_title(pool, numbers[pool], x, y, made.room) for pool, x, y in made.heads)]


def _title(pool: str, nodes: int, x: float, y: float, room: float) -> Html:
    tip = say("{pool}, {nodes}: show these alone", pool=pool, nodes=count(nodes, "node"))
    marks = {"data_key": f"pool/{pool}", "data_set": f"show: {word_of(pool)}", "data_tip": tip}
    short = ", ".join(key.rpartition("/")[2] for key in pool.split(", "))
    name = fitted(fitting([pool, short], room, bold=True), room, bold=True)
    return moved(words(name, bold=True), x, y, **marks)


def zone_titles(made: Grid) -> list[Html]:
    """The names of the blocks, of which none is a pool of its own."""
    return [moved(words(fitted(zone, made.room, bold=True), bold=True), x, y) for zone, x, y in made.heads]


def word_of(pool: str) -> str:
    """A pool's name as the panel's search takes it: spaces and commas would separate words."""
    return pool.replace(",", "").split(" ")[0]


class Squares:
    """Draws the squares of one map of ``pools``."""

    def __init__(self, decision: Decision, pools: Mapping[str, Sequence[int]]) -> None:
        self.decision, self.pods = decision, siblings(decision)
        self.kinds, self.fills, self.star = kinds(decision), node_fills(decision), starred(decision)
        self.total, self.tolls = totals(decision), tolls(decision)
        self.pools = {place: pool for pool, places in pools.items() for place in places}

    def draw(self, made: Grid) -> list[Html]:
        """All squares, those of one colour together, and the dots on them."""
        (wide, tall, *_), reached = made.shape, self._reached(len(made.cells))
        found: dict[tuple[str, float], list[Html]] = {}
        for group, x, y in made.cells:
            best = min(group, key=lambda place: ORDER.index(self.kinds[place]))
            marks = {"data_set": self._opens(group), "data_tip": self.tip(group)}
            marks |= {} if self.kinds[best] in reached else {"role": "img"}
            share = SIZES.get(self.kinds[best], 1)
            inner, x, y = share * wide, x + (1 - share) * wide / 2, y + (1 - share) * tall / 2
            square = rect(
                round(inner, 1),
                round(share * tall, 1),
                corner(inner),
                round(x, 1),
                round(y, 1),
                data_key=self._key(group),
                **marks,
            )
            found.setdefault((self.fills[best], wide - inner + made.shape.gap), []).append(square)
        groups = [
            element("g", *squares, fill=fill, stroke="transparent", stroke_width=round(around, 1))  # it is clicked, too
            for (fill, around), squares in found.items()
        ]
        return [*groups, self._dots(made)] if self.pods else groups

    def _key(self, group: Sequence[int]) -> str:
        return f"node/{self.decision.cluster.names[group[0]]}"

    def _opens(self, group: Sequence[int]) -> str:
        """What a click asks: about one node; of several, it shows them alone."""
        first, last = (self.decision.cluster.names[group[end]] for end in (0, -1))
        return f"show: {word_of(self.pools[group[0]])} {first}{RANGE}{last}" if len(group) > 1 else f"node: {first}"

    def _reached(self, cells: int) -> set[str]:
        """The kinds of nodes that Tab reaches: all, or on a map of many ``cells`` the nearest ones."""
        found = Counter(self.kinds[place] for place in self.pools)
        nearest = accumulate(found[kind] for kind in FILLS)
        return {kind for kind, number in zip(FILLS, nearest, strict=True) if min(number, cells) <= TABS}

    def _dots(self, made: Grid) -> Html:
        """The pods of the pod's controller, in squares of one node."""
        wide, tall, *_ = made.shape
        path = ""
        for group, x, y in made.cells:
            many = self.pods[group[0]] if len(group) == 1 else 0
            for turn in range(many):
                low = y + tall * (1 + SIZES.get(self.kinds[group[0]], 1)) / 2 - 5
                path += f"M{x + wide / 2 + 5 * (turn - (many - 1) / 2):g} {low:g}h0"
        look: dict[str, Any] = {"stroke": "currentColor", "stroke_width": 4.5, "stroke_linecap": "round"}
        key = f"dots/{wide:g}/{len(made.cells)}"
        return element("path", d=path, **look, pointer_events="none", data_key=key)

    def tip(self, group: Sequence[int]) -> str:
        """What is known about these nodes, in a line."""
        place, names = group[0], [self.decision.cluster.names[place] for place in group]
        if len(names) > 1:
            return say("{first} to {last}: show these alone", first=names[0], last=names[-1])
        said = _said(verdict_of(self.decision, place))
        if place == self.star:
            said = say("chosen" if self.decision.node else "chosen, if its victims leave")
        elif place in self.total:
            said = say("{total} points", total=self.total[place])
        elif self.kinds[place] == EVICTS:
            said += say("; {pods} would have to leave", pods=count(self.tolls[place], "pod"))
        return say("{node}: {said}", node=names[0], said=said)


def _said(verdict: str) -> str:
    """The verdict in the chosen language."""
    if verdict.startswith(REFUSED):
        return say("refused by {plugin}", plugin=verdict.removeprefix(REFUSED))
    return say(verdict)


def corner(size: float) -> int:
    """The radius of a square's corners."""
    return min(round(size / 4), 8)


def star_at(spot: Spot) -> Html:
    """The chosen node's star; it travels from node to node."""
    wide, tall = max(spot.wide, 14), max(spot.tall, 14)
    x, y = spot.x + (spot.wide - wide) / 2, spot.y + (spot.tall - tall) / 2
    halo: dict[str, Any] = {"fill": "none", "stroke": CHOSEN, "stroke_opacity": 0.25, "stroke_width": 4}
    ring = rect(wide + 6, tall + 6, corner(wide) + 3, -3, -3, **halo)
    ground = rect(wide, tall, corner(wide), fill=CHOSEN)
    star = element("path", d=star_path(wide / 2, tall / 2, 0.42 * min(wide, tall, 26.0)), fill=ON_ACCENT)
    marks = {"data_key": "star", "pointer_events": "none"}
    return element("g", ring, ground, star, transform=f"translate({x:g},{y:g})", **marks)


def badge_at(spot: Spot) -> Html:
    """The chosen node's star where the node has pods: at its corner."""
    disc = element("circle", r=9, fill=CHOSEN)
    star = element("path", d=star_path(0, 0, 6.5), fill=ON_ACCENT)
    marks = {"data_key": "badge", "pointer_events": "none"}
    return element("g", disc, star, transform=f"translate({spot.x + spot.wide - 4:g},{spot.y + 4:g})", **marks)


def star_path(x: float, y: float, radius: float) -> str:
    """A star around (x, y): a path, because as a letter it would be too small in a small square."""
    turns = [(radius * (0.4 if i % 2 else 1), i * pi / 5) for i in range(10)]
    points = [f"{x + long * sin(turn):.1f} {y - long * cos(turn):.1f}" for long, turn in turns]
    return f"M{'L'.join(points)}Z"


def answer(spot: Spot, node: str) -> Html:
    """A node that is an answer, with the end of its name if there is room."""
    name = words(node.rpartition("-")[2], 12, bold=True, fill=ACT)
    ground = rect(spot.wide + 4, spot.tall + 4, corner(spot.wide) + 2, -2, -2, fill=LIFT, stroke=ACT, stroke_width=2.5)
    text = [placed(name, spot.wide / 2, (spot.tall - name.height) / 2)] if name.width <= spot.wide + 2 else []
    marks = {"data_key": f"pick/{node}", "data_pick": node, "data_tip": node, "aria_label": node}
    return element("g", ground, *text, transform=f"translate({spot.x:g},{spot.y:g})", **marks)


def frame(spot: Spot, key: str) -> Html:
    """The frame around the node in question ("asked"), which travels from node to node; dashed, where the pod runs."""
    look: dict[str, Any] = {"fill": "none", "stroke": "currentColor", "stroke_width": 2.5}
    look |= {} if key == "asked" else {"stroke_dasharray": "4 2.5"}
    ring = rect(spot.wide + 4, spot.tall + 4, corner(min(spot.wide, spot.tall)) + 2, -2, -2, **look)
    return element("g", ring, transform=f"translate({spot.x:g},{spot.y:g})", data_key=key, pointer_events="none")
