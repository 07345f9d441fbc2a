"""A control plane for tests: a clock, an API server, one scheduler, and their log."""

import random
from collections.abc import Iterable
from typing import Any, TypeVar

import simpy

from kschedlab.build import Manifest
from kschedlab.generations import LATEST, Generation, Profiles
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab_simulation.log import Log, LogEntry, Moved, Recorded, Step
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.kube_scheduler import DEFAULT_LATENCIES, KubeScheduler
from kschedlab_simulation.server.api import ApiServer
from tests.course import GENERATIONS

T = TypeVar("T", bound=LogEntry)

SECOND = 1_000_000
NOON = 1_700_000_000 * SECOND


class Plane:
    """``manifests``: the initial objects. Times are seconds since the start."""

    def __init__(
        self,
        *manifests: Manifest,
        generation: str | Profiles = LATEST,
        seed: int | None = None,
        plugins: Iterable[object] = (),
        latencies: Latencies = DEFAULT_LATENCIES,
        **more: Any,
    ) -> None:
        self.env = simpy.Environment(initial_time=NOON)
        self.log = Log()
        profiles = GENERATIONS[generation] if isinstance(generation, str) else generation
        first = profiles if isinstance(profiles, Generation) else next(iter(profiles.values()))
        self.api = ApiServer(self.env, self.log, first.api)
        for document in documents(*manifests):
            self.api.restore(document)
        rng = None if seed is None else random.Random(seed)
        self.scheduler = KubeScheduler(
            self.env, self.api, profiles, self.log, rng=rng, plugins=plugins, latencies=latencies, **more
        )
        self.scheduler.start()

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return (self.env.now - NOON) / SECOND

    def run(self, seconds: float = 1) -> None:
        """Run for that many seconds."""
        self.env.run(until=self.env.now + int(seconds * SECOND))

    def create(self, *manifests: Manifest) -> None:
        """Create these objects."""
        for document in documents(*manifests):
            self.api.create(document, by="test")

    def pod(self, name: str) -> Pod:
        """The pod in the API server."""
        return self.api.get(Pod, "default", name)

    def node(self, name: str) -> Node:
        """The node in the API server."""
        return self.api.get(Node, "", name)

    def delete(self, name: str, grace: int | None = None) -> None:
        """Delete the pod."""
        self.api.delete(Pod, "default", name, grace, by="test")

    def exists(self, name: str) -> bool:
        """Whether the pod exists."""
        return any(pod.metadata.name == name for pod in self.api.list(Pod)[0])

    def where(self) -> dict[str, str]:
        """The node of each pod by name; "" if it has none."""
        return {pod.metadata.name: pod.spec.nodeName for pod in self.api.list(Pod)[0]}

    def steps(self, name: str) -> list[str]:
        """The names of the scheduler's steps for the pod."""
        return [entry.step for entry in self.entries(Step) if entry.pod == f"default/{name}"]

    def details(self, step: str) -> list[str]:
        """The details of all steps of that name."""
        return [entry.detail for entry in self.entries(Step) if entry.step == step]

    def moves(self, name: str) -> list[tuple[str, str]]:
        """The pod's moves in the queue: (part, reason)."""
        return [(entry.to, entry.event) for entry in self.entries(Moved) if entry.pod == f"default/{name}"]

    def events(self, name: str) -> list[tuple[str, str]]:
        """(reason, message) of the events about the pod."""
        return [(entry.reason, entry.message) for entry in self.entries(Recorded) if entry.key == f"default/{name}"]

    def condition(self, name: str) -> tuple[str, str, str]:
        """(status, reason, message) of the pod's condition PodScheduled."""
        found = next(c for c in self.pod(name).status.conditions if c.type == "PodScheduled")
        return found.status, found.reason, found.message

    def entries(self, kind: type[T]) -> list[T]:
        """The log's entries of that type."""
        return [entry for entry in self.log if isinstance(entry, kind)]


def documents(*manifests: Manifest) -> list[ApiObject]:
    """The objects of the manifests: nodes, then the other kinds, pods last."""
    return sorted(decode_objects(manifests), key=lambda one: isinstance(one, Pod))
