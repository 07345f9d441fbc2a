"""Directed graphs as SVG, with box states and highlighted arrows, and the same in sentences.

The layout is deterministic: a box has a fixed place, or its layer follows from its predecessors. Layers suffice for
small graphs; where arrows skip layers or lead back, fixed places look better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import flowed
from kschedlab_lab.views.style import EVICTED, EVICTED_SOFT, HAIR, INK, INK_2, PANEL, TRAY
from kschedlab_lab.views.svg import Room, label, svg

if TYPE_CHECKING:
    from networkx import DiGraph

State: TypeAlias = Literal["ahead", "done", "current", "failed"]
Place: TypeAlias = tuple[float, float]
"""(column, row) in a grid whose cells are as large as a box with its gaps."""

Curve: TypeAlias = tuple[Place, Place, Place, Place]
"""A cubic Bézier curve in pixels."""

WIDE, TALL, GAP_X, GAP_Y, MARGIN = 160, 50, 56, 36, 8
"""Size of a box, gaps between boxes, margin of the drawing; in pixels at normal size."""
EDGE = 17
"""The margin of a drawing for a room: arrows and signs reach beyond their boxes."""
LINE = 15
"""Height of a line of text."""
FILLS: Mapping[State, tuple[str, str, str, float]] = {
    "ahead": (TRAY, INK_2, HAIR, 1),
    "done": (TRAY, INK, INK, 1.5),
    "current": (INK, PANEL, INK, 1.5),
    "failed": (EVICTED_SOFT, INK, EVICTED, 2.5),
}
"""By state: colours of the box, of its text and of its frame, and the width of the frame."""
SIGNS: Mapping[State, str] = {"ahead": "", "done": "✓", "current": "▶", "failed": "✕"}
SAID: Mapping[State, str] = {
    "ahead": "{box}",
    "done": later("{box}: done"),
    "current": later("{box}: here"),
    "failed": later("{box}: failed"),
}


class Grid(NamedTuple):
    """Sizes of boxes and gaps, in pixels; ``bulge``: how far arrows along a side reach, at most."""

    wide: float = WIDE
    tall: float = TALL
    gap_x: float = GAP_X
    gap_y: float = GAP_Y
    bulge: float = GAP_X

    def corner(self, place: Place) -> Place:
        """The upper left corner of the box in this place."""
        return place[0] * (self.wide + self.gap_x), place[1] * (self.tall + self.gap_y)


ABOVE = 14
"""Additional space above a drawing for a room, for what stands on a box of the first row."""


def grid_for(columns: float, rows: float, room: Room | None, least: float = 24) -> Grid:
    """The largest boxes with which so many columns fit into the room's width, and rows into its height if they can.

    ``least``: the least gap between two rows.
    """
    if room is None:
        return Grid()
    width = room.width - 2 * EDGE
    gap = min(GAP_X, max(18, 0.17 * width / columns))
    spare = (room.height - 2 * EDGE) / rows - TALL
    return Grid(min(WIDE, (width - gap * (columns - 1)) / columns), TALL, gap, min(max(spare, least), GAP_Y), EDGE)


@dataclass(frozen=True)
class Vertex:
    """A box. ``name``: its key in edges; ``label``: its text (default: the name); ``detail``: a line below.

    ``sets``: the settings after a click.
    """

    name: str
    label: str = ""
    detail: str = ""
    state: State = "ahead"
    place: Place | None = None
    sets: str = ""

    @property
    def title(self) -> str:
        """The label, or the name."""
        return self.label or self.name


@dataclass(frozen=True)
class Edge:
    """An arrow. ``label``: the condition for taking it; ``lit``: whether it was taken."""

    source: str
    target: str
    label: str = ""
    lit: bool = False


@dataclass(frozen=True)
class Graph:
    """Boxes and arrows. ``down``: layers grow downwards instead of to the right.

    ``picks``: titles of boxes; while a question is open, a click on such a box is the answer.
    """

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    down: bool = field(default=False, kw_only=True)
    picks: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        names = [vertex.name for vertex in self.vertices]
        ends = {end for edge in self.edges for end in (edge.source, edge.target)}
        if len(set(names)) < len(names):
            raise ValueError(f"two boxes have the same name: {sorted(names)}")
        if unknown := sorted(ends - set(names)):
            raise ValueError(f"an edge leads to {unknown[0]}, which is not a box")

    def structure(self) -> DiGraph[str]:
        """The graph for networkx, in the same order."""
        from networkx import DiGraph

        graph: DiGraph[str] = DiGraph()
        graph.add_nodes_from(vertex.name for vertex in self.vertices)
        graph.add_edges_from((edge.source, edge.target) for edge in self.edges)
        return graph

    def walked(self, boxes: Sequence[str], end: State = "current") -> Graph:
        """The graph after a walk: visited boxes are done, the last one has the state ``end``, arrows taken are lit.

        Each box is reached from the most recent earlier box with an arrow to it.
        """
        arrows = {(edge.source, edge.target) for edge in self.edges}
        taken = set()
        for i, box in enumerate(boxes):
            taken.update([(before, box) for before in reversed(boxes[:i]) if (before, box) in arrows][:1])
        states: dict[str, State] = {**dict.fromkeys(boxes, "done"), **dict.fromkeys(boxes[-1:], end)}
        vertices = (replace(each, state=states.get(each.name, each.state)) for each in self.vertices)
        edges = (replace(each, lit=each.lit or (each.source, each.target) in taken) for each in self.edges)
        return replace(self, vertices=tuple(vertices), edges=tuple(edges))

    def places(self) -> dict[str, Place]:
        """The place of each box: its fixed place, or one in its layer."""
        fixed = {each.name: each.place for each in self.vertices if each.place is not None}
        found = layered(self) if len(fixed) < len(self.vertices) else {}
        return {each.name: fixed.get(each.name) or found[each.name] for each in self.vertices}


def layered(graph: Graph) -> dict[str, Place]:
    """Layers of boxes: each box follows its last predecessor and stands near its predecessors. O(V + E) and a sort.

    Back edges of a walk from the first boxes are ignored.
    """
    from networkx import topological_generations

    forward = _forward(graph)
    rows: dict[str, float] = {}
    places: dict[str, Place] = {}
    order = {vertex.name: i for i, vertex in enumerate(graph.vertices)}
    for layer, names in enumerate(topological_generations(forward)):
        wish = {name: _mean([rows[each] for each in forward.predecessors(name)]) for name in names}
        for i, name in enumerate(sorted(names, key=lambda name: (wish[name], order[name]))):
            rows[name] = i - (len(names) - 1) / 2
            places[name] = (rows[name], layer) if graph.down else (layer, rows[name])
    return places


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _forward(graph: Graph) -> DiGraph[str]:
    """The edges without the back edges of a depth-first walk."""
    from networkx import dfs_labeled_edges

    structure = graph.structure()
    open_: set[str] = set()
    back: list[tuple[str, str]] = []
    for source, target, kind in dfs_labeled_edges(structure):
        if kind == "forward":
            open_.add(target)
        elif kind == "reverse":
            open_.discard(target)
        elif target in open_:
            back.append((source, target))
    structure.remove_edges_from(back)
    return structure


def draw_graph(
    graph: Graph,
    alt: str,
    room: Room | None = None,
    more: Callable[[Grid], Iterable[Html]] | None = None,
    extra_rows: int = 0,
    behind: Callable[[Grid], Iterable[Html]] | None = None,
    least: float = 24,
) -> Html:
    """The graph as SVG. ``alt``: the text alternative; ``room``: boxes shrink to its width.

    ``more``: other shapes, for which ``extra_rows`` below the graph stay empty; ``behind``: shapes behind the graph;
    ``least``: the least gap between two rows of boxes.
    """
    places = graph.places()
    across, down = ([place[i] for place in places.values()] or [0.0] for i in (0, 1))
    grid = grid_for(max(across) - min(across) + 1, max(down) - min(down) + 1, room, least)
    corners = {name: grid.corner(place) for name, place in places.items()}
    arrows = graph.edges
    curves = [_curve(corners[edge.source], corners[edge.target], graph.down, grid) for edge in arrows]
    ways = [(edge, *curve) for edge, curve in zip(arrows, curves, strict=True)]
    shapes = [_arrows([way for way in ways if not way[0].lit], "ahead")] if not all(edge.lit for edge in arrows) else []
    shapes += [_arrows([way], f"{way[0].source}/{way[0].target}") for way in ways if way[0].lit]
    shapes += [_box(vertex, *corners[vertex.name], grid, vertex.title in graph.picks) for vertex in graph.vertices]
    shapes += [_note(edge, curve) for edge, (curve, _) in zip(arrows, curves, strict=True) if edge.label]
    left, top, width, height = _bounds(list(corners.values()), [curve for curve, _ in curves], grid)
    if room is not None:
        used = (max(across) - min(across) + 1) * (grid.wide + grid.gap_x) - grid.gap_x
        left, width = round((used - room.width) / 2), room.width
        top, height = top - ABOVE, height + ABOVE
    height += round(extra_rows * (grid.tall + grid.gap_y))
    first, last = (each(grid) if each is not None else () for each in (behind, more))
    return svg([*first, *shapes, *last], width, height, alt, left, top)


def _bounds(corners: Sequence[Place], curves: Sequence[Curve], grid: Grid) -> tuple[int, int, int, int]:
    """(left, top, width, height) of the drawing, in whole pixels."""
    points = [(x + right, y + down) for x, y in corners for right, down in ((0, 0), (grid.wide, grid.tall))]
    points += [_at(curve, t / 8) for curve in curves for t in range(9)]
    xs, ys = ([point[i] for point in points] or [0.0] for i in (0, 1))
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return round(left), round(top), round(max(xs) + MARGIN - left), round(max(ys) + MARGIN - top)


def _box(vertex: Vertex, x: float, y: float, grid: Grid, picks: bool) -> Html:
    fill, ink, frame, thick = FILLS[vertex.state]
    inside = grid.wide - 2
    lines = flowed(vertex.title, inside, 12, True, 3)[:3]
    rows: list[tuple[str, str | None]] = [(line, "bold") for line in lines]
    below = flowed(vertex.detail, inside, most=3 - len(lines))
    rows += [(line, None) for line in below] if len(lines) + len(below) <= 3 else []
    first = grid.tall / 2 - LINE * (len(rows) - 1) / 2 + 4.5
    text = (element("text", line, y=first + LINE * i, font_weight=weight) for i, (line, weight) in enumerate(rows))
    rect = element("rect", width=grid.wide, height=grid.tall, rx=8, fill=fill, stroke=frame, stroke_width=thick)
    said = say(SAID[vertex.state], box=say(": ").join(filter(None, (vertex.title, vertex.detail))))
    return element(
        "g",
        rect,
        element(
            "g",
            *text,
            fill=ink if ink != "currentColor" else None,
            text_anchor="middle",
            transform=f"translate({grid.wide / 2:.1f})",
        ),
        *_sign(vertex.state),
        transform=f"translate({x:.1f},{y:.1f})",
        data_key=f"box/{vertex.name}",
        data_tip=said,
        data_set=vertex.sets or None,
        data_pick=vertex.title if picks else None,
        aria_label=vertex.title if picks or vertex.sets else None,
    )


def _sign(state: State) -> Iterator[Html]:
    """A sign above the upper left corner, so that the state does not depend on colour."""
    if state != "ahead":
        fill, ink, frame, _ = FILLS[state]
        yield element("circle", cy=-4, r=9, fill=fill, stroke=frame)
        yield element("text", SIGNS[state], text_anchor="middle", fill=ink)


def _curve(start: Place, end: Place, down: bool, grid: Grid) -> tuple[Curve, Place]:
    """(the arrow's curve, its direction at the end) between boxes with these upper left corners."""
    (x0, y0), (x1, y1) = start, end
    middle0, middle1 = (x0 + grid.wide / 2, y0 + grid.tall / 2), (x1 + grid.wide / 2, y1 + grid.tall / 2)
    if abs(x1 - x0) < grid.wide or (down and y1 >= y0 + grid.tall):
        return _upright(middle0, middle1, grid)
    ahead = 1 if x1 > x0 else -1
    near = abs(x1 - x0) < grid.wide + grid.gap_x + 1
    a, b = (middle0[0] + ahead * grid.wide / 2, middle0[1]), (middle1[0] - ahead * grid.wide / 2, middle1[1])
    if near or (ahead > 0 and y1 != y0):
        reach = (b[0] - a[0]) / 2
        return (a, (a[0] + reach, a[1]), (b[0] - reach, b[1]), b), (ahead, 0)
    return _over(middle0, middle1, -ahead, grid)


def _upright(start: Place, end: Place, grid: Grid) -> tuple[Curve, Place]:
    """Straight to the box below or above; along the side if it skips boxes."""
    (x0, y0), (x1, y1) = start, end
    if x1 == x0 and y0 - grid.tall - grid.gap_y - 1 < y1 < y0:
        a, b = (x0, y0 - grid.tall / 2), (x1, y1 + grid.tall / 2)
        middle = (a[1] + b[1]) / 2
        return (a, (x0, middle), (x1, middle), b), (0, -1)
    if y1 > y0 and (y1 - y0 < grid.tall + grid.gap_y + 1 or x1 != x0):
        a, b = (x0, y0 + grid.tall / 2), (x1, y1 - grid.tall / 2)
        reach = (b[1] - a[1]) / 2
        return (a, (x0, a[1] + reach), (x1, b[1] - reach), b), (0, 1)
    side = -1 if y1 > y0 else 1
    a, b = (x0 + side * grid.wide / 2, y0), (x1 + side * grid.wide / 2, y1)
    far = (max if side > 0 else min)(a[0], b[0]) + side * min(grid.gap_x, grid.bulge)
    return (a, (far, a[1]), (far, b[1]), b), (-side, 0)


def _over(start: Place, end: Place, side: int, grid: Grid) -> tuple[Curve, Place]:
    """An arc above (``side`` -1) or below (1) the boxes between."""
    (x0, y0), (x1, y1) = start, end
    ahead = 1 if x1 > x0 else -1
    a, b = (
        (x0 + ahead * grid.wide / 5, y0 + side * grid.tall / 2),
        (x1 - ahead * grid.wide / 5, y1 + side * grid.tall / 2),
    )
    far = (max if side > 0 else min)(a[1], b[1]) + side * (grid.gap_y + 0.03 * abs(x1 - x0))
    return (a, (a[0], far), (b[0], far), b), (0, -side)


def _at(curve: Curve, t: float) -> Place:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(weight * point[i] for weight, point in zip(weights, curve, strict=True)) for i in (0, 1))
    return x, y


def _arrows(ways: Sequence[tuple[Edge, Curve, Place]], key: str) -> Html:
    """Arrows that look alike, as two shapes: their lines and their heads."""
    lit = ways[0][0].lit
    colour, thick = (INK, 4.0) if lit else ("currentColor", 1.5)
    lines, heads = zip(*(_strokes(curve, direction, 7 + thick) for _, curve, direction in ways), strict=True)
    return element(
        "g",
        element("path", d="".join(lines), fill="none", stroke=colour, stroke_width=thick),
        element("path", d="".join(heads), fill=colour),
        opacity=None if lit else 0.6,
        data_key=f"arrow/{key}",
    )


def _strokes(curve: Curve, direction: Place, size: float) -> tuple[str, str]:
    """(the line, the head) as paths."""
    (a, b, c, d), (dx, dy) = curve, direction
    tip = (d[0] - size * dx, d[1] - size * dy)
    wing = size * 0.55
    sides = (tip[0] + wing * dy, tip[1] + wing * dx), (tip[0] - wing * dy, tip[1] - wing * dx)
    return f"M{_xy(a)}C{_xy(b)} {_xy(c)} {_xy(tip)}", f"M{_xy(d)}L{_xy(sides[0])}L{_xy(sides[1])}Z"


def _note(edge: Edge, curve: Curve) -> Html:
    """The label in the middle of the curve; above a level arrow, which would hide it.

    An arrow to the upper right passes the sign of the box below its end: there the label stands to the left.
    """
    (x0, y0), *_, (x1, y1) = curve
    x, y = _at(curve, 0.5)
    y -= 12 if all(point[1] == y0 for point in curve) else 0
    aside = x1 > x0 and y1 < y0
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": PANEL, "stroke_width": 5}
    return label(edge.label, x - 6 if aside else x, y + 4, "end" if aside else "middle", **halo)


def _xy(point: Place) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
