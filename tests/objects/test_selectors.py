"""Selectors, node selector terms, tolerations."""

import pytest
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node
from kschedlab.cluster import labels
from kschedlab.objects.model import (
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    Taint,
    Toleration,
)
from kschedlab.objects.selectors import Selector, SelectorError, from_map, parse_int64


def label_selector(*expressions: tuple, **labels: str) -> Selector:
    return LabelSelector(labels, tuple(LabelSelectorRequirement(*e) for e in expressions)).compile()


@pytest.mark.parametrize(
    ("expression", "labels", "matches"),
    [
        (("a", "In", ("1", "2")), {"a": "2"}, True),
        (("a", "In", ("1", "2")), {"a": "3"}, False),
        (("a", "In", ("1",)), {}, False),
        (("a", "NotIn", ("1",)), {"a": "1"}, False),
        (("a", "NotIn", ("1",)), {}, True),
        (("a", "Exists", ()), {"a": ""}, True),
        (("a", "Exists", ()), {}, False),
        (("a", "DoesNotExist", ()), {"a": ""}, False),
        (("a", "DoesNotExist", ()), {"b": ""}, True),
    ],
)
def test_label_selector_operators(expression, labels, matches):
    assert label_selector(expression).matches(labels) is matches


def test_an_empty_selector_matches_everything():
    assert label_selector().empty
    assert label_selector().matches({})


def test_labels_and_expressions_must_all_hold():
    selector = label_selector(("b", "Exists", ()), a="1")
    assert selector.matches({"a": "1", "b": "2"})
    assert not selector.matches({"a": "1"})
    assert not selector.matches({"b": "2"})


def test_selectors_are_equal_in_any_order():
    selector = label_selector(("b", "In", ("x", "y")), ("c", "Exists", ()), a="1")
    reordered = label_selector(("c", "Exists", ()), ("a", "In", ("1",)), ("b", "In", ("y", "x")))
    assert {selector: "kept"}[reordered] == "kept"
    assert from_map({"a": "1"}) == label_selector(a="1")


@pytest.mark.parametrize(
    "expression",
    [
        ("a", "Gt", ("1",)),
        ("a", "In", ()),
        ("a", "Exists", ("1",)),
        ("a", "", ()),
        ("a b", "Exists", ()),
        ("a", "In", ("-",)),
    ],
)
def test_invalid_selectors_cannot_be_compiled(expression):
    with pytest.raises(SelectorError):
        label_selector(expression)


def term(*expressions: tuple, fields: tuple = ()) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        tuple(NodeSelectorRequirement(*e) for e in expressions), tuple(NodeSelectorRequirement(*f) for f in fields)
    )


@pytest.mark.parametrize(
    ("operator", "value", "label", "matches"),
    [
        ("Gt", "4", "5", True),
        ("Gt", "4", "4", False),
        ("Lt", "4", "3", True),
        ("Lt", "4", "4", False),
        ("Gt", "4", "five", False),
        ("Gt", "4", "+5", True),
        ("Gt", "4", " 5", False),
        ("Gt", "4", "1_0", False),
        ("Gt", "4", "9223372036854775807", True),
        ("Gt", "4", "9223372036854775808", False),
        ("Lt", "4", "-9223372036854775808", True),
        ("Lt", "4", "-9223372036854775809", False),
        ("Gt", "4", f"{5:063}", True),
        ("Gt", f"{4:063}", "5", True),
    ],
)
def test_comparisons_parse_integers_like_go(operator, value, label, matches):
    assert term(("cores", operator, (value,))).compile().matches("n1", {"cores": label}) is matches
    assert not term(("cores", operator, (value,))).compile().matches("n1", {})


def test_a_term_can_select_a_node_by_name():
    named_n1 = term(fields=(("metadata.name", "In", ("n1",)),)).compile()
    assert (named_n1.matches("n1", {}), named_n1.matches("n2", {})) == (True, False)
    not_named_n1 = term(("a", "Exists", ()), fields=(("metadata.name", "NotIn", ("n1",)),)).compile()
    assert (not_named_n1.matches("n1", {"a": ""}), not_named_n1.matches("n2", {"a": ""})) == (False, True)


@pytest.mark.parametrize(
    ("operator", "value", "matches"),
    [("In", "n1", False), ("In", "", True), ("NotIn", "n1", True), ("NotIn", "", False)],
)
def test_any_other_field_of_a_node_is_an_empty_text(operator, value, matches):
    asked = term(fields=(("metadata.namespace", operator, (value,)),))
    assert asked.compile().matches("n1", {}) is matches
    assert labels.matches(cluster(node("n1")), asked).tolist() == [matches]


def test_an_empty_term_matches_nothing_and_one_term_is_enough():
    assert not term().compile().matches("n1", {})
    selector = NodeSelector((term(), term(("a", "In", ("1",))), term(("b", "Exists", ())))).compile()
    assert selector.matches("n1", {"b": ""})
    assert not selector.matches("n1", {"a": "2"})


def test_an_invalid_term_matches_nothing_while_others_do():
    broken = term(("cores", "Gt", ("many",)))
    with pytest.raises(SelectorError, match="integer"):
        broken.compile()
    selector = NodeSelector((broken, term(("a", "Exists", ())))).compile()
    assert selector.matches("n1", {"a": ""})
    assert not selector.matches("n1", {"cores": "9"})


@pytest.mark.parametrize("operator", ["Exists", "Gt"])
def test_fields_allow_only_in_and_not_in(operator):
    with pytest.raises(SelectorError):
        term(fields=(("metadata.name", operator, ()),)).compile()


@pytest.mark.parametrize(
    ("toleration", "tolerates"),
    [
        (Toleration(key="k", operator="Equal", value="v", effect="NoSchedule"), True),
        (Toleration(key="k", value="v"), True),
        (Toleration(key="k", value="w"), False),
        (Toleration(key="k", operator="Exists"), True),
        (Toleration(operator="Exists"), True),
        (Toleration(operator="Exists", effect="NoExecute"), False),
        (Toleration(key="j", operator="Exists"), False),
        (Toleration(key="k", operator="Gt", value="1"), False),
    ],
)
def test_tolerations(toleration, tolerates):
    assert toleration.tolerates(Taint("k", "v", "NoSchedule")) is tolerates


@pytest.mark.parametrize(
    ("operator", "bound", "value", "tolerates"),
    [
        ("Gt", "1", "2", True),
        ("Gt", "1", "1", False),
        ("Lt", "1", "0", True),
        ("Lt", "1", "1", False),
        ("Lt", "0", "-1", True),
        ("Lt", "9223372036854775807", "-9223372036854775808", True),
        ("Gt", "1", "9223372036854775808", False),
        ("Lt", "1", "-9223372036854775809", False),
        *[("Gt", "0", value, False) for value in ("", "+1", "01", "1.0", " 1", "१")],
    ],
)
def test_tolerations_that_compare_need_decimal_integers_of_64_bits(operator, bound, value, tolerates):
    """v1.37: k8s.io/api core/v1/toleration.go."""
    assert Toleration(key="k", operator=operator, value=bound).tolerates(Taint("k", value)) is tolerates


LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2", ""]), max_size=3)
EXPRESSIONS = st.tuples(
    st.sampled_from("abc"), st.lists(st.sampled_from(["1", "2"]), min_size=1, max_size=2).map(tuple)
)


@given(LABELS, EXPRESSIONS)
def test_not_in_is_the_opposite_of_in(labels, expression):
    key, values = expression
    assert label_selector((key, "In", values)).matches(labels) != label_selector((key, "NotIn", values)).matches(labels)


@given(st.integers())
def test_integers_have_64_bits(number):
    assert parse_int64(str(number)) == (number if -(2**63) <= number < 2**63 else None)
