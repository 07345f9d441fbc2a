"""Questions and pods find each other by their clues."""

import pytest

from kschedlab.build import pod
from kschedlab.cluster.clues import ByClue, Clue, clues_of, labels_of, namespace_of
from kschedlab.cluster.interning import Signatures
from kschedlab.objects.selectors import label_selector
from tests.verdicts import model


@pytest.mark.parametrize(
    ("labels", "expressions", "clues"),
    [
        ({"app": "web"}, [], [(labels_of, {("app", "web")})]),
        (
            {"app": "web"},
            [("tier", "In", ("a", "b"))],
            [(labels_of, {("app", "web")}), (labels_of, {("tier", "a"), ("tier", "b")})],
        ),
        ({}, [("app", "Exists", ())], []),
        ({}, [("app", "NotIn", ("web",)), ("app", "DoesNotExist", ())], []),
        ({}, [], []),
    ],
    ids=["a label", "two labels", "any value", "forbidden labels", "empty"],
)
def test_what_a_selector_demands(labels, expressions, clues):
    selector = label_selector(labels, expressions)
    assert [(clue.extract, {*clue.items}) for clue in clues_of(selector)] == clues
    assert clues_of(selector, ["x"])[-1] == Clue(namespace_of, ("x",))


def test_no_selector_matches_nothing():
    assert clues_of(None, ["x"]) == (Clue(labels_of, ()),)


def test_each_thing_is_listed_under_its_rarest_clue():
    both = [label_selector({"name": "redis", "release": f"r{number}"}, []) for number in range(10)]
    index = ByClue((number, clues_of(selector)) for number, selector in enumerate(both))
    found = list(index.about(Signatures().of(model(pod("p", labels={"name": "redis", "release": "r7"})))))
    assert 7 in found and len(found) <= 2


def test_things_without_a_clue_concern_every_pod():
    index = ByClue([("all", ()), ("web", clues_of(label_selector({"app": "web"}, []))), ("none", clues_of(None))])
    signatures = Signatures()
    assert list(index.about(signatures.of(model(pod("p"))))) == ["all"]
    assert list(index.about(signatures.of(model(pod("p", labels={"app": "web"}))))) == ["web", "all"]
