"""scheduleOne: its steps in order, and the handling of unschedulable pods."""

import dataclasses
import random

import pytest
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import Plugin
from kschedlab.score.stage import Ties
from kschedlab_simulation.log import Step
from kschedlab_simulation.scheduler.context import Latencies
from packages.simulation.tests.plane import Plane, documents
from tests.course import GENERATIONS

ALL = tuple(GENERATIONS)
SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}
STEPS = {
    "v1.13": "pop schedule assumeVolumes assume bind",
    "v1.16": "pop schedule assumeVolumes reserve assume permit preBind bind postBind",
    "v1.20": "pop schedule assume reserve permit preBind bind postBind",
    "v1.37": "pop schedule assume reserve permit preBind bind postBind",
}
NO_ROOM = "0/1 nodes are available: 1 Insufficient cpu."


@pytest.mark.parametrize("generation", ALL)
def test_a_pod_goes_through_all_steps_in_order(generation: str) -> None:
    plane = Plane(node("n1"), generation=generation)
    plane.create(pod("web"))
    plane.run()
    assert plane.steps("web") == STEPS[generation].split()
    assert plane.where() == {"web": "n1"}
    assert plane.condition("web")[0] == "True"
    assert plane.events("web") == [("Scheduled", "Successfully assigned default/web to n1")]


@pytest.mark.parametrize("generation", ALL)
def test_an_unschedulable_pod_has_an_event_and_a_condition_until_it_fits(generation: str) -> None:
    plane = Plane(node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m"), generation=generation)
    plane.create(pod("web", cpu="500m"))
    plane.run()
    preemption = (
        " preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
        if generation == "v1.37"
        else ""
    )
    assert plane.condition("web") == ("False", "Unschedulable", NO_ROOM + preemption)
    assert ("FailedScheduling", NO_ROOM + preemption) in plane.events("web")
    assert plane.scheduler.context.queue.places()["default/web"].part == "unschedulable"
    plane.create(node("n2"))
    plane.run(15)
    assert plane.where()["web"] == "n2"


@pytest.mark.parametrize("generation", ALL)
def test_without_nodes_a_pod_waits(generation: str) -> None:
    plane = Plane(generation=generation)
    plane.create(pod("web"))
    plane.run()
    assert plane.condition("web") == ("False", "Unschedulable", "no nodes available to schedule pods")
    plane.create(node("n1"))
    plane.run(15)
    assert plane.where() == {"web": "n1"}


@pytest.mark.parametrize("generation", ALL)
def test_the_pod_with_the_higher_priority_is_scheduled_first(generation: str) -> None:
    plane = Plane(node("n1"), generation=generation)
    plane.create(pod("first"), pod("low", priority=1), pod("high", priority=9))
    plane.run()
    popped = [entry.pod for entry in plane.entries(Step) if entry.step == "pop"]
    assert popped == ["default/high", "default/low", "default/first"]


@pytest.mark.parametrize("generation", ALL)
def test_pods_of_another_scheduler_are_ignored(generation: str) -> None:
    plane = Plane(node("n1"), generation=generation)
    plane.create(pod("mine"), pod("other", schedulerName="another"))
    plane.run()
    assert plane.where() == {"mine": "n1", "other": ""}
    assert plane.steps("other") == []


def test_each_profile_schedules_its_own_pods() -> None:
    plain = GENERATIONS["v1.37"]
    careless = dataclasses.replace(plain, filters=())
    plane = Plane(node("n1", allocatable=SMALL), generation={"default-scheduler": plain, "careless": careless})
    big = {"cpu": "2"}
    plane.create(pod("mine", requests=big), pod("other", schedulerName="careless", requests=big))
    plane.run()
    assert plane.where() == {"mine": "", "other": "n1"}


@pytest.mark.parametrize("generation", ALL)
def test_a_pod_that_is_being_deleted_is_skipped(generation: str) -> None:
    plane = Plane(node("n1"), generation=generation)
    going = documents(pod("going"))[0]
    plane.api.create(replace(going, metadata=replace(going.metadata, finalizers=("example.com/keep",))))
    plane.delete("going")
    plane.run()
    assert plane.steps("going") == ["pop", "skip"]
    assert plane.events("going") == [("FailedScheduling", "skip schedule deleting pod: default/going")]
    assert plane.where() == {"going": ""}


@pytest.mark.parametrize("generation", ALL)
def test_the_same_seed_gives_the_same_log(generation: str) -> None:
    def run(seed: int) -> list[str]:
        plane = Plane(*(node(f"n{i}", allocatable=SMALL) for i in range(5)), generation=generation, seed=seed)
        draw = random.Random(1)
        plane.create(*(pod(f"p{i}", cpu=f"{draw.randint(1, 5)}00m", priority=i % 3) for i in range(40)))
        plane.run(40)
        return list(plane.log.lines())

    assert run(3) == run(3)
    assert (run(3) != run(4)) == (GENERATIONS[generation].ties is Ties.DRAWN)


def test_the_loop_sleeps_while_there_is_nothing_to_do() -> None:
    plane = Plane(node("n1"))
    plane.run(10)
    before = len(plane.log)
    plane.run(3600)
    assert len(plane.log) == before


def test_a_loop_that_is_stopped_takes_no_further_pod() -> None:
    plane = Plane(node("n1"))
    plane.create(pod("early"))
    plane.run()
    plane.scheduler.loop.stop()
    plane.create(pod("late"))
    plane.run(60)
    assert plane.where() == {"early": "n1", "late": ""}


def test_cycles_are_sequential_while_bindings_overlap() -> None:
    """Ten cycles of one second, each followed by a binding of five seconds."""
    plane = Plane(node("n1"), latencies=Latencies(cycle=1_000_000, bind=5_000_000))
    plane.create(*(pod(f"p{i}") for i in range(10)))
    plane.run(15.1)
    bound = [entry.at for entry in plane.entries(Step) if entry.step == "postBind"]
    popped = [entry.at for entry in plane.entries(Step) if entry.step == "pop"]
    assert [after - before for before, after in zip(popped, popped[1:], strict=False)] == [1_000_000] * 9
    assert bound == [at + 6_000_000 for at in popped]


def test_latencies_may_be_zero() -> None:
    plane = Plane(node("n1"), latencies=Latencies(cycle=0, preempt=0, bind=0, status=0, delete=0))
    plane.create(*(pod(f"p{i}") for i in range(10)))
    plane.run(0.000001)
    assert set(plane.where().values()) == {"n1"}


@pytest.mark.parametrize(
    ("generation", "problem"),
    [
        ("v1.13", "pod is already present in the activeQ"),
        ("v1.20", "pod: default/web is already present in the active queue"),
    ],
)
def test_a_pod_that_is_queued_again_during_its_cycle_is_not_returned_twice(generation: str, problem: str) -> None:
    """An update of a popped pod queues it; v1.37 keeps it apart until its cycle ends."""
    plane = Plane(node("n1", allocatable=SMALL), generation=generation, latencies=Latencies(cycle=1_000_000))
    plane.create(pod("web", cpu="2"))
    plane.run(0.5)
    web = plane.pod("web")
    plane.api.update(replace(web, metadata=replace(web.metadata, labels={"new": "label"})))
    plane.run(1)
    assert plane.details("fail") == [NO_ROOM, problem]


def test_a_plugin_error_is_reported_and_the_pod_retried() -> None:
    class Broken(Plugin):
        tries = 0

        def filter(self, pod: Pod, node: object) -> None:
            self.tries += 1
            if self.tries < 3:
                raise RuntimeError("the dog ate it")

    plane = Plane(node("n1"), plugins=[Broken()])
    plane.create(pod("web"))
    plane.run(0.5)
    message = 'running "Broken" filter plugin: RuntimeError: the dog ate it'
    assert plane.condition("web")[:2] == ("False", "SchedulerError")
    assert plane.condition("web")[2].startswith(message)
    assert plane.events("web") == [("FailedScheduling", plane.condition("web")[2])]
    plane.run(15)
    assert plane.where() == {"web": "n1"}
