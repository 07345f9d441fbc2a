"""Charts: what a picture marks, and that user text stays text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from kschedlab.text.html import Html
from kschedlab_lab.views.chart_bars import FILLS, BarMeasures, Bars, Fixed
from kschedlab_lab.views.chart_grid import Grid, GridCell, GridMeasures
from kschedlab_lab.views.chart_lines import Curve, ticks
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.score_bars import KNOWN, fills
from kschedlab_lab.views.style import CHOSEN, CHOSEN_SOFT
from kschedlab_lab.views.svg import Room, svg

ROWS, COLUMNS = ["Fit", "Spread"], ["node-a", "node-b", "node-c"]
HOSTILE = "<a href='x'>&</a>"
ROOMS = (Room(400, 300), Room(640, 330), Room(1100, 500))
SVG = "{http://www.w3.org/2000/svg}"


def heat_map(
    values: list[list[int]], rows: list[str], columns: list[str], selected: tuple[int, int] | None = None
) -> Callable[[Room], Html]:
    cells = [
        [
            GridCell(str(value), CHOSEN_SOFT, f"{row}, {name}: {value}", sets=f"plugin: {row}, node: {name}")
            for name, value in zip(columns, line, strict=True)
        ]
        for row, line in zip(rows, values, strict=True)
    ]
    grid = Grid(cells, rows, columns, 150, selected)
    return lambda room: svg(GridMeasures(grid, room, 30).shapes(), room.width, room.height, "")


@pytest.mark.parametrize("width", [360, 640, 1100])
def test_a_bar_is_as_long_as_its_share_and_its_number_stays_in_its_cell(width: int) -> None:
    for share in (0, 0.5, 1):
        grid = Grid([[GridCell("200", FILLS[0], "", share=share)] * 4], ["Fit"], [*COLUMNS, "node-d"], 160)
        picture = svg(GridMeasures(grid, Room(width, 300), 30).shapes(), width, 300, "")
        cell = keyed(ElementTree.fromstring(str(picture)))["cell/Fit/node-a"]
        whole, tray, bar = (float(each.get("width", 0)) for each in cell.iter(f"{SVG}rect"))
        assert bar == pytest.approx(share * tray, abs=1)
        number = next(cell.iter(f"{SVG}text"))
        right = float(number.get("x", 0))
        assert number.get("text-anchor") == "end" and right <= whole
        assert right - text_width("200") >= (0 if width == 360 else tray), "beside the bars, where there is room"


def bars(shown: Bars) -> Callable[[Room], Html]:
    return lambda room: svg(BarMeasures(shown, room, Fixed(90, 24, 8)).shapes(), room.width, room.height, "")


def every_kind(name: str = "node-a") -> list[Callable[[Room], Html]]:
    return [
        heat_map([[1, 2]], [name], [name, "b"], selected=(0, 1)),
        Curve([1, 2], {1: 3, 2: 4}, (name, name), "", 4, at=2),
        bars(Bars([name, "b"], {name: [1, 2], "y": [3, 4]}, [name, "6"], {name: FILLS[0], "y": FILLS[1]}, 0, [name])),
    ]


def drawn(chart: Callable[[Room], Html], room: Room = ROOMS[1]) -> ElementTree.Element:
    return ElementTree.fromstring(str(chart(room)))


def keyed(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {key: each for each in root.iter() if (key := each.get("data-key"))}


def words(part: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in part.iter(f"{SVG}text")]


@pytest.mark.parametrize("number", range(3))
def test_user_text_is_never_markup(number: int) -> None:
    shown = every_kind(HOSTILE)[number](ROOMS[1])
    assert "<a" not in str(shown) and "&lt;a href=" in str(shown)


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_any_name_can_be_shown(name: str) -> None:
    for chart in every_kind(name):
        drawn(chart)


@pytest.mark.parametrize("room", ROOMS, ids=str)
@pytest.mark.parametrize("number", range(3))
def test_a_chart_keeps_to_its_room(number: int, room: Room) -> None:
    picture = drawn(every_kind("NodeResourcesBalancedAllocation")[number], room)
    left, top, width, height = map(float, (picture.get("viewBox") or "").split())
    assert (left, top) == (0, 0) and width <= room.width and height <= room.height + 1
    assert all(float(each.get("font-size", 12)) >= 12 for each in picture.iter())
    assert len(keyed(picture)) == sum(each.get("data-key") is not None for each in picture.iter())


def test_a_grid_marks_the_cell() -> None:
    chart = heat_map([[10, 20, 0], [30, 40, 50]], ROWS, COLUMNS, selected=(1, 0))
    parts = keyed(drawn(chart))
    cells = {key: words(parts[f"cell/{key}"]) for key in ("Fit/node-a", "Spread/node-b")}
    assert cells == {"Fit/node-a": ["10"], "Spread/node-b": ["40"]}
    assert abs(middle(parts["selected"]) - place(parts["column/node-a"].find(f"{SVG}text"))) < 2
    assert parts["selected"].get("stroke") == "currentColor"


def place(part: ElementTree.Element | None) -> float:
    assert part is not None
    return float(part.get("x", "nan"))


def middle(box: ElementTree.Element) -> float:
    return place(box) + float(box.get("width", "nan")) / 2


def test_the_first_row_is_on_top() -> None:
    chart = heat_map([[1], [2]], ROWS, ["node-a"])
    tops = [float((each.get("transform") or "").rstrip(")").split(",")[1]) for each in cells_of(chart)]
    assert tops == sorted(tops) and len(tops) == 2


def cells_of(chart: Callable[[Room], Html], room: Room = ROOMS[1]) -> list[ElementTree.Element]:
    return [each for key, each in keyed(drawn(chart, room)).items() if key.startswith("cell/") and "/box" not in key]


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_a_click_on_a_cell_goes_there_and_the_keyboard_knows_its_name(room: Room) -> None:
    chart = heat_map([[1, 2, 3], [4, 5, 6]], ROWS, COLUMNS)
    at = next(each for each in cells_of(chart, room) if each.get("data-key") == "cell/Spread/node-c")
    assert at.get("data-set") == "plugin: Spread, node: node-c" and at.get("aria-label") == "Spread, node-c: 6"


def test_the_point_of_a_curve_can_be_dragged_and_its_numbers_are_written() -> None:
    picture = drawn(Curve([1, 2, 3], {1: 1, 2: 4, 3: 9}, ("nodes", "found"), "", 9, at=2, drag="nodes"))
    point = keyed(picture)["point"]
    assert point.get("data-drag") == "nodes" and point.get("aria-label") == "nodes"
    assert "2 → 4" in words(picture)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 7), (0, 505), (10, 8000), (3, 3), (0, 0.4)])
def test_ticks_are_few_and_include_all_numbers(low: float, high: float) -> None:
    found = ticks(low, high)
    assert found[0] <= low and found[-1] >= high and len(found) <= 8 and sorted(set(found)) == found


def stacked() -> Callable[[Room], Html]:
    parts, fills = {"Fit": [30.0, 60.0], "Spread": [70.0, 0.0]}, {"Fit": FILLS[0], "Spread": FILLS[1]}
    return bars(Bars(["node-a", "node-b"], parts, ["100", "60"], fills, 0, ["node-a"]))


def test_bars_are_to_one_scale_and_the_winner_is_framed() -> None:
    parts = keyed(drawn(stacked()))
    long = {
        key: float(parts[f"bar/{key}/box"].get("width", "nan")) for key in ("node-a/Fit", "node-a/Spread", "node-b/Fit")
    }
    assert long["node-b/Fit"] == pytest.approx(2 * long["node-a/Fit"], abs=0.2)
    assert long["node-a/Spread"] == pytest.approx(7 / 3 * long["node-a/Fit"], abs=0.2)
    assert "bar/node-b/Spread" not in parts and "won/node-b" not in parts
    assert parts["won/node-a"].get("stroke") == CHOSEN and "★ node-a" in words(parts["bar/node-a"])


def test_plugins_differ_in_colour() -> None:
    assert all(one != other for one, other in combinations(fills(KNOWN).values(), 2))
