"""Decision maps: every place is what a decision of its own says, whichever shortcut drew it."""

import random
import sys

import numpy as np
import pytest

from kschedlab import schedule
from kschedlab.build import cluster, node, pod
from kschedlab.generations import GENERATIONS
from kschedlab.objects.problems import ManifestError
from kschedlab.text.sections import Limits
from kschedlab_planning import decision_map
from kschedlab_planning.maps import DecisionMap, Outcome
from kschedlab_planning.settings import changed, parsed
from tests.saying import says

ALL = Limits(*[sys.maxsize] * 6)
CPU, MEMORY = (f"spec.containers[0].resources.requests.{name}" for name in ("cpu", "memory"))


def world(rng):
    nodes = [node(f"n{i}", cpu=rng.choice([2, 4, 6]), memory=f"{rng.choice([4, 8])}Gi") for i in range(4)]
    running = [
        pod(
            f"p{i}",
            on=f"n{rng.randrange(4)}",
            cpu=rng.choice(["250m", "1"]),
            memory="512Mi",
            priority=rng.choice([0, 5]),
        )
        for i in range(8)
    ]
    return cluster(*nodes, *running, pod("web", cpu="1", memory="1Gi", priority=3))


def alone(base, data, generation="v1.37"):
    """The outcome that a decision of its own has."""
    decision = schedule(data, base, generation)
    return decision.node or "", decision.nominated_node or ""


def web(**changes):
    data = pod("web", cpu=changes.pop("cpu", "1"), memory=changes.pop("memory", "1Gi"), priority=3)
    return data | {"spec": data["spec"] | changes}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("generation", ["v1.37", "v1.20"])
def test_two_requests(seed, generation):
    base = world(random.Random(seed))
    cpus, memories = ["0", "100m", "900m", "1500m", "3", "7"], ["0", "300Mi", "2Gi", "5Gi"]
    drawn = decision_map(base, "default/web", (CPU, cpus), (MEMORY, memories), generation)
    for cpu in cpus:
        for memory in memories:
            assert drawn.at(cpu, memory) == alone(base, web(cpu=cpu, memory=memory), generation)


def test_requests_of_two_containers_for_the_same_resource():
    def asking(main, sidecar):
        requests = {"main": main, "sidecar": sidecar}
        containers = [
            {"name": name, "image": "i", "resources": {"requests": {"cpu": cpu}}} for name, cpu in requests.items()
        ]
        return pod("web", containers=containers)

    base, cpus = cluster(node("a", cpu=3), node("b", cpu=5), asking("1", "1")), ["1", "2", "4"]
    axes = [(f"spec.containers[{number}].resources.requests.cpu", cpus) for number in (0, 1)]
    drawn = decision_map(base, "default/web", *axes)
    for x in cpus:
        for y in cpus:
            assert drawn.at(x, y) == alone(base, asking(x, y))
    assert {drawn.at("1", "1").node, drawn.at("1", "4").node, drawn.at("2", "4").node} == {"b", ""}


@pytest.mark.parametrize("seed", range(6))
def test_a_request_and_a_node_s_capacity(seed):
    base = world(random.Random(seed))
    cpus, rooms = ["100m", "1", "3"], ["1", "4", "16"]
    for axes in (
        ((CPU, cpus), ("node/n1:status.allocatable.cpu", rooms)),
        (("nodes/n1:status.allocatable.cpu", rooms), (CPU, cpus)),
    ):
        drawn = decision_map(base, "default/web", *axes)
        for cpu in cpus:
            for room in rooms:
                memory = str(base.nodes[base.index["n1"]].status.allocatable["memory"])
                changed_world = base.fork().add(node("n1", cpu=room, memory=memory))
                place = (cpu, room) if axes[0][0] == CPU else (room, cpu)
                assert drawn.at(*place) == alone(changed_world, web(cpu=cpu))


@pytest.mark.parametrize("seed", range(6))
def test_weights_and_priorities(seed):
    base = world(random.Random(seed))
    weights, priorities = range(0, 12, 3), [0, 4, 6]
    drawn = decision_map(base, "default/web", ("weight:NodeResourcesFit", weights), (CPU, ["1", "7"]))
    for weight in weights:
        generation = GENERATIONS["v1.37"].weighted(NodeResourcesFit=weight)
        for cpu in ("1", "7"):
            assert drawn.at(weight, cpu) == alone(base, web(cpu=cpu), generation)
    two = decision_map(
        base, "default/web", ("weight:NodeResourcesFit", weights), ("weight:NodeResourcesBalancedAllocation", weights)
    )
    for one in weights:
        for other in weights:
            generation = GENERATIONS["v1.37"].weighted(NodeResourcesFit=one, NodeResourcesBalancedAllocation=other)
            assert two.at(one, other) == alone(base, web(), generation)
    ranked = decision_map(base, "default/web", ("priority", priorities), (CPU, ["1", "3", "5"]))
    for priority in priorities:
        for cpu in ("1", "3", "5"):
            assert ranked.at(priority, cpu) == alone(base, web(cpu=cpu, priority=priority))


def test_any_field_of_any_manifest():
    base = cluster(
        node("a", cpu=1, labels={"disk": "ssd"}),
        node("b", cpu=4),
        pod("low", on="a", cpu=1),
        pod("web", cpu=1, nodeSelector={"disk": "ssd"}),
    )
    drawn = decision_map(
        base, "default/web", ('node/b:metadata.labels["disk"]', [None, "ssd"]), ("pod/low:spec.priority", [-5, 0])
    )
    assert [str(drawn.at(disk, priority)) for disk in (None, "ssd") for priority in (-5, 0)] == [
        "evicts on a",
        "pending",
        "b",
        "b",
    ]
    assert drawn.decision(None, -5).nominated_node == "a"


def test_regions_and_borders():
    base = cluster(node("a", cpu=2), node("b", cpu=4), pod("web", cpu=1))
    drawn = decision_map(base, "default/web", (CPU, range(1, 7)), ("priority", [0, 1]))
    assert [(str(each.outcome), each.places, each.x) for each in drawn.regions()] == [
        ("b", 8, (1, 4)),
        ("pending", 4, (5, 6)),
    ]
    assert [(each.before, each.after, each.at) for each in drawn.borders()] == [(4, 5, 0), (4, 5, 1)]


def test_a_map_as_text_and_as_a_figure():
    base = cluster(node("a", cpu=2), node("b", cpu=4), pod("web", cpu=1))
    drawn = decision_map(base, "default/web", (CPU, range(1, 7)), ("priority", [0, 1]))
    assert "AAAA.." in str(drawn) and says(str(drawn), "12", "pending", "b")
    figure = drawn.figure()
    assert figure.data[0].z == tuple(map(tuple, drawn.places.tolist())) or figure.data[0].z is not None
    assert drawn.to_dict()["places"] == drawn.places.tolist()


@pytest.fixture
def drawn():
    """Three columns and three rows with a node, eviction there, and no node at all."""
    outcomes = Outcome("a"), Outcome("", "a"), Outcome("")
    places = np.array([[0, 0, 1], [0, 1, 1], [2, 2, 0]])
    return DecisionMap("web", ("x", (1, 2, 3)), ("y", (10, 20, 30)), outcomes, places, None)


def test_places_that_touch_at_a_corner_are_no_region(drawn):
    assert [(str(each.outcome), each.places, each.x, each.y) for each in drawn.regions()] == [
        ("a", 3, (1, 2), (10, 20)),
        ("evicts on a", 3, (2, 3), (10, 20)),
        ("pending", 2, (1, 2), (30, 30)),
        ("a", 1, (3, 3), (30, 30)),
    ]


def test_borders_are_between_neighbours_of_a_row_and_of_a_column(drawn):
    assert [(each.axis, each.before, each.after, each.at, *map(str, each.outcomes)) for each in drawn.borders()] == [
        ("x", 2, 3, 10, "a", "evicts on a"),
        ("x", 1, 2, 20, "a", "evicts on a"),
        ("x", 2, 3, 30, "pending", "a"),
        ("y", 20, 30, 1, "a", "pending"),
        ("y", 10, 20, 2, "a", "evicts on a"),
        ("y", 20, 30, 2, "evicts on a", "pending"),
        ("y", 20, 30, 3, "evicts on a", "a"),
    ]


def test_a_map_as_text_has_its_greatest_row_on_top(drawn):
    places, regions = drawn.sections(ALL)
    assert (places.title, places.parts) == (
        "web: 9 places, 3 outcomes",
        ["30 ..A", "20 Aaa", "10 AAa", "x from 1 to 3, y upwards from 10 to 30"],
    )
    (table,) = regions.parts
    assert [row.cells for row in table.rows][::3] == [["A", "a", 3, "1 to 2", "10 to 20"], ["A", "a", 1, "3", "30"]]


@pytest.mark.parametrize(
    ("columns", "rows", "line", "lines", "shown"),
    [(60, 30, 60, 30, None), (61, 30, 31, 30, "1 of 2 columns, 1 of 1 rows"), (1, 31, 1, 16, "1 of 1 columns, 1 of 2")]
    + [(121, 61, 41, 21, "1 of 3 columns, 1 of 3 rows")],
)
def test_of_a_large_map_each_second_or_third_row_and_column_is_shown(columns, rows, line, lines, shown):
    axes = ("x", tuple(range(columns))), ("y", tuple(range(10, 10 + rows)))
    large = DecisionMap("web", *axes, (Outcome("a"),), np.zeros((rows, columns), int), None)
    *drawn, _, note = [*next(iter(large.sections(ALL))).parts, *([] if shown else [""])]
    assert [len(each.split()[1]) for each in drawn] == [line] * lines
    assert (shown or "") in note and drawn[-1].startswith("10 ")


def test_twenty_regions_are_listed():
    stripes = np.arange(21)[None, :] % 2
    many = DecisionMap("web", ("x", tuple(range(21))), ("y", (0,)), (Outcome("a"), Outcome("b")), stripes, None)
    (table,) = list(many.sections(ALL))[1].parts
    assert len(many.regions()) == 21 and len(table.rows) == 20


def test_each_outcome_has_a_band_of_its_own_colour(drawn):
    heatmap = drawn.figure().data[0]
    ends, colours = zip(*heatmap.colorscale, strict=True)
    assert ends == (0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1)
    assert len(set(colours)) == 3 and colours[::2] == colours[1::2]
    assert (heatmap.zmin, heatmap.zmax, list(heatmap.colorbar.tickvals)) == (-0.5, 2.5, [0, 1, 2])
    assert [list(row) for row in heatmap.text][2] == ["pending", "pending", "a"]


def test_weights_on_one_axis_and_on_both_of_a_pod_that_waits():
    base = world(random.Random(1))
    weights, cpus = ("weight:NodeResourcesFit", range(0, 12, 3)), (CPU, ["1", "7"])
    upright, across = decision_map(base, "default/web", weights, cpus), decision_map(base, "default/web", cpus, weights)
    for weight in weights[1]:
        for cpu in cpus[1]:
            assert upright.at(weight, cpu) == across.at(cpu, weight)
    waiting = cluster(node("a", cpu=1), pod("web", cpu=2))
    drawn = decision_map(waiting, "default/web", weights, ("weight:ImageLocality", [1, 2]))
    assert drawn.places.tolist() == [[0] * 4] * 2 and [str(each) for each in drawn.outcomes] == ["pending"]


def test_a_map_without_its_figure_needs_no_plotly(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    base = cluster(node("a"), pod("web"))
    assert str(decision_map(base, "default/web", ("priority", [0]), (CPU, [1])))


@pytest.mark.parametrize(
    ("x", "error", "facts"),
    [
        (("spec.containers[3].image", ["a"]), ValueError, ["containers", "3"]),
        (("spec..containers", ["a"]), ValueError, ["path"]),
        (("node/none:spec.unschedulable", [True]), KeyError, ["none", "a"]),
        (("weight:Wrong", [1]), KeyError, ["Wrong"]),
        (("weight:NodeResourcesFit", [-1]), ValueError, ["-1"]),
        (("priority", []), ValueError, ["priority"]),
        ((CPU, [1]), ValueError, ["twice"]),
        (("priority", ["high"]), ManifestError, ["priority"]),
        (("dragon/x:spec", [1]), KeyError, ["dragon"]),
    ],
)
def test_wrong_settings_name_the_remedy(x, error, facts):
    with pytest.raises(error) as raised:
        decision_map(cluster(node("a"), pod("web", cpu=1)), "default/web", x, (CPU, [1]))
    assert says(str(raised.value), *facts)


def test_paths():
    assert parsed('metadata.labels["a.b/c"].d[2]') == ("metadata", "labels", "a.b/c", "d", 2)
    assert changed({"a": {"b": 1}}, ("a", "c", "d"), 2) == {"a": {"b": 1, "c": {"d": 2}}}
    assert changed({"a": {"b": 1}}, ("a", "b"), None) == {"a": {}}
    assert changed({"a": [1, 2]}, ("a", 1), 3) == {"a": [1, 3]}
    for path in (("a", 2), ("a", 2, "b"), ("b", 0), ("a", 0, 0)):
        with pytest.raises(ValueError, match="there is no item"):
            changed({"a": [1, 2], "b": {}}, path, 3)
