"""TaintToleration: rows of v1.37's taint_toleration_test.go (TestTaintTolerationFilter), and more."""

import pytest

from kschedlab.build import node, pod
from kschedlab.filter.taint_toleration import UNTOLERATED, UNTOLERATED_BY_NAME, TaintToleration
from tests.verdicts import judged, refused

USER_1 = {"key": "dedicated", "value": "user1", "effect": "NoSchedule"}
USER_2 = {"key": "dedicated", "value": "user2", "effect": "NoSchedule"}
FOO = {"key": "foo", "value": "bar", "effect": "NoSchedule"}
SLA = {"key": "node.kubernetes.io/sla", "value": "950", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("tolerations", "taints", "passes"),
    [
        ([], [], True),
        ([], [USER_1], False),
        ([USER_1], [USER_1], True),
        ([USER_2], [USER_1], False),
        ([{"key": "foo", "operator": "Exists", "effect": "NoSchedule"}], [FOO], True),
        ([USER_2, {"key": "foo", "operator": "Exists", "effect": "NoSchedule"}], [USER_2, FOO], True),
        ([USER_2], [USER_2, FOO], False),
        ([FOO | {"effect": "PreferNoSchedule"}], [FOO], False),
        ([FOO | {"effect": ""}], [FOO], True),
        ([USER_2], [USER_1 | {"effect": "PreferNoSchedule"}], True),
        ([], [USER_1 | {"effect": "PreferNoSchedule"}], True),
        ([], [USER_1 | {"effect": "NoExecute"}], False),
        ([USER_1 | {"effect": "NoExecute", "tolerationSeconds": 0}], [USER_1 | {"effect": "NoExecute"}], True),
        ([{"operator": "Exists"}], [USER_1, FOO | {"effect": "NoExecute"}], True),
    ],
    ids=[
        "no taints",
        "no tolerations",
        "the same",
        "another value",
        "operator Exists",
        "all taints are tolerated",
        "one taint is not tolerated",
        "effect doesn't match",
        "empty effect",
        "PreferNoSchedule, not tolerated",
        "PreferNoSchedule, no toleration",
        "NoExecute",
        "NoExecute, tolerated for no time at all",
        "everything is tolerated",
    ],
)
def test_taints(tolerations, taints, passes):
    nodes = [node("tainted", taints=taints), node("clean")]
    want = {} if passes else {"tainted": [UNTOLERATED]}
    assert refused(TaintToleration(), pod("p", tolerations=tolerations), *nodes) == want


def test_nodes_of_one_taint_list_are_refused_together():
    nodes = [node(f"n{i}", taints=[[], [USER_1], [USER_1, FOO]][i % 3]) for i in range(9)]
    found = refused(TaintToleration(), pod("p", tolerations=[USER_1]), *nodes)
    assert found == {f"n{i}": [UNTOLERATED] for i in (2, 5, 8)}


def test_evicting_pods_removes_no_taint():
    _, verdicts = judged(TaintToleration(), pod("p"), node("n", taints=[USER_1]))
    assert verdicts.unresolvable().tolist() == [True]


def test_v1_20_names_the_first_taint_that_is_not_tolerated():
    plugin = TaintToleration(reason=UNTOLERATED_BY_NAME)
    nodes = [
        node("first", taints=[USER_1, FOO]),
        node("second", taints=[{"key": "soft", "effect": "PreferNoSchedule"}, USER_2, FOO]),
        node("bare", taints=[{"key": "bare", "effect": "NoExecute"}]),
    ]
    assert refused(plugin, pod("p", tolerations=[USER_2]), *nodes) == {
        "first": ["node(s) had taint {dedicated: user1}, that the pod didn't tolerate"],
        "second": ["node(s) had taint {foo: bar}, that the pod didn't tolerate"],
        "bare": ["node(s) had taint {bare: }, that the pod didn't tolerate"],
    }
