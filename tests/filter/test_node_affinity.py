"""NodeAffinity: rows of v1.37's node_affinity_test.go (TestNodeAffinity), and more."""

import msgspec
import pytest

from kschedlab.build import cluster, node, node_affinity, pod, term
from kschedlab.filter.node_affinity import CONFLICT, NO_MATCH, NO_MATCH_ADDED, NodeAffinity
from kschedlab.generations import V1_37
from kschedlab.objects.model import NodeSelector
from kschedlab.objects.selectors import SelectorError
from kschedlab.scheduler import schedule
from tests.verdicts import judged, refused

REFUSED = {"node1": [NO_MATCH]}
EXCLUDED = {"node1": ["excluded"]}


@pytest.mark.parametrize(
    ("selector", "labels", "want"),
    [
        ({"foo": "bar"}, {}, REFUSED),
        ({"foo": "bar"}, {"foo": "bar"}, {}),
        ({"foo": "bar"}, {"foo": "bar", "baz": "blah"}, {}),
        ({"foo": "bar", "baz": "blah"}, {"foo": "bar"}, REFUSED),
        ({"foo": ""}, {"foo": ""}, {}),
        ({"foo": ""}, {}, REFUSED),
    ],
    ids=["missing labels", "same labels", "superset", "subset", "empty value", "empty value is not absence"],
)
def test_node_selector(selector, labels, want):
    assert refused(NodeAffinity(), pod("p", nodeSelector=selector), node("node1", labels=labels)) == want


@pytest.mark.parametrize(
    ("terms", "labels", "want"),
    [
        ([term("foo In bar,value2")], {"foo": "bar"}, {}),
        ([term("kernel-version Gt 0204")], {"kernel-version": "0206"}, {}),
        ([term("mem-type NotIn DDR,DDR2")], {"mem-type": "DDR3"}, {}),
        ([term("mem-type NotIn DDR,DDR2")], {}, {}),
        ([term("GPU Exists")], {"GPU": "NVIDIA-GRID-K1"}, {}),
        ([term("GPU DoesNotExist")], {"GPU": ""}, REFUSED),
        ([term("foo In value1,value2")], {"foo": "bar"}, REFUSED),
        ([term()], {"foo": "bar"}, REFUSED),
        ([term(), term("foo Exists")], {"foo": "bar"}, {}),
        ([term("GPU Exists", "GPU NotIn AMD,INTER")], {"GPU": "NVIDIA-GRID-K1"}, {}),
        ([term("GPU Exists", "GPU In AMD,INTER")], {"GPU": "NVIDIA-GRID-K1"}, REFUSED),
        ([term("foo In bar,value2"), term("diffkey In wrong,value2")], {"foo": "bar"}, {}),
        ([term("gen Gt 5"), term("gen Lt 3")], {"gen": "4"}, REFUSED),
        ([term("gen Lt 5")], {"gen": "five"}, REFUSED),
        ([term("gen Lt 5")], {}, REFUSED),
        ([term("gen Gt five")], {"gen": "9"}, REFUSED),
        ([term("gen Gt five"), term("gen Exists")], {"gen": "9"}, {}),
        ([term("gen Lt 9223372036854775807")], {"gen": "9223372036854775808"}, REFUSED),
    ],
    ids=[
        "In",
        "Gt with leading zeros",
        "NotIn",
        "NotIn without the label",
        "Exists",
        "DoesNotExist with an empty value",
        "no match",
        "an empty term matches nothing",
        "an empty term beside another",
        "requirements are ANDed, match",
        "requirements are ANDed, no match",
        "terms are ORed",
        "between Gt and Lt",
        "a label that is no number",
        "Lt without the label",
        "a bound that is no number",
        "a bound that is no number, beside a good term",
        "a label beyond 64 bits",
    ],
)
def test_match_expressions(terms, labels, want):
    assert refused(NodeAffinity(), pod("p", affinity=node_affinity(*terms)), node("node1", labels=labels)) == want


@pytest.mark.parametrize(("labels", "want"), [({"foo": "bar"}, {}), ({"foo": "barrr"}, REFUSED)])
def test_both_selector_and_affinity_must_match(labels, want):
    asking = pod("p", nodeSelector={"foo": "bar"}, affinity=node_affinity(term("foo Exists")))
    assert refused(NodeAffinity(), asking, node("node1", labels=labels)) == want


FOO = {"foo": "bar"}


@pytest.mark.parametrize(
    ("terms", "labels", "want"),
    [
        ([term("metadata.name In node1")], {}, {"node2": ["excluded"]}),
        ([term("metadata.name In gone")], {}, EXCLUDED | {"node2": ["excluded"]}),
        ([term("metadata.name NotIn node1")], {}, REFUSED),
        ([term("metadata.name In node1", "metadata.name In node2"), term("foo In bar")], FOO, {}),
        ([term("metadata.name In node2", "foo In bar")], {}, EXCLUDED | {"node2": [NO_MATCH]}),
        ([term("metadata.name In node2", "foo In bar")], FOO, EXCLUDED),
        ([term("metadata.name In node1"), term("foo In other")], FOO, {"node2": [NO_MATCH]}),
        ([term("metadata.name In node1"), term("metadata.name In node2")], {}, {}),
        ([term("metadata.name In node1"), term("metadata.name NotIn node1")], {}, {}),
        ([term("metadata.name In node1", "metadata.name NotIn node1")], {}, REFUSED | {"node2": ["excluded"]}),
        ([term("metadata.name In node1", "metadata.name In node2")], FOO, {"*": [CONFLICT]}),
        (
            [
                term("metadata.name In node1", "metadata.name In node2"),
                term("metadata.name In gone", "metadata.name In node1"),
            ],
            FOO,
            {"*": [CONFLICT]},
        ),
        ([term("metadata.name In node1", "metadata.name In node2"), term()], FOO, REFUSED | {"node2": [NO_MATCH]}),
    ],
    ids=[
        "one name",
        "a name that no node has",
        "NotIn leaves nobody out",
        "a conflict beside a term for any name",
        "the name matches, the label does not",
        "name and label match",
        "a name or a label, neither",
        "two names",
        "a name or all others",
        "a name and not that name",
        "conflict",
        "two conflicts",
        "a conflict beside an empty term",
    ],
)
def test_match_fields(terms, labels, want):
    asking = pod("p", affinity=node_affinity(*terms))
    assert refused(NodeAffinity(), asking, node("node1", labels=labels), node("node2", labels=labels)) == want


def added(*terms):
    return NodeAffinity(added=msgspec.convert({"nodeSelectorTerms": list(terms)}, NodeSelector))


@pytest.mark.parametrize(
    ("plugin", "asking", "want"),
    [
        (added(term("metadata.name In node2")), pod("p", affinity=node_affinity(term("zone In foo"))), {}),
        (
            added(term("metadata.name In node2")),
            pod("p", affinity=node_affinity(term("zone In bar"))),
            {"node2": [NO_MATCH]},
        ),
        (added(term("zone In bar")), pod("p"), {"node2": [NO_MATCH_ADDED]}),
        (
            added(term("zone In bar")),
            pod("p", affinity=node_affinity(term("zone In bar"))),
            {"node2": [NO_MATCH_ADDED]},
        ),
        (added(term("zone In foo")), pod("p"), {}),
    ],
    ids=["matches both", "not the pod's", "not the added", "neither: the added one is named", "the added alone"],
)
def test_added_affinity(plugin, asking, want):
    assert refused(plugin, asking, node("node2", labels={"zone": "foo"})) == want


def test_invalid_added_affinity_is_an_error_at_once():
    with pytest.raises(SelectorError, match="Gt needs an integer"):
        added(term("gen Gt five"))


def test_a_pod_without_requirements_is_skipped():
    world = cluster(node("n"), pod("p", affinity=node_affinity(preferred=[(1, term("foo Exists"))])))
    assert NodeAffinity().prepare(world.pending["default/p"], world) is None


def test_evicting_pods_changes_no_label():
    _, verdicts = judged(NodeAffinity(), pod("p", nodeSelector={"foo": "bar"}), node("n"))
    assert verdicts.unresolvable().tolist() == [True]


def test_the_message_for_excluded_nodes():
    asking = pod("p", affinity=node_affinity(term("metadata.name In node1", "foo Exists")))
    decision = schedule("default/p", cluster(node("node1"), node("node2"), node("node3"), asking), V1_37)
    assert decision.message == (
        "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, "
        "2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_v1_20_checks_all_nodes_even_if_the_pod_names_some():
    by_name = pod("p", affinity=node_affinity(term("metadata.name In a")))
    nodes = [node("a"), node("b")]
    assert refused(NodeAffinity(), by_name, *nodes) == {"b": ["excluded"]}
    assert refused(NodeAffinity(returns_node_names=False), by_name, *nodes) == {"b": [NO_MATCH]}


def test_v1_20_finds_no_node_for_two_names_at_once():
    both = pod("p", affinity=node_affinity(term("metadata.name In a", "metadata.name In b")))
    assert refused(NodeAffinity(), both, node("a")) == {"*": [CONFLICT]}
    assert refused(NodeAffinity(returns_node_names=False), both, node("a")) == {"a": [NO_MATCH]}
