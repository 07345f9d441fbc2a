"""Reads the files of a plan: a cluster, with the pods that its workloads have yet to create, and pods to plan for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Profiles
from kschedlab.objects.model import ApiObject, Node, StatefulSet
from kschedlab_planning.workloads import Workload, without_pods, workloads
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import load_scenario

Warn = Callable[[str], None]


class Read(NamedTuple):
    """The cluster, and all objects of the files, also those that a scheduler does not read."""

    cluster: Cluster
    objects: list[ApiObject]


def read_cluster(files: Iterable[str], profiles: Profiles, warn: Warn, *, strict: bool) -> Read:
    """The cluster in the files. ManifestError.

    If a workload among them has no pods yet, the cluster is as a simulation of its controllers leaves it.
    """
    objects = read_objects(files, profiles, warn, strict=strict)
    simulation = Simulation(objects, profiles)
    if waiting := without_pods(objects):
        names = ", ".join(f"{type(each).__name__} {each.metadata.name}" for each in waiting[:3])
        warn(f"{names}{' and others' * (len(waiting) > 3)}: a simulation creates the pods first")
        simulation.run()
    return Read(simulation.cluster, objects)


def read_workloads(files: Iterable[str], there: Iterable[ApiObject], profiles: Profiles, warn: Warn) -> list[Workload]:
    """The pods and workloads to plan for; ``there``: what the cluster has already. ManifestError."""
    objects = read_objects(files, profiles, warn)
    for each in objects:
        if isinstance(each, StatefulSet) and each.spec.volumeClaimTemplates:
            warn(f"StatefulSet {each.metadata.name}: the claims that it would create are left out of the plan")
    return workloads(objects, there)


def read_nodes(files: Iterable[str], profiles: Profiles, warn: Warn) -> list[Node]:
    """The nodes in the files. ManifestError."""
    return [each for each in read_objects(files, profiles, warn) if isinstance(each, Node)] if files else []


def read_objects(files: Iterable[str], profiles: Profiles, warn: Warn, *, strict: bool = False) -> list[ApiObject]:
    """The objects as the API server admits them. ManifestError. A timeline in the files is left out with a warning."""
    scenario = load_scenario(*files, strict=strict)
    for line in scenario.report.lines():
        warn(line)
    if scenario.entries:
        warn(f"the timeline is left out: {len(scenario.entries):,} entries")
    return Simulation(scenario.objects, profiles).objects
