"""NodeAffinity: rows of v1.37's node_affinity_test.go (TestNodeAffinityPriority), and more."""

import msgspec
import pytest

from kschedlab.build import cluster, node, node_affinity, pod, term
from kschedlab.generations import GENERATIONS
from kschedlab.objects.model import PreferredSchedulingTerm
from kschedlab.objects.selectors import SelectorError
from kschedlab.scheduler import schedule
from kschedlab.score.node_affinity import NodeAffinityScore
from tests.verdicts import scored

LABELS = [
    {"foo": "bar"},
    {"key": "value"},
    {"az": "az1"},
    {"abc": "az11", "def": "az22"},
    {"foo": "bar", "key": "value", "az": "az1"},
]
ONE = [(2, term("foo In bar"))]
THREE = [*ONE, (4, term("key In value")), (5, term("foo In bar", "key In value", "az In az1"))]


def added(*preferred):
    terms = [{"weight": weight, "preference": preference} for weight, preference in preferred]
    return NodeAffinityScore(added=msgspec.convert(terms, tuple[PreferredSchedulingTerm, ...]))


@pytest.mark.parametrize(
    ("plugin", "preferred", "numbers", "want"),
    [
        (NodeAffinityScore(), ONE, [4, 2, 3], [0, 0, 0]),
        (NodeAffinityScore(), ONE, [1, 2, 3], [100, 0, 0]),
        (NodeAffinityScore(), THREE, [1, 5, 2], [18, 100, 36]),
        (added(*ONE), [], [1, 2], [100, 0]),
        (added((3, term("key In value"))), ONE, [1, 2, 5], [40, 60, 100]),
        (NodeAffinityScore(), [(1, term())], [1, 2], [0, 0]),
        (NodeAffinityScore(), [(1, term("metadata.name In n2"))], [1, 2], [0, 100]),
        (NodeAffinityScore(), [(7, term("foo Exists")), (7, term("foo Exists"))], [1, 2], [100, 0]),
    ],
    ids=[
        "no node matches",
        "one node matches",
        "sums of weights",
        "added affinity",
        "added affinity and the pod's",
        "an empty term",
        "a name",
        "a term that is given twice",
    ],
)
def test_preferred_terms(plugin, preferred, numbers, want):
    nodes = [node(f"n{number}", labels=LABELS[number - 1]) for number in numbers]
    found = scored(plugin, pod("p", affinity=node_affinity(preferred=preferred)), *nodes)
    assert found == {f"n{number}": score for number, score in zip(numbers, want, strict=True)}


def test_a_pod_that_prefers_nothing_is_skipped():
    assert scored(NodeAffinityScore(), pod("p"), node("n")) is None
    assert scored(NodeAffinityScore(), pod("p", affinity=node_affinity(term("foo Exists"))), node("n")) is None


def test_an_invalid_term_is_an_error_once_nodes_are_scored():
    asking = pod("p", affinity=node_affinity(preferred=[(1, term("gen Gt five"))]))
    decision = schedule("default/p", cluster(node("n1"), node("n2"), node("n3", unschedulable=True), asking))
    assert decision.error == 'running PreScore plugin "NodeAffinity": "gen": Gt needs an integer, not "five"'
    assert (decision.node, decision.names) == (None, ["n1", "n2"])
    assert decision.verdict("n3").plugin == "NodeUnschedulable"
    assert schedule("default/p", cluster(node("n1"), asking)).node == "n1"


def test_an_invalid_term_leaves_the_pod_without_a_node_in_v1_16_too():
    asking = pod("p", affinity=node_affinity(preferred=[(1, term("gen Gt five"))]))
    older = GENERATIONS["v1.16"]
    decision = schedule("default/p", cluster(node("n1"), node("n2"), asking, api=older.api), older)
    assert "Gt needs an integer" in decision.error and decision.node is None and decision.scores is None


def test_invalid_added_affinity_is_an_error_at_once():
    with pytest.raises(SelectorError, match="Lt needs an integer"):
        added((1, term("gen Lt five")))


def test_a_pod_that_prefers_nothing_may_get_0_everywhere_by_rule():
    assert scored(NodeAffinityScore(skips_in_pre_score=False), pod("p"), node("a"), node("b")) == {"a": 0, "b": 0}
