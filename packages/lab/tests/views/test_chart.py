"""Charts: the picture, the table, the and the text say the same; user text stays text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from kschedlab_lab.views.chart import Chart, bars, curve, decision_map, heat_map, letter, shade
from kschedlab_lab.views.chart_bars import Bars, Drag
from kschedlab_lab.views.chart_lines import ticks
from kschedlab_lab.views.style import AMOUNTS, CHOSEN, NODES
from kschedlab_lab.views.svg import Room

ROWS, COLUMNS = ["Fit", "Spread"], ["node-a", "node-b", "node-c"]
HOSTILE = "<a href='x'>&</a>"
ROOMS = (Room(400, 300), Room(640, 330), Room(1100, 500))
SVG = "{http://www.w3.org/2000/svg}"


def every_kind(name: str = "node-a") -> list[Chart]:
    return [
        heat_map([[1, None]], [name], [name, "b"], selected=(0, 1), chosen=0, corner=name),
        decision_map(
            [[name, None], [(name, "b"), "b"]],
            ["1", "2"],
            [name, "b"],
            selected=(0, 0),
            titles=(name, name),
            remark=name,
        ),
        curve([1, 2], {name: [1, 2], "y": [3, 4]}, titles=(name, name), at=1),
        bars(Bars([name, "b"], {name: [1, 2], "y": [3, 4]}, [name, "6"], name, [name], line=2, line_words=name), name),
    ]


def drawn(chart: Chart, room: Room = ROOMS[1]) -> ElementTree.Element:
    return ElementTree.fromstring(str(chart.picture(room)))


def keyed(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {key: each for each in root.iter() if (key := each.get("data-key"))}


def words(part: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in part.iter(f"{SVG}text")]


@pytest.mark.parametrize("number", range(4))
def test_user_text_is_never_markup(number: int) -> None:
    chart = every_kind(HOSTILE)[number]
    for shown in (chart.table, chart.picture(ROOMS[1])):
        assert "<a" not in str(shown) and "&lt;a href=" in str(shown)


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_any_name_can_be_shown(name: str) -> None:
    for chart in every_kind(name):
        drawn(chart)
        str(chart.table).encode()


@pytest.mark.parametrize("room", ROOMS, ids=str)
@pytest.mark.parametrize("number", range(4))
def test_a_chart_keeps_to_its_room(number: int, room: Room) -> None:
    picture = drawn(every_kind("NodeResourcesBalancedAllocation")[number], room)
    left, top, width, height = map(float, (picture.get("viewBox") or "").split())
    assert (left, top) == (0, 0) and width <= room.width and height <= room.height + 1
    assert all(float(each.get("font-size", 12)) >= 12 for each in picture.iter())
    assert len(keyed(picture)) == sum(each.get("data-key") is not None for each in picture.iter())


def test_a_heat_map_marks_the_cell_and_the_column() -> None:
    chart = heat_map([[10, 20, None], [30, 40, 50]], ROWS, COLUMNS, selected=(1, 0), chosen=1, corner="plugin")
    parts = keyed(drawn(chart))
    cells = {key: words(parts[f"cell/{key}"]) for key in ("Fit/node-a", "Fit/node-c", "Spread/node-b")}
    assert cells == {"Fit/node-a": ["10"], "Fit/node-c": ["–"], "Spread/node-b": ["40"]}
    assert words(parts["column/node-b"]) == ["★ node-b"] and parts["chosen"].get("stroke") == CHOSEN
    assert abs(middle(parts["chosen"]) - place(parts["column/node-b"].find(f"{SVG}text"))) < 2
    assert abs(middle(parts["selected"]) - place(parts["column/node-a"].find(f"{SVG}text"))) < 2
    assert parts["selected"].get("stroke") == "currentColor"
    assert chart.text.splitlines() == [
        "  plugin  node-a  ★ node-b  node-c",
        "  Fit     10      20        –",
        "  Spread  [30]    40        50",
    ]
    assert f"background-color:{AMOUNTS[0]}" in str(chart.table) and "▶ 30" in str(chart.table)


def place(part: ElementTree.Element | None) -> float:
    assert part is not None
    return float(part.get("x", "nan"))


def middle(box: ElementTree.Element) -> float:
    return place(box) + float(box.get("width", "nan")) / 2


def test_a_heat_map_can_be_coloured_by_other_numbers_than_it_shows() -> None:
    chart = heat_map([[1, 1_000_000]], ["sum"], ["a", "b"], shades=[[0, None]])
    parts = keyed(drawn(chart))
    assert [parts[f"cell/sum/{name}/box"].get("fill") for name in "ab"] == [AMOUNTS[0], "none"]
    assert words(parts["cell/sum/b"]) == ["1000000"]
    assert chart.text.splitlines()[1].split() == ["sum", "1", "1000000"]
    assert str(chart.table).count("background-color") == 1


def test_the_first_row_is_on_top() -> None:
    chart = heat_map([[1], [2]], ROWS, ["node-a"])
    tops = [float((each.get("transform") or "").rstrip(")").split(",")[1]) for each in cells_of(chart)]
    assert tops == sorted(tops) and len(tops) == 2


def cells_of(chart: Chart, room: Room = ROOMS[1]) -> list[ElementTree.Element]:
    return [each for key, each in keyed(drawn(chart, room)).items() if key.startswith("cell/") and "/box" not in key]


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_a_click_on_a_cell_goes_there_and_the_keyboard_knows_its_name(room: Room) -> None:
    chart = heat_map([[1, 2, 3], [4, 5, 6]], ROWS, COLUMNS, sets=lambda r, c: f"plugin: {ROWS[r]}, node: {COLUMNS[c]}")
    at = next(each for each in cells_of(chart, room) if each.get("data-key") == "cell/Spread/node-c")
    assert at.get("data-set") == "plugin: Spread, node: node-c" and at.get("aria-label") == "Spread, node-c: 6"
    assert all(each.get("data-set") is None for each in cells_of(heat_map([[1]], ["a"], ["b"]), room))


def test_shades_run_from_the_lightest_to_the_darkest() -> None:
    assert [shade(value, 0, 8) for value in (0, 2, 8)] == [AMOUNTS[0], AMOUNTS[1], AMOUNTS[-1]]
    assert shade(7, 7, 7) == AMOUNTS[0]


def test_a_decision_map_has_a_letter_for_each_answer_and_a_legend() -> None:
    chart = decision_map(
        [["node-b", None], ["node-c", "node-b"]], ["0", "1"], ["x", "y"], corner="row", selected=(1, 1)
    )
    assert chart.text.splitlines() == [
        "A node-b, B node-c",
        "  row  x  y",
        "  0    A  –",
        "  1    B  [A]",
    ]
    assert "A node-b" in str(chart.table)
    assert [words(each) for each in cells_of(chart)] == [["node-b"], ["–"], ["node-c"], ["node-b"]]


def test_a_narrow_map_has_letters_and_says_what_they_mean() -> None:
    answers = [[COLUMNS[c % 3] for c in range(14)]]
    chart = decision_map(answers, ["0"], [str(100 * c) for c in range(14)], kinds=COLUMNS, titles=("weight", "row"))
    assert [words(each) for each in cells_of(chart)][:3] == [["A"], ["B"], ["C"]]
    assert {"A node-a", "B node-b", "C node-c"} <= set(words(drawn(chart)))
    shown = [text for text in words(drawn(chart, ROOMS[0])) if text.isdigit()]
    assert "…" not in "".join(shown) and len(shown) < 14


def test_a_tie_is_hatched_and_named() -> None:
    chart = decision_map([[("node-a", "node-c"), "node-b"]], ["0"], ["x", "y"], kinds=COLUMNS, notes=[["r2", "r3"]])
    tie, alone = cells_of(chart)
    assert words(tie) == ["tie", "r2"] and words(alone) == ["node-b", "r3"]
    (hatch,) = tie.iter(f"{SVG}path")
    assert hatch.get("stroke") == NODES[2] and not list(alone.iter(f"{SVG}path"))
    assert tie.get("data-tip") == "0, x: tie of node-a and node-c, r2"
    assert chart.text.splitlines() == ["A node-a, B node-b, C node-c, = tie", "     x       y", "  0  A=C r2  B r3"]


def test_letters_keep_their_meaning_when_all_answers_are_named() -> None:
    chart = decision_map([["node-c"]], ["0"], ["x"], kinds=COLUMNS)
    assert chart.text.splitlines()[-1] == "  0  C"
    assert keyed(drawn(chart))["cell/0/x/box"].get("fill") == NODES[2]
    assert [letter(i) for i in (0, 25, 26)] == ["A", "Z", "A1"]


def test_a_curve_tells_some_of_its_points_and_the_one_in_question() -> None:
    chart = curve(list(range(101)), {"half": [x / 2 for x in range(101)]}, titles=("nodes", "looked at"), at=33)
    lines = chart.text.splitlines()
    assert len(lines) <= 13 and "  ▶ 33   16.5" in lines and lines[1].split() == ["0", "0.0"]
    assert lines[-1].split() == ["100", "50.0"]
    assert {"33", "half: 16.5"} <= set(words(drawn(chart)))


def test_a_curve_can_be_dragged_and_clicked() -> None:
    chart = curve(
        [1, 2, 3], {"y": [1, 4, 9]}, titles=("nodes", "y"), at=1, sets=lambda i: f"nodes: {i + 1}", drag="nodes"
    )
    parts = keyed(drawn(chart))
    assert parts["point"].get("data-drag") == "nodes" and parts["point"].get("aria-label") == "nodes"
    strips = [each for each in drawn(chart).iter() if each.get("data-set")]
    assert [each.get("data-set") for each in strips] == ["nodes: 1", "nodes: 2", "nodes: 3"]
    ends = [(place(each), place(each) + float(each.get("width", "nan"))) for each in strips]
    assert all(abs(right - left) < 0.2 for (_, right), (left, _) in zip(ends, ends[1:], strict=False))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 7), (0, 505), (10, 8000), (3, 3), (0, 0.4)])
def test_ticks_are_few_and_include_all_numbers(low: float, high: float) -> None:
    found = ticks(low, high)
    assert found[0] <= low and found[-1] >= high and len(found) <= 8 and sorted(set(found)) == found


def stacked(drag: bool = True) -> Chart:
    drags = {"node-a": Drag("weight", 10)} if drag else {}
    parts = {"Fit": [30.0, 60.0], "Spread": [70.0, 0.0]}
    return bars(Bars(["node-a", "node-b"], parts, ["100", "60"], "sums", ["node-a"], drags=drags), "node")


def test_bars_are_to_one_scale_and_the_winner_is_framed() -> None:
    parts = keyed(drawn(stacked()))
    long = {
        key: float(parts[f"bar/{key}/box"].get("width", "nan")) for key in ("node-a/Fit", "node-a/Spread", "node-b/Fit")
    }
    assert long["node-b/Fit"] == pytest.approx(2 * long["node-a/Fit"], abs=0.2)
    assert long["node-a/Spread"] == pytest.approx(7 / 3 * long["node-a/Fit"], abs=0.2)
    assert "bar/node-b/Spread" not in parts and "won/node-b" not in parts
    assert parts["won/node-a"].get("stroke") == CHOSEN and "★ node-a" in words(parts["bar/node-a"])
    assert stacked().text.splitlines() == [
        "  node      Fit  Spread",
        "  ★ node-a  30   70      100",
        "  node-b    60   0       60",
    ]


def test_a_bar_is_dragged_by_its_end_in_its_own_unit() -> None:
    parts = keyed(drawn(stacked()))
    handle = parts["handle/node-a"]
    assert (handle.get("data-drag"), handle.get("data-axis")) == ("weight", "x")
    width = float(parts["bar/node-a/Fit/box"].get("width", "nan"))
    assert float(handle.get("data-step", "nan")) == pytest.approx(width / 3, abs=0.1)
    assert not [key for key in keyed(drawn(stacked(drag=False))) if key.startswith("handle/")]


def test_the_parts_of_a_bar_differ_in_colour() -> None:
    def fills() -> Iterator[str | None]:
        for key, each in keyed(drawn(stacked())).items():
            if key.startswith("bar/node-a/") and key.endswith("/box"):
                yield each.get("fill")

    assert all(one != other for one, other in combinations(fills(), 2))
