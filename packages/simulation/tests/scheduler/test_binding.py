"""The binding cycle: waiting on Permit, volumes, PreBind, Bind, and the rollback when one of them fails."""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod, term
from kschedlab.generations import Generation
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod
from kschedlab.plugins.framework import SKIP, Plugin, Skip, Wait
from kschedlab.queue.events import NODE_ADD
from kschedlab.queue.interface import ClusterEvent
from kschedlab_simulation.log import Changed, Log, Step
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.kube_scheduler import KubeScheduler
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.plane import NOON, SECOND, Plane
from tests.course import GENERATIONS
from tests.storage import claim, mount, storage_class, volume

ALL = tuple(GENERATIONS)
SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}
WITH_PLUGINS = ("v1.16", "v1.20", "v1.37")
WITH_HINTS = "0/1 nodes are available: 1 {}."
TOO_LONG = "rejected due to timeout after waiting 1m30s at plugin Gate"


class Gate(Plugin):
    """Lets every pod wait on Permit, and implements Unreserve."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.unreserved: list[str] = []

    def permit(self, pod: Pod, node: str) -> Wait:
        return Wait(self.seconds)

    def unreserve(self, pod: Pod, node: str) -> None:
        self.unreserved.append(pod.metadata.name)

    def only_waiting(self) -> Any:
        (found,) = self.handle.waiting_pods
        return found


class GateForNodes(Gate):
    """Requeues its rejected pods only when a node is added."""

    def events_to_register(self) -> list[ClusterEvent]:
        return [NODE_ADD]


@pytest.mark.parametrize("generation", WITH_PLUGINS)
def test_a_pod_waits_on_permit_until_it_is_allowed(generation: str) -> None:
    gate = Gate(60)
    plane = Plane(node("n1"), generation=generation, plugins=[gate])
    plane.create(pod("web"))
    plane.run(30)
    assert plane.where() == {"web": ""}
    assert plane.scheduler.context.cache.sizes()["assumed_pods"] == 1
    gate.only_waiting().allow("Gate")
    plane.run()
    assert plane.where() == {"web": "n1"}
    assert [step for step in plane.steps("web") if step in ("permit", "waitOnPermit")] == [
        "permit",
        "waitOnPermit",
        "waitOnPermit",
    ]


def test_a_pod_waits_on_permit_for_a_quarter_of_an_hour_at_most() -> None:
    """v1.37: framework/runtime/framework.go, maxTimeout."""
    plane = Plane(node("n1"), plugins=[Gate(3600)])
    plane.create(pod("web"))
    plane.run(899)
    assert plane.scheduler.context.cache.sizes()["assumed_pods"] == 1
    plane.run(1.5)
    message = WITH_HINTS.format("rejected due to timeout after waiting 15m0s at plugin Gate")
    assert message in plane.condition("web")[2]


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        ("v1.16", "rejected while waiting at permit: not today"),
        ("v1.20", 'pod "web" rejected while waiting on permit: not today'),
        ("v1.28", "not today"),
        ("v1.30", WITH_HINTS.format("not today")),
        ("v1.37", WITH_HINTS.format("not today")),
    ],
)
def test_a_pod_rejected_in_permit_is_requeued(generation: str, message: str) -> None:
    gate = (GateForNodes if generation == "v1.37" else Gate)(60)
    plane = Plane(node("n1"), generation=Generation.named(generation), plugins=[gate])
    plane.create(pod("web"))
    plane.run(1)
    gate.only_waiting().reject("Gate", "not today")
    plane.run(0.5)
    assert plane.condition("web") == ("False", "Unschedulable", message)
    assert ("FailedScheduling", message) in plane.events("web")
    assert gate.unreserved == ["web"]
    assert plane.scheduler.context.cache.sizes()["pods"] == 0
    assert "default/web" in plane.scheduler.context.queue.places()


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        ("v1.16", 'pod "web" rejected due to timeout after waiting 1m30s at permit'),
        (
            "v1.20",
            'pod "web" rejected while waiting on permit: rejected due to timeout after waiting 1m30s at plugin Gate',
        ),
        ("v1.37", WITH_HINTS.format("rejected due to timeout after waiting 1m30s at plugin Gate")),
    ],
)
def test_the_wait_on_permit_times_out(generation: str, message: str) -> None:
    plane = Plane(node("n1"), generation=generation, plugins=[Gate(90)])
    plane.create(pod("web"))
    plane.run(89)
    assert plane.events("web") == []
    plane.run(2)
    assert ("FailedScheduling", message) in plane.events("web")


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        ("v1.16", 'pod "web" rejected due to timeout after waiting 20s at permit'),
        ("v1.37", WITH_HINTS.format("rejected due to timeout after waiting 20s at plugin Second")),
    ],
)
def test_the_shortest_wait_of_several_plugins_counts(generation: str, message: str) -> None:
    class Second(Gate):
        pass

    class Third(Gate):
        pass

    plane = Plane(node("n1"), generation=generation, plugins=[Gate(60), Second(20), Third(40)])
    plane.create(pod("web"))
    plane.run(19)
    assert plane.events("web") == []
    plane.run(2)
    assert plane.events("web") == [("FailedScheduling", message)]


def test_all_plugins_must_allow_the_pod_and_the_first_rejection_counts() -> None:
    class Second(Gate):
        pass

    plane = Plane(node("n1"), plugins=[gate := Gate(60), Second(60)])
    plane.create(pod("web"))
    plane.run()
    waiting = gate.only_waiting()
    waiting.allow("Gate")
    plane.run()
    assert plane.where() == {"web": ""} and list(waiting.pending) == ["Second"]
    waiting.allow("Second")
    assert not waiting.reject("Second", "too late")
    plane.run()
    assert plane.where() == {"web": "n1"}


@pytest.mark.parametrize(
    ("generation", "event"),
    [("v1.13", "AssumePod failed: "), ("v1.16", "AssumePod failed: "), ("v1.20", ""), ("v1.37", "")],
)
def test_a_pod_that_somebody_else_binds_during_its_cycle_is_an_error(generation: str, event: str) -> None:
    plane = Plane(node("n1"), node("n2"), generation=generation, latencies=Latencies(cycle=1_000_000))
    plane.create(pod("web"))
    plane.run(0.5)
    plane.api.bind("default", "web", plane.pod("web").metadata.uid, "n2", by="somebody")
    plane.run(1)
    said = f"pod {plane.pod('web').metadata.uid}(default/web) is in the cache, so can't be assumed"
    assert plane.events("web") == [("FailedScheduling", f"{event}{said}")]
    counted = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"} 1.0'
    assert counted in plane.scheduler.context.metrics.text().decode()


def test_a_waiting_pod_is_nominated_to_its_node() -> None:
    """v1.37: the nominated node is written before the binding, for cluster autoscalers."""
    plane = Plane(node("n1"), plugins=[Gate(60)])
    plane.create(pod("web"))
    plane.run()
    assert plane.pod("web").status.nominatedNodeName == "n1"
    gates = {"NominatedNodeNameForExpectation": False}
    plane = Plane(node("n1"), plugins=[Gate(60)], generation=GENERATIONS["v1.37"].with_feature_gates(gates))
    plane.create(pod("web"))
    plane.run()
    assert plane.pod("web").status.nominatedNodeName == "", "not without the gate"


def test_a_pod_deleted_while_it_waits_releases_its_resources() -> None:
    gate = Gate(60)
    plane = Plane(node("n1"), plugins=[gate])
    plane.create(pod("web"))
    plane.run()
    plane.delete("web")
    plane.run()
    assert plane.scheduler.context.cache.sizes()["pods"] == 0
    assert gate.unreserved == ["web"] and not plane.exists("web")


@pytest.mark.parametrize("generation", WITH_PLUGINS)
def test_prebind_may_take_virtual_time(generation: str) -> None:
    class Slow(Plugin):
        def pre_bind(self, pod: Pod, node: str) -> Any:
            yield self.handle.sleep(20)

    plane = Plane(node("n1"), generation=generation, plugins=[Slow()])
    plane.create(pod("web"))
    plane.run(19)
    assert plane.where() == {"web": ""}
    plane.run(2)
    assert plane.where() == {"web": "n1"}


@pytest.mark.parametrize("generation", WITH_PLUGINS)
def test_a_plugin_may_bind_instead_of_the_default_binder(generation: str) -> None:
    class Own(Plugin):
        def bind(self, pod: Pod, node: str) -> Skip | None:
            if pod.metadata.name == "other":
                return SKIP
            self.handle.api.bind("default", pod.metadata.name, pod.metadata.uid, node, by="Own")
            return None

    plane = Plane(node("n1"), generation=generation, plugins=[Own()])
    plane.create(pod("web"), pod("other"))
    plane.run()
    assert plane.where() == {"other": "n1", "web": "n1"}
    assert {entry.key: entry.by for entry in plane.log if getattr(entry, "type", "") == "MODIFIED"} == {
        "default/web": "Own",
        "default/other": "default-scheduler",
    }


@pytest.mark.parametrize(
    ("generation", "reason", "condition", "event"),
    [
        ("v1.13", "BindingRejected", "", "Binding rejected: {}"),
        ("v1.16", "SchedulerError", "{}", "Binding rejected: {}"),
        ("v1.20", "SchedulerError", 'binding rejected: running Bind plugin "DefaultBinder": {}', ""),
        ("v1.37", "SchedulerError", 'running Bind plugin "DefaultBinder": {}', ""),
    ],
)
def test_a_refused_binding_is_reported_and_retried(
    generation: str, reason: str, condition: str, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plane = Plane(node("n1"), generation=generation)
    bind, failures = plane.api.bind, iter([ApiError.unknown("etcd is away")])

    def fails_once(*arguments: Any, **more: Any) -> Pod:
        for failure in failures:
            raise failure
        return bind(*arguments, **more)

    monkeypatch.setattr(plane.api, "bind", fails_once)
    plane.create(pod("web"))
    plane.run(0.5)
    said = condition.format("etcd is away")
    assert ("False", reason, said) in conditions_written(plane)
    assert plane.events("web")[0] == ("FailedScheduling", event.format("etcd is away") or said)
    plane.run(90)
    assert plane.where() == {"web": "n1"}
    assert plane.scheduler.context.cache.sizes() == {"nodes": 1, "pods": 1, "assumed_pods": 0}


def test_a_failed_binding_moves_pods_that_may_fit_now(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = Plane(node("n1", allocatable={"cpu": "1", "memory": "1Gi", "pods": "1"}))

    def fails(namespace: str, name: str, *more: Any, **rest: Any) -> Pod:
        if name == "first":
            raise ApiError.unknown("no")
        return bind(namespace, name, *more, **rest)

    bind = plane.api.bind
    monkeypatch.setattr(plane.api, "bind", fails)
    plane.create(pod("first", priority=9, preemptionPolicy="Never"))
    plane.run(0.0015)
    plane.create(pod("second", priority=9))
    plane.run(15)
    assert plane.where() == {"first": "", "second": "n1"}


def test_a_pod_that_cannot_be_forgotten_moves_no_others() -> None:
    """Another scheduler has bound it to that node meanwhile: nothing is free."""
    plane = Plane(node("n1", allocatable={"cpu": "1", "memory": "1Gi", "pods": "1"}), plugins=[gate := Gate(60)])
    plane.create(pod("web"))
    plane.run(1)
    plane.create(pod("next"))
    plane.run(1)
    plane.api.bind("default", "web", plane.pod("web").metadata.uid, "n1", by="somebody")
    plane.run(1)
    gate.only_waiting().reject("Gate", "not today")
    plane.run(1)
    assert plane.details("forget")[0].endswith("wasn't assumed so cannot be forgotten")
    assert plane.steps("next").count("schedule") == 1


def conditions_written(plane: Plane) -> list[tuple[str, str, str]]:
    """(status, reason, message) of each condition PodScheduled that ``web`` had."""
    pods = [entry.new for entry in plane.entries(Changed) if isinstance(entry.new, Pod)]
    each = [condition for pod in pods for condition in pod.status.conditions if condition.type == "PodScheduled"]
    return [(condition.status, condition.reason, condition.message) for condition in each]


# -- volumes


ONLY_THERE = term("kubernetes.io/hostname In n2")
STORAGE = (
    node("n1"),
    node("n2", labels={"kubernetes.io/hostname": "n2"}),
    storage_class("wait", "kubernetes.io/no-provisioner"),
)


def with_claim(*more: Manifest, **settings: Any) -> Plane:
    return Plane(*STORAGE, claim("data"), volume("disk", ONLY_THERE), *more, **settings)


def bind_by_hand(plane: Plane) -> None:
    """Binds a claim to its reserved volume, as the volume controller does."""
    data = plane.api.get(PersistentVolumeClaim, "default", "data")
    annotations = data.metadata.annotations | {"pv.kubernetes.io/bind-completed": "yes"}
    data = plane.api.update(
        replace(
            data, metadata=replace(data.metadata, annotations=annotations), spec=replace(data.spec, volumeName="disk")
        )
    )
    plane.api.update_status(replace(data, status=replace(data.status, phase="Bound")))


@pytest.mark.parametrize("generation", ALL)
def test_a_volume_is_bound_before_its_pod(generation: str) -> None:
    plane = with_claim(generation=generation)
    plane.create(pod("web", volumes=[mount("data")]))
    plane.run(5)
    disk = plane.api.get(PersistentVolume, "", "disk")
    assert disk.spec.claimRef is not None and disk.spec.claimRef.name == "data"
    assert plane.where() == {"web": ""}, "the claim is not bound yet"
    bind_by_hand(plane)
    plane.run(2)
    assert plane.where() == {"web": "n2"}
    steps = plane.steps("web")
    assert steps.index("assumeVolumes") < steps.index("bindVolumes") < steps.index("bind")


@pytest.mark.parametrize("generation", ALL)
def test_a_pod_with_bound_volumes_does_not_wait(generation: str) -> None:
    there = volume("disk", ONLY_THERE, kept_for="data", phase="Bound")
    plane = Plane(*STORAGE, claim("data", "disk"), there, generation=generation)
    plane.create(pod("web", volumes=[mount("data")]))
    plane.run(0.5)
    assert plane.where() == {"web": "n2"}
    assert "bindVolumes" not in plane.steps("web")


@pytest.mark.parametrize(
    ("generation", "reason", "event"),
    [
        ("v1.13", "VolumeBindingFailed", "timed out waiting for the condition"),
        ("v1.16", "VolumeBindingFailed", "timed out waiting for the condition"),
        (
            "v1.20",
            "SchedulerError",
            'running PreBind plugin "VolumeBinding": binding volumes: timed out waiting for the condition',
        ),
        (
            "v1.37",
            "SchedulerError",
            'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
        ),
    ],
)
def test_binding_volumes_times_out(generation: str, reason: str, event: str) -> None:
    """In v1.13 the condition has no message (scheduler.go, bindVolumes)."""
    plane = with_claim(generation=generation)
    plane.create(pod("web", volumes=[mount("data")]))
    plane.run(599)
    assert plane.events("web") == []
    plane.run(3)
    assert ("FailedScheduling", event) in plane.events("web")
    assert ("False", reason, "" if generation == "v1.13" else event) in conditions_written(plane)
    if generation != "v1.13":  # the retry follows at once, and its outcome is recorded
        counted = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"} 1.0'
        assert counted in plane.scheduler.context.metrics.text().decode()


@pytest.mark.parametrize(
    ("generation", "begins"),
    [
        ("v1.13", "AssumePodVolumes failed: "),
        ("v1.16", "AssumePodVolumes failed: "),
        ("v1.20", 'running Reserve plugin "VolumeBinding": '),
        ("v1.37", 'running Reserve plugin "VolumeBinding": '),
    ],
)
def test_a_volume_that_goes_during_the_cycle_is_an_error(generation: str, begins: str) -> None:
    """v1.16: scheduler.go, assumeVolumes."""
    plane = with_claim(generation=generation, latencies=Latencies(cycle=1_000_000))
    plane.create(pod("web", volumes=[mount("data")]))
    plane.run(0.5)
    plane.api.delete(PersistentVolume, "", "disk")
    plane.run(1)
    assert plane.condition("web")[:2] == ("False", "SchedulerError")
    ((reason, message),) = plane.events("web")
    assert reason == "FailedScheduling" and message.startswith(begins)
    counted = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"} 1.0'
    assert counted in plane.scheduler.context.metrics.text().decode()


@pytest.mark.parametrize("generation", ALL)
def test_a_volume_that_could_not_be_reserved_is_free_again(generation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plane = with_claim(claim("more"), generation=generation)
    with monkeypatch.context() as away:

        def fails(*_: Any, **__: Any) -> Any:
            raise ApiError.unknown("etcd is away")

        away.setattr(plane.api, "update", fails)
        plane.create(pod("web", volumes=[mount("data")]))
        plane.run(0.5)
        assert "bind" not in plane.steps("web") and "etcd is away" in plane.events("web")[0][1]
        plane.delete("web")
        plane.run(0.5)
    plane.create(pod("db", volumes=[mount("more")]))
    plane.run(5)
    disk = plane.api.get(PersistentVolume, "", "disk")
    assert disk.spec.claimRef is not None and disk.spec.claimRef.name == "more"


def test_two_pods_do_not_get_the_same_volume() -> None:
    plane = with_claim(claim("more"))
    plane.create(pod("web", volumes=[mount("data")]), pod("db", volumes=[mount("more")]))
    plane.run(5)
    assert "bindVolumes" in plane.steps("db")
    assert "didn't find available persistent volumes to bind" in plane.condition("web")[2]


def test_steps_have_timestamps() -> None:
    plane = Plane(node("n1"))
    plane.create(pod("web"))
    plane.run()
    at = {entry.step: entry.at - NOON for entry in plane.entries(Step)}
    assert at == dict.fromkeys(("assume", "reserve", "permit", "preBind", "bind", "schedule"), 1_000) | {
        "pop": 0,
        "postBind": 3_000,
    }
    assert SECOND == 1_000_000


@pytest.mark.parametrize(("generation", "seconds"), [("v1.13", 30), ("v1.16", 30), ("v1.20", 120), ("v1.37", None)])
def test_an_unconfirmed_assumed_pod_expires(generation: str, seconds: int | None) -> None:
    plane = Plane(node("n1"), generation=generation)
    plane.run()
    plane.create(pod("web"))
    plane.run(0.0005)
    plane.scheduler.context.pods.disconnect(10_000 * SECOND)
    plane.run((seconds or 120) - 2)
    assert plane.where() == {"web": "n1"}
    assert plane.scheduler.context.cache.sizes()["pods"] == 1
    plane.run(10)
    assert plane.scheduler.context.cache.sizes()["pods"] == (1 if seconds is None else 0)


# -- rollback


class Booking(Plugin):
    """Records its calls of Reserve and Unreserve."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name = name
        self._calls = calls

    def reserve(self, pod: Pod, node: str) -> None:
        self._calls.append(f"+{self.name}")

    def unreserve(self, pod: Pod, node: str) -> None:
        self._calls.append(f"-{self.name}")


@pytest.mark.parametrize(("generation", "called"), [("v1.16", "+a +b -a -b"), ("v1.20", ""), ("v1.37", "")])
def test_plugins_reserve_before_the_pod_is_assumed_in_v1_16_alone(generation: str, called: str) -> None:
    calls: list[str] = []
    plugins = [Booking("a", calls), Booking("b", calls)]
    plane = Plane(node("n1"), generation=generation, plugins=plugins, latencies=Latencies(cycle=1_000_000))
    plane.create(pod("web"))
    plane.run(0.5)
    plane.api.bind("default", "web", plane.pod("web").metadata.uid, "n1", by="somebody")
    plane.run(1)
    assert calls == called.split()


@pytest.mark.parametrize("generation", WITH_PLUGINS)
@pytest.mark.parametrize("point", ["reserve", "permit", "pre_bind", "bind"])
def test_a_failed_binding_is_rolled_back_and_the_pod_retried(generation: str, point: str) -> None:
    """v1.16 does not unreserve if Reserve fails, and otherwise unreserves in plugin order; later, always in reverse."""
    calls: list[str] = []
    reasons, fine, old = ["not yet"], SKIP if point == "bind" else None, generation == "v1.16"
    methods = {point: lambda self, pod, node: next(iter(reasons), fine)}
    if generation == "v1.37":
        methods["events_to_register"] = lambda self: [NODE_ADD]
    refusing = type("Refusing", (), methods)()
    plugins = [Booking("a", calls), Booking("b", calls), refusing]
    plane = Plane(node("n1", allocatable=SMALL), generation=generation, plugins=plugins)
    plane.create(pod("web", cpu="800m"))
    plane.run(0.5)
    undone = ["-a", "-b"] if old else ["-b", "-a"]
    steps = ["forget", "unreserve"] if old else ["unreserve", "forget"]
    if old and point == "reserve":
        undone, steps = [], []
    assert calls == ["+a", "+b", *undone]
    assert [step for step in plane.steps("web") if step in ("unreserve", "forget", "fail")] == [*steps, "fail"]
    context = plane.scheduler.context
    assert context.cache.sizes()["pods"] == 0, "its room is free"
    assert list(context.queue.places()) == ["default/web"]
    reasons.clear()
    plane.create(node("n2", allocatable=SMALL))
    plane.run(70)
    assert plane.where()["web"] in ("n1", "n2")


@pytest.mark.parametrize("generation", ALL)
def test_two_schedulers_of_one_name_bind_each_pod_once(generation: str) -> None:
    plane = Plane(node("n1"), node("n2"), generation=generation)
    another = KubeScheduler(plane.env, plane.api, GENERATIONS[generation], Log(), latencies=Latencies(bind=2_001))
    another.start()
    for number in range(4):
        plane.create(pod(f"web-{number}"))
    plane.run()
    assert all(plane.where().values())
    refused = [each for each in another.log if isinstance(each, Step) and "already assigned" in each.detail]
    assert len(refused) == 4
    plane.create(pod("later"))
    plane.run()
    assert plane.where()["later"]
