"""The devices of v1.37's allocator: its authors' own test cases, and random clusters."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.oracle.devices import SLOW, ours

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("name", "scenarios", "allocated"), [("authors", 223, 133), ("random", 350, 89), ("gates", 303, 84)]
)
def test_the_answers_are_those_of_the_real_allocator(name: str, scenarios: int, allocated: int) -> None:
    recorded = [json.loads(line) for line in gzip.decompress((DATA / f"{name}.jsonl.gz").read_bytes()).splitlines()]
    answers = [answer for each in recorded for answer in each["nodes"].values()]
    assert (len(recorded), sum("results" in each for each in answers)) == (scenarios, allocated)
    for each in recorded:
        found = ours(each)
        for node, answer in each["nodes"].items():
            assert answer.get("error") == SLOW or found[node] == answer, f"{each['id']} on {node}"
