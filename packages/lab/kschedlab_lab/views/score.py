"""The score stage as pictures: plugin x node by stage, sums as stacked bars, selectHost step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from kschedlab.decision import Decision
from kschedlab.messages import later, say, terms
from kschedlab.text.html import Html, element
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row
from kschedlab.text.words import listing
from kschedlab_lab.views.chart import Chart, heat_map
from kschedlab_lab.views.lettering import after_hyphen
from kschedlab_lab.views.style import CELL, HEAD, TABLE

STAGES = (later("raw"), later("normalised"), later("weighted"), later("summed"))
SUM = later("sum")
DARKEST = 200
"""Scores from here up are equally dark, so that one huge weight does not make all others look alike."""


def bare(decision: Decision) -> Decision:
    """The decision without the million points, or fewer, that NodePreferAvoidPods gives to several nodes or to all."""
    scores = decision.scores
    if scores is None:
        return decision
    named = zip(scores.plugins, scores.results, strict=True)
    given = (points for plugin, points in named if plugin.startswith("NodePreferAvoidPods"))
    same = sum(int(points.max()) for points in given if (points == points.max()).sum() > 1)
    return replace(decision, scores=replace(scores, total=scores.total - same))


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
    rows = [*plugins, say(SUM)]
    return heat_map(
        [*numbers, sums], rows, nodes, selected=selected, chosen=chosen, corner=say(stage), shades=[*shades, marks]
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
class Held:
    """After one element of the list: its ``chance`` of being taken, and the probability that each name is held.

    ``what``: what happens, in words; ``brief``: in a word or two.
    """

    name: str
    score: int
    what: str
    chance: Fraction
    likely: Mapping[str, Fraction]
    brief: str = ""


def walk_lines(walk: Sequence[Held]) -> str:
    head, *rows = _walk_cells(walk)
    return "\n".join(aligned([head, *rows]))


def walk_table(walk: Sequence[Held]) -> Html:
    """The walk as a table, one row for each element of the list; the nodes that are held share a heading."""
    _, *rows = _walk_cells(walk)
    first = (element("th", text, scope="col", rowspan=2, style=HEAD) for text in terms("node", "score", "what happens"))
    held = element("th", say("held, with probability"), scope="colgroup", colspan=len(walk), style=CELL)
    nodes = (element("th", name, scope="col", style=HEAD) for name in after_hyphen([each.name for each in walk]))
    head = element("thead", element("tr", *first, held), element("tr", *nodes))
    return element("table", head, element("tbody", *(row(*cells) for cells in rows)), style=TABLE)


def _walk_cells(walk: Sequence[Held]) -> list[list[str]]:
    names = [each.name for each in walk]
    cells = [[*terms("node", "score", "what happens"), *(say("{name} held", name=name) for name in names)]]
    for step in walk:
        likely = [str(step.likely[name]) if step.likely.get(name) else "-" for name in names]
        cells.append([step.name, str(step.score), step.what, *likely])
    return cells


def lead(decision: Decision) -> str:
    """A sentence that says which node has the highest sum, and by how much. Requires scores of at least two nodes."""
    (first, highest), (second, after), *_ = sorted(result_list(decision), key=lambda each: -each[1])
    if len(decision.best) > 1:
        return say(
            "{best} share the highest sum, {highest}: selectHost draws one of them.",
            best=listing(decision.best),
            highest=highest,
        )
    return say(
        "{first} has the highest sum, {highest}, {more} more than {second}.",
        first=first,
        highest=highest,
        more=highest - after,
        second=second,
    )
