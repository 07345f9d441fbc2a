"""The same operations on the real queue of v1.37 and on ours: the same results, and the same content of every part."""

import gzip
import json
import os
from pathlib import Path

from tests.conformance.queue_v1_37 import answer

HERE = Path(__file__).parent
VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or HERE)


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def test_the_queue_of_v1_37_does_what_the_real_one_does() -> None:
    scenarios = read(VECTORS / "scenarios" / "queue-ops-v1.37.jsonl.gz")
    expected = read(VECTORS / "v1.37" / "queue-ops.jsonl.gz")
    assert len(scenarios) == len(expected) > 0
    for scenario, real in zip(scenarios, expected, strict=True):
        ours = answer(scenario)
        for number, (mine, theirs) in enumerate(zip(ours["steps"], real["steps"], strict=True)):
            assert mine == theirs, f"{scenario['id']}, operation {number}: {scenario['ops'][number]}"
        assert ours == real
