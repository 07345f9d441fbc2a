"""The arithmetic behind one score, written out: ``(4000m - 1500m) × 100 / 4000m = 62``, with the engine's terms.

Integer division truncates, as in Go, so each line has one division and its result is a whole number.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kschedlab.decision import Decision
from kschedlab.messages import say, terms
from kschedlab.objects.problems import UnknownNameError
from kschedlab.text.html import Html, element, join
from kschedlab.text.tables import row, table
from kschedlab_lab.views.score_formulas import (
    STAGES,
    SUM,
    WEIGHTED,
    Calculation,
    ScoredCell,
    added,
    score_steps,
)


def steps(decision: Decision, plugin: str, node: str) -> list[Calculation]:
    """The steps from this plugin's raw score of the node to its normalised and weighted score.

    KeyError if the node or the plugin has no score.
    """
    scores = decision.scores
    position = decision.cluster.index.get(node, -1)
    if scores is None or plugin not in scores.plugins or position not in scores.nodes:
        raise UnknownNameError(say("{plugin} has no score of {node}", plugin=plugin, node=node))
    which, place = scores.plugins.index(plugin), scores.nodes.tolist().index(position)
    own = next((each for each, _ in decision.generation.scores if each.name == plugin), None)
    cell = ScoredCell(decision, scores.rows[which], place, position)
    weighted = Calculation(
        WEIGHTED, f"{cell.normal} × {scores.weights[which]}", str(scores.results[which, place]), say("score × weight")
    )
    here = f"cell/{plugin}/{node}"
    return [
        step if step.refers or step.what not in STAGES else replace(step, refers=((step.result, here),))
        for step in [*score_steps(own, cell), weighted]
    ]


def leading_to(found: Sequence[Calculation], at: int, stages: Collection[str]) -> Sequence[Calculation]:
    """The steps after the stage before, up to the one at this place."""
    first = max((i + 1 for i in range(at) if found[i].what in stages), default=0)
    return found[first : at + 1]


def summed(decision: Decision, node: str) -> Calculation:
    """The steps to the total score of a node that has one."""
    scores, position = decision.scores, decision.cluster.index[node]
    assert scores is not None
    place = scores.nodes.tolist().index(position)
    values, total = scores.results[:, place].tolist(), str(scores.total[place])
    cells = [(str(abs(value)), f"cell/{name}/{node}") for name, value in zip(scores.plugins, values, strict=True)]
    return Calculation(SUM, added(values), total, refers=(*cells, (total, f"end/{node}")))


def steps_html(lines: Sequence[Calculation]) -> Html:
    return table((*terms("Step", "Arithmetic"), ""), (row(step.label, _pointing(step), step.remark) for step in lines))


def _pointing(step: Calculation) -> Html:
    """The step, with its numbers pointing to their cells."""
    look = "border-bottom:1px dotted;cursor:default;"
    return join(element("span", text, data_ref=key, style=look) if key else text for text, key in step.parts())
