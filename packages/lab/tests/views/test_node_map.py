"""A map of nodes: every node has its place, its verdict and its handle, whatever the size of the room."""

import re
from collections import Counter

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.pools import pools
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.text.html import join
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.views.cluster_detail import NAMES, legend
from kschedlab_lab.views.layout import column
from kschedlab_lab.views.node_kinds import (
    CHOSEN_ONE,
    EVICTS,
    FILLS,
    GOOD,
    MORE,
    ONE,
    RAMPS,
    REFUSED,
    SHADES,
    TWO,
    cause_fill,
    counted,
    kinds,
    one_away,
    verdict_of,
)
from kschedlab_lab.views.node_map import CELLS, THUMB, Squares, blocks, rows, star_at, titles

PENDING = [
    "ml/train-small-0",
    "data/postgres-0",
    "shop/banner-0",
    "ml/tune-0",
    "data/restore-0",
    "shop/payment-burst-0",
]
TIP = re.compile(r'data-tip="([^"]*)"')


@pytest.fixture(scope="module")
def world():
    return bundled().cluster(LATEST)


def drawn(decision, width=720.0, height=350.0):
    found = pools(decision.cluster)
    made = rows(undivided(found), width, height)
    numbers = {pool: len(places) for pool, places in found.items()}
    return str(join([*titles(made, numbers, {}), *Squares(decision, found).draw(made)]))


def undivided(found):
    return {pool: {"": places} for pool, places in found.items()}


def text_of(part):
    return str(join(part.shapes))


@pytest.mark.parametrize("key", PENDING)
def test_every_node_is_a_cell_that_says_its_verdict(world, key):
    decision = explain(key, world).decision
    svg = drawn(decision)
    keys = re.findall(r'data-key="node/([^"]*)"', svg)
    assert sorted(keys) == sorted(world.names)
    assert svg.count('data-set="node: ') == 200 and svg.count('data-key="pool/') == 5
    fills = Counter(re.findall(r'<g fill="([^"]*)"', svg))
    shades = [shade for kind in set(kinds(decision)) for shade in RAMPS.get(kind, ())]
    assert set(fills) <= {
        *map(cause_fill, one_away(decision, kinds(decision))),
        *shades,
        *(FILLS[kind] for kind in kinds(decision)),
    }
    assert len(svg) < 80_000


@pytest.mark.parametrize("width", [400, 640, 720, 1280])
@pytest.mark.parametrize("height", [120, 240, 420])
def test_cells_never_overlap_nor_leave_the_room(world, width, height):
    made = rows(undivided(pools(world)), width, height)
    size = made.shape.wide
    corners = {(x, y) for _, x, y in made.cells}
    assert len(corners) == len(made.cells) == 200
    assert all(x >= 0 and x + size <= width and y + size <= made.bottom for x, y in corners)
    assert all(abs(x - u) >= size or abs(y - v) >= size for x, y in list(corners)[::9] for u, v in corners - {(x, y)})
    assert made.bottom <= height or size == 11, "only the smallest cells may need more height"


def test_on_a_phone_cells_are_large_enough_for_a_thumb(world):
    made = rows(undivided(pools(world)), 320, 280, thumbs=True)
    assert made.shape.wide >= THUMB and made.each > 1
    assert sorted(place for group, _, _ in made.cells for place in group) == list(range(200))
    zones = {
        pool: {zone: [place for place in places if place % 3 == zone] for zone in range(3)}
        for pool, places in pools(world).items()
    }
    assert rows(zones, 320, 211, thumbs=True).bottom <= 211
    few = rows({"gpu": {"": range(12)}}, 320, 280, thumbs=True)
    assert few.each == 1


def test_many_nodes_share_cells_which_open_them():
    large = cluster(*(node(f"n{i:04}", labels={"pool": f"p{i % 3}"}) for i in range(2000)), pod("mine", "", 1))
    decision = explain("default/mine", large).decision
    made = rows(undivided(pools(large)), 900, 400)
    assert made.each == 4 and len(made.cells) <= CELLS + 3
    assert sorted(place for group, _, _ in made.cells for place in group) == list(range(2000))
    svg = drawn(decision, 900, 400)
    assert 'data-set="show: p0 n0000..n0009"' in svg and "n0000 to n0009: show these alone" in svg
    assert len(svg) < 220_000
    assert "a square is up to 4 nodes" in text_of(column(legend(decision, 4, range(2000))))


def test_each_filter_that_refuses_is_an_obstacle():
    world = cluster(
        node("near", 4, taints=[{"key": "gpu", "effect": "NoSchedule"}]),
        node("far", 1, taints=[{"key": "gpu", "effect": "NoSchedule"}]),
        node("further", 1, taints=[{"key": "gpu", "effect": "NoSchedule"}], unschedulable=True),
        pod("mine", "", 2),
    )
    assert kinds(explain("default/mine", world).decision) == [ONE, TWO, MORE]
    assert kinds(explain("default/mine", cluster(node("a"), pod("mine", "", 1))).decision) == [CHOSEN_ONE]


def test_a_node_that_fits_is_the_darker_the_more_points_it_has(world):
    decision = explain("shop/banner-0", world).decision
    cells = Squares(decision, pools(world))
    fitting = sorted((total, place) for place, total in cells.total.items() if cells.kinds[place] == GOOD)
    turns = [SHADES.index(cells.fills[place]) for _, place in fitting]
    assert turns == sorted(turns) and {turns[0], turns[-1]} == {0, len(SHADES) - 1}


def test_every_node_has_a_spot_for_the_star():
    found = {"web": [*range(30)], "db": [30, 31]}
    where = rows(undivided(found), 300, 200).spots
    assert len({(x, y) for x, y, *_ in where.values()}) == len(where) == 32
    assert all(spot.x + spot.wide <= 300 for spot in where.values())
    assert 'data-key="star"' in str(star_at(where[3]))


def test_the_legend_counts_every_node(world):
    for key in PENDING:
        decision = explain(key, world).decision
        text = text_of(column(legend(decision, 1, range(200))))
        shown = dict(re.findall(r"<tspan[^>]*>([^<]+)</tspan><tspan[^>]*> ?(\d+)</tspan>", text))
        causes = {f"only {plugin}": len(places) for plugin, places in one_away(decision, kinds(decision)).items()}
        found = Counter(kinds(decision))
        assert found.pop(ONE, 0) == sum(causes.values())
        found[GOOD if decision.node else EVICTS] += found.pop(CHOSEN_ONE, 0)
        named = {NAMES[kind]: number for kind, number in (+found).items()}
        assert shown == {name: str(number) for name, number in (named | causes).items()}


def test_the_legend_of_a_pool_counts_its_nodes(world):
    decision = explain("ml/train-small-0", world).decision
    text = text_of(column(legend(decision, 0, pools(world)["gpu"])))
    assert re.findall(r"> ?(\d+)<", text) == ["12"] and "two obstacles" not in text


def test_before_the_answer_each_node_has_the_plugin_of_the_event(world):
    decision = explain("ml/train-small-0", world).decision
    told = Counter(verdict_of(decision, place).removeprefix(REFUSED) for place in range(200))
    before = counted(decision)
    assert {plugin: len(places) for plugin, places in one_away(before, kinds(before)).items()} == told
    assert [told["TaintToleration"], told["NodeAffinity"]] == [103, 95]


def test_a_new_node_needs_no_row_of_its_own():
    found = {"a": {"x": range(5), "y": range(20, 23)}, "b": {"x": [6]}}
    made, more = (
        rows(each, 300, 60, new={99}) for each in (found, found | {"a": {"x": [*range(5), 99], "y": [20, 21, 22]}})
    )
    assert {place: spot for place, spot in more.spots.items() if place != 99} == made.spots
    assert len({more.spots[place].y for place in (*range(5), 20, 99)}) == 1 and len({*more.spots.values()}) == 10
    shared = {
        place: rows({"a": {"": [*range(100), 99]}}, 90, 60, thumbs=True, new={99}).spots[place] for place in (98, 99)
    }
    assert shared[98] == shared[99], "where nodes share squares, it joins the last one"


def test_each_pool_of_boxes_is_a_block_with_its_name_above():
    found = {"web": [0, 1, 2, 3, 4], "db": [5]}
    made = blocks(found, 310, 300)
    assert made is not None
    (web, _, above), (db, _, below) = made.heads
    tops = {group[0]: y for group, _, y in made.cells}
    assert (web, db) == ("web", "db") and above < min(tops[n] for n in range(5))
    assert max(tops[n] for n in range(5)) + made.shape.tall <= below < tops[5]
    assert len({tops[n] for n in range(5)}) == 2 and made.bottom <= 300
    assert blocks(found, 310, 100) is None


def test_small_pools_of_boxes_are_side_by_side():
    made = blocks({"web": [0, 1], "db": [2]}, 700, 120)
    assert made is not None
    (_, left, above), (_, right, beside) = made.heads
    assert above == beside and left < right < 700
    assert all(x + made.shape.wide <= 700 for _, x, _ in made.cells)


def test_boxes_are_higher_where_there_is_room():
    made = blocks({"nodes": [0, 1, 2, 3]}, 700, 300)
    assert made is not None and 0.6 * made.shape.wide < made.shape.tall <= 1.1 * made.shape.wide and made.bottom <= 300


def test_tab_reaches_the_nearest_nodes_of_a_large_map(world):
    svg = drawn(explain("data/postgres-0", world).decision)
    reached = {name for name in world.names if not re.search(rf'data-key="node/{name}"[^>]*role="img"', svg)}
    assert reached == {name for name in world.names if name.startswith("data-")}
