"""A map of nodes: a square for each, coloured by how many obstacles are in the way. Pools are rows and zones columns. A
node keeps its place whatever is decided. In large clusters nodes share squares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import cos, hypot, pi, sin
from os.path import commonprefix
from typing import Any, NamedTuple

import numpy as np

from kschedlab.cluster.pools import pools as usual_pools
from kschedlab.decision import Decision
from kschedlab.filter.stage import EXCLUDED
from kschedlab.messages import later, listed, say
from kschedlab.objects.meta import controller_of
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.glyphs import OUTLINES
from kschedlab_lab.views.layout import Part, moved, phrase
from kschedlab_lab.views.lettering import after_hyphen, fitted, text_width
from kschedlab_lab.views.obstacles import SIGNS, sign_of
from kschedlab_lab.views.picture import scarcest
from kschedlab_lab.views.style import (
    CHOSEN,
    EVICTED,
    INK_2,
    INK_3,
    KINDS,
    ON_ACCENT,
    TRAY,
    mixed,
    themed,
)
from kschedlab_lab.views.svg import label, rect

CELLS, TABS = 600, 60
"""Maximum number of cells, and of cells that Tab reaches; on larger maps a cell is several nodes of a pool."""
LINE = 16
"""Height of a line of text, in pixels."""
NAMED, THUMB = 40, 24
"""The least sizes of a cell with its node's name, and of a cell on a phone, in pixels."""
FITS, UNASKED, UNDECIDED, REFUSED = later("feasible"), later("not looked at"), later("not looked at yet"), "refused by "
RANGE = ".."
"""What is between the names of the first and the last node of several."""
ZONES, ASIDE = 4, 10
"""The most zones that are columns, and the space between them, in pixels."""
NAME = 150
"""The least width of a block of nodes, for its pool's name, in pixels."""
SIDE = 110
"""The most width of the pools' names beside their nodes, in pixels."""


class Shape(NamedTuple):
    """The size of a node in the map, with ``head`` above it for a name and ``gap`` around it, in pixels."""

    wide: float
    tall: float
    head: float = 0
    gap: float = 3


TALLER = 1.1
"""How much taller than wide a node may be."""
CELL_SHAPES = tuple(Shape(size, size, gap=4 if size > 20 else 2) for size in range(60, 10, -1))
"""From the largest to the smallest."""


class Grid(NamedTuple):
    """Where things are. ``cells``: groups of nodes and their corners; ``heads``: pools and theirs.

    ``each``: nodes per cell; ``room``: the width of a pool's name; ``zones``: where their columns begin.
    """

    shape: Shape
    each: int
    cells: Sequence[tuple[tuple[int, ...], float, float]]
    heads: Sequence[tuple[str, float, float]]
    bottom: float
    room: float
    zones: Mapping[str, float] = {}

    @property
    def column(self) -> float:
        """The width of a zone."""
        lefts = [*self.zones.values()]
        return lefts[1] - lefts[0] - 4 if len(lefts) > 1 else 0


def grid(
    pools: Mapping[str, Mapping[str, Sequence[int]]],
    width: float,
    height: float,
    is_phone: bool = False,
    more: int = 0,
) -> Grid:
    """The largest cells with which all pools, each divided into zones, fit into this space; many nodes share cells.

    If none fit, the smallest. On a phone nodes share cells before these are too small for a thumb. The last ``more``
    nodes of each zone need no row of their own: there is room for them after its columns.
    """
    nodes = sum(len(places) for zones in pools.values() for places in zones.values())
    each = max(-(-nodes // CELLS), 1)
    shapes = [shape for shape in CELL_SHAPES if shape.wide >= THUMB or not is_phone]
    sizes = range(each, 4 * each + 1) if each > 1 or is_phone else range(1, 2)
    made = (_matrix(pools, width, shape, number, more) for number in sizes for shape in shapes)
    fitting = next((found for found in made if found.bottom <= height), None)
    return fitting or _matrix(pools, width, shapes[-1], sizes[-1] if is_phone else each, more)


def _matrix(
    pools: Mapping[str, Mapping[str, Sequence[int]]], width: float, shape: Shape, each: int, more: int = 0
) -> Grid:
    """Pools below one another, each after its name, and in each the zones side by side."""
    names = [*dict.fromkeys(zone for zones in pools.values() for zone in zones)]
    heads = {pool: f"{pool} {sum(map(len, zones.values())) - more * len(zones)}" for pool, zones in pools.items()}
    side = round(min(max((text_width(head, bold=True) for head in heads.values()), default=0) + 12, SIDE))
    pitch = shape.wide + shape.gap
    apart = more * pitch or ASIDE
    wide = (width - side - more * pitch - apart * (len(names) - 1)) / max(len(names), 1)
    columns = max(int((wide + shape.gap) // pitch), 1)
    lefts = {zone: side + number * (columns * pitch + apart) for number, zone in enumerate(names)}
    cells, made, y = [], [], LINE + 4.0 if len(names) > 1 else 2.0
    for pool, zones in pools.items():
        groups = {
            zone: [tuple(places[i : i + each]) for i in range(0, len(places), each)] for zone, places in zones.items()
        }
        rows = {zone: max(-(-(len(found) - more) // columns), 1) for zone, found in groups.items()}
        high = max(max(rows.values()) * pitch, LINE)
        made.append((pool, 0.0, y + (min(pitch, high) - LINE) / 2))
        for zone, found in groups.items():
            for i, group in enumerate(found):
                line = min(i // columns, rows[zone] - 1)
                cells.append((group, lefts[zone] + (i - line * columns) * pitch, y + line * pitch))
        y += high + 4
    return Grid(shape, each, cells, made, y, side - 6, lefts if len(names) > 1 else {})


def blocks(pools: Mapping[str, Sequence[int]], width: float, height: float, shapes: Sequence[Shape]) -> Grid | None:
    """Each pool a block; the first of these shapes that fits, higher where there is room, or None."""
    made = next((made for shape in shapes if (made := _blocks(pools, width, shape)).bottom <= height), None)
    if made is None:
        return None
    rows = len({y for _, _, y in made.cells})
    tall = min(made.shape.tall + (height - made.bottom) / rows, TALLER * made.shape.wide)
    return _blocks(pools, width, made.shape._replace(tall=tall))


def _blocks(pools: Mapping[str, Sequence[int]], width: float, shape: Shape) -> Grid:
    """Each pool is a block of its own, its name and below it its nodes; small ones are side by side."""
    left, (wide, tall, head, gap) = 5, shape
    columns = max(int((width - left + gap) // (wide + gap)), 1)
    cells, heads, x, y, bottom, room = [], [], 0.0, 0.0, 0.0, width
    for pool, places in pools.items():
        whole = max(min(len(places), columns) * (wide + gap), NAME) + ASIDE
        if x + whole > width + ASIDE + gap:
            x, y = 0.0, bottom
        heads.append((pool, x, y))
        top = y + LINE + 4 + head
        for i, place in enumerate(places):
            where = x + left + i % columns * (wide + gap), top + i // columns * (tall + head + gap)
            cells.append(((place,), *where))
        bottom = max(bottom, top + -(-len(places) // columns) * (tall + head + gap) - head + 8)
        x, room = x + whole, min(room, whole - ASIDE)
    return Grid(shape, 1, cells, heads, bottom, room)


# -- verdicts

CHOSEN_ONE, GOOD, EVICTS, ONE, TWO, MORE, OPEN = "chosen", FITS, "evicting", "one-away", "two-away", "further", "open"
"""The kinds of nodes: chosen; the pod fits; it fits if others leave; so many obstacles are in the way; not decided."""
SHADES = tuple(
    themed(mixed("#DDF1EA", "#6DBBA3", n / 4), mixed("#17382F", "#2C8269", n / 4))  # from CHOSEN_SOFT towards CHOSEN
    for n in range(5)
)
"""The colours of nodes on which the pod fits, from the fewest points to the most."""
CAUSES = {
    "taint": KINDS[1],
    "full": KINDS[4],
    "label": KINDS[6],
    "pods": KINDS[3],
    **dict.fromkeys(("disk", "zone"), KINDS[5]),
}
"""The colours of nodes that are one obstacle away, by the sign of what is in the way; others have that of OTHER."""
OTHER = KINDS[0]
FILLS = {
    CHOSEN_ONE: CHOSEN,
    GOOD: SHADES[2],
    EVICTS: themed("#FBE0D3", "#4E2D1F"),
    ONE: OTHER,
    TWO: themed("#B9BEC8", "#59626F"),
    MORE: themed("#DDE0E5", "#2D3541"),
    OPEN: themed("#D5D9E0", "#343D4B"),
}
"""By kind, those that are nearest first: the colour of its square."""
EDGE: dict[str, Any] = {"fill": "none", "stroke": EVICTED, "stroke_width": 2}
"""The edge of nodes that lose only at the last rule of preemption; other squares have none."""
PALE = 0.6
"""How much of the tray is seen through a square where its node has room."""


def kinds(decision: Decision) -> list[str]:
    """By position of a node: its kind. Each filter that refuses it is an obstacle, asked or not."""
    verdicts, nodes = decision.verdicts, len(decision.cluster.nodes)
    if verdicts is None or verdicts.rejected is not None:
        return [OPEN] * nodes
    refused = refusing(decision).values()
    many = np.sum([np.zeros(nodes, int), *refused, verdicts.refused_by == EXCLUDED], axis=0)
    result = [GOOD if n == 0 else ONE if n == 1 else TWO if n == 2 else MORE for n in many.tolist()]
    if decision.preemption is not None:
        for place in decision.preemption.positions.tolist():
            result[place] = EVICTS
    if (star := starred(decision)) >= 0:
        result[star] = CHOSEN_ONE
    return result


def refusing(decision: Decision) -> dict[str, np.ndarray[Any, Any]]:
    """By filter, whether it refuses each node, asked or not."""
    verdicts, nodes = decision.verdicts, len(decision.cluster.nodes)
    if verdicts is None:
        return {}
    refused = {plugin: np.zeros(nodes, bool) for plugin in verdicts.plugins}
    for plugin, found in zip(verdicts.plugins, verdicts.refusals, strict=True):
        for part in found.parts if found is not None else ():
            refused[plugin] |= part.mask
    return refused


def starred(decision: Decision) -> int:
    """The position of the chosen node, or of the nominated one; -1 for none."""
    return decision.cluster.index.get(decision.node or decision.nominated_node or "", -1)


def siblings(decision: Decision) -> Counter[int]:
    """By position of a node, how many pods with the pod's controller run there."""
    own, pods, found = controller_of(decision.pod.pod.metadata), decision.cluster.pods, Counter[int]()
    for row in np.flatnonzero(pods.node >= 0).tolist() if own is not None else ():
        if controller_of(pods.info(row).pod.metadata) == own:
            found[int(pods.node[row])] += 1
    return found


def closed(decision: Decision, pools: Mapping[str, Sequence[int]]) -> set[int]:
    """The nodes that are cordoned, or have a taint that others of their pool do not have."""
    found, nodes = set[int](), decision.cluster.nodes
    for places in pools.values():
        keys = {place: {taint.key for taint in nodes[place].spec.taints} for place in places}
        usual = Counter(key for each in keys.values() for key in each)
        common = {key for key, number in usual.items() if 2 * number > len(places)}
        found |= {place for place in places if nodes[place].spec.unschedulable or keys[place] - common}
    return found


def one_away(decision: Decision, kinds: Sequence[str]) -> dict[str, list[int]]:
    """By plugin, the nodes of these kinds on which it alone is in the way; the most frequent plugin first."""
    found: dict[str, list[int]] = {}
    for place, kind in enumerate(kinds):
        if kind == ONE:
            found.setdefault(verdict_of(decision, place).removeprefix(REFUSED), []).append(place)
    return dict(sorted(found.items(), key=lambda each: -len(each[1])))


def cause_fill(plugin: str) -> str:
    """The colour of nodes on which this plugin alone is in the way: the same in every picture."""
    return CAUSES.get(SIGNS.get(plugin, ""), OTHER)


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


def runners_up(decision: Decision) -> set[int]:
    """The nodes that lose only at the last rule of preemption that compares any, or tie there."""
    preemption = decision.preemption
    asked = [rung for rung in preemption.rungs if rung.entered.sum() > 1] if preemption is not None else []
    if preemption is None or not asked:
        return set()
    return set(preemption.positions[asked[-1].entered].tolist()) - {starred(decision)}


def totals(decision: Decision) -> dict[int, int]:
    """By position of a node that was scored: its points."""
    scores = decision.scores
    return dict(zip(scores.nodes.tolist(), scores.total.tolist(), strict=True)) if scores else {}


def node_fills(decision: Decision) -> list[str]:
    """By position, the colour of a node: its kind's, that of what is in the way, or that of its score."""
    kind_of, total = kinds(decision), totals(decision)
    fills = [FILLS[kind] for kind in kind_of]
    for plugin, places in one_away(decision, kind_of).items():
        for place in places:
            fills[place] = cause_fill(plugin)
    low, high = (min(total.values()), max(total.values())) if total else (0, 0)
    for place, points in total.items():
        if kind_of[place] == GOOD:
            fills[place] = SHADES[round(4 * (points - low) / (high - low))] if high > low else SHADES[-1]
    return fills


# -- the drawing


def heads(made: Grid, pools: Mapping[str, int], notes: Mapping[str, str], volume: str = "") -> list[Html]:
    """The names of the pools before their nodes, which show a pool alone, and above these the zones with ``notes``.

    ``volume``: the zone of the pod's volume.
    """
    zones = [
        label(fitted(f"{zone} {notes.get(zone, '')}".strip(), made.column), x, LINE - 4, fill=INK_2)
        for zone, x in made.zones.items()
    ]
    if volume in made.zones:
        zones.append(moved(disk(), made.zones[volume] + text_width(volume) + 6, 1))
    return [*zones, *titles(made, pools, {})]


def disk() -> Part:
    """The sign of a volume."""
    look: dict[str, Any] = {"fill": "none", "stroke": CAUSES["disk"], "stroke_width": 1.6}
    return Part(14, 14, (element("path", d=OUTLINES["disk"], transform="scale(0.875)", **look),))


def titles(made: Grid, pools: Mapping[str, int], notes: Mapping[str, str]) -> list[Html]:
    """The pools' names with their numbers of nodes and notes; a name shows its pool alone."""
    return [_title(pool, pools[pool], x, y, made.room, notes.get(pool, "")) for pool, x, y in made.heads]


def taints(decision: Decision, places: Sequence[int]) -> str:
    """The taints that all of these nodes have."""
    found = [{taint.key for taint in decision.cluster.nodes[place].spec.taints} for place in places]
    common = sorted(set.intersection(*found)) if found else []
    return say("taint {taints}", taints=listed(common)) if common else ""


def _title(pool: str, nodes: int, x: float, y: float, room: float, note: str) -> Html:
    many = say(", ").join([f"{nodes:,}", *filter(None, [note])])
    name = fitted(pool, room - 6 - text_width(many), bold=True)
    title = phrase((name, "currentColor", True), (many, INK_2, False))
    tip = say("{pool}, {nodes}: show these alone", pool=pool, nodes=count(nodes, "node"))
    marks = {"data_key": f"pool/{pool}", "data_set": f"show: {word_of(pool)}", "data_tip": tip}
    return element("g", *title.shapes, transform=f"translate({x:g},{y:g})", **marks)


def word_of(pool: str) -> str:
    """A pool's name as the panel's search takes it: spaces and commas would separate words."""
    return pool.replace(",", "").split(" ")[0]


class Cells:
    """Draws the cells of one map of ``pools``. ``pods``: how many of them are drawn as dots, by position of a node."""

    def __init__(
        self, decision: Decision, pools: Mapping[str, Sequence[int]], pods: Mapping[int, int] | None = None
    ) -> None:
        self.decision, self.pods = decision, pods or {}
        cluster = decision.cluster
        self.kinds, self.star = kinds(decision), starred(decision)
        self.tied = {cluster.index[name] for name in decision.best} if len(decision.best) > 1 else set()
        preemption = decision.preemption
        self.candidates = set(preemption.positions.tolist()) if preemption is not None else set()
        self.last = runners_up(decision)
        self.total = totals(decision)
        self.fills = node_fills(decision)
        line = cluster.resources.get(scarcest(decision), 0)
        self.share = np.minimum(cluster.requested[line] / np.maximum(cluster.allocatable[line], 1), 1.0)
        self.share[cluster.allocatable[line] == 0] = 1
        self.pools = {place: pool for pool, places in pools.items() for place in places}
        self.closed = closed(decision, usual_pools(cluster)) & self.pools.keys()
        self.short = short_names(cluster.names)
        self.endings = {
            place: name
            for places in pools.values()
            for place, name in zip(places, after_hyphen([self.short[place] for place in places]), strict=True)
        }

    def draw(self, made: Grid) -> list[Html]:
        """All squares, and what is written on them; the star is drawn by :func:`star_at`."""
        size, reached = made.shape.wide, self._reached(len(made.cells))
        rows: dict[tuple[str, str, float, float], list[Html]] = {}
        for group, x, y in made.cells:
            best = min(group, key=self._rank)
            left = max((zone for zone in made.zones.values() if zone <= x), default=0)
            rows.setdefault((self.kinds[best], self.fills[best], left, y), []).append(
                self._cell(group, best, x - left, size, self.kinds[best] in reached)
            )
        groups = [
            element("g", *cells, transform=f"translate({left:g},{y:g})", fill=fill)
            for (_, fill, left, y), cells in rows.items()
        ]
        key = f"writing/{size:g}/{len(made.cells)}"
        return [*groups, element("g", *self._writing(made), pointer_events="none", data_key=key)]

    def _reached(self, cells: int) -> set[str]:
        """The kinds of nodes that Tab reaches: all, or on a map of many ``cells`` the nearest ones."""
        if cells <= TABS:
            return {*FILLS}
        found, number, reached = Counter(self.kinds[place] for place in self.pools), 0, set[str]()
        for kind in FILLS:
            if (number := number + found[kind]) > TABS:
                break
            reached.add(kind)
        return reached

    def _cell(self, group: tuple[int, ...], best: int, x: float, size: float, tab: bool) -> Html:
        """One node, or several: then the best of them gives the colour."""
        names = self.decision.cluster.names
        name, marks = names[group[0]], dict[str, Any]()
        if len(group) > 1:
            marks["data_set"] = f"show: {word_of(self.pools[best])} {name}{RANGE}{names[group[-1]]}"
        else:
            marks["data_set"] = f"node: {name}"
        marks |= {"data_tip": self.tip(group), "role": None if tab else "img"}
        return rect(size, size, corner(size), round(x, 3), data_key=f"node/{name}", **marks)

    def _writing(self, made: Grid) -> Iterator[Html]:
        """How much is free, closed nodes, ties, names and scores."""
        size, texts = made.shape.wide, list[Html]()
        free, bars, ties, pods = "", "", "", ""
        inset = max(1.5, 0.3 * corner(size))  # the corners of what is free stay within those of the square
        wide = size - 2 * inset
        for group, x, y in made.cells:
            place = min(group, key=self._rank)
            named = size >= NAMED and len(group) == 1
            is_star = self.kinds[place] == CHOSEN_ONE
            share = float(1 - self.share[list(group)].mean()) if self.decision.verdicts is not None else 0
            if not is_star and (left := round(share * wide)):
                free += f"M{x + inset:g} {y + inset:g}h{wide:g}v{left}h{-wide:g}z"
            many = self.pods.get(place, 0) if len(group) == 1 else 0
            for turn in range(many):
                pods += f"M{x + size / 2 + 5 * (turn - (many - 1) / 2):g} {y + size - 5:g}h0"
            if len(group) == 1 and place in self.closed:
                bars += f"M{x + 3:g} {y + size - 3:g}L{x + size - 3:g} {y + 3:g}"
            if named:
                name = self.short[place] if text_width(self.short[place]) <= size - 2 else self.endings[place]
                fill = ON_ACCENT if is_star else None
                texts.append(element("text", ending(name, size - 2), x=x + size / 2, y=y + 14, fill=fill))
            fits = False
            if place in self.total and size >= 27 and place != self.star:
                down = size / 2 + (9 if named else 4)
                score = f"☆ {self.total[place]}" if place in self.tied else f"{self.total[place]}"
                if fits := text_width(score) <= size - 2:
                    texts.append(element("text", score, x=x + size / 2, y=y + down))
            if place in self.tied and not is_star and not fits:
                ties += star_path(x + size / 2, y + size / 2, 0.36 * size)
        if free:
            yield element("path", d=free, fill=TRAY, fill_opacity=PALE)
        for group, x, y in made.cells:
            if self.last.intersection(group):
                yield rect(size - 2, size - 2, corner(size), x + 1, y + 1, **EDGE)
        if bars:
            yield element("path", d=bars, stroke=INK_3, stroke_width=1.5, stroke_linecap="round")
        if pods:
            yield element("path", d=pods, stroke="currentColor", stroke_width=4.5, stroke_linecap="round")
        if ties:
            yield element("path", d=ties, fill="none", stroke=CHOSEN)
        if texts:
            yield element("g", *texts, text_anchor="middle")

    def _rank(self, place: int) -> tuple[bool, bool, bool]:
        return place != self.star, verdict_of(self.decision, place) != FITS, place not in self.candidates

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


def corner(size: float) -> int:
    """The radius of a square's corners."""
    return min(round(size / 4), 8)


class Spot(NamedTuple):
    """Where a node is drawn, in pixels."""

    x: float
    y: float
    wide: float
    tall: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.wide / 2, self.y + self.tall / 2


def spots(made: Grid, down: float = 0) -> dict[int, Spot]:
    """By position, where the grid draws the node, ``down`` lower."""
    wide, tall = made.shape.wide, made.shape.tall if made.shape.head else made.shape.wide
    return {place: Spot(x, y + down, wide, tall) for group, x, y in made.cells for place in group}


def star_at(spot: Spot) -> Html:
    """The chosen node's star; it travels from node to node. It covers a dot."""
    wide, tall = max(spot.wide, 14), max(spot.tall, 14)
    x, y = (at - size / 2 for at, size in zip(spot.middle, (wide, tall), strict=True))
    halo: dict[str, Any] = {"fill": "none", "stroke": CHOSEN, "stroke_opacity": 0.25, "stroke_width": 4}
    round_ = corner(min(wide, tall))
    ring, ground = rect(wide + 6, tall + 6, round_ + 3, -3, -3, **halo), rect(wide, tall, round_, fill=CHOSEN)
    middle = tall / 2 + (6 if wide >= NAMED else 0)
    star = element("path", d=star_path(wide / 2, middle, 0.42 * min(wide, tall, 26.0)), fill=ON_ACCENT)
    covers = [ground] if spot.wide < wide else []
    return element(
        "g", ring, *covers, star, transform=f"translate({x:g},{y:g})", data_key="star", pointer_events="none"
    )


def way(old: Spot, new: Spot) -> Html:
    """The way of the star: a hollow one where it was, and an arrow to where it is."""
    (x, y), (to_x, to_y) = old.middle, new.middle
    far = max(hypot(to_x - x, to_y - y), 1)
    across, down = (to_x - x) / far, (to_y - y) / far
    size = min(max(old.wide, 14), 26)
    start, end = size / 2 + 2, far - min(max(new.wide, 14), 26) / 2 - 6
    hollow = element("path", d=star_path(x, y, 0.46 * size), fill=TRAY, stroke=CHOSEN, stroke_width=1.5)
    parts = [hollow]
    if end > start + 6:
        tip_x, tip_y = x + across * end, y + down * end
        line = f"M{x + across * start:.1f} {y + down * start:.1f}L{tip_x - 4 * across:.1f} {tip_y - 4 * down:.1f}"
        head = (
            f"M{tip_x:.1f} {tip_y:.1f}L{tip_x - 8 * across - 4 * down:.1f} {tip_y - 8 * down + 4 * across:.1f}"
            f"L{tip_x - 8 * across + 4 * down:.1f} {tip_y - 8 * down - 4 * across:.1f}Z"
        )
        edge: dict[str, Any] = {"stroke": TRAY, "stroke_width": 5, "stroke_opacity": 0.8}
        parts += [
            element("path", d=line, fill="none", **edge),
            element("path", d=line, fill="none", stroke=CHOSEN, stroke_width=2),
            element("path", d=head, fill=CHOSEN),
        ]
    return element("g", *parts, data_key="way", pointer_events="none")


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


def frame(spot: Spot, key: str) -> Html:
    """The frame around the node in question ("asked"), which travels from node to node; dashed, where the pod runs."""
    look: dict[str, Any] = {"fill": "none", "stroke": "currentColor", "stroke_width": 2.5}
    look |= {} if key == "asked" else {"stroke_dasharray": "4 2.5"}
    ring = rect(spot.wide + 4, spot.tall + 4, corner(min(spot.wide, spot.tall)) + 2, -2, -2, **look)
    return element("g", ring, transform=f"translate({spot.x:g},{spot.y:g})", data_key=key, pointer_events="none")
