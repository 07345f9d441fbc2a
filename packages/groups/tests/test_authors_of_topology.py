"""Kubernetes' own cases of placements and their scores.

v1.37: topologyaware/topology_placement_test.go (TestGeneratePlacements; those that start from all nodes) and
noderesources/fit_test.go (TestScorePlacement_Resources).
"""

from typing import Any

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import Pod, PodGroup
from kschedlab_groups.group import ERROR, Status
from kschedlab_groups.topology import NO_PLACEMENTS, Placement, fullness, placements_of
from packages.groups.tests.test_cycle import group, member

SIX = {"node0": ("topology2", "d1"), "node1": ("topology2", "d4"), "node2": ("topology1", "d1")}
SIX |= {"node3": ("topology1", "d2"), "node4": ("topology1", "d1"), "node5": ("topology1", "d3")}
FOUR = {"node0": ("topology", "d2"), "node1": ("topology", "d1"), "node2": ("topology", "d0")}
FOUR |= {"node3": ("topology", "d1")}

PLACEMENTS: dict[str, tuple[dict[str, tuple[str, str]], str, list[str], Any]] = {
    "without constraint": ({"node1": ("", ""), "node2": ("foo", "bar")}, "", [], {"": ["node1", "node2"]}),
    "with topology key constraint": (
        SIX,
        "topology1",
        [],
        {"d1": ["node2", "node4"], "d2": ["node3"], "d3": ["node5"]},
    ),
    "without matching topology label": (SIX, "topology3", [], NO_PLACEMENTS),
    "with pods already scheduled in conflicting domains": (FOUR, "topology", ["node2", "node3"], ERROR),
    "with already scheduled pod on node outside of snapshot": (FOUR, "topology", ["node3", "node4"], ERROR),
    "with already scheduled pod on node without topology label": (
        {"node1": ("topology", "d2"), "node2": ("foo", "bar")},
        "topology",
        ["node2"],
        ERROR,
    ),
}


@pytest.mark.parametrize("case", PLACEMENTS)
def test_placements(case: str) -> None:
    labels, key, places, wanted = PLACEMENTS[case]
    whole = cluster(*(node(name, labels={label: value} if label else {}) for name, (label, value) in labels.items()))
    spec = {"schedulingConstraints": {"topology": [{"key": key}]}} if key else {}
    asked, _ = decode(group(**spec), "PodGroup")
    assert isinstance(asked, PodGroup)
    scheduled = [decode(member(f"p{i}", place), "Pod")[0] for i, place in enumerate(places)]
    found = placements_of(whole, asked, [each for each in scheduled if isinstance(each, Pod)])
    if isinstance(found, Status):
        assert wanted in (found.code, found.message)
    else:
        assert {each.name: [whole.names[n] for n in each.nodes] for each in found} == wanted


EQUAL, CPU_FIRST = (("cpu", 1), ("memory", 1)), (("cpu", 4), ("memory", 1))
TWO = {"cpu": "1000m", "memory": "0"}, {"cpu": "2000m", "memory": "2000"}
THIN = {"cpu": "1000m", "memory": "0"}
GPU = "nvidia.com/gpu"
WITH_GPU = (*EQUAL, (GPU, 1))
PLAIN = THIN, {"cpu": "1000m", "memory": "2000"}

SCORES: dict[str, tuple[Any, Any, list[dict[str, str]], int]] = {
    "Computes score based on total requests": (EQUAL, TWO, [], 25),
    "Computes score using weights": (CPU_FIRST, TWO, [], 28),
    "Includes pre-existing pods from outside of pod group": (EQUAL, TWO, [THIN], 30),
    "Includes scalar resources if any pod in pod group has nonzero requests": (
        WITH_GPU,
        (PLAIN[0], PLAIN[1] | {GPU: "1"}),
        [THIN],
        20,
    ),
    "Does not include scalar resources if all pods in pod group have zero requests": (
        WITH_GPU,
        PLAIN,
        [THIN | {GPU: "1"}],
        25,
    ),
}


@pytest.mark.parametrize("case", SCORES)
def test_scores(case: str) -> None:
    resources, requests, running, wanted = SCORES[case]
    size = {"cpu": "5000m", "memory": "5000", "pods": "9", GPU: "5"}
    nodes = [node(name, allocatable=size) for name in ("node1", "node2", "node3")]
    pods = [pod(f"p{i}", requests=each) for i, each in enumerate(requests)]
    old = [pod(f"old-{i}", "node1", requests=each) for i, each in enumerate(running)]
    whole = cluster(*nodes, *pods, *old)
    infos = [whole.pending[f"default/p{i}"] for i in range(len(pods))]
    assert fullness(whole, Placement("", np.array([0, 1])), infos, resources) == wanted
