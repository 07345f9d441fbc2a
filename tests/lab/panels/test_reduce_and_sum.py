"""Stages and weights: every weight, every cell, against sums added up here."""

import re
from itertools import product
from xml.etree import ElementTree

import pytest

from kschedlab.configuration import load_configuration
from kschedlab.generations import DEFAULT_PRIORITIES, V1_16
from kschedlab.lab.panels.map_reduce import NEW
from kschedlab.lab.panels.reduce_and_sum import (
    FIELDS,
    NODES,
    ROWS,
    WEIGHTS,
    Settings,
    as_yaml,
    by_policy,
    decide,
    generation,
    panel,
    score_steps,
    show,
    who_wins,
)
from kschedlab.manifests.loading import loads
from kschedlab.views.map_reduce import STAGES, SUM, reduced

WITH_REDUCE = ["NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority"]


@pytest.mark.parametrize("name", ["v1.13", "v1.16"])
def test_every_weight(name):
    for affinity, spread, taints in product(WEIGHTS, repeat=3):
        settings = Settings(name, affinity, spread, taints, stage=SUM, priority=SUM)
        scores = decide(settings).scores
        assert scores is not None
        own = {FIELDS["affinity"]: affinity, FIELDS["spread"]: spread, FIELDS["taints"]: taints}
        weights = DEFAULT_PRIORITIES | own
        rows = zip(scores.plugins, scores.rows, strict=True)
        totals = sum(weights[plugin] * row.normalized for plugin, row in rows)
        assert totals.tolist() == scores.total.tolist()
        best = [node for node, total in zip(NODES, totals.tolist(), strict=True) if total == totals.max()]
        sentence = show(settings).sentence
        assert sentence.startswith(f"{best[0]} has the highest sum" if len(best) == 1 else ", ".join(best))
        assert reduced(scores) == WITH_REDUCE


def test_every_cell_at_every_stage():
    for stage, priority, node in product(STAGES, ROWS, NODES):
        settings = Settings(stage=stage, priority=priority, node=node)
        view, steps = show(settings), score_steps(decide(settings), priority, node)
        assert f"{priority} on {node}: " in view.sentence
        assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence
        assert all(step.result in view.text for step in steps)
        for step in steps:
            assert value(step.formula) == int(step.result.removesuffix("Mi")), step


def value(formula: str) -> int:
    """A formula calculated: units dropped, divisions cut off."""
    plain = re.sub(r"(\d)(Mi|m)\b", r"\1", formula.replace("×", "*"))
    while "|" in plain:
        plain = plain.replace("|", "abs(", 1).replace("|", ")", 1)
    return int(eval(plain))


def test_the_settings_that_the_lesson_goes_to():
    assert show(Settings(stage=SUM)).sentence.startswith("node-a has the highest sum, 100035, 1 more than node-b")
    for weights, node in (
        ({"affinity": 3}, "node-c"),
        ({"spread": 3}, "node-d"),
        ({"taints": 3}, "node-a"),
        ({"spread": 2, "taints": 2}, "node-b"),
    ):
        assert decide(Settings().changed(**weights)).best == [node]
    assert all(decide(Settings(taints=weight)).best == ["node-a"] for weight in WEIGHTS)


def test_without_reduce_another_node_would_win():
    scores = decide(Settings()).scores
    assert scores is not None
    raw = sum(row.raw for row in scores.rows).tolist()
    assert max(raw) == raw[NODES.index("node-c")] and decide(Settings()).node == "node-a"


def test_the_yaml_is_the_cluster_and_a_policy_that_the_generation_reads():
    settings = Settings(affinity=5)
    cluster, _, text = as_yaml(settings).rpartition("---\n")
    (made,) = load_configuration(text, V1_16).values()
    assert dict((plugin.name, weight) for plugin, weight in made.scores) == DEFAULT_PRIORITIES | {
        "NodeAffinityPriority": 5
    }
    assert made.scores == generation(settings).scores == by_policy(text, "v1.16").scores
    assert NEW.partition("/")[2] in {each.metadata.name for each in loads(cluster, "cluster").pods}


def test_the_question_offers_all_nodes():
    assert tuple(who_wins().remarks) == NODES


def test_the_panel_moves_through_the_same_functions():
    moved = panel(stage="Reduce").move(priority=SUM, stage=SUM)
    assert moved.view == show(Settings(stage=SUM, priority=SUM))
    assert moved.link().startswith("reduce_and_sum.panel().restore(")
