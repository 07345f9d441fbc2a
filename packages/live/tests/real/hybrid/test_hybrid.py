"""The real kube-scheduler and ours, on the same served cluster: they place, order, say and report the same.

The scenarios run at the speed of the clock on the wall, several at once: KSCHEDLAB_HYBRID sets how many (default: 4).
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import pytest

from packages.live.tests.real.binaries import binary
from packages.live.tests.real.hybrid.outcome import differences
from packages.live.tests.real.hybrid.play import ours, real
from packages.live.tests.real.hybrid.random_scenarios import random_scenarios
from packages.live.tests.real.hybrid.themes import THEMES

SEED = int(os.environ.get("KSCHEDLAB_SEED", "0"))
RANDOM = int(os.environ.get("KSCHEDLAB_RANDOM", "14"))
SEEDS = 12
"""Of ours; where the real scheduler chooses at random, one of them has to agree."""

RACES = {
    "09-sts-wffc": "a StatefulSet creates a claim and its pod, and two watches bring them in any order",
    "15-uncordon-race": "the node controller takes the taint away a moment after the node is uncordoned; "
    "meanwhile the pod of the lowest priority, p-one, may get the place and lose it",
    "cordon and uncordon": "the same",
}
"""Scenarios in which two programs race: what was said on the way differs, but not where pods go."""

FILES = {path.stem: path.read_text() for path in sorted(Path(__file__).with_name("scenarios").glob("*.yaml"))}
NAMES = [*FILES, *THEMES, *(f"random {i}" for i in range(RANDOM))]


def scenarios() -> dict[str, str]:
    found = {f"random {i}": text for i, (_, text) in enumerate(islice(random_scenarios(SEED), RANDOM))}
    return FILES | THEMES | found


def play(text: str, program: Path, folder: Path) -> list[str]:
    """The differences: none, or those from the seed of ours that is nearest.

    Where they differ, the real scheduler plays again: what differs between two of its own runs is a race.
    """
    found = _compared(text, program, folder)
    if found:
        (folder / "again").mkdir()
        found = _compared(text, program, folder / "again")
    return found


def _compared(text: str, program: Path, folder: Path) -> list[str]:
    _, lasts = ours(text, 0)
    outcome = real(text, program, folder, lasts)
    best: list[str] | None = None
    for seed in range(SEEDS):
        found = differences(outcome, ours(text, seed)[0])
        if not found:
            return []
        best = found if best is None or len(found) < len(best) else best
    return best or []


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Every scenario, being played."""
    program = binary("kube-scheduler")
    at_once = int(os.environ.get("KSCHEDLAB_HYBRID", "4"))
    with ProcessPoolExecutor(at_once, get_context("spawn")) as pool:
        found: dict[str, Future[list[str]]] = {}
        for name, text in scenarios().items():
            found[name] = pool.submit(play, text, program, tmp_path_factory.mktemp("hybrid"))
        yield found
        pool.shutdown(cancel_futures=True)


def test_there_are_enough_scenarios():
    assert len(NAMES) >= 40 and len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_both_schedulers_do_the_same(played, name):
    found = played[name].result()
    if name in RACES:
        found = [each for each in found if each.startswith(("placements", "finally", "order")) and " p-one" not in each]
    assert not found, f"{name}:\n" + "\n".join(found)
