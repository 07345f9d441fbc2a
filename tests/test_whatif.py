"""Every answer to "what would change it" is true: the pod is decided for on both sides, and nothing is missed."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from kschedlab.build import budget, cluster, node, node_affinity, pod, term
from kschedlab.explanation import NoProfileError
from kschedlab.generations import V1_37
from kschedlab.plugins import node_score
from kschedlab.scheduler import schedule
from kschedlab.whatif import Case, what_if
from kschedlab.whatif.thresholds import last
from kschedlab_lab.panels.cluster_source import bundled
from tests.cluster.checking import check
from tests.course import GENERATIONS
from tests.samples import sampled

GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
SMALL = {"cpu": "4", "memory": "8Gi", "pods": "10"}
MEBIBYTE = 1024 * 1024
HIGHEST_WEIGHT = 100
HIGHEST_PRIORITY = 1_000_000_000
"""v1.37: pkg/apis/scheduling/types.go, HighestUserDefinablePriority."""


def changes(found):
    return [(*each.changes, sorted(each.decision.names)) for each in found.relaxations.sufficient]


# -- requests


@given(st.integers(1, 5), st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_the_largest_request_that_fits_is_found(size, used, wanted):
    room = {"cpu": f"{size}", "memory": "1Gi", "pods": "10"}
    nodes = [node(f"n{i}", allocatable=room) for i in range(len(used))]
    pods = [pod(f"p{i}", f"n{i}", cpu=f"{cpu * 100}m") for i, cpu in enumerate(used)]
    world = cluster(*nodes, *pods, pod("mine", "", cpu=f"{wanted}"))
    free = max(size * 1000 - cpu * 100 for cpu in used)
    found = what_if("default/mine", world)
    if free >= wanted * 1000:
        (limit,) = found.limits
        assert (limit.near, limit.far) == (free, free + 1)
        assert limit.before.node is not None and limit.after.node is None
    else:
        (boundary,) = found.requests
        assert (boundary.now, boundary.near, boundary.far) == (wanted * 1000, free + 1, free)
        assert boundary.before.node is None and boundary.after.node is not None


def test_less_of_one_resource_alone_may_not_be_enough():
    tight = {"cpu": "1", "memory": "1Gi", "pods": "10"}
    found = what_if("default/mine", cluster(node("n", allocatable=tight), pod("mine", "", cpu="2", memory="2Gi")))
    assert found.requests == ()
    assert "Less of one resource alone is not enough." in str(found)


def test_asking_for_none_of_a_resource_may_be_the_only_request_that_fits():
    (found,) = what_if("default/mine", cluster(node("n"), pod("busy", "n", cpu=4), pod("mine", cpu=1))).requests
    assert (found.near, found.far) == (1, 0)


def test_a_request_that_no_filter_compares_has_no_limit():
    careless = replace(V1_37, filters=tuple(each for each in V1_37.filters if each.name != "NodeResourcesFit"))
    world = cluster(node("n"), pod("mine", cpu=1, memory="1Gi"))
    assert what_if("default/mine", world, careless).limits == ()
    assert [each.name for each in what_if("default/mine", world).limits] == ["cpu", "memory"]


def test_another_node_is_chosen_at_the_very_last_request_that_fits():
    larger = node("larger", "4001m", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    for cpu in (1, 4):
        found = what_if("default/mine", cluster(node("n", 4), larger, pod("mine", cpu=cpu)))
        (up,) = [each for each in found.requests if each.far > each.now]
        assert (up.near, up.far, up.after.best) == (4000, 4001, ["larger"])


def test_memory_moves_in_mebibytes_and_the_whole_pod_counts():
    world = cluster(node("n", allocatable=SMALL), pod("mine", "", memory="9000Mi"))
    (found,) = what_if("default/mine", world).requests
    assert (found.near, found.far) == (8193 * MEBIBYTE, 8192 * MEBIBYTE)


def test_another_node_is_chosen_from_a_request_on():
    world = cluster(
        node("big", allocatable={"cpu": "8", "memory": "8Gi", "pods": "10"}),
        node("small", allocatable=SMALL),
        pod("busy", "big", cpu="6"),
        pod("mine", "", cpu="1"),
    )
    found = what_if("default/mine", world)
    assert found.decision.node == "small"
    assert [(each.name, each.near, each.far) for each in found.limits] == [("cpu", 4000, 4001)]
    for each in found.requests:
        assert found.decision.node in each.before.best and found.decision.node not in each.after.best


# -- weights


def test_the_ends_of_a_weight_s_range_are_exact():
    image = {"names": ["img"], "sizeBytes": 900 * MEBIBYTE}
    world = cluster(
        node("has-image", allocatable=SMALL, images=[image]),
        node("empty", allocatable=SMALL),
        pod("busy", "has-image", cpu="1"),
        pod("mine", "", cpu="1"),
    )
    found = what_if("default/mine", world)
    chosen = found.decision.node
    by_name = {(each.name, each.far > each.now): each.far for each in found.weights}
    for plugin, now in zip(found.decision.scores.plugins, found.decision.scores.weights, strict=True):
        decided = {
            weight: schedule("default/mine", world, V1_37.weighted(**{plugin: weight})).best
            for weight in range(HIGHEST_WEIGHT + 1)
        }
        above = next((w for w in range(now, HIGHEST_WEIGHT + 1) if chosen not in decided[w]), None)
        below = next((w for w in range(now, -1, -1) if chosen not in decided[w]), None)
        assert by_name.get((plugin, True)) == above and by_name.get((plugin, False)) == below
    assert by_name


def test_weights_are_tried_up_to_100():
    for weight, ends in ((99, [("Left", 0), ("Right", 100)]), (100, [("Left", 0)])):
        left = node_score("Left", weight=weight)(lambda pod, node: int(node.name == "a"))
        right = node_score("Right")(lambda pod, node: int(node.name == "b"))
        generation = V1_37.plus(left, right).only("Left", "Right")
        found = what_if("default/mine", cluster(node("a"), node("b"), pod("mine", "")), generation)
        assert found.decision.node == "a"
        assert [(each.name, each.far) for each in found.weights] == ends


# -- the spec


def test_the_one_constraint_in_the_way_is_named():
    world = cluster(
        node("plain", allocatable=SMALL, labels={"disk": "hdd"}),
        node("gpu", allocatable=SMALL, labels={"disk": "ssd"}, taints=[GPU]),
        pod("mine", "", cpu="1", nodeSelector={"disk": "ssd"}),
    )
    assert changes(what_if("default/mine", world)) == [
        ("tolerating gpu=yes", ["gpu"]),
        ("without nodeSelector disk=ssd", ["plain"]),
    ]


def test_two_constraints_are_found_together():
    world = cluster(
        node("gpu", allocatable=SMALL, taints=[GPU]),
        pod("mine", "", cpu="1", nodeSelector={"disk": "ssd"}, affinity=node_affinity(term("a In b"))),
    )
    assert changes(what_if("default/mine", world)) == []
    world = cluster(
        node("gpu", allocatable=SMALL, taints=[GPU]), pod("mine", "", cpu="1", nodeSelector={"disk": "ssd"})
    )
    (found,) = what_if("default/mine", world).relaxations.sufficient
    assert found.changes == ("without nodeSelector disk=ssd", "tolerating gpu=yes")
    assert found.decision.node == "gpu"


APART = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone"}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    ("spec", "change"),
    [
        ({"schedulingGates": [{"name": "quota"}]}, "without its scheduling gates"),
        ({"ports": [{"containerPort": 80, "hostPort": 80}]}, "without hostPort 80"),
        ({"affinity": {"podAntiAffinity": {REQUIRED: [APART]}}}, "without required podAntiAffinity by zone"),
        (
            {"affinity": {"podAffinity": {REQUIRED: [{**APART, "labelSelector": {"matchLabels": {"app": "db"}}}]}}},
            "without required podAffinity by zone",
        ),
        ({"affinity": node_affinity(term("zone In b"))}, "without required nodeAffinity"),
        ({"affinity": node_affinity(term("zone In a", "disk In ssd"))}, "without nodeAffinity disk In ssd"),
        (
            {"topologySpreadConstraints": [{**SPREAD, "labelSelector": {"matchLabels": {"app": "web"}}}]},
            "without spreading over zone",
        ),
        (
            {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "gone"}}]},
            "without its volume “data”",
        ),
        (
            {"volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}}]},
            "without its volume “scratch”",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_kind_of_constraint_can_be_taken_away(spec, change):
    world = cluster(
        node("n", labels={"zone": "a"}),
        pod("web", "n", labels={"app": "web"}, ports=[{"containerPort": 80, "hostPort": 80}]),
        pod("mine", "", cpu="1", **({"labels": {"app": "web"}} | spec)),
    )
    found = what_if("default/mine", world)
    assert found.decision.node is None
    assert (change, ["n"]) in changes(found)


def test_a_pod_that_may_not_preempt_is_told_so():
    world = cluster(
        node("n", allocatable=SMALL),
        pod("busy", "n", cpu="4"),
        pod("mine", "", cpu="4", priority=10, preemptionPolicy="Never"),
    )
    found = what_if("default/mine", world)
    (one,) = found.relaxations.sufficient
    assert one.changes == ("with preemptionPolicy PreemptLowerPriority",) and one.decision.nominated_node == "n"
    assert found.priority is None and [v.key for v in found.eviction.victims] == ["default/busy"]


def test_ill_nodes_are_not_the_pod_s_to_tolerate():
    world = cluster(node("n", allocatable=SMALL, unschedulable=True), pod("mine", "", cpu="1"))
    assert changes(what_if("default/mine", world)) == [("if no node were cordoned", ["n"])]
    world = cluster(
        node("n", taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]), pod("mine", "")
    )
    assert changes(what_if("default/mine", world)) == [("if no node had the taint node.kubernetes.io/not-ready", ["n"])]


def test_what_is_left_out_is_counted():
    nodes = [node(f"n{i}", allocatable=SMALL, taints=[{**GPU, "value": f"v{i}"}]) for i in range(25)]
    found = what_if("default/mine", cluster(*nodes, pod("mine", "", cpu="1")))
    assert (len(found.relaxations.sufficient), found.relaxations.untried) == (20, 5)
    assert "5 changes not tried: there are too many." in str(found)


def test_only_the_rarest_taints_are_left_out():
    """Of taints that are as frequent, the last in alphabetical order."""
    values = [*(f"v{number:02}" for number in reversed(range(24))), "often", "often"]
    nodes = [node(f"n{i}", taints=[{**GPU, "value": value}]) for i, value in enumerate(values)]
    named = [change for change, _ in changes(what_if("default/mine", cluster(*nodes, pod("mine"))))]
    assert named == ["tolerating gpu=often", *(f"tolerating gpu=v{number:02}" for number in range(19))]


@pytest.mark.parametrize(("labels", "tried", "untried"), [(2, 3, 0), (25, 325, 0), (26, 326, 25)])
def test_no_more_than_300_pairs_of_changes_are_tried(labels, tried, untried):
    """The pod is too large for the node, so none helps. Its emptyDir keeps it off no node: it counts as no change."""
    selector = {f"label-{number}": "yes" for number in range(labels)}
    scratch = {"volumes": [{"name": "scratch", "emptyDir": {}}]}
    found = what_if("default/mine", cluster(node("n"), pod("mine", cpu=8, nodeSelector=selector, **scratch)))
    assert (found.relaxations.tried, found.relaxations.untried) == (tried, untried)


def test_the_only_expression_of_a_term_is_the_whole_affinity():
    """Without its only expression the term would match no node."""
    for conditions, tried in ((["disk In ssd"], 1), (["disk In ssd", "zone In a"], 3 + 3)):
        found = what_if(
            "default/mine", cluster(node("n"), pod("mine", cpu=8, affinity=node_affinity(term(*conditions))))
        )
        assert found.relaxations.tried == tried


def test_a_pod_that_fits_has_no_change_to_try():
    found = what_if("default/mine", cluster(node("n"), pod("mine", nodeSelector={})))
    assert (found.relaxations.sufficient, found.relaxations.tried, found.relaxations.untried) == ((), 0, 0)


# -- priority and eviction


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=4), st.integers(-3, 3))
@settings(max_examples=60, deadline=None)
def test_the_priority_from_which_on_it_preempts(priorities, own):
    nodes = [node(f"n{i}", allocatable=SMALL) for i in range(len(priorities))]
    busy = [pod(f"p{i}", f"n{i}", cpu="4", priority=each) for i, each in enumerate(priorities)]
    world = cluster(*nodes, *busy, pod("mine", "", cpu="4", priority=own))
    found = what_if("default/mine", world)
    if own > min(priorities):
        assert found.priority is None and found.eviction is None and found.decision.nominated_node
    else:
        assert (found.priority.near, found.priority.far) == (min(priorities), min(priorities) + 1)
        assert found.priority.before.nominated_node is None and found.priority.after.nominated_node


def test_only_an_allowed_priority_is_suggested():
    """Priorities above 1,000,000,000 are the system's; its pods are not suggested for eviction either."""

    def found(priority):
        full = pod("full", "n", cpu="4", priority=priority)
        return what_if("default/mine", cluster(node("n", allocatable=SMALL), full, pod("mine", "", cpu="4")))

    assert found(HIGHEST_PRIORITY - 1).priority.far == HIGHEST_PRIORITY
    assert found(HIGHEST_PRIORITY).priority is None and found(HIGHEST_PRIORITY).eviction is not None
    assert found(2_000_001_000).priority is None and found(2_000_001_000).eviction is None


def test_pods_that_come_back_are_the_last_to_be_evicted():
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}
    agent = pod("agent", "one", cpu="4")
    agent["metadata"]["ownerReferences"] = [owner]
    two = [pod("a", "two", cpu="2"), pod("b", "two", cpu="2")]
    nodes = [node("one", allocatable=SMALL), node("two", allocatable=SMALL)]
    found = what_if("default/mine", cluster(*nodes, agent, *two, pod("mine", "", cpu="4"))).eviction
    assert (found.node, len(found.victims)) == ("two", 2)
    alone = what_if("default/mine", cluster(nodes[0], agent, pod("mine", "", cpu="4"))).eviction
    assert [victim.key for victim in alone.victims] == ["default/agent"]


def test_a_pod_of_another_scheduler_has_no_answer():
    world = cluster(node("n"), pod("mine", "", schedulerName="batch"))
    with pytest.raises(NoProfileError, match='no profile has the schedulerName "batch" of pod default/mine'):
        what_if("default/mine", world)


def test_the_fewest_pods_in_the_way():
    world = cluster(
        node("two", allocatable=SMALL),
        node("one", allocatable=SMALL),
        pod("a", "two", cpu="2", priority=500),
        pod("b", "two", cpu="2", priority=500),
        pod("c", "one", cpu="4", priority=900),
        pod("mine", "", cpu="3"),
        budget("all", 0, {}),
    )
    found = what_if("default/mine", world).eviction
    assert (found.node, [v.key for v in found.victims], found.decision.node) == ("one", ["default/c"], "one")


def test_room_that_a_nominated_pod_will_take_is_not_promised():
    world = cluster(
        node("n", allocatable=SMALL),
        pod("busy", "n", cpu="4", priority=5),
        pod("rival", "", cpu="4", priority=9, nominated="n"),
        pod("mine", "", cpu="4", priority=5),
    )
    assert what_if("default/mine", world).eviction is None


# -- the case


def test_a_running_pod_is_taken_off_its_node_and_the_cluster_stays_as_it_was():
    world = cluster(
        node("n", allocatable=SMALL), node("m", allocatable=SMALL), pod("mine", "n", cpu="3"), pod("busy", "m", cpu="2")
    )
    found = what_if("default/mine", world)
    assert (found.was_on, found.decision.node) == ("n", "n")
    check(world)
    assert "default/mine" in world.pods.row_of


def test_an_unknown_pod_is_a_key_error():
    with pytest.raises(KeyError):
        what_if("default/nobody", cluster(node("n", allocatable=SMALL)))


def test_asking_for_what_it_asks_for_changes_nothing():
    world = cluster(node("n", allocatable=SMALL), pod("mine", "", cpu="3", memory="1Gi"))
    case = Case("default/mine", world)
    for resource, amount in case.info.request.items():
        same = case.asking(resource, amount)
        assert (same.request, same.scored) == (case.info.request, case.info.scored)


def test_a_pod_that_asks_for_an_amount_is_decided_as_if_its_manifest_said_so():
    for cpu, memory in ((250, 512), (1500, 100), (4000, 7000)):
        nodes = [node("n", allocatable=SMALL), node("m", allocatable=SMALL), pod("busy", "m", cpu="1")]
        case = Case("default/mine", cluster(*nodes, pod("mine", "", cpu="1", memory="1Gi")))
        case.info = case.asking("cpu", cpu)
        asked = case.asking("memory", memory * MEBIBYTE)
        written = Case("default/mine", cluster(*nodes, pod("mine", "", cpu=f"{cpu}m", memory=f"{memory}Mi")))
        assert case.decide(asked).to_dict() == written.decide().to_dict()
        assert (asked.nonzero, asked.placed) == (written.info.nonzero, written.info.placed)


def test_last_finds_the_last_that_holds():
    assert [last(lambda x, end=end: x <= end, range(5)) for end in (-1, 0, 3, 4)] == [-1, 0, 3, 4]


@pytest.mark.parametrize("generation", sampled(GENERATIONS, 2))
def test_on_the_bundled_cluster_every_answer_holds(generation):
    loaded, deciding = bundled(), GENERATIONS[generation]
    world = loaded.cluster(generation)
    for key in (*world.pending, "data/kafka-3", "data/redis-7"):
        found = what_if(key, world, deciding)
        node, nominated = found.decision.node, found.decision.nominated_node
        for each in (*found.limits, *found.requests, *found.weights):
            if node is None or each in found.limits:
                assert (each.before.node is None) is not (each.after.node is None)
            else:
                assert node in each.before.best and node not in each.after.best
        for each in found.relaxations.sufficient:
            assert node is None and (each.decision.node or each.decision.nominated_node)
        if found.priority is not None:
            assert nominated is None and found.priority.before.nominated_node is None
            assert found.priority.after.nominated_node is not None
        if found.eviction is not None:
            assert found.eviction.node in found.eviction.decision.names
    check(world)


def test_changes_that_open_the_most_nodes_come_first():
    """And of those that open as many, the first in alphabetical order."""
    tainted = [node(name, taints=[GPU], labels={"disk": "ssd"}) for name in ("a", "b", "c")]
    world = cluster(*tainted, node("d"), node("e"), pod("mine", "", nodeSelector={"disk": "ssd"}))
    opened = [len(each.decision.feasible) for each in what_if("default/mine", world).relaxations.sufficient]
    assert len(opened) > 1 and opened == sorted(opened, reverse=True) and opened[0] == 3 and opened[-1] == 2


# -- the smallest eviction


def test_a_pod_on_another_node_of_the_zone_is_enough():
    zone = {"labels": {"zone": "a"}}
    apart = {"labelSelector": {"matchLabels": {"app": "q"}}, "topologyKey": "zone"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    world = cluster(
        node("n", allocatable=SMALL, **zone),
        node("m", allocatable=SMALL, **zone),
        pod("q", "m", cpu="1", labels={"app": "q"}),
        pod("big", "m", cpu="3", priority=2000),
        pod("mine", "", cpu="3", priority=1000, affinity=affinity),
    )
    found = what_if("default/mine", world).eviction
    assert ([v.key for v in found.victims], found.where, found.node) == (["default/q"], ("m",), "n")


def test_one_important_pod_goes_before_many_others():
    """Preemption spares the most important pods; a person may ask for one pod instead of three."""
    few = [pod(f"p{i}", "n", cpu="1") for i in range(3)]
    world = cluster(node("n", allocatable=SMALL), *few, pod("one", "n", cpu="1", priority=9), pod("mine", "", cpu="1"))
    assert [v.key for v in what_if("default/mine", world).eviction.victims] == ["default/p0"]
    large = pod("large", "n", cpu="3", priority=9)
    world = cluster(node("n", allocatable=SMALL), large, pod("small", "n", cpu="1"), pod("mine", "", cpu="3"))
    assert [v.key for v in what_if("default/mine", world).eviction.victims] == ["default/large"]


def test_the_fewest_pods_by_brute_force():
    random = Random(5)
    for _ in range(30):
        nodes = [node(f"n{i}", allocatable=SMALL) for i in range(2)]
        running = [pod(f"p{i}", f"n{i % 2}", cpu=random.choice(("500m", "1", "2"))) for i in range(6)]
        world = cluster(*nodes, *running, pod("mine", "", cpu="3500m"))
        case, found = Case("default/mine", world), what_if("default/mine", world).eviction
        infos = [world.pods.info(row) for row in world.pods.row_of.values()]
        least = next(n for n in range(1, 5) if any(case.without(c).fits(case.info) for c in combinations(infos, n)))
        assert found is not None and len(found.victims) == least, running


def test_a_profile_that_does_not_obey_scheduling_gates_is_asked_as_it_is():
    disobeys = replace(V1_37, obeys_scheduling_gates=False)
    world = cluster(node("n1", cpu=4), node("n2", cpu=2))
    gated, free = pod("web", cpu=8, schedulingGates=[{"name": "g"}]), pod("web", cpu=8)
    (asked,), (free,) = (what_if(each, world, disobeys).requests for each in (gated, free))
    assert (asked.name, asked.far) == (free.name, free.far) == ("cpu", 4000)
