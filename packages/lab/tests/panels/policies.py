"""What the panels of lesson 11 are given: numbers of three policies for eight seeds; two schedulers and three pods."""

from __future__ import annotations

from dataclasses import dataclass
from json import dumps

from kschedlab.build import as_yaml, node, pod
from kschedlab.generations import V1_37, Generation
from kschedlab_lab.exercises.experiments import packing
from kschedlab_simulation.timeline.scenario import Scenario, loads_scenario

NUMBERS = {
    "default": [62.5, 71.0, 58.0, 80.5, 66.0, 75.0, 69.5, 61.0],
    "packing": [66.0, 75.5, 61.0, 85.0, 69.0, 76.5, 75.0, 64.5],
    "lucky": [64.0, 69.5, 59.0, 80.0, 68.0, 74.0, 68.5, 62.0],
}


@dataclass(frozen=True)
class Named:
    """A generation as a scheduler."""

    name: str
    generation: Generation

    def profiles(self) -> Generation:
        return self.generation


class Three:
    """Two nodes, and three pods: two small ones, and one that needs all CPUs of a node."""

    def scenario(self, seed: int) -> Scenario:  # noqa: ARG002  # the same for every seed
        nodes = as_yaml([node("node-a", 4), node("node-b", 4)])
        pods = [
            pod(name, "", cpu, memory=f"{2 * cpu}Gi") for name, cpu in (("small-0", 1), ("small-1", 1), ("large-2", 4))
        ]
        timeline = [{"at": f"{second}s", "create": each} for second, each in enumerate(pods, 1)]
        return loads_scenario(f"{nodes}---\n{dumps({'timeline': timeline})}")


BOTH = Named("default", V1_37), Named("packing", packing())
