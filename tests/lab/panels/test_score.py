"""The panels of lesson 03 at every setting: the cause, the cell, the weights; against sums done by hand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_20
from kschedlab.lab.panels import score, weights
from kschedlab.lab.panels.base import drawn
from kschedlab.lab.panels.score import NODES, ONE, PLUGINS, ROWS, UNSCORED, USUAL, Cause, Settings
from kschedlab.lab.panels.weights import FIELDS, Weights
from kschedlab.manifests.loading import loads
from kschedlab.scheduler import schedule
from kschedlab.views.score import STAGES
from kschedlab.views.svg import Room

CAUSES = list(Cause.grid())


def numbers(text: str, rows: int) -> dict[str, list[str]]:
    """The map's cells by row, without the marks of the chosen column and cell."""
    lines = [line.replace("★ ", "").split() for line in text.splitlines()[2 : 2 + rows]]
    return {name: [cell.strip("[]") for cell in cells] for name, *cells in lines}


@pytest.mark.parametrize("cause", CAUSES, ids=str)
def test_every_cause(cause: Cause) -> None:
    decision, view = score.decide(cause), score.show(Settings(**vars(cause), stage=STAGES[3], plugin="sum"))
    assert f"goes to {decision.node}" in view.sentence
    shown = numbers(view.text, len(ROWS))
    if cause.situation == ONE:
        assert decision.node == "node-d" and decision.scores is None
        assert view.sentence.endswith("Nothing is scored.") and set(shown["sum"]) == {"–"}
    elif cause.situation == UNSCORED:
        assert shown["sum"] == ["1"] * 4 and set(shown[PLUGINS[0]]) == {"–"}
        assert view.sentence.endswith("sum on node-a: 1.")
        assert decision.best == list(NODES)
    else:
        columns = zip(*(shown[plugin] for plugin in PLUGINS), strict=True)
        sums = [sum(map(int, column)) for column in columns]
        assert shown["sum"] == [str(each) for each in sums]
        assert decision.best == [node for node, each in zip(NODES, sums, strict=True) if each == max(sums)]
        assert f"★ {decision.node}" in view.text


@pytest.mark.parametrize("stage", STAGES)
def test_every_cell_has_its_arithmetic(stage: str) -> None:
    for plugin, node in product(PLUGINS, NODES):
        settings = Settings(stage=stage, plugin=plugin, node=node)
        view = score.show(settings)
        cell = numbers(view.text, len(ROWS))[plugin][NODES.index(node)]
        assert f"[{cell}]" in view.text
        assert f"{plugin} on {node}: " in view.sentence and view.sentence.endswith(f"{cell}.")
        assert f">{cell}</text>" in str(drawn(view.picture, Room()))


def test_an_example_from_the_lesson() -> None:
    view = score.show(Settings(node="node-b"))
    assert "(4000m - 2500m) × 100 / 4000m = 37" in view.text and "(37 + 31) / 2 = 34" in view.sentence


def test_each_plugin_makes_a_difference_somewhere() -> None:
    usual = [cause for cause in CAUSES if cause.situation == USUAL]
    rows = [numbers(score.show(Settings(**vars(cause))).text, len(ROWS)) for cause in usual]
    assert all(any(len(set(row[plugin])) > 1 for row in rows) for plugin in PLUGINS)


def test_the_causes_that_the_lesson_goes_to() -> None:
    def best(**changes: object) -> list[str]:
        return score.decide(Cause().changed(**changes)).best

    assert best() == ["node-c"]
    assert best(cpu=250) == ["node-a", "node-d"]
    assert best(tainted=False) == ["node-d"]
    assert best(avoided=True) == ["node-d"]


def test_the_yaml_is_the_cluster() -> None:
    cause = Cause(avoided=True, tainted=False)
    decision = schedule(score.NEW, Cluster(loads(score.as_yaml(cause)), V1_20.api), V1_20)
    assert str(decision) == str(score.decide(cause))


def test_what_the_panel_shows_without_the_panel() -> None:
    view, shown = score.panel(stage="summed").view, str(score.shown(stage="summed"))
    assert view is not None
    assert all(str(part) in shown for part in (drawn(view.picture, Room()), view.sentence, view.table))


def test_the_cluster_as_a_table() -> None:
    shown = str(score.look(Cause()))
    assert shown.count("<tr") == 5 and "batch-c: 1 CPU, 7Gi memory" in shown
    assert "maintenance:PreferNoSchedule" in shown and "PreferNo" not in str(score.look(Cause(tainted=False)))


def test_a_click_goes_to_a_cell() -> None:
    moved = score.panel(stage="weighted").click(ROWS.index("sum"), 3)
    assert (moved.settings.plugin, moved.settings.node) == ("sum", "node-d")
    assert "= 1000452" in moved.view.sentence


def test_the_question_offers_the_nodes() -> None:
    assert tuple(score.which_node().remarks) == NODES


def sampled() -> Iterator[Weights]:
    """Each weight alone at each of its values, each pair of axes, and the note."""
    for field, avoided in product(FIELDS, (False, True)):
        for value in Weights.controls()[field].values:
            yield Weights(avoided=avoided).changed(**{field: value})
    for down, across in product(FIELDS, FIELDS):
        yield Weights(down=down, across=across)


def by_hand(given: Weights) -> list[str]:
    """The nodes with the highest sum: normalised scores of the usual cause, times the weights."""
    cells = numbers(score.show(Settings(stage="normalised", avoided=given.avoided)).text, len(ROWS))
    factors = {plugin: getattr(given, field) for field, plugin in FIELDS.items()} | {"NodePreferAvoidPods": 10000}
    sums = [sum(factors[p] * int(cells[p][i]) for p in PLUGINS) for i in range(len(NODES))]
    return [node for node, each in zip(NODES, sums, strict=True) if each == max(sums)]


def test_the_weights_choose_the_node() -> None:
    for given in sampled():
        best, view = by_hand(given), weights.show(given)
        assert weights.decide(given).best == best
        expected = f"{best[0]} has the highest sum" if len(best) == 1 else f"{', '.join(best)} share the highest sum"
        assert view.sentence.startswith(expected)
        assert all((f"★ {node}" in str(view.picture)) == (node in best) for node in NODES)


@pytest.mark.parametrize(("down", "across"), [("spread", "nodes"), ("taints", "least"), ("image", "image")])
def test_the_map_shows_who_wins(down: str, across: str) -> None:
    given = Weights(down=down, across=across)
    lines = weights.show(given).text.splitlines()[-7:]
    values = Weights.controls()[down].values
    for y, line in zip(values, lines, strict=True):
        letters = [cell.strip("[]") for cell in line.split()[1:]]
        best = [by_hand(given.changed(**({across: x} | {down: y} if down != across else {across: x}))) for x in values]
        if down != across:
            assert letters == ["=".join(name[-1].upper() for name in each) for each in best]


def test_the_winners_that_the_lesson_speaks_of() -> None:
    assert [weights.decide(Weights(nodes=each)).best for each in (0, 1, 2)] == [["node-a"], ["node-c"], ["node-d"]]
    assert not any("node-b" in weights.decide(given).best for given in sampled() if not alone(given))


def alone(given: Weights) -> bool:
    """Whether so much is off that nodes may tie for want of opinions."""
    return sum(getattr(given, field) > 0 for field in FIELDS) < 3
