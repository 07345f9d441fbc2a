"""Small experiments for tests."""

import os
import signal
import time
from pathlib import Path

from kschedlab.build import node, pod
from kschedlab_experiments import Experiment, Variant
from kschedlab_experiments.arrivals.trace import Arrival, Trace

SLOW_SEED = 2


def small(seeds=range(3), pods=8, **more) -> Experiment:
    """A few pods on two nodes, default and packing."""
    return Experiment.example(nodes=3, pods=pods, seeds=seeds, **more)


class Hurting:
    """Arrivals whose run with seed 2 kills its process: each time, or until ``marker`` exists."""

    def __init__(self, marker: Path | None, parent: int) -> None:
        self.marker = marker
        self.parent = parent

    def scenario(self, seed):
        if seed == SLOW_SEED and os.getpid() != self.parent and not (self.marker and self.marker.exists()):
            if self.marker is not None:
                self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        pods = [Arrival(float(number), pod(f"p{number}", cpu=1)) for number in range(3 + seed)]
        return Trace([node("a"), node("b")], pods).scenario(seed)

    def fingerprint(self):
        return "hurting"


def hurting(marker: Path | None) -> Experiment:
    return Experiment(Hurting(marker, os.getpid()), [Variant("default"), Variant("old", generation="v1.20")], range(4))


def until(condition, seconds=30):
    """Wait for something that other processes do."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)
