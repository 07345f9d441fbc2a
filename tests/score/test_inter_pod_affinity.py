"""InterPodAffinity: rows of v1.37's scoring_test.go (TestPreferredAffinity, and the test of hard affinity's weight)."""

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.score.inter_pod_affinity import InterPodAffinityScore
from tests.affinity import affinity, by
from tests.verdicts import model, scored

CHINA, INDIA, AZ1, AZ2 = {"region": "China"}, {"region": "India"}, {"az": "az1"}, {"az": "az2"}
S1, S2 = {"security": "S1"}, {"security": "S2"}
IS_S1, IS_S2 = "security In S1", "security In S2"

TO_S1 = affinity(rather_near=[(5, by("region", IS_S1))])
TO_S2 = affinity(rather_near=[(6, by("region", IS_S2))])
OPERATORS = affinity(
    rather_near=[
        (8, by("region", "security NotIn S1", IS_S2)),
        (2, by("region", "security Exists", "wrong DoesNotExist")),
    ]
)
FROM_S1, FROM_S2 = (affinity(rather_apart=[(5, by("az", condition))]) for condition in (IS_S1, IS_S2))
TO_S1_FROM_S2 = affinity(rather_near=[(8, by("region", IS_S1))], rather_apart=[(5, by("az", IS_S2))])
HARD = affinity(near=[by("region", "security In S1,value2"), by("region", "security Exists", "wrong DoesNotExist")])
TEAM_1 = {"matchLabels": {"team": "team1"}}
ONE_OF_TEAM_1 = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sub", "labels": {"team": "team1"}}}
NAMESPACED = affinity(rather_near=[(5, by("region", IS_S1, namespaces=["other"], namespaceSelector=TEAM_1))])


def on(where, labels, rules=None, **spec):
    return where, labels, {"affinity": rules or {}} | spec


ROWS = [
    ("nobody has terms", S1, None, [on(1, S1)], [CHINA, INDIA], None),
    ("nobody to be near to", S2, TO_S1, [on(1, S2)], [CHINA, INDIA], None),
    ("one to be near to, without the key", S2, TO_S1, [on(2, S1)], [CHINA, AZ1], None),
    ("near", S1, TO_S1, [on(1, S1), on(2, S2), on(3, S1)], [CHINA, INDIA, AZ1], [100, 0, 0]),
    ("the whole region is near", {}, TO_S1, [on(1, S1)], [CHINA, CHINA | AZ1, INDIA], [100, 100, 0]),
    (
        "a region with more of them",
        S1,
        TO_S2,
        [on(n, S2) for n in (1, 1, 2, 3, 4, 5)],
        [CHINA, INDIA, CHINA, CHINA, INDIA],
        [100, 0, 100, 100, 0],
    ),
    ("operators", S1, OPERATORS, [on(1, S1), on(2, S2), on(3, S1)], [CHINA, INDIA, AZ1], [20, 100, 0]),
    ("others' terms", S2, None, [on(1, S1, TO_S1), on(2, S2, TO_S2)], [CHINA, INDIA, AZ1], [0, 100, 0]),
    ("others' required terms", S1, None, [on(1, S1, HARD), on(2, S2, HARD)], [CHINA, INDIA, AZ1], [100, 100, 0]),
    ("apart", S1, FROM_S1, [on(1, S1), on(2, S2)], [AZ1, CHINA], [0, 100]),
    ("others' terms push", S2, None, [on(1, S1, FROM_S2), on(2, S2, FROM_S1)], [AZ1, AZ2], [0, 100]),
    ("pull and push", S1, TO_S1_FROM_S2, [on(1, S1), on(2, S1)], [CHINA, AZ1], [100, 0]),
    (
        "pull and push from both sides",
        S1,
        TO_S1_FROM_S2,
        [on(1, S1), on(2, S2), on(3, {}, TO_S1_FROM_S2), on(4, {}, FROM_S1)],
        [CHINA, AZ1, INDIA, AZ2],
        [100, 0, 100, 0],
    ),
    (
        "others of a topology without terms",
        S1,
        None,
        [on(1, S1), on(2, {}, TO_S1_FROM_S2)],
        [CHINA, CHINA],
        [0, 0],
    ),
    ("namespaces that are named", S1, NAMESPACED, [on(1, S1, namespace="other"), on(2, S1)], [CHINA, INDIA], [100, 0]),
    ("namespaces that are selected", S1, NAMESPACED, [on(1, S1, namespace="sub"), on(2, S1)], [CHINA, INDIA], [100, 0]),
    (
        "terms that cancel each other",
        S1,
        affinity(rather_near=[(5, by("region", IS_S1))], rather_apart=[(5, by("region", IS_S1))]),
        [on(1, S1)],
        [CHINA, INDIA],
        [0, 0],
    ),
    ("terminating pods count", S1, TO_S1, [on(1, S1, deleted="2024-01-01T00:00:00Z")], [CHINA, INDIA], [100, 0]),
]


@pytest.mark.parametrize(
    ("labels", "rules", "pods", "nodes", "want"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_weights_of_terms(labels, rules, pods, nodes, want):
    objects = [node(f"n{i}", labels=found) for i, found in enumerate(nodes, 1)]
    objects += [pod(f"q{i}", f"n{where}", labels=found, **spec) for i, (where, found, spec) in enumerate(pods)]
    found = scored(InterPodAffinityScore(), pod("p", labels=labels, affinity=rules or {}), *objects, ONE_OF_TEAM_1)
    assert found == (None if want is None else {f"n{i}": score for i, score in enumerate(want, 1)})


@pytest.mark.parametrize(("weight", "want"), [(1, [20, 0, 100]), (0, [0, 0, 100]), (10, [100, 0, 50])])
def test_required_affinity_of_running_pods_has_a_configured_weight(weight, want):
    nodes = [node(f"n{i}", labels=labels) for i, labels in enumerate([CHINA, AZ1, INDIA], 1)]
    hard = affinity(near=[by("region", IS_S1)])
    pods = [pod("q", "n1", affinity=hard), pod("r", "n3", affinity=TO_S1)]
    found = scored(InterPodAffinityScore(hard_pod_affinity_weight=weight), pod("p", labels=S1), *nodes, *pods)
    assert list(found.values()) == want


def test_the_terms_of_the_formula():
    nodes = [node(f"n{i}", labels=labels) for i, labels in enumerate([CHINA | AZ1, CHINA | AZ2, INDIA | AZ1])]
    pods = [pod("q", "n0", labels=S1), pod("r", "n1", labels=S2), pod("s", "n2", labels=S2)]
    world = cluster(*nodes, *pods)
    row = InterPodAffinityScore().score(world.info(model(pod("p", affinity=TO_S1_FROM_S2))), world, np.arange(3))
    assert {key: pull.tolist() for key, pull in row.terms.items()} == {"region": [8, 8, 0], "az": [-5, -5, -5]}
    assert row.raw.tolist() == [3, 3, -5]


def test_the_range_of_older_generations_includes_0_and_no_pod_is_skipped():
    nodes = [node("n1", labels=CHINA), node("n2", labels=INDIA)]
    pods = [pod("q", "n1", labels=S1), pod("r", "n2", labels=S1), pod("s", "n2", labels=S1)]
    asked, older = pod("p", affinity=TO_S1), InterPodAffinityScore(skips_in_pre_score=False, range_includes_zero=True)
    assert scored(InterPodAffinityScore(), asked, *nodes, *pods) == {"n1": 0, "n2": 100}
    assert scored(older, asked, *nodes, *pods) == {"n1": 50, "n2": 100}
    pushed = pod("p", affinity=affinity(rather_apart=[(5, by("region", IS_S1))]))
    assert scored(older, pushed, *nodes, *pods) == {"n1": 50, "n2": 0}
    assert scored(older, pod("p"), *nodes, *pods) == {"n1": 0, "n2": 0}
