"""A map of nodes: a cell for each, in pools, with its verdict as colour and sign. Large clusters share cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np

from kschedlab.decision import Decision
from kschedlab.views.glyphs import OUTLINES, SIZE, hatch
from kschedlab.views.html import Html, element
from kschedlab.views.lettering import fitted, text_width
from kschedlab.views.obstacles import sign_of
from kschedlab.views.picture import scarcest
from kschedlab.views.style import CHOSEN, EVICTED
from kschedlab.views.svg import label
from kschedlab.views.words import count

CELLS, TABS = 600, 60
"""Maximum number of cells, and of cells that Tab reaches; on larger maps a cell stands for several nodes of a pool."""
LINE = 16
"""Height of a line of text, in pixels."""
HEADS = 118
"""Width of the pools' names where they stand beside their nodes."""
NAMED = 40
"""The least size of a cell with its node's name, in pixels."""
FITS, UNASKED, REFUSED = "feasible", "not looked at", "refused by "
RANGE = ".."
CROSS = "M4 4L12 12M12 4L4 12"


class Shape(NamedTuple):
    """The size of a node in the map, with ``head`` above it for a name and ``gap`` around it, in pixels."""

    wide: float
    tall: float
    head: float = 0
    gap: float = 3


CELL_SHAPES = tuple(Shape(size, size) for size in range(46, 10, -1))
"""From the largest to the smallest."""


class Grid(NamedTuple):
    """Where things are. ``cells``: groups of nodes and their corners; ``heads``: pools and theirs.

    ``each``: nodes per cell; ``room``: the width of a pool's name.
    """

    shape: Shape
    each: int
    cells: Sequence[tuple[tuple[int, ...], float, float]]
    heads: Sequence[tuple[str, float, float]]
    bottom: float
    room: float


def grid(pools: Mapping[str, Sequence[int]], width: float, height: float) -> Grid:
    """The largest cells with which all pools fit into this space, or the smallest; many nodes share cells."""
    each = max(-(-sum(map(len, pools.values())) // CELLS), 1)
    made = (_grid(pools, width, shape, each) for shape in CELL_SHAPES)
    return next((found for found in made if found.bottom <= height), None) or _grid(pools, width, CELL_SHAPES[-1], each)


def flow(pools: Mapping[str, Sequence[int]], width: float, height: float, shapes: Sequence[Shape]) -> Grid | None:
    """Nodes in rows, each pool after its name; the first of these shapes that fits, or None."""
    items: list[str | int] = []
    for pool, places in pools.items():
        items += [pool, *places]
    for shape in shapes:
        columns = max(int((width - 4 + shape.gap) // (shape.wide + shape.gap)), 1)
        step = shape.tall + shape.head + shape.gap
        corners = [
            (item, i % columns * (shape.wide + shape.gap), shape.head + i // columns * step)
            for i, item in enumerate(items)
        ]
        bottom = -(-len(items) // columns) * step
        if bottom <= height:
            cells = [((item,), x + 2, y) for item, x, y in corners if isinstance(item, int)]
            names = [(item, x, y) for item, x, y in corners if isinstance(item, str)]
            return Grid(shape, 1, cells, names, bottom, shape.wide)
    return None


def _grid(pools: Mapping[str, Sequence[int]], width: float, shape: Shape, each: int) -> Grid:
    beside = width >= 3.5 * HEADS
    left, (wide, tall, head, gap) = HEADS if beside else 0, shape
    columns = max(int((width - left + gap) // (wide + gap)), 1)
    cells, heads, y = [], [], 0.0
    for pool, places in pools.items():
        heads.append((pool, 0.0, y))
        top = y + head if beside else y + LINE + 3 + head
        groups = [tuple(places[i : i + each]) for i in range(0, len(places), each)]
        for i, group in enumerate(groups):
            cells.append((group, left + i % columns * (wide + gap), top + i // columns * (tall + head + gap)))
        rows = -(-len(groups) // columns)
        y = max(top + rows * (tall + head + gap) - head, y + (LINE if beside else 0)) + 5
    return Grid(shape, each, cells, heads, y, HEADS - 14 if beside else width)


# -- verdicts


def verdict_of(decision: Decision, place: int) -> str:
    """ "feasible", "refused by NodeAffinity", or "not looked at"."""
    verdicts = decision.verdicts
    if verdicts is None or verdicts.rejected is not None:
        return UNASKED
    plugin = verdicts.plugin(place)
    return FITS if plugin is None else f"{REFUSED}{plugin}"


def sign_for(decision: Decision, place: int) -> str:
    """The name of the sign for what is in the way on a refused node; "cross" without a better one."""
    reasons = decision.verdicts.reasons(place) if decision.verdicts is not None else []
    return (sign_of(reasons[0]) if reasons else "") or "cross"


def outline(sign: str) -> str:
    """The lines of a sign, 16 by 16 pixels."""
    return OUTLINES.get(sign, CROSS)


def numbers(decision: Decision) -> Counter[str]:
    """How many nodes have each verdict."""
    return Counter(verdict_of(decision, place) for place in range(len(decision.cluster.nodes)))


# -- the drawing


def heads(pools: Mapping[str, Sequence[int]], made: Grid) -> list[Html]:
    """The pools' names, which show a pool alone."""
    return [_head(pool, len(pools[pool]), x, y, made.room) for pool, x, y in made.heads]


def _head(pool: str, nodes: int, x: float, y: float, room: float) -> Html:
    many = f"{nodes:,}"
    name = fitted(pool, room - 6 - text_width(many), bold=True)
    words = [label(name, 0, 12, font_weight="bold", text_decoration="underline")]
    words.append(label(many, text_width(name, bold=True) + 6, 12, opacity=0.75))
    hint = f"{pool}, {count(nodes, 'node')}: show these alone"
    marks = {"data_set": f"show: {word_of(pool)}", "data_tip": hint}
    return element("g", *words, transform=f"translate({x:g},{y:g})", data_key=f"pool/{pool}", **marks)


def word_of(pool: str) -> str:
    """A pool's name as the panel's search takes it: spaces and commas would separate words."""
    return pool.replace(",", "").split(" ")[0]


class Cells:
    """Draws the cells of one map. ``asked``: the node in question; ``before``: a decision to compare with.

    ``pick``: a click on a node answers a question.
    """

    def __init__(self, decision: Decision, asked: str = "", before: Decision | None = None, pick: bool = False) -> None:
        self.decision, self.before, self.pick = decision, before, pick
        cluster = decision.cluster
        line = cluster.resources.get(scarcest(decision), 0)
        self.share = np.minimum(cluster.requested[line] / np.maximum(cluster.allocatable[line], 1), 1.0)
        self.star = cluster.index.get(decision.node or decision.nominated_node or "", -1)
        self.asked = cluster.index.get(asked, -1)
        self.tied = {cluster.index[name] for name in decision.best} if len(decision.best) > 1 else set()
        preemption = decision.preemption
        self.candidates = set(preemption.positions.tolist()) if preemption is not None else set()
        scores = decision.scores
        self.total = dict(zip(scores.nodes.tolist(), scores.total.tolist(), strict=True)) if scores else {}
        self.short = short_names(cluster.names)
        self.low, self.high = min(self.total.values(), default=0), max(self.total.values(), default=0)

    def draw(self, made: Grid) -> list[Html]:
        """All cells, those of one colour together, and above them what moves: the star and the frame."""
        size = made.shape.wide
        colours: dict[str, list[Html]] = {EVICTED: [], "currentColor": [], CHOSEN: []}
        above: list[Html] = []
        for group, x, y in made.cells:
            best = min(group, key=self._rank)
            colour = self._colour(best)
            few = len(made.cells) <= TABS
            colours[colour].append(self._cell(group, best, x, y, size, few))
            if self.star in group:
                above.append(self.star_at(x, y, size, size))
            if self.asked in group:
                above.append(frame(x, y, size, size))
        look: dict[str, Any] = {"stroke_width": _bar(size)}
        groups = [element("g", *cells, fill=each, stroke=each, **look) for each, cells in colours.items() if cells]
        faces = {self._sign(group) for group, _, _ in made.cells}
        return [element("defs", *(face(sign, size) for sign in sorted(faces))), *groups, *above]

    def _cell(self, group: tuple[int, ...], best: int, x: float, y: float, size: float, tab: bool) -> Html:
        """One node, or several: then the best of them gives the colour."""
        names = self.decision.cluster.names
        name, marks = names[group[0]], dict[str, Any]()
        if len(group) > 1:
            marks["data_set"] = f"show: {name}{RANGE}{names[group[-1]]}"
        else:
            marks["data_set"] = f"node: {name}"
            marks["data_pick"] = name if self.pick else None
        marks |= {"data_tip": self.tip(group), "role": None if tab else "img"}
        place = f"translate({x:g},{y:g})"
        return element("g", *self._face(best, group, size), transform=place, data_key=f"node/{name}", **marks)

    def _rank(self, place: int) -> tuple[bool, bool, bool]:
        return place != self.star, verdict_of(self.decision, place) != FITS, place not in self.candidates

    def _refused(self, place: int) -> bool:
        return verdict_of(self.decision, place).startswith(REFUSED)

    def _colour(self, place: int) -> str:
        return CHOSEN if place == self.star else EVICTED if self._refused(place) else "currentColor"

    def _sign(self, group: tuple[int, ...]) -> str:
        """The face of a cell: what is in the way, or "free"; with a dash if evicting would help."""
        place = min(group, key=self._rank)
        if place == self.star or not self._refused(place):
            return "free"
        return sign_for(self.decision, place) + ("-" if place in self.candidates else "")

    def _face(self, place: int, group: tuple[int, ...], size: float) -> Iterator[Html]:
        """The cell with its sign or score, and at its foot how far the node is asked for."""
        refused = self._refused(place) and place != self.star
        shade = None if refused else f"{self._shade(place):.2f}"
        yield element("use", href=f"#{face_id(self._sign(group), size)}", fill_opacity=shade)
        yield element("path", d=f"M0 {size - _bar(size) / 2:g}h{self.share[place] * size:.0f}")
        if place in self.tied:
            yield element("path", d=hatch(size, size, 6), stroke=CHOSEN, stroke_width=1, opacity=0.6)
        named = size >= NAMED and len(group) == 1
        if named:
            yield label(ending(self.short[place], size - 2), size / 2, 12, "middle", fill="currentColor", stroke="none")
        if place in self.total and size >= 27 and place != self.star:
            yield label(str(self.total[place]), size / 2, size / 2 + (9 if named else 3), "middle", stroke="none")
        if self.changed(group):
            yield element("path", d=f"M{size - 7:g} 0H{size:g}V7Z", fill="currentColor", stroke="none")

    def _shade(self, place: int) -> float:
        """Darker with a higher score."""
        if place == self.star:
            return 0.3
        if place not in self.total or self.high == self.low:
            return 0.05 if verdict_of(self.decision, place) == FITS else 0
        return 0.03 + 0.3 * (self.total[place] - self.low) / (self.high - self.low)

    def star_at(self, x: float, y: float, wide: float, tall: float) -> Html:
        """The chosen node's star; it travels from node to node."""
        high = min(wide, tall, 26.0)
        ring = element("rect", width=wide, height=tall, fill="none", stroke=CHOSEN, stroke_width=3)
        look: dict[str, Any] = {"fill": CHOSEN, "font_size": high, "font_weight": "bold"}
        words = label("★", wide / 2, tall / 2 + 0.36 * high, "middle", **look)
        return element("g", ring, words, transform=f"translate({x:g},{y:g})", data_key="star", pointer_events="none")

    def changed(self, group: tuple[int, ...]) -> bool:
        """Whether one of these nodes had another verdict before."""
        before = self.before
        if before is None:
            return False
        index, names = before.cluster.index, self.decision.cluster.names
        return any(
            names[place] not in index or verdict_of(before, index[names[place]]) != verdict_of(self.decision, place)
            for place in group
        )

    def tip(self, group: tuple[int, ...]) -> str:
        """What is known about these nodes, in a line."""
        decision, names = self.decision, self.decision.cluster.names
        if len(group) > 1:
            found = Counter(verdict_of(decision, place) for place in group)
            said = ", ".join(f"{number:,} {verdict}" for verdict, number in found.most_common())
            return f"{names[group[0]]} to {names[group[-1]]}: {said}"
        place = group[0]
        said = verdict_of(decision, place)
        if place == self.star:
            said = "chosen" if decision.node else "chosen, if its victims leave"
        elif place in self.total:
            said = f"{self.total[place]} points"
        elif place in self.candidates:
            said += "; evicting would help"
        return f"{names[place]}: {said}; {100 * self.share[place]:.0f} % asked for"


def short_names(names: Sequence[str]) -> list[str]:
    """The names without the beginning and the end that all of them share."""
    first = len(commonprefix(names)) if len(names) > 1 else 0
    last = len(commonprefix([name[first:][::-1] for name in names])) if len(names) > 1 else 0
    return [name[first : len(name) - last] or name for name in names]


def ending(name: str, width: float) -> str:
    """The name, or as much of its end as fits: the ends of names tell nodes apart."""
    if text_width(name) <= width:
        return name
    while name and text_width(f"…{name}") > width:
        name = name[1:]
    return f"…{name}"


def frame(x: float, y: float, wide: float, tall: float) -> Html:
    """The frame around the node in question; it travels from node to node."""
    look: dict[str, Any] = {"fill": "none", "stroke": "currentColor", "stroke_width": 2.5, "rx": 2}
    ring = element("rect", x=-2, y=-2, width=wide + 4, height=tall + 4, **look)
    return element("g", ring, transform=f"translate({x:g},{y:g})", data_key="asked", pointer_events="none")


def _bar(size: float) -> int:
    """The height of the bar at a cell's foot."""
    return 3 if size >= 16 else 2


def face_id(sign: str, size: float) -> str:
    """The name of a face; maps with cells of another size on the same page have faces of their own."""
    return f"ks-{sign}-{size:g}"


def face(sign: str, size: float) -> Html:
    """What cells of one kind share: the frame, and what is in the way."""
    refused, dashes = sign != "free", "3 2" if sign.endswith("-") else None
    opacity = 0.14 if refused else None
    frame = element("rect", width=size, height=size, stroke_width=1, fill_opacity=opacity, stroke_dasharray=dashes)
    inside = [frame]
    if refused and size >= 13:
        large = min(size - 4, 22)
        y = (size - large) / 2 - 1 + (5 if size >= NAMED else 0)
        place = f"translate({(size - large) / 2:.1f},{y:.1f}) scale({large / SIZE:.2f})"
        inside.append(element("path", d=outline(sign.rstrip("-")), transform=place, fill="none", stroke_width=1.4))
    return element("g", *inside, id=face_id(sign, size))
