"""Reduce and sum: settings -> a Policy with these weights -> Decision -> results[algorithm][node] in its stages.

The cluster is that of :mod:`kschedlab_lab.panels.map_reduce` with four nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kschedlab.build import Manifest, as_yaml
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import meant, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_configuration import load_configuration
from kschedlab_configuration.older.registry import DEFAULT_PRIORITIES
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, choice, slider
from kschedlab_lab.views.arithmetic import leading_to, steps_html, summed
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.map_reduce import reduced, short
from kschedlab_lab.views.reduce_and_sum import MAP, REDUCE, STAGES, SUM, arithmetic, draw_stage
from kschedlab_lab.views.score import bare, lead
from kschedlab_lab.views.score_formulas import Calculation
from kschedlab_lab.views.svg import Room

NODES = tuple(node_names(4))
ROWS = (*DEFAULT_PRIORITIES, SUM)
WEIGHTS = (1, 2, 3)
FIELDS = {
    "affinity": "NodeAffinityPriority",
    "spread": "SelectorSpreadPriority",
    "taints": "TaintTolerationPriority",
}
"""By name of the setting: the priority whose weight it is."""


@dataclass(frozen=True)
class Settings(Restorable):
    """Three weights, the stage shown, and the cell whose arithmetic is written out."""

    affinity: int = slider("weight of NodeAffinity", WEIGHTS, 1)
    spread: int = slider("weight of SelectorSpread", WEIGHTS, 1)
    taints: int = slider("weight of TaintToleration", WEIGHTS, 1)
    stage: str = choice("stage", STAGES, MAP)
    priority: str = choice(meant("priority", "algorithm"), ROWS, FIELDS["taints"])
    node: str = choice("node", NODES, "node-c")


def policy(settings: Settings) -> Manifest:
    """The Policy: the default priorities, three of them with a weight from a slider."""
    weights = DEFAULT_PRIORITIES | {name: getattr(settings, field) for field, name in FIELDS.items()}
    priorities = [{"name": name, "weight": weight} for name, weight in weights.items()]
    return {"kind": "Policy", "apiVersion": "v1", "priorities": priorities}


def generation(settings: Settings) -> Generation:
    """v1.16 with that Policy."""
    (found,) = load_configuration(as_yaml([policy(settings)]), V1_16).values()
    return found


def decide(settings: Settings) -> Decision:
    """The scheduler's decision for the new pod."""
    return _scheduled(Settings(settings.affinity, settings.spread, settings.taints))


@lru_cache(maxsize=256)
def _scheduled(weights: Settings) -> Decision:
    return schedule(NEW, Cluster(decode_objects(manifests()), V1_16.api), generation(weights))


def score_steps(decision: Decision, priority: str, node: str) -> list[Calculation]:
    """The arithmetic of this cell, or of the sum."""
    return [summed(decision, node)] if priority == SUM else arithmetic(decision, priority, node)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence = describe(settings)

    def story(room: Room) -> list[Frame]:
        whole = [replace(settings, stage=stage, priority=SUM) for stage in STAGES]
        moments = [*whole[: -1 if settings.stage == SUM else None], settings]
        return [Frame(draw(each, room), describe(each)) for each in moments]

    table = steps_html(score_steps(decide(settings), settings.priority, settings.node))
    return View(lambda room: draw(settings, room), sentence, table, sentence, story=story)


def draw(settings: Settings, room: Room) -> Html:
    weights = {field: getattr(settings, field) for field in FIELDS}
    dials = {FIELDS[field]: Dial.among(WEIGHTS, weight, f"×{weight}", field) for field, weight in weights.items()}
    selected = settings.priority, settings.node
    return draw_stage(decide(settings), settings.stage, selected, dials, room, describe(settings))


def _asked(settings: Settings, room: Room) -> Html:
    """Map's scores, without anything to click but an answer."""
    return draw_stage(decide(settings), MAP, None, {}, room, say("The scores that Map has found."))


def describe(settings: Settings) -> str:
    """The stage, and the arithmetic of the cell."""
    decision = decide(settings)
    if settings.priority == SUM:
        return news(decision, settings.stage)
    steps = score_steps(decision, settings.priority, settings.node)
    return sentences([news(decision, settings.stage), cell(settings, steps)])


def news(decision: Decision, stage: str) -> str:
    scores = decision.scores
    assert scores is not None
    if stage == MAP:
        return say(
            "Map gives each row a scale of its own. Some rows hold counts and weights of any size, others scores up "
            "to 10."
        )
    if stage == REDUCE:
        return say("Reduce brings {rows} to the scale from 0 to 10.", rows=count(len(reduced(scores)), "row"))
    if stage == SUM:
        return sentences((lead(bare(decision)), say("Each has another 100,000 from NodePreferAvoidPods.")))
    heavy = [name for name, weight in zip(scores.plugins, scores.weights, strict=True) if weight > 1]
    others = say("1 row has") if len(heavy) == 1 else say("{number} rows have", number=len(heavy))
    return say("Each score times its weight; {others} a weight other than 1.", others=others)


def cell(settings: Settings, steps: list[Calculation]) -> str:
    """The cell's arithmetic at this stage."""
    at = max((i for i, step in enumerate(steps) if step.what == settings.stage), default=len(steps) - 1)
    value = say("; ").join(map(str, leading_to(steps, at, STAGES)))
    return say("{row} on {node}: {value}.", row=short(settings.priority), node=settings.node, value=value)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    first = Settings().changed(**settings)
    return Panel(first, show, lambda settings: [*manifests(), policy(settings)], "reduce_and_sum.panel()")


def who_wins() -> Question[Settings]:
    """The question before Reduce: whose sum is highest?"""

    def right(settings: Settings) -> str:
        return decide(settings).best[0]

    def why(settings: Settings, answer: str) -> str:
        """How far behind the answer is; of the right one, how far the node that Map's scores prefer."""
        decision = decide(settings)
        scores, best = decision.scores, decision.best[0]
        assert scores is not None
        mapped = [sum(row.raw[place] for row in scores.rows) for place in range(len(NODES))]
        node = answer if answer != best else NODES[mapped.index(max(mapped))]
        place, row = NODES.index(node), scores.rows[scores.plugins.index(FIELDS["affinity"])]
        raw, marks = int(row.raw[place]), int(row.normalized[place])
        shrinks = say(" Its {raw} for NodeAffinity becomes {marks}.", raw=raw, marks=marks) if raw > marks else ""
        behind = count(int(scores.total.max() - scores.total[place]), "point")
        return say("{node} ends {behind} behind {best}.{shrinks}", node=node, behind=behind, best=best, shrinks=shrinks)

    return Question(
        say("Reduce brings each row to the scale from 0 to 10; then the scores are added up. Which node wins?"),
        NODES,
        right,
        why,
        lambda settings: lambda room: _asked(settings, room),
    )
