"""The panels of lesson 03 at every setting: the cause, the cell, the weights; against sums done by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from math import log
from typing import Any
from xml.etree import ElementTree

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import loads
from kschedlab.scheduler import schedule
from kschedlab_lab.panels import score, score_two as two, weights
from kschedlab_lab.panels.base import Panel, drawn
from kschedlab_lab.panels.score import Settings
from kschedlab_lab.panels.score_cluster import FOUR, NEW, NODES, PLUGINS, Cause, decide
from kschedlab_lab.panels.score_sights import sights
from kschedlab_lab.panels.weights import FIELDS, Weights
from kschedlab_lab.views.score import STAGES, together
from kschedlab_lab.views.score_bars import in_order
from kschedlab_lab.views.score_map import REWARDS, ScoreMap
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of

CAUSES = list(each_of(Cause))


def numbers(settings: Settings) -> dict[str, list[str]]:
    """The map's cells by row, as the picture tells them."""
    shown = keyed_in(str(drawn(score.show(settings).picture, Room())))
    tips = {key: shown[f"cell/{key[0]}/{key[1]}"].get("data-tip") or "" for key in product(PLUGINS, NODES)}
    return {row: [tips[row, node].rpartition(": ")[2].partition(" (")[0] for node in NODES] for row in PLUGINS}


def ends(panel: Panel[Any]) -> list[str]:
    """What is written at the ends of the bars."""
    shown = keyed(panel)
    return ["".join(shown[f"end/{node}"].itertext()) for node in NODES]


@pytest.mark.parametrize("cause", CAUSES, ids=str)
def test_every_cause(cause: Cause) -> None:
    settings = Settings(**vars(cause), plugin="sum")
    decision, view = decide(cause), score.show(settings)
    goes = f"goes to {decision.node}" if len(decision.best) == 1 else f"this picture shows {decision.node}"
    assert goes in view.sentence
    shown = numbers(settings)
    columns = zip(*(shown[plugin] for plugin in PLUGINS), strict=True)
    sums = [sum(map(int, column)) for column in columns]
    written = [end.partition(" ")[0] for end in ends(score.panel(**vars(settings)))]
    assert written == list(map(str, sums))
    assert decision.best == [node for node, each in zip(NODES, sums, strict=True) if each == max(sums)]
    assert f"★ {decision.node}" in "".join(keyed(score.panel(**vars(settings)))[f"bar/{decision.node}"].itertext())


@pytest.mark.parametrize("stage", STAGES)
def test_every_cell_has_its_arithmetic(stage: str) -> None:
    for plugin, node in product(PLUGINS, NODES):
        settings = Settings(step=STAGES.index(stage), plugin=plugin, node=node)
        view = score.show(settings)
        cell = numbers(settings)[plugin][NODES.index(node)]
        named = plugin.removeprefix("NodeResources")
        assert f"{named} gives {node} {cell}" in view.sentence
        assert view.sentence.startswith(named) is (stage in (STAGES[0], STAGES[2]))
        assert view.sentence.startswith("Now all rows are 0 … 100. ") is (stage == STAGES[1])
        assert f">{cell}" in str(drawn(view.picture, Room()))


def test_an_example_from_the_lesson() -> None:
    view = score.show(Settings(node="node-b", plugin="NodeResourcesLeastAllocated", step=0))
    assert "(4000m − 2500m) × 100 / 4000m = 37" in view.sentence and "(37 + 31) / 2 = 34" in view.sentence
    spread = score.show(Settings(node="node-b", plugin="PodTopologySpread", step=1))
    assert spread.sentence.endswith("100 × (4 + 1 − 4) / 4 = 25.")


def test_each_plugin_makes_a_difference_somewhere() -> None:
    rows = [numbers(Settings(**vars(cause))) for cause in CAUSES]
    decides = [plugin for plugin in PLUGINS if any(len(set(row[plugin])) > 1 for row in rows)]
    assert decides == [*PLUGINS]


def test_the_causes_that_the_lesson_goes_to() -> None:
    assert decide(Cause()).best == decide(Cause(), V1_20).best == ["node-c"]
    assert decide(Cause(tainted=False)).best == ["node-d"]


def test_the_yaml_is_the_cluster() -> None:
    cause = Cause(fast=False, tainted=False)
    decision = schedule(NEW, Cluster(loads(score.panel().move(**vars(cause)).yaml()), V1_20.api), FOUR)
    assert str(decision) == str(decide(cause))


def test_a_click_goes_to_a_cell() -> None:
    panel = score.panel()
    shown = keyed(panel)
    assert all(shown[f"cell/{plugin}/{node}"].get("data-set") for plugin, node in product(PLUGINS, NODES))
    moved = panel.restore(f"{panel.settings}, {shown['cell/TaintToleration/node-d'].get('data-set')}")
    assert (moved.settings.plugin, moved.settings.node) == ("TaintToleration", "node-d")
    assert moved.settings.step == 3 and "1 × 100 / 1 = 100; 100 − 100 = 0" in moved.view.sentence
    weighed = panel.move(plugin="PodTopologySpread", node="node-d").view.sentence
    assert "100 × (4 + 1 − 1) / 4 = 100; 100 × 2 = 200" in weighed


def test_raw_scores_are_what_the_lines_above_them_say() -> None:
    """Weights where there is a check mark; the shares of which the score is the mean; what is counted."""
    for cause in CAUSES:
        raw, decision = numbers(Settings(**vars(cause), step=0)), decide(cause)
        lines = sights(cause, decision, "NodeAffinity")
        weights = [int(line.name.rpartition(": ")[2]) for line in lines]
        marks = [[value == "✓" for value in line.values] for line in lines]
        sums = [sum(w for w, m in zip(weights, column, strict=True) if m) for column in zip(*marks, strict=True)]
        assert sums == [int(each) for each in raw["NodeAffinity"]]
        for least, (cpu, memory) in zip(
            raw["NodeResourcesLeastAllocated"],
            zip(*(line.values for line in sights(cause, decision, "NodeResourcesLeastAllocated")), strict=True),
            strict=True,
        ):
            assert int(least) == (int(cpu) + int(memory)) // 2
        assert list(sights(cause, decision, "TaintToleration")[0].values) == raw["TaintToleration"]
        shops = sights(cause, decision, "PodTopologySpread")[0].values
        assert raw["PodTopologySpread"] == [str(int(int(pods) * log(4))) for pods in shops]


def keyed(panel: Panel[Any], room: Room | None = None) -> dict[str, ElementTree.Element]:
    return keyed_in(str(drawn(panel.view.picture, room or Room())))


def keyed_in(picture: str) -> dict[str, ElementTree.Element]:
    return {key: each for each in ElementTree.fromstring(picture).iter() if (key := each.get("data-key"))}


def test_every_mark_in_the_picture_is_understood() -> None:
    for panel in (score.panel(), score.panel(step=0, tainted=False)):
        root = ElementTree.fromstring(str(drawn(panel.view.picture, Room())))
        sets = [each.get("data-set") for each in root.iter() if each.get("data-set")]
        moved = {str(panel.restore(f"{panel.settings}, {text}").settings) for text in sets}
        assert len(moved) == len(sets) - len(PLUGINS) == len(PLUGINS) * len(NODES), "a row's name is the cell in use"


def test_raw_rows_come_one_after_the_other_and_say_what_they_reward() -> None:
    settings = score.panel("raw", node="node-b").settings
    seen, heights = [], set()
    for step in range(len(PLUGINS)):
        settings = settings.at({"step": step})
        view = score.show(settings)
        root = ElementTree.fromstring(str(drawn(view.picture, Room())))
        heights.add(root.get("viewBox"))
        rows = {key[4:]: each for each in root.iter() if (key := each.get("data-key", "")).startswith("row/")}
        new = set(rows) - set(seen)
        seen += new
        assert new == {settings.plugin} and view.sentence.startswith(REWARDS[settings.plugin])
        assert all(each.get("data-tip") == REWARDS[name] for name, each in rows.items())
    assert set(seen) == set(PLUGINS) and len(heights) == 1, "the picture does not jump"
    assert score.show(settings.at({"step": 0})).sentence.startswith(REWARDS[seen[0]]), "and back"


def test_rows_are_normalised_one_after_the_other() -> None:
    panel = score.panel("normalised", plugin="NodeAffinity")
    assert panel.settings.step == 4
    walked = [score.panel("normalised", plugin="NodeAffinity", step=step) for step in range(5)]
    said = [each.view.sentence for each in walked]
    assert said[0] == "NodeAffinity gives node-c 20. 1 preferred term matches, by weight."
    assert said[1] == "NodeAffinity brings its row to 0 … 100. node-c: 20 × 100 / 60 = 33."
    assert [each.partition(" ")[0] for each in said[1:-1]] == list(score.NORMALISING)
    for done, each in enumerate(walked[:-1]):
        cells = keyed(each)
        tips = [cells[f"cell/{plugin}/node-c"].get("data-tip") or "" for plugin in score.NORMALISING]
        assert ["(raw)" in tip for tip in tips] == [place >= done for place in range(3)]
    assert numbers(walked[3].settings) == numbers(walked[4].settings) == numbers(Settings(step=1))


def test_only_these_rows_change_when_they_are_normalised() -> None:
    for cause in CAUSES:
        raw, normal = (numbers(Settings(**vars(cause), step=step)) for step in (0, 1))
        assert {plugin for plugin in PLUGINS if raw[plugin] != normal[plugin]} <= {*score.NORMALISING}
    usual = [numbers(Settings(step=step)) for step in (0, 1)]
    assert [plugin for plugin in PLUGINS if usual[0][plugin] != usual[1][plugin]] == list(score.NORMALISING)


def test_passes_are_walked_through() -> None:
    panel = score.panel()
    assert "step" in panel.view.idle and "step" not in score.panel("normalised").view.idle
    assert [score.panel(step=step).settings.stage for step in range(4)] == list(STAGES)
    for room in (Room(640, 400), Room(330, 400)):
        assert "fast disk" in str(drawn(score.panel("normalised", plugin="NodeAffinity").view.picture, room))
        assert "sight/0" not in keyed(panel, room), "sums have no room for it"


def test_a_stage_that_would_give_something_away_is_not_reached() -> None:
    panel = score.panel("normalised")
    assert panel.settings.stage == "normalised" and panel.view.idle.keys() == {"tainted"}
    assert "bar/node-c" not in keyed(panel) and "bar/node-c" not in keyed(score.panel(step=2))


@pytest.mark.parametrize("room", [Room(500, 390), Room(660, 390)], ids=str)
def test_the_bars_keep_their_scale(room: Room) -> None:
    def scales(panel: Panel[Any]) -> list[float]:
        shown = keyed(panel, room)
        bars = [key for key in shown if key.startswith("bar/") and key.endswith("/box")]
        points = [float((shown[key.removesuffix("/box")].get("data-tip") or "").rpartition(" ")[2]) for key in bars]
        wide = [float(shown[key].get("width", "nan")) for key in bars]
        return [each / given for each, given in zip(wide, points, strict=True)]

    for panels in (
        [weights.panel()],
        [weights.panel(nodes=3, taints=0)],
        [score.panel(), score.panel(tainted=False, fast=False)],
        [two.panel(room=weight) for weight in two.WEIGHTS],
    ):
        found = [scale for panel in panels for scale in scales(panel)]
        assert found == pytest.approx([found[0]] * len(found), rel=0.02)


def test_a_larger_weight_makes_no_other_bar_shorter_while_there_is_room() -> None:
    usual, more, most = (
        bar_ends(weights.panel(**given), "node-a") for given in ({}, {"nodes": 2}, dict.fromkeys(FIELDS, weights.MOST))
    )
    assert usual == more < most < 450


def bar_ends(panel: Panel[Any], node: str) -> float:
    """Where the node's bar ends."""
    return max(
        float(each.get("x", "0")) + float(each.get("width", "0"))
        for key, each in keyed(panel, Room(500, 390)).items()
        if key.startswith(f"bar/{node}/") and key.endswith("/box")
    )


def test_the_largest_number_fills_its_cell_and_all_others_are_to_its_scale() -> None:
    heavy = ScoreMap(weights.decide(Weights(nodes=6, taints=3)), PLUGINS, NODES, STAGES[-1], None, "")
    shown = keyed_in(str(heavy(Room(640, 400))))
    cells = ("NodeAffinity/node-d", "TaintToleration/node-a", "PodTopologySpread/node-c")
    wide = [float(shown[f"cell/{cell}/box"].get("width", "nan")) for cell in cells]
    assert [each / wide[0] for each in wide] == pytest.approx([1, 300 / 600, 200 / 600], rel=0.02)


def test_a_tie_is_dashed_and_named_and_one_node_is_framed() -> None:
    panel = weights.panel(least=0, nodes=0, spread=0)
    shown, sums = keyed(panel), dict(zip(NODES, ends(panel), strict=True))
    assert [node for node in NODES if "tie" in sums[node]] == ["node-a", "node-b", "node-c"]
    assert {"won/node-a", "tied/node-b"} <= shown.keys() and "won/node-b" not in shown
    assert "won/node-c" not in keyed(score.panel(step=0))
    assert panel.view.sentence.startswith("node-a, node-b and node-c share the highest sum, 100:")


def test_sums_are_differences_to_the_best_and_the_million_of_all_is_left_out() -> None:
    assert ends(score.panel()) == ["215 (−170)", "184 (−201)", "385", "359 (−26)"]
    eight = ScoreMap(decide(Cause(), V1_20), in_order(p.name for p, _ in V1_20.scores), NODES, STAGES[-1], None, "")
    shown = keyed_in(str(eight(Room())))
    assert ["".join(shown[f"end/{node}"].itertext()) for node in NODES] == ["451 (−2)", "382 (−71)", "453", "452 (−1)"]
    assert {"".join(shown[f"cell/NodePreferAvoidPods/{node}"].itertext()) for node in NODES} == {"✓"}


def test_a_plugin_has_one_colour_and_its_bar_is_as_long_as_its_number() -> None:
    shown, other = keyed(score.panel()), keyed(weights.panel())
    for plugin, node in (("NodeAffinity", "node-d"), ("TaintToleration", "node-a")):
        cell, bar = shown[f"cell/{plugin}/{node}/box"], shown[f"bar/{node}/{plugin}/box"]
        assert cell.get("fill") == bar.get("fill") == other[f"cell/{plugin}/{node}/box"].get("fill")
    wide = {node: float(shown[f"cell/PodTopologySpread/{node}/box"].get("width", "nan")) for node in NODES}
    assert wide["node-c"] == wide["node-d"] == pytest.approx(4 * wide["node-a"], rel=0.02)
    ends_at = {node: float(shown[f"end/{node}"].get("x", "nan")) for node in NODES}
    assert max(ends_at, key=ends_at.__getitem__) == "node-c"


def test_the_question_about_raw_scores_shows_of_what_they_are_the_mean() -> None:
    question, settings = score.the_least(), score.Raw(plugin="NodeResourcesLeastAllocated", node="node-b")
    assert question.before is not None
    asked = str(drawn(question.before(settings), Room(480, 420)))
    assert "free CPU" in asked and ">37<" in asked and ">31<" in asked
    assert ">34<" not in asked and question.right(settings) == "node-b"
    assert question.why(settings, "node-a") == "node-a gets (62 + 68) / 2 = 65. node-b gets (37 + 31) / 2 = 34."


def test_the_question_about_a_cell_does_not_show_its_number() -> None:
    settings = score.panel("normalised", node="node-c", plugin="NodeAffinity").settings
    question = score.without_the_disk()
    assert question.before is not None
    root = ElementTree.fromstring(str(drawn(question.before(settings), Room())))
    cells = {key: "".join(each.itertext()) for each in root.iter() if (key := each.get("data-key"))}
    row = [cells[f"cell/NodeAffinity/{node}"] for node in NODES]
    assert row == ["0", "0", "20", "60"] and "selected" in cells, "the numbers of which the text computes an example"
    assert cells["cell/PodTopologySpread/node-a"] == "4", "the other rows are raw, too"


def test_the_map_keeps_its_scale_when_the_answer_comes() -> None:
    question, settings, room = score.who_wins(), Settings(), Room(540, 360)
    assert question.before is not None
    before, after = (
        keyed_in(str(drawn(picture, room)))["cell/TaintToleration/node-a/box"].attrib
        for picture in (question.before(settings), score.show(settings).picture)
    )
    assert (before["height"], before["width"]) == (after["height"], after["width"])


def sampled() -> Iterator[Weights]:
    """Each weight alone at each of its values."""
    for field in FIELDS:
        for value in Weights.controls()[field].values:
            yield Weights().changed(**{field: value})


@cache
def normalised() -> dict[str, list[str]]:
    """The scores of the usual cause."""
    return numbers(Settings(step=1))


def by_hand(given: Weights) -> list[str]:
    """The nodes with the highest sum: normalised scores of the usual cause, times the weights."""
    cells = normalised()
    factors = {plugin: getattr(given, field) for field, plugin in FIELDS.items()}
    sums = [sum(factors[p] * int(cells[p][i]) for p in PLUGINS) for i in range(len(NODES))]
    return [node for node, each in zip(NODES, sums, strict=True) if each == max(sums)]


def test_the_weights_choose_the_node() -> None:
    for given in sampled():
        best, view = by_hand(given), weights.show(given)
        assert weights.decide(given).best == best
        has = "has the highest sum" if len(best) == 1 else "share the highest sum"
        assert view.sentence.startswith(f"{together(best)} {has}")
        shown = keyed(weights.panel().restore(str(given)))
        bars = {node: "".join(shown[f"bar/{node}"].itertext()) for node in NODES}
        assert [node for node in NODES if "★" in bars[node]] == [weights.decide(given).node]
        assert [node for node in NODES if "tie" in bars[node]] == (best if len(best) > 1 else [])


def test_weights_are_dials_in_the_map() -> None:
    root = ElementTree.fromstring(str(drawn(weights.panel(spread=3).view.picture, Room())))
    dials = {name: "".join(each.itertext()) for each in root.iter() if (name := each.get("data-drag"))}
    assert dials.keys() == FIELDS.keys() and "×3" in dials["spread"] and "×1" in dials["nodes"]
    assert not [each for each in root.iter() if each.get("data-set")], "its settings know no selected cell"
    cells = keyed(weights.panel(spread=3, nodes=0))
    numbers = ["".join(cells[f"cell/{each}/node-c"].itertext()) for each in ("PodTopologySpread", "NodeAffinity")]
    assert numbers == ["300", "–"]


def test_the_map_of_weights_fits() -> None:
    for room in (Room(400, 300), Room(640, 330), Room(800, 300), Room(980, 460)):
        root = ElementTree.fromstring(str(drawn(weights.panel().view.picture, room)))
        width, height = map(float, (root.get("viewBox") or "").split()[2:])
        assert width <= room.width and (room.width < 700 or height <= max(room.height, 400))


def test_the_winners_that_the_lesson_speaks_of() -> None:
    assert [weights.decide(Weights(nodes=each)).best for each in (1, 2)] == [["node-c"], ["node-d"]]
    for given in (Weights(nodes=0, spread=0), Weights(spread=0, least=3)):
        assert weights.decide(given).best == ["node-a"]
    assert not any(weights.decide(given).best == ["node-b"] for given in each_of(Weights))


def test_two_columns_are_compared_by_whoever_answers() -> None:
    question, settings = score.who_wins(), Settings()
    assert [node for node in question.choices if question.verdict(node, settings)["right"]] == ["node-c"]
    steps = [int(step.replace("−", "-")) for step in re.findall(r"[+−]\d+", question.why(settings, "node-d"))]
    assert sum(steps[:-1]) == steps[-1] == 385 - 359
    assert question.before is not None
    asked = str(drawn(question.before(settings), Room()))
    assert "385" not in asked
    assert [node for node in NODES if f'data-pick="{node}"' in asked] == [*question.choices]


def test_the_pod_waits_beside_the_columns_and_lands_on_its_node() -> None:
    def at(panel: Panel[Any]) -> float:
        """How far to the right the pod is."""
        return float(re.findall(r"translate\(([\d.]+)", keyed(panel)["pod"].get("transform") or "")[0])

    waiting, settings = score.who_wins().before, Settings()
    assert waiting is not None
    asked = keyed_in(str(drawn(waiting(settings), Room())))["pod"].get("transform")
    landed = [at(weights.panel(**given)) for given in ({"nodes": 0, "spread": 0}, {}, {"nodes": 2})]
    assert asked != keyed(score.panel())["pod"].get("transform")
    assert landed == sorted(set(landed)), "node-a, node-c, node-d"


def test_rows_that_decide_nothing_are_pale_while_two_columns_are_compared() -> None:
    question = score.who_wins()
    assert question.before is not None
    asked = keyed_in(str(drawn(question.before(Settings()), Room())))
    pale = {plugin for plugin in PLUGINS if asked[f"row/{plugin}"].get("opacity")}
    assert pale == {"PodTopologySpread"}
    assert not [each for each in keyed(score.panel()).values() if each.get("opacity")]


def test_the_verdict_about_a_cell_is_there_at_its_step_alone() -> None:
    panel = score.panel("normalised", plugin="NodeAffinity").ask(score.without_the_disk()).answer(100)
    room = Room()
    assert panel.state(panel.settings, room)["verdict"]["right"]
    for changes in ({"step": 0}, {"fast": True}, {"plugin": "TaintToleration"}, {"node": "node-a"}):
        assert panel.state(panel.settings.changed(**changes), room)["verdict"] is None
