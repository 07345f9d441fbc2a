"""PodTopologySpread: rows of v1.37's scoring_test.go (TestPodTopologySpreadScore)."""

import struct

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node, node_affinity, pod, term
from kschedlab.cluster.spread_constraints import ConstraintRules
from kschedlab.objects.model import TopologySpreadConstraint
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore, log, rounded
from tests.affinity import spread
from tests.verdicts import model

HOST = "kubernetes.io/hostname"
FOO, BAR, BAZ = {"foo": ""}, {"bar": ""}, {"baz": ""}
TAINT = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": FOO}}


def hosts(*names, zones="", **labels):
    """Nodes with their host names; ``zones``: their zones, a letter each; ``labels``: more labels of a node."""
    places = [
        {HOST: name} | ({"zone": zone} if zone else {})
        for name, zone in zip(names, zones or [""] * len(names), strict=True)
    ]
    return [node(name, labels=place | labels.get(name, {})) for name, place in zip(names, places, strict=True)]


def running(where, labels=FOO, prefix="r", **spec):
    """A pod for each letter: ``running("aab")`` are two on a and one on b."""
    return [pod(f"{prefix}{i}", on, labels=labels, **spec) for i, on in enumerate(where)]


def scored(asked, candidates, *objects, plugin=None):
    """The score of each of the nodes that are candidates, one letter each; None if the plugin skips the pod."""
    world = cluster(*objects)
    positions = np.array([world.index[name] for name in candidates])
    row = (plugin or PodTopologySpreadScore()).score(world.info(model(asked)), world, positions)
    return None if row is None else row.normalized.tolist()


ON_HOST, ON_ZONE, BAR_ON_HOST = (
    spread(key, f"{label} Exists", soft=True) for key, label in ((HOST, "foo"), ("zone", "foo"), (HOST, "bar"))
)
FOUR = hosts("a", "b", "x", "y", zones="1122")
ROWS = [
    ("nobody yet", [ON_HOST], hosts("a", "b"), [], "ab", [100, 100]),
    ("one candidate", [ON_HOST], hosts("a", "b"), running("aab"), "a", [100]),
    ("as many on each", [ON_HOST], hosts("a", "b"), running("ab"), "ab", [100, 100]),
    ("2/1/0/3", [ON_HOST], hosts(*"abcd"), running("aabddd"), "abcd", [20, 60, 100, 0]),
    ("no selector", [ON_HOST | {"labelSelector": None}], hosts(*"abcd"), running("aabddd"), "abcd", [100] * 4),
    ("maxSkew 2", [ON_HOST | {"maxSkew": 2}], hosts(*"abcd"), running("aabddd"), "abcd", [33, 66, 100, 16]),
    ("maxSkew 3", [ON_HOST | {"maxSkew": 3}], hosts(*"abcd"), running("aaaabbbccd"), "abcd", [44, 66, 77, 100]),
    ("three candidates", [ON_HOST], hosts(*"abxy"), running("aaaabbxyyy"), "abx", [33, 83, 100]),
    ("a candidate without the key", [ON_HOST], [*hosts(*"axy"), node("b")], running("aaaabbxyyy"), "abx", [16, 0, 100]),
    ("zone, 4/2/1/-", [ON_ZONE], FOUR, running("aaaabbxyyy"), "abx", [75, 75, 100]),
    ("zone and host, 2/-/2/-", [ON_ZONE, ON_HOST], FOUR, running("aabxxyyyy"), "ax", [100, 63]),
    (
        "other selectors",
        [ON_ZONE, BAR_ON_HOST],
        FOUR,
        [*running("aby"), *running("by", BAR, "q")],
        "abxy",
        [60, 20, 100, 60],
    ),
    (
        "some without pods",
        [ON_ZONE, BAR_ON_HOST],
        FOUR,
        [*running("xy"), *running("by", BAR, "q")],
        "abxy",
        [100, 60, 40, 0],
    ),
    (
        "other namespaces",
        [ON_HOST],
        hosts("a", "b"),
        [*running("a", namespace="ns"), *running("abb", prefix="q")],
        "ab",
        [100, 33],
    ),
    (
        "terminating pods",
        [ON_HOST],
        hosts("a", "b"),
        [*running("a", deleted="2024-01-01T00:00:00Z"), *running("b", prefix="q")],
        "ab",
        [100, 0],
    ),
    ("hard constraints don't count", [spread(HOST, "foo Exists")], hosts("a", "b"), running("a"), "ab", None),
]


@pytest.mark.parametrize(
    ("constraints", "nodes", "pods", "candidates", "want"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_spread(constraints, nodes, pods, candidates, want):
    asked = pod("p", labels=FOO | BAR, topologySpreadConstraints=constraints)
    assert scored(asked, candidates, *nodes, *pods) == want


SELECTED = {"affinity": node_affinity(term("foo Exists"))}


@pytest.mark.parametrize("asks", [{"nodeSelector": FOO}, SELECTED], ids=["nodeSelector", "node affinity"])
@pytest.mark.parametrize(("policy", "want"), [("Honor", [0, 33, 100]), ("Ignore", [66, 100, 100])])
def test_the_policy_for_node_affinity(asks, policy, want):
    """In domains larger than a host, pods on nodes that the pod can't use don't count."""
    nodes = [node(name, labels={"node": name} | (FOO if name in "ab" else {})) for name in "abc"]
    constraint = spread("node", "foo Exists", soft=True, nodeAffinityPolicy=policy)
    asked = pod("p", labels=FOO, topologySpreadConstraints=[constraint], **asks)
    assert scored(asked, "abc", *nodes, *running("aabc")) == want


@pytest.mark.parametrize(("policy", "want"), [("Honor", [0, 33, 100]), ("Ignore", [66, 100, 100])])
def test_the_policy_for_taints(policy, want):
    nodes = [node(name, labels={"node": name}, taints=TAINT if name == "c" else []) for name in "abc"]
    constraint = spread("node", "foo Exists", soft=True, nodeTaintsPolicy=policy)
    asked = pod("p", labels=FOO, topologySpreadConstraints=[constraint])
    assert scored(asked, "abc", *nodes, *running("aabc")) == want


def test_a_host_counts_all_its_pods_whatever_the_policies():
    nodes = [node(name, labels={HOST: name}, taints=TAINT if name == "b" else []) for name in "ab"]
    constraint = spread(HOST, "foo Exists", soft=True, nodeTaintsPolicy="Honor")
    assert scored(pod("p", topologySpreadConstraints=[constraint]), "ab", *nodes, *running("b")) == [100, 0]


def test_nodes_that_share_a_host_name_are_counted_separately():
    """The number of domains is that of the nodes, not of the names."""
    world = cluster(*hosts("a"), *hosts("b", b={HOST: "a"}), *running("aaab"))
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ON_HOST])
    row = PodTopologySpreadScore().score(world.info(model(asked)), world, np.arange(2))
    assert row.terms[HOST]["pods"].tolist() == [3, 1]
    assert row.raw.tolist() == [round(3 * log(4)), round(log(4))] == [4, 1]


@pytest.mark.parametrize(("keys", "want"), [(["foo"], [60, 20, 60, 100]), (["missing"], [100] * 4)])
def test_match_label_keys(keys, want):
    """An empty selector without match label keys counts no pods."""
    nodes = hosts("a", "b", "c", "d", zones="1122")
    zone = spread("zone", soft=True, matchLabelKeys=keys)
    host = spread(HOST, soft=True, matchLabelKeys=["bar" if key == "foo" else key for key in keys])
    pods = [*running("a"), *running("b", FOO | BAR, "q"), *running("c", FOO, "s"), *running("c", BAR, "t")]
    asked = pod("p", labels=FOO | BAR, topologySpreadConstraints=[zone, host])
    assert scored(asked, "abcd", *nodes, *pods) == want


# -- pods without constraints


def test_system_defaults_need_only_the_keys_that_a_node_has():
    """Without zones: the same scores as with a constraint on hosts alone."""
    world = [*hosts(*"abcd"), *running("aaaabbbccd"), SERVICE]
    assert scored(pod("p", labels=FOO), "abcd", *world) == [44, 66, 77, 100]


def test_nodes_without_a_zone_form_a_domain():
    """It increases the weight of the zones, but its pods count for no node."""
    zone = "topology.kubernetes.io/zone"
    nodes = [node(name, labels={HOST: name} | ({zone: name} if name in "ab" else {})) for name in "abc"]
    world = cluster(*nodes, *running("aacccc"), SERVICE)
    row = PodTopologySpreadScore().score(world.info(model(pod("p", labels=FOO))), world, np.arange(3))
    assert row.terms[zone]["pods"].tolist() == [2, 0, 4]
    assert row.raw.tolist() == [round(2 * log(5) + 2 + 2 * log(5) + 4), 2 + 4, round(4 * log(5) + 2)]


def test_an_empty_zone_label_equals_none():
    zone = "topology.kubernetes.io/zone"
    nodes = [node("a", labels={HOST: "a", zone: ""}), node("b", labels={HOST: "b"})]
    world = cluster(*nodes, *running("bb"), SERVICE)
    row = PodTopologySpreadScore().score(world.info(model(pod("p", labels=FOO))), world, np.arange(2))
    assert row.terms[zone]["pods"].tolist() == [2, 2]
    assert row.raw.tolist() == [round(2 + 2 * log(3) + 4), round(2 * log(4) + 2)]


def test_user_defaults_need_all_keys():
    defaults = [spread(HOST, soft=True), spread("zone", soft=True)]
    for constraint in defaults:
        del constraint["labelSelector"]
    given = msgspec.convert(defaults, tuple[TopologySpreadConstraint, ...])
    plugin = PodTopologySpreadScore(defaults=given, system_defaulted=False)
    world = [*hosts("a", "b", zones="12"), *hosts("c"), *running("a"), SERVICE]
    assert scored(pod("p", labels=FOO), "abc", *world, plugin=plugin) == [0, 100, 0]
    assert scored(pod("p", labels=BAR), "abc", *world, plugin=plugin) is None


# -- v1.20


def test_a_pod_without_constraints_got_100_everywhere():
    plugin = PodTopologySpreadScore(skips_in_pre_score=False)
    assert scored(pod("p"), "ab", *hosts("a", "b"), *running("a"), plugin=plugin) == [100, 100]


def test_the_sum_was_truncated():
    """log(6) = 1.79 on the one, twice that on the other: 1 and 3, not 2 and 4."""
    asked = pod("p", labels=FOO, topologySpreadConstraints=[ON_HOST])
    world = [*FOUR, *running("abb")]
    assert scored(asked, "abxy", *world, plugin=PodTopologySpreadScore(rounds_sum=False)) == [66, 0, 100, 100]
    assert scored(asked, "abxy", *world) == [50, 0, 100, 100]


def test_an_empty_selector_counted_all_pods():
    asked = pod("p", topologySpreadConstraints=[spread(HOST, soft=True, labelSelector={})])
    older = PodTopologySpreadScore(rules=ConstraintRules(empty_selector_counts_no_pods=False))
    assert scored(asked, "ab", *hosts("a", "b"), *running("a"), plugin=older) == [0, 100]
    assert scored(asked, "ab", *hosts("a", "b"), *running("a")) == [100, 100]


# -- the arithmetic


@pytest.mark.parametrize(
    ("number", "bits"),
    [(2, 0x3FE62E42FEFA39EF), (3, 0x3FF193EA7AAD030A), (14, 0x40051CCA16D7BBA8), (5002, 0x40210901F6DC84B9)],
)
def test_the_logarithm_is_gos(number, bits):
    """Bits that Go 1.26 gives on amd64. Those of 3 and 14 are not C's."""
    assert struct.unpack("<Q", struct.pack("<d", log(number)))[0] == bits


@given(st.integers(0, 2**40), st.sampled_from([0.0, 0.25, 0.5, 0.75]))
def test_halves_are_rounded_up(whole, part):
    assert rounded(np.array([whole + part]))[0] == whole + (part >= 0.5)


def test_just_below_a_half_is_rounded_down():
    assert rounded(np.array([np.nextafter(0.5, 0)])).tolist() == [0]
