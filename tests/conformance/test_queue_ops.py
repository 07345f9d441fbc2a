"""The same operations on the real queues and on these: equal results, and equal contents of every part."""

import json
import os
from pathlib import Path

import pytest

from tests.conformance import queue_older, queue_v1_37
from tests.conformance.compare import read

HERE = Path(__file__).parent
VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or HERE)
EXTRA = HERE / "extra"
DRIVERS = {"v1.13": queue_older, "v1.16": queue_older, "v1.20": queue_older, "v1.37": queue_v1_37}


def files(folder: Path, generation: str) -> tuple[Path, Path]:
    return folder / "scenarios" / f"queue-ops-{generation}.jsonl.gz", folder / generation / "queue-ops.jsonl.gz"


CASES = [
    pytest.param(folder, generation, id=f"{folder.name}-queue-{generation}")
    for folder in (VECTORS, EXTRA)
    for generation in DRIVERS
    if files(folder, generation)[0].exists()
]


def test_there_are_operations_of_every_queue() -> None:
    for generation in DRIVERS:
        assert any(files(folder, generation)[0].exists() for folder in (HERE, EXTRA)), generation


@pytest.mark.parametrize(("folder", "generation"), CASES)
def test_the_queue_does_what_the_real_one_does(folder: Path, generation: str) -> None:
    scenarios, expected = ([json.loads(line) for line in read(path)] for path in files(folder, generation))
    assert len(scenarios) == len(expected) > 0
    for scenario, real in zip(scenarios, expected, strict=True):
        ours = DRIVERS[generation].answer(scenario)
        for number, (mine, theirs) in enumerate(zip(ours["steps"], real["steps"], strict=True)):
            assert mine == theirs, f"{scenario['id']}, operation {number}: {scenario['ops'][number]}"
        assert ours == real
