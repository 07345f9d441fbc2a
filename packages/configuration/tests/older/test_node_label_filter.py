"""NodeLabel: rows of v1.20's node_label_test.go (TestNodeLabelFilter)."""

import pytest

from kschedlab.build import node, pod
from kschedlab_configuration.older.node_label import NO_LABELS, NodeLabel
from tests.verdicts import judged, refused


@pytest.mark.parametrize(
    ("present", "absent", "passes"),
    [
        (["baz"], [], False),
        ([], ["foo"], False),
        (["foo", "baz"], [], False),
        ([], ["foo", "baz"], False),
        (["foo", "bar"], [], True),
        ([], ["one", "two"], True),
        (["foo", "bar"], ["one"], True),
        (["baz"], ["foo"], False),
        (["foo"], ["bar"], False),
        (["baz"], ["one"], False),
        ([], [], True),
    ],
)
def test_labels(present, absent, passes):
    plugin = NodeLabel(present=tuple(present), absent=tuple(absent))
    found = refused(plugin, pod("p"), node("n", labels={"foo": "any", "bar": ""}))
    assert found == ({} if passes else {"n": [NO_LABELS]})


def test_evicting_pods_changes_no_label():
    assert judged(NodeLabel(present=("foo",)), pod("p"), node("n"))[1].unresolvable().all()
