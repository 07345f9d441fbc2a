"""The score stage as pictures: plugin x node by stage, sums as stacked bars, selectHost step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kschedlab.decision import Decision
from kschedlab.views.chart import Chart, heat_map, letter
from kschedlab.views.html import Html, element, join
from kschedlab.views.style import CHOSEN, EVICTED, KINDS, ink
from kschedlab.views.svg import label, svg
from kschedlab.views.tables import row, table
from kschedlab.views.words import aligned, listing

STAGES = ("raw", "normalised", "weighted", "summed")
SUM = "sum"
DARKEST = 200
"""Scores from here up are equally dark, so that one huge weight does not make all others look alike."""
LEFT, BAR, RIGHT, HIGH, GAP, TOP = 78, 470, 92, 30, 12, 8
LETTER = 7
"""Width of names, of the longest bar and of sums; height of a bar, gap between bars, top margin; width of a letter."""


def score_map(
    decision: Decision,
    plugins: Sequence[str],
    nodes: Sequence[str],
    stage: str,
    selected: tuple[int, int] | None = None,
) -> Chart:
    """Plugins (and their sum) x nodes. ``stage``: one of STAGES. Nodes that were not scored have no number.

    In the last stage the highest sums are coloured, and the chosen node's column is framed.
    """
    numbers = [[number(decision, stage, plugin, node) for node in nodes] for plugin in plugins]
    shades = [[None if each is None else max(min(each, DARKEST), 0) for each in line] for line in numbers]
    sums: list[int | None] = [total(decision, node) if stage == STAGES[-1] else None for node in nodes]
    best = decision.best if decision.scores is not None else []
    marks = [DARKEST if node in best and known is not None else None for node, known in zip(nodes, sums, strict=True)]
    chosen = nodes.index(decision.node) if decision.node in nodes and stage == STAGES[-1] else None
    rows = [*plugins, SUM]
    return heat_map(
        [*numbers, sums], rows, nodes, selected=selected, chosen=chosen, corner=stage, shades=[*shades, marks]
    )


def number(decision: Decision, stage: str, plugin: str, node: str) -> int | None:
    """The plugin's score of the node at that stage; None if there is none."""
    scores, position = decision.scores, decision.cluster.index[node]
    if scores is None or plugin not in scores.plugins or position not in scores.nodes:
        return None
    which, place = scores.plugins.index(plugin), scores.nodes.tolist().index(position)
    scored = scores.rows[which]
    values = {"raw": scored.raw, "normalised": scored.normalized}.get(stage, scores.results[which])
    return int(values[place])


def total(decision: Decision, node: str) -> int | None:
    """The node's total score; None if it was not scored."""
    scores, position = decision.scores, decision.cluster.index[node]
    if scores is None or position not in scores.nodes:
        return None
    return int(scores.total[scores.nodes.tolist().index(position)])


def result_list(decision: Decision) -> list[tuple[str, int]]:
    """The nodes and their total scores, in order of names: the source's NodeScoreList."""
    return [(node, found) for node in decision.names if (found := total(decision, node)) is not None]


@dataclass(frozen=True)
class Bars:
    """A stacked bar for each name. ``parts``: by part, its length in each bar, in the order of ``names``.

    ``marked``: the winning bars. ``ends``: the text beside each bar. ``line``: position of a dashed line.
    """

    names: Sequence[str]
    parts: Mapping[str, Sequence[int]]
    ends: Sequence[str]
    marked: Sequence[str] = ()
    line: float | None = None
    line_words: str = ""


def draw_bars(bars: Bars, alt: str) -> Html:
    """The bars as SVG, all to one scale. ``alt``: the text alternative."""
    sums = [sum(values[i] for values in bars.parts.values()) for i in range(len(bars.names))]
    scale = BAR / max([*sums, bars.line or 0, 1])
    shapes = [_bar(bars, i, scale) for i in range(len(bars.names))]
    bottom = float(TOP + len(bars.names) * (HIGH + GAP))
    if bars.line is not None:
        x = LEFT + scale * bars.line
        ends = {"x1": x, "x2": x, "y1": 2, "y2": bottom}
        shapes.append(element("line", stroke=EVICTED, stroke_width=3, stroke_dasharray="8 5", **ends))
        shapes.append(label(bars.line_words, x, bottom + 14, "middle"))
        bottom += 20
    legend, bottom = _legend(list(bars.parts), bottom) if len(bars.parts) > 1 else (Html(), bottom)
    width, height = LEFT + BAR + RIGHT, bottom + 6
    return svg([*shapes, legend], width, height, alt)


def _bar(bars: Bars, i: int, scale: float) -> Html:
    y, x = TOP + i * (HIGH + GAP), float(LEFT)
    name, won = bars.names[i], bars.names[i] in bars.marked
    shapes = [label(f"★ {name}" if won else name, LEFT - 8, y + 20, "end", font_weight="bold")]
    for place, (part, values) in enumerate(bars.parts.items()):
        long, fill = scale * values[i], KINDS[place % len(KINDS)]
        if values[i] > 0:
            tooltip = element("title", f"{name}: {part} {values[i]}")
            box = element(
                "rect", x=x, y=y, width=long, height=HIGH, fill=fill, stroke="currentColor", stroke_width=0.75
            )
            shapes += [element("g", tooltip, box), *_inside(_label(bars, place, values[i], long), x, y, long, fill)]
        x += long
    if won:
        ends = {"x": LEFT - 2, "y": y - 2, "width": x - LEFT + 4, "height": HIGH + 4}
        shapes.append(element("rect", fill="none", stroke=CHOSEN, stroke_width=4, **ends))
    line = LEFT + scale * bars.line if bars.line is not None else 0.0
    end = max(x, line) if line - x < LETTER * len(bars.ends[i]) + 8 else x
    return element("g", *shapes, label(bars.ends[i], end + 8, y + 20, "start", font_weight="bold"))


def _label(bars: Bars, place: int, value: int, long: float) -> str:
    """The part's letter and number, if they fit; a bar with a single part has its number beside it."""
    full = f"{letter(place)} {value}"
    texts = (full, letter(place)) if len(bars.parts) > 1 else ()
    return next((text for text in texts if long >= LETTER * len(text) + 4), "")


def _inside(text: str, x: float, y: float, long: float, fill: str) -> list[Html]:
    return [label(text, x + long / 2, y + 20, "middle", fill=ink(fill))] if text else []


def _legend(parts: Sequence[str], y: float) -> tuple[Html, float]:
    """The legend, in as many lines as it needs, and the ``y`` below it."""
    x, y, shapes = float(LEFT), y + 14, []
    for place, part in enumerate(f"{letter(i)} {part}" for i, part in enumerate(parts)):
        long = 20 + LETTER * len(part) + 14
        if x + long > LEFT + BAR + RIGHT and x > LEFT:
            x, y = float(LEFT), y + 20
        fill = KINDS[place % len(KINDS)]
        shapes.append(element("rect", x=x, y=y - 10, width=12, height=12, fill=fill, stroke="currentColor"))
        shapes.append(label(part, x + 18, y, "start"))
        x += long
    return join(shapes), y


@dataclass(frozen=True)
class Held:
    """After one element of the list: its ``chance`` of replacing the held one, and the odds that each name is held."""

    name: str
    score: int
    what: str
    chance: Fraction
    likely: Mapping[str, Fraction]


def walk_lines(walk: Sequence[Held]) -> str:
    """The walk as lines of text."""
    head, *rows = _walk_cells(walk)
    return "\n".join(aligned([head, *rows]))


def walk_table(walk: Sequence[Held]) -> Html:
    """The walk as a table, one row for each element of the list."""
    head, *rows = _walk_cells(walk)
    return table(head, (row(*cells) for cells in rows))


def _walk_cells(walk: Sequence[Held]) -> list[list[str]]:
    names = [each.name for each in walk]
    cells = [["node", "score", "what happens", *(f"{name} held" for name in names)]]
    for step in walk:
        likely = [str(step.likely[name]) if step.likely.get(name) else "-" for name in names]
        cells.append([step.name, str(step.score), step.what, *likely])
    return cells


def lead(decision: Decision) -> str:
    """A sentence that says which node has the highest sum, and by how much. Requires scores of at least two nodes."""
    (first, highest), (second, after), *_ = sorted(result_list(decision), key=lambda each: -each[1])
    if len(decision.best) > 1:
        return f"{listing(decision.best)} share the highest sum, {highest}: selectHost draws one of them."
    return f"{first} has the highest sum, {highest}, {highest - after} more than {second}."
