"""With which pods the default constraints spread a pod."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.spread_constraints import (
    SCHEDULE_ANYWAY,
    SYSTEM_DEFAULTS,
    ConstraintRules,
    constraints,
    matching_selector,
    owned_selector,
)
from tests.affinity import selector, spread
from tests.verdicts import model

WEB, DB = {"app": "web"}, {"app": "db"}
FRONT = {"app": "web", "tier": "front"}


def obj(kind, chosen, name="own", namespace="default"):
    version = {"Service": "v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {"selector": chosen}}


def owned(kind, version="apps/v1", controller=True):
    owner = {"apiVersion": version, "kind": kind, "name": "own", "uid": "u", "controller": controller}
    manifest = pod("p", labels=FRONT)
    manifest["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "n"}, owner]
    return manifest


def service(chosen, **where):
    return obj("Service", chosen, "svc", **where)


ALONE = pod("p", labels=FRONT)
RS = obj("ReplicaSet", selector("tier In front,back"))
RC = obj("ReplicationController", {"tier": "front"})


@pytest.mark.parametrize(
    ("asked", "objects", "selects", "leaves"),
    [
        (ALONE, [service(WEB)], [WEB, FRONT], [DB]),
        (ALONE, [service(WEB), obj("Service", {"tier": "front"})], [FRONT], [WEB]),
        (ALONE, [service(WEB), service(DB, namespace="other")], [WEB], [DB]),
        (owned("ReplicaSet"), [RS], [FRONT, {"tier": "back"}], [WEB]),
        (owned("ReplicaSet"), [RS, service(WEB)], [FRONT], [WEB, {"tier": "back"}]),
        (owned("StatefulSet"), [obj("StatefulSet", selector("app Exists"))], [WEB, DB], [{}]),
        (owned("ReplicationController", "v1"), [RC], [FRONT], [WEB]),
        (owned("ReplicationController", "v1"), [RC, service(WEB)], [FRONT], [WEB, {"tier": "front"}]),
        (owned("ReplicationController", "v1"), [obj("ReplicationController", DB), service(WEB)], [DB], [WEB]),
    ],
    ids=[
        "a Service",
        "two Services",
        "a Service of another namespace",
        "a ReplicaSet",
        "a ReplicaSet and a Service",
        "a StatefulSet",
        "a ReplicationController",
        "a ReplicationController and a Service",
        "a ReplicationController overrules a Service",
    ],
)
def test_what_selects_the_pod(asked, objects, selects, leaves):
    found = owned_selector(model(asked), cluster(*objects))
    assert all(found.matches(labels) for labels in selects)
    assert not any(found.matches(labels) for labels in leaves)


@pytest.mark.parametrize(
    ("asked", "objects"),
    [
        (ALONE, []),
        (ALONE, [service(DB)]),
        (ALONE, [service({})]),
        (ALONE, [obj("Service", None)]),
        (ALONE, [RS, RC]),
        (owned("ReplicaSet"), []),
        (owned("ReplicaSet"), [RC]),
        (owned("ReplicaSet"), [obj("ReplicaSet", selector("tier In front"), namespace="other")]),
        (owned("ReplicaSet", controller=False), [RS]),
        (owned("ReplicaSet", "extensions/v1beta1"), [RS]),
        (owned("Job", "batch/v1"), [RS]),
    ],
    ids=[
        "nothing",
        "a Service for others",
        "a Service with an empty selector",
        "a Service without a selector",
        "controllers of others",
        "its ReplicaSet is gone",
        "only a ReplicationController of that name",
        "a ReplicaSet of another namespace",
        "the owner doesn't control it",
        "an older API",
        "a Job",
    ],
)
def test_what_does_not_select_the_pod(asked, objects):
    world = cluster(*objects)
    assert owned_selector(model(asked), world).empty
    assert constraints(world.info(model(asked)), world, SCHEDULE_ANYWAY, SYSTEM_DEFAULTS, ConstraintRules()) == ()


def test_every_controller_that_selects_the_pod():
    """v1.20 uses the controllers that select the pod, not its owner."""
    found = matching_selector(model(ALONE), cluster(service(WEB), RS, obj("ReplicationController", DB)))
    assert found.matches(FRONT) and not found.matches(WEB) and not found.matches({"tier": "front"})


def test_the_pods_own_constraints_replace_the_defaults():
    world = cluster(service(WEB))
    asked = pod("p", labels=FRONT, topologySpreadConstraints=[spread("zone", "app Exists")])
    assert constraints(world.info(model(asked)), world, SCHEDULE_ANYWAY, SYSTEM_DEFAULTS, ConstraintRules()) == ()


def test_constraints_of_pods_that_differ_only_in_labels():
    """Constraints kept for one pod must not be used for another."""
    world = cluster(node("n"))
    given = [spread("zone", "app Exists", soft=True, matchLabelKeys=["tier"])]
    found = {}
    for name, labels in (("front", FRONT), ("back", FRONT | {"tier": "back"}), ("none", DB)):
        asked = world.info(model(pod(name, labels=labels, topologySpreadConstraints=given)))
        (only,) = constraints(asked, world, SCHEDULE_ANYWAY, SYSTEM_DEFAULTS, ConstraintRules())
        found[name] = [
            other for other in ("front", "back") if only.counted.selector.matches({"app": "x", "tier": other})
        ]
    assert found == {"front": ["front"], "back": ["back"], "none": ["front", "back"]}
