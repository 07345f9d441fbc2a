"""Arrivals drawn from a seed: a Poisson process, one with the rhythm of a day, and bursts."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from kschedlab.build import Manifest
from kschedlab.objects.problems import InputValueError
from kschedlab_experiments.arrivals.trace import Arrival, scenario_of
from kschedlab_simulation.timeline.scenario import Scenario, Settings


class Pattern(Protocol):
    """When pods arrive."""

    def times(self, rng: random.Random) -> Iterator[float]:
        """Seconds after the start, in order, without end."""
        ...


@dataclass(frozen=True)
class Poisson:
    """Pods arrive independently of each other: ``rate`` a second on average."""

    rate: float

    def times(self, rng: random.Random) -> Iterator[float]:
        at = 0.0
        while True:
            at += rng.expovariate(_positive(self.rate, "rate"))
            yield at


@dataclass(frozen=True)
class Diurnal:
    """A Poisson process with the rhythm of a day: ``rate * (1 - swing * cos(2π t / day))``, least at its start.

    ``swing``: from 0 (none) to 1 (no pods at night); ``day``: in seconds.
    """

    rate: float
    swing: float = 0.8
    day: float = 86_400

    def times(self, rng: random.Random) -> Iterator[float]:
        if not 0 <= self.swing <= 1:
            raise InputValueError("swing is {swing}: expected a number from 0 to 1", swing=self.swing)
        for at in Poisson(self.rate * (1 + self.swing)).times(rng):  # thinned
            now = 1 - self.swing * math.cos(2 * math.pi * at / _positive(self.day, "day"))
            if rng.random() * (1 + self.swing) < now:
                yield at


@dataclass(frozen=True)
class Bursts:
    """``size`` pods at once: at the start, and then ``every`` so many seconds on average (a Poisson process)."""

    size: int
    every: float

    def times(self, rng: random.Random) -> Iterator[float]:
        at = 0.0
        while True:
            yield from [at] * int(_positive(self.size, "size"))
            at += rng.expovariate(1 / _positive(self.every, "every"))


@dataclass(frozen=True)
class Generated:
    """So many pods, drawn from ``templates`` by their weights, at the times of a pattern.

    ``objects``: manifests of what is there from the start. ``templates``: the manifest of a pod by name, whose pods
    are called ``NAME-NUMBER``. ``weights``: of the templates, 1 each by default. ``seconds``: the mean time for which
    a pod runs (exponentially distributed), by template or for all; None: for ever.
    """

    objects: Sequence[Manifest]
    templates: Mapping[str, Manifest]
    pattern: Pattern
    pods: int
    weights: Mapping[str, float] | None = None
    seconds: float | Mapping[str, float] | None = None
    settings: Settings = Settings()

    def scenario(self, seed: int) -> Scenario:
        """The scenario with this seed. ManifestError if a manifest has faults."""
        return scenario_of(self.objects, self.arrivals(seed), self.settings)

    def arrivals(self, seed: int) -> list[Arrival]:
        """The pods that arrive with this seed."""
        rng = random.Random(f"arrivals/{seed}")
        names = list(self.templates)
        weights = [1.0 if self.weights is None else self.weights.get(name, 0) for name in names]
        times = islice(self.pattern.times(rng), self.pods)
        return [self._arrival(rng, number, at, names, weights) for number, at in enumerate(times)]

    def _arrival(self, rng: random.Random, number: int, at: float, names: list[str], weights: list[float]) -> Arrival:
        name = rng.choices(names, weights)[0]
        template = self.templates[name]
        pod = {**template, "metadata": {**template.get("metadata", {}), "name": f"{name}-{number}"}}
        mean = self.seconds.get(name) if isinstance(self.seconds, Mapping) else self.seconds
        return Arrival(at, pod, None if mean is None else rng.expovariate(1 / _positive(mean, "seconds")))

    def fingerprint(self) -> str:
        """A digest of what it draws from."""
        parts = [self.objects, [*self.templates.items()], repr(self.pattern), self.pods, self.weights, self.seconds]
        text = json.dumps([*parts, repr(self.settings)], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()


def _positive(number: float, name: str) -> float:
    if not number > 0:
        raise InputValueError("{name} is {number}: expected a number above 0", name=name, number=number)
    return number
