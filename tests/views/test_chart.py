"""Charts: the figure, the table and the text say the same; user text stays text."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from plotly.graph_objects import Figure

from kschedlab.views.chart import (
    Chart,
    curve,
    decision_map,
    enlarged,
    heat_map,
    letter,
    shade,
)
from kschedlab.views.style import PRIORITIES

ROWS, COLUMNS = ["Fit", "Spread"], ["node-a", "node-b", "node-c"]
HOSTILE = "<a href='x'>&</a>"


def every_kind(name: str = "node-a") -> list[Chart]:
    return [
        heat_map([[1, None]], [name], [name, "b"], selected=(0, 1), chosen=0, corner=name),
        decision_map([[name, None]], ["1"], [name, "b"], selected=(0, 0), titles=(name, name), corner=name),
        curve([1, 2], {name: [1, 2], "y": [3, 4]}, titles=(name, name), at=1),
    ]


def strings(part: Any) -> list[str]:
    if isinstance(part, dict):
        return [text for each in part.values() for text in strings(each)]
    if isinstance(part, list | tuple):
        return [text for each in part for text in strings(each)]
    return [part] if isinstance(part, str) else []


@pytest.mark.parametrize("number", range(3))
def test_plotly_takes_every_kind_of_chart(number: int) -> None:
    chart = every_kind()[number]
    for figure in (chart.figure, enlarged(chart.figure, 1.4)):
        assert len(Figure(figure).data) == len(chart.figure["data"])


@pytest.mark.parametrize("number", range(3))
def test_user_text_is_never_markup(number: int) -> None:
    chart = every_kind(HOSTILE)[number]
    assert "<a" not in str(chart.table) and "&lt;a href=" in str(chart.table)
    assert not [text for text in strings(chart.figure) if "<" in text]
    assert any("&lt;a" in text for text in strings(chart.figure))


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_any_name_can_be_shown(name: str) -> None:
    for chart in every_kind(name):
        assert not [text for text in strings(chart.figure) if "<" in text]
        str(chart.table).encode()


def test_a_heat_map_marks_the_cell_and_the_column() -> None:
    chart = heat_map([[10, 20, None], [30, 40, 50]], ROWS, COLUMNS, selected=(1, 0), chosen=1, corner="plugin")
    trace, written = chart.figure["data"]
    assert trace["z"] == [[10, 20, None], [30, 40, 50]] and (trace["zmin"], trace["zmax"]) == (10, 50)
    assert written["text"] == ["10", "20", "–", "30", "40", "50"]
    assert chart.figure["layout"]["xaxis"]["ticktext"] == ["node-a", "★ node-b", "node-c"]
    column, cell = chart.figure["layout"]["shapes"]
    assert (column["x0"], column["x1"], column["y1"]) == (0.5, 1.5, 1.5)
    assert (cell["x0"], cell["x1"], cell["y0"], cell["y1"]) == (-0.5, 0.5, 0.5, 1.5)
    assert chart.text.splitlines() == [
        "  plugin  node-a  ★ node-b  node-c",
        "  Fit     10      20        –",
        "  Spread  [30]    40        50",
    ]
    assert f"background-color:{PRIORITIES[0]}" in str(chart.table) and "▶ 30" in str(chart.table)


def test_a_heat_map_can_be_coloured_by_other_numbers_than_it_shows() -> None:
    chart = heat_map([[1, 1_000_000]], ["sum"], ["a", "b"], shades=[[0, None]])
    trace, written = chart.figure["data"]
    assert trace["z"] == [[0, None]] and written["text"] == ["1", "1000000"]
    assert chart.text.splitlines()[1].split() == ["sum", "1", "1000000"]
    assert str(chart.table).count("background-color") == 1


def test_the_first_row_is_on_top() -> None:
    assert heat_map([[1], [2]], ROWS, ["node-a"]).figure["layout"]["yaxis"]["range"] == [1.5, -0.5]


def test_shades_run_from_the_lightest_to_the_darkest() -> None:
    assert [shade(value, 0, 10) for value in (0, 2, 10)] == [PRIORITIES[0], PRIORITIES[1], PRIORITIES[-1]]
    assert shade(7, 7, 7) == PRIORITIES[0]


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
    assert chart.figure["layout"]["title"]["text"] == "A node-b · B node-c"
    assert "A node-b" in str(chart.table)


def test_letters_keep_their_meaning_when_all_answers_are_named() -> None:
    chart = decision_map([["node-c"]], ["0"], ["x"], kinds=COLUMNS)
    assert chart.text.splitlines()[-1] == "  0  C" and chart.figure["data"][0]["z"] == [[2]]
    assert [letter(i) for i in (0, 25, 26)] == ["A", "Z", "A1"]


def test_a_curve_tells_some_of_its_points_and_the_one_in_question() -> None:
    chart = curve(list(range(101)), {"half": [x / 2 for x in range(101)]}, titles=("nodes", "looked at"), at=33)
    lines = chart.text.splitlines()
    assert len(lines) <= 13 and "  ▶ 33   16.5" in lines and lines[1].split() == ["0", "0.0"]
    assert lines[-1].split() == ["100", "50.0"]
    assert chart.figure["data"][1]["x"] == [33] and chart.figure["layout"]["annotations"][0]["text"] == "16.5"


def test_enlarged_changes_sizes_and_nothing_else() -> None:
    figure = every_kind()[1].figure
    larger = enlarged(figure, 2)
    assert larger["layout"]["font"]["size"] == 2 * figure["layout"]["font"]["size"]
    assert larger["layout"]["title"]["font"]["size"] == 2 * figure["layout"]["title"]["font"]["size"]
    assert larger["layout"]["xaxis"]["title"]["font"]["size"] == 28
    assert larger["layout"]["width"] == 2 * figure["layout"]["width"]
    assert larger["data"] == figure["data"]
