"""Directed graphs as SVG, with box states and highlighted arrows, and the same in sentences.

The layout is deterministic: a box has a fixed place, or its layer follows from its predecessors. Layers suffice for
small graphs; where arrows skip layers or lead back, fixed places look better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from kschedlab.views.html import Html, element, visible
from kschedlab.views.style import CHOSEN, EVICTED
from kschedlab.views.svg import EM, label, svg

if TYPE_CHECKING:
    from networkx import DiGraph

State: TypeAlias = Literal["ahead", "done", "current", "failed"]
Place: TypeAlias = tuple[float, float]
"""(column, row) in a grid whose cells are as large as a box with its gaps."""

Curve: TypeAlias = tuple[Place, Place, Place, Place]
"""A cubic Bézier curve in pixels."""

WIDE, TALL, GAP_X, GAP_Y, MARGIN = 160, 50, 56, 36, 8
"""Size of a box, gaps between boxes, margin of the drawing; in pixels at normal size."""
LETTERS, LINE = 20, 16
"""Letters in a line of a box, and the height of a line."""
BACK = "var(--jp-layout-color0, #ffffff)"
"""Background of arrow labels: the page's own colour; white in a saved picture."""
FILLS: Mapping[State, tuple[str, str, str, float]] = {
    "ahead": ("none", "currentColor", "currentColor", 1.5),
    "done": ("#B3E2D1", "#000000", CHOSEN, 2.5),
    "current": ("#0072B2", "#FFFFFF", "currentColor", 4),
    "failed": ("#FFC9A3", "#000000", EVICTED, 4),
}
"""By state: colours of the box, of its text and of its frame, and the width of the frame."""
SIGNS: Mapping[State, str] = {"ahead": "", "done": "✓\u00a0", "current": "▶\u00a0", "failed": "✕\u00a0"}
WORDS: Mapping[State, str] = {"ahead": "", "done": "done", "current": "here", "failed": "failed"}


@dataclass(frozen=True)
class Vertex:
    """A box. ``name``: its key in edges; ``label``: its text (default: the name); ``detail``: a line below."""

    name: str
    label: str = ""
    detail: str = ""
    state: State = "ahead"
    place: Place | None = None

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
    """Boxes and arrows. ``down``: layers grow downwards instead of to the right."""

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    down: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        names = [vertex.name for vertex in self.vertices]
        ends = {end for edge in self.edges for end in (edge.source, edge.target)}
        if len(set(names)) < len(names):
            raise ValueError(f"two boxes have the same name: {sorted(names)}")
        if unknown := sorted(ends - set(names)):
            raise ValueError(f"an edge leads to {unknown[0]}, which is no box")

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


def draw_graph(graph: Graph, alt: str) -> Html:
    """The graph as SVG. ``alt``: the text alternative."""
    corners = {name: (x * (WIDE + GAP_X), y * (TALL + GAP_Y)) for name, (x, y) in graph.places().items()}
    arrows = sorted(graph.edges, key=lambda edge: edge.lit)
    curves = [_curve(corners[edge.source], corners[edge.target], graph.down) for edge in arrows]
    shapes = [_arrow(edge, *curve) for edge, curve in zip(arrows, curves, strict=True)]
    shapes += [_box(vertex, *corners[vertex.name]) for vertex in graph.vertices]
    shapes += [_note(edge, curve) for edge, (curve, _) in zip(arrows, curves, strict=True) if edge.label]
    left, top, width, height = _bounds(list(corners.values()), [curve for curve, _ in curves])
    return svg(shapes, width, height, alt, left, top, EM)


def _bounds(corners: Sequence[Place], curves: Sequence[Curve]) -> tuple[int, int, int, int]:
    """(left, top, width, height) of the drawing, in whole pixels."""
    points = [(x + right, y + down) for x, y in corners for right, down in ((0, 0), (WIDE, TALL))]
    points += [_at(curve, t / 8) for curve in curves for t in range(9)]
    xs, ys = ([point[i] for point in points] or [0.0] for i in (0, 1))
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return round(left), round(top), round(max(xs) + MARGIN - left), round(max(ys) + MARGIN - top)


def graph_lines(graph: Graph) -> list[str]:
    """For each box a line that says where it leads."""
    titles = {each.name: each.title for each in graph.vertices}
    lines = []
    for each in graph.vertices:
        out = [edge for edge in graph.edges if edge.source == each.name]
        ends = [f"{titles[edge.target]} ({edge.label})" if edge.label else titles[edge.target] for edge in out]
        state = f" ({WORDS[each.state]})" if WORDS[each.state] else ""
        lines.append(f"{each.title}{state} → {', '.join(ends)}" if ends else f"{each.title}{state}")
    return lines


def graph_list(graph: Graph) -> Html:
    """The lines as a collapsed list: the graph for readers who cannot see it."""
    items = (element("li", line) for line in graph_lines(graph))
    return element("details", element("summary", "the graph in words"), element("ul", *items))


def _box(vertex: Vertex, x: float, y: float) -> Html:
    fill, ink, frame, thick = FILLS[vertex.state]
    lines = wrap(visible(SIGNS[vertex.state] + vertex.title), LETTERS)[: 2 if vertex.detail else 3]
    rows: list[tuple[str, int, str | None]] = [(line, EM, "bold") for line in lines]
    rows += [(line, EM - 2, None) for line in wrap(visible(vertex.detail), LETTERS + 4)[: 3 - len(lines)]]
    first = y + TALL / 2 - LINE * (len(rows) - 1) / 2 + 4.5
    text = (
        label(line, x + WIDE / 2, first + LINE * i, "middle", font_size=size, font_weight=weight)
        for i, (line, size, weight) in enumerate(rows)
    )
    rect = element(
        "rect",
        x=x,
        y=y,
        width=WIDE,
        height=TALL,
        rx=6,
        fill=fill,
        stroke=frame,
        stroke_width=thick,
    )
    title = element("title", ": ".join(filter(None, (vertex.title, vertex.detail, WORDS[vertex.state]))))
    return element("g", title, rect, element("g", *text, fill=ink))


def _curve(start: Place, end: Place, down: bool) -> tuple[Curve, Place]:
    """(the arrow's curve, its direction at the end) between boxes with these upper left corners."""
    (x0, y0), (x1, y1) = start, end
    middle0, middle1 = (x0 + WIDE / 2, y0 + TALL / 2), (x1 + WIDE / 2, y1 + TALL / 2)
    if abs(x1 - x0) < WIDE or (down and y1 >= y0 + TALL):
        return _upright(middle0, middle1)
    ahead = 1 if x1 > x0 else -1
    near = abs(x1 - x0) < WIDE + GAP_X + 1
    a, b = (middle0[0] + ahead * WIDE / 2, middle0[1]), (middle1[0] - ahead * WIDE / 2, middle1[1])
    if ahead < 0 and near and y1 != y0:
        turn = 1 if y1 > y0 else -1
        b = (middle1[0], middle1[1] - turn * TALL / 2)
        return (a, (b[0], a[1]), (b[0], a[1]), b), (0, turn)
    if near or (ahead > 0 and y1 != y0):
        reach = (b[0] - a[0]) / 2
        return (a, (a[0] + reach, a[1]), (b[0] - reach, b[1]), b), (ahead, 0)
    return _over(middle0, middle1, -ahead)


def _upright(start: Place, end: Place) -> tuple[Curve, Place]:
    """Straight down to the box below; along the side if it skips boxes or leads up."""
    (x0, y0), (x1, y1) = start, end
    if y1 > y0 and (y1 - y0 < TALL + GAP_Y + 1 or x1 != x0):
        a, b = (x0, y0 + TALL / 2), (x1, y1 - TALL / 2)
        reach = (b[1] - a[1]) / 2
        return (a, (x0, a[1] + reach), (x1, b[1] - reach), b), (0, 1)
    side = -1 if y1 > y0 else 1
    a, b = (x0 + side * WIDE / 2, y0), (x1 + side * WIDE / 2, y1)
    far = (max if side > 0 else min)(a[0], b[0]) + side * GAP_X
    return (a, (far, a[1]), (far, b[1]), b), (-side, 0)


def _over(start: Place, end: Place, side: int) -> tuple[Curve, Place]:
    """An arc above (``side`` -1) or below (1) the boxes between."""
    (x0, y0), (x1, y1) = start, end
    ahead = 1 if x1 > x0 else -1
    a, b = (x0 + ahead * WIDE / 5, y0 + side * TALL / 2), (x1 - ahead * WIDE / 5, y1 + side * TALL / 2)
    far = (max if side > 0 else min)(a[1], b[1]) + side * (GAP_Y + 0.03 * abs(x1 - x0))
    return (a, (a[0], far), (b[0], far), b), (0, -side)


def _at(curve: Curve, t: float) -> Place:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(weight * point[i] for weight, point in zip(weights, curve, strict=True)) for i in (0, 1))
    return x, y


def _arrow(edge: Edge, curve: Curve, direction: Place) -> Html:
    (a, b, c, d), (dx, dy) = curve, direction
    colour, thick, faint = (CHOSEN, 4.0, None) if edge.lit else ("currentColor", 1.5, 0.6)
    size = 7 + thick
    tip = (d[0] - size * dx, d[1] - size * dy)
    line = f"M{_xy(a)}C{_xy(b)} {_xy(c)} {_xy(tip)}"
    wing = size * 0.55
    sides = (tip[0] + wing * dy, tip[1] + wing * dx), (tip[0] - wing * dy, tip[1] - wing * dx)
    head = f"M{_xy(d)}L{_xy(sides[0])}L{_xy(sides[1])}Z"
    return element(
        "g",
        element("path", d=line, fill="none", stroke=colour, stroke_width=thick),
        element("path", d=head, fill=colour),
        opacity=faint,
    )


def _note(edge: Edge, curve: Curve) -> Html:
    """The label in the middle of the curve; above a level arrow, which would hide it."""
    x, y = _at(curve, 0.5)
    y -= 12 if all(point[1] == curve[0][1] for point in curve) else 0
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": BACK, "stroke_width": 5}
    return label(edge.label, x, y + 4, "middle", font_size=EM - 1, **halo)


def _xy(point: Place) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
