"""The pictures of the score stage."""

from dataclasses import replace
from fractions import Fraction

from kschedlab.generations import V1_20
from kschedlab_lab.panels.score import Cause, decide
from kschedlab_lab.views.chart import Chart
from kschedlab_lab.views.chart_grid import Grid
from kschedlab_lab.views.score import Held, lead, number, result_list, score_map, total, walk_lines, walk_table
from kschedlab_lab.views.style import AMOUNTS
from tests.saying import says

NAMES = ("node-a", "node-b", "node-c", "node-d")
PLUGINS = [plugin.name for plugin, _ in V1_20.scores]


def fills(chart: Chart) -> list[list[str | None]]:
    assert isinstance(chart.picture, Grid)
    return [[cell.fill for cell in row] for row in chart.picture.cells]


def test_a_huge_weight_does_not_make_the_others_look_alike() -> None:
    chart = score_map(decide(Cause()), PLUGINS, NAMES, "weighted")
    *shades, sums = fills(chart)
    assert [row.count(AMOUNTS[-1]) for row in shades] == [0, 0, 0, 0, 0, 4, 2, 0] and sums == [None] * 4
    assert "1000000" in chart.text and str(chart.table).count(AMOUNTS[-1]) == 6


def test_only_the_last_stage_has_sums_and_a_winner() -> None:
    decision = decide(Cause())
    for stage in ("raw", "normalised", "weighted"):
        assert "★" not in score_map(decision, PLUGINS, NAMES, stage).text
    last = score_map(decision, PLUGINS, NAMES, "summed")
    assert "★ node-c" in last.text and fills(last)[-1] == [None, None, AMOUNTS[-1], None]


def test_numbers_and_the_list_of_sums() -> None:
    decision = decide(Cause())
    assert [number(decision, stage, "NodeAffinity", "node-c") for stage in ("raw", "normalised", "weighted")] == [
        20,
        33,
        33,
    ]
    assert result_list(decision) == [(name, total(decision, name)) for name in NAMES]
    assert number(decision, "raw", "Nobody", "node-a") is None


def test_the_lead_or_the_tie() -> None:
    assert says(lead(decide(Cause())), "node-c", "highest", 1000453, 1, "node-d")
    assert lead(decide(Cause(cpu=250))).startswith("node-a, node-d share the highest sum")


def test_a_walk_as_text_and_table() -> None:
    walk = [
        Held("a", 9, "begins", Fraction(1), {"a": Fraction(1)}),
        Held("b", 9, "equal", Fraction(1, 2), {"a": Fraction(1, 2), "b": Fraction(1, 2)}),
    ]
    assert walk_lines(walk).splitlines()[1:] == [
        "  a     9      begins        1       -",
        "  b     9      equal         1/2     1/2",
    ]
    assert str(walk_table(walk)).count("1/2") == 2
    long = str(walk_table([replace(each, name=f"node-{each.name}") for each in walk]))
    assert 'colspan="2"' in long and ">a</th>" in long and ">node-a</td>" in long
