import pytest
import simpy
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.objects.model import Node, NodeCondition, ObjectMeta, Pod
from kschedlab_simulation.clock import Idle
from kschedlab_simulation.controllers.work_queue import ControllerSettings, Latency, WorkQueue, at_once
from kschedlab_simulation.controllers.writes import Create, Delete, Update, UpdateStatus, apply_writes
from kschedlab_simulation.log import Log
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.controllers.stage import NODE, NOON, Stage, documents, owner


class Calls:
    """Records when each key is processed; fails a given number of times."""

    def __init__(self, failures: int = 0, latency: Latency = at_once) -> None:
        self.env = simpy.Environment(initial_time=NOON)
        self.seen: list[tuple[int, str]] = []
        self.failures = failures
        self.work: WorkQueue[str] = WorkQueue(self.env, self.sync, latency)

    def sync(self, key: str) -> None:
        self.seen.append((int(self.env.now) - NOON, key))
        if self.failures:
            self.failures -= 1
            raise ApiError.not_found(Node, "n1")


def started(failures: int = 0) -> Calls:
    calls = Calls(failures)
    calls.work.start(calls.env.timeout(0))
    calls.env.run(until=NOON + 1)
    return calls


def test_a_controller_reacts_after_its_latency_but_at_once_to_what_is_there_at_the_start():
    waits = iter([500, 1000, 700])
    calls = Calls(latency=lambda: next(waits))
    calls.work.add("old")
    calls.work.start(calls.env.timeout(0))
    calls.env.run(until=NOON + 100)
    calls.work.add("new")
    calls.work.add("new")
    calls.work.add("late", 50)
    calls.env.run()
    assert calls.seen == [(0, "old"), (600, "new"), (850, "late")]


def test_latencies_are_within_their_limits_and_the_same_for_the_same_seed():
    settings = ControllerSettings(10, 20)
    draws = {seed: [draw() for _ in range(200)] for seed in (1, 2) if (draw := settings.latency(seed, "nodes"))}
    again = settings.latency(1, "nodes")
    assert draws[1] == [again() for _ in range(200)] != draws[2]
    assert set(draws[1]) == set(range(10, 21))
    assert {ControllerSettings(7, 7).latency(1, "nodes")() for _ in range(9)} == {7}


def test_a_key_is_processed_once_at_a_time():
    calls = started()
    for key in "abab":
        calls.work.add(key)
    calls.env.run()
    assert calls.seen == [(1, "a"), (1, "b")]


def test_the_earlier_of_two_due_times_counts():
    calls = started()
    calls.work.add("a", 100)
    calls.work.add("a", 10)
    calls.work.add("a", 50)
    calls.env.run()
    assert calls.seen == [(11, "a")]


def test_nothing_is_processed_before_the_start():
    calls = Calls()
    calls.work.add("a", 7)
    calls.work.add("a", 5)
    calls.work.start(calls.env.timeout(1000))
    calls.env.run()
    assert calls.seen == [(1005, "a")]


def test_failures_are_retried_with_backoff():
    calls = started(failures=3)
    calls.work.add("a")
    calls.env.run()
    calls.work.add("a")
    calls.env.run()
    assert [at - 1 for at, _ in calls.seen] == [0, 5_000, 15_000, 35_000, 35_000]


def test_the_wait_after_failures_doubles_up_to_a_thousand_seconds():
    """v1.37: client-go util/workqueue/default_rate_limiters.go: five milliseconds to 1000 seconds."""
    calls = started(failures=30)
    calls.work.add("a")
    calls.env.run()
    moments = [at for at, _ in calls.seen]
    waits = [later - earlier for earlier, later in zip(moments, moments[1:], strict=False)]
    assert waits == [5_000 * 2**i for i in range(18)] + [1000 * 1_000_000] * 12


def test_a_key_that_was_there_at_the_start_or_has_failed_up_to_eight_times_is_waited_for():
    """After that, what it waits for is somebody else's change."""
    calls = Calls(failures=30)
    calls.work.add("a", 10)
    calls.work.start(calls.env.timeout(0))
    waits = []
    while calls.env.peek() != float("inf"):
        (event,) = (entry[-1] for entry in calls.env._queue)
        waits.append(not isinstance(event, Idle))
        calls.env.step()
    assert waits == [True] * (2 + 8) + [False] * 22


def server() -> ApiServer:
    return ApiServer(simpy.Environment(initial_time=NOON), Log())


def test_writes_of_one_object_build_on_each_other():
    api = server()
    (given,) = documents(node("n1"))
    made = api.create(given)
    cordoned = replace(made, spec=replace(made.spec, unschedulable=True))
    unready = replace(cordoned, status=replace(made.status, conditions=(NodeCondition(type="Ready", status="False"),)))
    apply_writes(api, [Update(cordoned), UpdateStatus(unready), Update(made)], "test")
    after = api.get(Node, "", "n1")
    assert (after.spec, after.status) == (made.spec, unready.status)


def test_concurrent_changes_are_not_overwritten():
    api = server()
    (given,) = documents(node("n1"))
    made = api.create(given)
    api.update(replace(made, spec=replace(made.spec, unschedulable=True)))
    with pytest.raises(ApiError) as error:
        apply_writes(api, [Update(made)], "test")
    assert error.value.reason == "Conflict"


def test_a_pod_with_another_uid_is_not_deleted():
    api = server()
    (given,) = documents(pod("a"))
    made = api.create(given)
    api.delete(Pod, "default", "a")
    api.create(given)
    with pytest.raises(ApiError):
        apply_writes(api, [Delete(made)], "test")
    assert api.get(Pod, "default", "a").metadata.uid != made.metadata.uid


def test_each_write_is_reported_with_its_result():
    api, told = server(), []
    (given,) = documents(pod("a"))
    apply_writes(api, [Create(given)], "test", lambda write, after: told.append((type(write), after)))
    assert told == [(Create, api.get(Pod, "default", "a"))]
    assert given.metadata == ObjectMeta(name="a", namespace="default")


def test_two_runs_are_identical():
    def run() -> list[str]:
        stage = Stage(NODE, node("n2"), *(owner(kind, kind.lower()) for kind in ("Deployment", "StatefulSet"))).run(20)
        stage.delete(stage.names()[0])
        stage.api.delete(Node, "", "n1")
        return list(stage.run(200).log.lines())

    assert run() == run()
