"""Masks over nodes, evaluated by distinct value, equal an evaluation node by node."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.cluster import labels
from kschedlab.objects.model import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    Taint,
    Toleration,
)
from kschedlab.objects.selectors import Requirement, SelectorError
from tests.verdicts import model

KEYS, VALUES = ["disk", "gen"], ["ssd", "7", "5", "08", ""]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

TAINT = {"key": st.sampled_from(["a", "b"]), "value": st.sampled_from(["", "x"]), "effect": st.sampled_from(EFFECTS)}
NODE = {
    "labels": st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES)),
    "taints": st.lists(st.fixed_dictionaries(TAINT), max_size=3),
}
NODES = st.lists(st.fixed_dictionaries(NODE), max_size=8)


def build(nodes: list[Manifest]) -> Any:
    return cluster(*(node(f"n{i}", **each) for i, each in enumerate(nodes)))


def requirements() -> st.SearchStrategy[NodeSelectorRequirement]:
    some = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3).map(tuple)
    by_operator = {"In": some, "NotIn": some, "Exists": st.just(()), "DoesNotExist": st.just(())}
    number = st.sampled_from(["-4", "7", "8", "+6", "six", "9223372036854775808"]).map(lambda v: (v,))
    by_operator |= {"Gt": number, "Lt": number}
    return st.sampled_from(sorted(by_operator)).flatmap(
        lambda o: st.builds(NodeSelectorRequirement, st.sampled_from(KEYS), st.just(o), by_operator[o])
    )


def fields() -> st.SearchStrategy[NodeSelectorRequirement]:
    names = st.sampled_from(["n0", "n1", "elsewhere"]).map(lambda v: (v,))
    return st.builds(NodeSelectorRequirement, st.just("metadata.name"), st.sampled_from(["In", "NotIn"]), names)


TERMS = st.builds(
    NodeSelectorTerm, st.lists(requirements(), max_size=2).map(tuple), st.lists(fields(), max_size=2).map(tuple)
)


@given(NODES, st.lists(TERMS, max_size=3))
def test_selected_nodes(nodes, terms):
    world, selector = build(nodes), NodeSelector(tuple(terms))
    compiled = selector.compile()
    want = [compiled.matches(n.metadata.name, n.metadata.labels) for n in world.nodes]
    assert labels.selected(world, selector).tolist() == want


@given(NODES, st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES)), st.none() | st.lists(TERMS, max_size=2))
def test_required_nodes(nodes, node_selector, terms):
    world = build(nodes)
    affinity = NodeAffinity(NodeSelector(tuple(terms)) if terms is not None else None)
    spec = PodSpec(nodeSelector=node_selector, affinity=Affinity(affinity))
    selector = NodeSelector(tuple(terms)).compile() if terms is not None else None
    want = [
        node_selector.items() <= n.metadata.labels.items()
        and (selector is None or selector.matches(n.metadata.name, n.metadata.labels))
        for n in world.nodes
    ]
    assert labels.required(world, spec).tolist() == want


def test_a_pod_without_requirements_matches_every_node():
    world = build([{}, {"labels": {"disk": "ssd"}}])
    assert labels.required(world, model(pod("p")).spec).tolist() == [True, True]


def test_a_selector_without_terms_and_a_term_without_requirements_match_no_node():
    world = build([{}, {}])
    assert not labels.selected(world, NodeSelector()).any()
    assert not labels.selected(world, NodeSelector((NodeSelectorTerm(),))).any()
    assert not labels.matches(world, NodeSelectorTerm()).any()


def test_an_invalid_term():
    world = build([{"labels": {"gen": "7"}}])
    bad = NodeSelectorTerm((NodeSelectorRequirement("gen", "Gt", ("six",)),))
    good = NodeSelectorTerm((NodeSelectorRequirement("gen", "Gt", ("6",)),))
    assert labels.selected(world, NodeSelector((bad, good))).tolist() == [True]
    assert labels.selected(world, NodeSelector((bad,))).tolist() == [False]
    with pytest.raises(SelectorError):
        labels.matches(world, bad)


def test_a_mask_is_computed_once():
    world = build([{"labels": {"disk": "ssd"}}])
    has_disk = Requirement("disk", "Exists")
    assert labels.meets(world, has_disk) is labels.meets(world, has_disk)


TOLERATIONS = st.lists(
    st.builds(
        Toleration,
        st.sampled_from(["", "a", "b"]),
        st.sampled_from(["", "Equal", "Exists", "Gt"]),
        st.sampled_from(["", "x"]),
        st.sampled_from(["", *EFFECTS]),
    ),
    max_size=3,
).map(tuple)


@given(NODES, TOLERATIONS)
def test_untolerated_taints_by_effect(nodes, tolerations):
    world = build(nodes)

    def left(taints: tuple[Taint, ...], effects: tuple[str, ...]) -> list[Taint]:
        return [t for t in taints if t.effect in effects and not any(o.tolerates(t) for o in tolerations)]

    hard = [left(n.spec.taints, ("NoSchedule", "NoExecute")) for n in world.nodes]
    soft = [left(n.spec.taints, ("PreferNoSchedule",)) for n in world.nodes]
    assert labels.untolerated(world, tolerations).tolist() == [bool(taints) for taints in hard]
    assert labels.intolerable_prefer_no_schedule_taints(world, tolerations).tolist() == [len(taints) for taints in soft]
    first = [labels.first_untolerated(n.spec.taints, tolerations) for n in world.nodes]
    assert first == [taints[0] if taints else None for taints in hard]
