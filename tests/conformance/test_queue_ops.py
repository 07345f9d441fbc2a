"""The same operations on the real queues and on ours: the same results, and the same content of every part."""

import json
import os
from pathlib import Path

import pytest

from tests.conformance import queue_older
from tests.conformance.compare import read

HERE = Path(__file__).parent
VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or HERE)
DRIVERS = {"v1.13": queue_older.answer}


@pytest.mark.parametrize("generation", DRIVERS)
def test_the_queue_does_what_the_real_one_does(generation: str) -> None:
    scenarios = [json.loads(line) for line in read(VECTORS / "scenarios" / f"queue-ops-{generation}.jsonl.gz")]
    expected = [json.loads(line) for line in read(VECTORS / generation / "queue-ops.jsonl.gz")]
    assert len(scenarios) == len(expected) > 0
    for scenario, real in zip(scenarios, expected, strict=True):
        ours = DRIVERS[generation](scenario)
        for number, (mine, theirs) in enumerate(zip(ours["steps"], real["steps"], strict=True)):
            assert mine == theirs, f"{scenario['id']}, operation {number}: {scenario['ops'][number]}"
        assert ours == real
