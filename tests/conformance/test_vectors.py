"""The same clusters through the real scheduler and through ours: every node, reason and score is equal."""

import json
import os
from pathlib import Path

import pytest

from kschedlab.cli import decide_lines
from tests.conformance.compare import differences, read, themes

VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or Path(__file__).parent)
GENERATIONS = ("v1.37",)
CASES = [(generation, theme) for generation in GENERATIONS for theme in themes(VECTORS, generation)]


def test_there_are_vectors() -> None:
    assert {generation for generation, _ in CASES} == set(GENERATIONS), f"no vectors in {VECTORS}"


@pytest.mark.parametrize(("generation", "theme"), CASES)
def test_agrees_with_the_real_scheduler(generation: str, theme: str) -> None:
    scenarios = list(read(VECTORS / "scenarios" / theme))
    expected = [json.loads(line) for line in read(VECTORS / generation / theme)]
    actual = [json.loads(line) for line in decide_lines(scenarios, generation=generation)]
    assert [verdict["id"] for verdict in actual] == [verdict["id"] for verdict in expected]
    found = list(differences(expected, actual))
    assert not found, f"{len(found)} differences, the first: " + "\n".join(map(str, found[:3]))
