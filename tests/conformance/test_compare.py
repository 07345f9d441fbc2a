"""The comparison itself reports all differences and nothing else."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import compare

VERDICT: dict[str, Any] = {
    "id": "resources-1-7",
    "filter": {"n1": None, "n2": {"plugin": "NodePorts", "code": "Unschedulable", "reasons": ["a", "b"]}},
    "feasible": ["n1", "n3"],
    "scores": {
        "raw": {"ImageLocality": {"n1": 0}},
        "weighted": {"ImageLocality": {"n1": 0}},
        "total": {"n1": 9, "n3": 9},
        "best": ["n1", "n3"],
    },
    "preemption": {"eligible": True, "candidates": {"n1": {"victims": ["a", "b"]}}, "chosen": ["n1", "n2"]},
}


def changed(*path: str, to: Any) -> dict[str, Any]:
    verdict = copy.deepcopy(VERDICT)
    part: Any = verdict
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    return verdict


def parts(actual: dict[str, Any]) -> list[str]:
    return [difference.part for difference in compare.differences([VERDICT], [actual])]


@pytest.mark.parametrize(
    "actual",
    [
        VERDICT,
        changed("feasible", to=["n3", "n1"]),
        changed("scores", "best", to=["n3", "n1"]),
        changed("preemption", "chosen", to=["n2", "n1"]),
        changed("filter", "n2", "reasons", to=["b", "a"]),
    ],
)
def test_orders_that_the_real_scheduler_leaves_open_are_equal(actual: dict[str, Any]) -> None:
    assert parts(actual) == []


@pytest.mark.parametrize(
    ("actual", "part"),
    [
        (
            changed("filter", "n1", to={"plugin": "NodeName", "code": "Unschedulable", "reasons": []}),
            "filter",
        ),
        (changed("filter", "n2", "reasons", to=["a"]), "filter"),
        (changed("feasible", to=["n1"]), "feasible"),
        (changed("scores", "total", "n3", to=8), "scores"),
        (changed("scores", "best", to=["n1"]), "scores"),
        (changed("preemption", "candidates", "n1", "victims", to=["b", "a"]), "preemption"),
        (changed("error", to="out of memory"), "error"),
        (changed("message", to="0/2 nodes are available"), "message"),
        (changed("id", to="resources-1-8"), "verdict"),
    ],
)
def test_a_difference_names_its_part(actual: dict[str, Any], part: str) -> None:
    assert parts(actual) == [part]


def test_the_program_counts_and_fails(tmp_path: Path) -> None:
    expected, actual = tmp_path / "expected.jsonl", tmp_path / "actual.jsonl"
    expected.write_text(json.dumps(VERDICT))
    actual.write_text(json.dumps(changed("feasible", to=[])))
    command = [sys.executable, compare.__file__, str(expected), str(actual)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "resources          feasible         1 differ\n1 scenarios, 1 differ" in result.stdout


def test_nodes_that_prefilter_excludes_are_compared_by_their_number():
    real = "0/3 nodes are available: 2 excluded by PreFilter, 3 Insufficient cpu."
    ours = "0/3 nodes are available: 3 Insufficient cpu, {} node(s) didn't satisfy plugin(s) [NodeAffinity]."
    assert compare.same("message", real, ours.format(2))
    assert not compare.same("message", real, ours.format(1))
    assert not compare.same("message", real, ours.format(2).replace("cpu", "memory"))
