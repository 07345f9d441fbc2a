"""The same operations on the real queues and on ours: the same results, and the same content of every part."""

import json
import os
from pathlib import Path

import pytest

from tests.conformance import queue_older, queue_v1_37
from tests.conformance.compare import read

HERE = Path(__file__).parent
VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or HERE)
CASES = [
    pytest.param(VECTORS, "v1.13", queue_older, id="queue-v1.13"),
    pytest.param(HERE / "extra", "v1.16", queue_older, id="queue-v1.16"),
    pytest.param(HERE / "extra", "v1.20", queue_older, id="queue-v1.20"),
    pytest.param(VECTORS, "v1.37", queue_v1_37, id="queue-v1.37"),
]


@pytest.mark.parametrize(("folder", "generation", "driver"), CASES)
def test_the_queue_does_what_the_real_one_does(folder, generation, driver) -> None:
    scenarios = [json.loads(line) for line in read(folder / "scenarios" / f"queue-ops-{generation}.jsonl.gz")]
    expected = [json.loads(line) for line in read(folder / generation / "queue-ops.jsonl.gz")]
    assert len(scenarios) == len(expected) > 0
    for scenario, real in zip(scenarios, expected, strict=True):
        ours = driver.answer(scenario)
        for number, (mine, theirs) in enumerate(zip(ours["steps"], real["steps"], strict=True)):
            assert mine == theirs, f"{scenario['id']}, operation {number}: {scenario['ops'][number]}"
        assert ours == real
