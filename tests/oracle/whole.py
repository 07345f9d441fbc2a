"""Random scenarios for all that a default profile has: what scenarios.py draws, extenders, and devices (v1.37)."""

import itertools
import random
from collections.abc import Iterator

from tests.oracle import extenders
from tests.oracle.device_pods import asked_for
from tests.oracle.scenarios import Object, scenarios

ENDLESS = 10**9
WITH_DEVICES = ("v1.37",)
"""The generations that allocate devices."""


def whole_scenarios(seed: int, generation: str) -> Iterator[Object]:
    """Scenarios without end: of ten, two with extenders and, where there are devices, three with claims."""
    plain, extended, claiming = scenarios(seed), extenders.scenarios(ENDLESS, seed), _claiming(seed)
    kinds = (3 * [claiming] if generation in WITH_DEVICES else []) + 2 * [extended]
    turns = itertools.cycle([*kinds, *(10 - len(kinds)) * [plain]])
    return (next(turn) for turn in turns)


def _claiming(seed: int) -> Iterator[Object]:
    for number in itertools.count():
        name = f"fuzz-devices-{seed}-{number}"
        yield asked_for(random.Random(name), name, gates=number % 3 == 0)
