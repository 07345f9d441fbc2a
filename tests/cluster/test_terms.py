"""Affinity terms of the incoming pod and of running pods."""

import pytest

from kschedlab.build import cluster, pod
from kschedlab.cluster.incoming import incoming_pod
from tests.affinity import affinity, by
from tests.verdicts import model

WEB = {"app": "web"}


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


NAMESPACES = [namespace("a", team="one"), namespace("b", team="two"), namespace("bare")]
ONE, ALL = {"matchLabels": {"team": "one"}}, {}
NOT_ONE = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["one"]}]}
WHERE = ("own", "a", "b", "bare", "nowhere")


@pytest.mark.parametrize(
    ("fields", "own", "others"),
    [
        ({}, ["own"], ["own"]),
        ({"namespaces": ["a"]}, ["a"], ["a"]),
        ({"namespaceSelector": ONE}, ["a"], ["a"]),
        ({"namespaceSelector": ONE, "namespaces": ["b"]}, ["a", "b"], ["a", "b"]),
        ({"namespaceSelector": ALL}, [*WHERE], [*WHERE]),
        ({"namespaceSelector": NOT_ONE}, ["b", "bare"], ["own", "b", "bare", "nowhere"]),
    ],
    ids=["the pod's own", "named", "selected", "named or selected", "all", "all but some"],
)
def test_namespaces(fields, own, others):
    """``own``: the namespaces that terms of the incoming pod match; ``others``: those of a running pod's terms.

    The namespaces "own" and "nowhere" have no object. For a running pod's term they are namespaces without labels.
    """
    rules = affinity(near=[by("zone", "app In web", **fields)])
    world = cluster(*NAMESPACES)
    asking = world.info(model(pod("p", namespace="own", affinity=rules)))
    candidates = {where: world.info(model(pod("q", namespace=where, labels=WEB))) for where in WHERE}
    (mine,) = incoming_pod(asking, world).terms.affinity
    assert [w for w, q in candidates.items() if incoming_pod(asking, world).matches(mine, q.signature)] == own
    (theirs,) = asking.signature.terms.affinity
    assert [w for w, q in candidates.items() if incoming_pod(q, world).matched_by(theirs)] == others


def test_weights_of_anti_affinity_are_negative():
    term = by("zone", "app In web")
    world = cluster()
    info = world.info(model(pod("p", affinity=affinity(rather_near=[(3, term)], rather_apart=[(5, term)]))))
    assert [weight for weight, _ in info.signature.terms.preferred] == [3, -5]


def test_pods_of_one_template_share_their_terms_whatever_their_labels():
    world, rules = cluster(*NAMESPACES), affinity(near=[by("zone", "app In web")])
    first, second, other = (
        world.info(model(pod(n, labels={"name": n}, namespace=where, affinity=rules)))
        for n, where in (("p", "a"), ("q", "a"), ("r", "b"))
    )
    assert first.signature is not second.signature and first.signature.terms is second.signature.terms
    assert first.signature.terms != other.signature.terms


def test_namespace_selectors_are_resolved_once_for_a_template():
    world, rules = cluster(*NAMESPACES), affinity(near=[by("zone", "app In web", namespaceSelector=ONE)])
    first, second = (world.info(model(pod(n, labels={"name": n}, affinity=rules))) for n in "pq")
    assert incoming_pod(first, world).terms is incoming_pod(second, world).terms
