"""The same clusters, scheduled by the real scheduler and by this one: every node, reason and score is equal."""

import json
import os
from pathlib import Path

import pytest

from kschedlab.generations import COURSE, GENERATIONS
from kschedlab.program.decide import decide_lines
from tests.conformance.compare import differences, read, themes

HERE = Path(__file__).parent
VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or HERE)
EXTRA = HERE / "extra"
ALWAYS = ("features", "interpod", "mixed", "nominated", "preemption_mixed", "spread", "volumes")
"""The themes that also the generations between those of the course are compared in each time."""


def marks(generation: str, theme: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if generation in COURSE or theme.partition(".")[0] in ALWAYS else (pytest.mark.nightly,)


CASES = [
    pytest.param(
        folder,
        generation,
        theme,
        id=f"{folder.name}-{generation}-{theme.partition('.')[0]}",
        marks=marks(generation, theme),
    )
    for folder in (VECTORS, EXTRA)
    for generation in GENERATIONS
    for theme in themes(folder, generation)
]


def test_there_are_vectors_of_every_generation() -> None:
    for generation in GENERATIONS:
        assert len(themes(VECTORS, generation)) >= 1, f"no vectors of {generation} in {VECTORS}"


@pytest.mark.parametrize(("folder", "generation", "theme"), CASES)
def test_agrees_with_the_real_scheduler(folder: Path, generation: str, theme: str) -> None:
    scenarios = list(read(folder / "scenarios" / theme))
    expected = [json.loads(line) for line in read(folder / generation / theme)]
    actual = [json.loads(line) for line in decide_lines(scenarios, generation=generation)]
    assert [verdict["id"] for verdict in actual] == [verdict["id"] for verdict in expected]
    found = list(differences(expected, actual))
    assert not found, f"{len(found)} differences, the first: " + "\n".join(map(str, found[:3]))
