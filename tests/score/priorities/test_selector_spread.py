"""SelectorSpread: rows of v1.13's selector_spreading_test.go, with and without zones."""

import pytest

from kschedlab.build import node, pod, service
from kschedlab.score.priorities.selector_spread import SelectorSpread
from tests.affinity import spread
from tests.verdicts import scored

WEB, DB, BOTH = {"app": "web"}, {"app": "db"}, {"app": "web", "tier": "x"}
ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD = SelectorSpread(highest=10)


def controller(kind, name, labels):
    selector = labels if kind == "ReplicationController" else {"matchLabels": labels}
    version = "v1" if kind == "ReplicationController" else "apps/v1"
    spec = {"selector": selector, "template": {"metadata": {"labels": labels}, "spec": {"containers": []}}}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def running(where, labels=WEB, prefix="r", **spec):
    return [pod(f"{prefix}{i}", on, labels=labels, **spec) for i, on in enumerate(where)]


@pytest.mark.parametrize(
    ("labels", "objects", "want"),
    [
        (WEB, running("aab"), [10, 10, 10]),
        (WEB, [service("s", WEB), *running("ab", DB)], [10, 10, 10]),
        (WEB, [service("s", WEB), *running("a")], [0, 10, 10]),
        (WEB, [service("s", WEB), *running("abb")], [5, 0, 10]),
        (WEB, [service("s", WEB, "other"), *running("abb")], [10, 10, 10]),
        (WEB, [service("s", WEB), *running("abb", namespace="other")], [10, 10, 10]),
        (
            WEB,
            [service("s", WEB), *running("aab"), *running("b", prefix="t", deleted="2024-01-01T00:00:00Z")],
            [0, 5, 10],
        ),
        (BOTH, [service("s", WEB), service("t", {"tier": "x"}), *running("aa"), *running("b", BOTH, "q")], [10, 0, 10]),
        (WEB, [controller("ReplicationController", "rc", WEB), *running("aab")], [0, 5, 10]),
        (WEB, [controller("ReplicaSet", "rs", WEB), *running("aab")], [0, 5, 10]),
        (WEB, [controller("StatefulSet", "ss", WEB), *running("aab")], [0, 5, 10]),
    ],
    ids=[
        "nobody selects",
        "others are selected",
        "one pod",
        "two of three on one node",
        "a service of another namespace",
        "pods of another namespace",
        "terminating pods",
        "two services must both select",
        "replication controller",
        "replica set",
        "stateful set",
    ],
)
def test_hosts(labels, objects, want):
    nodes = [node(name) for name in "abc"]
    assert list(scored(OLD, pod("p", labels=labels), *nodes, *objects).values()) == want


def test_one_of_two_services_was_enough_in_v1_13():
    objects = [service("s", WEB), service("t", {"tier": "x"}), *running("aa"), *running("b", BOTH, "q")]
    first = SelectorSpread(highest=10, requires_all_selectors=False)
    assert scored(first, pod("p", labels=BOTH), *(node(name) for name in "abc"), *objects) == {"a": 0, "b": 5, "c": 10}


def test_zones_weigh_two_thirds():
    nodes = [node(f"{zone}{i}", labels={ZONE: zone}) for zone in ("z1", "z2") for i in (1, 2)]
    objects = [*nodes, node("nowhere"), service("s", WEB), *running(["z11"])]
    assert scored(OLD, pod("p", labels=WEB), *objects) == {"z11": 0, "z12": 3, "z21": 10, "z22": 10, "nowhere": 10}


def test_in_v1_20_pods_with_spread_constraints_get_0():
    plugin = SelectorSpread(yields_to_spread_constraints=True)
    objects = [node("a"), node("b"), *running("a"), service("s", WEB)]
    constrained = pod("p", labels=WEB, topologySpreadConstraints=[spread("zone", soft=True)])
    assert scored(plugin, constrained, *objects) == {"a": 0, "b": 0}
    assert scored(plugin, pod("p", labels=WEB), *objects) == {"a": 0, "b": 100}
