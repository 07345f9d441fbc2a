"""The pools of a cluster: by the labels of clouds and autoscalers, by a chosen label, by taints."""

import pytest

from kschedlab.build import cluster, node
from kschedlab.cluster.pools import POOLS, TAINTS, USUAL, pools, usual_label

TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
POOLED = "cloud.google.com/gke-nodepool"


def test_pools_by_label_by_taint_or_all_together():
    labelled = cluster(node("a", labels={POOLED: "web"}), node("b", labels={POOLED: "web"}), node("c"))
    assert pools(labelled) == {"web": [0, 1], "others": [2]}
    assert pools(cluster(node("a", taints=[TAINT]), node("b"), node("c"))) == {"nodes": [1, 2], "dedicated": [0]}


@pytest.mark.parametrize("label", [*USUAL, "pool", "example.com/node-pool", "node.kubernetes.io/instance-type"])
def test_usual_labels_are_found_before_all_others(label):
    world = cluster(*(node(f"n{i}", labels={"a": f"{i}", label: f"p{i % 2}", "zone": f"z{i}"}) for i in range(4)))
    assert usual_label(world) == label
    assert list(pools(world)) == ["p0", "p1"]


def test_a_chosen_label_names_the_pools():
    world = cluster(
        *(node(f"n{i}", labels={"pool": f"p{i % 2}", "zone": f"z{i % 3}"}, taints=[TAINT]) for i in range(6))
    )
    assert pools(world, "zone") == {"z0": [0, 3], "z1": [1, 4], "z2": [2, 5]}
    assert pools(world, TAINTS) == {"dedicated": [0, 1, 2, 3, 4, 5]}
    assert pools(cluster(node("a", labels={"pool": ""})), "pool") == {"others": [0]}


def test_many_small_pools_are_put_together():
    many = [node(f"n{i:02}", labels={POOLED: f"p{i:02}"}) for i in range(20)]
    found = pools(cluster(*many))
    assert len(found) == POOLS and len(found["others"]) == 9
    assert sorted(place for places in found.values() for place in places) == list(range(20))
    unlabelled = pools(cluster(*many, node("n98"), node("n99")))
    assert len(unlabelled["others"]) == 12 and sum(map(len, unlabelled.values())) == 22
