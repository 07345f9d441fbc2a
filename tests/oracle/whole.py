"""Random scenarios for all of a default profile: what scenarios.py draws, extenders, and devices (since v1.34)."""

import itertools
import random
from collections.abc import Iterator

from tests.oracle import extenders
from tests.oracle.device_pods import asked_for
from tests.oracle.scenarios import Object, scenarios

ENDLESS = 10**9
WITH_DEVICES = ("v1.34", "v1.35", "v1.36", "v1.37")
"""The generations that allocate devices."""
WITH_GATES = ("v1.37",)
"""Those whose feature gates are modelled."""


def whole_scenarios(seed: int, generation: str) -> Iterator[Object]:
    """Scenarios without end: of ten, two with extenders and, where there are devices, three with claims."""
    plain, extended = scenarios(seed), extenders.scenarios(ENDLESS, seed)
    claiming = 3 * [_claiming(seed, generation in WITH_GATES)] if generation in WITH_DEVICES else []
    kinds = claiming + 2 * [extended]
    turns = itertools.cycle([*kinds, *(10 - len(kinds)) * [plain]])
    return (next(turn) for turn in turns)


def _claiming(seed: int, gates: bool) -> Iterator[Object]:
    for number in itertools.count():
        name = f"fuzz-devices-{seed}-{number}"
        yield asked_for(random.Random(name), name, gates=gates and number % 3 == 0)
