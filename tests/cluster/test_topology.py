"""Domains of a topology key, and the order in which the scheduler visits nodes."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.topology import NodeOrder, Topology, zone_of
from kschedlab.manifests.loading import Objects, decode_objects

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"


def in_zone(name, region=None, zone=None):
    """The nodes of upstream's node tree test, with the labels of their zone."""
    labels = {key: value for key, value in ((OLD_REGION, region), (OLD_ZONE, zone)) if value is not None}
    return node(name, labels=labels)


NODES = [
    in_zone("node-0"),
    in_zone("node-1", region="region-1"),
    in_zone("node-2", zone="zone-2"),
    in_zone("node-3", "region-1", "zone-2"),
    in_zone("node-4", "region-1", "zone-2"),
    in_zone("node-5", "region-1", "zone-3"),
    in_zone("node-6", "region-2", "zone-2"),
    in_zone("node-7", "region-2", "zone-2"),
    in_zone("node-8", "region-2", "zone-2"),
]


@pytest.mark.parametrize(
    ("nodes", "want"),
    [
        ([], []),
        (NODES[4:7], ["node-4", "node-5", "node-6"]),
        (NODES[3:9], ["node-3", "node-5", "node-6", "node-4", "node-7", "node-8"]),
        ([NODES[i] for i in (6, 7, 8, 5, 3, 4)], ["node-6", "node-5", "node-3", "node-7", "node-4", "node-8"]),
        ([*NODES[4:9], NODES[3]], ["node-4", "node-5", "node-6", "node-3", "node-7", "node-8"]),
        (NODES, [f"node-{i}" for i in (0, 1, 2, 3, 5, 6, 4, 7, 8)]),
    ],
    ids=[
        "empty",
        "one a zone",
        "uneven zones",
        "zones in another order",
        "a late node of an exhausted zone",
        "nodes without a zone",
    ],
)
def test_the_scheduler_visits_the_zones_round_robin(nodes, want):
    """Rows of v1.37: pkg/scheduler/backend/cache/node_tree_test.go."""
    assert cluster(*nodes).names == want


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        ({}, ("", "")),
        ({ZONE: "z"}, ("", "z")),
        ({REGION: "r", ZONE: "z"}, ("r", "z")),
        ({OLD_REGION: "old", OLD_ZONE: "older", REGION: "r", ZONE: "z"}, ("old", "older")),
        ({OLD_ZONE: "", ZONE: "z"}, ("", "")),
    ],
)
def test_the_older_label_takes_precedence(labels, want):
    (only,) = cluster(node("n", labels=labels)).nodes
    assert zone_of(only, older_labels_only=False) == want
    older = {key: value for key, value in labels.items() if key in (OLD_REGION, OLD_ZONE)}
    assert zone_of(only, older_labels_only=True) == (older.get(OLD_REGION, ""), older.get(OLD_ZONE, ""))


ZONES = st.sampled_from([None, "a", "b", "c"])


@given(st.lists(ZONES, max_size=20))
def test_interleaving_keeps_all_nodes_and_the_order_of_each_zone(zones):
    nodes = decode_objects([in_zone(f"n{i}", zone=zone) for i, zone in enumerate(zones)]).nodes
    ordered = Cluster(Objects(nodes=nodes)).nodes
    assert sorted(n.metadata.name for n in ordered) == sorted(n.metadata.name for n in nodes)
    of = partial(zone_of, older_labels_only=False)
    for zone in {of(n) for n in nodes}:
        assert [n for n in ordered if of(n) == zone] == [n for n in nodes if of(n) == zone]


@given(st.lists(ZONES, max_size=20), st.data())
def test_totals_are_sums_by_value(values, data):
    labels = [{} if value is None else {"key": value} for value in values]
    count = data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=len(values), max_size=len(values)))
    topology = Topology.of("key", labels)
    totals = topology.total(np.array(count, np.int64))
    assert len(totals) == len(topology.values) + 1 and totals[-1] == 0
    for number, value in enumerate(topology.values):
        assert totals[number] == sum(c for c, v in zip(count, values, strict=True) if v == value)
    for domain, value in zip(topology.domain, values, strict=True):
        assert (topology.values[domain] if domain >= 0 else None) == value


def test_zones_and_nodes_are_visited_in_order_of_arrival():
    order = NodeOrder()
    for name, zone in (("a1", "a"), ("a2", "a"), ("b1", "b"), ("a3", "a"), ("b2", "b")):
        assert order.put(name, ("", zone))
    assert order.names() == ["a1", "b1", "a2", "b2", "a3"]
    assert not order.put("a1", ("", "a"))
    assert order.put("a1", ("", "b"))
    assert order.names() == ["a2", "b1", "a3", "b2", "a1"]
    for name in ("a2", "a3"):
        order.remove(name)
    assert order.put("a4", ("", "a"))
    assert order.names() == ["b1", "a4", "b2", "a1"]
    assert order.by_zone() == ["b1", "b2", "a1", "a4"] and order.arrivals() == ["b1", "b2", "a1", "a4"]
