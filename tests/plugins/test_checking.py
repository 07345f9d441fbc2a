"""What check_plugin finds, and what it lets pass."""

import random
from typing import Any

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.plugin import StaticFilter
from kschedlab.generations import V1_37
from kschedlab.plugins import (
    ArrayFilter,
    Plugin,
    PluginError,
    Refusal,
    Refusals,
    Scored,
    check_plugin,
    node_filter,
    node_score,
)
from tests.course import GENERATIONS


@node_filter("ColdNode", depends_on_pods=False)
def cold(pod: Any, node: Any) -> str | None:
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"


@node_score("PackByLabel", weight=5)
def pack(pod: Any, node: Any) -> int:
    return 100 if node.metadata.labels.get("pool") == pod.metadata.labels.get("pool") else 0


def test_right_plugins_have_nothing_wrong() -> None:
    report = check_plugin(pack)
    assert report.ok and str(report) == "PackByLabel: no rule broken (9 clusters checked)"
    report.raise_if_wrong()


def test_what_is_no_plugin_is_checked_on_no_cluster() -> None:
    report = check_plugin(7)
    assert not report.ok and str(report).startswith("int: wrong (0 clusters checked)")
    assert not report.raises and not report.remarks and report.against is None


def requested(pods: Any) -> float:
    """The cpus that the pods request."""
    requests = (each.spec.containers[0].resources.requests.get("cpu") for each in pods)
    return sum(each.milli() / 1000 for each in requests if each is not None)


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        ("a cordoned node", lambda pod, node: node.spec.unschedulable),
        ("a node with a taint", lambda pod, node: node.spec.taints),
        ("a node with a zone", lambda pod, node: "topology.kubernetes.io/zone" in node.metadata.labels),
        ("a node without pods", lambda pod, node: not node.pods),
        ("a node whose cpus are all taken by one pod", lambda pod, node: [requested([p]) for p in node.pods] == [2.0]),
        ("a node whose cpus are all taken", lambda pod, node: len(node.pods) > 1 and requested(node.pods) == 2),
        ("a busy node", lambda pod, node: 0 < requested(node.pods) < node.status.allocatable["cpu"].value()),
        ("a pod without requests", lambda pod, node: not requested([pod])),
        ("a pod that just fits a full node's place", lambda pod, node: requested([*node.pods, pod]) == 2.5),
        ("a pod that chooses a node", lambda pod, node: pod.spec.nodeSelector),
        ("a pod of priority 0", lambda pod, node: not pod.spec.priority),
        ("a pod of higher priority", lambda pod, node: any(0 < p.spec.priority < pod.spec.priority for p in node.pods)),
    ],
)
def test_the_small_clusters_have(name: str, fails: Any) -> None:
    """A plugin that fails for such a node or pod is found out without a cluster of one's own."""
    assert "returned 7, where" in wrong(node_filter("Fails")(lambda pod, node: 7 if fails(pod, node) else None))  # type: ignore[return-value]


def test_what_it_raises_for_odd_labels_only_is_a_remark_and_in_the_headline() -> None:
    report = check_plugin(cold)
    assert report.ok and str(report).startswith("ColdNode: no rule broken, but 1 error with an odd label (9 clusters")
    (remark,) = report.remarks
    assert str(report.html()).count("ColdNode: no rule broken, but 1 error with an odd label (9 clusters") == 1
    assert "ValueError: invalid literal for int()" in str(remark)
    assert remark.what.endswith("ColdNode on node probe-1")


@pytest.mark.parametrize("generation", GENERATIONS.values(), ids=lambda each: str(each.name))
def test_the_packages_own_filters_declare_what_is_true(generation: Any) -> None:
    for plugin in (*generation.filters, *(score for score, _ in generation.scores)):
        assert check_plugin(plugin).ok, check_plugin(plugin)


def wrong(plugin: object) -> str:
    report = check_plugin(plugin)
    assert not report.ok and len(report.wrong) == 1, report
    with pytest.raises(PluginError, match=report.plugin):
        report.raise_if_wrong()
    return str(report.wrong[0])


def test_a_filter_that_depends_on_pods_must_say_so() -> None:
    @node_filter("Alone", depends_on_pods=False)
    def alone(pod: Any, node: Any) -> str | None:
        return "taken" if node.pods else None

    said = wrong(alone)
    assert said.startswith('Alone on node "probe-1": depends_on_pods is declared False, but its answer changes when')
    assert 'to "taken"; declare depends_on_pods=True' in said


def test_each_node_is_compared() -> None:
    @node_filter("Company", depends_on_pods=False)
    def company(pod: Any, node: Any) -> str | None:
        return "lonely" if node.name == "b" and not node.pods else None

    (found,) = check_plugin(company, cluster(node("a"), node("b"), pod("there", "b"), pod("web"))).wrong
    assert found.node == "b" and "depends_on_pods=True" in str(found)


def test_a_filter_that_evicting_helps_is_not_unresolvable() -> None:
    @node_filter("Alone", unresolvable=True)
    def alone(pod: Any, node: Any) -> str | None:
        return "taken" if node.pods else None

    said = wrong(alone)
    assert (
        "unresolvable is declared True, but it passes once preemption takes away default/old-1, default/old-2" in said
    )
    assert 'it said "taken"; declare unresolvable=False' in said


def test_an_unresolvable_refusal_holds_against_pods_that_preemption_cannot_take() -> None:
    @node_filter("First", unresolvable=True)
    def first(pod: Any, node: Any) -> str | None:
        return "taken" if any(each.spec.priority >= (pod.spec.priority or 0) for each in node.pods) else None

    assert check_plugin(first).ok, check_plugin(first)


def test_a_filter_that_pods_help_is_not_monotonic() -> None:
    @node_filter("Company", monotonic=True)
    def company(pod: Any, node: Any) -> str | None:
        return None if node.pods else "lonely"

    assert 'it said "lonely"; declare monotonic=False' in wrong(company)


def test_pods_are_to_be_looked_at_in_the_snapshot() -> None:
    class Early:
        """It counts pods in prepare, so that preemption's dry run never sees one go."""

        name = "Early"

        def prepare(self, pod: Any, cluster: Any) -> StaticFilter:
            full = cluster.pods_on > 0
            return StaticFilter(Refusals([Refusal(full, "full")]), depends_on_pods=True)

    assert "in filter(snapshot), not in prepare" in wrong(Early())


def test_a_function_of_chance_or_of_the_past_is_found() -> None:
    rng = random.Random(4)
    assert "keep no state" in wrong(node_score("Chance")(lambda pod, node: rng.randrange(50)))
    assert "different answers" in wrong(node_filter("Moody")(lambda pod, node: rng.choice([None, "no"])))

    class Backwards:
        name = "Backwards"

        def score(self, pod: Any, cluster: Any, nodes: Any) -> Scored:
            places = np.arange(len(nodes))
            return Scored(places, places)

    assert "in another order; score the nodes at the positions given" in wrong(Backwards())

    class Sometimes(Backwards):
        name = "Sometimes"
        asked = 0

        def score(self, pod: Any, cluster: Any, nodes: Any) -> Any:
            self.asked += 1
            return None if self.asked % 3 else super().score(pod, cluster, nodes)

    assert "skips a pod only sometimes" in wrong(Sometimes())


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        (node_score("Half")(lambda pod, node: 0.5), "returned 0.5, where an integer is expected"),  # type: ignore
        (node_score("True")(lambda pod, node: True), "returned True, where an integer is expected"),
        (node_score("Much")(lambda pod, node: 101), r"invalid score 101"),
        (node_filter("No")(lambda pod, node: False), "returned False, where None, a text"),  # type: ignore
        (node_filter("Gone")(lambda pod, node: node.metadata.labels["zone"]), "KeyError: 'zone' (in <lambda>"),
        (node_filter("Marks")(lambda pod, node: pod.metadata.labels.update(x="")), "it changes the pod that"),  # type: ignore
        (node_score("Paints")(lambda pod, node: node.metadata.labels.update(x="") or 1), "it changes a node that"),
        (node_score("Sum", formula="{a} + {b}")(lambda pod, node: (5, {"a": 5})), "its formula: KeyError: 'b'"),
        (7, '"int" is not a plugin'),
        (type("Rude", (Plugin,), {"weight": 0, "score": lambda self, pod, node: 1})(), "its weight is 0"),
    ],
)
def test_wrong_answers_are_found(plugin: object, words: str) -> None:
    assert words in wrong(plugin)


def test_array_plugins_are_found_out_too() -> None:
    class Ints(ArrayFilter):
        def refuse(self, pod: Any, snapshot: Any) -> Refusal:
            return Refusal(snapshot.pods_on(), "full")

    assert "the mask is int64[1], where bool[1] is expected" in wrong(Ints())


def test_a_cluster_of_your_own_is_asked_too() -> None:
    @node_filter("Odd")
    def odd(pod: Any, node: Any) -> str | None:
        return 7 if node.name == "mine" else None  # type: ignore[return-value]

    assert check_plugin(odd).ok
    report = check_plugin(odd, cluster(node("mine"), pod("web")))
    assert "on node mine" in str(report)


def test_a_careful_declaration_is_remarked() -> None:
    named = node_filter("Named")(lambda pod, node: None if "x" in node.name else "no x")
    (remark,) = check_plugin(named).remarks
    assert "declare depends_on_pods=False" in str(remark)
    crowded = node_filter("Crowded")(lambda pod, node: "no room" if len(node.pods) > 1 else None)
    still = node_filter("Still", depends_on_pods=False)(lambda pod, node: None if "x" in node.name else "no x")
    assert check_plugin(crowded).remarks == check_plugin(still).remarks == ()
    assert V1_37.plus(named)
