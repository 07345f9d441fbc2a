"""InterPodAffinity: rows of v1.37's filtering_test.go (TestRequiredAffinitySingleNode and -MultipleNodes,
TestPreFilterStateAddRemovePod), and what happens when pods come and go in thought."""

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.snapshot import Overlay
from kschedlab.filter.inter_pod_affinity import (
    ANTI_AFFINITY,
    EXISTING_ANTI_AFFINITY,
    NO_AFFINITY,
    NO_AFFINITY_OR_ANTI_AFFINITY,
    InterPodAffinity,
)
from kschedlab.filter.stage import FilterRun, prepare
from tests.affinity import affinity, by
from tests.verdicts import judged, model, refused

NS_2 = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns2", "labels": {"team": "two"}}}]
S1, WEB = {"service": "s1"}, {"app": "web"}
IS_S1, NOT_S3 = "service In s1,value2", "service NotIn value3"
TEAM_TWO, TEAM_ONE, ALL = ({"matchLabels": {"team": "two"}}, {"matchLabels": {"team": "one"}}, {})
NOT_TEAM_ONE = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["one"]}]}


def other(on="a", name="other", **spec):
    return pod(name, on, **({"labels": S1} | spec))


ONE_NODE = [
    ("no rules", {}, [], None),
    ("In", affinity(near=[by("region", IS_S1)]), [other()], None),
    ("NotIn", affinity(near=[by("region", NOT_S3)]), [other()], None),
    ("another namespace", affinity(near=[by("region", IS_S1)]), [other(namespace="ns")], NO_AFFINITY),
    (
        "a namespace that is named",
        affinity(near=[by("region", IS_S1, namespaces=["ns"])]),
        [other(namespace="ns")],
        None,
    ),
    ("another label", affinity(near=[by("region", "service In s2")]), [other()], NO_AFFINITY),
    (
        "several operators",
        affinity(near=[by("region", "service Exists", "wrong DoesNotExist"), by("region", IS_S1)]),
        [other()],
        None,
    ),
    ("requirements are ANDed", affinity(near=[by("region", IS_S1, "service In wrong")]), [other()], NO_AFFINITY),
    ("no such topology key", affinity(near=[by("rack", IS_S1)]), [other()], NO_AFFINITY),
    ("both kinds", affinity(near=[by("region", IS_S1)], apart=[by("node", "app In web")]), [other()], None),
    ("affinity, but anti-affinity too", affinity([by("region", IS_S1)], [by("zone", IS_S1)]), [other()], ANTI_AFFINITY),
    ("others' anti-affinity", {}, [other(affinity=affinity(apart=[by("zone", "app In web")]))], EXISTING_ANTI_AFFINITY),
    ("others' anti-affinity for others", {}, [other(affinity=affinity(apart=[by("zone", "app In db")]))], None),
    ("others' anti-affinity without the key", {}, [other(affinity=affinity(apart=[by("rack", "app In web")]))], None),
    (
        "a selector for namespaces",
        affinity(near=[by("region", IS_S1, namespaceSelector=TEAM_TWO)]),
        [other(namespace="ns2")],
        None,
    ),
    (
        "not that namespace",
        affinity(near=[by("region", IS_S1, namespaceSelector=TEAM_ONE)]),
        [other(namespace="ns2")],
        NO_AFFINITY,
    ),
    (
        "all namespaces",
        affinity(apart=[by("zone", IS_S1, namespaceSelector=ALL)]),
        [other(namespace="nowhere")],
        ANTI_AFFINITY,
    ),
    (
        "a namespace without an object is not listed",
        affinity(apart=[by("zone", IS_S1, namespaceSelector=NOT_TEAM_ONE)]),
        [other(namespace="nowhere")],
        None,
    ),
    (
        "but of the pod's own nothing is known, so it has no such label",
        {},
        [other(namespace="ns2", affinity=affinity(apart=[by("zone", "app In web", namespaceSelector=NOT_TEAM_ONE)]))],
        EXISTING_ANTI_AFFINITY,
    ),
    ("no selector", affinity(near=[{"topologyKey": "region"}]), [other()], NO_AFFINITY),
    ("an empty selector", affinity(near=[by("region", **{"labelSelector": {}})]), [other()], None),
]


@pytest.mark.parametrize(("rules", "pods", "want"), [row[1:] for row in ONE_NODE], ids=[row[0] for row in ONE_NODE])
def test_one_node(rules, pods, want):
    """In affinity terms of the pod "default" is its own namespace, which has no Namespace object here."""
    a = node("a", labels={"region": "r1", "zone": "z11"})
    found = refused(InterPodAffinity(), pod("p", labels=WEB, affinity=rules), a, *pods, *NS_2)
    assert found == ({"a": [want]} if want else {})


A, B, C = ({"region": "China", "zone": "z1", "node": name} for name in "abc")
SELF = {"foo": "123"}
TWO_TERMS = [by("node", "app In web"), by("zone", "service In s1")]
MANY_NODES = [
    (
        "the whole region is near",
        {"a": A, "b": B, "c": {"region": "India"}},
        affinity(near=[by("region", "foo In bar")]),
        [pod("q", "a", labels={"foo": "bar"})],
        {"c": NO_AFFINITY},
    ),
    (
        "the first of a group",
        {"a": {"zone": "z"}, "b": {"hostname": "h"}},
        affinity(near=[by("zone", "foo In 123")]),
        [],
        {"b": NO_AFFINITY},
    ),
    (
        "not the first of a group",
        {"a": {"zone": "z"}, "b": {"zone": "y"}},
        affinity(near=[by("zone", "foo In 123")]),
        [pod("q", "a", labels=SELF)],
        {"b": NO_AFFINITY},
    ),
    (
        "one without the key doesn't count for the group",
        {"a": {"zone": "z"}, "b": {}},
        affinity(near=[by("zone", "foo In 123")]),
        [pod("q", "b", labels=SELF)],
        {"b": NO_AFFINITY},
    ),
    (
        "any term of anti-affinity is enough",
        {"a": A, "b": {"zone": "z2", "node": "b"}, "c": {"zone": "z3"}},
        affinity(apart=[by("zone", "app In web"), by("zone", "service In s1")]),
        [pod("q", "a", labels=WEB), pod("r", "b", labels=S1)],
        {"a": ANTI_AFFINITY, "b": ANTI_AFFINITY},
    ),
    (
        "others' anti-affinity counts in their domain",
        {"a": A, "b": B, "c": {"zone": "z2"}},
        {},
        [pod("q", "a", affinity=affinity(apart=[by("zone", "foo Exists")]))],
        {"a": EXISTING_ANTI_AFFINITY, "b": EXISTING_ANTI_AFFINITY},
    ),
    (
        "others' terms are judged one by one",
        {"a": A, "b": {"zone": "z2", "node": "b"}},
        {},
        [pod("q", "a", affinity=affinity(apart=[by("node", "foo Exists"), by("zone", "bar Exists")]))],
        {"a": EXISTING_ANTI_AFFINITY},
    ),
    (
        "one pod must match all terms",
        {"a": A, "b": B},
        affinity(near=TWO_TERMS),
        [pod("q", "a", labels=WEB), pod("r", "a", labels=S1)],
        {"a": NO_AFFINITY, "b": NO_AFFINITY},
    ),
    (
        "one pod matches all terms",
        {"a": A, "b": B},
        affinity(near=TWO_TERMS),
        [pod("q", "a", labels=WEB | S1)],
        {"b": NO_AFFINITY},
    ),
]


@pytest.mark.parametrize(
    ("labels", "rules", "pods", "want"), [row[1:] for row in MANY_NODES], ids=[row[0] for row in MANY_NODES]
)
def test_many_nodes(labels, rules, pods, want):
    nodes = [node(name, labels=found) for name, found in labels.items()]
    found = refused(InterPodAffinity(), pod("p", labels=SELF, affinity=rules), *nodes, *pods)
    assert found == {name: [reason] for name, reason in want.items()}


def test_only_missing_affinity_is_unresolvable():
    nodes = [node("a", labels={"zone": "z1"}), node("b", labels={"zone": "z2"})]
    rules = affinity(near=[by("zone", "app In web")], apart=[by("zone", "app In db")])
    pods = [pod("web", "a", labels=WEB), pod("db", "a", labels={"app": "db"})]
    world, verdicts = judged(InterPodAffinity(), pod("p", affinity=rules), *nodes, *pods)
    assert dict(zip(world.names, verdicts.unresolvable().tolist(), strict=True)) == {"a": False, "b": True}


# -- hypothetically added and removed pods

REPELS_WEB = affinity(apart=[by("node", "app In web")])
NODES = [node(name, labels={"node": name, "zone": zone}) for name, zone in (("a", "z1"), ("b", "z1"), ("c", "z2"))]


def test_a_nominated_pods_anti_affinity_counts_only_if_a_running_pods_does():
    """Otherwise PreFilter skips the pod, and nominated pods with it."""
    nominated = pod("n", nominated="b", affinity=REPELS_WEB)
    running = pod("r", "a", affinity=REPELS_WEB)
    asked = pod("p", labels=WEB)
    assert refused(InterPodAffinity(), asked, *NODES, nominated) == {}
    assert refused(InterPodAffinity(), asked, *NODES, nominated, running) == dict.fromkeys(
        "ab", [EXISTING_ANTI_AFFINITY]
    )


def test_a_nominated_pod_counts_only_on_its_node():
    """Not even in the rest of its domain."""
    nominated = pod("n", nominated="a", labels={"app": "db"})
    rules = affinity(apart=[by("zone", "app In db")])
    assert refused(InterPodAffinity(), pod("p", affinity=rules), *NODES, nominated) == {"a": [ANTI_AFFINITY]}


def test_affinity_to_a_nominated_pod_is_not_enough():
    """It may never arrive, so the node must pass without it too."""
    nominated = pod("n", nominated="a", labels=WEB)
    rules = affinity(near=[by("zone", "app In web")])
    assert refused(InterPodAffinity(), pod("p", affinity=rules), *NODES, nominated) == dict.fromkeys(
        "abc", [NO_AFFINITY]
    )


def test_the_first_of_a_group_is_not_first_where_a_pod_is_nominated():
    """There the nominated pod satisfies its affinity, so it passes on all nodes."""
    nominated = pod("n", nominated="a", labels=WEB)
    rules = affinity(near=[by("node", "app In web"), by("zone", "app In web")])
    assert refused(InterPodAffinity(), pod("p", labels=WEB, affinity=rules), *NODES, nominated) == {}


def without(pod_manifest, victims, *objects):
    """The plugin's reasons with each of these running pods removed from its own node."""
    world = cluster(*objects)
    info = world.info(model(pod_manifest))
    run = FilterRun(prepare(info, world, [InterPodAffinity()]), info, world)
    overlay = Overlay(world, world.pods, np.array([world.pods.row_of[f"default/{name}"] for name in victims]))
    overlay.set(np.arange(len(victims)), -1)
    verdicts = run.dry_run(overlay)
    return {name: verdicts.reasons(i) for i, name in enumerate(world.names) if verdicts.reasons(i)}


def test_a_victim_is_removed_only_from_its_own_nodes_snapshot():
    """In b's snapshot the zone still has the pod on a, which is a victim only on a."""
    pods = [pod("q", "a", labels=WEB)]
    asked = pod("p", affinity=affinity(apart=[by("zone", "app In web")]))
    assert without(asked, ["q"], *NODES, *pods) == {"b": [ANTI_AFFINITY]}


def test_removing_a_victim_removes_its_anti_affinity():
    pods = [pod("q", "a", affinity=REPELS_WEB), pod("r", "a", affinity=REPELS_WEB)]
    asked = pod("p", labels=WEB)
    assert without(asked, ["q"], *NODES, *pods) == {"a": [EXISTING_ANTI_AFFINITY]}
    assert without(asked, ["q", "r"], *NODES, *pods) == {}


def test_removing_a_victim_removes_the_affinity_it_satisfies():
    """Unless it was the last pod of the group: then the pod is the first, on that node only."""
    pods = [pod("q", "a", labels=WEB)]
    rules = affinity(near=[by("node", "app In web")])
    stranger, like = pod("p", affinity=rules), pod("p", labels=WEB, affinity=rules)
    assert without(stranger, ["q"], *NODES, *pods) == dict.fromkeys("abc", [NO_AFFINITY])
    assert without(like, ["q"], *NODES, *pods) == dict.fromkeys("bc", [NO_AFFINITY])


# -- older generations


def test_older_generations_give_a_common_reason_first():
    plugin = InterPodAffinity(common_reason=NO_AFFINITY_OR_ANTI_AFFINITY)
    rules = affinity(near=[by("zone", "app In web")], apart=[by("node", "app In db")])
    pods = [pod("web", "a", labels=WEB), pod("db", "b", labels={"app": "db"})]
    world, verdicts = judged(plugin, pod("p", affinity=rules), *NODES, *pods)
    assert {name: verdicts.reasons(i) for i, name in enumerate(world.names)} == {
        "a": [],
        "b": [NO_AFFINITY_OR_ANTI_AFFINITY, ANTI_AFFINITY],
        "c": [NO_AFFINITY_OR_ANTI_AFFINITY, NO_AFFINITY],
    }
    assert verdicts.unresolvable().tolist() == [name == "c" for name in world.names]


def test_v1_20_skips_no_pod_with_anti_affinity_of_nominated_pods():
    nominated, asked = pod("n", nominated="b", affinity=REPELS_WEB), pod("p", labels=WEB)
    assert refused(InterPodAffinity(skips_in_pre_filter=False), asked, *NODES, nominated) == {
        "b": [EXISTING_ANTI_AFFINITY]
    }
