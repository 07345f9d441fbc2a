"""A map of nodes: a square for each, in pools, coloured by how many obstacles are in the way. Large clusters share
squares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import cos, pi, sin
from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np

from kschedlab.decision import Decision
from kschedlab.filter.stage import EXCLUDED
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.glyphs import hatch
from kschedlab_lab.views.layout import Part, column, phrase, row
from kschedlab_lab.views.lettering import after_hyphen, fitted, text_width
from kschedlab_lab.views.obstacles import sign_of
from kschedlab_lab.views.picture import scarcest
from kschedlab_lab.views.style import (
    CHOSEN,
    CHOSEN_SOFT,
    EVICTED,
    EVICTED_SOFT,
    INK_2,
    KINDS,
    ON_ACCENT,
    TICK,
    TRAY,
    themed,
)

CELLS, TABS = 600, 60
"""Maximum number of cells, and of cells that Tab reaches; on larger maps a cell stands for several nodes of a pool."""
LINE = 16
"""Height of a line of text, in pixels."""
NAMED, THUMB = 40, 24
"""The least sizes of a cell with its node's name, and of a cell on a phone, in pixels."""
FITS, UNASKED, UNDECIDED, REFUSED = later("feasible"), later("not looked at"), later("not looked at yet"), "refused by "
RANGE, CAUSE = "..", " · "
DOT, PITCH, DOTS, SIDE = 6, 8, 400, 92
"""The size of a dot, from one to the next, the most dots, and the width of the name before them; in pixels."""


class Shape(NamedTuple):
    """The size of a node in the map, with ``head`` above it for a name and ``gap`` around it, in pixels."""

    wide: float
    tall: float
    head: float = 0
    gap: float = 3


TALLER = 1.1
"""How much taller than wide a node may be."""
CELL_SHAPES = tuple(Shape(size, size, gap=4 if size > 16 else 3) for size in range(46, 10, -1))
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


def grid(pools: Mapping[str, Sequence[int]], width: float, height: float, is_phone: bool = False) -> Grid:
    """The largest cells with which all pools fit into this space, or the smallest; many nodes share cells.

    On a phone nodes share cells before these are too small for a thumb.
    """
    each = max(-(-sum(map(len, pools.values())) // CELLS), 1)
    shapes = [shape for shape in CELL_SHAPES if shape.wide >= THUMB or not is_phone]
    sizes = range(each, 4 * each + 1) if each > 1 or is_phone else range(1, 2)
    made = (_grid(pools, width, shape, number) for number in sizes for shape in shapes)
    fitting = next((found for found in made if found.bottom <= height), None)
    return fitting or _grid(pools, width, shapes[-1], sizes[-1] if is_phone else each)


def blocks(pools: Mapping[str, Sequence[int]], width: float, height: float, shapes: Sequence[Shape]) -> Grid | None:
    """Each pool a block of rows; the first of these shapes that fits, higher where there is room, or None."""
    made = next((made for shape in shapes if (made := _grid(pools, width, shape, 1)).bottom <= height), None)
    if made is None:
        return None
    rows = len({y for _, _, y in made.cells})
    tall = min(made.shape.tall + (height - made.bottom) / rows, TALLER * made.shape.wide)
    return _grid(pools, width, made.shape._replace(tall=tall), 1)


def _grid(pools: Mapping[str, Sequence[int]], width: float, shape: Shape, each: int) -> Grid:
    """Each pool is a block of its own: its name, and below it its nodes."""
    left, (wide, tall, head, gap) = 5, shape
    columns = max(int((width - left + gap) // (wide + gap)), 1)
    cells, heads, y = [], [], 0.0
    for pool, places in pools.items():
        heads.append((pool, 0.0, y))
        top = y + LINE + 4 + head
        groups = [tuple(places[i : i + each]) for i in range(0, len(places), each)]
        for i, group in enumerate(groups):
            cells.append((group, left + i % columns * (wide + gap), top + i // columns * (tall + head + gap)))
        y = top + -(-len(groups) // columns) * (tall + head + gap) - head + 8
    return Grid(shape, each, cells, heads, y, width)


# -- verdicts

CHOSEN_ONE, GOOD, EVICTS, ONE, TWO, MORE, OPEN = "chosen", FITS, "evicting", "one-away", "two-away", "further", "open"
"""The kinds of nodes: chosen; the pod fits; it fits if others leave; so many obstacles are in the way; not decided."""
CAUSES = (KINDS[1], KINDS[4], KINDS[6], KINDS[3], KINDS[5])
"""The colours of nodes that are one obstacle away, by what is in the way, the most frequent first."""
FILLS = {
    CHOSEN_ONE: CHOSEN,
    GOOD: CHOSEN_SOFT,
    EVICTS: EVICTED_SOFT,
    ONE: CAUSES[-1],
    TWO: themed("#B9BEC8", "#59626F"),
    MORE: themed("#DDE0E5", "#2D3541"),
    OPEN: TICK,
}
"""By kind, those that are nearest first: the colour of its square."""
LINES = {GOOD: CHOSEN, EVICTS: EVICTED}
"""By kind: the colour of its edge; other squares have none."""


def kinds(decision: Decision) -> list[str]:
    """By position of a node: its kind. Each filter that refuses it is an obstacle, asked or not."""
    verdicts, nodes = decision.verdicts, len(decision.cluster.nodes)
    if verdicts is None or verdicts.rejected is not None:
        return [OPEN] * nodes
    refused = {plugin: np.zeros(nodes, bool) for plugin in verdicts.plugins}
    for plugin, found in zip(verdicts.plugins, verdicts.refusals, strict=True):
        for part in found.parts if found is not None else ():
            refused[plugin] |= part.mask
    many = np.sum([np.zeros(nodes, int), *refused.values(), verdicts.refused_by == EXCLUDED], axis=0)
    result = [GOOD if n == 0 else ONE if n == 1 else TWO if n == 2 else MORE for n in many.tolist()]
    if decision.preemption is not None:
        for place in decision.preemption.positions.tolist():
            result[place] = EVICTS
    if (star := decision.cluster.index.get(decision.node or decision.nominated_node or "", -1)) >= 0:
        result[star] = CHOSEN_ONE
    return result


def one_away(decision: Decision) -> dict[str, list[int]]:
    """By plugin, the nodes on which it alone is in the way; the most frequent plugin first."""
    found: dict[str, list[int]] = {}
    for place, kind in enumerate(kinds(decision)):
        if kind == ONE:
            found.setdefault(verdict_of(decision, place).removeprefix(REFUSED), []).append(place)
    return dict(sorted(found.items(), key=lambda each: -len(each[1])))


def cause_fill(turn: int) -> str:
    """The colour of the cause with this place in :func:`one_away`."""
    return CAUSES[min(turn, len(CAUSES) - 1)]


def verdict_of(decision: Decision, place: int) -> str:
    """ "feasible", "refused by NodeAffinity", "not looked at", or before a decision "not looked at yet"."""
    verdicts = decision.verdicts
    if verdicts is None:
        return UNDECIDED
    if verdicts.rejected is not None:
        return UNASKED
    plugin = verdicts.plugin(place)
    return FITS if plugin is None else f"{REFUSED}{plugin}"


def sign_for(decision: Decision, place: int) -> str:
    """The name of the sign for what is in the way on a refused node; "cross" without a better one."""
    return sign_of(decision, decision.cluster.names[place]) or "cross"


# -- the drawing


def heads(pools: Mapping[str, Sequence[int]], made: Grid, decision: Decision) -> list[Html]:
    """The pools' names, which show a pool alone; before the decision also the taints of all nodes of a pool."""
    notes = {pool: _taints(decision, pools[pool]) if decision.verdicts is None else "" for pool in pools}
    return [_head(pool, len(pools[pool]), x, y, made.room, notes[pool]) for pool, x, y in made.heads]


def _taints(decision: Decision, places: Sequence[int]) -> str:
    found = [{taint.key for taint in decision.cluster.nodes[place].spec.taints} for place in places]
    common = sorted(set.intersection(*found)) if found else []
    return say("taint {taints}", taints=listed(common)) if common else ""


def _head(pool: str, nodes: int, x: float, y: float, room: float, note: str) -> Html:
    many = say(", ").join([f"{nodes:,}", *filter(None, [note])])
    name = fitted(pool, room - 6 - text_width(many), bold=True)
    title = phrase((name, "currentColor", True), (many, INK_2, False))
    marks = {"data_set": f"show: {word_of(pool)}", "data_tip": _alone(pool, nodes)}
    return element("g", *title.shapes, transform=f"translate({x:g},{y:g})", data_key=f"pool/{pool}", **marks)


def _alone(pool: str, nodes: int) -> str:
    return say("{pool}, {nodes}: show these alone", pool=pool, nodes=count(nodes, "node"))


def word_of(pool: str) -> str:
    """A pool's name, and a cause, as the panel's search takes them: spaces and commas would separate words."""
    return " ".join(part.replace(",", "").split(" ")[0] for part in pool.split(CAUSE))


class Cells:
    """Draws the cells of one map of ``pools``. ``asked``: the node in question; ``before``: a decision to compare with.

    ``pick``: a click on a node answers a question.
    """

    def __init__(
        self,
        decision: Decision,
        pools: Mapping[str, Sequence[int]],
        asked: str = "",
        before: Decision | None = None,
        pick: bool = False,
    ) -> None:
        self.decision, self.before, self.pick = decision, before, pick
        cluster = decision.cluster
        self.kinds = kinds(decision)
        self.fills = [FILLS[kind] for kind in self.kinds]
        for turn, places in enumerate(one_away(decision).values()):
            for place in places:
                self.fills[place] = cause_fill(turn)
        line = cluster.resources.get(scarcest(decision), 0)
        self.free = np.maximum(1 - cluster.requested[line] / np.maximum(cluster.allocatable[line], 1), 0.0)
        self.free[cluster.allocatable[line] == 0] = 0
        self.share = np.minimum(cluster.requested[line] / np.maximum(cluster.allocatable[line], 1), 1.0)
        self.star = cluster.index.get(decision.node or decision.nominated_node or "", -1)
        self.asked = cluster.index.get(asked, -1)
        self.tied = {cluster.index[name] for name in decision.best} if len(decision.best) > 1 else set()
        preemption = decision.preemption
        self.candidates = set(preemption.positions.tolist()) if preemption is not None else set()
        scores = decision.scores
        self.total = dict(zip(scores.nodes.tolist(), scores.total.tolist(), strict=True)) if scores else {}
        self.pools = {place: pool for pool, places in pools.items() for place in places}
        self.short = short_names(cluster.names)
        self.last = {
            place: name
            for places in pools.values()
            for place, name in zip(places, after_hyphen([self.short[place] for place in places]), strict=True)
        }

    def draw(self, made: Grid) -> list[Html]:
        """All squares, what is written on them, and above them what moves: the star and the frame."""
        size, few = made.shape.wide, len(made.cells) <= TABS
        rows: dict[tuple[str, str, float], list[Html]] = {}
        above: list[Html] = []
        for group, x, y in made.cells:
            best = min(group, key=self._rank)
            rows.setdefault((self.kinds[best], self.fills[best], y), []).append(self._cell(group, best, x, size, few))
            if self.star in group:
                above.append(self.star_at(x, y, size, size))
            if self.asked in group:
                above.append(frame(x, y, size, size))
        groups = [
            element("g", *cells, transform=f"translate(0,{y:g})", fill=fill, stroke=LINES.get(kind))
            for (kind, fill, y), cells in rows.items()
        ]
        key = f"writing/{size:g}/{len(made.cells)}"
        writing = element("g", *self._writing(made), pointer_events="none", data_key=key)
        return [*groups, writing, *above]

    def dots(self, pools: Mapping[str, Sequence[int]], width: float) -> Part:
        """Pools in small: a name and a dot for each node, or for several; a click shows such a pool alone."""
        each, rows = -(-sum(map(len, pools.values())) // DOTS), list[Part]()
        columns = int((width - SIDE) // PITCH)
        look: dict[str, Any] = {"stroke_width": DOT, "stroke_linecap": "round"}
        for pool, places in pools.items():
            groups = [min(places[i : i + each], key=self._rank) for i in range(0, len(places), each)]
            lines = dict[str, str]()
            for i, place in enumerate(groups):
                x, y = i % columns * PITCH + DOT // 2, i // columns * PITCH + DOT // 2
                lines[self.fills[place]] = lines.get(self.fills[place], "") + f"M{x} {y}h0"
            drawn = [element("path", d=line, stroke=fill, **look) for fill, line in lines.items()]
            high = -(-len(groups) // columns) * PITCH
            many = f"{len(places):,}"
            name = phrase((fitted(pool, SIDE - 14 - text_width(many)), "currentColor", False), (many, INK_2, False))
            whole = row([Part(SIDE, name.height, name.shapes), Part(width - SIDE, high, tuple(drawn))], 0)
            surface = element("rect", width=width, height=whole.height, fill="transparent")
            marks = {"data_set": f"show: {word_of(pool)}", "data_tip": _alone(pool, len(places))}
            shapes = element("g", surface, *whole.shapes, data_key=f"pool/{pool}", **marks)
            rows.append(Part(width, whole.height, (shapes,)))
        return column(rows, 6)

    def _cell(self, group: tuple[int, ...], best: int, x: float, size: float, tab: bool) -> Html:
        """One node, or several: then the best of them gives the colour."""
        names = self.decision.cluster.names
        name, marks = names[group[0]], dict[str, Any]()
        if len(group) > 1:
            marks["data_set"] = f"show: {word_of(self.pools[best])} {name}{RANGE}{names[group[-1]]}"
        else:
            marks["data_set"] = f"node: {name}"
            marks["data_pick"] = name if self.pick else None
        marks |= {"data_tip": self.tip(group), "role": None if tab else "img"}
        box: dict[str, Any] = {"x": f"{x:g}", "width": size, "height": size, "rx": round(size / 4)}
        return element("rect", **box, data_key=f"node/{name}", **marks)

    def _writing(self, made: Grid) -> Iterator[Html]:
        """Names and scores, ties, and corners that changed."""
        size, texts = made.shape.wide, list[Html]()
        ties, corners, free = "", "", ""
        for group, x, y in made.cells:
            place = min(group, key=self._rank)
            named = size >= NAMED and len(group) == 1
            if self.decision.verdicts is None and (left := round(float(self.free[list(group)].mean()) * (size - 4))):
                free += f"M{x + 2:g} {y + 2:g}h{size - 4:g}v{left}h{4 - size:g}z"
            fill = ON_ACCENT if self.kinds[place] == CHOSEN_ONE else None
            if named:
                name = self.short[place] if text_width(self.short[place]) <= size - 2 else self.last[place]
                texts.append(element("text", ending(name, size - 2), x=x + size / 2, y=y + 14, fill=fill))
            if place in self.total and size >= 27 and place != self.star:
                down = size / 2 + (9 if named else 4)
                texts.append(element("text", ending(str(self.total[place]), size - 2), x=x + size / 2, y=y + down))
            if place in self.tied:
                ties += hatch(size, size, 6, x, y)
            if self.changed(group):
                corners += f"M{x + size - 9:g} {y:g}h5a4 4 0 0 1 4 4v5z"
        if free:
            yield element("path", d=free, fill=TRAY)
        if ties:
            yield element("path", d=ties, stroke=CHOSEN, opacity=0.6)
        if corners:
            yield element("path", d=corners)
        if texts:
            yield element("g", *texts, text_anchor="middle")

    def _rank(self, place: int) -> tuple[bool, bool, bool]:
        return place != self.star, verdict_of(self.decision, place) != FITS, place not in self.candidates

    def star_at(self, x: float, y: float, wide: float, tall: float) -> Html:
        """The chosen node's star; it travels from node to node."""
        high = min(wide, tall, 26.0)
        halo = {"x": -3, "y": -3, "width": wide + 6, "height": tall + 6, "rx": round(min(wide, tall) / 4) + 3}
        ring = element("rect", **halo, fill="none", stroke=CHOSEN, stroke_opacity=0.25, stroke_width=4)
        middle = tall / 2 + (6 if wide >= NAMED else 0)
        star = element("path", d=star_path(wide / 2, middle, 0.42 * high), fill=ON_ACCENT)
        return element("g", ring, star, transform=f"translate({x:g},{y:g})", data_key="star", pointer_events="none")

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
            said = listed(
                say("{nodes:,} {verdict}", nodes=number, verdict=_said(each)) for each, number in found.most_common()
            )
            return say("{first} to {last}: {said}", first=names[group[0]], last=names[group[-1]], said=said)
        place = group[0]
        said = _said(verdict_of(decision, place))
        if place == self.star:
            said = say("chosen" if decision.node else "chosen, if its victims leave")
        elif place in self.total:
            said = say("{total} points", total=self.total[place])
        elif place in self.candidates:
            said += say("; evicting would help")
        return say(
            "{node}: {said}; {share:.0f} % asked for", node=names[place], said=said, share=100 * self.share[place]
        )


def _said(verdict: str) -> str:
    """The verdict in the chosen language."""
    if verdict.startswith(REFUSED):
        return say("refused by {plugin}", plugin=verdict.removeprefix(REFUSED))
    return say(verdict)


def star_path(x: float, y: float, radius: float) -> str:
    """A star around (x, y): a path, because as a letter it would be too small in a small cell."""
    turns = [(radius * (0.4 if i % 2 else 1), i * pi / 5) for i in range(10)]
    points = [f"{x + long * sin(turn):.1f} {y - long * cos(turn):.1f}" for long, turn in turns]
    return f"M{'L'.join(points)}Z"


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
    look: dict[str, Any] = {
        "fill": "none",
        "stroke": "currentColor",
        "stroke_width": 2.5,
        "rx": min(wide, tall) / 4 + 2,
    }
    ring = element("rect", x=-2, y=-2, width=wide + 4, height=tall + 4, **look)
    return element("g", ring, transform=f"translate({x:g},{y:g})", data_key="asked", pointer_events="none")
