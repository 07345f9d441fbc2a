"""NodeLabel's score: rows of v1.20's node_label_test.go (TestNodeLabelScore)."""

import pytest

from kschedlab.build import node, pod
from kschedlab.filter.plugin import SchedulingError
from kschedlab_configuration.older.node_label import NodeLabelScore
from tests.verdicts import scored


@pytest.mark.parametrize(
    ("present", "absent", "want"),
    [
        (["foo"], [], 100),
        (["baz"], [], 0),
        (["foo", "bar"], [], 100),
        (["bar", "baz"], [], 50),
        (["one", "baz"], [], 0),
        ([], ["one"], 100),
        ([], ["foo"], 0),
        ([], ["foo", "baz"], 50),
        (["foo", "bar"], ["foo", "bar"], 50),
        (["foo", "baz"], ["one"], 66),
        (["foo", "baz"], ["foo", "bar"], 25),
    ],
)
def test_labels(present, absent, want):
    plugin = NodeLabelScore(present=tuple(present), absent=tuple(absent))
    assert scored(plugin, pod("p"), node("n", labels={"foo": "any", "bar": ""})) == {"n": want}


def test_the_highest_score_of_older_generations():
    assert scored(NodeLabelScore(present=("foo", "baz"), highest=10), pod("p"), node("n", labels={"foo": ""})) == {
        "n": 5
    }


def test_without_any_label_the_real_scheduler_panics():
    with pytest.raises(SchedulingError, match="integer divide by zero"):
        scored(NodeLabelScore(), pod("p"), node("n"))
    assert scored(NodeLabelScore(panics_without_labels=False), pod("p"), node("n")) == {"n": 0}
