"""NodePreferAvoidPods: rows of v1.20's node_prefer_avoid_pods_test.go (TestNodePreferAvoidPods)."""

import json

import pytest

from kschedlab.build import node, pod
from kschedlab.score.priorities.node_prefer_avoid_pods import ANNOTATION, NodePreferAvoidPods
from tests.verdicts import scored


def avoids(name, *controllers):
    """A node that avoids the pods of these (kind, uid)."""
    notes = [
        {"podSignature": {"podController": {"apiVersion": "v1", "kind": kind, "uid": uid, "controller": True}}}
        | {"reason": "some reason", "message": "some message", "evictionTime": "2024-01-31T12:00:00Z"}
        for kind, uid in controllers
    ]
    return noted(name, json.dumps({"preferAvoidPods": notes}))


def noted(name, text):
    made = node(name)
    made["metadata"]["annotations"] = {ANNOTATION: text}
    return made


def owned(kind, uid, controller=True):
    made = pod("p")
    made["metadata"]["ownerReferences"] = [{"kind": kind, "name": "o", "uid": uid, "controller": controller}]
    return made


NODES = [
    avoids("rc", ("ReplicationController", "1")),
    avoids("rs", ("ReplicaSet", "2"), ("ReplicaSet", "3")),
    node("free"),
]


@pytest.mark.parametrize(
    ("asked", "avoiding"),
    [
        (owned("ReplicationController", "1"), {"rc"}),
        (owned("ReplicaSet", "2"), {"rs"}),
        (owned("ReplicaSet", "3"), {"rs"}),
        (owned("ReplicaSet", "1"), set()),
        (owned("StatefulSet", "1"), set()),
        (owned("ReplicationController", "1", controller=False), set()),
        (pod("p"), set()),
    ],
    ids=["controller", "replica set", "the second note", "another kind", "not of these kinds", "no controller", "none"],
)
def test_avoided_controllers(asked, avoiding):
    want = {name: 0 if name in avoiding else 100 for name in ("rc", "rs", "free")}
    assert scored(NodePreferAvoidPods(), asked, *NODES) == want


def test_only_replication_controllers_and_replica_sets_can_be_avoided():
    assert scored(NodePreferAvoidPods(), owned("Job", "1"), avoids("n", ("Job", "1"))) == {"n": 100}


@pytest.mark.parametrize("text", ["", "{}", "{not json", '{"preferAvoidPods": 3}', '{"preferAvoidPods": [{}]}'])
def test_an_invalid_annotation_is_ignored(text):
    assert scored(NodePreferAvoidPods(), owned("ReplicaSet", "1"), noted("n", text)) == {"n": 100}


def test_the_highest_score_of_older_generations():
    plugin = NodePreferAvoidPods(highest=10)
    assert scored(plugin, owned("ReplicaSet", "2"), *NODES) == {"rc": 10, "rs": 0, "free": 10}
