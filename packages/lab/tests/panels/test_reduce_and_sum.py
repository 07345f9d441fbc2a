"""Stages and weights: every weight, every cell, against sums added up here."""

import re
from itertools import product
from xml.etree import ElementTree

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_13, V1_16
from kschedlab.manifests.loading import decode_objects, loads
from kschedlab.scheduler import schedule
from kschedlab_configuration import load_configuration
from kschedlab_configuration.older.registry import DEFAULT_PRIORITIES
from kschedlab_lab.panels.map_reduce import NEW, manifests
from kschedlab_lab.panels.reduce_and_sum import (
    FIELDS,
    NODES,
    ROWS,
    WEIGHTS,
    Settings,
    decide,
    generation,
    panel,
    score_steps,
    show,
    who_wins,
)
from kschedlab_lab.views.map_reduce import reduced, row_name
from kschedlab_lab.views.reduce_and_sum import STAGES, SUM
from kschedlab_lab.views.svg import Room

ROOM = Room(640, 330)
WITH_REDUCE = ["NodeAffinityPriority", "SelectorSpreadPriority", "TaintTolerationPriority"]


@pytest.mark.parametrize("generation", [V1_13, V1_16], ids=str)
def test_every_weight(generation):
    for affinity, spread, taints in product(WEIGHTS, repeat=3):
        settings = Settings(affinity, spread, taints, stage=SUM, priority=SUM)
        scores = decide(settings).scores
        assert scores is not None
        written = panel().restore(str(settings)).yaml().rpartition("---\n")[2]
        (policed,) = load_configuration(written, generation).values()
        older = schedule(NEW, Cluster(decode_objects(manifests()), generation.api), policed).scores
        assert older is not None and older.total.tolist() == scores.total.tolist()
        own = {FIELDS["affinity"]: affinity, FIELDS["spread"]: spread, FIELDS["taints"]: taints}
        weights = DEFAULT_PRIORITIES | own
        rows = zip(scores.plugins, scores.rows, strict=True)
        totals = sum(weights[plugin] * row.normalized for plugin, row in rows)
        assert totals.tolist() == scores.total.tolist()
        best = [node for node, total in zip(NODES, totals.tolist(), strict=True) if total == totals.max()]
        sentence = show(settings).sentence
        assert sentence.startswith(f"{best[0]} has the highest sum" if len(best) == 1 else " and ".join(best))
        assert reduced(scores) == WITH_REDUCE


def test_every_cell_at_every_stage():
    for stage, priority, node in product(STAGES, ROWS, NODES):
        settings = Settings(stage=stage, priority=priority, node=node)
        view, steps = show(settings), score_steps(decide(settings), priority, node)
        assert priority == SUM or f"{priority.removesuffix('Priority')} on {node}: " in view.sentence
        assert ElementTree.fromstring(str(view.picture(ROOM))).get("aria-label") == view.sentence
        assert all(step.result in str(view.table) for step in steps)
        for step in steps:
            assert value(step.formula) == int(step.result.removesuffix("Mi").rpartition(" ")[2]), step


def value(formula: str) -> int:
    """A formula calculated: units dropped, divisions cut off."""
    plain = re.sub(r"(\d)(Mi|m)\b", r"\1", formula.replace("×", "*"))
    while "|" in plain:
        plain = plain.replace("|", "abs(", 1).replace("|", ")", 1)
    return int(eval(plain))


def test_the_settings_that_the_lesson_goes_to():
    assert show(Settings(stage=SUM)).sentence.startswith("node-a has the highest sum, 35, 1 more than node-b.")
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
    settings = Settings(affinity=3)
    cluster, _, text = panel().restore(str(settings)).yaml().rpartition("---\n")
    (made,) = load_configuration(text, V1_16).values()
    assert dict((plugin.name, weight) for plugin, weight in made.scores) == DEFAULT_PRIORITIES | {
        "NodeAffinityPriority": 3
    }
    assert made.scores == generation(settings).scores
    assert NEW.partition("/")[2] in {each.metadata.name for each in loads(cluster, "cluster").pods}


def test_the_question_is_answered_by_the_sums():
    asked, settings = who_wins(), Settings()
    assert asked.choices == NODES and asked.right(settings) == "node-a" == decide(settings).node
    before = str(asked.before(settings.changed(stage=SUM))(ROOM))
    assert "100,000" not in before and all(f'data-pick="{node}"' in before for node in NODES)
    assert "data-set" not in before and "data-drag" not in before, "nothing but an answer can be clicked"


def test_the_story_goes_through_the_stages_to_the_picture():
    for stage in STAGES:
        view = show(Settings(stage=stage))
        frames = view.story(ROOM)
        assert len(frames) >= len(STAGES) and frames[-1] == (view.picture(ROOM), view.sentence)


def test_weights_are_handles_and_cells_choose_what_is_written_out():
    drawn = ElementTree.fromstring(str(show(Settings()).picture(ROOM)))
    assert {each.get("data-drag") for each in drawn.iter()} - {None} == set(FIELDS)
    sets = {each.get("data-set") for each in drawn.iter()} - {None}
    assert {f"stage: {stage}" for stage in STAGES} < sets
    assert "priority: NodeAffinityPriority, node: node-d" in sets
    assert all(Settings.parse(each) for each in sets)


def test_a_sum_is_written_out_once():
    for node in NODES:
        settings = Settings(stage=SUM, priority=SUM, node=node)
        (step,) = score_steps(decide(settings), SUM, node)
        written = "".join(text for text, _ in step.parts())
        assert written == str(step) and written.count("100000 +") == 1
        assert written in re.sub("<[^>]*>", "", str(show(settings).table))


def keyed(settings: Settings) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(str(show(settings).picture(ROOM)))
    return {key: each for each in root.iter() if (key := each.get("data-key"))}


def test_the_cells_are_the_engine_s_numbers_at_every_stage():
    scores = decide(Settings()).scores
    assert scores is not None
    for stage, rows in (
        ("Map", [row.raw for row in scores.rows]),
        ("Reduce", [row.normalized for row in scores.rows]),
        ("× weight", list(scores.results)),
    ):
        shown = keyed(Settings(stage=stage))
        for plugin, row in zip(scores.plugins, rows, strict=True):
            cells = [shown[f"cell/{row_name(plugin)}/{node}"] for node in NODES]
            assert ["".join(cell.itertext()) for cell in cells] == [f"{value:,}" for value in row.tolist()]


def test_the_sums_are_bars_that_leave_out_what_all_nodes_have():
    shown = keyed(Settings(stage=SUM))
    ends = ["".join(shown[f"end/{node}"].itertext()) for node in NODES]
    assert ends == ["35", "34 (−1)", "32 (−3)", "32 (−3)"] and "won/node-a" in shown
    assert "end/node-a" not in keyed(Settings(stage="× weight"))


def test_reduce_frames_the_rows_that_it_changes():
    framed = {key for key in keyed(Settings(stage="Reduce")) if key.startswith("framed/")}
    assert framed == {f"framed/{name.removesuffix('Priority')}" for name in WITH_REDUCE}


def test_the_panel_moves_through_the_same_functions():
    moved = panel(stage="Reduce").move(priority=SUM, stage=SUM)
    assert moved.view.sentence == show(Settings(stage=SUM, priority=SUM)).sentence
    assert moved.link().startswith("reduce_and_sum.panel().restore(")
