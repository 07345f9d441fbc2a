"""NodeResourcesFit's strategies and NodeResourcesBalancedAllocation.

Rows of v1.37's least_allocated_test.go, most_allocated_test.go, requested_to_capacity_ratio_test.go and
balanced_allocation_test.go. Amounts are (cpu in cores, memory in bytes).
"""

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod, resources
from kschedlab.score.node_resources import (
    BalancedResourceAllocation,
    NodeResourcesBalancedAllocation,
    NodeResourcesFitScore,
    RequestedToCapacityRatio,
    balance,
    least_allocated,
    most_allocated,
    present_on,
)
from tests.verdicts import scored

GPU = "nvidia.com/gpu"
WEIGHTS = (("cpu", 1), ("memory", 1))
NOTHING = (0, 0)


def amounts(cpu, memory, **more):
    return {"cpu": str(cpu), "memory": str(memory)} | {name: str(amount) for name, amount in more.items()}


def score(plugin, asked, sizes, running=()):
    """The score of nodes of these sizes, for a pod with these requests. ``running``: (node, amounts)."""
    nodes = [
        node(f"n{i}", allocatable=amounts(*size) if isinstance(size, tuple) else size) for i, size in enumerate(sizes)
    ]
    pods = [pod(f"p{i}", f"n{on}", requests=amounts(*used)) for i, (on, used) in enumerate(running)]
    asking = pod("p", requests=amounts(*asked) if isinstance(asked, tuple) else asked)
    found = scored(plugin, asking, *nodes, *pods)
    return None if found is None else [found[f"n{i}"] for i in range(len(sizes))]


@pytest.mark.parametrize(
    ("asked", "sizes", "running", "want"),
    [
        (NOTHING, [(4000, 10000)] * 2, [], [100, 100]),
        ((3000, 5000), [(4000, 10000), (6000, 10000)], [], [37, 50]),
        (NOTHING, [(4000, 10000)] * 2, [(0, NOTHING), (1, NOTHING)], [100, 100]),
        (NOTHING, [(10000, 20000)] * 2, [(0, (6000, 0)), (1, (6000, 5000))], [70, 57]),
        ((3000, 5000), [(10000, 20000)] * 2, [(0, (3000, 0)), (1, (3000, 5000))], [57, 45]),
        ((3000, 5000), [(10000, 20000), (10000, 50000)], [(0, (3000, 0)), (1, (3000, 5000))], [57, 60]),
        ((3000, 0), [(4000, 10000)] * 2, [(0, (3000, 0)), (1, (3000, 5000))], [50, 25]),
        (NOTHING, [{"pods": "9"}] * 2, [(0, (3000, 0)), (1, (3000, 5000))], [0, 0]),
        ((3000, 4000), [{"cpu": "6000", "pods": "9"}, (6000, 10000)], [], [50, 55]),
    ],
    ids=[
        "nothing scheduled, nothing requested",
        "differently sized nodes",
        "nothing requested, pods scheduled",
        "nothing requested, pods with resources",
        "resources requested, pods with resources",
        "the same, differently sized nodes",
        "more than the node has",
        "nodes without resources",
        "a node that lacks one resource",
    ],
)
def test_least_allocated(asked, sizes, running, want):
    assert score(NodeResourcesFitScore(), asked, sizes, running) == want


@pytest.mark.parametrize(
    ("asked", "sizes", "running", "want"),
    [
        (NOTHING, [(4000, 10000)] * 2, [], [0, 0]),
        ((3000, 5000), [(4000, 10000), (6000, 10000)], [], [62, 50]),
        (NOTHING, [(10000, 20000)] * 2, [(0, (6000, 0)), (1, (6000, 5000))], [30, 42]),
        ((3000, 5000), [(10000, 20000)] * 2, [(0, (3000, 0)), (1, (3000, 5000))], [42, 55]),
        ((5000, 9000), [(5000, 10000), (10000, 9000)], [], [95, 75]),
        ((5000, 9000), [(4000, 10000)], [], [95]),
    ],
    ids=[
        "nothing scheduled, nothing requested",
        "differently sized nodes",
        "nothing requested, pods with resources",
        "resources requested, pods with resources",
        "equal to the capacity",
        "more than the node has",
    ],
)
def test_most_allocated(asked, sizes, running, want):
    assert score(NodeResourcesFitScore(strategy=most_allocated), asked, sizes, running) == want


def test_a_node_with_a_single_unit_is_empty_or_full():
    assert least_allocated(np.array([0, 1, 0]), np.array([1, 1, 0])).tolist() == [100, 0, 0]


@pytest.mark.parametrize(
    ("strategy", "want"),
    [
        (least_allocated, [0, 50]),
        (most_allocated, [100, 50]),
        (RequestedToCapacityRatio(((0, 0), (100, 10))), [100, 50]),
    ],
)
def test_the_only_device_of_a_node_counts(strategy, want):
    plugin = NodeResourcesFitScore(strategy=strategy, resources=((GPU, 1),))
    sizes = [amounts(4, 10000, **{GPU: number}) for number in (1, 2)]
    assert score(plugin, amounts(1, 1, **{GPU: 1}), sizes) == want


def test_a_single_device_counts_for_the_balance():
    requested, capacities = [np.array([1]), np.array([0])], [np.array([1]), np.array([4])]
    assert balance(requested, capacities, present_on(capacities)).tolist() == [50]


def test_a_container_without_requests_counts_100m_and_200_mib():
    """v1.37: most_allocated_test.go, "no resources requested, pods scheduled, nonzero request for resource"."""
    nodes = [node(name, allocatable={"cpu": "250m", "memory": "1000Mi"}) for name in ("n1", "n2")]
    running = [pod("p1", "n1"), pod("p2", "n1")]
    most = scored(NodeResourcesFitScore(strategy=most_allocated), pod("p"), *nodes, *running)
    assert most == {"n1": 80, "n2": 30}


@pytest.mark.parametrize(
    ("strategy", "want"), [(least_allocated, [41, 50]), (most_allocated, [58, 50])], ids=["least", "most"]
)
def test_weights(strategy, want):
    plugin = NodeResourcesFitScore(strategy=strategy, resources=(("memory", 2), ("cpu", 1)))
    assert score(plugin, (3000, 5000), [(4000, 10000), (6000, 10000)]) == want


@pytest.mark.parametrize(
    ("strategy", "asked", "sizes", "want"),
    [
        (least_allocated, amounts(3000, 5000), [None, 4], [50, 50]),
        (least_allocated, amounts(3000, 5000, **{GPU: 2}), [4, 10], [50, 60]),
        (least_allocated, amounts(3000, 5000, **{GPU: 2}), [None, 4], [50, 50]),
        (most_allocated, amounts(3000, 5000, **{GPU: 2}), [4, 10], [50, 40]),
    ],
    ids=["not requested", "requested", "requested, a node has none", "most allocated"],
)
def test_an_extended_resource_counts_if_the_pod_requests_it(strategy, asked, sizes, want):
    nodes = [amounts(6000, 10000) | ({GPU: str(size)} if size else {}) for size in sizes]
    plugin = NodeResourcesFitScore(strategy=strategy, resources=(*WEIGHTS, (GPU, 1)))
    assert score(plugin, asked, nodes) == want


@pytest.mark.parametrize("plugin", [NodeResourcesFitScore, NodeResourcesBalancedAllocation])
def test_a_resource_that_the_scheduler_does_not_count_scores_nothing(plugin):
    """v1.37: types.go, Resource.Add takes scalar resources only, so a node has none of it and it is left out."""
    uncounted = "requests.example.com/gpu"
    sizes = [amounts(6000, 10000, **{uncounted: 4}), amounts(6000, 10000)]
    with_it, without = plugin(resources=(*WEIGHTS, (uncounted, 3))), plugin(resources=WEIGHTS)
    assert score(with_it, (3000, 5000), sizes) == score(without, (3000, 5000), sizes)


def test_ephemeral_storage_can_be_scored_too():
    plugin = NodeResourcesFitScore(resources=(("ephemeral-storage", 1),))
    sizes = [{"ephemeral-storage": "10"}, {"ephemeral-storage": "40"}]
    assert score(plugin, {"ephemeral-storage": "8"}, sizes) == [20, 80]


LEAST = RequestedToCapacityRatio(shape=((0, 10), (100, 0)))


@pytest.mark.parametrize(
    ("asked", "sizes", "running", "want"),
    [
        (NOTHING, [(4000, 10000)] * 2, [], [100, 100]),
        ((3000, 5000), [(4000, 10000), (6000, 10000)], [], [38, 50]),
        (NOTHING, [(4000, 10000), (6000, 10000)], [(0, (3000, 5000)), (1, (3000, 5000))], [38, 50]),
    ],
)
def test_requested_to_capacity_ratio(asked, sizes, running, want):
    assert score(NodeResourcesFitScore(strategy=LEAST), asked, sizes, running) == want


FOO, BAR = "intel.com/foo", "intel.com/bar"
PACK = RequestedToCapacityRatio(shape=((0, 0), (100, 1)))


@pytest.mark.parametrize(
    ("asked", "running", "want"),
    [
        ({}, {}, [0, 0]),
        ({FOO: "2"}, {}, [2, 5]),
        ({FOO: "2"}, {FOO: "2"}, [2, 10]),
        ({FOO: "4"}, {}, [5, 10]),
    ],
    ids=["nothing requested", "less", "a pod is running on the second", "more"],
)
def test_packing_an_extended_resource(asked, running, want):
    plugin = NodeResourcesFitScore(strategy=PACK, resources=((FOO, 1),))
    nodes = [node("n1", allocatable={FOO: "8"}), node("n2", allocatable={FOO: "4"})]
    found = scored(plugin, pod("p", requests=asked), *nodes, pod("r", "n2", requests=running))
    assert found == dict(zip(["n1", "n2"], want, strict=True))


@pytest.mark.parametrize(
    ("asked", "running", "want"),
    [
        ({}, {}, [0, 0]),
        ({FOO: "2", BAR: "2"}, {}, [4, 3]),
        ({FOO: "2", BAR: "2"}, {FOO: "2", BAR: "2"}, [4, 7]),
        ({FOO: "4", BAR: "2"}, {}, [5, 5]),
    ],
    ids=["nothing requested", "less", "a pod is running on the second", "more"],
)
def test_packing_two_extended_resources(asked, running, want):
    plugin = NodeResourcesFitScore(strategy=PACK, resources=((FOO, 3), (BAR, 5)))
    nodes = [node("n1", allocatable={FOO: "8", BAR: "4"}), node("n2", allocatable={FOO: "4", BAR: "8"})]
    found = scored(plugin, pod("p", requests=asked), *nodes, pod("r", "n2", requests=running))
    assert found == dict(zip(["n1", "n2"], want, strict=True))


@pytest.mark.parametrize(
    ("shape", "want"),
    [
        (((10, 1), (90, 9)), {0: 10, 9: 10, 10: 10, 15: 15, 19: 19, 20: 20, 89: 89, 90: 90, 99: 90, 100: 90, 110: 90}),
        (((0, 2), (40, 10), (100, 0)), {0: 20, 20: 60, 30: 80, 40: 100, 41: 99, 70: 50, 99: 2, 100: 0, 110: 0}),
        (((0, 2), (40, 2), (100, 2)), {0: 20, 20: 20, 40: 20, 70: 20, 110: 20}),
    ],
    ids=["flat at both ends", "up and down", "flat"],
)
def test_a_piecewise_linear_shape(shape, want):
    """v1.37: TestBrokenLinearFunction, with the scores as the scheduler scales them (0..10 to 0..100)."""
    used = np.array(list(want), np.int64)
    found = RequestedToCapacityRatio(shape)(used, np.full(len(used), 100, np.int64), 100)
    assert dict(zip(want, found.tolist(), strict=True)) == want


@pytest.mark.parametrize(
    ("asked", "sizes", "running", "want"),
    [
        (NOTHING, [(4, 10000)] * 2, [], None),
        ((3, 5000), [(4, 10000), (6, 10000)], [], [68, 75]),
        ((3, 5000), [(10, 20000)] * 2, [(0, (3, 0)), (1, (3, 5000))], [73, 74]),
        ((3, 5000), [(10, 20000), (10, 50000)], [(0, (3, 0)), (1, (3, 5000))], [73, 70]),
        ((0, 5000), [(3, 5000)] * 2, [(0, (3, 0))], [100, 50]),
        ((3, 0), [(6, 10000)] * 2, [(0, (3, 0)), (1, (3, 5000))], [62, 62]),
        ((3, 5000), [(2, 4000)] * 2, [(0, (9, 9000))], [75, 75]),
        ((3, 5000), [{"cpu": "4", "pods": "9"}], [], [75]),
    ],
    ids=[
        "nothing scheduled, nothing requested",
        "differently sized nodes",
        "pods with resources",
        "pods with resources, differently sized nodes",
        "the highest and the lowest",
        "requested at node capacity",
        "more than there is counts as all",
        "one resource is always in balance",
    ],
)
def test_balanced_allocation(asked, sizes, running, want):
    assert score(NodeResourcesBalancedAllocation(), asked, sizes, running) == want


def test_three_resources_in_balance():
    """v1.37: balanced_allocation_test.go, "scalar resource is included in the score computation ..."."""
    plugin = NodeResourcesBalancedAllocation(resources=(*WEIGHTS, (GPU, 1)))
    nodes = [node(name, allocatable=amounts("3500m", 40000, **{GPU: 8})) for name in ("n1", "n2")]
    running = [pod("p1", "n1", requests=amounts(3, 5000, **{GPU: 3})), pod("p2", "n2", requests=amounts(3, 5000))]
    assert scored(plugin, pod("p", requests={GPU: "1"}), *nodes, *running) == {"n1": 75, "n2": 76}


def test_a_scalar_resource_that_is_not_requested_is_left_out_of_the_balance():
    plugin = NodeResourcesBalancedAllocation(resources=(*WEIGHTS, (GPU, 1)))
    nodes = [
        node("n1", allocatable=amounts("3500m", 40000, **{GPU: 8})),
        node("n2", allocatable=amounts("3500m", 40000)),
    ]
    assert scored(plugin, pod("p", requests=amounts(3, 5000)), *nodes) == {"n1": 56, "n2": 56}


@pytest.mark.parametrize(
    ("sizes", "want"),
    [
        (amounts(4, 1000, **{GPU: 4}), 88),
        (amounts(4, 1000), 87),
        (amounts(4, 1000, **{GPU: 1}), 68),
        ({"cpu": "4", GPU: "4", "pods": "9"}, 87),
        ({"cpu": "4", "pods": "9"}, 100),
    ],
    ids=["all three", "cpu and memory", "the only device", "cpu and devices", "cpu alone"],
)
def test_the_balance_is_over_the_resources_of_the_node(sizes, want):
    """v1.37: balancedResourceScorer. Two resources: half their difference; three: the standard deviation.

    In use: half of the cpu, a quarter of the memory, a quarter of the devices or all. Deviations 0.118, 0.125, 0.312.
    """
    plugin = NodeResourcesBalancedAllocation(resources=(*WEIGHTS, (GPU, 1)), measures_gain=False)
    assert score(plugin, amounts(2, 250, **{GPU: 1}), [sizes]) == [want]


def test_a_node_is_in_balance_if_the_pod_requests_none_of_the_resources():
    plugin = NodeResourcesBalancedAllocation(resources=((GPU, 1),), measures_gain=False, skips_best_effort=False)
    assert scored(plugin, pod("p", cpu=1), node("n", cpu=4)) == {"n": 100}


def test_the_balance_uses_no_defaults_for_containers_without_requests():
    nodes = [node("n1", allocatable=amounts(4, 10000)), node("n2", allocatable=amounts(4, 10000))]
    found = scored(NodeResourcesBalancedAllocation(), pod("p", cpu="2"), *nodes, pod("r", "n1"))
    assert found == {"n1": 62, "n2": 62}


def test_requests_of_the_pod_count_for_the_balance_but_not_for_the_fit():
    """v1.37: fit.go makes its scorers without enablePodLevelResources, balanced_allocation.go with it."""
    asking = pod("p", requests=amounts(1, 1000), resources={"requests": amounts(4, 1000)})
    nodes = [node("n1", allocatable=amounts(4, 10000)), node("n2", allocatable=amounts(8, 10000))]
    assert scored(NodeResourcesFitScore(), asking, *nodes) == {"n1": 82, "n2": 88}
    assert scored(NodeResourcesBalancedAllocation(), asking, *nodes) == {"n1": 52, "n2": 65}


def test_the_terms_show_the_formula():
    world = cluster(
        node("n", allocatable=amounts(4, 10000)),
        pod("r", "n", requests=amounts(1, 1000)),
        pod("p", requests=amounts(1, 4000)),
    )
    row = NodeResourcesFitScore().score(world.pending["default/p"], world, np.array([0]))
    cpu = {name: value.tolist() for name, value in row.terms["cpu"].items()}
    assert cpu == {"requested": [2000], "capacity": [4000], "score": [50]}
    assert row.raw.tolist() == [(50 + 50) // 2]


def test_resources_of_containers_and_sidecars_are_summed_for_the_score():
    """v1.37: fit_test.go, "test case for ScoringStrategy LeastAllocated with sidecar container"."""
    sidecar = {"name": "s", "image": "img", "restartPolicy": "Always", "resources": resources(amounts(1, 2000))}
    asking = pod("p", requests=amounts(2, 3000), initContainers=[sidecar])
    assert scored(NodeResourcesFitScore(), asking, node("n", allocatable=amounts(6, 10000))) == {"n": 50}


# -- older generations


@pytest.mark.parametrize(
    ("asked", "sizes", "running", "want"),
    [
        (NOTHING, [(4000, 10000)] * 2, [], [100, 100]),
        ((3000, 5000), [(4000, 10000), (6000, 10000)], [], [75, 100]),
        (NOTHING, [(10000, 20000)] * 2, [(0, (6000, 0)), (1, (6000, 5000))], [40, 65]),
        ((3000, 5000), [(10000, 20000)] * 2, [(0, (3000, 0)), (1, (3000, 5000))], [65, 90]),
        ((3000, 5000), [(10000, 20000), (10000, 50000)], [(0, (3000, 0)), (1, (3000, 5000))], [65, 60]),
        ((3000, 0), [(6000, 10000)] * 2, [(0, (3000, 0)), (1, (3000, 5000))], [0, 0]),
        ((3000, 5000), [(6000, 5000)], [], [0]),
        (NOTHING, [{"pods": "9"}, {"cpu": "6000", "pods": "9"}], [], [0, 0]),
    ],
    ids=[
        "nothing scheduled, nothing requested",
        "differently sized nodes",
        "nothing requested, pods with resources",
        "resources requested, pods with resources",
        "the same, differently sized nodes",
        "CPU would be used up",
        "memory would be used up",
        "nodes without a resource",
    ],
)
def test_balance_of_cpu_and_memory(asked, sizes, running, want):
    """v1.20: balanced_allocation_test.go."""
    assert score(BalancedResourceAllocation(), asked, sizes, running) == want
    assert score(BalancedResourceAllocation(highest=10), asked, sizes, running) == [points // 10 for points in want]


def test_the_old_balance_used_defaults_for_containers_without_requests():
    """v1.20: resource_allocation.go takes NonZeroRequested: 100m and 200 MiB."""
    nodes = [node(name, allocatable=amounts(1, "2000Mi")) for name in ("n1", "n2")]
    assert scored(BalancedResourceAllocation(), pod("p", cpu="500m"), *nodes, pod("r", "n1")) == {"n1": 60, "n2": 60}
    nodes = [node("n1", allocatable=amounts(1, "800Mi")), node("n2", allocatable=amounts(1, "400Mi"))]
    assert scored(BalancedResourceAllocation(), pod("p"), *nodes, pod("r", "n1")) == {"n1": 70, "n2": 60}


def test_an_absent_resource_counted_as_full():
    asked, sizes = (3000, 4000), [{"cpu": "6000", "pods": "9"}, (6000, 10000)]
    assert score(NodeResourcesFitScore(ignores_absent_resources=False), asked, sizes) == [25, 55]
    assert score(NodeResourcesFitScore(ignores_absent_resources=False, highest=10), asked, sizes) == [2, 5]
    packing = NodeResourcesFitScore(strategy=LEAST, ignores_absent_resources=False)
    assert score(packing, asked, sizes) == [50, 55]


def test_an_extended_resource_counted_even_if_not_requested():
    nodes = [node("n1", allocatable={GPU: "4"}), node("n2", allocatable={GPU: "4"})]
    objects = [*nodes, pod("r", "n2", requests={GPU: "3"})]
    plugin = NodeResourcesFitScore(strategy=most_allocated, resources=((GPU, 1),), ignores_absent_resources=False)
    assert scored(plugin, pod("p"), *objects) == {"n1": 0, "n2": 75}


@pytest.mark.parametrize(
    ("used", "latest", "v1_20"), [(0, 0, 0), (1, 33, 34), (2, 66, 67), (3, 100, 100), (4, 100, 100)]
)
def test_utilization_was_rounded_up(used, latest, v1_20):
    shape = ((0, 0), (100, 10))
    amounts_used, capacity = np.array([used]), np.array([3])
    assert RequestedToCapacityRatio(shape)(amounts_used, capacity, 100).tolist() == [latest]
    assert RequestedToCapacityRatio(shape, rounds_utilization_up=True)(amounts_used, capacity, 100).tolist() == [v1_20]
