"""Every predicate and priority of v1.13 and v1.16 is registered under its name and usable in a custom table."""

from dataclasses import replace

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_13, V1_16
from kschedlab.scheduler import schedule
from kschedlab_configuration.older.registry import REGISTRY_1_13, REGISTRY_1_16
from tests.verdicts import PLENTY

BOTH = pytest.mark.parametrize(
    ("registry", "generation"), [(REGISTRY_1_13, V1_13), (REGISTRY_1_16, V1_16)], ids=["v1.13", "v1.16"]
)

DEFAULT_PREDICATES = [
    "CheckNodeUnschedulable",
    "GeneralPredicates",
    "NoDiskConflict",
    "PodToleratesNodeTaints",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxCSIVolumeCountPred",
    "MaxAzureDiskVolumeCount",
    "CheckVolumeBinding",
    "NoVolumeZoneConflict",
    "MatchInterPodAffinity",
]
OTHER_PREDICATES = [
    "CheckNodeCondition",
    "CheckNodeMemoryPressure",
    "CheckNodePIDPressure",
    "CheckNodeDiskPressure",
    "HostName",
    "PodFitsHostPorts",
    "MatchNodeSelector",
    "PodFitsResources",
    "CheckNodeLabelPresence",
    "CheckServiceAffinity",
]
DEFAULT_PRIORITIES = {
    "BalancedResourceAllocation": 1,
    "ImageLocalityPriority": 1,
    "InterPodAffinityPriority": 1,
    "LeastRequestedPriority": 1,
    "NodeAffinityPriority": 1,
    "NodePreferAvoidPodsPriority": 10000,
    "SelectorSpreadPriority": 1,
    "TaintTolerationPriority": 1,
}
OTHER_PRIORITIES = [
    "EqualPriority",
    "MostRequestedPriority",
    "RequestedToCapacityRatioPriority",
    "ResourceLimitsPriority",
    "ServiceSpreadingPriority",
]


@BOTH
def test_the_default_tables_equal_the_real_ones(registry, generation):
    assert [plugin.name for plugin in generation.filters] == DEFAULT_PREDICATES
    assert {plugin.name: weight for plugin, weight in generation.scores} == DEFAULT_PRIORITIES


@BOTH
def test_every_plugin_has_its_registered_name(registry, generation):
    assert {name for name, each in registry.predicates.items() if each.name != name} == set()
    assert {name for name, each in registry.priorities.items() if each.name != name} == set()
    assert {*DEFAULT_PREDICATES, *OTHER_PREDICATES} <= registry.predicates.keys()
    assert {*DEFAULT_PRIORITIES, *OTHER_PRIORITIES, "NodeLabelPriority"} <= registry.priorities.keys()


@BOTH
@pytest.mark.parametrize("name", [*DEFAULT_PREDICATES, *OTHER_PREDICATES])
def test_every_predicate_runs_alone(name, registry, generation):
    alone = replace(generation, filters=registry.filters(name))
    decision = schedule("default/p", cluster(node("a"), node("b"), pod("p", cpu="1")), alone)
    assert decision.best == ["a", "b"] and decision.scores is not None


@BOTH
@pytest.mark.parametrize("name", [*DEFAULT_PRIORITIES, *OTHER_PRIORITIES])
def test_every_priority_runs_alone(name, registry, generation):
    alone = replace(generation, scores=registry.scores(**{name: 3}))
    nodes = [node(name, allocatable=PLENTY) for name in ("a", "b")]
    decision = schedule("default/p", cluster(*nodes, pod("p", cpu="1")), alone)
    assert decision.scores is not None and decision.scores.plugins == (name,)
    assert set(decision.scores.total.tolist()) <= {0, 3, 27, 30}


def test_predicates_run_in_their_order_regardless_of_the_order_of_names():
    filters = REGISTRY_1_16.filters("MatchInterPodAffinity", "CheckNodeDiskPressure", "PodFitsResources")
    assert [f.name for f in filters] == ["PodFitsResources", "CheckNodeDiskPressure", "MatchInterPodAffinity"]


@pytest.mark.parametrize("give", [REGISTRY_1_16.filters, lambda name: REGISTRY_1_16.scores(**{name: 1})])
def test_unknown_names(give):
    with pytest.raises(KeyError, match="PodFitsCloud"):
        give("PodFitsCloud")


@pytest.mark.parametrize(
    ("name", "asked", "sizes", "used", "want"),
    [
        ("MostRequestedPriority", (0, 0), [(4000, 10000), (4000, 10000)], [(0, 0), (0, 0)], [0, 0]),
        ("MostRequestedPriority", (3000, 5000), [(4000, 10000), (6000, 10000)], [(0, 0), (0, 0)], [6, 5]),
        ("MostRequestedPriority", (0, 0), [(10000, 20000)] * 2, [(6000, 0), (6000, 5000)], [3, 4]),
        ("MostRequestedPriority", (3000, 5000), [(10000, 20000)] * 2, [(3000, 0), (3000, 5000)], [4, 5]),
        ("MostRequestedPriority", (5000, 9000), [(4000, 10000), (10000, 8000)], [(0, 0), (0, 0)], [4, 2]),
        ("RequestedToCapacityRatioPriority", (0, 0), [(4000, 10000)] * 2, [(0, 0), (0, 0)], [10, 10]),
        ("RequestedToCapacityRatioPriority", (3000, 5000), [(4000, 10000), (6000, 10000)], [(0, 0), (0, 0)], [4, 5]),
        ("RequestedToCapacityRatioPriority", (0, 0), [(4000, 10000), (6000, 10000)], [(3000, 5000)] * 2, [4, 5]),
        ("LeastRequestedPriority", (3000, 5000), [(4000, 10000), (6000, 10000)], [(0, 0), (0, 0)], [3, 5]),
        ("LeastRequestedPriority", (0, 0), [(10000, 20000)] * 2, [(6000, 0), (6000, 5000)], [7, 5]),
        ("BalancedResourceAllocation", (3000, 5000), [(4000, 10000), (6000, 10000)], [(0, 0), (0, 0)], [7, 10]),
        ("BalancedResourceAllocation", (3000, 5000), [(6000, 10000)] * 2, [(3000, 0), (3000, 5000)], [0, 0]),
    ],
)
def test_priorities_of_resources(name, asked, sizes, used, want):
    """Rows of v1.13's most_requested_test.go, requested_to_capacity_ratio_test.go, least_requested_test.go, ..."""

    def amounts(pair):
        return {"cpu": f"{pair[0]}m", "memory": str(pair[1])}

    nodes = [node(f"n{i}", allocatable={**amounts(size), "pods": "9"}) for i, size in enumerate(sizes)]
    running = [pod(f"r{i}", f"n{i}", requests=amounts(pair)) for i, pair in enumerate(used)]
    world = cluster(*nodes, *running, pod("p", requests=amounts(asked)))
    alone = replace(
        V1_13, filters=REGISTRY_1_13.filters("CheckNodeUnschedulable"), scores=REGISTRY_1_13.scores(**{name: 1})
    )
    decision = schedule("default/p", world, alone)
    assert decision.scores is not None and decision.scores.total.tolist() == want


@pytest.mark.parametrize(("registry", "want"), [(REGISTRY_1_13, 5), (REGISTRY_1_16, 10)], ids=["v1.13", "v1.16"])
def test_a_resource_with_score_zero_is_excluded_from_the_ratio_since_v1_16(registry, want):
    nodes = [node(f"n{i}", allocatable={"cpu": "1", "memory": "1000Gi", "pods": "9"}) for i in range(2)]
    ratio = registry.priorities["RequestedToCapacityRatioPriority"]
    generation = replace(V1_16, filters=registry.filters("CheckNodeUnschedulable"), scores=((ratio, 1),))
    decision = schedule("default/p", cluster(*nodes, pod("p", cpu="1", memory="1")), generation)
    assert decision.scores is not None and decision.scores.total.tolist() == [want, want]
