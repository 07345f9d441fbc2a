"""PodTopologySpread: rows of v1.37's filtering_test.go (TestSingleConstraint, TestMultipleConstraints,
TestPreFilterStateAddPod and -RemovePod), and what happens when pods come and go in thought."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node, node_affinity, pod, term
from kschedlab.cluster.snapshot import Overlay
from kschedlab.cluster.spread_constraints import ConstraintRules
from kschedlab.filter.plugin import SchedulingError
from kschedlab.filter.pod_topology_spread import NO_LABEL, TOO_SKEWED, PodTopologySpread
from kschedlab.filter.stage import FilterRun, prepare
from kschedlab.objects.model import TopologySpreadConstraint
from tests.affinity import spread
from tests.verdicts import judged, model, refused

TAINT = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
FOO, BAR, BOTH = {"foo": ""}, {"bar": ""}, {"foo": "", "bar": ""}
ZONES = {"a": "zone1", "b": "zone1", "x": "zone2", "y": "zone2"}


def four(tainted=(), **labels):
    """Two zones of two nodes; ``labels``: more labels of a node."""
    return [
        node(name, labels={"zone": zone, "node": name} | labels.get(name, {}), taints=TAINT if name in tainted else [])
        for name, zone in ZONES.items()
    ]


def running(where, labels=FOO, prefix="r", **spec):
    """A pod for each letter: ``running("aab")`` are r0 and r1 on a, r2 on b."""
    return [pod(f"{prefix}{i}", on, labels=labels, **spec) for i, on in enumerate(where)]


ZONE, NODE = spread("zone", "foo Exists"), spread("node", "foo Exists")
ONLY_FOO = {"nodeSelector": FOO}
SINGLE = [
    ("no pods", [ZONE], FOO, [], ""),
    ("no pods, and it doesn't mean itself", [ZONE], BAR, [], ""),
    ("other namespaces", [ZONE], FOO, [*running("aa", namespace="ns"), *running("xy", prefix="q")], "xy"),
    ("no selector", [spread("zone", labelSelector=None)], FOO, running("xy"), ""),
    ("an empty selector counts none", [spread("zone", labelSelector={})], FOO, running("xxy"), ""),
    ("3/3", [ZONE], FOO, running("aabyyy"), ""),
    ("2/1/0/3", [NODE], FOO, running("aabyyy"), "aby"),
    ("2/1/0/3 with maxSkew 2", [spread("node", "foo Exists", skew=2)], FOO, running("aabyyy"), "ay"),
    ("2/1/0/3 without itself", [NODE], BAR, running("aabyyy"), "ay"),
    (
        "terminating pods",
        [NODE],
        FOO,
        [*running("bxy"), *running("a", BOTH, "q", deleted="2024-01-01T00:00:00Z")],
        "bxy",
    ),
    ("enough domains", [spread("node", "foo Exists", skew=2, minDomains=4)], FOO, running("aabbxy"), ""),
    ("too few domains", [spread("node", "foo Exists", skew=2, minDomains=5)], FOO, running("aabbxy"), "ab"),
    ("too few zones", [spread("zone", "foo Exists", skew=2, minDomains=3)], FOO, running("aax"), "ab"),
    (
        "matchLabelKeys",
        [spread("node", "foo Exists", matchLabelKeys=["bar"])],
        BOTH,
        [*running("a"), *running("b", BOTH, "q")],
        "b",
    ),
    ("matchLabelKeys that it lacks", [spread("node", "foo Exists", matchLabelKeys=["bar"])], FOO, running("a"), "a"),
    ("soft constraints don't count", [spread("zone", "foo Exists", soft=True)], FOO, running("aaa"), ""),
]


@pytest.mark.parametrize(
    ("constraints", "labels", "pods", "want"), [row[1:] for row in SINGLE], ids=[row[0] for row in SINGLE]
)
def test_a_constraint(constraints, labels, pods, want):
    asked = pod("p", labels=labels, topologySpreadConstraints=constraints)
    assert refused(PodTopologySpread(), asked, *four(), *pods) == {name: [TOO_SKEWED] for name in want}


@pytest.mark.parametrize(
    ("constraints", "labels", "pods", "want"),
    [
        ([ZONE, NODE], FOO, running("aabyyy"), "aby"),
        ([ZONE, NODE], FOO, running("aabyyyy"), "abxy"),
        ([ZONE, spread("node", "bar Exists")], BOTH, [*running("a"), *running("y", BAR, "q")], "aby"),
        ([ZONE, spread("node", "bar Exists")], BOTH, [*running("a"), *running("xy", BAR, "q")], "abxy"),
        ([ZONE, spread("node", "bar Exists")], BOTH, [*running("ayy"), *running("ay", BOTH, "q")], "axy"),
        ([ZONE, spread("node", "bar Exists")], BAR, [*running("a"), *running("xy", BAR, "q")], "xy"),
    ],
    ids=[
        "3/3 and 2/1/0/3",
        "3/4 and 2/1/0/4",
        "1/0 and 0/0/0/1",
        "1/0 and 0/0/1/1",
        "2/3 and 1/0/0/1",
        "itself in one alone",
    ],
)
def test_two_constraints(constraints, labels, pods, want):
    asked = pod("p", labels=labels, topologySpreadConstraints=constraints)
    assert refused(PodTopologySpread(), asked, *four(), *pods) == {name: [TOO_SKEWED] for name in want}


IGNORED = {"nodeAffinityPolicy": "Ignore"}
HONORED = {"nodeTaintsPolicy": "Honor"}
ZONE_IGNORED, NODE_IGNORED, ZONE_TAINTS = (
    spread("zone", "foo Exists", **IGNORED),
    spread("node", "foo Exists", **IGNORED),
    spread("zone", "foo Exists", **HONORED),
)
NOT_Y = {name: FOO for name in "abx"}


@pytest.mark.parametrize(
    ("constraints", "asks", "nodes", "pods", "want"),
    [
        ([NODE], {"affinity": node_affinity(term("node In a,y"))}, four(), running("aabyyy"), "y"),
        ([ZONE], {"affinity": node_affinity(term("node NotIn b"))}, four(), running("bby"), "xy"),
        ([NODE], ONLY_FOO, four(**NOT_Y), running("abx"), ""),
        ([NODE_IGNORED], ONLY_FOO, four(**NOT_Y), running("abx"), "abx"),
        ([ZONE, NODE_IGNORED], ONLY_FOO, four(**NOT_Y), running("aby"), "aby"),
        ([ZONE_TAINTS], {}, four("y"), running("abyy"), "ab"),
        ([ZONE_TAINTS], {"tolerations": [{"operator": "Exists"}]}, four("y"), running("abyy"), ""),
        ([ZONE], {}, four("y"), running("abyy"), ""),
        ([ZONE, NODE], ONLY_FOO, four("y", a=FOO, x=FOO, y=FOO), running("aby"), "ay"),
        (
            [spread("zone", "foo Exists", **HONORED), NODE_IGNORED],
            ONLY_FOO,
            four("y", a=FOO, x=FOO, y=FOO),
            running("aby"),
            "aby",
        ),
    ],
    ids=[
        "node affinity, 2/-/-/3",
        "node affinity, 0/-/0/1",
        "nodeSelector: y is no domain",
        "nodeSelector ignored: y is the emptiest",
        "honor, ignore",
        "taints honored",
        "tolerated taints",
        "taints ignored",
        "nodeSelector for both, taints ignored",
        "taints honored, the other ignores all",
    ],
)
def test_policies(constraints, asks, nodes, pods, want):
    asked = pod("p", labels=FOO, topologySpreadConstraints=constraints, **asks)
    assert refused(PodTopologySpread(), asked, *nodes, *pods) == {name: [TOO_SKEWED] for name in want}


def test_a_node_without_a_key():
    """It is unresolvable, and its pods count nowhere, not even in its domains of other keys."""
    nodes = [*four(), node("z", labels={"zone": "zone2"})]
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ZONE, NODE])
    world, verdicts = judged(PodTopologySpread(), asked, *nodes, *running("zzz"))
    assert {name: verdicts.reasons(i) for i, name in enumerate(world.names) if verdicts.reasons(i)} == {"z": [NO_LABEL]}
    assert verdicts.unresolvable().tolist() == [name == "z" for name in world.names]


def test_the_first_constraint_that_fails_gives_the_reason():
    nodes = [*four(), node("z", labels={"zone": "zone2"})]
    zone_first, rack_first = (
        pod("p", labels=FOO, topologySpreadConstraints=order) for order in ([ZONE, NODE], [NODE, ZONE])
    )
    assert refused(PodTopologySpread(), zone_first, *nodes, *running("xy"))["z"] == [TOO_SKEWED]
    assert refused(PodTopologySpread(), rack_first, *nodes, *running("xy"))["z"] == [NO_LABEL]


def test_default_constraints_are_for_pods_that_a_service_selects():
    hard = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    plugin = PodTopologySpread(defaults=msgspec.convert((hard,), tuple[TopologySpreadConstraint, ...]))
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": FOO}}
    world = [*four(), *running("aa"), service]
    assert refused(plugin, pod("p", labels=FOO), *world) == dict.fromkeys("ab", [TOO_SKEWED])
    assert refused(plugin, pod("p", labels=BAR), *world) == {}
    assert refused(plugin, pod("p", labels=FOO, topologySpreadConstraints=[spread("node", "bar Exists")]), *world) == {}
    assert refused(PodTopologySpread(), pod("p", labels=FOO), *world) == {}


# -- hypothetically added and removed pods


def test_nominated_pods_count_only_on_their_node():
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ZONE])
    nominated = [pod(f"n{i}", nominated="a", labels=FOO) for i in range(2)]
    assert refused(PodTopologySpread(), asked, *four(), *nominated) == {"a": [TOO_SKEWED]}


def test_nominated_pods_fill_the_emptiest_domain():
    """With one more pod on x both zones have equally many, but only in x's snapshot."""
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ZONE])
    nominated = pod("n", nominated="x", labels=FOO)
    assert refused(PodTopologySpread(), asked, *four(), *running("a"), nominated) == dict.fromkeys("ab", [TOO_SKEWED])


def judged_without(asked, victims, objects):
    """bool by node: refused with these running pods removed, each from its own node's snapshot."""
    world = cluster(*objects)
    info = world.info(model(asked))
    run = FilterRun(prepare(info, world, [PodTopologySpread()]), info, world)
    rows = np.array([world.pods.row_of[f"default/{name}"] for name in victims], np.int64)
    overlay = Overlay(world, world.pods, rows)
    overlay.set(np.arange(len(rows)), -1)
    return dict(zip(world.names, (~run.dry_run(overlay).passes).tolist(), strict=True))


def test_a_victim_lowers_the_count_and_the_minimum():
    """1/1/1/2 with the pod on a removed: a becomes the emptiest domain and passes, only in its own snapshot."""
    objects = [*four(), *running("abxyy")]
    asked = pod("p", labels=FOO, topologySpreadConstraints=[NODE])
    assert judged_without(asked, ["r0"], objects) == {"a": False, "b": False, "x": False, "y": True}


def test_a_terminating_victim_is_subtracted_although_it_never_counted():
    """So a has -1 pods."""
    objects = [*four(), *running("a", BOTH, "q", deleted="2024-01-01T00:00:00Z"), *running("a")]
    asked = pod("p", labels=FOO, topologySpreadConstraints=[spread("node", "foo Exists")])
    assert judged_without(asked, [], objects)["a"]
    assert not judged_without(asked, ["q0"], objects)["a"]


def test_an_empty_selector_counts_added_pods_although_it_counts_no_running_ones():
    asked = pod("p", labels=FOO, topologySpreadConstraints=[spread("node", labelSelector={})])
    nominated = pod("n", nominated="x", labels=BAR)
    assert refused(PodTopologySpread(), asked, *four(), *running("aay"), nominated) == {"x": [TOO_SKEWED]}


@given(
    st.lists(st.tuples(st.sampled_from("abxy"), st.booleans()), max_size=12),
    st.sampled_from(["zone", "node"]),
    st.integers(1, 3),
)
def test_each_nodes_snapshot_equals_a_cluster_without_its_victims(pods, key, skew):
    """On every node the verdict equals that in a cluster without that node's victims."""
    named = [(f"p{i}", on, goes) for i, (on, goes) in enumerate(pods)]
    asked = pod("p", labels=FOO, topologySpreadConstraints=[spread(key, "foo Exists", skew=skew)])
    everyone = {name: pod(name, on, labels=FOO) for name, on, _ in named}
    thought = judged_without(asked, [name for name, _, goes in named if goes], [*four(), *everyone.values()])
    for here in "abxy":
        left = [everyone[name] for name, on, goes in named if not (goes and on == here)]
        assert thought[here] == (here in refused(PodTopologySpread(), asked, *four(), *left))


# -- v1.20

V1_20 = PodTopologySpread(
    rules=ConstraintRules(empty_selector_counts_no_pods=False),
    counts_pods_on_eligible_nodes_only=False,
    panics_on_new_domain=True,
)


def test_pods_on_nodes_that_are_not_eligible_counted_too():
    """Zone 1 has three pods, but only one of them on an eligible node."""
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ZONE], nodeSelector=FOO)
    nodes = four(a=FOO, x=FOO)
    pods = running("abbx")
    assert refused(PodTopologySpread(), asked, *nodes, *pods) == {}
    assert refused(V1_20, asked, *nodes, *pods) == dict.fromkeys("ab", [TOO_SKEWED])


def test_a_domain_without_eligible_nodes_does_not_set_the_minimum():
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ZONE], nodeSelector=FOO)
    assert refused(V1_20, asked, *four(a=FOO, b=FOO), *running("aabb")) == {}


def test_an_empty_selector_counted_all_pods_of_the_namespace():
    asked = pod("p", labels=FOO, topologySpreadConstraints=[spread("node", labelSelector={})])
    assert refused(V1_20, asked, *four(), *running("aay", BAR)) == dict.fromkeys("ay", [TOO_SKEWED])


def test_a_nominated_pod_in_a_domain_without_eligible_nodes_panics():
    asked = pod("p", labels=FOO, topologySpreadConstraints=[NODE], nodeSelector=FOO)
    nominated = pod("n", nominated="b", labels=FOO)
    with pytest.raises(SchedulingError, match="nil pointer dereference"):
        refused(V1_20, asked, *four(a=FOO), nominated)
    for harmless in (pod("n", nominated="b", labels=BAR), pod("n", nominated="a", labels=FOO)):
        assert "b" not in refused(V1_20, asked, *four(a=FOO), harmless)


def test_in_v1_22_a_nominated_pod_counted_on_eligible_nodes_only():
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ZONE], nodeSelector=FOO)
    nominated = pod("n", nominated="b", labels=FOO)
    v1_22 = replace(V1_20, panics_on_new_domain=False)
    assert refused(V1_20, asked, *four(a=FOO, x=FOO), nominated) == {"b": [TOO_SKEWED]}
    assert refused(v1_22, asked, *four(a=FOO, x=FOO), nominated) == {}
    assert refused(v1_22, asked, *four(y=FOO), nominated) == {}
