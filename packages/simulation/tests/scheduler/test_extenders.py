"""Extenders in a running scheduler: they bind, their refusals are requeued, and they end preemption."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kschedlab.build import node, pod
from kschedlab.generations import Generation
from kschedlab.objects.model import Node, Pod
from kschedlab_configuration.extenders.plain import as_extender
from kschedlab_simulation.log import Changed
from kschedlab_simulation.scheduler.context import BIND
from packages.simulation.tests.plane import Plane
from tests.course import GENERATIONS

ALL = tuple(GENERATIONS)


class Binder:
    """Binds, or fails with the given text."""

    def __init__(self, fault: str = "", **attributes: Any) -> None:
        self.name, self.fault, self.asked = "binder", fault, list[str]()
        self.__dict__ |= attributes

    def bind(self, pod: Pod, node: str) -> None:
        self.asked.append(f"{pod.metadata.name} to {node}")
        if self.fault:
            raise RuntimeError(self.fault)


class Closed:
    """Refuses every node while it is closed."""

    closed = True

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, str]:
        return {node.metadata.name: "closed" for node in nodes} if self.closed else {}


def plane(generation: str, *extenders: object) -> Plane:
    return Plane(node("n1"), generation=Generation.named(generation).extended_by(*map(as_extender, extenders)))


@pytest.mark.parametrize("generation", ALL)
def test_an_extender_binds_instead_of_the_scheduler(generation: str) -> None:
    binder = Binder()
    world = plane(generation, binder)
    world.create(pod("web"))
    world.run()
    assert world.where() == {"web": "n1"} and binder.asked == ["web to n1"]
    assert "binder" in {change.by for change in world.entries(Changed)}
    assert ("Scheduled", "Successfully assigned default/web to n1") in world.events("web")


@pytest.mark.parametrize("generation", ALL)
def test_the_error_of_a_binder_is_the_pods(generation: str) -> None:
    world = plane(generation, Binder("full"))
    world.create(pod("web"))
    world.run()
    assert world.where() == {"web": ""}
    message = next(message for reason, message in world.events("web") if reason == "FailedScheduling")
    assert "binder: RuntimeError: full" in message
    assert [each for each in world.details(BIND) if each.startswith("binder: ") and "full" in each], "the log names it"
    assert message.lower().startswith("binding rejected: ") == (generation != "v1.37")


@pytest.mark.parametrize("generation", [*ALL, "v1.28", "v1.30"])
def test_an_ignorable_binder_gives_way_since_v1_30(generation: str) -> None:
    """v1.30: schedule_one.go, extendersBinding."""
    world = plane(generation, Binder("full", ignorable=True))
    world.create(pod("web"))
    world.run()
    assert world.where() == {"web": "n1" if generation in ("v1.30", "v1.37") else ""}


@pytest.mark.parametrize("generation", ALL)
def test_v1_13_asks_only_the_first_binder(generation: str) -> None:
    other, own = Binder(managed_resources=["example.com/gpu"]), Binder()
    world = plane(generation, other, own)
    world.create(pod("web"))
    world.run()
    assert world.where() == {"web": "n1"} and not other.asked
    assert own.asked == ([] if generation == "v1.13" else ["web to n1"])


@pytest.mark.parametrize("generation", ALL)
def test_any_event_requeues_a_pod_that_an_extender_refused(generation: str) -> None:
    extender = Closed()
    world = plane(generation, extender)
    world.create(pod("web"))
    world.run()
    assert world.where() == {"web": ""} and world.condition("web")[2].startswith("0/1 nodes are available: 1 closed.")
    extender.closed = False
    world.create(node("n2"))
    world.run(12)
    assert world.where()["web"]


def test_an_error_in_preemption_keeps_the_nomination() -> None:
    running, coming = pod("low", "n1", priority=1), pod("web", priority=5, nominated="n1")
    closed = Generation.named("v1.37").extended_by(as_extender(Closed()))
    world = Plane(node("n1"), running, coming, generation=closed)
    world.run()
    assert world.condition("web")[2] == (
        '0/1 nodes are available: 1 closed. preemption: expected at least one victim pod on node "n1"'
    )
    assert world.pod("web").status.nominatedNodeName == "n1"
