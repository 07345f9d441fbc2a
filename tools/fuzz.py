"""Random scenarios through kschedlab and the real schedulers: ``python -m tools.fuzz PROGRAMS``.

    sh tests/oracle/build.sh PROGRAMS                    builds the real schedulers' programs (Go; some minutes)
    python -m tools.fuzz PROGRAMS --seconds 600          every generation that has a program there, until the time is up
    python -m tools.fuzz PROGRAMS --seed 7 --count 20000 --generation v1.37

A scenario that the two answer differently is shrunk until nothing more can go (or half a minute after the time is up),
and written to tests/conformance/extra: it is a test from then on. Exit status 1 if there was one. A scenario has no
verdict, is not compared, and counts apart if the real scheduler panics or hangs, if its time limit ends a search for
devices, or if it answers in several ways: v1.34 and v1.35 search pools in the order of a Go map. Of those, ours must be
one of the answers to the same question, asked up to 20 times.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kschedlab.generations import GENERATIONS
from kschedlab.program.decide import decide_lines
from tests.conformance.compare import differences
from tests.oracle.whole import whole_scenarios

FOUND = Path(__file__).parents[1] / "tests/conformance/extra"
BATCH = 250
"""Scenarios that a program gets at once: it needs a moment to start, and answers them in some seconds."""
FIRST = 8
"""Scenarios that it gets first when one is shrunk: often one of them will do."""
PATIENCE = 120
"""Seconds after which a program that has not answered a batch is stuck."""
SHRINKING = 30
"""Seconds that a difference is shrunk for after the time is up."""
TIMED_OUT = "timed out trying to allocate devices"
"""The verdict when a search takes longer than the time limit: how far it comes depends on the machine."""
TRIES = 20
"""How often the real scheduler is asked about a scenario that differs: its answer may depend on the order of a map."""
SPACIOUS = {**os.environ, "GOGC": "800"}
"""The programs' environment: Go collects its garbage seldom."""

Scenario = dict[str, Any]


@dataclass(frozen=True)
class Judges:
    """A generation here, and the program of the real one."""

    generation: str
    program: Path
    patience: float = PATIENCE

    def real(self, asked: list[Scenario]) -> list[Scenario]:
        """The real scheduler's verdicts. Where it panics or hangs there is none, and it starts anew with the next."""
        verdicts: list[Scenario] = []
        while asked:
            output = self._output(b"".join(json.dumps(each).encode() + b"\n" for each in asked))
            answered = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
            verdicts += answered
            asked = asked[len(answered) + 1 :]
        return verdicts

    def _output(self, lines: bytes) -> bytes:
        try:
            return subprocess.run(
                [self.program],
                input=lines,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=SPACIOUS,
                check=False,
                timeout=self.patience,
            ).stdout
        except subprocess.TimeoutExpired as stuck:
            return stuck.stdout or b""

    def different(self, asked: list[Scenario]) -> tuple[dict[str, set[str]], int]:
        """By the ids of the scenarios that the two answer differently, the parts; how many the real one answered."""
        with ThreadPoolExecutor(1) as beside:
            real = beside.submit(self.real, asked)
            lines = decide_lines((json.dumps(each).encode() for each in asked), self.generation)
            ours = [json.loads(line) for line in lines]
        verdicts = real.result()
        found: dict[str, set[str]] = {}
        certain = [each for each in verdicts if TIMED_OUT not in json.dumps(each)]
        for each in differences(certain, ours):
            found.setdefault(each.id, set()).add(each.part)
        return found, len(certain)

    def always_different(self, asked: Scenario) -> bool:
        """Whether none of many answers of the real one is ours."""
        return all(self.different([asked])[0] for _ in range(TRIES))


def shrunk(scenario: Scenario, judges: Judges, until: float = math.inf) -> Scenario:
    """The smallest scenario found until then that differs in the same parts only, by leaving out one part at a time."""
    (parts,) = judges.different([scenario])[0].values()
    place = 0  # where to go on: what was needed before is asked about last
    while True:
        smaller = [{**each, "id": str(number)} for number, each in enumerate(_without_a_part(scenario))]
        smaller = smaller[place:] + smaller[:place]
        start = 0
        while start < len(smaller):
            if time.monotonic() > until:
                return scenario
            end = start + min(max(start, FIRST), BATCH)
            found = judges.different(smaller[start:end])[0]
            same = next((each for each, differing in found.items() if differing <= parts), None)
            if same is not None:
                place = int(same)
                scenario = next({**each, "id": scenario["id"]} for each in smaller if each["id"] == same)
                break
            start = end
        else:
            return scenario


def _without_a_part(scenario: Scenario) -> Iterator[Scenario]:
    """Copies that lack one object, or one field or item in an object; what an object is called stays."""
    objects = scenario["objects"]
    for number, each in enumerate(objects):
        name = f"{each['metadata'].get('namespace', '')}/{each['metadata']['name']}"
        if each["kind"] != "Pod" or name != scenario["pod"]:
            yield {**scenario, "objects": objects[:number] + objects[number + 1 :]}
    for number, each in enumerate(objects):
        for less in _less(each):
            if less.get("apiVersion") and less.get("kind") and less.get("metadata", {}).get("name"):
                yield {**scenario, "objects": [*objects[:number], less, *objects[number + 1 :]]}


def _less(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inside in value.items():
            yield {name: each for name, each in value.items() if name != key}
            yield from ({**value, key: less} for less in _less(inside))
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            yield value[:number] + value[number + 1 :]
            yield from ([*value[:number], less, *value[number + 1 :]] for less in _less(inside))


def keep(scenario: Scenario, judges: Judges, tests: Path = FOUND) -> Path:
    """Write it as a test: the scenario and the real scheduler's verdict."""
    (verdict,) = judges.real([scenario])
    name = f"found-{scenario['id']}-{judges.generation}.jsonl.gz"
    for folder, content in (("scenarios", scenario), (judges.generation, verdict)):
        (tests / folder).mkdir(exist_ok=True)
        (tests / folder / name).write_bytes(gzip.compress(json.dumps(content).encode() + b"\n", mtime=0))
    return tests / "scenarios" / name


def compared(judges: Judges, seed: int, count: int | None, seconds: float) -> tuple[int, int, int]:
    """Compare until either is reached. How many scenarios both answered, how many differ, how many had no verdict."""
    endless, end = whole_scenarios(seed, judges.generation), time.monotonic() + seconds
    answered = differ = unanswered = 0
    while (count is None or answered < count) and time.monotonic() < end:
        batch = list(itertools.islice(endless, BATCH if count is None else min(BATCH, count - answered)))
        found, number = judges.different(batch)
        doubtful = [each for each in batch if each["id"] in found]
        certain = [each for each in doubtful if judges.always_different(each)]
        for each in certain:
            small = shrunk(each, judges, end + SHRINKING)
            print(f"{judges.generation} differs: {keep(small, judges)}", flush=True)
        number -= len(doubtful) - len(certain)
        answered, differ, unanswered = answered + number, differ + len(certain), unanswered + len(batch) - number
    return answered, differ, unanswered


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="folder with the programs that tests/oracle/build.sh builds")
    parser.add_argument("--seconds", type=float, default=600, help="for all generations together (default: 600)")
    parser.add_argument("--count", type=int, help="scenarios of each generation, if they end before the time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--generation", action="append", choices=list(GENERATIONS), help="default: all")
    options = parser.parse_args()
    names = options.generation or list(GENERATIONS)
    judges = [Judges(name, options.programs / f"oracle_{name[1:].replace('.', '_')}") for name in names]
    absent = [str(each.program) for each in judges if not each.program.exists()]
    if absent:
        parser.error(f"no {', '.join(absent)}: sh tests/oracle/build.sh {options.programs}")
    failed = False
    for each in judges:
        answered, differ, unanswered = compared(each, options.seed, options.count, options.seconds / len(judges))
        print(f"{each.generation}: {answered:,} scenarios compared, {differ} differ; ", end="")
        print(f"{unanswered} others have no certain verdict", flush=True)
        failed |= differ > 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
