"""The pictures of the score stage."""

from fractions import Fraction
from xml.etree import ElementTree

from kschedlab.generations import V1_20
from kschedlab.lab.panels.score import Cause, decide
from kschedlab.views.score import (
    Bars,
    Held,
    draw_bars,
    lead,
    number,
    result_list,
    score_map,
    total,
    walk_lines,
    walk_table,
)
from kschedlab.views.style import PRIORITIES

NAMES = ("node-a", "node-b", "node-c", "node-d")
PLUGINS = [plugin.name for plugin, _ in V1_20.scores]


def test_a_huge_weight_does_not_make_the_others_look_alike() -> None:
    chart = score_map(decide(Cause()), PLUGINS, NAMES, "weighted")
    shades = chart.figure["data"][0]["z"]
    assert max(max(row) for row in shades[:-1]) == 200 and shades[-1] == [None] * 4
    assert "1000000" in chart.text and str(chart.table).count(PRIORITIES[-1]) == 6


def test_only_the_last_stage_has_sums_and_a_winner() -> None:
    decision = decide(Cause())
    for stage in ("raw", "normalised", "weighted"):
        assert "★" not in score_map(decision, PLUGINS, NAMES, stage).text
    last = score_map(decision, PLUGINS, NAMES, "summed")
    assert "★ node-c" in last.text and last.figure["data"][0]["z"][-1] == [None, None, 200, None]


def test_numbers_and_the_list_of_sums() -> None:
    decision = decide(Cause())
    assert [number(decision, stage, "NodeAffinity", "node-c") for stage in ("raw", "normalised", "weighted")] == [
        20,
        33,
        33,
    ]
    assert result_list(decision) == [(name, total(decision, name)) for name in NAMES]
    assert number(decision, "raw", "Nobody", "node-a") is None
    assert total(decide(Cause(situation="one feasible node")), "node-a") is None


def test_the_lead_or_the_tie() -> None:
    assert lead(decide(Cause())) == "node-c has the highest sum, 1000453, 1 more than node-d."
    assert lead(decide(Cause(cpu=250))).startswith("node-a, node-d share the highest sum")


def test_bars_are_to_scale_and_say_what_they_are() -> None:
    drawing = draw_bars(
        Bars(("<a>", "b"), {"x": (10, 0), "y": (30, 20)}, ("40", "20"), ("b",), 15, "half"), "alt & more"
    )
    root = ElementTree.fromstring(str(drawing))
    assert root.get("aria-label") == "alt & more" and root.get("role") == "img"
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<a>", "★ b", "40", "20", "half", "A x", "B y", "A 10", "B 30"} <= set(texts)
    titles = [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["<a>: x 10", "<a>: y 30", "b: y 20"]
    parts = [
        each.find("{*}rect") for each in root.iter("{http://www.w3.org/2000/svg}g") if each.find("{*}title") is not None
    ]
    assert [float(part.get("width")) / float(parts[0].get("width")) for part in parts] == [1, 3, 2]


def test_one_part_needs_no_legend() -> None:
    assert ">A" not in str(draw_bars(Bars(("a",), {"draws": (5,)}, ("5",)), "one"))


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
