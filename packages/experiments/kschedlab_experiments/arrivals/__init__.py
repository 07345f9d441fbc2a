"""What the schedulers of an experiment are given: the same objects and the same pods, at the same times, for a seed.

Everything here has ``scenario(seed)``, which gives what a simulation runs, and ``fingerprint()``, which tells one
input from another. Any object with these two methods is one, too.
"""

from __future__ import annotations

from typing import Protocol

from kschedlab_simulation.timeline.scenario import Scenario


class Arrivals(Protocol):
    """The input of a run, which depends on the seed alone."""

    def scenario(self, seed: int) -> Scenario:
        """The objects and the timeline of the run with this seed."""
        ...

    def fingerprint(self) -> str:
        """A text that is equal only for equal input: runs of another one are not continued."""
        ...
