"""After any sequence of events, the scheduler's cache equals the API server's state, and no pod is lost."""

import random
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.objects.model import Node, Pod
from kschedlab.plugins.framework import Plugin, Wait
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.plane import SECOND, Plane
from tests.cluster import checking
from tests.course import GENERATIONS
from tests.samples import sampled

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "8"}


class Flaky(Plugin):
    """Fails, refuses, delays."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.fails = True

    def reserve(self, pod: Pod, node: str) -> str | None:
        return self._maybe()

    def permit(self, pod: Pod, node: str) -> Wait | str | None:
        return Wait(self.draw.random() * 20) if self.fails and self.draw.random() < 0.2 else self._maybe()

    def pre_bind(self, pod: Pod, node: str) -> Any:
        yield self.handle.sleep(self.draw.random() * 3)
        return self._maybe()

    def _maybe(self) -> str | None:
        number = self.draw.random()
        if self.fails and number < 0.03:
            raise RuntimeError("flaky")
        return "not now" if self.fails and number < 0.06 else None


class Chaos:
    """Random requests to the API server."""

    def __init__(self, plane: Plane, draw: random.Random) -> None:
        self.plane, self.draw = plane, draw
        self.count = 0

    def act(self) -> None:
        acts = (self.create, self.delete, self.label, self.cordon, self.new_node, self.lose_node, self.end, self.cut)
        act = self.draw.choices(acts, (35, 15, 5, 5, 5, 3, 3, 2))[0]
        with suppress(ApiError, IndexError):
            act()
        for one in self.pods():
            if one.metadata.deletionTimestamp is not None and self.draw.random() < 0.3:
                self.plane.delete(one.metadata.name, grace=0)

    def pods(self) -> list[Pod]:
        return self.plane.api.list(Pod)[0]

    def create(self) -> None:
        self.count += 1
        cpu, priority = f"{self.draw.randint(1, 30)}00m", self.draw.choice([0, 0, 10, 100])
        self.plane.create(pod(f"p{self.count}", cpu=cpu, priority=priority))

    def delete(self) -> None:
        self.plane.delete(self.draw.choice(self.pods()).metadata.name, self.draw.choice([None, 0]))

    def label(self) -> None:
        one = self.draw.choice(self.pods())
        self.plane.api.update(replace(one, metadata=replace(one.metadata, labels={"now": str(self.plane.env.now)})))

    def cordon(self) -> None:
        one = self.draw.choice(self.plane.api.list(Node)[0])
        self.plane.api.update(replace(one, spec=replace(one.spec, unschedulable=not one.spec.unschedulable)))

    def new_node(self) -> None:
        self.plane.create(node(f"n{self.plane.env.now}", allocatable=ROOM))

    def lose_node(self) -> None:
        nodes = self.plane.api.list(Node)[0]
        if len(nodes) > 2:
            self.plane.api.delete(Node, "", self.draw.choice(nodes).metadata.name)

    def end(self) -> None:
        one = self.draw.choice([one for one in self.pods() if one.spec.nodeName])
        self.plane.api.patch_status(Pod, "default", one.metadata.name, phase="Succeeded")

    def cut(self) -> None:
        informers = self.plane.scheduler.informers
        (informers.of(Pod) if self.draw.random() < 0.5 else informers.of(Node)).disconnect(
            self.draw.randint(0, 3 * SECOND)
        )

    def calm(self) -> None:
        for one in self.pods():
            if one.metadata.deletionTimestamp is not None:
                self.plane.delete(one.metadata.name, grace=0)
        self.plane.run(400)


@pytest.mark.parametrize("seed", sampled(range(3), 1))
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_schedulers_cache_converges_to_the_servers_state(generation: str, seed: int) -> None:
    draw = random.Random(seed)
    flaky = Flaky(draw)
    plugins = [flaky] if generation != "v1.13" and seed % 2 else []
    latencies = Latencies(watch=draw.choice([0, 5_000]))
    nodes = (node(f"m{i}", allocatable=ROOM) for i in range(3))
    plane = Plane(*nodes, generation=generation, seed=seed, plugins=plugins, latencies=latencies)
    chaos = Chaos(plane, draw)
    for _ in range(200):
        chaos.act()
        plane.run(draw.choice([0.0005, 0.003, 0.1, 1, 5]))
    flaky.fails = False
    chaos.calm()
    chaos.calm()
    check(plane)


def check(plane: Plane) -> None:
    """The scheduler's cache and queue hold what the API server does."""
    context = plane.scheduler.context
    cluster = context.cache.cluster()
    checking.check(cluster)
    assert set(cluster.names) == {one.metadata.name for one in plane.api.list(Node)[0]}
    lives = [one for one in plane.api.list(Pod)[0] if one.status.phase not in ("Succeeded", "Failed")]
    on_nodes = {one.key for one in lives if one.spec.nodeName}
    waiting = {one.key for one in lives if not one.spec.nodeName}
    assert set(cluster.pods.row_of) | set(cluster.without_node) == on_nodes
    assert set(context.queue.places()) == waiting
    assert context.cache.sizes()["assumed_pods"] == 0
    assert list(context.waiting) == []
