"""NodeName and NodeUnschedulable: rows of v1.37's node_name_test.go and node_unschedulable_test.go, and more."""

import pytest

from kschedlab.build import node, pod
from kschedlab.filter.node import UNSCHEDULABLE, WRONG_NAME, NodeName, NodeUnschedulable
from tests.verdicts import judged, refused

NODES = [node("foo"), node("bar")]


@pytest.mark.parametrize(
    ("wanted", "want"),
    [("", {}), ("foo", {"bar": ["excluded"]}), ("gone", {"foo": ["excluded"], "bar": ["excluded"]})],
    ids=["no host specified", "host matches", "host doesn't match"],
)
def test_node_name(wanted, want):
    assert refused(NodeName(), pod("p", wanted), *NODES) == want


def test_a_node_with_another_name_is_refused():
    for plugin in (NodeName(), NodeName(returns_node_names=False)):
        world, verdicts = judged(plugin, pod("p", "foo"), *NODES)
        (refusal,) = verdicts.refusals
        assert refusal is not None and refusal.reasons(world.index["bar"]) == [WRONG_NAME]
        assert verdicts.unresolvable()[[world.index["foo"], world.index["bar"]]].tolist() == [False, True]


TOLERATES = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("tolerations", "passes"),
    [
        ([], False),
        ([TOLERATES], True),
        ([TOLERATES | {"operator": "Exists", "effect": ""}], True),
        ([{"operator": "Exists"}], True),
        ([TOLERATES | {"effect": "NoExecute"}], False),
        ([TOLERATES | {"value": "true"}], False),
        ([{"key": "other", "operator": "Exists"}], False),
    ],
    ids=["none", "the taint", "any effect", "everything", "another effect", "another value", "another key"],
)
def test_an_unschedulable_node_accepts_pods_that_tolerate_the_taint(tolerations, passes):
    nodes = [node("open"), node("closed", unschedulable=True)]
    want = {} if passes else {"closed": [UNSCHEDULABLE]}
    assert refused(NodeUnschedulable(), pod("p", tolerations=tolerations), *nodes) == want


def test_evicting_pods_does_not_make_a_node_schedulable():
    _, verdicts = judged(NodeUnschedulable(), pod("p"), node("closed", unschedulable=True))
    assert verdicts.unresolvable().tolist() == [True]
