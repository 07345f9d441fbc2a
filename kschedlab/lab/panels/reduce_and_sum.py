"""Reduce and sum: settings -> a Policy with these weights -> Decision -> results[algorithm][node] in its stages.

The cluster is that of :mod:`kschedlab.lab.panels.map_reduce` with four nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kschedlab import testing
from kschedlab.cluster.cluster import Cluster
from kschedlab.configuration import load_configuration
from kschedlab.decision import Decision
from kschedlab.generations import DEFAULT_PRIORITIES, GENERATIONS, Generation
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.map_reduce import NEW, manifests, node_names
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, choice, slider
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab.testing import Manifest
from kschedlab.views.arithmetic import Step, steps_html, steps_text, summed
from kschedlab.views.map_reduce import MAP, REDUCE, STAGES, SUM, arithmetic, draw_stage, grid_text, reduced, stage_rows
from kschedlab.views.score import lead
from kschedlab.views.words import count

NODES = tuple(node_names(4))
ROWS = (*DEFAULT_PRIORITIES, SUM)
WEIGHTS = (1, 2, 3, 5)
FIELDS = {
    "affinity": "NodeAffinityPriority",
    "spread": "SelectorSpreadPriority",
    "taints": "TaintTolerationPriority",
}
"""By name of the setting: the priority whose weight it is."""


@dataclass(frozen=True)
class Settings(Restorable):
    """The generation, three weights, the stage shown, and the cell whose arithmetic is written out."""

    generation: str = choice("generation", ("v1.13", "v1.16"), "v1.16")
    affinity: int = slider("weight of NodeAffinity", WEIGHTS, 1)
    spread: int = slider("weight of SelectorSpread", WEIGHTS, 1)
    taints: int = slider("weight of TaintToleration", WEIGHTS, 1)
    stage: str = slider("stage", STAGES, MAP)
    priority: str = choice("priority", ROWS, FIELDS["taints"])
    node: str = choice("node", NODES, "node-c")


def policy(settings: Settings) -> Manifest:
    """The Policy: the default priorities, three of them with a weight from a slider."""
    weights = DEFAULT_PRIORITIES | {name: getattr(settings, field) for field, name in FIELDS.items()}
    priorities = [{"name": name, "weight": weight} for name, weight in weights.items()]
    return {"kind": "Policy", "apiVersion": "v1", "priorities": priorities}


def as_yaml(settings: Settings) -> str:
    """The cluster, and after it the Policy, as YAML documents."""
    return testing.as_yaml([*manifests(), policy(settings)])


def generation(settings: Settings) -> Generation:
    """The generation with that Policy."""
    return by_policy(testing.as_yaml([policy(settings)]), settings.generation)


def by_policy(text: str, name: str) -> Generation:
    """The generation of that name with a Policy. ManifestError if it refuses the Policy."""
    (found,) = load_configuration(text, GENERATIONS[name]).values()
    return found


def decide(settings: Settings) -> Decision:
    """The scheduler's decision for the new pod."""
    return _decide(settings.generation, settings.affinity, settings.spread, settings.taints)


@lru_cache(maxsize=256)
def _decide(name: str, affinity: int, spread: int, taints: int) -> Decision:
    settings = Settings(generation=name, affinity=affinity, spread=spread, taints=taints)
    return schedule(NEW, Cluster(decode_objects(manifests()), GENERATIONS[name].api), generation(settings))


def score_steps(decision: Decision, priority: str, node: str) -> list[Step]:
    """The arithmetic of this cell, or of the sum."""
    return [summed(decision, node)] if priority == SUM else arithmetic(decision, priority, node)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    decision = decide(settings)
    at = ROWS.index(settings.priority), NODES.index(settings.node)
    steps = score_steps(decision, settings.priority, settings.node)
    sentence = f"{news(decision, settings.stage)} {cell(settings, steps)}"
    grid = grid_text([settings.stage, *NODES], stage_rows(decision, settings.stage))
    picture = draw_stage(decision, settings.stage, at, sentence)
    return View(picture, sentence, steps_html(steps), f"{sentence}\n{grid}\n{steps_text(steps)}")


def news(decision: Decision, stage: str) -> str:
    """The result of the stage."""
    scores = decision.scores
    assert scores is not None
    if stage == MAP:
        return "Each score is for one node alone: counts and weights of any size stand beside marks up to 10."
    if stage == REDUCE:
        return f"Reduce has brought {count(len(reduced(scores)), 'row')} to the scale from 0 to 10."
    if stage == SUM:
        return lead(decision)
    heavy = [name for name, weight in zip(scores.plugins, scores.weights, strict=True) if weight > 1]
    return f"Each score times its weight; {count(len(heavy), 'row')} with a weight other than 1."


def cell(settings: Settings, steps: list[Step]) -> str:
    """The cell's arithmetic at this stage."""
    known = [step for step in steps if step.what in (settings.stage, SUM)]
    return f"{settings.priority} on {settings.node}: {(known or steps)[-1]}."


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, as_yaml, "reduce_and_sum.panel()")


def who_wins() -> Prediction:
    """The prediction before Reduce."""
    return Prediction(
        "Which node has the highest sum once Reduce has run and all weights are 1 (NodePreferAvoidPods: 10000)?",
        {
            "node-a": "Its raw scores are modest. But what will become of that 50? Go on.",
            "node-b": "Good in many rows, best in one. Let us add it up.",
            "node-c": "The 50 is tempting. It is a weight of the pod's wish, and will not stay 50.",
            "node-d": "No web pod is there: the spread likes it. But two taints put the pod off.",
        },
    )
