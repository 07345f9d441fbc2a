"""TaintToleration: rows of v1.37's taint_toleration_test.go (TestTaintTolerationScore)."""

import pytest

from kschedlab.build import node, pod
from kschedlab.score.taint_toleration import TaintTolerationScore
from tests.verdicts import scored

ARM = {"key": "cpu-type", "value": "arm64", "effect": "PreferNoSchedule"}
SSD = {"key": "disk-type", "value": "ssd", "effect": "PreferNoSchedule"}
FOO = {"key": "foo", "value": "bar", "effect": "PreferNoSchedule"}


def hard(taint):
    return taint | {"effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("tolerations", "taints", "want"),
    [
        ([FOO], [[FOO], [FOO | {"value": "blah"}]], [100, 0]),
        ([ARM, SSD], [[], [ARM], [ARM, SSD]], [100, 100, 100]),
        ([FOO], [[], [ARM], [ARM, SSD]], [100, 50, 0]),
        ([hard(ARM), hard(SSD)], [[], [hard(ARM)], [ARM, SSD]], [100, 100, 0]),
        ([ARM | {"effect": ""}], [[], [ARM], [ARM, SSD]], [100, 100, 0]),
        ([], [[], [ARM]], [100, 0]),
        ([], [[], [hard(ARM)]], [100, 100]),
        ([], [[ARM, SSD, FOO], [ARM], [ARM, SSD]], [0, 67, 34]),
    ],
    ids=[
        "tolerated taints score higher",
        "how many tolerated taints does not matter",
        "the more intolerable taints, the lower",
        "only PreferNoSchedule counts",
        "a toleration of every effect counts",
        "no tolerations",
        "nothing to choose between",
        "thirds are cut off before they are turned round",
    ],
)
def test_taints(tolerations, taints, want):
    nodes = [node(f"n{i}", taints=each) for i, each in enumerate(taints)]
    found = scored(TaintTolerationScore(), pod("p", tolerations=tolerations), *nodes)
    assert found == {f"n{i}": score for i, score in enumerate(want)}
